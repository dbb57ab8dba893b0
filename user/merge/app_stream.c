// SPDX-License-Identifier: GPL-2.0-only
/* The stream of a thread, made from its parts of logs: see app.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json-c/json.h>

#include "trace/activity.h"
#include "trace/format.h"
#include "output/ovni/metadata.h"
#include "output/ovni/row.h"
#include "util/json.h"
#include "util/msg.h"
#include "util/out.h"
#include "merge/app.h"
#include "merge/stack.h"

/**
 * struct stream - A stream that is being written.
 * @app: the logs
 * @log: the present one
 * @path: file name, for messages
 * @f: the file
 * @stack: the functions the thread is in
 * @begin: earliest possible clock
 * @end: latest possible clock
 * @limit: latest possible TSC in the present buffer
 * @tsc: largest TSC taken
 * @start: TSC at which the last buffer taken began
 * @passed_over: the present buffer overlaps those taken before
 * @doubt: records of the present buffer were left out
 * @last: clock of the last event
 * @functions: labels of functions
 * @texts: labels of custom events
 * @labelled: the texts that have a label
 */
struct stream {
	struct xray_app *app;
	struct xray_app_log *log;
	char path[PATH_MAX];
	FILE *f;
	struct xray_stack stack;
	u64 begin;
	u64 end;
	u64 limit;
	u64 tsc;
	u64 start;
	bool passed_over;
	bool doubt;
	u64 last;
	struct json_object *functions;
	struct json_object *texts;
	bool labelled[XRAY_LABEL_NUMBERS];
};

static void put(struct stream *s, char how, s32 mark, s64 value)
{
	struct row row;

	row_begin(&row, s->last);
	row_add_mark(&row, how, mark, value);
	fwrite(row.raw, 1, row.end - row.raw, s->f);
}

static s64 value_of(const struct stream *s, u32 function)
{
	return s->log->binary * XRAY_BINARY_STEP +
	       (function ? function : XRAY_FUNCTION_MAX + 1);
}

/*
 * The functions of the program or shared object that has this one, whose number becomes the one it
 * has there; NULL: it is in an object that is not known.
 */
static const struct xray_names *names_of(const struct stream *s, u32 *function)
{
	const struct xray_binary *program = &s->app->binaries[s->log->binary];
	u32 object = *function / XRAY_OBJECT_STEP;

	if (!object || *function <= program->names.nr)
		return &program->names;
	*function %= XRAY_OBJECT_STEP;
	return object < s->app->nr_objects ? &program[object].names : NULL;
}

/* Is a function in a binary, but does not that binary have it? */
static bool is_foreign(const struct stream *s, u32 function)
{
	const struct xray_names *names = names_of(s, &function);

	return names && names->nr && (!function || function > names->nr);
}

static int add_label(struct json_object *labels, s64 value, const char *text)
{
	struct json_object *label = json_object_new_string(text);
	char key[24];

	snprintf(key, sizeof(key), "%lld", (long long)value);
	if (label && !json_object_object_add(labels, key, label))
		return 0;
	json_object_put(label);
	return msg_no_memory();
}

/* The clock of a record; false if it is impossible. */
static bool keep_time(struct stream *s, u64 tsc)
{
	u64 ns = clock_ns(&s->app->cap->clock, tsc);

	if (tsc > s->log->high)
		s->log->high = tsc;
	if (ns < s->begin || ns > s->end || tsc > s->limit) {
		s->app->stats.far++;
		s->doubt = true;
		return false;
	}
	s->app->stats.back += ns < s->last;
	if (ns > s->last)
		s->last = ns;
	if (tsc > s->tsc)
		s->tsc = tsc;
	return true;
}

static void pop(struct stream *s)
{
	u32 function = xray_stack_pop(&s->stack);

	if (s->stack.depth < OVNI_STACK_MAX)
		put(s, ']', OVNI_MARK_FUNCTION, value_of(s, function));
}

/* It is unknown which of its functions are still running. */
static void pop_all(struct stream *s)
{
	s->app->stats.unleft += s->stack.depth + s->stack.beyond;
	s->stack.beyond = 0;
	while (s->stack.depth)
		pop(s);
}

static int enter(struct stream *s, u32 function)
{
	int ret = xray_stack_enter(&s->stack, function);

	if (ret < 0)
		return ret;
	s->log->calls++;
	s->log->foreign += is_foreign(s, function);
	if (!ret)
		s->app->stats.crowded++;
	else if (s->stack.beyond || s->stack.depth > OVNI_STACK_MAX)
		s->app->stats.folded++;
	else
		put(s, '[', OVNI_MARK_FUNCTION, value_of(s, function));
	return 0;
}

