// SPDX-License-Identifier: GPL-2.0-only
/* FDR logs of programs, opened and put in order: see app.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/compare.h"
#include "util/msg.h"
#include "merge/app.h"
#include "merge/trace.h"

/* Do the stamps of the capture count the TSC? */
static int check_clock(const struct capture *cap)
{
	if (cap->clock.source == CLOCK_SOURCE_TSC)
		return 0;
	msg_error("%s: its stamps are CLOCK_MONOTONIC, those of XRay the TSC: record with the module, or with BPF while the module is loaded",
		  cap->dir);
	return -EINVAL;
}

static void see_time(struct xray_app_log *log, u64 tsc)
{
	if (tsc < log->low)
		log->low = tsc;
	if (tsc > log->high)
		log->high = tsc;
}

static void list_part(struct xray_app *app, u32 i, u32 t)
{
	const struct xray_log *log = &app->logs[i].log;
	const struct xray_thread *thread = &log->threads[t];
	struct xray_part *part;

	if (thread->tid <= 0 || thread->pid < 0) {
		app->stats.nobody++;
		return;
	}
	part = &app->parts[app->nr_parts++];
	part->pid = thread->pid;
	part->tid = thread->tid;
	part->tsc = log->buffers[thread->first].tsc;
	see_time(&app->logs[i], part->tsc);
	see_time(&app->logs[i], log->buffers[thread->first + thread->nr - 1].tsc);
	part->log = i;
	part->thread = t;
	if (!part->pid)
		app->tids[app->who.nr_tids++] = part->tid;
}

/* The threads of all logs; those whose process must be found go to @app->tids, too. */
static int list_parts(struct xray_app *app)
{
	u64 total = 0;
	u32 i, t;

	for (i = 0; i < app->nr_logs; i++)
		total += app->logs[i].log.nr_threads;
	app->parts = calloc(total + 1, sizeof(*app->parts));
	app->tids = calloc(total + 1, sizeof(*app->tids));
	if (!app->parts || !app->tids)
		return msg_no_memory();
	for (i = 0; i < app->nr_logs; i++) {
		for (t = 0; t < app->logs[i].log.nr_threads; t++)
			list_part(app, i, t);
	}
	qsort(app->tids, app->who.nr_tids, sizeof(*app->tids), compare_u32s);
	app->who.tids = app->tids;
	return 0;
}

static int open_logs(struct xray_app *app, const char *const *paths, u32 nr)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		app->logs[i].low = ~0ULL;
		app->nr_logs++;
		ret = xray_log_open(&app->logs[i].log, paths[i]);
		app->damaged |= app->logs[i].log.breaks > 0;
		if (!ret && app->logs[i].log.header.ours) {
			msg_error("%s: was made from a capture, not written by a program",
				  paths[i]);
			ret = -EINVAL;
		}
	}
	return ret;
}

static int open_maps(struct xray_app *app, const char *const *maps, u32 nr)
{
	struct xray_binary *bin;
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		bin = &app->binaries[app->nr_binaries++];
		bin->path = strdup(maps[i]);
		if (!bin->path)
			return msg_no_memory();
		if (app->ops)
			ret = app->ops->open(&bin->names, bin->path, msg_error);
	}
	return ret;
}

int xray_app_open(struct xray_app *app, struct capture *cap, const char *const *paths, u32 nr,
		  const char *const *maps, u32 nr_maps)
{
	int ret;

	app->cap = cap;
	ret = check_clock(cap);
	if (ret)
		return ret;
	app->logs = calloc(nr, sizeof(*app->logs));
	app->binaries = calloc(nr + nr_maps, sizeof(*app->binaries));
	app->nr_objects = nr_maps ? nr_maps : 1;
	if (!app->logs || !app->binaries)
		return msg_no_memory();
	ret = open_logs(app, paths, nr);
	if (!ret)
		ret = list_parts(app);
	return ret ?: open_maps(app, maps, nr_maps);
}

