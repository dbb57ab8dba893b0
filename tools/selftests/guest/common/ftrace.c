// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "ftrace.h"

static struct trace_format trace_formats[] = {
	{
		.event	= "sched/sched_switch",
		.kind	= OVNIK_EV_sched_switch,
		.a	= "prev_pid",
		.b	= "next_pid",
		.c	= "prev_state",
	}, {
		.event	= "sched/sched_wakeup",
		.kind	= OVNIK_EV_sched_wakeup,
		.a	= "pid",
		.c	= "target_cpu",
	}, {
		.event	= "sched/sched_waking",
		.kind	= TRACE_WAKING,
		.a	= "pid",
	}, {
		.event	= "sched/sched_wakeup_new",
		.kind	= OVNIK_EV_sched_wakeup_new,
		.a	= "pid",
		.c	= "target_cpu",
	}, {
		.event	= "sched/sched_migrate_task",
		.kind	= OVNIK_EV_sched_migrate,
		.a	= "pid",
		.b	= "dest_cpu",
		.c	= "orig_cpu",
	}, {
		.event	= "task/task_newtask",
		.kind	= OVNIK_EV_task_fork,
		.a	= "common_pid",
		.b	= "pid",
		.c	= "clone_flags",
		.text	= "comm",
	}, {
		.event	= "sched/sched_process_exec",
		.kind	= OVNIK_EV_task_exec,
		.a	= "pid",
		.b	= "old_pid",
		.text	= "filename",
	}, {
		.event	= "sched/sched_process_exit",
		.kind	= OVNIK_EV_task_exit,
		.a	= "pid",
	}, {
		.event	= "task/task_rename",
		.kind	= OVNIK_EV_task_comm,
		.a	= "pid",
		.text	= "newcomm",
	}, {
		.event	= "mmap/exit_mmap",
		.kind	= OVNIK_EV_mm_exit,
	}, {
		.event	= "ovniktest/exec_mm",
		.kind	= OVNIK_EV_task_mm,
		.a	= "common_pid",
	}, {
		.event	= "ovniktest/rings",
		.kind	= TRACE_RINGS,
	}, {
		.event	= "ovniktest/rings_off",
		.kind	= TRACE_RINGS_OFF,
		.optional = true,
	}, {
		.event	= "ovniktest/rings_end",
		.kind	= TRACE_RINGS_END,
	},
};

#define for_each_format(format) \
	for ((format) = trace_formats; \
	     (format) < trace_formats + sizeof(trace_formats) / sizeof(*trace_formats); \
	     (format)++)

int field_offset(const char *text, const char *name, bool *data_loc)
{
	char word[64];
	const char *at;
	int offset, len;

	if (!name)
		return -1;
	len = snprintf(word, sizeof(word), " %s", name);
	for (at = strstr(text, word); at; at = strstr(at + 1, word)) {
		if (at[len] != ';' && at[len] != '[')
			continue;
		if (sscanf(strchr(at, ';') + 1, " offset:%d", &offset) != 1)
			break;
		while (at > text && at[-1] != '\n')
			at--;
		if (data_loc)
			*data_loc = !!memmem(at, strcspn(at, "\n"), "__data_loc", 10);
		return offset;
	}
	errx(1, "ftrace knows no field %s", name);
}

int read_format(const char *dir, const char *event, char *text)
{
	char path[PATH_MAX];
	ssize_t len;
	int fd, id;

	snprintf(path, sizeof(path), "%s/events/%s/format", dir, event);
	fd = open(path, O_RDONLY);
	len = fd < 0 ? -1 : read(fd, text, FORMAT_MAX - 1);
	if (len < 0)
		err(1, "%s", path);
	close(fd);
	text[len] = '\0';
	if (sscanf(strstr(text, "ID:"), "ID: %d", &id) != 1)
		errx(1, "%s has no ID", path);
	return id;
}

static bool has_event(const char *dir, const char *event)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/events/%s", dir, event);
	return !access(path, F_OK);
}

