// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ovni trace: one directory per thread, and one per CPU that has events.
 * Buffers and open files are bounded whatever the number of threads; a stream is
 * referred to only by its index.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "output/ovni/metadata.h"
#include "output/ovni/writer.h"
#include "util/file.h"
#include "util/msg.h"
#include "util/out.h"

#define NAME_MAX_LEN	64
#define BUFFER_FIRST	256

/* Number of the CPU whose stream it is, as the kernel counts. */
static u32 cpu_of(const struct ovni_writer *wr, u32 stream)
{
	return wr->world->cpus[stream - wr->inventory->nr_threads].nr;
}

static const char *obs_of(const struct ovni_writer *wr, u32 stream)
{
	return ovni_writer_is_cpu(wr, stream) ? OVNI_CPU_OBS : OVNI_STREAM_OBS;
}

static const char *json_of(const struct ovni_writer *wr, u32 stream)
{
	return ovni_writer_is_cpu(wr, stream) ? OVNI_CPU_JSON : OVNI_STREAM_JSON;
}

/* The directory of a stream, followed by @file unless that is empty. */
static void name_of(const struct ovni_writer *wr, u32 stream, const char *file, char *name)
{
	const char *slash = *file ? "/" : "";
	const struct inventory_thread *who;

	if (ovni_writer_is_cpu(wr, stream)) {
		snprintf(name, NAME_MAX_LEN, "cpu.%u%s%s", cpu_of(wr, stream), slash, file);
		return;
	}
	who = &wr->inventory->threads[stream];
	snprintf(name, NAME_MAX_LEN, "proc.%u/thread.%u%s%s", who->pid, who->tid, slash, file);
}

/* Whoever appends an event takes no error back: the hooks end the pass. */
static int note_error(struct ovni_writer *wr, int ret)
{
	if (!wr->error)
		wr->error = ret;
	hook_fail(&wr->translate->hooks, wr->error);
	return wr->error;
}

static int fail(struct ovni_writer *wr, u32 stream, const char *file, int error)
{
	char name[NAME_MAX_LEN];

	if (wr->error)
		return wr->error;
	name_of(wr, stream, file, name);
	msg_error("%s/%s: cannot write: %s", wr->path, name, strerror(error));
	return note_error(wr, -error);
}

static int make_dirs(struct ovni_writer *wr, u32 stream)
{
	char name[NAME_MAX_LEN], *slash;

	name_of(wr, stream, "", name);
	if (!mkdirat(wr->dir, name, 0777))
		return 0;
	slash = strrchr(name, '/');
	if (errno != ENOENT || !slash)
		return errno;
	/* The first thread of its process. */
	*slash = '\0';
	if (mkdirat(wr->dir, name, 0777) && errno != EEXIST)
		return errno;
	*slash = '/';
	return mkdirat(wr->dir, name, 0777) ? errno : 0;
}

static int close_file(struct ovni_writer *wr, unsigned int slot)
{
	struct ovni_open_file *file = &wr->files[slot];
	int fd = file->fd;

	if (fd < 0)
		return 0;
	wr->streams[file->stream].fd = -1;
	file->fd = -1;
	return close(fd) ? fail(wr, file->stream, obs_of(wr, file->stream), errno) : 0;
}

/* A free slot; closes the file that was opened longest ago if there is none. */
static int take_slot(struct ovni_writer *wr, unsigned int *slot)
{
	if (wr->nr_files < OVNI_WRITER_FDS) {
		*slot = wr->nr_files++;
		wr->files[*slot].fd = -1;
		return 0;
	}
	*slot = wr->next_file;
	wr->next_file = (wr->next_file + 1) % OVNI_WRITER_FDS;
	return close_file(wr, *slot);
}

static int write_json(struct ovni_writer *wr, u32 stream, bool last)
{
	char name[NAME_MAX_LEN];
	FILE *f;
	int fd, ret, error;

	name_of(wr, stream, json_of(wr, stream), name);
	fd = openat(wr->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(wr, stream, json_of(wr, stream), errno);
	f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		return fail(wr, stream, json_of(wr, stream), ENOMEM);
	}
	ret = ovni_metadata_write(wr, stream, last, f);
	error = out_end(f);
	if (error && !ret)
		return fail(wr, stream, json_of(wr, stream), -error);
	wr->streams[stream].described = !ret;
	return ret ? note_error(wr, ret) : 0;
}

/*
 * The first thread is described when all events are written: without its list of CPUs no reader
 * takes the trace for complete. The other threads are described while the emulator is busy, too.
 */
static int describe_early(struct ovni_writer *wr, u32 stream)
{
	bool first = !wr->has_thread;

	if (wr->joined || ovni_writer_is_cpu(wr, stream))
		return 0;
	wr->has_thread = true;
	return first ? 0 : write_json(wr, stream, false);
}

