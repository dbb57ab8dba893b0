/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_DECODE_H
#define OVNIK_DECODE_DECODE_H

#include "narrow/narrow.h"
#include "output/output.h"

struct source;

/**
 * enum decode_status - How decoding went: the program's exit status.
 * @DECODE_OK: everything that happened is in the outputs
 * @DECODE_FAILED: there are no outputs
 * @DECODE_USAGE: the command line cannot be understood
 * @DECODE_DAMAGED: the capture is damaged, or a log that is merged; the outputs have what could
 *	be read
 * @DECODE_LOST: the capture is sound, but the kernel lost events
 */
enum decode_status {
	DECODE_OK	= 0,
	DECODE_FAILED	= 1,
	DECODE_USAGE	= 2,
	DECODE_DAMAGED	= 3,
	DECODE_LOST	= 4,
};

/**
 * struct decode_options - What to do.
 * @capture: directory of the capture
 * @out: directory for the outputs; NULL if there are none
 * @outputs: all outputs; the requested ones are marked
 * @source: the trace to merge, or NULL
 * @narrow: what part of the capture
 * @about: the processes that the question is about, of all those; none: the recorded command
 * @progress: show how far it has come
 * @offsets: table of the clock offsets of several nodes; NULL: none is given
 * @offsets_after: what they were later; NULL: they are taken as constant
 * @jobs: how many of several captures are decoded at the same time
 * @apps: number of the last application of other nodes
 * @side: which side the capture is on, of those that are compared
 * @several: there are captures of other nodes, too
 * @node: number of the node, of several; see struct output_env
 * @nodes: how many there are; it is decoded once more: no summary. 0: it is not of several
 * @shift: to be added to its times, ns
 * @wall: CLOCK_REALTIME less its times, by a table of offsets, ns; NULL: the capture tells it.
 *	@opened may set it
 * @opened: called once the capture is open; may adjust its clock. A negative errno: do not decode
 *	it (reported). NULL: not called
 * @counted: called with the number of processes, before outputs are written; returns the number of
 *	the last application of other nodes, in place of @apps. NULL: not called
 * @decoded: called with what the capture has shown. NULL: not called
 * @data: for both
 */
struct decode_options {
	const char *capture;
	const char *out;
	struct outputs *outputs;
	struct source *source;
	struct narrow_options narrow;
	struct narrow_options about;
	bool progress;
	const char *offsets;
	const char *offsets_after;
	unsigned int jobs;
	u32 apps;
	u32 side;
	bool several;
	u32 node;
	u32 nodes;
	s64 shift;
	const s64 *wall;
	int (*opened)(void *data, struct capture *cap);
	u32 (*counted)(void *data, u32 processes);
	void (*decoded)(void *data, const struct facts *facts);
	void *data;
};

/**
 * decode_run() - Decode a capture.
 * @opt: what to do; its outputs and its source are closed when it returns
 *
 * Results and problems are reported on stderr.
 *
 * Context: Once for @opt; raises the limit of open files.
 * Return: how it went.
 */
enum decode_status decode_run(const struct decode_options *opt);

/* Of two captures. Failure is worse than damage, and damage worse than loss. */
static inline enum decode_status decode_worse(enum decode_status a, enum decode_status b)
{
	if (a == DECODE_FAILED || b == DECODE_FAILED)
		return DECODE_FAILED;
	return a == DECODE_DAMAGED || b == DECODE_OK ? a : b;
}

/**
 * decode_summary() - Report what was in the capture and what was missing.
 * @facts: of the last pass
 * @outputs: outputs were written; otherwise only missing data is reported
 *
 * Context: Any.
 */
void decode_summary(const struct facts *facts, bool outputs);

#endif /* OVNIK_DECODE_DECODE_H */
