/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_STATEDUMP_H
#define OVNIK_STATEDUMP_H

int ovnik_statedump(void);

#endif /* OVNIK_STATEDUMP_H */
