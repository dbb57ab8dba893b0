// SPDX-License-Identifier: GPL-2.0-only
/* Find the places of the kernel to hook, and hook them. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "events.h"
#include "probe.h"
#include "ring.h"

#define HOOKS_MAX	32	/* of a kind */

#define TABLE(name)	ovnik_##name##_probes,

static struct ovnik_probe *const tables[] = { OVNIK_PROBE_TABLES(TABLE) };

#define for_each_probe(table, probe)						\
	for ((table) = tables; (table) < tables + ARRAY_SIZE(tables); (table)++) \
		for ((probe) = *(table); (probe)->hook; (probe)++)

/* By event, the first of its hooks that this kernel does not have; NULL: it has all. */
static const char *lacks[OVNIK_NR_EVENTS];

/*
 * All entries of functions use one ftrace_ops, and all returns are unregistered as one,
 * because unregistering either waits until no task can be inside any more: a second or more
 * under load.
 *
 * @entries is indexed by the address of the function; @entry_factor makes all indexes
 * differ.
 */
#define ENTRY_BITS	7
#define ENTRY_FACTORS	1024	/* to try; ten entries seldom need more than three */

static ovnik_entry_fn entries[1 << ENTRY_BITS];
static u32 entry_factor;

static __always_inline unsigned int entry_slot(unsigned long ip, u32 factor)
{
	return (u32)ip * factor >> (32 - ENTRY_BITS);
}

static void notrace probe_entry(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	entries[entry_slot(ip, entry_factor)](parent_ip, fregs);
}

/* PERMANENT makes registration fail when ftrace_enabled=0 instead of leaving dead hooks. */
static struct ftrace_ops entry_ops = {
	.func	= probe_entry,
	.flags	= FTRACE_OPS_FL_PERMANENT,
};

static bool entries_attached;

/* The symbols of tracepoints are not exported: find them by name. */
static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	struct ovnik_probe *const *table, *probe;

	for_each_probe(table, probe) {
		if (probe->func && !strcmp(tp->name, probe->hook))
			probe->tracepoint = tp;
	}
}

/*
 * kallsyms_lookup_name() is not exported. A kprobe that is never armed gets the address,
 * after an ENDBR if there is one. The text of a symbol ends in the offset and size of the
 * function: "+0x4/0x123".
 */
static int find_named(struct ovnik_range *range, const char *name)
{
	struct kprobe kp = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	unsigned long offset, size;
	char text[KSYM_SYMBOL_LEN];
	char *plus;
	int ret;

	ret = register_kprobe(&kp);
	if (ret)
		return ret;
	range->start = (unsigned long)kp.addr;
	unregister_kprobe(&kp);

	sprint_symbol(text, range->start);
	plus = strrchr(text, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, &size) != 2)
		return -ENOENT;
	range->end = range->start - offset + size;
	return 0;
}

static int find_range(struct ovnik_range *range)
{
	char names[KSYM_NAME_LEN];
	char *rest = names, *name;
	int ret = -ENOENT;

	if (strscpy(names, range->name, sizeof(names)) < 0)
		return -ENAMETOOLONG;
	while (ret && (name = strsep(&rest, "|")) != NULL)
		ret = find_named(range, name);
	return ret;
}

static int find_function(struct ovnik_probe *probe)
{
	struct ovnik_range range = { .name = probe->hook };
	int ret;

	ret = find_range(&range);
	if (ret)
		return ret;
	probe->address = range.start;
	if (probe->around)
		ovnik_around_find(probe->around, range.start, range.end);
	if (!probe->entry)
		return 0;
	/* Can it be hooked? The filter is set again when a capture starts. */
	return ftrace_set_filter_ip(&entry_ops, probe->address, 0, 1);
}

static int find(struct ovnik_probe *probe)
{
	const char *name = probe->hook;
	int ret = 0;

	if (!probe->func)
		ret = find_function(probe);
	else if (!probe->tracepoint)
		ret = -ENOENT;
	if (!ret && probe->caller) {
		name = probe->caller->name;
		ret = find_range(probe->caller);
	}
	if (ret)
		pr_err("this kernel has nothing to hook called %s: %d\n", name, ret);
	return ret;
}

