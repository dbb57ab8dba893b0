/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_STRETCH_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_STRETCH_H

#include "util/types.h"

/* Stretches of critical chains, see chain.c. Chains share common stretches. */

enum chain_doing {
	DOING_RUN,
	DOING_QUEUE,
	DOING_WAIT,
	DOING_UNKNOWN,
	NR_DOING
};

/**
 * struct stretch - A part of a chain; many chains may have it.
 * @users: stretches and threads that point to it
 * @length: of the chain that ends here, this one included
 * @cut: earlier stretches were dropped
 * @tid: thread
 * @pid: its process
 * @from: when it was woken, or first seen
 * @to: when it woke the next one
 * @ns: times in it, per enum chain_doing
 * @before: how it came to be woken
 */
struct stretch {
	u64 users;
	u64 length;
	bool cut;
	u32 tid;
	u32 pid;
	u64 from;
	u64 to;
	u64 ns[NR_DOING];
	struct stretch *before;
};

/**
 * stretch_put() - Drop a reference to a stretch; frees stretches without a reference.
 * @s: the stretch, or NULL
 *
 * Context: Any.
 */
void stretch_put(struct stretch *s);

/**
 * stretch_end() - End a stretch.
 * @now: its contents, and the stretch before
 * @time: when it ends
 * @longest: a chain that gets as long as this is copied
 * @steps: so many of its last stretches are
 *
 * Context: Any.
 * Return: the stretch, to which the caller points; NULL without memory.
 */
struct stretch *stretch_end(const struct stretch *now, u64 time, u64 longest, u64 steps)
	__must_check;

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_STRETCH_H */
