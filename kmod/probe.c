// SPDX-License-Identifier: GPL-2.0-only
/* Finding the places of the kernel that are hooked, and hooking them. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>
#include <linux/string.h>

#include "probe.h"

static struct ovnik_probe *families[] = {
	ovnik_sched_probes,
	ovnik_task_probes,
	ovnik_mm_probes,
};

#define for_each_probe(family, probe)						\
	for ((family) = families; (family) < families + ARRAY_SIZE(families); (family)++) \
		for ((probe) = *(family); (probe)->hook; (probe)++)

/* The tracepoints' symbols are not exported: they are found by name. */
static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	struct ovnik_probe **family, *probe;

	for_each_probe(family, probe) {
		if (!probe->ops && !strcmp(tp->name, probe->hook))
			probe->tracepoint = tp;
	}
}

static int find_function(struct ovnik_probe *probe)
{
	char name[KSYM_NAME_LEN];

	strscpy(name, probe->hook, sizeof(name));
	return ftrace_set_filter(probe->ops, name, strlen(name), 1);
}

static int find(struct ovnik_probe *probe)
{
	int ret;

	if (probe->ops)
		ret = find_function(probe);
	else
		ret = probe->tracepoint ? 0 : -ENOENT;
	if (ret)
		pr_err("this kernel has nothing to hook called %s: %d\n", probe->hook, ret);
	return ret;
}

/**
 * ovnik_probes_find() - Find every place that some probe hooks.
 *
 * Context: Process, at module load.
 * Return: 0; -ENOENT or what ftrace said if this kernel lacks one, which is named
 * in the log.
 */
int ovnik_probes_find(void)
{
	struct ovnik_probe **family, *probe;
	int ret;

	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for_each_probe(family, probe) {
		ret = find(probe);
		if (ret) {
			ovnik_probes_forget();
			return ret;
		}
	}
	return 0;
}

/**
 * ovnik_probes_forget() - Give back what ovnik_probes_find() took.
 *
 * Once only: what ftrace frees here it would take for a filter afterwards.
 *
 * Context: Process, at module unload; no probe is attached.
 */
void ovnik_probes_forget(void)
{
	struct ovnik_probe **family, *probe;

	for_each_probe(family, probe) {
		if (probe->ops)
			ftrace_free_filter(probe->ops);
	}
}

static int attach(struct ovnik_probe *probe)
{
	int ret;

	if (probe->ops)
		ret = register_ftrace_function(probe->ops);
	else
		ret = tracepoint_probe_register(probe->tracepoint, probe->func, NULL);
	if (ret) {
		pr_err("cannot hook %s: %d\n", probe->hook, ret);
		return ret;
	}
	probe->attached = true;
	return 0;
}

static void detach(struct ovnik_probe *probe)
{
	if (!probe->attached)
		return;
	if (probe->ops)
		unregister_ftrace_function(probe->ops);
	else
		tracepoint_probe_unregister(probe->tracepoint, probe->func, NULL);
	probe->attached = false;
}

/**
 * ovnik_probes_attach() - Run the probes that write some of these events.
 * @events: OVNIK_BIT() of each
 *
 * Context: Process, may sleep; ovnik_lock held.
 * Return: 0; a negative errno of the kernel if a hook is refused, and no probe
 * runs then.
 */
int ovnik_probes_attach(u64 events)
{
	struct ovnik_probe **family, *probe;
	int ret;

	for_each_probe(family, probe) {
		if (!(probe->events & events))
			continue;
		ret = attach(probe);
		if (ret) {
			ovnik_probes_detach();
			return ret;
		}
	}
	return 0;
}

/**
 * ovnik_probes_detach() - No probe runs when this returns.
 *
 * Context: Process, may sleep; ovnik_lock held.
 */
void ovnik_probes_detach(void)
{
	struct ovnik_probe **family, *probe;

	for_each_probe(family, probe)
		detach(probe);
	tracepoint_synchronize_unregister();
}