/* The filter and all returns of functions depend on some. */
static bool is_essential(const struct ovnik_probe *probe)
{
	return probe->guard || probe->events & (OVNIK_FOR_FILTER | OVNIK_FOR_REFS);
}

/* Its events are not recorded, also where other probes would record some of them. */
static void leave_out(struct ovnik_probe *probe)
{
	unsigned int i;

	probe->address = 0;
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (!(probe->events & BIT_ULL(i)) || lacks[i])
			continue;
		lacks[i] = probe->hook;
		pr_err("%s is not recorded\n", ovnik_events[i].name);
	}
}

/**
 * ovnik_probes_lack() - Does this kernel lack a hook of an event?
 * @event: its number
 *
 * Context: Any, once the module is loaded.
 * Return: the name of the hook; NULL if the event can be recorded.
 */
const char *ovnik_probes_lack(unsigned int event)
{
	return lacks[event];
}

static bool place_entries(u32 factor)
{
	struct ovnik_probe *const *table, *probe;

	memset(entries, 0, sizeof(entries));
	for_each_probe(table, probe) {
		unsigned int slot = entry_slot(probe->address, factor);

		if (!probe->entry || !probe->address)
			continue;
		if (entries[slot])
			return false;
		entries[slot] = probe->entry;
	}
	entry_factor = factor;
	return true;
}

static int make_entries(void)
{
	unsigned int i;

	for (i = 0; i < ENTRY_FACTORS; i++) {
		if (place_entries((2 * i + 1) * GOLDEN_RATIO_32))
			return 0;
	}
	pr_err("no table of the functions to hook was found\n");
	return -EINVAL;
}

/* Is there room for all hooks, the guard included? */
static int check_room(void)
{
	unsigned int nr_entries = 1, nr_returns = 0;
	struct ovnik_probe *const *table, *probe;

	for_each_probe(table, probe) {
		nr_entries += !!probe->entry;
		nr_returns += !!probe->ret;
	}
	if (nr_entries <= HOOKS_MAX && nr_returns <= HOOKS_MAX)
		return 0;
	pr_err("%u entries and %u returns of functions to hook, room for %d of each\n",
	       nr_entries, nr_returns, HOOKS_MAX);
	return -E2BIG;
}

/* Does each event have a probe? */
static int check_events(void)
{
	struct ovnik_probe *const *table, *probe;
	u64 events = OVNIK_EVENTS_INTERNAL;
	unsigned int i;

	for_each_probe(table, probe)
		events |= probe->events;
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (ovnik_events[i].name && !(events & BIT_ULL(i))) {
			pr_err("no probe records event %s\n", ovnik_events[i].name);
			return -EINVAL;
		}
	}
	return 0;
}

/**
 * ovnik_probes_find() - Find every place to hook.
 *
 * One that this kernel does not have costs its events: ovnik_probes_lack().
 *
 * Context: Process, at module load.
 * Return: 0; -ENOMEM; -EOPNOTSUPP if this kernel lacks one without which there is no filter;
 * -E2BIG or -EINVAL if the tables of probes are wrong. The log names the reason.
 */
int ovnik_probes_find(void)
{
	struct ovnik_probe *const *table, *probe;
	int ret = 0;

	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for_each_probe(table, probe) {
		ret = find(probe);
		if (!ret)
			continue;
		if (ret == -ENOMEM)
			goto err_forget;
		/* Of others insmod says "unknown symbol" or "invalid parameters". */
		ret = -EOPNOTSUPP;
		if (is_essential(probe))
			goto err_forget;
		leave_out(probe);
	}
	ret = check_room();
	if (!ret)
		ret = check_events();
	if (!ret)
		ret = make_entries();
	if (ret)
		goto err_forget;
	return 0;

err_forget:
	ovnik_probes_forget();
	return ret;
}

/**
 * ovnik_probes_forget() - Free what ovnik_probes_find() took.
 *
 * Only once: ftrace would use the freed filter afterwards.
 *
 * Context: Process, at module unload; no probe is attached.
 */
