// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF back end: settings, start and stop. Settings are kept here until the probes are
 * loaded, because some cannot change afterwards. bpf_show.c reads settings and figures.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "bpf.h"
#include "capture/events.h"
#include "lock.h"
#include "system.h"
#include "unsupported.h"
#include "util/msg.h"

static int set_pids(const char *value)
{
	u32 nr = 0;
	char *end;

	while (*value) {
		if (nr == OVNIK_BPF_PIDS_MAX) {
			msg_error("more than %d processes", OVNIK_BPF_PIDS_MAX);
			return -EINVAL;
		}
		bpf_settings.pids[nr++] = strtoul(value, &end, 10);
		if (end == value)
			return -EINVAL;
		value = end + strspn(end, " ,\n");
	}
	bpf_settings.nr_pids = nr;
	return 0;
}

/* An empty one: there is none. */
static void set_owner(const char *value)
{
	bpf_settings.private = *value;
	bpf_settings.owner = strtoul(value, NULL, 10);
}

static void set_event(const char *name, bool on)
{
	const char *slash = strchr(name, '/');
	unsigned int nr = slash ? event_by_name(name, slash - name) : 0;

	if (!nr)
		return;
	bpf_settings.events &= ~(1ULL << nr);
	bpf_settings.events |= (u64)on << nr;
}

static int mark_process(u32 pid)
{
	struct dirent *entry;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir) {
		msg_error("there is no process %u", pid);
		return -ESRCH;
	}
	while ((entry = readdir(dir))) {
		u32 tid = strtoul(entry->d_name, NULL, 10);

		if (tid && tid < OVNIK_BPF_TIDS_MAX)
			__atomic_fetch_or(&probes.shared->filter[tid / 64], 1ULL << tid % 64,
					  __ATOMIC_RELAXED);
	}
	closedir(dir);
	return 0;
}

/* Mark the threads that exist now; a new thread inherits the mark from its creator. */
static int mark_pids(void)
{
	u32 i;

	for (i = 0; i < probes.config->nr_pids; i++) {
		int ret = mark_process(probes.config->pids[i]);

		if (ret)
			return ret;
	}
	return 0;
}

static int arm_filter(void)
{
	int ret;

	memset(probes.shared->filter, 0, sizeof(probes.shared->filter));
	memcpy(probes.config->pids, bpf_settings.pids, sizeof(bpf_settings.pids));
	probes.config->nr_pids = bpf_settings.nr_pids;
	probes.config->children = bpf_settings.children;
	probes.config->filter = bpf_settings.nr_pids > 0;
	if (!bpf_settings.nr_pids)
		return 0;
	if (!system_has_global_pids()) {
		msg_error("-p does not work in a PID namespace: the probes see the PIDs of the initial one");
		return -EPERM;
	}
	ret = mark_pids();
	/* The second pass finds threads whose creator had no mark during the first. */
	if (!ret)
		ret = bpf_wait_for_probes();
	return ret ? ret : mark_pids();
}

/**
 * bpf_switch_off() - Stop recording; probes that already run may still write.
 *
 * Not inlined, because the tests put a uprobe here.
 */
__attribute__((noinline)) void bpf_switch_off(void)
{
	__atomic_store_n(&probes.config->events, 0, __ATOMIC_RELEASE);
}

/*
 * The mappings of now are those of the end of the history; in overwrite mode the start may be
 * too long ago.
 */
static int stop(void)
{
	int ret = 0, error;

	if (!bpf_loaded())
		return 0;
	/* Without the lock, nothing is saved, and another program may take a statedump. */
	if (bpf_running() && probes.config->overwrite && lock_is_held())
		ret = bpf_dump_take_last();
	bpf_switch_off();
	/* Afterwards no probe opens a sub-buffer that is closed below. */
	error = bpf_wait_for_probes();
	if (!error)
		error = bpf_rings_close_all();
	return ret ? ret : error;
}

/* A flight recorder has no readers that create the rings. */
static int make_rings(void)
{
	char list[CPUS_TEXT];
	unsigned int *cpus;
	int i, nr, fd = 0;

	if (bpf_rings_any())
		return 0;
	if (cpus_list("possible", list))
		return -ENOENT;
	nr = cpus_parse(list, &cpus);
	if (nr < 0)
		return nr;
	for (i = 0; fd >= 0 && i < nr; i++)
		fd = bpf_ring_of(cpus[i], true);
	free(cpus);
	return fd < 0 ? fd : 0;
}

/* Clear the system calls of an earlier capture. */
static int forget_calls(void)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);
	size_t size;
	void *map;
	int ret;

	ret = bpf_obj_get_info_by_fd(probes.calls, &info, &len);
	if (ret)
		return ret;
	size = (size_t)info.max_entries * info.value_size;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, probes.calls, 0);
	if (map == MAP_FAILED) {
		msg_error("calls of the probes: %s", strerror(errno));
		return -errno;
	}
	memset(map, 0, size);
	munmap(map, size);
	return 0;
}

