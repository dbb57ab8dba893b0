// SPDX-License-Identifier: GPL-2.0-only
/* The source to merge, of either kind: see source.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "merge/source.h"
#include "output/ovni/tree.h"
#include "util/msg.h"

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
	struct stat one, other;

	if (stat(trace, &one) || stat(out, &other) || one.st_dev != other.st_dev ||
	    one.st_ino != other.st_ino)
		return 0;
	msg_error("%s: is the trace to merge: name another directory for the outputs", out);
	return -EINVAL;
}

static int open_trace(struct source *src, struct capture *cap, const char *out)
{
	char path[PATH_MAX], *real;

	if (refuse_itself(src->paths[0], out))
		return -EINVAL;
	real = realpath(out, NULL);
	if (!real) {
		msg_error("%s: %s", out, strerror(errno));
		return -EINVAL;
	}
	snprintf(path, sizeof(path), "%s/ovni", real);
	free(real);
	return merge_trace_open(&src->merge.trace, src->paths[0], cap->meta.host, path);
}

static int open_logs(struct source *src, struct capture *cap, const char *out)
{
	(void)out;
	src->app.ops = src->names;
	return xray_app_open(&src->app, cap, src->paths, src->nr, src->instr_map);
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
		ret = merge_trace_open(tr, src->dir, loom, NULL);
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

int source_add(struct source *src, const char *path)
{
	struct stat st;
	bool trace = !stat(path, &st) && S_ISDIR(st.st_mode);
	const struct source_kind *kind = trace ? &a_trace : &some_logs;
	const char **paths;

	if (src->kind && src->kind != kind)
		return -EINVAL;
	src->kind = kind;
	if (trace)
		src->nr = 0;
	paths = realloc(src->paths, (src->nr + 1) * sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	paths[src->nr++] = path;
	src->paths = paths;
	return 0;
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
		src->instr_map = arg;
		return 0;
	case ARGP_KEY_END:
		if (src->instr_map && src->kind != &some_logs)
			argp_error(state, "--instr-map without an XRay log to --merge");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{ "merge", OPT_MERGE, "TRACE", 0,
	  "Merge the ovni trace that an application wrote during the capture; or an XRay FDR log, more than once if there are several",
	  0 },
	{ "instr-map", OPT_INSTR_MAP, "FILE", 0,
	  "Binary that wrote the logs, for the names of its functions", 0 },
	{ 0 }
};

const struct argp source_argp = { .options = options, .parser = parse };

int source_open(struct source *src, struct capture *cap, const char *out)
{
	src->merge.name = src->paths[0];
	return src->kind->open(src, cap, out);
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
	if (src->dir[0] && tree_remove(src->dir))
		msg_warn("%s: may be removed", src->dir);
	src->dir[0] = '\0';
	free(src->paths);
	src->paths = NULL;
}
