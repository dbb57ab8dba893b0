// SPDX-License-Identifier: GPL-2.0-only
/* ovnik.ko: load, unload, and the parameters of insmod. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "access.h"
#include "capture.h"
#include "clock.h"
#include "config.h"
#include "control.h"
#include "dev.h"
#include "events.h"
#include "filter.h"
#include "kfunc.h"
#include "ovnik_version.h"
#include "parse.h"
#include "probe.h"

#ifndef CONFIG_X86_64
#error "ovnik stamps with the TSC and is made for x86-64"
#endif

static bool enable;
module_param(enable, bool, 0);
MODULE_PARM_DESC(enable, "start a capture at once (default: no)");

static char *buffer_size;
module_param(buffer_size, charp, 0);
MODULE_PARM_DESC(buffer_size, "bytes per CPU, K, M or G may follow (default: 4M)");

static char *subbuf_size;
module_param(subbuf_size, charp, 0);
MODULE_PARM_DESC(subbuf_size, "bytes of a sub-buffer, a power of two (default: 256K, or less for a small buffer)");

static char *mode;
module_param(mode, charp, 0);
MODULE_PARM_DESC(mode, "discard (default): keep the oldest events; overwrite: the newest");

static char *events;
module_param(events, charp, 0);
MODULE_PARM_DESC(events, "events or families to record, comma-separated (default: all)");

static char *filter_pid;
module_param(filter_pid, charp, 0);
MODULE_PARM_DESC(filter_pid, "record only these processes (default: all)");

static int gid;
module_param(gid, int, 0);
MODULE_PARM_DESC(gid, "number of a group whose members may record and read, too (default: root only)");

/* Switch on every event of this name or family. */
static int add_events(unsigned long *set, const char *name)
{
	int i, found = 0;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		const struct ovnik_event_info *info = &ovnik_events[i];
		bool named;

		if (!info->name)
			continue;
		named = !strcmp(info->name, name) || !strcmp(info->family, name);
		if ((info->internal || named) && !ovnik_probes_lack(i))
			set_bit(i, set);
		found += named;
	}
	return found ? 0 : -EINVAL;
}

static int set_events(char *list)
{
	DECLARE_BITMAP(set, OVNIK_NR_EVENTS) = {};
	char *name;

	while ((name = strsep(&list, ",")) != NULL) {
		if (add_events(set, name)) {
			pr_err("events: no event or family is called \"%s\"\n", name);
			return -EINVAL;
		}
	}
	bitmap_copy(ovnik_config.events, set, OVNIK_NR_EVENTS);
	return 0;
}

static int set_sizes(void)
{
	u64 buffer = ovnik_config.buffer_size, subbuf;

	if (buffer_size && ovnik_parse_size(buffer_size, &buffer))
		return -EINVAL;
	subbuf = ovnik_subbuf_size(buffer);
	if (subbuf_size && ovnik_parse_size(subbuf_size, &subbuf))
		return -EINVAL;
	if (subbuf > OVNIK_SUBBUF_MAX)
		return -EINVAL;
	return ovnik_capture_resize(buffer, subbuf);
}

static int apply_parameters(void)
{
	int ret;

	ret = set_sizes();
	if (ret) {
		pr_err("buffer_size=%s subbuf_size=%s: sub-buffers are a power of two from 4K to 16M, a buffer is a multiple of theirs, at least twice, at most 1G\n",
		       buffer_size ?: "", subbuf_size ?: "");
		return ret;
	}
	if (mode && ovnik_parse_mode(mode, &ovnik_config.overwrite)) {
		pr_err("mode: must be discard or overwrite, not \"%s\"\n", mode);
		return -EINVAL;
	}
	ret = events ? set_events(events) : 0;
	if (ret)
		return ret;
	ret = gid ? ovnik_access_set_group(gid) : 0;
	if (ret) {
		pr_err("gid: %d is not the number of a group\n", gid);
		return ret;
	}
	ret = filter_pid ? ovnik_filter_set(filter_pid) : 0;
	if (ret) {
		pr_err("filter_pid: \"%s\" is not a list of existing processes\n", filter_pid);
		return ret;
	}
	return enable ? ovnik_capture_start() : 0;
}

static int parameters_init(void)
{
	int ret;

	mutex_lock(&ovnik_lock);
	ret = apply_parameters();
	mutex_unlock(&ovnik_lock);
	/* A module is not loaded again by itself. */
	return ret == -ERESTARTSYS ? -EINTR : ret;
}

/* Done in this order, undone in reverse. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} steps[] = {
	{ ovnik_clock_init, NULL },
	{ ovnik_capture_init, ovnik_capture_exit },
	{ parameters_init, NULL },	/* before users have access: may fail */
	{ ovnik_dev_init, ovnik_dev_exit },
	{ ovnik_control_init, ovnik_control_exit },
	{ ovnik_kfunc_init, NULL },
};

static void undo_steps(int done)
{
	while (--done >= 0) {
		if (steps[done].exit)
			steps[done].exit();
	}
}

static int __init ovnik_init(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		ret = steps[i].init();
		if (ret) {
			undo_steps(i);
			return ret;
		}
	}
	return 0;
}

static void __exit ovnik_exit(void)
{
	undo_steps(ARRAY_SIZE(steps));
}

module_init(ovnik_init);
module_exit(ovnik_exit);

MODULE_AUTHOR("The ovnik developers");
MODULE_DESCRIPTION("Whole-system recorder: scheduling, tasks, memory, page cache, files");
MODULE_LICENSE("GPL");
MODULE_VERSION(OVNIK_VERSION);
