/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WAKER_H
#define OVNIK_WAKER_H

void ovnik_wakers_reset(void);

#endif /* OVNIK_WAKER_H */
