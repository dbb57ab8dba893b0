// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of an application's trace outside the capture: metadata, threads that the
 * capture does not have, other hosts.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "util/json.h"
#include "util/out.h"
#include "merge/merge.h"
#include "merge/stream.h"
#include "trace/offsets.h"
#include "output/ovni/row.h"
#include "util/msg.h"

#define WINDOW		(256U << 10)
#define NEW_FILE	(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

/**
 * struct rest - One stream that is being written.
 * @m: the merge
 * @stream: which one
 * @path: name of the file, for messages
 * @f: the file
 * @raw: an event
 * @room: bytes allocated for it
 * @last: clock of the last event of all
 */
struct rest {
	struct ovni_merge *m;
	const struct merge_stream *stream;
	char path[PATH_MAX];
	FILE *f;
	u8 *raw;
	u64 room;
	u64 last;
};

static int require(struct json_object *ovni, const char *model, const char *version)
{
	struct json_object *all;

	if (!json_object_object_get_ex(ovni, "require", &all) ||
	    json_object_object_get_ex(all, model, NULL))
		return 0;
	return json_add(all, model, json_object_new_string(version));
}

/* Only our traces use this member for ovnik's rows. */
static void drop_activities(struct json_object *ovni)
{
	struct json_object *marks;

	if (!json_object_object_get_ex(ovni, "mark", &marks))
		return;
	json_object_object_foreach(marks, number, mark) {
		(void)number;
		if (json_object_is_type(mark, json_type_object))
			json_object_object_del(mark, "ovnik");
	}
}

static int change(struct ovni_merge *m, const struct merge_stream *s, struct json_object *ovni,
		  const char *loom)
{
	const struct merge_process *p = merge_trace_process(&m->trace, s->pid);
	int bad;

	bad = json_add(ovni, "loom", json_object_new_string(loom));
	bad |= json_add(ovni, "app_id", json_object_new_int(p->app_id));
	if (p->rank >= 0) {
		bad |= json_add(ovni, "rank", json_object_new_int(p->rank));
		bad |= json_add(ovni, "nranks", json_object_new_int(p->nranks));
	}
	json_object_object_del(ovni, "loom_cpus");
	if (!m->trace.log)
		drop_activities(ovni);
	if (s->killed)
		bad |= json_add(ovni, "finished", json_object_new_int(1));
	bad |= require(ovni, "ovni", "1.1.0");
	bad |= require(ovni, "kernel", "1.0.0");
	return bad ? msg_no_memory() : 0;
}

/* The metadata, changed only where needed; @loom NULL: nowhere. NULL: reported. */
static struct json_object *load(struct ovni_merge *m, const struct merge_stream *s,
				const char *loom)
{
	struct json_object *root = json_load(s->json);
	struct json_object *ovni;

	if (!root)
		return NULL;
	ovni = json_get_object(s->json, root, "ovni");
	if (ovni && (!loom || !change(m, s, ovni, loom)))
		return root;
	json_object_put(root);
	return NULL;
}

int ovni_merge_describe(void *data, u32 index, const char *loom, struct json_object **root)
{
	struct ovni_merge *m = data;

	if (m->of[index] < 0)
		return 0;
	*root = load(m, m->threads[m->of[index]].stream, loom);
	return *root ? 1 : -EINVAL;
}

static int put_json(struct ovni_merge *m, const struct merge_stream *s, const char *loom, FILE *f)
{
	struct json_object *root = load(m, s, loom);
	int ret;

	if (!root)
		return -EINVAL;
	ret = json_write(root, f) ? msg_no_memory() : 0;
	json_object_put(root);
	return ret;
}

/* The directory of a stream, and those above it. */
static int make_dirs(const struct merge_stream *s, const char *out, const char *loom, char *path)
{
	char name[160];
	int len;

	ovni_loom_name(name, sizeof(name), loom);
	len = snprintf(path, PATH_MAX, "%s/loom.%s", out, name);
	if (mkdir(path, 0777) && errno != EEXIST)
		return report_error(path, "cannot write", errno);
	len += snprintf(path + len, PATH_MAX - len, "/proc.%d", s->pid);
	if (mkdir(path, 0777) && errno != EEXIST)
		return report_error(path, "cannot write", errno);
	snprintf(path + len, PATH_MAX - len, "/thread.%d", s->tid);
	return mkdir(path, 0777) ? report_error(path, "cannot write", errno) : 0;
}

static FILE *make_file(char *path, const char *dir, const char *name)
{
	FILE *f = NULL;
	int fd;

	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	fd = open(path, NEW_FILE, 0666);
	if (fd >= 0)
		f = fdopen(fd, "w");
	if (!f)
		report_error(path, "cannot write", errno);
	if (!f && fd >= 0)
		close(fd);
	return f;
}

static int close_file(FILE *f, const char *path, int ret)
{
	int error = out_end(f);

	return error && !ret ? report_error(path, "cannot write", -error) : ret;
}

static void put_row(struct rest *r, const struct row *row)
{
	fwrite(row->raw, 1, row->end - row->raw, r->f);
}