void ovnik_probes_forget(void)
{
	struct ovnik_probe *const *table, *probe;

	ovnik_around_exit();
	for_each_probe(table, probe) {
		if (probe->around)
			ftrace_free_filter(&probe->around->ops);
	}
	ftrace_free_filter(&entry_ops);
}

/* Once it is known what runs around functions. */
static bool is_needed(const struct ovnik_probe *probe, u64 events)
{
	return probe->events & events && !(probe->instead && probe->instead->attached);
}

static int attach_tracepoint(struct ovnik_probe *probe)
{
	int ret;

	if (probe->attached)
		return 0;
	ret = tracepoint_probe_register(probe->tracepoint, probe->func, NULL);
	if (ret)
		pr_err("cannot hook %s: %d\n", probe->hook, ret);
	else
		probe->attached = true;
	return ret;
}

/*
 * A BPF program is around the function. Where a call ends is attached at once: the next one that
 * is attached around may be where it begins. Return: -EBUSY if no probe does what @around does.
 */
static int attach_instead(const struct ovnik_around *around, u64 events)
{
	struct ovnik_probe *const *table, *probe;
	int ret = -EBUSY, err;

	for_each_probe(table, probe) {
		if (probe->instead != around)
			continue;
		err = probe->func && probe->events & events ? attach_tracepoint(probe) : 0;
		if (err)
			return err;
		ret = 0;
	}
	return ret;
}

static int attach_around(u64 events)
{
	struct ovnik_probe *const *table, *probe;
	int ret;

	for_each_probe(table, probe) {
		if (!probe->around || !(probe->events & events))
			continue;
		ret = ovnik_around_attach(probe->around);
		if (ret == -EBUSY) {
			ret = attach_instead(probe->around, events);
			if (!ret)
				pr_info("a BPF program is around %s: its events cost more\n",
					probe->hook);
		}
		if (ret) {
			pr_err("cannot hook %s: %d\n", probe->hook, ret);
			return ret;
		}
	}
	return 0;
}

static void detach_around(void)
{
	struct ovnik_probe *const *table, *probe;

	for_each_probe(table, probe) {
		if (probe->around)
			ovnik_around_detach(probe->around);
	}
	ovnik_around_release();
}

