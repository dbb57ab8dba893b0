// SPDX-License-Identifier: GPL-2.0-only
/* The metadata of an application's trace, all of it untrusted: see trace.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/find.h"
#include "util/out.h"
#include "util/sorted.h"
#include "trace/format.h"
#include "merge/read.h"
#include "merge/stream.h"
#include "merge/trace.h"
#include "trace/offsets.h"
#include "util/msg.h"

#define HOSTS_SHOWN	4
#define WINDOW		(256U << 10)	/* bytes read at once */

/* The output that is replaced must not contain this trace. */
static int check_place(const struct merge_stream *s, const char *target)
{
	size_t len = target ? strlen(target) : 0;
	char *real;
	bool below;

	if (!target)
		return 0;
	real = realpath(s->json, NULL);
	if (!real) {
		msg_error("%s: %s", s->json, strerror(errno));
		return -EINVAL;
	}
	below = !strncmp(real, target, len) && real[len] == '/';
	free(real);
	if (!below)
		return 0;
	msg_error("%s: lies in %s, which is to be replaced: name another output directory",
		  s->json, target);
	return -EINVAL;
}

/*
 * Find the clock of the first event of the sorted stream. Then check all of the stream: if
 * something is wrong in it, the user hears of it before any output is made.
 */
static int take_first(struct merge_stream *s, const struct clock *clock)
{
	struct merge_reader r;
	int ret;

	ret = merge_reader_open(&r, s->obs, s->killed, WINDOW, clock);
	if (!ret)
		ret = merge_reader_next(&r);
	s->empty = !ret;
	s->first = r.ev.clock;
	if (ret > 0)
		ret = merge_reader_check(&r);
	s->cut = r.cut ?: r.in.cut;
	merge_reader_close(&r);
	return ret;
}

static void free_stream(struct merge_stream *s)
{
	free(s->obs);
	free(s->json);
	free(s->loom);
	memset(s, 0, sizeof(*s));
}

static int name_stream(struct merge_stream *s, const char *dir, const char *rel)
{
	char *base = *rel ? out_path(dir, rel) : strdup(dir);

	if (!base)
		return msg_no_memory();
	s->obs = out_path(base, OVNI_STREAM_OBS);
	s->json = out_path(base, OVNI_STREAM_JSON);
	free(base);
	return s->obs && s->json ? 0 : msg_no_memory();
}

static bool same_host(const char *loom, const char *host)
{
	size_t len = host ? strcspn(host, ".") : 0;

	return len && strcspn(loom, ".") == len && !memcmp(loom, host, len);
}

static int add_stream(struct merge_trace *tr, const char *rel, const char *host,
		      const char *target)
{
	struct merge_stream *s = &tr->streams[tr->nr++];
	int ret;

	ret = name_stream(s, tr->path, rel);
	if (!ret)
		ret = check_place(s, target);
	if (ret)
		return ret;
	ret = merge_stream_take(tr, s);
	if (ret > 0 && tr->clock && !same_host(s->loom, host))
		return 0;
	if (ret > 0)
		return take_first(s, tr->clock);
	if (!ret)
		free_stream(&tr->streams[--tr->nr]);
	return ret;
}

static int add_streams(struct merge_trace *tr, const struct ovni_paths *threads, const char *host,
		       const char *target)
{
	int ret = 0;
	u32 i;

	tr->streams = calloc(threads->n, sizeof(*tr->streams));
	if (!tr->streams)
		return msg_no_memory();
	for (i = 0; i < threads->n && !ret; i++)
		ret = add_stream(tr, threads->path[i], host, target);
	return ret;
}

static int find_streams(struct merge_trace *tr, const char *host, const char *target)
{
	struct ovni_paths threads, cpus;
	int ret;

	ret = ovni_find_streams(&threads, &cpus, tr->path);
	if (ret)
		return ret;
	ret = add_streams(tr, &threads, host, target);
	ovni_paths_free(&threads);
	ovni_paths_free(&cpus);
	return ret;
}

