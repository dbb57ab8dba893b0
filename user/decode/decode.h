/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_DECODE_H
#define OVNIK_DECODE_DECODE_H

#include "capture/capture.h"
#include "world/world.h"

/**
 * enum decode_output - What can be made of a capture.
 * @DECODE_OVNI: an ovni trace
 * @DECODE_LAPLACE: Laplace's raw kernel trace
 * @DECODE_PRV: Paraver traces
 */
enum decode_output {
	DECODE_OVNI	= 1 << 0,
	DECODE_LAPLACE	= 1 << 1,
	DECODE_PRV	= 1 << 2,
};

#define DECODE_ALL	(DECODE_OVNI | DECODE_LAPLACE | DECODE_PRV)

/**
 * enum decode_status - How decoding went: the program's exit status.
 * @DECODE_OK: everything that happened is in the outputs
 * @DECODE_FAILED: there are no outputs
 * @DECODE_USAGE: the command line cannot be understood
 * @DECODE_DAMAGED: the capture is damaged; what could be saved was saved
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
 * @out: directory for the outputs
 * @outputs: enum decode_output
 * @laplace_split: a Laplace trace a CPU
 * @progress: show how far it has come
 */
struct decode_options {
	const char *capture;
	const char *out;
	u32 outputs;
	bool laplace_split;
	bool progress;
};

#define DECODE_GAPS_TOLD	20

/**
 * struct decode_report - What the summary is made of.
 * @cap: the capture
 * @world: disagreements in the last pass
 * @orphans: tasks whose process is not known
 * @unplaced: of memory and files, while no task was known to run there
 * @processes: processes, 0 if nobody counted them
 * @gaps: the first gaps
 * @nr_gaps: length of @gaps
 */
struct decode_report {
	struct capture *cap;
	struct world_stats world;
	u64 orphans;
	u64 unplaced;
	u64 processes;
	struct capture_gap gaps[DECODE_GAPS_TOLD];
	unsigned int nr_gaps;
};

/**
 * decode_run() - Make outputs of a capture.
 * @opt: what to do
 *
 * Everything worth knowing is told on stderr.
 *
 * Context: Once a process: raises the limit of open files.
 * Return: how it went.
 */
enum decode_status decode_run(const struct decode_options *opt);

/**
 * decode_summary() - Tell the user what was in the capture and what was not.
 * @report: of the last pass
 *
 * Context: Any.
 */
void decode_summary(const struct decode_report *report);

#endif /* OVNIK_DECODE_DECODE_H */