/* The probes are attached but disabled; setting config->events starts all at once. */
static int start(void)
{
	struct ovnik_bpf_config *config = probes.config;
	int ret;

	ret = make_rings();
	if (!ret)
		ret = bpf_rings_reset();
	if (!ret)
		ret = forget_calls();
	if (ret)
		return ret;
	config->overwrite = bpf_settings.overwrite;
	config->private = bpf_settings.private;
	config->owner = bpf_settings.owner;
	/* A killed program may have left it set. */
	probes.dump->apart = 0;
	config->session = system_clock_ns(CLOCK_REALTIME);
	ret = arm_filter();
	if (ret)
		return ret;
	bpf_missed_begin();
	__atomic_store_n(&config->events, bpf_settings.events & ~unsupported(),
			 __ATOMIC_RELEASE);
	ret = config->overwrite ? bpf_dump_first() : bpf_dump_into_rings();
	if (ret) {
		bpf_switch_off();
		stop();
	}
	return ret;
}

static int enable(bool on)
{
	return on ? start() : stop();
}

static int snapshot_now(void)
{
	bool overwrite = probes.config->overwrite;
	int ret = 0, error;

	if (bpf_running())
		ret = overwrite ? bpf_dump_take() : bpf_dump_into_rings();
	else if (overwrite)
		bpf_dump_find_last();
	error = overwrite && bpf_running() ? bpf_rings_mark_all() : bpf_rings_close_all();
	return ret ? ret : error;
}

static int set(const char *name, const char *value)
{
	bool on = !strcmp(value, "1");

	if (!strcmp(name, "enable"))
		return enable(on);
	if (!strcmp(name, "snapshot"))
		return snapshot_now();
	if (!strcmp(name, "filter_pid"))
		return set_pids(value);
	if (!strcmp(name, "owner"))
		set_owner(value);
	else if (!strcmp(name, "mode"))
		bpf_settings.overwrite = !strcmp(value, "overwrite");
	else if (!strcmp(name, "buffer_size"))
		bpf_settings.buffer_size = strtoull(value, NULL, 10);
	else if (!strcmp(name, "filter_children"))
		bpf_settings.children = on;
	else if (!strncmp(name, "events/", 7))
		set_event(name + 7, on);
	else if (strcmp(name, "subbuf_size"))	/* derived from buffer_size */
		return -ENOENT;
	return 0;
}

static int bpf_write(const char *name, const char *value)
{
	int ret = set(name, value);

	if (ret == -EINVAL || ret == -ENOENT)
		msg_error("the BPF back end does not accept \"%s\" for \"%s\"", value, name);
	return ret;
}

static int take_lock(void)
{
	return lock_take("bpf");
}

static int bpf_check(void)
{
	int nr = libbpf_num_possible_cpus();

	/* One ring is for the statedump. */
	if (nr <= 0 || nr >= OVNIK_BPF_CPUS_MAX) {
		msg_error("the BPF back end supports at most %d CPUs", OVNIK_BPF_CPUS_MAX - 1);
		return -E2BIG;
	}
	return bpf_pins_there() && !bpf_loaded() ? bpf_pins_open() : 0;
}

static int bpf_may_record(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	const u64 needed = 1ULL << CAP_BPF | 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN;
	u64 have;

	if (syscall(SYS_capget, &header, data))
		return 0;	/* the kernel will report it */
	have = data[0].effective | (u64)data[1].effective << 32;
	if ((have & needed) == needed)
		return 0;
	msg_error("the BPF back end needs root, or CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN and CAP_SYSLOG");
	return -EPERM;
}

static int prepare_pinned(void)
{
	u64 size = (u64)probes.nr_subbufs * probes.subbuf_size;
	int ret;

	if (size != bpf_settings.buffer_size) {
		msg_error("the pinned probes have buffers of %llu KiB; -b cannot change that",
			  size / 1024);
		return -EINVAL;
	}
	/* Discard what an earlier capture left, before the readers start. */
	ret = bpf_rings_reset();
	if (!ret)
		ret = bpf_probes_learn(bpf_settings.events);
	return ret ? ret : unsupported_report();
}

/* The kernel checks the probes for seconds: a terminal is not left without a word. */
static void show_loading(const char *text)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s", text);
}

static int bpf_prepare(void)
{
	int ret;

	if (probes.pinned)
		return prepare_pinned();
	show_loading("loading the probes");
	ret = bpf_probes_load(&bpf_settings);
	show_loading("");
	return ret ? ret : bpf_probes_attach(&bpf_settings);
}

static void bpf_end(void)
{
	bpf_kept_forget();
	bpf_probes_unload();
	lock_drop();
}

static int bpf_keep(void)
{
	int ret = bpf_probes_pin();

	if (ret)
		return ret;
	ret = bpf_dump_pin_first();
	if (ret)
		bpf_pins_remove();
	return ret;
}

static u64 bpf_describe(struct json_object *meta)
{
	bpf_probes_describe(meta);
	return bpf_missed_describe(meta);
}

const struct backend backend_bpf = {
	.name		= "bpf",
	.present	= bpf_pins_there,
	.check		= bpf_check,
	.may_record	= bpf_may_record,
	.read		= bpf_show,
	.write		= bpf_write,
	.prepare	= bpf_prepare,
	.end		= bpf_end,
	.lock		= take_lock,
	.describe	= bpf_describe,
	.keep		= bpf_keep,
	.remove		= bpf_pins_remove,
	.source		= &bpf_source,
};
