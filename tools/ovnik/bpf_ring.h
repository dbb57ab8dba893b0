/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BPF_RING_H
#define OVNIK_TOOL_BPF_RING_H

#include <sys/mman.h>

#include "bpf.h"

/* Access to the rings, shared by draining and repairing. */

static inline struct ovnik_bpf_cpu *cpu_of(unsigned int cpu)
{
	return &probes.shared->cpus[cpu];
}

static inline u64 load(const u64 *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static inline size_t ring_bytes(void)
{
	return (size_t)probes.nr_subbufs * probes.subbuf_size;
}

static inline struct ovnik_bpf_subbuf *slot_of(const void *data, u64 seq)
{
	return (void *)data + (size_t)(seq % probes.nr_subbufs) * probes.subbuf_size;
}

/* Number of sub-buffers opened so far. */
static inline u64 opened(const struct ovnik_bpf_cpu *ring)
{
	return (u32)(load(&ring->pos) >> 32) + 1U;
}

/* Number of sub-buffers closed so far. */
static inline u64 closed(const struct ovnik_bpf_cpu *ring)
{
	u64 pos = load(&ring->pos);

	return (u32)(pos >> 32) + !!(pos & OVNIK_BPF_SHUT);
}

/* The oldest sub-buffer not yet overwritten. */
static inline u64 oldest(const struct ovnik_bpf_cpu *ring)
{
	u64 end = opened(ring);

	return end > probes.nr_subbufs ? end - probes.nr_subbufs : 0;
}

static inline bool is_complete(const struct ovnik_bpf_subbuf *sb, u64 seq)
{
	u64 used = load(&sb->used);

	return used >> 32 == OVNIK_BPF_TAG(seq) >> 32 && load(&sb->commit) == used;
}

static inline void *map_ring(int fd, int protection)
{
	void *map = mmap(NULL, ring_bytes(), protection, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

#endif /* OVNIK_TOOL_BPF_RING_H */
