/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_DECODE_H
#define OVNIK_DECODE_DECODE_H

#include "capture/capture.h"
#include "world/world.h"
#include "xray/names.h"

/**
 * enum decode_output - What can be made of a capture.
 * @DECODE_OVNI: an ovni trace
 * @DECODE_LAPLACE: Laplace's raw kernel trace
 * @DECODE_PRV: Paraver traces
 * @DECODE_XRAY: FDR logs of XRay
 */
enum decode_output {
	DECODE_OVNI	= 1 << 0,
	DECODE_LAPLACE	= 1 << 1,
	DECODE_PRV	= 1 << 2,
	DECODE_XRAY	= 1 << 3,
};

struct report;
struct tracers;

/* Unless told otherwise. */
#define DECODE_DEFAULT	(DECODE_OVNI | DECODE_LAPLACE | DECODE_PRV)

/**
 * enum decode_status - How decoding went: the program's exit status.
 * @DECODE_OK: everything that happened is in the outputs
 * @DECODE_FAILED: there are no outputs
 * @DECODE_USAGE: the command line cannot be understood
 * @DECODE_DAMAGED: the capture is damaged, or a log that is merged; what could be saved
 *		    was saved
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
 * @outputs: enum decode_output
 * @merge: directory of an application's trace to be merged; NULL: none
 * @logs: or logs of programs that are merged
 * @nr_logs: how many
 * @instr_map: the binary that wrote @logs; NULL: the capture says it
 * @names: how their functions' names are found; NULL: they are not
 * @laplace_split: a Laplace trace a CPU
 * @xray_split: an FDR log a process
 * @xray_version: of the FDR logs, 1 or 5
 * @compress: the Paraver traces are compressed
 * @progress: show how far it has come
 * @tracers: to be told of tasks, or NULL; their answers go to stdout
 * @json: answers as JSON
 * @report: to be made and printed in place of the summary, or NULL
 */
struct decode_options {
	const char *capture;
	const char *out;
	u32 outputs;
	const char *merge;
	const char *const *logs;
	u32 nr_logs;
	const char *instr_map;
	const struct xray_names_ops *names;
	bool laplace_split;
	bool xray_split;
	u16 xray_version;
	bool compress;
	bool progress;
	struct tracers *tracers;
	bool json;
	struct report *report;
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
 * @outputs: there are some; else only what is missing is told, beside answers
 *
 * Context: Any.
 */
void decode_summary(const struct decode_report *report, bool outputs);

/**
 * decode_rms() - How far anchors lie off the clock's line.
 * @residual: of the clock
 *
 * Context: Any.
 * Return: the root of the mean square, ns, rounded down; 0 without anchors.
 */
u64 decode_rms(const struct clock_residual *residual);

#endif /* OVNIK_DECODE_DECODE_H */