static void leave(struct stream *s, u32 function)
{
	switch (xray_stack_leave(&s->stack, function)) {
	case XRAY_LEAVE_UNKNOWN:
		s->app->stats.unentered++;
		return;
	case XRAY_LEAVE_BEYOND:
		return;
	case XRAY_LEAVE_POPS:
		break;
	}
	while (s->stack.function[s->stack.depth - 1] != function) {
		s->app->stats.unleft++;
		pop(s);
	}
	pop(s);
}

static int custom_event(struct stream *s, const struct xray_record *rec)
{
	u32 number = xray_labels_number(&s->app->labels, rec->data, rec->size);

	s->log->events++;
	put(s, '=', XRAY_MARK_EVENT, number);
	if (s->labelled[number])
		return 0;
	s->labelled[number] = true;
	return add_label(s->texts, number, xray_labels_get(&s->app->labels, number));
}

static int take(struct stream *s, const struct xray_record *rec)
{
	switch (rec->kind) {
	case XRAY_FUNCTION:
		if (!keep_time(s, rec->tsc))
			return 0;
		if (rec->action == XRAY_ENTER || rec->action == XRAY_ENTER_ARGS)
			return enter(s, rec->function);
		leave(s, rec->function);
		return 0;
	case XRAY_CUSTOM_EVENT:
		return keep_time(s, rec->tsc) ? custom_event(s, rec) : 0;
	case XRAY_TYPED_EVENT:
		s->app->stats.typed++;
		return 0;
	default:
		return 0;
	}
}

/*
 * A thread fills one buffer after the other. A record after the next one's beginning has
 * a damaged clock; a buffer that begins within others is a duplicate.
 */
static void enter_buffer(struct stream *s, const struct xray_cursor *cursor)
{
	const struct xray_log *log = &s->log->log;
	const struct xray_buffer *buffer = &log->buffers[cursor->buffer];
	u64 slack = log->header.frequency / XRAY_SLACK_PER_SEC;

	if (log->breaks || s->doubt)
		pop_all(s);
	s->doubt = false;
	s->limit = ~0ULL;
	if (cursor->buffer + 1 < cursor->last)
		s->limit = buffer[1].tsc + slack;
	s->passed_over = buffer->tsc <= s->start || buffer->tsc + slack < s->tsc;
	if (s->passed_over)
		s->app->stats.twice++;
	else
		s->start = buffer->tsc;
}

static int take_all(struct stream *s, struct xray_cursor *cursor)
{
	u32 buffer = cursor->buffer;
	int ret = 0;

	enter_buffer(s, cursor);
	while (!ret) {
		ret = xray_cursor_next(cursor);
		if (ret <= 0)
			break;
		if (cursor->buffer != buffer)
			enter_buffer(s, cursor);
		buffer = cursor->buffer;
		ret = s->passed_over ? 0 : take(s, &cursor->rec);
	}
	return ret;
}

static void label_of(const struct stream *s, u32 function, char *text)
{
	const struct xray_names_ops *ops = s->app->ops;
	u32 own = function;
	const struct xray_names *names = names_of(s, &own);

	if (names && ops && ops->get(names, own, text))
		return;
	if (own == function)
		snprintf(text, XRAY_NAME_MAX, "#%u", function);
	else
		snprintf(text, XRAY_NAME_MAX, "#%u:%u", function / XRAY_OBJECT_STEP, own);
	s->app->stats.unnamed += names && names->nr && own && own <= names->nr;
}

static int label_functions(struct stream *s)
{
	char text[XRAY_NAME_MAX];
	u32 function = 0;
	int ret = 0;

	while (!ret && xray_stack_next(&s->stack, &function)) {
		label_of(s, function, text);
		ret = add_label(s->functions, value_of(s, function), text);
		function++;
	}
	return ret;
}

static int put_part(struct stream *s, const struct xray_part *part)
{
	struct xray_cursor cursor;
	int ret;

	s->log = &s->app->logs[part->log];
	ret = xray_cursor_open(&cursor, &s->log->log, part->thread);
	if (!ret)
		ret = take_all(s, &cursor);
	xray_cursor_close(&cursor);
	pop_all(s);
	if (!ret)
		ret = label_functions(s);
	xray_stack_free(&s->stack);
	return ret;
}

static int open_file(struct stream *s, const char *dir, const char *name)
{
	int len = snprintf(s->path, sizeof(s->path), "%s/%s", dir, name);

	errno = ENAMETOOLONG;
	s->f = len >= (int)sizeof(s->path) ? NULL : fopen(s->path, "wxe");
	return s->f ? 0 : report_error(s->path, "cannot write", errno);
}

static int close_file(struct stream *s, int ret)
{
	int error = out_end(s->f);

	return error && !ret ? report_error(s->path, "cannot write", -error) : ret;
}

