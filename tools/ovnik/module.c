// SPDX-License-Identifier: GPL-2.0-only
/* The module as back end: /sys/kernel/ovnik and /dev/ovnik/cpuN. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "lock.h"
#include "signals.h"
#include "system.h"
#include "unsupported.h"
#include "capture/events.h"
#include "util/msg.h"

#define ROOT "/sys/kernel/ovnik/"

/* Older modules know no owner: their captures have none. */
static bool lacks_owner(const char *name)
{
	return !strcmp(name, "owner") && access(ROOT "owner", F_OK);
}

static bool module_present(void)
{
	return !access(ROOT, F_OK);
}

static int module_read(const char *name, char text[CONTROL_TEXT])
{
	char path[256];
	ssize_t len;
	int fd, ret = 0;

	/* The module has no other clock. */
	if (!strcmp(name, "clock/source")) {
		strcpy(text, "tsc");
		return 0;
	}
	if (lacks_owner(name)) {
		*text = '\0';
		return 0;
	}
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

/* Read a number; 0 after an error, which has been reported. */
static u64 read_number(const char *name)
{
	char text[CONTROL_TEXT];

	return module_read(name, text) ? 0 : strtoull(text, NULL, 10);
}

static int write_file(const char *name, const char *value)
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
		/* What was interrupted, the user knows. */
		if (ret != -EINTR)
			msg_error("%s: \"%s\": %s", path, value, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* The kernel waits for tasks that could run while hooks come and go: a moment, or minutes. */
#define LOOK_MS		100
#define HOOKS_MS	1000

/* Not on a stack: the thread may be left in the kernel, and ends with the program. */
static struct {
	char name[64];
	char value[CONTROL_TEXT];
	int ret;
	pthread_t thread;
	bool left;	/* in the kernel */
} change;

static void *write_change(void *unused)
{
	sigset_t set;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	change.ret = write_file(change.name, change.value);
	return NULL;
}

/* Has the thread ended within @ms? */
static bool has_ended(unsigned int ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += ms * 1000000L;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	return !pthread_clockjoin_np(change.thread, NULL, CLOCK_MONOTONIC, &end);
}

static void on_give_up(int signo)
{
	(void)signo;
}

/* The thread's write returns: a signal of the user's is blocked, or would end the program. */
static void give_up(void)
{
	struct sigaction action = { .sa_handler = on_give_up };

	sigaction(SIGRTMIN, &action, NULL);
	pthread_kill(change.thread, SIGRTMIN);
}

static int wait_for_start(void)
{
	unsigned int ms;

	for (ms = LOOK_MS; !has_ended(LOOK_MS); ms += LOOK_MS) {
		if (signals_any_pending())
			give_up();
		if (ms == HOOKS_MS)
			msg_info("the kernel waits for all tasks that could run, before hooks come and go");
	}
	if (change.ret == -EINTR)
		msg_error("interrupted before anything was recorded");
	return change.ret;
}

/* All was recorded as soon as "enable" reads 0. The rest is left to wait_for_hooks(). */
static int wait_for_stop(void)
{
	unsigned int ms;

	for (ms = LOOK_MS; !has_ended(LOOK_MS); ms += LOOK_MS) {
		change.left = ms >= HOOKS_MS && !read_number("enable");
		if (change.left)
			return 0;
	}
	return change.ret;
}

/*
 * What was recorded is saved. Who unloads the module next, or attaches BPF programs, expects that
 * no hook is left; who cannot wait for that has signals.
 */
static void wait_for_hooks(void)
{
	if (!change.left)
		return;
	msg_info("all is saved; the kernel is still removing the hooks, which takes longer on a busy machine (^C does no harm)");
	while (!has_ended(LOOK_MS) && !signals_any_pending())
		;
	change.left = false;
}

/* A thread waits in the kernel, so that this one need not. */
static int write_apart(const char *name, const char *value)
{
	int ret;

	wait_for_hooks();
	snprintf(change.name, sizeof(change.name), "%s", name);
	snprintf(change.value, sizeof(change.value), "%s", value);
	ret = pthread_create(&change.thread, NULL, write_change, NULL);
	if (ret) {
		msg_error("cannot create a thread: %s", strerror(ret));
		return -ret;
	}
	return strcmp(name, "enable") || *value == '1' ? wait_for_start() : wait_for_stop();
}

/* Those that wait for hooks to come or go. */
static bool may_wait(const char *name)
{
	return !strcmp(name, "enable") || !strcmp(name, "buffer_size") || !strcmp(name, "subbuf_size");
}

static void mark_unsupported(const char *event, const char *hook)
{
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name && !strcmp(event_table[i].name, event))
			unsupported_add(1ULL << i, "this kernel has nothing to hook called %s",
					hook);
	}
}

