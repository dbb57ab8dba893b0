/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_ALIGN_DRIFT_H
#define OVNIK_ALIGN_DRIFT_H

#include "trace/offsets.h"
#include "util/types.h"

struct clock_bend;

/**
 * struct drift - Tables of offsets that were measured one after the other.
 * @before: the first one
 * @after: the second one; empty: clocks are taken as constant
 */
struct drift {
	struct ovni_offsets before;
	struct ovni_offsets after;
};

/**
 * drift_load() - Read one table or two, and check that both can be true.
 * @d: is set; drift_free() frees it, also after an error
 * @before: the first one
 * @after: the second one; NULL: there is none
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int drift_load(struct drift *d, const char *before, const char *after) __must_check;

/**
 * drift_of() - How a node's clock drifts against that of the reference.
 * @d: the tables
 * @loom: name of its loom
 * @begin: CLOCK_MONOTONIC when its capture begins
 * @end: when it ends
 * @bend: is set; nothing bends if there is one table, or the node is in none
 *
 * What remains to be added to its times is its offset in the first table. Tables that do not
 * say when they were measured are taken as measured when the capture began and ended.
 *
 * Context: Any.
 * Return: 0, a negative errno (reported): no clock drifts that much.
 */
int drift_of(struct drift *d, const char *loom, u64 begin, u64 end, struct clock_bend *bend)
	__must_check;

/**
 * drift_report() - Report how the nodes are aligned.
 * @d: the tables, after the nodes were looked for in the first one
 *
 * Context: Any.
 */
void drift_report(const struct drift *d);

/**
 * drift_free() - Free the tables.
 * @d: as drift_load() left it, or zeroed
 */
void drift_free(struct drift *d);

#endif /* OVNIK_ALIGN_DRIFT_H */