static int put_obs(struct stream *s, const struct xray_part *parts, u32 nr, const char *dir)
{
	static const struct ovni_stream_header header = {
		.magic = { 'o', 'v', 'n', 'i' }, .version = OVNI_STREAM_VERSION,
	};
	int ret;
	u32 i;

	ret = open_file(s, dir, OVNI_STREAM_OBS);
	if (ret)
		return ret;
	fwrite(&header, sizeof(header), 1, s->f);
	for (i = 0; i < nr && !ret; i++)
		ret = put_part(s, &parts[i]);
	return close_file(s, ret);
}

/* The metadata that an application's library would write, as far as it is needed. */
static int add_metadata(struct stream *s, const struct xray_part *part, const char *host,
			struct json_object *ovni)
{
	const struct ovni_activity_desc *calls = &ovni_activities[OVNI_ACTIVITY_FUNCTION];
	struct json_object *require = json_object_new_object();
	struct json_object *marks = json_object_new_object();
	int bad;

	bad = json_add(ovni, "finished", json_object_new_int(1));
	bad |= json_add(ovni, "pid", json_object_new_int64(part->pid));
	bad |= json_add(ovni, "tid", json_object_new_int64(part->tid));
	bad |= json_add(ovni, "loom", json_object_new_string(host));
	bad |= json_add(require, "ovni", json_object_new_string("1.1.0"));
	bad |= json_add(ovni, "require", require);
	if (json_object_object_length(s->functions))
		bad |= ovni_metadata_add_mark(marks, calls->mark, calls->title, true, calls->key,
					      json_object_get(s->functions));
	if (json_object_object_length(s->texts))
		bad |= ovni_metadata_add_mark(marks, XRAY_MARK_EVENT, XRAY_TITLE_EVENT, false,
					      NULL, json_object_get(s->texts));
	return bad | json_add(ovni, "mark", marks);
}

static int put_metadata(struct stream *s, const struct xray_part *part, const char *host)
{
	struct json_object *root, *ovni;
	int bad;

	root = ovni_metadata_create("1.0.0", "xray", "thread", &ovni);
	bad = !root || add_metadata(s, part, host, ovni) || json_write(root, s->f);
	json_object_put(root);
	return bad ? msg_no_memory() : 0;
}

static int put_json(struct stream *s, const struct xray_part *part, const char *dir,
		    const char *host)
{
	return open_file(s, dir, OVNI_STREAM_JSON) ?: close_file(s, put_metadata(s, part, host));
}

static int make_dirs(struct stream *s, const struct xray_part *part, const char *dir)
{
	size_t len;

	snprintf(s->path, sizeof(s->path), "%s/loom.xray", dir);
	if (mkdir(s->path, 0777) && errno != EEXIST)
		return report_error(s->path, "cannot write", errno);
	len = strlen(s->path);
	snprintf(s->path + len, sizeof(s->path) - len, "/proc.%u", part->pid);
	if (mkdir(s->path, 0777) && errno != EEXIST)
		return report_error(s->path, "cannot write", errno);
	len = strlen(s->path);
	snprintf(s->path + len, sizeof(s->path) - len, "/thread.%u", part->tid);
	return mkdir(s->path, 0777) ? report_error(s->path, "cannot write", errno) : 0;
}

static void set_limits(struct stream *s)
{
	struct capture *cap = s->app->cap;
	u64 begin = clock_ns(&cap->clock, cap->begin);

	s->begin = begin > XRAY_FAR_NS ? begin - XRAY_FAR_NS : 0;
	s->end = clock_ns(&cap->clock, cap->end) + XRAY_FAR_NS;
}

static int put_stream(struct stream *s, const struct xray_part *parts, u32 nr, const char *dir,
		      const char *host)
{
	char path[PATH_MAX];
	int ret;

	ret = make_dirs(s, parts, dir);
	if (ret)
		return ret;
	memcpy(path, s->path, sizeof(path));
	return put_obs(s, parts, nr, path) ?: put_json(s, parts, path, host);
}

int xray_stream_write(struct xray_app *app, const struct xray_part *parts, u32 nr,
		      const char *dir, const char *host)
{
	struct stream *s = calloc(1, sizeof(*s));
	int ret = -ENOMEM;

	if (!s)
		return msg_no_memory();
	s->app = app;
	s->functions = json_object_new_object();
	s->texts = json_object_new_object();
	set_limits(s);
	if (s->functions && s->texts)
		ret = put_stream(s, parts, nr, dir, host);
	else
		msg_no_memory();
	json_object_put(s->functions);
	json_object_put(s->texts);
	free(s);
	return ret;
}
