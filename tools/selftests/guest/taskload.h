/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_TASKLOAD_H
#define OVNIK_SELFTESTS_TASKLOAD_H

/* How much taskload does, for taskcheck. */

#define TASKLOAD_TIMES	200		/* each does what it does so often */
#define TASKLOAD_SLEEP	2000000ULL	/* ns of each sleep */
#define TASKLOAD_BYTES	1000		/* of a read or write, one less with each */
#define TASKLOAD_MAPPED	(7 * 4096)	/* bytes of a mapping */

#endif /* OVNIK_SELFTESTS_TASKLOAD_H */
