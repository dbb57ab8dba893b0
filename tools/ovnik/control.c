// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control of a capture, with either back end. Settings and figures have the names of the
 * module's files in /sys/kernel/ovnik (Documentation/ABI/testing/sysfs-kernel-ovnik).
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "capture/events.h"
#include "control.h"
#include "lock.h"
#include "util/msg.h"

const struct backend *backend = &backend_module;
static bool chosen;

/**
 * control_select() - Choose the back end.
 * @name: "module", "bpf", or "auto": the module if it is loaded
 *
 * Return: 0; -EINVAL if there is no such back end.
 */
int control_select(const char *name)
{
	if (!strcmp(name, "module"))
		backend = &backend_module;
	else if (!strcmp(name, "bpf"))
		backend = &backend_bpf;
	else if (!strcmp(name, "auto"))
		backend = backend_module.present() ? &backend_module : &backend_bpf;
	else
		return -EINVAL;
	chosen = strcmp(name, "auto");
	return 0;
}

/**
 * control_read_u64() - Read a setting or figure that is a number.
 * @name:  its name
 * @value: is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_read_u64(const char *name, u64 *value)
{
	char text[CONTROL_TEXT];
	int ret = backend->read(name, text);

	*value = ret ? 0 : strtoull(text, NULL, 10);
	return ret;
}

/**
 * control_is_chosen() - Did the user choose a back end?
 *
 * Return: true after "module" or "bpf", false after "auto".
 */
bool control_is_chosen(void)
{
	return chosen;
}

/* Did the user not choose between two back ends that are loaded? */
static bool is_ambiguous(void)
{
	return !chosen && backend_module.present() && backend_bpf.present();
}

/**
 * control_must_be_there() - Check that the back end is loaded.
 *
 * Return: 0; -ENOENT or -EINVAL, which has been reported.
 */
int control_must_be_there(void)
{
	if (is_ambiguous()) {
		msg_error("both the module and BPF probes are loaded: choose one with --backend");
		return -EINVAL;
	}
	if (backend->present())
		return 0;
	if (!chosen)
		msg_error("the module is not loaded, and no BPF probes are pinned");
	else if (backend == &backend_module)
		msg_error("the module is not loaded");
	else
		msg_error("no BPF probes are pinned");
	return -ENOENT;
}

/**
 * control_running() - Is a capture running?
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
 * control_must_be_idle() - Check that no capture is running.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_must_be_idle(void)
{
	int running = control_running();
	char text[LOCK_TEXT];
	pid_t holder;

	if (running <= 0)
		return running;
	holder = lock_holder(backend->name);
	if (holder) {
		lock_describe(holder, text);
		msg_error("a capture is already running (%s); \"ovnik stop\" stops it", text);
	} else {
		msg_error("a capture is already running, and no program reads it; \"ovnik stop -o DIR\" stops it and saves what the buffers hold");
	}
	return -EBUSY;
}

/**
 * control_report_memory() - Report which buffer size was too large, after ENOMEM.
 */
void control_report_memory(void)
{
	char size[CONTROL_TEXT];

	if (!backend->read("buffer_size", size))
		msg_error("no memory for %llu KiB per CPU: try a smaller -b",
			  strtoull(size, NULL, 10) / 1024);
}

/**
 * control_start() - Start a capture.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_start(void)
{
	int ret = backend->write("enable", "1");

	if (ret == -ENOMEM)
		control_report_memory();
	if (ret && backend->explain_start)
		backend->explain_start(ret);
	return ret;
}

static int apply_events(u64 mask)
{
	char path[64];
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < OVNIK_NR_EVENTS; i++) {
		if (!event_table[i].name || OVNIK_EVENTS_INTERNAL >> i & 1)
			continue;
		snprintf(path, sizeof(path), "events/%s/enable", event_table[i].name);
		ret = backend->write(path, mask >> i & 1 ? "1" : "0");
	}
	return ret;
}

static int apply_sizes(u64 buffer_size)
{
	u32 subbuf = ovnik_subbuf_size(buffer_size);
	char text[24], smallest[24];
	int ret;

	/* A buffer holds whole sub-buffers; the smallest fit into any buffer, so set them first. */
	snprintf(smallest, sizeof(smallest), "%u", OVNIK_SUBBUF_MIN);
	ret = backend->write("subbuf_size", smallest);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%llu", buffer_size / subbuf * subbuf);
	ret = backend->write("buffer_size", text);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%u", subbuf);
	return backend->write("subbuf_size", text);
}

/* Name the missing process: the module reports only that the list is not valid. */
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
	return backend->write("filter_pid", pids ? pids : "");
}

/**
 * control_prepare() - Get ready for a capture; backend->end() undoes it.
 * @settings: its settings
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_prepare(const struct settings *settings)
{
	/* The module's settings are those of another program's capture, too. */
	int ret = lock_take(backend->name);

	if (!ret)
		ret = apply_events(settings->events);
	if (!ret)
		ret = apply_sizes(settings->buffer_size);
	if (!ret)
		ret = backend->write("mode", settings->mode);
	if (!ret)
		ret = backend->write("filter_children", settings->children ? "1" : "0");
	if (!ret)
		ret = apply_pids(settings->pids);
	if (!ret)
		ret = backend->write("owner", settings->owner ? settings->owner : "");
	if (!ret && settings->refs_tree)
		ret = backend->write("refs", "tree");
	return ret ? ret : backend->prepare();
}

/**
 * control_clock() - Read both clocks as close together as the kernel can.
 * @pair: is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_clock(struct clock_pair *pair)
{
	char text[CONTROL_TEXT];
	int ret = backend->read("clock/now", text);

	if (!ret && sscanf(text, "%llu %llu %llu", &pair->tsc, &pair->ns, &pair->width) != 3)
		ret = -EPROTO;
	return ret;
}

/**
 * control_cpu_stats() - Read how many of a CPU's events were recorded and lost.
 * @cpu:   the CPU; CONTROL_DUMP: the statedump, where it has a ring of its own
 * @stats: by event number; is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int control_cpu_stats(unsigned int cpu, struct event_stats stats[OVNIK_NR_EVENTS])
{
	char text[CONTROL_TEXT], path[64], name[64];
	char *rest = text, *line;
	struct event_stats one;
	unsigned int event;
	int ret;

	memset(stats, 0, OVNIK_NR_EVENTS * sizeof(*stats));
	if (cpu == CONTROL_DUMP)
		strcpy(path, "cpus/dump/stats");
	else
		snprintf(path, sizeof(path), "cpus/cpu%u/stats", cpu);
	ret = backend->read(path, text);
	if (ret)
		return ret;
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%63s %llu %llu", name, &one.recorded, &one.lost) != 3)
			continue;
		event = event_by_name(name, strlen(name));
		if (event)
			stats[event] = one;
	}
	return 0;
}
