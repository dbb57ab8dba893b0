// SPDX-License-Identifier: GPL-2.0-only
/* Trace directories as the source of events. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/clocks.h"
#include "emu/core.h"
#include "emu/meta.h"
#include "util/out.h"
#include "emu/player.h"
#include "trace/find.h"
#include "trace/offsets.h"
#include "trace/stream.h"
#include "util/msg.h"

#define WINDOW_TOTAL	(16u << 20)	/* bytes, over all streams */
#define WINDOW_MIN	(4u << 10)
#define WINDOW_MAX	(256u << 10)
#define CLOCK_GATE	(3600ll * 1000 * 1000 * 1000)

/**
 * struct trace_stream - One stream.
 * @obs: its events
 * @path: name of stream.obs
 * @trace: which of the directories it is in
 * @of_cpu: it is a CPU's
 * @direct: its events are a thread's, and are emulated as they are
 * @offset: what to add to its clocks
 * @clock: clock of the current event, with @offset
 * @meta: its stream.json
 */
struct trace_stream {
	struct ovni_stream obs;
	char *path;
	u32 trace;
	bool of_cpu;
	bool direct;
	s64 offset;
	s64 clock;
	struct emu_meta meta;
};

/**
 * struct emu_trace - Some traces.
 * @emu: the emulator it feeds
 * @dirs: their directories
 * @ndirs: how many
 * @stream: their streams by directory and path, in each those of threads before those of CPUs
 * @n: how many
 * @player: streams that have a next event
 * @events: that were emulated
 * @debug: each event is printed
 */
struct emu_trace {
	struct emu *emu;
	const char *const *dirs;
	u32 ndirs;
	struct trace_stream *stream;
	u32 n;
	struct player player;
	u64 events;
	bool debug;
};

static int stream_paths(struct trace_stream *s, const char *dir, const char *rel)
{
	char *base = *rel ? out_path(dir, rel) : strdup(dir);

	if (!base)
		return msg_no_memory();
	s->path = out_path(base, s->of_cpu ? OVNI_CPU_OBS : OVNI_STREAM_OBS);
	s->meta.path = out_path(base, s->of_cpu ? OVNI_CPU_JSON : OVNI_STREAM_JSON);
	free(base);
	return s->path && s->meta.path ? 0 : msg_no_memory();
}

static int trace_add(struct emu_trace *tr, u32 trace, const struct ovni_paths *paths, bool cpu)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < paths->n && !ret; i++) {
		struct trace_stream *s = &tr->stream[tr->n++];

		s->trace = trace;
		s->of_cpu = cpu;
		s->meta.trace = tr->dirs[trace];
		ret = stream_paths(s, tr->dirs[trace], paths->path[i]);
	}
	return ret;
}

static int trace_find(struct emu_trace *tr, u32 trace)
{
	struct ovni_paths threads, cpus;
	struct trace_stream *grown;
	size_t n;
	int ret;

	ret = ovni_find_streams(&threads, &cpus, tr->dirs[trace]);
	if (ret)
		return ret;
	n = (size_t)threads.n + cpus.n;
	grown = realloc(tr->stream, (tr->n + n) * sizeof(*grown));
	ret = grown ? 0 : msg_no_memory();
	if (grown) {
		memset(grown + tr->n, 0, n * sizeof(*grown));
		tr->stream = grown;
	}
	if (!ret)
		ret = trace_add(tr, trace, &threads, false);
	if (!ret)
		ret = trace_add(tr, trace, &cpus, true);
	ovni_paths_free(&threads);
	ovni_paths_free(&cpus);
	return ret;
}

/* Threads' streams are first: they describe the system, streams of CPUs do not. */
static int trace_meta(struct emu_trace *tr)
{
	struct json_object *unknown = json_object_new_object();
	s32 apps = 0, next = 0;
	int ret = 0;
	u32 i;

	if (!unknown)
		return msg_no_memory();
	for (i = 0; i < tr->n && !ret; i++) {
		struct trace_stream *s = &tr->stream[i];

		if (i && s->trace != s[-1].trace)
			apps = next;
		s->meta.apps = apps;
		if (s->of_cpu)
			ret = emu_meta_load_cpu(tr->emu, &s->meta);
		else
			ret = emu_meta_load(tr->emu, &s->meta, unknown);
		if (!ret && s->meta.thread && s->meta.thread->proc->app_id > next)
			next = s->meta.thread->proc->app_id;
	}
	json_object_put(unknown);
	return ret;
}