/* The file does not change while the module is loaded. */
static const char *read_lack(void)
{
	static char text[CONTROL_TEXT];
	static bool known;

	if (!known && (access(ROOT "lack", F_OK) || module_read("lack", text)))
		*text = '\0';
	known = true;
	return text;
}

/* Mark events that the module cannot record: @wanted; NULL: all. Return: how many. */
static int mark_lacking(const char *wanted)
{
	char text[CONTROL_TEXT], *rest = text, *line;
	int nr = 0;

	strcpy(text, read_lack());
	while ((line = strsep(&rest, "\n"))) {
		char *event = strsep(&line, " ");

		if (!line || (wanted && strcmp(event, wanted)))
			continue;
		mark_unsupported(event, line);
		nr++;
	}
	return nr;
}

/* Of an event that stays off: events/EVENT/enable. */
static bool stays_off(const char *name, const char *value)
{
	char event[64];

	return !strcmp(value, "1") && sscanf(name, "events/%63[^/]", event) == 1 &&
	       mark_lacking(event);
}

static int module_write(const char *name, const char *value)
{
	if (stays_off(name, value))
		return 0;
	if (lacks_owner(name)) {
		if (*value)
			msg_error("--private: the loaded module is too old for this: load the module of this version");
		return *value ? -ENOENT : 0;
	}
	return may_wait(name) ? write_apart(name, value) : write_file(name, value);
}

static int module_check(void)
{
	u64 version;

	if (!module_present()) {
		msg_error("the module is not loaded: insmod ovnik.ko");
		return -ENODEV;
	}
	if (euidaccess(ROOT "format_version", R_OK)) {
		msg_error("no permission to read the files in " ROOT ": only root has it, or members of the group that the module was loaded with (gid=)");
		return -EPERM;
	}
	version = read_number("format_version");
	if (!version)
		return -ENODEV;
	if (version != OVNIK_FORMAT_VERSION) {
		msg_error("the module writes format %llu, this program reads format %d",
			  version, OVNIK_FORMAT_VERSION);
		return -EPROTO;
	}
	return 0;
}

static int module_may_record(void)
{
	/* Where there is no module, others say so. */
	if (!euidaccess(ROOT "enable", W_OK) || errno == ENOENT)
		return 0;
	msg_error("no permission to write " ROOT "enable: only root may record, or members of the group that the module was loaded with (gid=)");
	return -EPERM;
}

static u64 module_describe(struct json_object *meta)
{
	mark_lacking(NULL);
	unsupported_describe(meta);
	return 0;
}

static void module_end(void)
{
	lock_drop();
	wait_for_hooks();
}

static int module_remove(void)
{
	wait_for_hooks();
	return 0;
}

/* The module needs no loading or pinning; others may read while one program records. */
static int module_nothing(void)
{
	return 0;
}

static bool ftrace_is_off(void)
{
	char line[16];

	system_line("/proc/sys/kernel/ftrace_enabled", line, sizeof(line));
	return *line == '0';
}

static void module_explain_start(int error)
{
	if (error != -EBUSY)
		return;
	if (read_number("enable") == 1)
		msg_error("another program has just started a capture; \"ovnik stop\" stops it");
	else if (ftrace_is_off())
		msg_error("an event needs ftrace, but kernel.ftrace_enabled is 0: run sysctl kernel.ftrace_enabled=1");
	else
		msg_error("another program is starting a capture, or a program (BPF perhaps) hooks handle_mm_fault(): leave out page_fault_end");
}

/* How long a reader waits for data before it looks again. */
#define POLL_MS		100

/* How long to wait between looks while no capture runs. */
#define HANGUP_US	2000

static int module_open(struct reader *reader)
{
	char path[64];
	int ret;

	if (reader->dump)
		strcpy(path, "/dev/ovnik/dump");
	else
		snprintf(path, sizeof(path), "/dev/ovnik/cpu%u", reader->cpu);
	reader->in = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (reader->in >= 0)
		return 0;
	ret = -errno;
	msg_error("%s: %s", path, ret == -EBUSY ? "another program is reading it" : strerror(-ret));
	return ret;
}

