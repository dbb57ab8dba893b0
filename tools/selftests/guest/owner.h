/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_OWNER_H
#define GUEST_OWNER_H

/* Where ownerload has a page that it reads by /proc/self/mem; far from what the kernel chooses. */
#define OWNER_PAGE	0x123456789000UL

#endif /* GUEST_OWNER_H */
