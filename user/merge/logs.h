/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_LOGS_H
#define OVNIK_MERGE_LOGS_H

#include <limits.h>

#include "merge/merge_trace.h"
#include "merge/app.h"

/*
 * Programs' logs on their way into a merged trace: as an ovni trace of the programs, in a
 * directory below the outputs that is there for as long as it is needed.
 */

/**
 * struct logs - The logs to be merged.
 * @app: the logs
 * @dir: the directory; empty: none
 */
struct logs {
	struct xray_app app;
	char dir[PATH_MAX];
};

/**
 * logs_to_trace() - Make an ovni trace of the logs, and open it.
 * @logs: open, after the first pass, which @logs->app.who has seen; call logs_close() in
 *	  any case
 * @tr: is set; call merge_trace_close() in any case
 * @census: of that pass
 * @out: the output directory
 * @loom: name of the captured host's loom
 *
 * Context: Any.
 * Return: 0, a negative errno (told).
 */
int logs_to_trace(struct logs *logs, struct merge_trace *tr, const struct census *census,
		  const char *out, const char *loom) __must_check;

/**
 * logs_close() - Close the logs, and remove the directory.
 * @logs: whatever state it is in, or zeroed
 *
 * Context: Nobody reads the trace any more.
 */
void logs_close(struct logs *logs);

#endif /* OVNIK_MERGE_LOGS_H */