/* No loom is of that host: list the hosts. */
static int no_host(const struct merge_trace *tr, const char *host)
{
	char names[512] = "";
	u32 i, named = 0;

	for (i = 0; i < tr->nr && named < HOSTS_SHOWN; i++) {
		const char *loom = tr->streams[i].loom;
		size_t len = strlen(names);

		if (i && same_host(loom, tr->streams[i - 1].loom))
			continue;
		snprintf(names + len, sizeof(names) - len, "%s%.*s", named ? ", " : "",
			 (int)strcspn(loom, ".") < 64 ? (int)strcspn(loom, ".") : 64, loom);
		named++;
	}
	msg_error("%s: was written on %s%s, the capture on %.*s: there is nothing to merge",
		  tr->path, names, named == HOSTS_SHOWN ? " ..." : "", (int)strcspn(host, "."),
		  host);
	return -EINVAL;
}

static int compare(const void *a, const void *b)
{
	const struct merge_stream *x = a, *y = b;
	int order;

	if (x->ours != y->ours)
		return x->ours ? -1 : 1;
	order = x->ours ? 0 : strcmp(x->loom, y->loom);
	if (order)
		return order;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int sort_streams(struct merge_trace *tr, const char *host)
{
	u32 i;

	tr->can_breakdown = true;
	for (i = 0; i < tr->nr; i++) {
		struct merge_stream *s = &tr->streams[i];

		s->ours = same_host(s->loom, host);
		tr->nr_ours += s->ours;
		tr->can_breakdown &= s->can_breakdown;
	}
	if (tr->nr)
		qsort(tr->streams, tr->nr, sizeof(*tr->streams), compare);
	for (i = 1; i < tr->nr; i++) {
		const struct merge_stream *s = &tr->streams[i];

		if (compare(s - 1, s))
			continue;
		msg_error("%s: thread %d of process %d has another stream, %s", s->json, s->tid,
			  s->pid, s[-1].json);
		return -EINVAL;
	}
	return tr->nr_ours || !host ? 0 : no_host(tr, host);
}

static int differs(const struct merge_process *p, const struct merge_stream *s, const char *what)
{
	msg_error("%s: \"%s\" of process %d is another one in %s", s->json, what, s->pid, p->json);
	return -EINVAL;
}

static int add_to_process(struct merge_trace *tr, const struct merge_stream *s)
{
	struct merge_process *p = &tr->processes[tr->nr_processes - (tr->nr_processes > 0)];

	if (!tr->nr_processes || p->pid != s->pid) {
		p = &tr->processes[tr->nr_processes++];
		p->pid = s->pid;
		p->rank = -1;
		p->json = s->json;
	}
	if (s->app_id && p->app_id && s->app_id != p->app_id)
		return differs(p, s, "app_id");
	if (s->app_id)
		p->app_id = s->app_id;
	if (s->rank < 0)
		return 0;
	if (p->rank >= 0 && (p->rank != s->rank || p->nranks != s->nranks))
		return differs(p, s, "rank");
	p->rank = s->rank;
	p->nranks = s->nranks;
	tr->ranks = true;
	return 0;
}

static int sum_up(struct merge_trace *tr)
{
	int ret = 0;
	u32 i;

	tr->first = OVNI_CLOCK_MAX;
	tr->next_app = 1;
	tr->processes = calloc(tr->nr_ours + 1, sizeof(*tr->processes));
	if (!tr->processes)
		return msg_no_memory();
	for (i = 0; i < tr->nr && !ret; i++) {
		const struct merge_stream *s = &tr->streams[i];

		if (s->rank >= 0 && s->nranks > tr->next_rank)
			tr->next_rank = s->nranks;
		if (s->app_id >= tr->next_app)
			tr->next_app = (s64)s->app_id + 1;
		if (!s->ours)
			continue;
		ret = add_to_process(tr, s);
		if (!s->empty && s->first < tr->first)
			tr->first = s->first;
	}
	return ret;
}

/* It is copied, and upstream reads the copy. */
static int check_offsets(const struct merge_trace *tr)
{
	char *path = out_path(tr->path, OVNI_OFFSETS_FILE);
	struct ovni_offsets table;
	int ret = 0;
	u32 i;

	if (!path)
		return msg_no_memory();
	if (!access(path, F_OK)) {
		ret = ovni_offsets_load(&table, path);
		for (i = 0; i < tr->nr && !ret; i++)
			ovni_offsets_find(&table, tr->streams[i].loom);
		if (!ret)
			ret = ovni_offsets_check(&table);
		ovni_offsets_free(&table);
	}
	free(path);
	return ret;
}

/* Numbers of applications and ranks are above theirs. */
static void leave_out_others(struct merge_trace *tr)
{
	u32 i;

	for (i = tr->nr_ours; i < tr->nr; i++)
		free_stream(&tr->streams[i]);
	tr->nr = tr->nr_ours;
}

int merge_trace_open(struct merge_trace *tr, const char *path, const char *host,
		     const struct clock *clock, const char *target)
{
	int ret;

	memset(tr, 0, sizeof(*tr));
	tr->clock = clock;
	tr->path = strdup(path);
	if (!tr->path)
		return msg_no_memory();
	ret = find_streams(tr, host, target) ?:
	      sort_streams(tr, host) ?:
	      check_offsets(tr) ?:
	      sum_up(tr);
	if (!ret && clock)
		leave_out_others(tr);
	return ret;
}

bool merge_trace_has(const struct merge_trace *tr, const char *host)
{
	u32 i;

	for (i = 0; i < tr->nr; i++) {
		if (same_host(tr->streams[i].loom, host))
			return true;
	}
	return false;
}

void merge_trace_leave_out(struct merge_trace *tr, const char *host)
{
	u32 i, kept = 0;

	for (i = 0; i < tr->nr; i++) {
		if (same_host(tr->streams[i].loom, host))
			free_stream(&tr->streams[i]);
		else
			tr->streams[kept++] = tr->streams[i];
	}
	tr->unpicked += tr->nr - kept;
	tr->nr = kept;
}

bool merge_picks(const struct capture *cap, u32 pid)
{
	return !cap->narrow || sorted_has(cap->meta.pids, cap->meta.nr_pids, pid);
}

int merge_trace_pick(struct merge_trace *tr, const struct capture *cap)
{
	u32 i, kept = 0;

	if (!cap->narrow)
		return 0;
	for (i = 0; i < tr->nr; i++) {
		if (tr->streams[i].ours && merge_picks(cap, tr->streams[i].pid))
			tr->streams[kept++] = tr->streams[i];
		else
			free_stream(&tr->streams[i]);
	}
	tr->unpicked += tr->nr - kept;
	tr->nr = kept;
	tr->nr_ours = kept;
	tr->ranks = false;
	tr->next_rank = 0;
	free(tr->processes);
	tr->processes = NULL;
	tr->nr_processes = 0;
	if (kept)
		return sum_up(tr);
	msg_error("%s: has no thread of the wanted processes: there is nothing to merge", tr->path);
	return -EINVAL;
}

struct merge_process *merge_trace_process(const struct merge_trace *tr, u32 pid)
{
	u32 low = 0, high = tr->nr_processes;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if ((u32)tr->processes[mid].pid == pid)
			return &tr->processes[mid];
		if ((u32)tr->processes[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

void merge_trace_close(struct merge_trace *tr)
{
	u32 i;

	for (i = 0; tr->streams && i < tr->nr; i++)
		free_stream(&tr->streams[i]);
	free(tr->streams);
	free(tr->processes);
	free(tr->path);
	memset(tr, 0, sizeof(*tr));
}
