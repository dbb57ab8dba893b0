// SPDX-License-Identifier: GPL-2.0-only
/* The metadata of an application's trace, all of it untrusted: see trace.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "trace/find.h"
#include "util/json.h"
#include "util/out.h"
#include "trace/format.h"
#include "merge/read.h"
#include "merge/trace.h"
#include "trace/offsets.h"
#include "util/msg.h"

#define HOSTS_SHOWN	4
#define WINDOW		(256U << 10)	/* bytes read at once */

static int refuse(const struct merge_stream *s, const char *what)
{
	msg_error("%s: %s", s->json, what);
	return -EINVAL;
}

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

static int take_marks(struct merge_trace *tr, const struct merge_stream *s,
		      struct json_object *ovni)
{
	struct json_object *marks;

	if (!json_object_object_get_ex(ovni, "mark", &marks))
		return 0;
	if (!json_object_is_type(marks, json_type_object))
		return refuse(s, "'mark' is not an object");
	json_object_object_foreach(marks, key, val) {
		char *end;
		long type = strtol(key, &end, 10);

		(void)val;
		if (*end || end == key || type < 0 || type >= MERGE_MARKS) {
			msg_error("%s: mark '%s' is no number from 0 to %d", s->json, key,
				  MERGE_MARKS - 1);
			return -EINVAL;
		}
		tr->marks[type] = true;
	}
	return 0;
}

static int take_numbers(struct merge_stream *s, struct json_object *ovni)
{
	if (json_get_s32(s->json, ovni, "pid", &s->pid) ||
	    json_get_s32(s->json, ovni, "tid", &s->tid))
		return -EINVAL;
	if (s->pid <= 0 || s->tid <= 0)
		return refuse(s, "'pid' or 'tid' is not greater than 0");
	if (json_get_s32_optional(s->json, ovni, "app_id", &s->app_id) < 0)
		return -EINVAL;
	if (s->app_id < 0)
		return refuse(s, "'app_id' is not greater than 0");
	s->rank = -1;
	if (!json_object_object_get_ex(ovni, "rank", NULL))
		return 0;
	if (json_get_s32(s->json, ovni, "rank", &s->rank) ||
	    json_get_s32(s->json, ovni, "nranks", &s->nranks))
		return -EINVAL;
	if (s->rank < 0 || s->rank >= s->nranks)
		return refuse(s, "'rank' is not from 0 to 'nranks' - 1");
	return 0;
}

/* Did an application write it? The trace of a capture cannot be merged with another one. */
static int take_lib(const struct merge_stream *s, struct json_object *ovni)
{
	struct json_object *lib = json_get_object(s->json, ovni, "lib");
	const char *commit = lib ? json_get_string(s->json, lib, "commit") : NULL;

	if (!commit)
		return -EINVAL;
	if (!strncmp(commit, OVNI_OUR_COMMIT, sizeof(OVNI_OUR_COMMIT) - 1))
		return refuse(s, "was made from a capture, not written by an application");
	return 0;
}

static int take_thread(struct merge_trace *tr, struct merge_stream *s, struct json_object *ovni)
{
	struct json_object *cpus, *require;
	const char *loom;

	loom = json_get_string(s->json, ovni, "loom");
	require = json_get_object(s->json, ovni, "require");
	if (!loom || !require || take_numbers(s, ovni))
		return -EINVAL;
	if (json_object_object_get_ex(ovni, "loom_cpus", &cpus) &&
	    !json_object_is_type(cpus, json_type_array))
		return refuse(s, "'loom_cpus' is not an array");
	s->loom = strdup(loom);
	return s->loom ? take_marks(tr, s, ovni) : msg_no_memory();
}

/* nosv's breakdown needs this from every thread of a trace. */
static bool take_can_breakdown(struct json_object *root)
{
	struct json_object *nosv, *can;

	return json_object_object_get_ex(root, "nosv", &nosv) &&
	       json_object_object_get_ex(nosv, "can_breakdown", &can) &&
	       json_object_get_boolean(can);
}