static int open_stream(struct ovni_writer *wr, u32 stream)
{
	struct ovni_stream_out *s = &wr->streams[stream];
	int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	char name[NAME_MAX_LEN];
	unsigned int slot;
	int ret;

	ret = take_slot(wr, &slot);
	if (ret)
		return ret;
	if (!s->created) {
		ret = make_dirs(wr, stream);
		if (ret)
			return fail(wr, stream, "", ret);
		flags |= O_CREAT | O_EXCL;
	}
	name_of(wr, stream, obs_of(wr, stream), name);
	wr->files[slot].fd = openat(wr->dir, name, flags, 0666);
	if (wr->files[slot].fd < 0)
		return fail(wr, stream, obs_of(wr, stream), errno);
	wr->files[slot].stream = stream;
	s->fd = slot;
	if (s->created)
		return 0;
	s->created = true;
	return describe_early(wr, stream);
}

static int flush_stream(struct ovni_writer *wr, u32 stream)
{
	struct ovni_stream_out *s = &wr->streams[stream];
	int ret;

	if (wr->error || !s->len)
		return wr->error;
	if (s->fd < 0) {
		ret = open_stream(wr, stream);
		if (ret)
			return ret;
	}
	ret = write_all(wr->files[s->fd].fd, s->buf, s->len);
	if (ret)
		return fail(wr, stream, obs_of(wr, stream), ret);
	wr->bytes += s->len;
	s->len = 0;
	return 0;
}

static void drop_buffer(struct ovni_writer *wr, struct ovni_stream_out *s)
{
	wr->buffered -= s->room;
	free(s->buf);
	s->buf = NULL;
	s->room = 0;
	s->len = 0;
}

static int flush_and_drop(struct ovni_writer *wr, u32 stream)
{
	int ret = flush_stream(wr, stream);

	drop_buffer(wr, &wr->streams[stream]);
	return ret;
}

static int flush_all(struct ovni_writer *wr)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < wr->nr_streams && !ret; i++)
		ret = flush_and_drop(wr, i);
	return ret;
}

/*
 * All buffers together become too large. They go in turn: to write all at once would take so long
 * that the emulator, which gets its events from the same thread, runs out of them.
 */
static int make_space(struct ovni_writer *wr, u32 room)
{
	int ret = 0;

	while (wr->buffered + room > OVNI_WRITER_BYTES && !ret) {
		ret = flush_and_drop(wr, wr->next_dropped);
		wr->next_dropped = (wr->next_dropped + 1) % wr->nr_streams;
	}
	return ret;
}

/* Few streams are busy and many are not: buffers grow as needed. */
static int make_room(struct ovni_writer *wr, u32 stream, u32 bytes)
{
	struct ovni_stream_out *s = &wr->streams[stream];
	u32 room;
	u8 *buf;
	int ret;

	if (s->room >= OVNI_WRITER_CHUNK)
		return flush_stream(wr, stream);
	ret = make_space(wr, s->room ? 4 * s->room : BUFFER_FIRST);
	if (ret)
		return ret;
	/* Its own buffer may have gone. */
	room = s->room ? 4 * s->room : BUFFER_FIRST;
	buf = realloc(s->buf, room);
	if (!buf)
		return fail(wr, stream, obs_of(wr, stream), ENOMEM);
	wr->buffered += room - s->room;
	s->buf = buf;
	s->room = room;
	return s->len + bytes > s->room ? make_room(wr, stream, bytes) : 0;
}

static void put(struct ovni_stream_out *s, const void *from, u32 bytes)
{
	memcpy(s->buf + s->len, from, bytes);
	s->len += bytes;
}

u32 ovni_writer_begin(u8 *to, u64 since, u64 clock)
{
	const struct ovni_stream_header header = {
		.magic = { 'o', 'v', 'n', 'i' }, .version = OVNI_STREAM_VERSION,
	};
	const struct ovni_ev_header early[] = {
		{ .mcv = { 'K', 'C', 'O' }, .clock = since },
		{ .mcv = { 'K', 'C', 'I' }, .clock = since },
	};
	bool late = clock > since && clock - since > OVNI_LATE_NS;

	_Static_assert(sizeof(header) + sizeof(early) == OVNI_BEGIN_BYTES, "room for both");
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), early, sizeof(early));
	return sizeof(header) + (late ? sizeof(early) : 0);
}

static void begin_stream(struct ovni_writer *wr, u32 stream, u64 clock)
{
	struct ovni_stream_out *s = &wr->streams[stream];

	/* A CPU may be silent for hours. */
	s->len = ovni_writer_begin(s->buf, ovni_writer_is_cpu(wr, stream) ? clock : wr->first_clock,
				   clock);
}

/* Larger than a buffer: a jumbo event of an application. */
static void write_through(struct ovni_writer *wr, const struct ovni_events *events, u32 stream)
{
	struct ovni_stream_out *s = &wr->streams[stream];
	int ret;

	if (flush_stream(wr, stream) || (s->fd < 0 && open_stream(wr, stream)))
		return;
	ret = write_all(wr->files[s->fd].fd, events->raw, events->bytes);
	if (ret)
		fail(wr, stream, obs_of(wr, stream), ret);
	wr->bytes += events->bytes;
}

