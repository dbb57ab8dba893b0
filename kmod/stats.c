// SPDX-License-Identifier: GPL-2.0-only
/* The counts per event and per CPU in sysfs: events/ and cpus/. */
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "access.h"
#include "capture.h"
#include "config.h"
#include "dump.h"
#include "events.h"
#include "parse.h"
#include "probe.h"
#include "ring_read.h"
#include "stats.h"

static struct kobject *events_dir, *cpus_dir, *stats_root;
static struct kobject *event_dirs[OVNIK_NR_EVENTS];
static struct kobject **ring_dirs;

#define for_each_ring(nr)							\
	for ((nr) = 0; (nr) <= nr_cpu_ids; (nr)++)				\
		if ((nr) < nr_cpu_ids && !cpu_possible(nr))			\
			continue;						\
		else

/* Add up all CPUs; @one is used for each of them. */
static int all_totals(struct ovnik_totals *sum, struct ovnik_totals *one)
{
	unsigned int nr;
	int i, ret;

	memset(sum, 0, sizeof(*sum));
	ret = mutex_lock_killable(&ovnik_lock);
	if (ret)
		return ret;
	for_each_ring(nr) {
		ovnik_ring_totals(ovnik_ring_number(nr), one);
		for (i = 0; i < OVNIK_NR_EVENTS; i++) {
			sum->recorded[i] += one->recorded[i];
			sum->lost[i] += one->lost[i];
			sum->written[i] += one->written[i];
			sum->text[i] += one->text[i];
		}
		sum->bytes += one->bytes;
	}
	mutex_unlock(&ovnik_lock);
	return 0;
}

static u64 sum_events(const u64 *events)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		sum += events[i];
	return sum;
}

/* The totals are too large for a stack that sysfs uses already. */
static ssize_t show_of_all(char *buf, u64 (*what)(struct ovnik_totals *sum, int event), int event)
{
	struct ovnik_totals *sum = kmalloc_array(2, sizeof(*sum), GFP_KERNEL);
	ssize_t len;

	if (!sum)
		return -ENOMEM;
	len = all_totals(sum, sum + 1);
	if (!len)
		len = sysfs_emit(buf, "%llu\n", what(sum, event));
	kfree(sum);
	return len;
}

static u64 recorded_of(struct ovnik_totals *sum, int event)
{
	return event ? sum->recorded[event] : sum_events(sum->recorded);
}

static u64 lost_of(struct ovnik_totals *sum, int event)
{
	return event ? sum->lost[event] : sum_events(sum->lost);
}

static u64 bytes_of(struct ovnik_totals *sum, int event)
{
	if (!event)
		return sum->bytes;
	return sum->written[event] * ovnik_events[event].size + sum->text[event];
}

/* The directory selects the event; the root directory is the sum of all. */
static int event_of(struct kobject *kobj)
{
	int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (event_dirs[i] == kobj)
			return i;
	}
	return 0;
}

static ssize_t recorded_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return show_of_all(buf, recorded_of, event_of(kobj));
}

static ssize_t lost_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return show_of_all(buf, lost_of, event_of(kobj));
}

static ssize_t bytes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return show_of_all(buf, bytes_of, event_of(kobj));
}

static ssize_t enable_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", ovnik_event_on(event_of(kobj)));
}

static ssize_t enable_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	int event = event_of(kobj);
	ssize_t ret = count;
	bool on;

	if (ovnik_parse_flag(buf, &on))
		return -EINVAL;
	if (mutex_lock_killable(&ovnik_lock))
		return -EINTR;
	if (ovnik_capture_begun())
		ret = -EBUSY;
	else if (ovnik_events[event].internal && !on)
		ret = -EINVAL;
	else if (ovnik_probes_lack(event) && on)
		ret = -EOPNOTSUPP;
	else
		assign_bit(event, ovnik_config.events, on);
	mutex_unlock(&ovnik_lock);
	return ret;
}

static ssize_t format_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	int event = event_of(kobj);
	const struct ovnik_event_info *info = &ovnik_events[event];
	const struct ovnik_field_info *field;
	ssize_t len;

	len = sysfs_emit(buf, "name: %s\nnumber: %d\nfamily: %s\nsize: %u\nsentence: %s\n",
			 info->name, event, info->family, info->size, info->sentence);
	for (field = info->fields; field->name; field++)
		len += sysfs_emit_at(buf, len, "field: %s %s offset %u size %u unit %s\n",
				     field->type, field->name, field->offset, field->size,
				     field->unit);
	return len;
}

static struct kobj_attribute recorded_attr = __ATTR_RO_MODE(recorded, 0400);
static struct kobj_attribute lost_attr = __ATTR_RO_MODE(lost, 0400);
static struct kobj_attribute bytes_attr = __ATTR_RO_MODE(bytes, 0400);
static struct kobj_attribute enable_attr = __ATTR_RW_MODE(enable, 0600);
static struct kobj_attribute format_attr = __ATTR_RO_MODE(format, 0400);

