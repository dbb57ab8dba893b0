// SPDX-License-Identifier: GPL-2.0-only
/* meta.json: describes the capture and how to read it without this program. */
#include <errno.h>
#include <fcntl.h>
#include <ovnik_version.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <json-c/json.h>

#include "backend.h"
#include "capture/events.h"
#include "capture/meta_crc.h"
#include "recording.h"
#include "selftest/selftest.h"
#include "system.h"
#include "util/file.h"
#include "util/json_compat.h"
#include "util/msg.h"

static void add_text(struct json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

/* Room for meta.json: twice what events and probes take, and so for each CPU. */
#define META_ROOM		(128 << 10)
#define META_ROOM_CPU		(6 << 10)
#define META_ROOM_ESCAPED	6	/* \u0001 */

static void add_u64(struct json_object *to, const char *key, u64 value)
{
	json_object_object_add(to, key, json_from_u64(value));
}

/* Add the first line of a file; empty if there is no such file. */
static void add_line_of(struct json_object *to, const char *key, const char *path)
{
	char line[256];

	system_line(path, line, sizeof(line));
	add_text(to, key, line);
}

static void add_host(struct json_object *meta)
{
	struct utsname uts;

	if (uname(&uts))
		return;
	add_text(meta, "host", uts.nodename);
	add_text(meta, "kernel", uts.release);
	add_text(meta, "kernel_version", uts.version);
	add_text(meta, "machine", uts.machine);
	add_u64(meta, "page_size", sysconf(_SC_PAGESIZE));
	add_line_of(meta, "boot_id", "/proc/sys/kernel/random/boot_id");
}

static int add_u64_of(struct json_object *to, const char *key, const char *control)
{
	u64 value;
	int ret = control_read_u64(control, &value);

	if (!ret)
		add_u64(to, key, value);
	return ret;
}

static int add_flag_of(struct json_object *to, const char *key, const char *control)
{
	u64 value;
	int ret = control_read_u64(control, &value);

	if (!ret)
		json_object_object_add(to, key, json_object_new_boolean(value == 1));
	return ret;
}

static struct json_object *describe_anchors(const struct recording *recording)
{
	struct json_object *list = json_object_new_array();
	int i;

	for (i = 0; i < recording->nr_anchors; i++) {
		struct json_object *one = json_object_new_object();

		add_u64(one, "tsc", recording->anchors[i].tsc);
		add_u64(one, "ns", recording->anchors[i].ns);
		add_u64(one, "width", recording->anchors[i].width);
		json_object_array_add(list, one);
	}
	return list;
}

static struct json_object *describe_walls(const struct recording *recording)
{
	struct json_object *list = json_object_new_array();
	int i;

	for (i = 0; i < recording->nr_anchors; i++) {
		const struct wall_pair *wall = &recording->walls[i];
		struct json_object *one = json_object_new_object();

		add_u64(one, "realtime", wall->realtime);
		add_u64(one, "monotonic", wall->monotonic);
		add_u64(one, "width", wall->width);
		json_object_object_add(one, "synced", json_object_new_boolean(wall->synced));
		add_u64(one, "max_error", wall->max_error);
		json_object_array_add(list, one);
	}
	return list;
}

static int add_clock(struct json_object *meta, const struct recording *recording)
{
	struct json_object *clock = json_object_new_object();
	char source[CONTROL_TEXT];
	int ret;

	json_object_object_add(meta, "clock", clock);
	ret = backend->read("clock/source", source);
	if (ret)
		return ret;
	add_text(clock, "source", source);
	add_line_of(clock, "kernel_source", SYSTEM_CLOCKSOURCE);
	ret = add_u64_of(clock, "tsc_khz", "clock/tsc_khz");
	if (!ret)
		ret = add_flag_of(clock, "constant_tsc", "clock/constant_tsc");
	if (!ret)
		ret = add_flag_of(clock, "nonstop_tsc", "clock/nonstop_tsc");
	if (!ret)
		ret = add_flag_of(clock, "trusted", "clock/trusted");
	json_object_object_add(clock, "anchors", describe_anchors(recording));
	json_object_object_add(clock, "walls", describe_walls(recording));
	return ret;
}

static int add_filter(struct json_object *meta)
{
	struct json_object *filter = json_object_new_object();
	struct json_object *pids = json_object_new_array();
	char text[CONTROL_TEXT], *rest = text, *word;
	int ret;

	json_object_object_add(meta, "filter", filter);
	json_object_object_add(filter, "pids", pids);
	ret = backend->read("filter_pid", text);
	if (ret)
		return ret;
	while ((word = strsep(&rest, " "))) {
		if (*word)
			json_object_array_add(pids, json_object_new_int(atoi(word)));
	}
	return add_flag_of(filter, "children", "filter_children");
}

static int add_owner(struct json_object *meta)
{
	struct json_object *private;
	char text[CONTROL_TEXT];
	int ret = backend->read("owner", text);

	if (ret || !*text)
		return ret;
	private = json_object_new_object();
	json_object_object_add(meta, "private", private);
	add_u64(private, "owner", strtoull(text, NULL, 10));
	return 0;
}

static int add_settings(struct json_object *meta)
{
	char mode[CONTROL_TEXT];
	u64 session;
	struct json_object *start = json_object_new_object();
	int ret;

	json_object_object_add(meta, "start", start);
	ret = backend->read("mode", mode);
	if (ret)
		return ret;
	add_text(meta, "mode", mode);
	ret = control_read_u64("session", &session);
	if (ret)
		return ret;
	add_u64(meta, "session", session);
	add_u64(start, "realtime_ns", session);
	ret = add_u64_of(meta, "buffer_size", "buffer_size");
	return ret ? ret : add_u64_of(meta, "subbuf_size", "subbuf_size");
}

/* "field: u16 prev_state offset 6 size 2 unit task_state" */
static void add_field(struct json_object *fields, const char *line)
{
	char type[16], name[64], unit[64];
	unsigned int offset, size;
	struct json_object *field;

	if (sscanf(line, "field: %15s %63s offset %u size %u unit %63s",
		   type, name, &offset, &size, unit) != 5)
		return;
	field = json_object_new_object();
	add_text(field, "name", name);
	add_text(field, "type", type);
	add_u64(field, "offset", offset);
	add_u64(field, "size", size);
	add_text(field, "unit", unit);
	json_object_array_add(fields, field);
}

/* Take the back end's description: the module may be of another version. */
static int describe_event(struct json_object *list, const char *name)
{
	char path[64], text[CONTROL_TEXT], *rest = text, *line;
	struct json_object *event, *fields;
	int ret;

	snprintf(path, sizeof(path), "events/%s/format", name);
	ret = backend->read(path, text);
	if (ret)
		return ret;
	event = json_object_new_object();
	fields = json_object_new_array();
	while ((line = strsep(&rest, "\n"))) {
		char *colon = strstr(line, ": ");

		if (!colon)
			continue;
		*colon = '\0';
		if (!strcmp(line, "number") || !strcmp(line, "size")) {
			add_u64(event, line, strtoull(colon + 2, NULL, 10));
		} else if (strcmp(line, "field")) {
			add_text(event, line, colon + 2);
		} else {
			*colon = ':';
			add_field(fields, line);
		}
	}
	json_object_object_add(event, "fields", fields);
	json_object_array_add(list, event);
	return 0;
}

static int add_events(struct json_object *meta)
{
	struct json_object *list = json_object_new_array();
	int i, ret = 0;

	json_object_object_add(meta, "events", list);
	for (i = 0; !ret && i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name)
			ret = describe_event(list, event_table[i].name);
	}
	return ret;
}

