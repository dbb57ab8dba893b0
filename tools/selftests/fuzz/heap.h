/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_HEAP_H
#define OVNIK_SELFTESTS_FUZZ_HEAP_H

/* All large blocks must be free now. */
void heap_check(void);

#endif /* OVNIK_SELFTESTS_FUZZ_HEAP_H */
