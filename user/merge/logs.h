/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_LOGS_H
#define OVNIK_MERGE_LOGS_H

#include <limits.h>

#include "decode/decode.h"
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
 * logs_open() - Open the logs.
 * @logs: zeroed; call logs_close() in any case
 * @cap: the capture, opened
 * @opt: which logs, and where the outputs go
 *
 * Context: Any; nothing is written.
 * Return: 0, a negative errno (told).
 */
int logs_open(struct logs *logs, struct capture *cap,
	      const struct decode_options *opt) __must_check;

/**
 * logs_to_trace() - Make an ovni trace of the logs, and open it.
 * @logs: after the first pass, which @logs->app.who has seen
 * @tr: is set; call merge_trace_close() in any case
 * @census: of that pass
 * @opt: as for logs_open()
 * @loom: name of the captured host's loom
 *
 * Context: Any.
 * Return: 0, a negative errno (told).
 */
int logs_to_trace(struct logs *logs, struct merge_trace *tr, const struct census *census,
		  const struct decode_options *opt, const char *loom) __must_check;

/**
 * logs_close() - Close the logs, and remove the directory.
 * @logs: whatever state it is in, or zeroed
 *
 * Context: Nobody reads the trace any more.
 */
void logs_close(struct logs *logs);

#endif /* OVNIK_MERGE_LOGS_H */