static int put_event(struct rest *r, const struct ovni_ev *ev)
{
	u64 bytes = merge_raw_size(ev);

	if (bytes > r->room) {
		free(r->raw);
		r->raw = malloc(bytes);
		r->room = r->raw ? bytes : 0;
		if (!r->raw)
			return msg_no_memory();
	}
	merge_raw_put(r->raw, ev, ev->clock);
	fwrite(r->raw, 1, bytes, r->f);
	return 0;
}

/* For a thread that the capture does not have: it runs on the virtual CPU. */
static int put_absent(struct rest *r, const struct ovni_ev *ev)
{
	struct ovni_merge *m = r->m;

	if (merge_leaves_out(ev)) {
		merge_count_left_out(m, ev);
		return 0;
	}
	m->stats.events++;
	m->stats.loose++;
	return put_event(r, ev);
}

static int put_events(struct rest *r)
{
	const struct merge_stream *s = r->stream;
	struct merge_reader reader;
	struct row row;
	int ret;

	ret = merge_reader_open(&reader, s->obs, s->killed, WINDOW,
				s->ours ? r->m->trace.clock : NULL);
	if (s->ours) {
		row_begin(&row, s->first);
		row_add_birth(&row, -1);
		put_row(r, &row);
	}
	while (!ret) {
		ret = merge_reader_next(&reader);
		if (ret <= 0)
			break;
		r->last = reader.ev.clock;
		ret = s->ours ? put_absent(r, &reader.ev) : put_event(r, &reader.ev);
	}
	if (s->ours) {
		row_begin(&row, r->last);
		row_add(&row, MCV('O', 'H', 'e'));
		put_row(r, &row);
	}
	r->m->stats.regions += reader.regions;
	merge_reader_close(&reader);
	return ret;
}

static int put_stream(struct rest *r, const char *out, const char *loom, u64 begin)
{
	const struct merge_stream *s = r->stream;
	u8 head[OVNI_BEGIN_BYTES];
	char dir[PATH_MAX];
	int ret;

	ret = make_dirs(s, out, loom, dir);
	if (ret)
		return ret;
	r->f = make_file(r->path, dir, OVNI_STREAM_OBS);
	if (!r->f)
		return -EIO;
	fwrite(head, 1, ovni_writer_begin(head, begin, s->empty ? begin : s->first), r->f);
	ret = close_file(r->f, r->path, put_events(r));
	if (ret)
		return ret;
	r->f = make_file(r->path, dir, OVNI_STREAM_JSON);
	if (!r->f)
		return -EIO;
	return close_file(r->f, r->path, put_json(r->m, s, s->ours ? loom : NULL, r->f));
}

static int write_stream(struct ovni_merge *m, const struct merge_stream *s, const char *out,
			const char *loom, u64 begin)
{
	struct rest r = { .m = m, .stream = s, .last = s->first };
	int ret;

	if (s->ours && s->thread >= 0)
		return 0;
	/* Only a capture can say when such a thread ended. */
	if (!s->ours && s->killed)
		return merge_stream_killed(s);
	if (s->ours && s->empty) {
		m->stats.silent++;
		return 0;
	}
	m->stats.absent += s->ours;
	m->stats.others += !s->ours;
	ret = put_stream(&r, out, s->ours ? loom : s->loom, begin);
	free(r.raw);
	return ret;
}

/* Clocks of other hosts do not change, nor does the table that corrects them. */
static int copy_offsets(const struct ovni_merge *m, const char *out, struct ovni_offsets *table)
{
	char path[PATH_MAX], line[1024];
	FILE *from, *to;
	char *name;
	int ret;

	/* Other hosts are left out. */
	if (m->trace.unpicked || m->trace.clock)
		return 0;
	name = out_path(m->trace.path, OVNI_OFFSETS_FILE);
	if (!name)
		return msg_no_memory();
	ret = access(name, F_OK) ? 1 : ovni_offsets_load(table, name);
	from = ret ? NULL : fopen(name, "re");
	if (!ret && !from) {
		report_error(name, "cannot open", errno);
		ret = -EIO;
	}
	free(name);
	if (ret)
		return ret > 0 ? 0 : ret;
	to = make_file(path, out, OVNI_OFFSETS_FILE);
	while (to && fgets(line, sizeof(line), from))
		fputs(line, to);
	fclose(from);
	return to ? close_file(to, path, 0) : -EIO;
}

/* @begin converted to the clock of that loom's host. */
static u64 begin_there(struct ovni_offsets *table, const char *loom, u64 begin, const char *there)
{
	s64 shift = ovni_offsets_find(table, loom) - ovni_offsets_find(table, there);

	if (shift < 0 && begin < -(u64)shift)
		return 0;
	return begin + (u64)shift < OVNI_CLOCK_MAX ? begin + (u64)shift : begin;
}

int ovni_merge_write_rest(void *data, const char *out, const char *loom, u64 begin)
{
	struct ovni_merge *m = data;
	struct ovni_offsets table = { 0 };
	int ret;
	u32 i;

	ret = copy_offsets(m, out, &table);
	for (i = 0; i < m->trace.nr && !ret; i++) {
		const struct merge_stream *s = &m->trace.streams[i];
		u64 there = s->ours ? begin : begin_there(&table, loom, begin, s->loom);

		ret = write_stream(m, s, out, loom, there);
	}
	ovni_offsets_free(&table);
	return ret;
}