static int attach_tracepoints(u64 events)
{
	struct ovnik_probe *const *table, *probe;
	int ret;

	for_each_probe(table, probe) {
		if (!probe->func || !is_needed(probe, events))
			continue;
		ret = attach_tracepoint(probe);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Returns are hooked through ftrace as well, but are not refused with
 * kernel.ftrace_enabled=0, and do not prevent setting it later: the hooks would be dead. So
 * any return comes with one entry, the one that is hit least often.
 */
static int attach_entries(u64 events)
{
	struct ovnik_probe *const *table, *probe;
	unsigned long ips[HOOKS_MAX], guard = 0;
	unsigned int nr = 0;
	bool returns = false;
	int ret;

	for_each_probe(table, probe) {
		if (probe->guard)
			guard = probe->address;
		if (!is_needed(probe, events))
			continue;
		if (probe->entry)
			ips[nr++] = probe->address;
		returns = returns || probe->ret || probe->around;
	}
	if (returns)
		ips[nr++] = guard;
	if (!nr)
		return 0;
	ret = ftrace_set_filter_ips(&entry_ops, ips, nr, 0, 1);
	if (!ret)
		ret = register_ftrace_function(&entry_ops);
	if (ret) {
		pr_err("cannot hook the entries of functions: %d\n", ret);
		return ret;
	}
	entries_attached = true;
	return 0;
}

/*
 * To disarm a return takes memory. If there is none, it stays armed, and the kernel's count of
 * armed ones is wrong from then on. To unregister it would free what the kernel still uses. So it
 * stays registered, the module stays loaded, and no capture starts any more.
 */
static struct kretprobe *stuck[HOOKS_MAX];
static unsigned int nr_stuck;

static void unhook_returns(void)
{
	unsigned int nr = 0, before = nr_stuck;
	struct ovnik_probe *const *table, *probe;
	struct kretprobe *list[HOOKS_MAX];
	int ret, error = 0;

	for_each_probe(table, probe) {
		if (!probe->ret || !probe->attached)
			continue;
		probe->attached = false;
		ret = disable_kretprobe(&probe->ret->krp);
		if (ret) {
			stuck[nr_stuck++] = &probe->ret->krp;
			error = ret;
		} else {
			list[nr++] = &probe->ret->krp;
		}
	}
	if (error && !before) {
		pr_err("cannot unhook the return of a function: %d\n", error);
		__module_get(THIS_MODULE);
	}
	unregister_kretprobes(list, nr);
}

static int attach_returns(u64 events)
{
	struct ovnik_probe *const *table, *probe;
	int ret;

	if (nr_stuck) {
		pr_err("the return of a function is still hooked: boot to record again\n");
		return -EIO;
	}
	for_each_probe(table, probe) {
		if (!probe->ret || !is_needed(probe, events))
			continue;
		ret = ovnik_return_hook(probe->ret, probe->address, probe->events);
		if (ret) {
			pr_err("cannot hook the return of %s: %d\n", probe->hook, ret);
			return ret;
		}
		probe->attached = true;
	}
	return 0;
}

/**
 * ovnik_probes_attach() - Attach the probes that write some of these events.
 * @events: OVNIK_BIT() of each
 *
 * What runs around functions first, because other probes are attached where that is refused.
 * Then tracepoints: a call that begins at the entry of a function may end at one.
 *
 * Context: Process, may sleep, as long as the slowest task that could run; one at a time.
 * Return: 0; a negative errno if a hook is refused, and no probe is attached.
 */
int ovnik_probes_attach(u64 events)
{
	int ret;

	ret = attach_around(events);
	if (!ret)
		ret = attach_tracepoints(events);
	if (!ret)
		ret = attach_entries(events);
	if (!ret)
		ret = attach_returns(events);
	if (ret)
		ovnik_probes_detach();
	return ret;
}

/**
 * ovnik_probes_unhook_rest() - Before the module goes, unhook what could not be unhooked.
 *
 * The kernel does not ask whether a module may go once it unloads it, or once it has failed to
 * load. So wait, for memory as a rule, however long. That is for ever if ftrace has given up after
 * a fault of its own, or if 6.1 looks for the hook among those with a post_handler.
 *
 * Context: Process, at module unload, sleeps; no probe is attached.
 */
void ovnik_probes_unhook_rest(void)
{
	while (nr_stuck) {
		msleep(100);
		if (!disable_kretprobe(stuck[nr_stuck - 1]))
			unregister_kretprobe(stuck[--nr_stuck]);
	}
}

/**
 * ovnik_probes_forget_missed() - Forget what the kernel has left out so far.
 *
 * Context: Process; ovnik_lock held, the probes attached, no ring on.
 */
void ovnik_probes_forget_missed(void)
{
	struct ovnik_probe *const *table, *probe;

	for_each_probe(table, probe) {
		if (probe->ret && probe->attached)
			ovnik_return_forget_missed(probe->ret);
	}
}

/**
 * ovnik_probes_lose_missed() - Count what the kernel has left out since as dropped.
 *
 * Context: Process; ovnik_lock held, the probes attached, the rings on or just switched off.
 */
void ovnik_probes_lose_missed(void)
{
	struct ovnik_probe *const *table, *probe;

	for_each_probe(table, probe) {
		if (probe->ret && probe->attached)
			ovnik_return_lose_missed(probe->ret);
	}
}

static void detach_tracepoints(void)
{
	struct ovnik_probe *const *table, *probe;

	for_each_probe(table, probe) {
		if (!probe->func || !probe->attached)
			continue;
		tracepoint_probe_unregister(probe->tracepoint, probe->func, NULL);
		probe->attached = false;
	}
}

/**
 * ovnik_probes_detach() - Detach all probes; none runs when this returns.
 *
 * Context: Process, may sleep, as long as the slowest task that could run; one at a time.
 */
void ovnik_probes_detach(void)
{
	detach_around();
	if (entries_attached)
		unregister_ftrace_function(&entry_ops);
	entries_attached = false;
	unhook_returns();
	detach_tracepoints();
	tracepoint_synchronize_unregister();
}
