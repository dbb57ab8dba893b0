/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SYNC_SYNC_H
#define OVNIK_SYNC_SYNC_H

#include "util/types.h"

#define HOST_MAX	65

/**
 * struct sample - One message to another node and back.
 * @sent: clock of this node before it
 * @there: clock of the other one between them
 * @back: clock of this node after it
 */
struct sample {
	s64 sent;
	s64 there;
	s64 back;
};

/**
 * struct estimate - What to add to the clock of another node.
 * @at: when that held, by the clock of this node
 * @offset: what to add, ns
 * @lower: it is at least that
 * @upper: it is at most that
 * @mean: of the samples that were kept
 * @variance: of them
 * @round_trip: the shortest one
 */
struct estimate {
	s64 at;
	s64 offset;
	s64 lower;
	s64 upper;
	double mean;
	double variance;
	s64 round_trip;
};

/**
 * struct node - A node.
 * @rank: its first rank
 * @name: its name up to the first dot
 * @boot: what tells it from another node of that name
 * @shift: what a time namespace adds to its CLOCK_MONOTONIC
 * @clock: its clock, by that of the first node
 */
struct node {
	int rank;
	char name[HOST_MAX];
	char boot[HOST_MAX];
	s64 shift;
	struct estimate clock;
};

/**
 * estimate_make() - Find an offset.
 * @e: is set
 * @samples: of one node, in the order of time; those of least round trip come first afterwards
 * @nr: how many; at least one
 *
 * Between @sent and @back the other clock was @there: this bounds the offset, and the bounds
 * of all samples hold together, but for the drift of clocks meanwhile.
 */
void estimate_make(struct estimate *e, struct sample *samples, unsigned int nr);

/**
 * estimate_join() - Take the middle of two estimates, in which drift cancels.
 * @e: is set
 * @a: one of them
 * @b: the other
 */
void estimate_join(struct estimate *e, const struct estimate *a, const struct estimate *b);

/**
 * estimate_move() - Say what an offset is at another moment nearby.
 * @e: the offset; its bounds become wider by what clocks may drift until then
 * @at: the moment
 */
void estimate_move(struct estimate *e, s64 at);

/**
 * estimate_error() - How far off the offset may be.
 * @e: the offset
 *
 * Return: ns.
 */
s64 estimate_error(const struct estimate *e);

/**
 * measure_serve() - Answer the first rank until it says that it is over.
 */
void measure_serve(void);

/**
 * measure_all() - Measure the clocks of all nodes.
 * @nodes: the nodes; the first one is this one
 * @nr: how many
 * @nr_samples: messages to each
 *
 * Return: when that was, by the clock of this node; a negative errno (reported).
 */
s64 measure_all(struct node *nodes, unsigned int nr, unsigned int nr_samples) __must_check;

/**
 * measure_end() - Tell all other ranks that it is over.
 */
void measure_end(void);

#endif /* OVNIK_SYNC_SYNC_H */
