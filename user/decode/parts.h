/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_PARTS_H
#define OVNIK_DECODE_PARTS_H

#include "decode/decode.h"

struct drift;

/* In the directory of the outputs: what one node makes. */
#define PARTS_DIR	"%s/.node%u"

/**
 * struct part - A node of several.
 * @capture: its capture
 * @loom: name of its loom; NULL: it is left out
 * @merged: what is merged is of this node, too
 * @shift: to be added to its times, ns
 */
struct part {
	const char *capture;
	const char *loom;
	bool merged;
	s64 shift;
};

/**
 * parts_bend() - Take what its clock drifts out of a capture's times.
 * @drift: the tables of offsets
 * @cap: the capture
 * @loom: name of its loom
 *
 * Context: Before the capture is read.
 * Return: 0, a negative errno (reported).
 */
int parts_bend(struct drift *drift, struct capture *cap, const char *loom) __must_check;

/**
 * parts_make() - Make the outputs that have a part of each node.
 * @opt: what to do
 * @parts: the nodes
 * @nr: how many
 * @dir: where to
 * @drift: the tables of offsets; only if @opt has two
 *
 * Context: No other thread runs.
 * Return: 0, a negative errno (reported).
 */
int parts_make(const struct decode_options *opt, const struct part *parts, unsigned int nr,
	       const char *dir, struct drift *drift) __must_check;

#endif /* OVNIK_DECODE_PARTS_H */