void read_formats(const char *dir)
{
	struct trace_format *format;

	for_each_format(format) {
		char text[FORMAT_MAX];

		format->id = -1;
		if (format->optional && !has_event(dir, format->event))
			continue;
		format->id = read_format(dir, format->event, text);
		format->a_at = field_offset(text, format->a, NULL);
		format->b_at = field_offset(text, format->b, NULL);
		format->c_at = field_offset(text, format->c, NULL);
		format->text_at = field_offset(text, format->text, &format->data_loc);
	}
}

__u32 field_u32(const char *data, int offset)
{
	__u32 value = 0;

	if (offset >= 0)
		memcpy(&value, data + offset, sizeof(value));
	return value;
}

static void take_event(void *arg, const char *data, __u64 tsc)
{
	const struct trace_format *format;
	struct events *events = arg;
	struct event *event;
	unsigned short id;

	memcpy(&id, data, sizeof(id));
	for_each_format(format) {
		if (format->id == id)
			break;
	}
	if (format == trace_formats + sizeof(trace_formats) / sizeof(*trace_formats))
		return;
	event = add_event(events);
	event->tsc = tsc;
	event->kind = format->kind;
	event->actor = field_u32(data, 4);
	event->in_interrupt = data[2] & TRACE_IN_INTERRUPT;
	event->a = field_u32(data, format->a_at);
	event->b = field_u32(data, format->b_at);
	event->c = field_u32(data, format->c_at);
	if (format->text_at >= 0) {
		int at = format->text_at;

		if (format->data_loc)
			at = field_u32(data, at) & 0xffff;
		event->text = strdup(data + at);
	}
	if (event->kind == OVNIK_EV_sched_wakeup || event->kind == OVNIK_EV_sched_wakeup_new)
		event->b = event->actor;
	if (event->kind == OVNIK_EV_task_mm)
		event->b = OVNIK_MM_EXEC;
}

static void take_page(const char *page, trace_taker take, void *arg)
{
	__u64 tsc, commit;
	__u32 at = TRACE_HEADER, end;

	memcpy(&tsc, page, 8);
	memcpy(&commit, page + 8, 8);
	if (commit & TRACE_MISSED)
		errx(1, "ftrace has lost events");
	end = TRACE_HEADER + (commit & TRACE_LENGTH);
	while (at < end) {
		__u32 head = field_u32(page, at), first = field_u32(page, at + 4);
		__u32 type = head & 0x1f;
		__u64 delta = head >> 5;

		if (type == 29 && !delta)
			break;
		if (type == 30)
			tsc += ((__u64)first << 27) + delta;
		else if (type == 31)
			tsc = (tsc & ~0ULL << 59) | (((__u64)first << 27) + delta);
		else
			tsc += delta;
		if (type == 0)
			take(arg, page + at + 8, tsc);
		else if (type <= 28)
			take(arg, page + at + 4, tsc);
		if (type == 0 || type == 29)
			at += 4 + first;
		else
			at += type <= 28 ? 4 + 4 * type : 8;
	}
}

/* An event that ftrace lost would be one that nothing can be said about. */
static void check_trace_losses(const char *dir, unsigned int cpu)
{
	char path[PATH_MAX], line[128];
	unsigned long long value;
	FILE *file;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", dir, cpu);
	file = fopen(path, "r");
	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "overrun: %llu", &value) != 1 &&
		    sscanf(line, "commit overrun: %llu", &value) != 1 &&
		    sscanf(line, "dropped events: %llu", &value) != 1)
			continue;
		if (value)
			errx(1, "ftrace has lost events: %s", line);
	}
	fclose(file);
}

void walk_trace(const char *dir, unsigned int cpu, trace_taker take, void *arg)
{
	char path[PATH_MAX], page[TRACE_PAGE];
	ssize_t len;
	int fd;

	check_trace_losses(dir, cpu);
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", dir, cpu);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		err(1, "%s", path);
	while ((len = read(fd, page, sizeof(page))) > 0)
		take_page(page, take, arg);
	close(fd);
}

void read_trace(const char *dir, unsigned int cpu, struct events *events)
{
	walk_trace(dir, cpu, take_event, events);
}