/* Declare marks in the order of the rows, not of the paths. */
static int trace_marks(struct emu_trace *tr)
{
	const struct system *sys = &tr->emu->sys;
	const struct emu_meta **by_row;
	int ret = 0;
	u32 i;

	by_row = calloc(sys->nthreads, sizeof(*by_row));
	if (!by_row)
		return msg_no_memory();
	for (i = 0; i < tr->n; i++) {
		const struct emu_meta *meta = &tr->stream[i].meta;

		if (meta->thread)
			by_row[meta->thread->row] = meta;
	}
	for (i = 0; i < sys->nthreads && !ret; i++) {
		if (by_row[i])
			ret = emu_meta_marks(tr->emu, by_row[i]);
	}
	free(by_row);
	return ret;
}

/* To the looms of the directories from @first to before @end. */
static int trace_apply_offsets(struct emu_trace *tr, struct ovni_offsets *table, u32 first, u32 end)
{
	bool all = !first && end == tr->ndirs;
	const struct ovni_offset *found = NULL;
	struct emu_loom *loom = NULL;
	u32 i;

	for (i = 0; i < tr->n; i++) {
		struct trace_stream *s = &tr->stream[i];

		if (!s->meta.loom || s->trace < first || s->trace >= end)
			continue;
		if (s->meta.loom != loom) {
			loom = s->meta.loom;
			found = ovni_offsets_of(table, loom->name);
			/* A table of one of several traces does not tell of the others. */
			loom->synced = found && all;
			loom->offset = found ? found->ns : 0;
		}
	}
	return ovni_offsets_check(table);
}

static int trace_load_offsets(struct emu_trace *tr, const char *file, u32 first, u32 end)
{
	struct ovni_offsets table;
	int ret;

	ret = ovni_offsets_load(&table, file);
	if (!ret)
		ret = trace_apply_offsets(tr, &table, first, end);
	ovni_offsets_free(&table);
	return ret;
}

/* Return: 1 if there is a table, 0, a negative errno. */
static int trace_own_offsets(struct emu_trace *tr, u32 trace)
{
	char *own = out_path(tr->dirs[trace], OVNI_OFFSETS_FILE);
	int ret = 0;

	if (!own)
		return msg_no_memory();
	if (!access(own, F_OK))
		ret = trace_load_offsets(tr, own, trace, trace + 1) ?: 1;
	free(own);
	return ret;
}

static int trace_find_offsets(struct emu_trace *tr, const char *file)
{
	int ret = 0, tables = 0;
	u32 i;

	if (file)
		return trace_load_offsets(tr, file, 0, tr->ndirs);
	for (i = 0; i < tr->ndirs && ret >= 0; i++) {
		ret = trace_own_offsets(tr, i);
		tables += ret > 0;
	}
	if (ret < 0)
		return ret;
	return tables ? 0 : clocks_align(&tr->emu->sys);
}

static int trace_offsets(struct emu_trace *tr, const char *file)
{
	int ret = trace_find_offsets(tr, file);
	u32 i;

	for (i = 0; i < tr->n; i++) {
		const struct emu_loom *loom = tr->stream[i].meta.loom;

		tr->stream[i].offset = loom ? loom->offset : 0;
	}
	return ret;
}

static int stream_fail(const struct trace_stream *s, const char *reason)
{
	const struct ovni_ev *ev = &s->obs.ev;
	char mcv[OVNI_MCV_TEXT];

	msg_error("%s: offset %llu: event %s at clock %llu: %s", s->path,
		  (unsigned long long)s->obs.offset, ovni_mcv_text(mcv, ev->mcv),
		  (unsigned long long)ev->clock, reason);
	return -EINVAL;
}

/* Read the next event and its corrected clock; 1 if there is one, 0 at the end. */
static inline int stream_advance(struct trace_stream *s)
{
	int ret;

	ret = ovni_stream_next(&s->obs);
	if (unlikely(ret <= 0))
		return ret;
	/* Both are below 2^63 in size, so only one direction can overflow. */
	if (unlikely(__builtin_add_overflow((s64)s->obs.ev.clock, s->offset, &s->clock)))
		return stream_fail(s, "the clock with its offset is out of range");
	return 1;
}

static int stream_gate(const struct trace_stream *s, const struct trace_stream *first)
{
	s64 a = first->clock;
	s64 b = s->clock;
	u64 gate = a > b ? (u64)a - (u64)b : (u64)b - (u64)a;

	if (gate <= CLOCK_GATE)
		return 0;
	msg_error("%s: offset %llu: large clock gate: the first event is %llu s away from that of %s, more than one hour",
		  s->path, (unsigned long long)s->obs.offset,
		  (unsigned long long)(gate / 1000000000), first->path);
	return -EINVAL;
}

/* Check a stream that has events. The first event of a CPU may be hours late. */
static int stream_admit(const struct trace_stream *s, const struct trace_stream **first)
{
	if (s->meta.cpu)
		return 0;
	if (!s->meta.thread)
		return stream_fail(s, "event of a stream that is not a thread's");
	*first = *first ? *first : s;
	return stream_gate(s, *first);
}

