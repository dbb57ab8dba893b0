// SPDX-License-Identifier: GPL-2.0-only
/* The module's side of things: /sys/kernel/ovnik, read and written. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "util/msg.h"

#define ROOT "/sys/kernel/ovnik/"

static const struct {
	const char *name;
	const char *family;
} events[OVNIK_NR_EVENTS] = {
#define EVENT(nr, ev, fam, ...) [nr] = { #ev, #fam },
	OVNIK_EVENT_TABLE(EVENT, OVNIK_NO_FIELD)
};

/**
 * control_read() - Read a file of the module.
 * @name: its path below /sys/kernel/ovnik/
 * @text: what it says, NUL-terminated, without the newline at the end
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_read(const char *name, char text[CONTROL_TEXT])
{
	char path[256];
	ssize_t len;
	int fd, ret = 0;

	snprintf(path, sizeof(path), ROOT "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, CONTROL_TEXT - 1);
	if (len < 0) {
		ret = -errno;
		msg_error("%s: %s", path, strerror(errno));
		len = 0;
	}
	if (fd >= 0)
		close(fd);
	if (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	return ret;
}

/**
 * control_read_u64() - Read a file that holds one number.
 * @name:  its path below /sys/kernel/ovnik/
 * @value: is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_read_u64(const char *name, u64 *value)
{
	char text[CONTROL_TEXT];
	int ret = control_read(name, text);

	*value = ret ? 0 : strtoull(text, NULL, 10);
	return ret;
}

/**
 * control_write() - Write a file of the module.
 * @name:  its path below /sys/kernel/ovnik/
 * @value: what to write
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_write(const char *name, const char *value)
{
	char path[256], line[CONTROL_TEXT];
	int fd, len, ret = 0;

	len = snprintf(line, sizeof(line), "%s\n", value);
	if (len >= (int)sizeof(line)) {
		msg_error("%s: too long", value);
		return -EINVAL;
	}
	snprintf(path, sizeof(path), ROOT "%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, line, len) != len) {
		ret = -errno;
		msg_error("%s: \"%s\": %s", path, value, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/**
 * control_check() - Is the module there, and one that this program knows?
 *
 * Return: 0; -ENODEV, -EPERM or -EPROTO, which has been reported.
 */
int control_check(void)
{
	u64 version;

	if (access(ROOT, F_OK)) {
		msg_error("the module is not loaded: insmod ovnik.ko");
		return -ENODEV;
	}
	if (euidaccess(ROOT "format_version", R_OK)) {
		msg_error("no permission to read the files in " ROOT ": by default only root may");
		return -EPERM;
	}
	if (control_read_u64("format_version", &version))
		return -ENODEV;
	if (version != OVNIK_FORMAT_VERSION) {
		msg_error("the module writes format %llu, this program knows %d",
			  version, OVNIK_FORMAT_VERSION);
		return -EPROTO;
	}
	return 0;
}

/**
 * control_may_record() - May the user do more than look?
 *
 * Return: 0; -EPERM, which has been reported.
 */
int control_may_record(void)
{
	if (!geteuid())
		return 0;
	msg_error("only root may record: it takes writing " ROOT "* and reading /dev/ovnik/*");
	return -EPERM;
}

/**
 * control_running() - Does a capture run?
 *
 * Return: 1 or 0; a negative errno, which has been reported.
 */
int control_running(void)
{
	u64 on;
	int ret = control_read_u64("enable", &on);

	return ret ? ret : on == 1;
}

/**
 * control_tell_memory() - Say what was too much, after ENOMEM.
 */
void control_tell_memory(void)
{
	char size[CONTROL_TEXT];

	if (!control_read("buffer_size", size))
		msg_error("no memory for %llu KiB a CPU: try a smaller -b",
			  strtoull(size, NULL, 10) / 1024);
}

static bool ftrace_is_off(void)
{
	FILE *file = fopen("/proc/sys/kernel/ftrace_enabled", "re");
	bool off = file && fgetc(file) == '0';

	if (file)
		fclose(file);
	return off;
}

/**
 * control_start() - Start a capture.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_start(void)
{
	int ret = control_write("enable", "1");

	if (ret == -ENOMEM)
		control_tell_memory();
	if (ret == -EBUSY && ftrace_is_off())
		msg_error("kernel.ftrace_enabled is 0, and an event needs ftrace: sysctl kernel.ftrace_enabled=1");
	return ret;
}

static bool internal(unsigned int i)
{
	return !strcmp(events[i].family, "meta") || !strcmp(events[i].family, "dump") ||
	       !strcmp(events[i].family, "cpu");
}

static int apply_events(u64 mask)
{
	char path[64];
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < OVNIK_NR_EVENTS; i++) {
		if (!events[i].name || internal(i))
			continue;
		snprintf(path, sizeof(path), "events/%s/enable", events[i].name);
		ret = control_write(path, mask >> i & 1 ? "1" : "0");
	}
	return ret;
}

/*
 * The largest sub-buffer that leaves eight of them: fewer, and much is lost at
 * once; more, and headers and readers cost more.
 */
