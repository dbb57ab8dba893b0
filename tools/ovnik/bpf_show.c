// SPDX-License-Identifier: GPL-2.0-only
/* Answer reads of the module's sysfs files from the probes' maps. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "bpf.h"
#include "capture/events.h"
#include "util/msg.h"

static void show_u64(char *text, u64 value)
{
	snprintf(text, CONTROL_TEXT, "%llu", value);
}

static const u32 *pids(u32 *nr)
{
	*nr = bpf_loaded() ? probes.config->nr_pids : bpf_settings.nr_pids;
	return bpf_loaded() ? probes.config->pids : bpf_settings.pids;
}

static void show_pids(char *text)
{
	size_t len = 0;
	u32 i, nr;
	const u32 *list = pids(&nr);

	text[0] = '\0';
	for (i = 0; i < nr && i < OVNIK_BPF_PIDS_MAX; i++)
		len += snprintf(text + len, CONTROL_TEXT - len, "%s%u", i ? " " : "", list[i]);
}

/* Sum over all CPUs and the statedumps. */
static void sum_stats(struct event_stats sum[OVNIK_NR_EVENTS])
{
	struct event_stats one[OVNIK_NR_EVENTS];
	unsigned int cpu;
	int i;

	bpf_dump_stats(sum);
	for (cpu = 0; bpf_loaded() && cpu < bpf_nr_cpus(); cpu++) {
		bpf_rings_stats(cpu, one);
		for (i = 0; i < OVNIK_NR_EVENTS; i++) {
			sum[i].recorded += one[i].recorded;
			sum[i].lost += one[i].lost;
		}
	}
}

static void show_sum(char *text, bool lost)
{
	struct event_stats stats[OVNIK_NR_EVENTS];
	u64 sum = 0;
	int i;

	sum_stats(stats);
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		sum += lost ? stats[i].lost : stats[i].recorded;
	show_u64(text, sum);
}

/* The unit says what meta.json is to say: who woke, or who ran there. */
static const char *unit_of(const struct event_field *field)
{
	bool plain = bpf_loaded() && probes.config->plain_wakers;

	return plain && !strcmp(field->unit, "waker") ? "tid" : field->unit;
}

static void show_format(char *text, unsigned int nr)
{
	const struct event_desc *event = &event_table[nr];
	const struct event_field *field = event->fields;
	int len;

	len = snprintf(text, CONTROL_TEXT, "name: %s\nnumber: %u\nfamily: %s\nsize: %u\nsentence: %s\n",
		       event->name, nr, event->family, event->size, event->sentence);
	for (; field < event->fields + event->nr_fields; field++)
		len += snprintf(text + len, CONTROL_TEXT - len,
				"field: %s %s offset %u size %u unit %s\n", field->type,
				field->name, field->offset, field->size, unit_of(field));
}

static void show_stats(char *text, const struct event_stats stats[OVNIK_NR_EVENTS])
{
	int i, len = 0;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name)
			len += snprintf(text + len, CONTROL_TEXT - len, "%s %llu %llu\n",
					event_table[i].name, stats[i].recorded, stats[i].lost);
	}
}

static u64 enabled_events(void)
{
	return bpf_running() ? probes.config->events : bpf_settings.events;
}

static int read_event(const char *name, char *text)
{
	const char *slash = strchr(name, '/');
	struct event_stats stats[OVNIK_NR_EVENTS];
	unsigned int nr = slash ? event_by_name(name, slash - name) : 0;

	if (!nr)
		return -ENOENT;
	if (!strcmp(slash, "/format")) {
		show_format(text, nr);
	} else if (!strcmp(slash, "/enable")) {
		show_u64(text, enabled_events() >> nr & 1);
	} else {
		sum_stats(stats);
		show_u64(text, !strcmp(slash, "/lost") ? stats[nr].lost : stats[nr].recorded);
	}
	return 0;
}

static void show_owner(char *text)
{
	if (bpf_loaded() ? probes.config->private : bpf_settings.private)
		show_u64(text, bpf_loaded() ? probes.config->owner : bpf_settings.owner);
}

static int read_setting(const char *name, char *text)
{
	bool overwrite = bpf_loaded() ? probes.config->overwrite : bpf_settings.overwrite;
	u64 size = bpf_loaded() ? (u64)probes.nr_subbufs * probes.subbuf_size :
				  bpf_settings.buffer_size;

	if (!strcmp(name, "enable"))
		show_u64(text, bpf_running());
	else if (!strcmp(name, "mode"))
		strcpy(text, overwrite ? "overwrite" : "discard");
	else if (!strcmp(name, "buffer_size"))
		show_u64(text, size);
	else if (!strcmp(name, "subbuf_size"))
		show_u64(text, bpf_loaded() ? probes.subbuf_size : 0);
	else if (!strcmp(name, "filter_pid"))
		show_pids(text);
	else if (!strcmp(name, "owner"))
		show_owner(text);
	else if (!strcmp(name, "filter_children"))
		show_u64(text, bpf_loaded() ? probes.config->children : bpf_settings.children);
	else
		return -ENOENT;
	return 0;
}

static int read_figure(const char *name, char *text)
{
	if (!strcmp(name, "recorded") || !strcmp(name, "lost"))
		show_sum(text, *name == 'l');
	else if (!strcmp(name, "bytes"))
		show_u64(text, bpf_loaded() ? bpf_rings_bytes() : 0);
	else if (!strcmp(name, "session"))
		show_u64(text, bpf_loaded() ? probes.config->session : 0);
	else
		return -ENOENT;
	return 0;
}

static int read_cpu(const char *name, char *text)
{
	struct event_stats stats[OVNIK_NR_EVENTS];
	unsigned int cpu;

	text[0] = '\0';
	if (!strcmp(name, "dump/stats")) {
		bpf_dump_stats(stats);
		show_stats(text, stats);
		return 0;
	}
	if (sscanf(name, "cpu%u/stats", &cpu) != 1 || cpu >= OVNIK_BPF_CPUS_MAX)
		return -ENOENT;
	if (bpf_loaded()) {
		bpf_rings_stats(cpu, stats);
		show_stats(text, stats);
	}
	return 0;
}

static const struct {
	const char *prefix;
	int (*read)(const char *name, char *text);
} groups[] = {
	{ "events/", read_event },
	{ "clock/", bpf_clock_show },
	{ "cpus/", read_cpu },
	{ "", read_setting },
	{ "", read_figure },
};

/**
 * bpf_show() - Read what the module's file of this name would contain.
 * @name: the file's path below /sys/kernel/ovnik
 * @text: is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_show(const char *name, char text[CONTROL_TEXT])
{
	int ret = -ENOENT;
	size_t i;

	text[0] = '\0';
	for (i = 0; ret == -ENOENT && i < ARRAY_SIZE(groups); i++) {
		size_t len = strlen(groups[i].prefix);

		if (!strncmp(name, groups[i].prefix, len))
			ret = groups[i].read(name + len, text);
	}
	if (ret)
		msg_error("the BPF back end has no \"%s\"", name);
	return ret;
}