static int module_map(struct reader *reader)
{
	void *map;

	map = mmap(NULL, OVNIK_MAP_DATA, PROT_READ | PROT_WRITE, MAP_SHARED, reader->in, 0);
	if (map == MAP_FAILED)
		goto err;
	reader->control = map;
	/* Skip what an earlier capture left. */
	if (!reader->started)
		reader->control->tail = reader->control->head;
	reader->size = (size_t)reader->control->nr_subbufs * reader->control->subbuf_size;
	map = mmap(NULL, reader->size, PROT_READ, MAP_SHARED, reader->in, OVNIK_MAP_DATA);
	if (map == MAP_FAILED)
		goto err;
	reader->data = map;
	return 0;
err:
	msg_error("/dev/ovnik/cpu%u: map: %s", reader->cpu, strerror(errno));
	return -errno;
}

static void module_close(struct reader *reader)
{
	if (reader->data)
		munmap((void *)reader->data, reader->size);
	if (reader->control)
		munmap((void *)reader->control, OVNIK_MAP_DATA);
	if (reader->in >= 0)
		close(reader->in);
}

static const struct ovnik_subbuf *module_next(struct reader *reader, int *error)
{
	volatile struct ovnik_control *control = reader->control;
	const struct ovnik_subbuf *sb;
	u64 seq = control->tail;

	*error = 0;
	if (seq >= __atomic_load_n(&control->head, __ATOMIC_ACQUIRE))
		return NULL;
	sb = reader->data + (size_t)(seq % control->nr_subbufs) * control->subbuf_size;
	return __atomic_load_n(&sb->committed, __ATOMIC_ACQUIRE) == sb->used ? sb : NULL;
}

static void module_release(struct reader *reader)
{
	__atomic_store_n(&reader->control->tail, reader->control->tail + 1, __ATOMIC_RELEASE);
}

/* poll() returns POLLHUP while no capture runs. */
static bool module_wait(struct reader *reader)
{
	struct pollfd pfd = { .fd = reader->in, .events = POLLIN };

	poll(&pfd, 1, POLL_MS);
	if (!(pfd.revents & POLLHUP))
		return true;
	usleep(HANGUP_US);
	return false;
}

static bool module_has_data(const struct reader *reader)
{
	struct pollfd pfd = { .fd = reader->in, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLIN);
}

/* Read @len bytes. Return: 1; 0 at the end; a negative errno. */
static int read_whole(struct reader *reader, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(reader->in, (char *)buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (!n || (n < 0 && errno == EAGAIN && !done))
			return 0;
		if (n < 0)
			return -errno;
		done += n;
	}
	return 1;
}

/*
 * Stop at what is closed now, or copying might never end. In overwrite mode there is no
 * map, and the module stops by itself.
 */
static u64 end_of(const struct reader *reader)
{
	const volatile struct ovnik_control *control;
	u64 end;

	control = mmap(NULL, OVNIK_MAP_DATA, PROT_READ, MAP_SHARED, reader->in, 0);
	if (control == MAP_FAILED)
		return ~0ULL;
	end = control->head;
	munmap((void *)control, OVNIK_MAP_DATA);
	return end;
}

static int module_copy(struct reader *reader, struct ovnik_subbuf *sb)
{
	const size_t header = OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS);
	int ret;

	if (!reader->begun)
		reader->end = end_of(reader);
	reader->begun = true;
	/* A sub-buffer stays in the ring until all of it has been read. */
	ret = read_whole(reader, sb, header);
	if (ret <= 0 || sb->seq >= reader->end)
		return ret < 0 ? ret : 0;
	if (sb->header_size != header || sb->used < header || sb->used > OVNIK_SUBBUF_MAX)
		return -EPROTO;
	return read_whole(reader, (char *)sb + header, sb->used - header);
}

static const struct source module_source = {
	.dump_apart	= true,
	.open		= module_open,
	.map		= module_map,
	.close		= module_close,
	.next		= module_next,
	.release	= module_release,
	.wait		= module_wait,
	.has_data	= module_has_data,
	.copy		= module_copy,
};

const struct backend backend_module = {
	.name		= "module",
	.present	= module_present,
	.check		= module_check,
	.may_record	= module_may_record,
	.read		= module_read,
	.write		= module_write,
	.explain_start	= module_explain_start,
	.prepare	= unsupported_report,
	.end		= module_end,
	.describe	= module_describe,
	.lock		= module_nothing,
	.keep		= module_nothing,
	.remove		= module_remove,
	.source		= &module_source,
};