static u32 trace_window(u32 streams)
{
	u32 window = WINDOW_TOTAL / streams;

	if (window < WINDOW_MIN)
		return WINDOW_MIN;
	return window > WINDOW_MAX ? WINDOW_MAX : window;
}

static int trace_streams(struct emu_trace *tr)
{
	const struct trace_stream *first = NULL;
	u32 window = trace_window(tr->n);
	u32 i;
	int ret;

	if (player_init(&tr->player, tr->n))
		return msg_no_memory();
	for (i = 0; i < tr->n; i++) {
		struct trace_stream *s = &tr->stream[i];

		ret = ovni_stream_open(&s->obs, s->path, window);
		if (ret)
			return ret;
		ret = stream_advance(s);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		ret = stream_admit(s, &first);
		if (ret)
			return ret;
		s->direct = s->meta.thread && !s->offset && !tr->debug;
		player_push(&tr->player, s->clock, s);
	}
	return 0;
}

static int trace_load(struct emu_trace *tr, const char *offsets)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < tr->ndirs && !ret; i++)
		ret = trace_find(tr, i);
	if (!ret)
		ret = trace_meta(tr);
	if (!ret)
		ret = trace_offsets(tr, offsets);
	if (ret)
		return ret;
	clocks_warn(&tr->emu->sys);
	if (system_sort(tr->emu)) {
		msg_error("%s: %s", tr->dirs[0], emu_reason(tr->emu));
		return -EINVAL;
	}
	return trace_marks(tr) ?: trace_streams(tr);
}

struct emu_trace *emu_trace_open(struct emu *emu, const char *const *dirs, u32 n,
				 const char *offsets)
{
	struct emu_trace *tr = calloc(1, sizeof(*tr));

	if (!tr) {
		msg_no_memory();
		return NULL;
	}
	tr->emu = emu;
	tr->debug = emu->options & EMU_DEBUG;
	tr->dirs = dirs;
	tr->ndirs = n;
	if (trace_load(tr, offsets)) {
		emu_trace_close(tr);
		return NULL;
	}
	return tr;
}

static void print_event(const struct trace_stream *s)
{
	const struct ovni_ev *ev = &s->obs.ev;

	msg_info("%lld %.3s %u bytes, %s", s->clock, (const char *)ev->mcv, ev->size, s->path);
}

/* The event of a CPU, one with an offset, or one to print. */
static int trace_event(struct emu_trace *tr, struct trace_stream *s)
{
	/* The stream itself must keep the clock it has in the file. */
	struct ovni_ev ev = s->obs.ev;

	if (tr->debug)
		print_event(s);
	ev.clock = (u64)s->clock;
	if (s->meta.thread)
		return emu_event(tr->emu, s->meta.thread, &ev);
	return emu_cpu_event(tr->emu, s->meta.cpu, &ev);
}

/* Emulate events of a stream until another stream has an earlier one. */
static int trace_run(struct emu_trace *tr, struct trace_stream *s)
{
	int ret;

	do {
		if (likely(s->direct))
			ret = emu_event(tr->emu, s->meta.thread, &s->obs.ev);
		else
			ret = trace_event(tr, s);
		if (unlikely(ret)) {
			/* What cannot be written, and has said so, is not the stream's fault. */
			if (ret != -EIO)
				stream_fail(s, emu_reason(tr->emu));
			return ret;
		}
		tr->events++;
		ret = stream_advance(s);
		if (unlikely(ret <= 0))
			return ret;
	} while (player_is_next(&tr->player, s->clock));
	player_push(&tr->player, s->clock, s);
	return 0;
}

int emu_trace_play(struct emu_trace *tr)
{
	struct trace_stream *s;
	int ret;

	while ((s = player_pop(&tr->player))) {
		ret = trace_run(tr, s);
		if (ret)
			return ret;
	}
	return 0;
}

void emu_trace_report(const struct emu_trace *tr)
{
	const struct emu *emu = tr->emu;
	char models[256] = "";
	size_t len = 0;
	int i;

	for (i = 0; i < EMU_NR_MODELS && len < sizeof(models); i++) {
		const struct model_run *run = &emu->run[i];

		if (run->on)
			len += snprintf(models + len, sizeof(models) - len, "%s%s %u.%u",
					len ? ", " : "", run->model->name, run->model->major,
					run->model->minor);
	}
	msg_info("%llu events of %u streams; models: %s", tr->events, tr->n, models);
}

void emu_trace_close(struct emu_trace *tr)
{
	u32 i;

	if (!tr)
		return;
	for (i = 0; i < tr->n; i++) {
		struct trace_stream *s = &tr->stream[i];

		ovni_stream_close(&s->obs);
		emu_meta_free(&s->meta);
		free(s->path);
	}
	player_free(&tr->player);
	free(tr->stream);
	free(tr);
}