static void begin_at(struct ovni_writer *wr, u64 clock)
{
	wr->began = true;
	wr->first_clock = clock;
}

/* The first events of a stream, or no room for them. */
static void append_slow(struct ovni_writer *wr, const struct ovni_events *events, u32 stream)
{
	struct ovni_stream_out *s = &wr->streams[stream];
	bool large = events->bytes > OVNI_EVENTS_MAX;
	u32 need = large ? 0 : events->bytes;

	if (!wr->began || events->clock < wr->first_clock)
		begin_at(wr, events->clock);
	if (!s->created && !s->len)
		need += OVNI_BEGIN_BYTES;
	if (wr->error || (s->len + need > s->room && make_room(wr, stream, need)))
		return;
	if (!s->created && !s->len)
		begin_stream(wr, stream, events->clock);
	if (large)
		write_through(wr, events, stream);
	else
		put(s, events->raw, events->bytes);
}

static inline void append(struct ovni_writer *wr, const struct ovni_events *events, u32 stream)
{
	struct ovni_stream_out *s = &wr->streams[stream];

	if (unlikely(!s->len || s->len + OVNI_EVENTS_MAX > s->room ||
		     events->bytes > OVNI_EVENTS_MAX)) {
		append_slow(wr, events, stream);
		return;
	}
	/* A length that the compiler knows; excess bytes are overwritten. */
	if (likely(events->bytes <= OVNI_EVENTS_MAX / 2))
		memcpy(s->buf + s->len, events->raw, OVNI_EVENTS_MAX / 2);
	else
		memcpy(s->buf + s->len, events->raw, OVNI_EVENTS_MAX);
	s->len += events->bytes;
}

static void on_events(void *data, const struct hook_ctx *ctx)
{
	const struct ovni_events *events = ctx->item;

	append(data, events, events->index);
}

static void on_cpu_events(void *data, const struct hook_ctx *ctx)
{
	const struct ovni_events *events = ctx->item;
	struct ovni_writer *wr = data;

	append(wr, events, wr->inventory->nr_threads + events->index);
}

static bool is_undescribed(const struct ovni_stream_out *s)
{
	return s->created && !s->described;
}

int ovni_writer_finish(struct ovni_writer *wr)
{
	unsigned int slot;
	u32 i, first = 0;
	int ret;

	ret = flush_all(wr);
	for (slot = 0; slot < wr->nr_files && !ret; slot++)
		ret = close_file(wr, slot);
	while (first < wr->nr_streams && !is_undescribed(&wr->streams[first]))
		first++;
	for (i = wr->nr_streams; i-- > first && !ret;) {
		if (is_undescribed(&wr->streams[i]))
			ret = write_json(wr, i, i == first);
	}
	return ret ? ret : wr->error;
}

void ovni_loom_name(char *to, size_t size, const char *host)
{
	size_t i;

	for (i = 0; host[i] && i + 1 < size; i++) {
		unsigned char c = host[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || (c == '.' && i);

		to[i] = plain ? c : '_';
	}
	to[i] = '\0';
	if (!i)
		snprintf(to, size, "unknown");
}

int ovni_writer_attach(struct ovni_writer *wr, struct ovni_translate *t, const struct world *w,
		       const char *path, int dir, const char *loom, u32 apps)
{
	u32 i;

	memset(wr, 0, sizeof(*wr));
	wr->dir = dir;
	wr->apps = apps;
	wr->translate = t;
	wr->inventory = t->inventory;
	wr->world = w;
	wr->loom = loom;
	wr->joined = t->joined;
	if (t->joined && t->joined->first < OVNI_CLOCK_MAX)
		begin_at(wr, t->joined->first);
	wr->nr_streams = wr->inventory->nr_threads + w->nr_cpus;
	wr->streams = calloc(wr->nr_streams, sizeof(*wr->streams));
	if (!wr->streams)
		return -ENOMEM;
	for (i = 0; i < wr->nr_streams; i++)
		wr->streams[i].fd = -1;
	wr->path = strdup(path);
	if (!wr->path)
		return -ENOMEM;
	return hook_attach(t->events, OVNI_EVENT, on_events, wr) ?:
	       hook_attach(t->events, OVNI_CPU_EVENT, on_cpu_events, wr);
}

void ovni_writer_close(struct ovni_writer *wr)
{
	unsigned int slot;
	u32 i;

	for (slot = 0; slot < wr->nr_files; slot++) {
		if (wr->files[slot].fd >= 0)
			close(wr->files[slot].fd);
	}
	wr->nr_files = 0;
	for (i = 0; wr->streams && i < wr->nr_streams; i++)
		free(wr->streams[i].buf);
	free(wr->streams);
	wr->streams = NULL;
	json_object_put(wr->meta);
	wr->meta = NULL;
	free(wr->path);
	wr->path = NULL;
}
