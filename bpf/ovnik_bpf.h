/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
#ifndef OVNIK_BPF_H
#define OVNIK_BPF_H

#include "ovnik.h"

/*
 * The layout of the maps, which the probes share with the program that drains them. All
 * can be mapped (BPF_F_MMAPABLE). Name, name when pinned by bpftool, contents:
 *
 *	.rodata.load	_rodata_load	one struct ovnik_bpf_constants
 *	.data.config	_data_config	one struct ovnik_bpf_config
 *	ovnik.bss	ovnik_bss	one struct ovnik_bpf_shared
 *	ovnik_rings	ovnik_rings	array of maps, one per CPU: its ring, an array of
 *					sub-buffers. A CPU without ring counts all
 *					events as dropped
 *	ovnik_calls	ovnik_calls	system calls on files that have not ended: all
 *					zeros when a capture begins
 *	ovnik_requests	ovnik_requests	requests of AIO and io_uring that have not ended
 *
 * A sub-buffer begins with struct ovnik_bpf_subbuf. Records follow, as those of ovnik.h
 * but for two things: delta is the low half of the clock, and an anchor is at the
 * beginning and wherever bit 31 of the clock or a higher one has changed. Draining
 * converts them to sub-buffers as in ovnik.h.
 */
#define OVNIK_BPF_VERSION	6
#define OVNIK_BPF_CPUS_MAX	1024
#define OVNIK_BPF_TIDS_MAX	(4 << 20)	/* PID_MAX_LIMIT */
#define OVNIK_BPF_SUBBUF	(256U << 10)	/* bytes, unless the loader says otherwise */
#define OVNIK_BPF_SUBBUFS	16U		/* per ring; a power of two */
#define OVNIK_BPF_CALLS		16384U		/* entries of ovnik_calls */
#define OVNIK_BPF_CALLS_BYTES	128U		/* of each */
#define OVNIK_BPF_SUBBUF_MIN	(16U << 10)	/* has room for some paths */
#define OVNIK_BPF_SUBBUF_MAX	(4U << 20)	/* KMALLOC_MAX_SIZE, array_map_alloc_check() */

/**
 * enum ovnik_bpf_clock - What the stamps count.
 * @OVNIK_BPF_CLOCK_NS:	 CLOCK_MONOTONIC, ns (bpf_ktime_get_ns())
 * @OVNIK_BPF_CLOCK_TSC: the TSC, by the module's kfunc ovnik_rdtsc()
 */
enum ovnik_bpf_clock {
	OVNIK_BPF_CLOCK_NS	= 0,
	OVNIK_BPF_CLOCK_TSC	= 1,
};

/**
 * struct ovnik_bpf_constants - Fixed by the loader.
 * @version:	 OVNIK_BPF_VERSION
 * @nr_events:	 OVNIK_NR_EVENTS: all layouts depend on this and on the version
 * @subbuf_size: bytes of a sub-buffer, the rings' value_size
 * @nr_subbufs:	 the rings' max_entries, a power of two
 * @use_tsc:	 stamps are the TSC, not ns
 */
struct ovnik_bpf_constants {
	__u32 version;
	__u32 nr_events;
	__u32 subbuf_size;
	__u32 nr_subbufs;
	__u32 use_tsc;
};

#define OVNIK_BPF_PIDS_MAX	64

/* Variables of the kernel whose addresses the programs know. */
#define OVNIK_BPF_HAS_ZERO	(1U << 0)	/* zero_pfn or zero_page_pfn */
#define OVNIK_BPF_HAS_LOCKS	(1U << 1)	/* rename_lock and mount_lock */
#define OVNIK_BPF_NO_PAGES	(1U << 2)	/* the struct pages are not in one table */

/**
 * struct ovnik_bpf_config - What is recorded. Zero: nothing.
 * @events:    bit n: event number n is recorded. Set last, and cleared first
 * @session:   number of the capture: CLOCK_REALTIME ns at its start
 * @filter:    only tasks in ovnik_bpf_shared.filter are recorded
 * @children:  future child processes of those are recorded, too; threads always are
 * @overwrite: a full ring overwrites its oldest sub-buffer; 0: it drops events
 * @clock:     enum ovnik_bpf_clock that the object was loaded with
 * @by_kprobe: kprobes record the ends of page faults, the pages of tmpfs, and where files
 *	       are read and written, because one of these functions is taken
 * @plain_wakers: who wakes a task is not known: it is whoever runs there
 * @nr_pids:   length of @pids
 * @symbols:   OVNIK_BPF_HAS_* and NO_PAGES, which the programs tell
 * @private:   the memory of other users than @owner is hidden
 * @owner:     user ID, in the initial user namespace
 * @vmemmap:   value of the kernel's variable vmemmap_base, for page frame numbers
 * @page_offset: value of page_offset_base
 * @pids:      the processes of the filter, for the description of the capture; the
 *	       probes use ovnik_bpf_shared.filter
 */
