// SPDX-License-Identifier: GPL-2.0-only
/* The source to merge, of either kind, and how logs were merged: see source.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "merge/app.h"
#include "merge/source.h"
#include "util/file.h"
#include "util/msg.h"
#include "util/stage.h"

#define PLURAL(n)	((n) == 1 ? "" : "s")
#define NS		1000000000.0

static void report_rate(const struct xray_app *app, const struct xray_app_log *log)
{
	struct clock *clock = &app->cap->clock;
	u64 ns = clock_ns(clock, app->cap->end) - clock_ns(clock, app->cap->begin);
	double ours = (double)(app->cap->end - app->cap->begin) * NS / (double)(ns + !ns);
	double theirs = (double)log->log.header.frequency;

	if (!theirs || !ns || (theirs > 0.99 * ours && theirs < 1.01 * ours))
		return;
	msg_warn("merged: %s says that the TSC has %.3f MHz, the capture measured %.3f: durations that others take from the log are wrong, ours are not",
		 log->log.path, theirs / 1e6, ours / 1e6);
}

/* Nothing in a log says whose it is of the two. */
static void report_twin(const struct xray_app *app, const struct xray_app_log *log)
{
	u32 twin = xray_who_twin(&app->who, log->pid, log->high);

	if (twin)
		msg_warn("merged: %s: process %u forked %u, which ran no other program, and XRay writes what such a child does as its parent's: if this is the log of the child, leave it out, for its calls are on the row of %u",
			 log->log.path, log->pid, twin, log->pid);
}

static void report_log(const struct xray_app *app, const struct xray_app_log *log)
{
	const struct xray_log *l = &log->log;

	if (log->threads && !log->known) {
		msg_info("merged: %s: of other processes: left out", l->path);
		return;
	}
	msg_info("merged: %s: %llu call%s and %llu custom event%s of %u thread%s", l->path,
		 log->calls, PLURAL(log->calls), log->events, PLURAL(log->events), log->threads,
		 PLURAL(log->threads));
	if (log->known < log->threads)
		msg_warn("merged: %s: %u thread%s of it %s not in the capture: left out", l->path,
			 log->threads - log->known, PLURAL(log->threads - log->known),
			 log->threads - log->known == 1 ? "is" : "are");
	if (l->breaks)
		msg_warn("merged: %s: is damaged in %llu place%s, %llu byte%s lost; calls that were open at the end of a buffer are taken to end there",
			 l->path, l->breaks, PLURAL(l->breaks), l->lost_bytes,
			 l->lost_bytes == 1 ? " is" : "s are");
	if (log->foreign)
		msg_warn("merged: %s: %llu call%s of functions that %s does not have: is it another binary's log?",
			 l->path, log->foreign, PLURAL(log->foreign),
			 app->binaries[log->binary].path);
	report_twin(app, log);
	report_rate(app, log);
}

static void report_calls(const struct xray_app_stats *stats)
{
	if (stats->unentered)
		msg_info("merged: %llu exit%s of functions whose entry is not in the log: left out",
			 stats->unentered, PLURAL(stats->unentered));
	if (stats->unleft)
		msg_info("merged: %llu call%s without exit: end with the function they are in, or with the log",
			 stats->unleft, PLURAL(stats->unleft));
	if (stats->folded)
		msg_warn("merged: %llu call%s too deep to be shown", stats->folded,
			 PLURAL(stats->folded));
	if (stats->crowded)
		msg_warn("merged: %llu call%s left out: too many different functions in one thread",
			 stats->crowded, PLURAL(stats->crowded));
}