/* Return: 1 for the stream of a thread, 0 for another one. */
static int take_root(struct merge_trace *tr, struct merge_stream *s, struct json_object *root)
{
	struct json_object *ovni;
	s32 version, finished;
	const char *part;
	int ret;

	if (json_get_s32(s->json, root, "version", &version))
		return -EINVAL;
	if (version != OVNI_METADATA_VERSION) {
		msg_error("%s: version %d, expected %d", s->json, version, OVNI_METADATA_VERSION);
		return -EINVAL;
	}
	ovni = json_get_object(s->json, root, "ovni");
	part = ovni ? json_get_string(s->json, ovni, "part") : NULL;
	if (!part || json_get_s32_optional(s->json, ovni, "finished", &finished) < 0)
		return -EINVAL;
	if (strcmp(part, "thread"))
		return 0;
	if (!json_object_object_get_ex(ovni, "finished", NULL) || finished != 1)
		return refuse(s, "'finished' is not 1: the thread has not ended its stream");
	s->can_breakdown = take_can_breakdown(root);
	ret = take_lib(s, ovni);
	if (!ret)
		ret = take_thread(tr, s, ovni);
	return ret ? ret : 1;
}

static int take_stream(struct merge_trace *tr, struct merge_stream *s)
{
	struct json_object *root = json_load(s->json);
	int ret;

	if (!root)
		return -EINVAL;
	ret = take_root(tr, s, root);
	json_object_put(root);
	if (!ret)
		msg_warn("%s: is not the stream of a thread, and left out", s->json);
	return ret;
}

/*
 * The first event, after sorting. Unreadable streams must be known before anything of an
 * earlier run is removed, so the whole stream is checked.
 */
static int take_first(struct merge_stream *s)
{
	struct merge_reader r;
	int ret;

	ret = merge_reader_open(&r, s->obs, WINDOW);
	if (!ret)
		ret = merge_reader_next(&r);
	s->empty = !ret;
	s->first = r.ev.clock;
	if (ret > 0)
		ret = merge_reader_check(&r);
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

static int add_stream(struct merge_trace *tr, const char *rel, const char *target)
{
	struct merge_stream *s = &tr->streams[tr->nr++];
	int ret;

	ret = name_stream(s, tr->path, rel);
	if (!ret)
		ret = check_place(s, target);
	if (ret)
		return ret;
	ret = take_stream(tr, s);
	if (ret > 0)
		return take_first(s);
	if (!ret)
		free_stream(&tr->streams[--tr->nr]);
	return ret;
}

static int add_streams(struct merge_trace *tr, const struct ovni_paths *threads, const char *target)
{
	int ret = 0;
	u32 i;

	tr->streams = calloc(threads->n, sizeof(*tr->streams));
	if (!tr->streams)
		return msg_no_memory();
	for (i = 0; i < threads->n && !ret; i++)
		ret = add_stream(tr, threads->path[i], target);
	return ret;
}

static int find_streams(struct merge_trace *tr, const char *target)
{
	struct ovni_paths threads, cpus;
	int ret;

	ret = ovni_find_streams(&threads, &cpus, tr->path);
	if (ret)
		return ret;
	ret = add_streams(tr, &threads, target);
	ovni_paths_free(&threads);
	ovni_paths_free(&cpus);
	return ret;
}

static bool same_host(const char *loom, const char *host)
{
	size_t len = strcspn(host, ".");

	return len && strcspn(loom, ".") == len && !memcmp(loom, host, len);
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
	return tr->nr_ours ? 0 : no_host(tr, host);
}

static int differs(const struct merge_process *p, const struct merge_stream *s, const char *what)
{
	msg_error("%s: '%s' of process %d is another one in %s", s->json, what, s->pid, p->json);
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
	tr->processes = calloc(tr->nr_ours, sizeof(*tr->processes));
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

int merge_trace_open(struct merge_trace *tr, const char *path, const char *host,
		     const char *target)
{
	memset(tr, 0, sizeof(*tr));
	tr->path = strdup(path);
	if (!tr->path)
		return msg_no_memory();
	return find_streams(tr, target) ?:
	       sort_streams(tr, host) ?:
	       check_offsets(tr) ?:
	       sum_up(tr);
}

bool merge_picks(const struct capture *cap, u32 pid)
{
	u32 i;

	for (i = 0; cap->narrow && i < cap->meta.nr_pids; i++) {
		if (cap->meta.pids[i] == pid)
			return true;
	}
	return !cap->narrow;
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
	tr->unpicked = tr->nr - kept;
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
