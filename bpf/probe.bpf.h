/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PROBE_BPF_H
#define OVNIK_PROBE_BPF_H

/* The beginning of every probe: the maps, the clock, "is this recorded?" */

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "ovnik_bpf.h"

#ifndef NULL
#define NULL ((void *)0)
#endif

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile typeof(x) *)&(x) = (val))
#define barrier()		asm volatile("" ::: "memory")
#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)

/*
 * What the kernel passes to the hook, as far as the program relies on it: bytes, or what is
 * pointed to; "*" is any pointer, "one*|other*" either of them. After "->" comes what it
 * returns, and then there must be no more arguments, unless "..." stands for them. The loader
 * compares it with the kernel's BTF (tools/ovnik/bpf_check.c).
 */
#define HOOK_TYPES(types)	__attribute__((btf_decl_tag("hook:" types)))

/* The loader may change them, and with them the rings. */
const volatile struct ovnik_bpf_constants ovnik_load SEC(".rodata.load") = {
	.version	= OVNIK_BPF_VERSION,
	.nr_events	= OVNIK_NR_EVENTS,
	.subbuf_size	= OVNIK_BPF_SUBBUF,
	.nr_subbufs	= OVNIK_BPF_SUBBUFS,
};

struct ovnik_ring_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, OVNIK_BPF_SUBBUFS);
	__uint(key_size, sizeof(u32));
	__uint(value_size, OVNIK_BPF_SUBBUF);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, OVNIK_BPF_CPUS_MAX);
	__uint(key_size, sizeof(u32));
	__array(values, struct ovnik_ring_map);
} ovnik_rings SEC(".maps");

/* Sections become maps whose only value is the variable; a hook needs no lookup. */
struct ovnik_bpf_config ovnik_config SEC(".data.config");
struct ovnik_bpf_shared ovnik_shared;

/* In our module, if it is loaded: kmod/kfunc.c. */
extern u64 ovnik_rdtsc(void)
	__ksym __weak;

#define OVNIK_BIT(name)	(1ULL << OVNIK_EV_##name)

static __always_inline u64 clock_any(void)
{
	/* Not decided by the symbol: 6.1 refuses a program that has the address of a kfunc. */
	return ovnik_load.use_tsc ? ovnik_rdtsc() : bpf_ktime_get_ns();
}

/* Is one of these events recorded? The first question of every probe. */
static __always_inline bool ovnik_on(u64 events)
{
	return ovnik_config.events & events;
}

static __always_inline bool ovnik_event_on(u32 event)
{
	return ovnik_config.events >> event & 1;
}

static __always_inline u32 current_tid(void)
{
	return bpf_get_current_pid_tgid();
}

/* Is a task in the filter? */
static __always_inline bool ovnik_filter_has(u32 tid)
{
	return ovnik_shared.filter[tid / 64 % ARRAY_SIZE(ovnik_shared.filter)] >> (tid % 64) & 1;
}

static __always_inline bool ovnik_wanted_tid(u32 tid)
{
	return !ovnik_config.filter || ovnik_filter_has(tid);
}

/* For an event of two tasks. */
static __always_inline bool ovnik_wanted2(u32 a, u32 b)
{
	return !ovnik_config.filter || ovnik_filter_has(a) || ovnik_filter_has(b);
}

/* For an event of the current task. */
static __always_inline bool ovnik_wanted(void)
{
	return !ovnik_config.filter || ovnik_filter_has(current_tid());
}

/* The check of most probes. */
static __always_inline bool ovnik_on_current(u64 events)
{
	return ovnik_on(events) && ovnik_wanted();
}

/**
 * struct ovnik_text - A text for the end of a record.
 * @start: of the text; zeros, to a multiple of 8, follow its NUL
 * @len:   bytes, the NUL included
 */
struct ovnik_text {
	const char	*start;
	u32		len;
};

#endif /* OVNIK_PROBE_BPF_H */