/* Report how the logs were merged. */
static void xray_app_report(const struct xray_app *app)
{
	const struct xray_app_stats *stats = &app->stats;
	u32 i;

	for (i = 0; i < app->nr_logs; i++)
		report_log(app, &app->logs[i]);
	report_calls(stats);
	if (stats->nobody)
		msg_warn("merged: %llu thread%s of logs whose numbers no thread has: left out",
			 stats->nobody, PLURAL(stats->nobody));
	if (stats->typed)
		msg_warn("merged: %llu typed event%s left out", stats->typed,
			 PLURAL(stats->typed));
	if (stats->unnamed)
		msg_warn("merged: functions are shown by number where the binary has no symbols of them: is it stripped?");
	if (stats->twice)
		msg_warn("merged: %llu buffer%s of logs within the time of others of the same thread: left out; was a log given twice, or is it of a child that was forked? XRay writes what a child does as its parent's",
			 stats->twice, PLURAL(stats->twice));
	if (stats->back)
		msg_warn("merged: %llu record%s of logs whose clock goes back: moved to the one before",
			 stats->back, PLURAL(stats->back));
	if (stats->far)
		msg_warn("merged: %llu record%s of logs after the next buffer, or more than an hour before or after the capture: left out",
			 stats->far, PLURAL(stats->far));
}

#define OPT_MERGE	256
#define OPT_INSTR_MAP	257

/**
 * struct source_kind - An ovni trace, or XRay logs.
 * @open: opens it, and writes nothing
 * @watch: attaches to the first pass, or NULL
 * @prepare: makes a trace of it, or NULL
 * @report: reports how it was merged, or NULL
 */
struct source_kind {
	int (*open)(struct source *src, struct capture *cap, const char *out);
	int (*watch)(struct source *src, struct world *w);
	int (*prepare)(struct source *src, const struct inventory *inventory, const char *out,
		       const char *loom);
	void (*report)(const struct source *src);
};

/* The next merge would find our trace in it. */
static int refuse_itself(const char *trace, const char *out)
{
	if (!file_is_same(trace, out))
		return 0;
	msg_error("%s: is the trace to merge: name another directory for the outputs", out);
	return -EINVAL;
}

/* No stream may be in the trace that is replaced. */
static int open_at(const struct source *src, struct merge_trace *tr, const char *host,
		   const struct clock *clock, const char *out)
{
	char path[PATH_MAX], *real;

	if (!out)
		return merge_trace_open(tr, src->paths[0], host, clock, NULL);
	if (refuse_itself(src->paths[0], out))
		return -EINVAL;
	real = realpath(out, NULL);
	if (!real) {
		msg_error("%s: %s", out, strerror(errno));
		return -EINVAL;
	}
	snprintf(path, sizeof(path), "%s/ovni", real);
	free(real);
	return merge_trace_open(tr, src->paths[0], host, clock, path);
}

static int open_trace(struct source *src, struct capture *cap, const char *out)
{
	struct merge_trace *tr = &src->merge.trace;

	return open_at(src, tr, cap->meta.host, src->alone ? &cap->clock : NULL, out) ?:
	       merge_trace_pick(tr, cap);
}

int source_open_nodes(const struct source *src, struct merge_trace *tr, const char *out)
{
	return open_at(src, tr, NULL, NULL, out);
}

static int open_logs(struct source *src, struct capture *cap, const char *out)
{
	(void)out;
	src->app.ops = src->names;
	return xray_app_open(&src->app, cap, src->paths, src->nr, src->maps,
			     src->nr_maps);
}

static int watch_logs(struct source *src, struct world *w)
{
	return xray_who_attach(&src->app.who, w);
}

static int make_dir(struct source *src, const char *out)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/.xray", out) >= (int)sizeof(path)) {
		msg_error("%s: %s", out, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	if (mkdir(path, 0700))
		return report_error(path, "cannot make it", errno);
	memcpy(src->dir, path, sizeof(path));
	return 0;
}

static int prepare_logs(struct source *src, const struct inventory *inventory, const char *out,
			const char *loom)
{
	struct merge_trace *tr = &src->merge.trace;
	int ret;

	ret = make_dir(src, out);
	if (!ret)
		ret = xray_app_write(&src->app, inventory, src->dir, loom);
	if (!ret)
		ret = merge_trace_open(tr, src->dir, loom, NULL, NULL);
	tr->log = true;
	return ret;
}

