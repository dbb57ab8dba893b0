// SPDX-License-Identifier: GPL-2.0-only
/*
 * The smallest possible probe of switches with the kernel's own BPF ring buffer: no
 * filter, no settings, no counts, one ring for all CPUs.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} ring SEC(".maps");

struct record {
	u64 ns;
	u32 prev_tid;
	u32 next_tid;
};

SEC("tp_btf/sched_switch")
int BPF_PROG(bare_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct record *rec = bpf_ringbuf_reserve(&ring, sizeof(*rec), 0);

	if (!rec)
		return 0;
	rec->ns = bpf_ktime_get_ns();
	rec->prev_tid = prev->pid;
	rec->next_tid = next->pid;
	bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