static u32 subbuf_size(u64 buffer_size)
{
	u32 size = 256 << 10;

	while (size > OVNIK_SUBBUF_MIN && size * 8ULL > buffer_size)
		size /= 2;
	return size;
}

static int apply_sizes(u64 buffer_size)
{
	u32 subbuf = subbuf_size(buffer_size);
	char text[24], smallest[24];
	int ret;

	/* Whole sub-buffers only; first small ones, that go into any buffer. */
	snprintf(smallest, sizeof(smallest), "%u", OVNIK_SUBBUF_MIN);
	ret = control_write("subbuf_size", smallest);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%llu", buffer_size / subbuf * subbuf);
	ret = control_write("buffer_size", text);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%u", subbuf);
	return control_write("subbuf_size", text);
}

/* The module says no more than that the list is not valid. */
static int apply_pids(const char *pids)
{
	const char *pid;

	for (pid = pids; pid; pid = strchr(pid, ',')) {
		pid += *pid == ',';
		if (kill(strtol(pid, NULL, 10), 0) && errno == ESRCH) {
			msg_error("there is no process %.*s", (int)strcspn(pid, ","), pid);
			return -ESRCH;
		}
	}
	return control_write("filter_pid", pids ? pids : "");
}

/**
 * control_apply() - Set everything that the next capture depends on.
 * @settings: what it is to be like
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_apply(const struct settings *settings)
{
	int ret;

	ret = apply_events(settings->events);
	if (!ret)
		ret = apply_sizes(settings->buffer_size);
	if (!ret)
		ret = control_write("mode", settings->mode);
	if (!ret)
		ret = control_write("filter_children", settings->children ? "1" : "0");
	if (!ret)
		ret = apply_pids(settings->pids);
	return ret;
}

/**
 * control_clock() - Read both clocks as nearly at once as the kernel can.
 * @pair: is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_clock(struct clock_pair *pair)
{
	char text[CONTROL_TEXT];
	int ret = control_read("clock/now", text);

	if (!ret && sscanf(text, "%llu %llu %llu", &pair->tsc, &pair->ns, &pair->width) != 3)
		ret = -EPROTO;
	return ret;
}

static int event_by_name(const char *name)
{
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (events[i].name && !strcmp(events[i].name, name))
			return i;
	}
	return -1;
}

/**
 * control_cpu_stats() - Read what became of a CPU's events.
 * @cpu:   the CPU
 * @stats: per event number; is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_cpu_stats(unsigned int cpu, struct event_stats stats[OVNIK_NR_EVENTS])
{
	char text[CONTROL_TEXT], path[64], name[64];
	char *rest = text, *line;
	struct event_stats one;
	int ret, event;

	memset(stats, 0, OVNIK_NR_EVENTS * sizeof(*stats));
	snprintf(path, sizeof(path), "cpus/cpu%u/stats", cpu);
	ret = control_read(path, text);
	if (ret)
		return ret;
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%63s %llu %llu", name, &one.recorded, &one.lost) != 3)
			continue;
		event = event_by_name(name);
		if (event >= 0)
			stats[event] = one;
	}
	return 0;
}

/* "0-3,8": stored in @cpus, if that is given; returns how many there are. */
static int parse_cpu_list(const char *list, unsigned int *cpus)
{
	int nr = 0;
	char *end;

	while (*list >= '0' && *list <= '9') {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last; first++, nr++) {
			if (cpus)
				cpus[nr] = first;
		}
		list = *end == ',' ? end + 1 : end;
	}
	return nr;
}

/**
 * control_cpu_list() - Read one of the machine's lists of CPUs.
 * @which: "online", or "possible": with those that may yet come
 * @list:  is set, for control_parse_cpus()
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_cpu_list(const char *which, char list[CONTROL_TEXT])
{
	char path[64];
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", which);
	file = fopen(path, "re");
	if (!file || !fgets(list, CONTROL_TEXT, file)) {
		msg_error("%s: %s", path, strerror(errno));
		ret = -ENOENT;
	}
	if (file)
		fclose(file);
	return ret;
}

/**
 * control_parse_cpus() - Take a list of CPUs apart.
 * @list: of control_cpu_list()
 * @cpus: is set to an array that the caller frees
 *
 * Return: how many; -ENOMEM.
 */
int control_parse_cpus(const char *list, unsigned int **cpus)
{
	int nr = parse_cpu_list(list, NULL);

	*cpus = calloc(nr ? nr : 1, sizeof(**cpus));
	if (!*cpus)
		return -ENOMEM;
	return parse_cpu_list(list, *cpus);
}
