/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_ASK_DIFF_H
#define OVNIK_OUTPUT_ASK_DIFF_H

#include "output/ask/top.h"

/*
 * What changed between two sides, each of them one or more captures of the same work. The sums of
 * each capture are those of "top"; what has the same name is the same thing. Memory: as top, and
 * for each name 8 bytes per capture and figure.
 */

#define DIFF_FIGURES	(10 + 2 * SUMS_NR_MEASURES)	/* most figures */

/* The sides. */
enum diff_side {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_NR_SIDES
};

/**
 * struct diff_figure - What is compared: a table.
 * @name: its heading
 * @by: enum top_by: what has it
 * @at: offset of the u64 in struct top_row
 * @form: enum report_form
 * @needs: enum report_needs
 * @nr: its number among those of @by
 */
struct diff_figure {
	char name[64];
	u32 by;
	size_t at;
	u8 form;
	u8 needs;
	u8 nr;
};

/**
 * struct diff_capture - A capture that was read.
 * @dir: its directory
 * @side: enum diff_side
 * @length: ns
 * @gaps: places where events were lost
 * @damages: damaged places
 * @page_size: bytes of a page
 * @vague: how far its times may be off; empty: they are not
 * @missing: by figure: an event that it lacks; NULL: none
 * @unknown: the CPUs that are missing; empty: none
 */
struct diff_capture {
	char *dir;
	u32 side;
	u64 length;
	u64 gaps;
	u64 damages;
	u32 page_size;
	char vague[CAPTURE_VAGUE];
	const char **missing;
	char unknown[REPORT_CPUS_TEXT];
};

/**
 * struct diff_thing - What has a name.
 * @node: in its table
 * @name: the name
 * @recorder: it is the process that recorded, or files that only it used: it is behind all others
 * @values: for each capture, all figures of such things
 * @nr: length of @values
 */
struct diff_thing {
	struct hash_node node;
	char *name;
	bool recorder;
	u64 *values;
	size_t nr;
};

/**
 * struct diff_change - How a figure of a thing changed.
 * @thing: which
 * @mean: of each side
 * @sd: standard deviation of each side, if it has several captures
 * @change: of the mean
 * @noise: half of the 95 % confidence interval of @change, if both sides have several
 * @beyond: @change is larger than @noise
 */
struct diff_change {
	const struct diff_thing *thing;
	double mean[DIFF_NR_SIDES];
	double sd[DIFF_NR_SIDES];
	double change;
	double noise;
	bool beyond;
};

/**
 * struct diff - The question.
 * @figures: what is compared
 * @nr_figures: length of @figures
 * @nr_of: how many of them a thing has, by enum top_by
 * @top: of the capture that is being read
 * @by: enum top_by; TOP_NR_BYS: programs, reasons and files
 * @rows: rows of a table
 * @json: as JSON, with all rows
 * @captures: those that were read
 * @nr: length of @captures
 * @sides: number of captures of each side
 * @partial: by side: a CPU is missing in one of its captures
 * @things: struct diff_thing, by enum top_by
 * @sums: of all things, by enum top_by
 */
struct diff {
	struct diff_figure figures[DIFF_FIGURES];
	size_t nr_figures;
	u32 nr_of[TOP_NR_BYS];
	struct top top;
	u32 by;
	unsigned int rows;
	bool json;
	struct diff_capture *captures;
	u32 nr;
	u32 sides[DIFF_NR_SIDES];
	bool partial[DIFF_NR_SIDES];
	struct hash_table things[TOP_NR_BYS];
	struct diff_thing sums[TOP_NR_BYS];
};

/**
 * diff_set_figures() - Say what is compared.
 * @d: zero
 */
void diff_set_figures(struct diff *d);

/**
 * diff_asks() - Is that compared?
 * @d: the question
 * @by: enum top_by
 *
 * Return: true if it is.
 */
bool diff_asks(const struct diff *d, u32 by);

/**
 * diff_attach_tasks() - Attach to the tasks of a capture.
 * @d: the question, its report attached
 * @tasks: of at least REPORT_KINDS
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int diff_attach_tasks(struct diff *d, struct hookable *tasks) __must_check;

/**
 * diff_add() - Keep the sums of a capture after its pass.
 * @d: the question
 * @facts: of the pass
 * @side: enum diff_side
 *
 * Return: 0, -ENOMEM.
 */
int diff_add(struct diff *d, const struct facts *facts, u32 side) __must_check;

/**
 * diff_changes() - Make the changes of a figure, the largest first; of equals, by name; the
 * recorder last.
 * @d: the question, after all captures
 * @figure: which
 * @nr: is set
 *
 * Return: an array to be freed, NULL without memory.
 */
struct diff_change *diff_changes(const struct diff *d, const struct diff_figure *figure,
				 size_t *nr);

/**
 * diff_change() - Compute a change.
 * @d: the question, after all captures
 * @figure: of which figure
 * @thing: of which thing
 *
 * Return: the change.
 */
struct diff_change diff_change(const struct diff *d, const struct diff_figure *figure,
			       const struct diff_thing *thing);

/**
 * diff_free() - Free what was kept of all captures.
 * @d: the question
 */
void diff_free(struct diff *d);

#endif /* OVNIK_OUTPUT_ASK_DIFF_H */