static void add_late(struct recording *recording, const struct reader *reader,
		     u64 lost[OVNIK_NR_EVENTS])
{
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		lost[i] += reader->late[i];
		recording->dropped += reader->late[i];
	}
}

/*
 * Count a CPU's events that are missing from this capture. Once recording has stopped, the
 * kernel's counts are final: what was recorded but is not in the file was overwritten, or
 * left in the ring after an error. It does not count if another program may have read it.
 * While recording goes on, they are those of the moment of the snapshot.
 */
static int lost_events(struct recording *recording, const struct reader *reader,
		       u64 lost[OVNIK_NR_EVENTS])
{
	struct event_stats stats[OVNIK_NR_EVENTS];
	int i, ret;

	memcpy(lost, reader->lost, sizeof(reader->lost));
	/* Those of the statedump are final at once. */
	if (!recording->stopped && !reader->dump) {
		add_late(recording, reader, lost);
		return 0;
	}
	ret = control_cpu_stats(reader->dump ? CONTROL_DUMP : reader->cpu, stats);
	if (ret)
		return ret;
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		/* Once it has stopped, nothing is overwritten any more. */
		if (stats[i].lost > lost[i])
			recording->dropped += stats[i].lost - lost[i];
		lost[i] = stats[i].lost;
		if (!recording->rest && stats[i].recorded > reader->count[i])
			lost[i] += stats[i].recorded - reader->count[i];
	}
	return 0;
}

