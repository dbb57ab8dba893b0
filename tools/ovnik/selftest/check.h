/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_CHECK_H
#define OVNIK_SELFTEST_CHECK_H

#include "ovnik.h"
#include "util/types.h"

#define VERDICT_SAYS	400

/**
 * struct verdict - How the record of an event compares with what was done.
 * @tried: how often it was done
 * @missing: of these, those that are not recorded
 * @doubled: likewise, recorded more than once
 * @wrong: likewise, recorded with a wrong field
 * @says: what is wrong, a sentence; empty: nothing
 */
struct verdict {
	u32 tried;
	u32 missing;
	u32 doubled;
	u32 wrong;
	char says[VERDICT_SAYS];
};

int check_capture(const char *dir, struct verdict verdicts[OVNIK_NR_EVENTS]);

#endif /* OVNIK_SELFTEST_CHECK_H */
