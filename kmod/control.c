// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/ovnik/: see Documentation/ABI/testing/sysfs-kernel-ovnik. Input is parsed
 * completely before anything changes.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <asm/tsc.h>

#include "access.h"
#include "capture.h"
#include "clock.h"
#include "config.h"
#include "control.h"
#include "events.h"
#include "filter.h"
#include "owner.h"
#include "parse.h"
#include "probe.h"
#include "stats.h"

static struct kobject *root;
static struct kobject *clock_dir;

/* Settings change only while no capture runs or starts. */
static ssize_t change_stopped(size_t count, int (*change)(const void *value), const void *value)
{
	int ret;

	ret = mutex_lock_killable(&ovnik_lock);
	if (ret)
		return ret;
	ret = ovnik_capture_begun() ? -EBUSY : change(value);
	mutex_unlock(&ovnik_lock);
	return ret ? ret : count;
}

static ssize_t enable_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", ovnik_capture_running());
}

static ssize_t enable_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	bool on;
	int ret;

	if (ovnik_parse_flag(buf, &on))
		return -EINVAL;
	ret = mutex_lock_killable(&ovnik_lock);
	if (ret)
		return ret;
	ret = on ? ovnik_capture_start() : ovnik_capture_stop();
	mutex_unlock(&ovnik_lock);
	return ret ? ret : count;
}

static ssize_t snapshot_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t count)
{
	bool on;
	int ret;

	if (ovnik_parse_flag(buf, &on) || !on)
		return -EINVAL;
	ret = mutex_lock_killable(&ovnik_lock);
	if (ret)
		return ret;
	ret = ovnik_capture_snapshot();
	mutex_unlock(&ovnik_lock);
	return ret ? ret : count;
}

static ssize_t buffer_size_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", ovnik_config.buffer_size);
}

static ssize_t buffer_size_store(struct kobject *kobj, struct kobj_attribute *attr,
				 const char *buf, size_t count)
{
	u64 size;
	int ret;

	if (ovnik_parse_size(buf, &size))
		return -EINVAL;
	ret = mutex_lock_killable(&ovnik_lock);
	if (ret)
		return ret;
	ret = ovnik_capture_resize(size, ovnik_config.subbuf_size);
	mutex_unlock(&ovnik_lock);
	return ret ? ret : count;
}

static ssize_t subbuf_size_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", ovnik_config.subbuf_size);
}

static ssize_t subbuf_size_store(struct kobject *kobj, struct kobj_attribute *attr,
				 const char *buf, size_t count)
{
	u64 size;
	int ret;

	if (ovnik_parse_size(buf, &size) || size > OVNIK_SUBBUF_MAX)
		return -EINVAL;
	ret = mutex_lock_killable(&ovnik_lock);
	if (ret)
		return ret;
	ret = ovnik_capture_resize(ovnik_config.buffer_size, size);
	mutex_unlock(&ovnik_lock);
	return ret ? ret : count;
}

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", ovnik_config.overwrite ? "overwrite" : "discard");
}

static int change_mode(const void *value)
{
	ovnik_config.overwrite = *(const bool *)value;
	return 0;
}

static ssize_t mode_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	bool overwrite;

	if (ovnik_parse_mode(buf, &overwrite))
		return -EINVAL;
	return change_stopped(count, change_mode, &overwrite);
}

static ssize_t filter_pid_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	ssize_t len = mutex_lock_killable(&ovnik_lock);

	if (len)
		return len;
	len = ovnik_filter_show(buf);
	mutex_unlock(&ovnik_lock);
	return len;
}

static int change_filter(const void *value)
{
	return ovnik_filter_set(value);
}

static ssize_t filter_pid_store(struct kobject *kobj, struct kobj_attribute *attr,
				const char *buf, size_t count)
{
	return change_stopped(count, change_filter, buf);
}

static ssize_t filter_children_show(struct kobject *kobj, struct kobj_attribute *attr,
				    char *buf)
{
	return sysfs_emit(buf, "%d\n", ovnik_filter_children());
}

static int change_children(const void *value)
{
	ovnik_filter_set_children(*(const bool *)value);
	return 0;
}

static ssize_t filter_children_store(struct kobject *kobj, struct kobj_attribute *attr,
				     const char *buf, size_t count)
{
	bool on;

	if (ovnik_parse_flag(buf, &on))
		return -EINVAL;
	return change_stopped(count, change_children, &on);
}

static ssize_t owner_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	ssize_t len = mutex_lock_killable(&ovnik_lock);

	if (len)
		return len;
	len = ovnik_owner_show(buf);
	mutex_unlock(&ovnik_lock);
	return len;
}

static int change_owner(const void *value)
{
	ovnik_owner_set(*(const uid_t *)value);
	return 0;
}

static ssize_t owner_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			   size_t count)
{
	uid_t uid;

	if (ovnik_parse_uid(buf, &uid))
		return -EINVAL;
	return change_stopped(count, change_owner, &uid);
}

static const char *const refs_words[] = {
	[OVNIK_REFS_NONE] = "off",
	[OVNIK_REFS_ALL] = "all",
	[OVNIK_REFS_MATCHING] = "tree",
};

static ssize_t refs_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", refs_words[ovnik_config.refs]);
}

static int change_refs(const void *value)
{
	ovnik_config.refs = *(const int *)value;
	return 0;
}