static void report_logs(const struct source *src)
{
	xray_app_report(&src->app);
}

static const struct source_kind a_trace = { .open = open_trace };

static const struct source_kind some_logs = {
	.open = open_logs, .watch = watch_logs, .prepare = prepare_logs, .report = report_logs,
};

bool source_is_trace(const struct source *src)
{
	return src->kind == &a_trace;
}

static int append(const char ***list, u32 *nr, const char *text)
{
	const char **grown = realloc(*list, (*nr + 1) * sizeof(**list));

	if (!grown)
		return -ENOMEM;
	grown[(*nr)++] = text;
	*list = grown;
	return 0;
}

int source_add(struct source *src, const char *path)
{
	struct stat st;
	bool trace = !stat(path, &st) && S_ISDIR(st.st_mode);
	const struct source_kind *kind = trace ? &a_trace : &some_logs;

	if (src->kind && src->kind != kind)
		return -EINVAL;
	src->kind = kind;
	if (trace)
		src->nr = 0;
	return append(&src->paths, &src->nr, path);
}

static void parse_merge(struct source *src, const char *path, struct argp_state *state)
{
	int ret = source_add(src, path);

	if (ret == -EINVAL)
		argp_error(state, "--merge takes an ovni trace or XRay logs, not both");
	else if (ret)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "--merge");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct source *src = state->input;

	switch (key) {
	case OPT_MERGE:
		parse_merge(src, arg, state);
		return 0;
	case OPT_INSTR_MAP:
		if (append(&src->maps, &src->nr_maps, arg))
			argp_failure(state, EXIT_FAILURE, ENOMEM, "--instr-map");
		return 0;
	case ARGP_KEY_END:
		if (src->nr_maps && src->kind != &some_logs)
			argp_error(state, "--instr-map needs an XRay log to merge (--merge)");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{ "merge", OPT_MERGE, "TRACE", 0,
	  "Merge the ovni trace that an application wrote during the capture, or its XRay FDR log; repeatable for several logs",
	  0 },
	{ "instr-map", OPT_INSTR_MAP, "FILE", 0,
	  "Binary that wrote the logs, for the names of its functions; then each of its shared objects that is instrumented, in XRay's order",
	  0 },
	{ 0 }
};

const struct argp source_argp = { .options = options, .parser = parse };

static error_t parse_trace(int key, char *arg, struct argp_state *state)
{
	struct source *src = state->input;

	if (key != OPT_MERGE)
		return ARGP_ERR_UNKNOWN;
	src->kind = &a_trace;
	src->nr = 0;
	if (append(&src->paths, &src->nr, arg))
		argp_failure(state, EXIT_FAILURE, ENOMEM, "--merge");
	return 0;
}

static const struct argp_option trace_options[] = {
	{ "merge", OPT_MERGE, "TRACE", 0,
	  "Also print the phases (marks) of the ovni trace that an application wrote during the capture",
	  0 },
	{ 0 }
};

const struct argp source_trace_argp = { .options = trace_options, .parser = parse_trace };

int source_open(struct source *src, struct capture *cap, const char *out)
{
	src->merge.name = src->paths[0];
	return src->kind->open(src, cap, out);
}

int source_gives_rights(const struct source *src, const struct stage *stage)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < src->nr; i++)
		ret = stage_made_of(stage, src->paths[i]);
	return ret;
}

int source_watch(struct source *src, struct world *w)
{
	return src->kind->watch ? src->kind->watch(src, w) : 0;
}

int source_prepare(struct source *src, const struct inventory *inventory, const char *out,
		   const char *loom)
{
	return src->kind->prepare ? src->kind->prepare(src, inventory, out, loom) : 0;
}

void source_report(const struct source *src)
{
	if (src->kind->report)
		src->kind->report(src);
	ovni_merge_report(&src->merge);
}

void source_close(struct source *src)
{
	ovni_merge_close(&src->merge);
	xray_app_close(&src->app);
	free(src->paths);
	free(src->maps);
	src->paths = NULL;
}
