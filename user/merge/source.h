/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_SOURCE_H
#define OVNIK_MERGE_SOURCE_H

#include <argp.h>
#include <limits.h>

#include "merge/app.h"
#include "merge/merge.h"

struct stage;

struct source_kind;

/**
 * struct source - What --merge names: an ovni trace, or XRay logs.
 * @kind: which of the two; NULL: there is nothing to merge
 * @paths: the trace, or the logs
 * @nr: length of @paths
 * @maps: the binary that wrote the logs, and its shared objects
 * @nr_maps: length of @maps; 0: the capture names the binary
 * @names: finds the names of their functions; NULL: no names
 * @app: the logs
 * @alone: there are captures of other nodes, too: leave out streams of other hosts
 * @dir: directory below the outputs with an ovni trace of the logs, while it is needed;
 *	 empty: none
 * @merge: the trace
 *
 * Zeroed at first, except @names. Functions return 0 or a negative errno (reported).
 */
struct source {
	const struct source_kind *kind;
	const char **paths;
	u32 nr;
	const char **maps;
	u32 nr_maps;
	const struct xray_names_ops *names;
	struct xray_app app;
	bool alone;
	char dir[PATH_MAX];
	struct ovni_merge merge;
};

/* Options; the input is a struct source. */
extern const struct argp source_argp;

/* The same, of questions: they take a trace only, for its marks. */
extern const struct argp source_trace_argp;

/**
 * source_is_trace() - Is it an ovni trace?
 * @src: the source
 *
 * Return: true; false: XRay logs, or nothing.
 */
bool source_is_trace(const struct source *src);

/**
 * source_open_nodes() - Open the trace of several nodes; nothing is written.
 * @src: the source
 * @tr: is set; call merge_trace_close() in any case
 * @out: the output directory; NULL: there is none
 */
int source_open_nodes(const struct source *src, struct merge_trace *tr, const char *out)
	__must_check;

/**
 * source_add() - Add what is to be merged.
 * @src: the source
 * @path: the directory of a trace (only the last one counts), or a log
 *
 * Return: 0; -EINVAL: a trace and logs; -ENOMEM.
 */
int source_add(struct source *src, const char *path) __must_check;

/**
 * source_open() - Open what is to be merged; nothing is written.
 * @src: the source
 * @cap: the capture
 * @out: the output directory; NULL: there is none, as a trace needs none
 */
int source_open(struct source *src, struct capture *cap, const char *out) __must_check;

/**
 * source_gives_rights() - Outputs give no more rights than what is merged.
 * @src: what is merged
 * @stage: where they are written
 *
 * Context: As stage_made_of().
 * Return: 0, a negative errno (reported).
 */
int source_gives_rights(const struct source *src, const struct stage *stage) __must_check;

/**
 * source_watch() - Attach to the first pass what a source must know from it.
 * @src: the source
 * @w: the world
 */
int source_watch(struct source *src, struct world *w) __must_check;

/**
 * source_prepare() - Make a trace from the source.
 * @src: the source
 * @inventory: of the first pass
 * @out: the output directory
 * @loom: name of the captured host's loom
 */
int source_prepare(struct source *src, const struct inventory *inventory, const char *out,
		   const char *loom) __must_check;

/**
 * source_report() - Report what was merged.
 * @src: the source, after everything
 */
void source_report(const struct source *src);

/**
 * source_close() - Free everything, the directory too.
 * @src: in any state
 */
void source_close(struct source *src);

#endif /* OVNIK_MERGE_SOURCE_H */