struct ovnik_bpf_config {
	__u64 events;
	__u64 session;
	__u32 filter;
	__u32 children;
	__u32 overwrite;
	__u32 clock;
	__u32 by_kprobe;
	__u32 plain_wakers;
	__u32 nr_pids;
	__u32 symbols;
	__u32 private;
	__u32 owner;
	__u64 vmemmap;
	__u64 page_offset;
	__u32 pids[OVNIK_BPF_PIDS_MAX];
};

#define OVNIK_BPF_SHUT		(1U << 31)
#define OVNIK_BPF_EPOCH_SHIFT	31

/**
 * struct ovnik_bpf_cpu - A CPU's ring.
 * @pos:      high half: number of the newest sub-buffer, from 0; low half: offset
 *	      of its next record, with OVNIK_BPF_SHUT if it is closed. OVNIK_BPF_EMPTY
 *	      before the first sub-buffer and without a ring
 * @epoch:    clock >> OVNIK_BPF_EPOCH_SHIFT of the newest anchor
 * @tail:     number of the sub-buffer to read next; for readers only
 * @recorded: per event: written to the ring, overwritten later or not
 * @dropped:  per event: found no room
 */
struct ovnik_bpf_cpu {
	__u64 pos;
	__u64 epoch;
	__u64 tail;
	__u64 recorded[OVNIK_NR_EVENTS];
	__u64 dropped[OVNIK_NR_EVENTS];
} __attribute__((aligned(64)));

/**
 * struct ovnik_bpf_shared - The state of the probes.
 * @cpus:   by number
 * @filter: bit tid % 64 of entry tid / 64 is set if that task is recorded; used
 *	    if ovnik_bpf_config.filter is set
 */
struct ovnik_bpf_shared {
	struct ovnik_bpf_cpu cpus[OVNIK_BPF_CPUS_MAX];
	__u64 filter[OVNIK_BPF_TIDS_MAX / 64];
};

#define OVNIK_BPF_EMPTY		(0xffffffffULL << 32 | OVNIK_BPF_SHUT)

/**
 * struct ovnik_bpf_subbuf - Header of a sub-buffer in the ring.
 * @commit:  high half: the sub-buffer's number + 1; low half: bytes written
 *	     completely, this header included. It may be opened if it has
 *	     the number of the next sub-buffer at this place: so it is made and released
 * @used:    in the same form, set when it is closed: bytes in use. Readable when
 *	     both are equal
 * @tsc_end: clock when it was closed
 * @tid:     task that ran when it was opened
 * @reserved: 0
 * @lost:    per event: dropped on this CPU before this sub-buffer was opened
 * @before:  per event: recorded on this CPU before that
 */
struct ovnik_bpf_subbuf {
	__u64 commit;
	__u64 used;
	__u64 tsc_end;
	__u32 tid;
	__u32 reserved;
	__u64 lost[OVNIK_NR_EVENTS];
	__u64 before[OVNIK_NR_EVENTS];
};

/**
 * struct ovnik_bpf_dump - The progress of a statedump, for the iterators.
 * @walk:   number of the walk
 * @tasks:  walked by the newest walk of tasks
 * @task:   whose mappings or files are being walked
 * @wanted: it matches the filter
 * @apart:  records go to the ring of @cpu, which reads and gives back meanwhile; 0: to that
 *	    of the CPU where the iterator runs
 * @cpu:    a number that no CPU has
 * @lost:   in the statedump of the start, by event; for the loader
 */
struct ovnik_bpf_dump {
	__u32 walk;
	__u32 tasks;
	__u64 task;
	__u32 wanted;
	__u32 apart;
	__u32 cpu;
	__u64 lost[OVNIK_NR_EVENTS];
};

#define OVNIK_BPF_TAG(seq)	((__u64)((__u32)(seq) + 1) << 32)

#endif /* OVNIK_BPF_H */
