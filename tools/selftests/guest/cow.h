/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_COW_H
#define GUEST_COW_H

/* Where cowload has the memory that cowcheck looks at: nothing else is there. */
#define TEST_AT		0x100000000000UL
#define TEST_END	(TEST_AT + (1UL << 30))

#endif /* GUEST_COW_H */