static ssize_t refs_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	int refs;

	if (ovnik_parse_word(buf, refs_words, OVNIK_NR_REFS, &refs))
		return -EINVAL;
	return change_stopped(count, change_refs, &refs);
}

static ssize_t session_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", ovnik_capture_session());
}

static ssize_t format_version_show(struct kobject *kobj, struct kobj_attribute *attr,
				   char *buf)
{
	return sysfs_emit(buf, "%d\n", OVNIK_FORMAT_VERSION);
}

static ssize_t lack_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	ssize_t len = 0;
	int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (ovnik_probes_lack(i))
			len += sysfs_emit_at(buf, len, "%s %s\n", ovnik_events[i].name,
					     ovnik_probes_lack(i));
	}
	return len ?: sysfs_emit(buf, "\n");
}

static struct kobj_attribute enable_attr = __ATTR_RW_MODE(enable, 0600);
static struct kobj_attribute snapshot_attr = __ATTR(snapshot, 0200, NULL, snapshot_store);
static struct kobj_attribute buffer_size_attr = __ATTR_RW_MODE(buffer_size, 0600);
static struct kobj_attribute subbuf_size_attr = __ATTR_RW_MODE(subbuf_size, 0600);
static struct kobj_attribute mode_attr = __ATTR_RW_MODE(mode, 0600);
static struct kobj_attribute filter_pid_attr = __ATTR_RW_MODE(filter_pid, 0600);
static struct kobj_attribute filter_children_attr = __ATTR_RW_MODE(filter_children, 0600);
static struct kobj_attribute owner_attr = __ATTR_RW_MODE(owner, 0600);
static struct kobj_attribute refs_attr = __ATTR_RW_MODE(refs, 0600);
static struct kobj_attribute session_attr = __ATTR_RO_MODE(session, 0400);
static struct kobj_attribute format_version_attr = __ATTR_RO_MODE(format_version, 0400);
static struct kobj_attribute lack_attr = __ATTR_RO_MODE(lack, 0400);

static struct attribute *root_attrs[] = {
	&enable_attr.attr,
	&snapshot_attr.attr,
	&buffer_size_attr.attr,
	&subbuf_size_attr.attr,
	&mode_attr.attr,
	&filter_pid_attr.attr,
	&filter_children_attr.attr,
	&owner_attr.attr,
	&refs_attr.attr,
	&session_attr.attr,
	&format_version_attr.attr,
	&lack_attr.attr,
	NULL
};

static const struct attribute_group root_group = { .attrs = root_attrs };

static ssize_t tsc_khz_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tsc_khz);
}

static ssize_t constant_tsc_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", !!(ovnik_clock_flags() & OVNIK_SB_CONSTANT_TSC));
}

static ssize_t nonstop_tsc_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", !!(ovnik_clock_flags() & OVNIK_SB_NONSTOP_TSC));
}

static ssize_t trusted_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", !!(ovnik_clock_flags() & OVNIK_SB_TSC_TRUSTED));
}

static ssize_t now_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct ovnik_clock_pair pair;

	ovnik_clock_pair(&pair);
	return sysfs_emit(buf, "%llu %llu %llu\n", pair.tsc, pair.ns, pair.width);
}

static struct kobj_attribute tsc_khz_attr = __ATTR_RO_MODE(tsc_khz, 0400);
static struct kobj_attribute constant_tsc_attr = __ATTR_RO_MODE(constant_tsc, 0400);
static struct kobj_attribute nonstop_tsc_attr = __ATTR_RO_MODE(nonstop_tsc, 0400);
static struct kobj_attribute trusted_attr = __ATTR_RO_MODE(trusted, 0400);
static struct kobj_attribute now_attr = __ATTR_RO_MODE(now, 0400);

static struct attribute *clock_attrs[] = {
	&tsc_khz_attr.attr,
	&constant_tsc_attr.attr,
	&nonstop_tsc_attr.attr,
	&trusted_attr.attr,
	&now_attr.attr,
	NULL
};

static const struct attribute_group clock_group = { .attrs = clock_attrs };

/**
 * ovnik_control_init() - Create /sys/kernel/ovnik/ and its files.
 *
 * Context: Process, at module load; a capture can be started from here on.
 * Return: 0; a negative errno, and nothing is left behind.
 */
int ovnik_control_init(void)
{
	int ret = -ENOMEM;

	root = kobject_create_and_add("ovnik", kernel_kobj);
	if (!root)
		return -ENOMEM;
	clock_dir = kobject_create_and_add("clock", root);
	if (!clock_dir)
		goto err_put_root;
	ret = ovnik_access_create_files(clock_dir, &clock_group);
	if (ret)
		goto err_put_clock;
	ret = ovnik_stats_init(root);
	if (ret)
		goto err_put_clock;
	ret = ovnik_access_create_files(root, &root_group);
	if (ret)
		goto err_exit_stats;
	return 0;

err_exit_stats:
	ovnik_stats_exit();
err_put_clock:
	kobject_put(clock_dir);
err_put_root:
	kobject_put(root);
	return ret;
}

/**
 * ovnik_control_exit() - Remove /sys/kernel/ovnik/.
 *
 * Context: Process, at module unload; returns when no access is under way.
 */
void ovnik_control_exit(void)
{
	sysfs_remove_group(root, &root_group);
	ovnik_stats_exit();
	kobject_put(clock_dir);
	kobject_put(root);
}