/* The process of each thread: from the log, else the capture, else a thread of the same log. */
static void find_processes(struct xray_app *app)
{
	u32 i;

	for (i = 0; i < app->nr_parts; i++) {
		struct xray_part *part = &app->parts[i];
		struct xray_app_log *log = &app->logs[part->log];

		if (!part->pid)
			part->pid = xray_who_pid(&app->who, part->tid, part->tsc);
		if (part->pid && !log->pid)
			log->pid = part->pid;
	}
	for (i = 0; i < app->nr_parts; i++) {
		struct xray_part *part = &app->parts[i];

		if (!part->pid)
			part->pid = app->logs[part->log].pid;
		if (!part->pid)
			part->pid = part->tid;
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct xray_part *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

/* Threads that are not in the capture are skipped: a log may contain any number. */
static int keep_known(struct xray_app *app, const struct inventory *inventory)
{
	u32 i, nr = 0, total = app->nr_parts;

	for (i = 0; i < total; i++) {
		struct xray_app_log *log = &app->logs[app->parts[i].log];

		log->threads++;
		if (!merge_picks(app->cap, app->parts[i].pid) ||
		    inventory_find(inventory, app->parts[i].pid, app->parts[i].tid) < 0)
			continue;
		log->known++;
		app->parts[nr++] = app->parts[i];
	}
	app->nr_parts = nr;
	if (!total) {
		msg_error("%s: has no buffer: there is nothing to merge", app->logs[0].log.path);
		return -ENODATA;
	}
	/* Of a part with some processes, other logs are left out. */
	for (i = 0; i < app->nr_logs && !(app->cap->narrow && nr); i++) {
		if (app->logs[i].known || !app->logs[i].threads)
			continue;
		msg_error("%s: the capture has none of its threads: it is from another run, or only other processes were recorded",
			  app->logs[i].log.path);
		return -EINVAL;
	}
	return 0;
}

/* Newer than the capture: an inode may be rewritten. */
static bool is_newer(const struct stat *st, const char *capture)
{
	char path[PATH_MAX];
	struct stat meta;

	if (snprintf(path, sizeof(path), "%s/meta.json", capture) >= (int)sizeof(path) ||
	    stat(path, &meta))
		return false;
	return st->st_mtime > meta.st_mtime;
}

/* The binary that the capture names, if the file here is the same; else NULL (reported). */
static const char *find_binary(const struct xray_app *app, const struct xray_app_log *log,
			       u64 tsc, struct stat *st)
{
	const struct xray_exec *exec = xray_who_exec(&app->who, log->pid, tsc);
	const char *path = log->log.path;

	if (!exec) {
		msg_warn("%s: functions are shown by number: the capture does not say which binary process %u runs; --instr-map names it",
			 path, log->pid);
		return NULL;
	}
	if (stat(exec->path, st) || !S_ISREG(st->st_mode) || st->st_ino != exec->ino) {
		msg_warn("%s: functions are shown by number: %s is not here, or not the file that process %u ran; --instr-map names it",
			 path, exec->path, log->pid);
		return NULL;
	}
	if (is_newer(st, app->cap->dir)) {
		msg_warn("%s: functions are shown by number: %s was written after the capture; --instr-map names it all the same",
			 path, exec->path);
		return NULL;
	}
	return exec->path;
}

static int choose_binary(struct xray_app *app, struct xray_app_log *log, u64 tsc)
{
	struct stat st = { 0 };
	const char *path = find_binary(app, log, tsc, &st);
	struct xray_binary *bin;
	u32 i;

	for (i = 0; path && i < app->nr_binaries; i++) {
		bin = &app->binaries[i];
		if (bin->path && bin->dev == st.st_dev && bin->ino == st.st_ino) {
			log->binary = i;
			return 0;
		}
	}
	log->binary = app->nr_binaries;
	bin = &app->binaries[app->nr_binaries++];
	if (!path)
		return 0;
	bin->path = strdup(path);
	if (!bin->path)
		return msg_no_memory();
	bin->dev = st.st_dev;
	bin->ino = st.st_ino;
	if (!app->ops)
		return 0;
	return app->ops->open(&bin->names, bin->path, msg_warn) == -ENOMEM ? -ENOMEM : 0;
}

static int choose_binaries(struct xray_app *app)
{
	int ret = 0;
	u32 i;

	if (app->nr_binaries)
		return 0;
	for (i = 0; i < app->nr_logs && !ret; i++) {
		struct xray_app_log *log = &app->logs[i];

		if (!log->known)
			continue;
		ret = choose_binary(app, log, log->log.buffers[log->log.threads[0].first].tsc);
	}
	return ret;
}

static int write_streams(struct xray_app *app, const char *dir, const char *host)
{
	u32 i, nr;
	int ret = 0;

	for (i = 0; i < app->nr_parts && !ret; i += nr) {
		const struct xray_part *part = &app->parts[i];

		nr = 1;
		while (i + nr < app->nr_parts && part[nr].pid == part->pid &&
		       part[nr].tid == part->tid)
			nr++;
		ret = xray_stream_write(app, part, nr, dir, host);
	}
	return ret;
}

/* Known only after all was read. */
/* One or two damaged numbers do not prove it. */
static int check_binaries(const struct xray_app *app)
{
	u32 i;

	for (i = 0; i < app->nr_logs; i++) {
		const struct xray_app_log *log = &app->logs[i];

		if (log->foreign <= log->calls / 10)
			continue;
		msg_error("%s: %llu of %llu calls are of functions that %s does not have: it is from another binary",
			  log->log.path, log->foreign, log->calls,
			  app->binaries[log->binary].path);
		return -EINVAL;
	}
	return 0;
}

static int check_times(const struct xray_app *app)
{
	const struct capture *cap = app->cap;
	u32 i;

	for (i = 0; i < app->nr_logs; i++) {
		const struct xray_app_log *log = &app->logs[i];

		if (!log->threads || (log->low <= cap->end && log->high >= cap->begin))
			continue;
		msg_error("%s: its clock goes from %llu to %llu, the TSC of the capture from %llu to %llu: it is from another run, or XRay did not use the TSC",
			  log->log.path, log->low, log->high, cap->begin, cap->end);
		return -EINVAL;
	}
	return 0;
}

int xray_app_write(struct xray_app *app, const struct inventory *inventory, const char *dir,
		   const char *host)
{
	find_processes(app);
	qsort(app->parts, app->nr_parts, sizeof(*app->parts), compare_parts);
	return keep_known(app, inventory) ?:
	       choose_binaries(app) ?:
	       write_streams(app, dir, host) ?:
	       check_times(app) ?:
	       check_binaries(app);
}

void xray_app_close(struct xray_app *app)
{
	u32 i;

	for (i = 0; i < app->nr_logs; i++)
		xray_log_close(&app->logs[i].log);
	for (i = 0; i < app->nr_binaries; i++) {
		if (app->ops)
			app->ops->close(&app->binaries[i].names);
		free(app->binaries[i].path);
	}
	xray_who_free(&app->who);
	free(app->logs);
	free(app->binaries);
	free(app->parts);
	free(app->tids);
	memset(app, 0, sizeof(*app));
}