static struct attribute *total_attrs[] = {
	&recorded_attr.attr,
	&lost_attr.attr,
	&bytes_attr.attr,
	NULL
};

static const struct attribute_group total_group = { .attrs = total_attrs };

static struct attribute *event_attrs[] = {
	&enable_attr.attr,
	&format_attr.attr,
	&recorded_attr.attr,
	&lost_attr.attr,
	&bytes_attr.attr,
	NULL
};

static const struct attribute_group event_group = { .attrs = event_attrs };

static struct ovnik_ring *ring_of(struct kobject *kobj)
{
	unsigned int nr;

	for (nr = 0; nr < nr_cpu_ids; nr++) {
		if (ring_dirs[nr] == kobj)
			break;
	}
	return ovnik_ring_number(nr);
}

static struct ovnik_totals *ring_totals(struct kobject *kobj)
{
	struct ovnik_totals *totals = kmalloc(sizeof(*totals), GFP_KERNEL);

	if (!totals)
		return ERR_PTR(-ENOMEM);
	if (mutex_lock_killable(&ovnik_lock)) {
		kfree(totals);
		return ERR_PTR(-EINTR);
	}
	ovnik_ring_totals(ring_of(kobj), totals);
	mutex_unlock(&ovnik_lock);
	return totals;
}

/* A table, because one value per file would take events times CPUs files. */
static ssize_t stats_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct ovnik_totals *totals = ring_totals(kobj);
	ssize_t len = 0;
	int i;

	if (IS_ERR(totals))
		return PTR_ERR(totals);
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (ovnik_events[i].name)
			len += sysfs_emit_at(buf, len, "%s %llu %llu %llu\n",
					     ovnik_events[i].name, totals->recorded[i],
					     totals->lost[i], bytes_of(totals, i));
	}
	kfree(totals);
	return len;
}

static ssize_t ring_bytes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct ovnik_totals *totals = ring_totals(kobj);
	ssize_t len;

	if (IS_ERR(totals))
		return PTR_ERR(totals);
	len = sysfs_emit(buf, "%llu\n", totals->bytes);
	kfree(totals);
	return len;
}

static struct kobj_attribute stats_attr = __ATTR_RO_MODE(stats, 0400);
static struct kobj_attribute ring_bytes_attr = __ATTR(bytes, 0400, ring_bytes_show, NULL);

static struct attribute *ring_attrs[] = {
	&stats_attr.attr,
	&ring_bytes_attr.attr,
	NULL
};

static const struct attribute_group ring_group = { .attrs = ring_attrs };

/*
 * A directory below @parent with the files of @group. @dir is set before they exist: an
 * early reader must find its event or CPU.
 */
static int make_dir(struct kobject **dir, const char *name, struct kobject *parent,
		    const struct attribute_group *group)
{
	*dir = kobject_create_and_add(name, parent);
	if (!*dir)
		return -ENOMEM;
	return ovnik_access_create_files(*dir, group);
}

static int make_event_dirs(void)
{
	int i, ret = 0;

	for (i = 1; !ret && i < OVNIK_NR_EVENTS; i++) {
		if (ovnik_events[i].name)
			ret = make_dir(&event_dirs[i], ovnik_events[i].name, events_dir,
				       &event_group);
	}
	return ret;
}

static int make_ring_dirs(void)
{
	unsigned int nr;
	int ret = 0;

	for_each_ring(nr) {
		char name[16] = "dump";

		if (nr < nr_cpu_ids)
			snprintf(name, sizeof(name), "cpu%u", nr);
		ret = make_dir(&ring_dirs[nr], name, cpus_dir, &ring_group);
		if (ret)
			break;
	}
	return ret;
}

/**
 * ovnik_stats_init() - Create events/, cpus/ and the totals.
 * @root: /sys/kernel/ovnik
 *
 * Context: Process, at module load.
 * Return: 0; -ENOMEM, and nothing is left behind.
 */
int ovnik_stats_init(struct kobject *root)
{
	stats_root = root;
	ring_dirs = kcalloc(nr_cpu_ids + 1, sizeof(*ring_dirs), GFP_KERNEL);
	if (!ring_dirs)
		return -ENOMEM;
	events_dir = kobject_create_and_add("events", root);
	cpus_dir = kobject_create_and_add("cpus", root);
	if (!events_dir || !cpus_dir || make_event_dirs() || make_ring_dirs() ||
	    ovnik_access_create_files(root, &total_group)) {
		ovnik_stats_exit();
		return -ENOMEM;
	}
	return 0;
}

/**
 * ovnik_stats_exit() - Remove them, even if only some were created.
 *
 * Context: Process.
 */
void ovnik_stats_exit(void)
{
	unsigned int nr;
	int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++)
		kobject_put(event_dirs[i]);
	for_each_ring(nr)
		kobject_put(ring_dirs[nr]);
	kobject_put(events_dir);
	kobject_put(cpus_dir);
	sysfs_remove_group(stats_root, &total_group);
	kfree(ring_dirs);
}