static int describe_cpu(struct json_object *list, struct recording *recording,
			const struct reader *reader)
{
	struct json_object *cpu, *events, *one;
	u64 lost[OVNIK_NR_EVENTS];
	char file[READER_NAME];
	int i, ret;

	ret = lost_events(recording, reader, lost);
	if (ret)
		return ret;
	cpu = json_object_new_object();
	json_object_array_add(list, cpu);
	add_u64(cpu, "cpu", reader->cpu);
	add_text(cpu, "file", reader_file(reader, file));
	add_u64(cpu, "bytes", reader->bytes);
	add_u64(cpu, "subbufs", reader->subbufs);
	recording->dropped += reader->dropped;
	if (!recording->overwrite)
		add_u64(cpu, "first", reader->first);
	events = json_object_new_object();
	json_object_object_add(cpu, "events", events);
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		recording->recorded += reader->count[i];
		recording->lost += lost[i];
		if (!event_table[i].name || (!reader->count[i] && !lost[i]))
			continue;
		one = json_object_new_object();
		add_u64(one, "recorded", reader->count[i]);
		add_u64(one, "lost", lost[i]);
		json_object_object_add(events, event_table[i].name, one);
	}
	return 0;
}

static int add_cpus(struct json_object *meta, struct recording *recording)
{
	struct json_object *list = json_object_new_array();
	int i, ret = 0;

	json_object_object_add(meta, "cpus", list);
	for (i = 0; !ret && i < recording->nr; i++)
		ret = describe_cpu(list, recording, &recording->readers[i]);
	return ret;
}

static void add_command(struct json_object *meta, char **command)
{
	struct json_object *list = json_object_new_array();

	for (; command && *command; command++)
		json_object_array_add(list, json_object_new_string(*command));
	json_object_object_add(meta, "command", list);
}

/*
 * Records have PIDs of the initial namespace: in another one, ours is not known. If this process
 * began after the recording, its number may be that of another process then.
 */
static void add_recorder(struct json_object *meta, const struct recording *recording)
{
	struct json_object *recorder;

	if (!recording->witness || !system_has_global_pids())
		return;
	recorder = json_object_new_object();
	add_u64(recorder, "pid", getpid());
	json_object_object_add(meta, "recorder", recorder);
}

/**
 * recording_reserve() - Create the file that becomes meta.json, with room for it.
 * @recording: its directory is open
 *
 * What was recorded until the disk is full can be described then.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int recording_reserve(struct recording *recording)
{
	off_t room = META_ROOM + (off_t)sysconf(_SC_NPROCESSORS_CONF) * META_ROOM_CPU;
	char *command;
	int ret, i;

	for (i = 0; recording->command && (command = recording->command[i]); i++)
		room += META_ROOM_ESCAPED * (strlen(command) + 1);
	recording->meta_fd = openat(recording->dir_fd, META_NEW,
				    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ret = recording->meta_fd < 0 ? errno : posix_fallocate(recording->meta_fd, 0, room);
	if (ret)
		msg_error("%s/meta.json: %s", recording->dir, strerror(ret));
	return -ret;
}

static int write_reserved(struct recording *recording, const char *text)
{
	size_t len = strlen(text);
	int fd = recording->meta_fd, ret;

	ret = write_all(fd, text, len);
	if (!ret && ftruncate(fd, len))
		ret = errno;
	recording->meta_fd = -1;
	if (close(fd) && !ret)
		ret = errno;
	return ret;
}

/* Write under another name and rename: meta.json is either complete or absent. */
static int write_meta(struct recording *recording, struct json_object *meta)
{
	const char *json = json_object_to_json_string_ext(meta, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_NOSLASHESCAPE);
	char *text = json ? meta_crc_add(json) : NULL;
	int ret;

	ret = text ? write_reserved(recording, text) : ENOMEM;
	if (!ret && renameat(recording->dir_fd, META_NEW, recording->dir_fd, "meta.json"))
		ret = errno;
	if (ret) {
		msg_error("%s/meta.json: %s", recording->dir, strerror(ret));
		unlinkat(recording->dir_fd, META_NEW, 0);
	}
	free(text);
	return -ret;
}

/**
 * recording_describe() - Write meta.json.
 * @recording: all readers have finished
 *
 * Return: 0; a negative errno, which has been reported.
 */
int recording_describe(struct recording *recording)
{
	struct json_object *meta = json_object_new_object();
	int ret;

	add_u64(meta, "format_version", OVNIK_FORMAT_VERSION);
	add_text(meta, META_CHECKSUM, META_CHECKSUM_KIND);
	add_text(meta, "ovnik_version", OVNIK_VERSION);
	add_text(meta, "backend", backend->name);
	add_host(meta);
	add_command(meta, recording->command);
	add_recorder(meta, recording);
	mounts_describe(&recording->mounts, meta);
	ret = add_settings(meta);
	if (!ret)
		ret = add_filter(meta);
	if (!ret)
		ret = add_owner(meta);
	if (!ret)
		ret = add_clock(meta, recording);
	if (!ret)
		ret = add_cpus(meta, recording);
	if (!ret)
		ret = add_events(meta);
	if (!ret && backend->describe)
		recording->missed = backend->describe(meta);
	if (!ret)
		selftest_describe(meta);
	if (!ret)
		ret = write_meta(recording, meta);
	json_object_put(meta);
	return ret;
}
