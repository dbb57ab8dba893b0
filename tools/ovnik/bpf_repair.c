// SPDX-License-Identifier: GPL-2.0-only
/* Close the probes' rings and repair what a killed program left unfinished. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "bpf_ring.h"

/* Per CPU: sub-buffers that were closed before waiting for the probes. */
static u64 ends[OVNIK_BPF_CPUS_MAX];
static struct mark marks[OVNIK_BPF_CPUS_MAX];

static bool is_open(unsigned int cpu)
{
	return !(cpu_of(cpu)->pos & OVNIK_BPF_SHUT);
}

static bool is_used(unsigned int cpu)
{
	return ends[cpu];
}

/* Call @fn for each existing ring whose CPU is due. */
static int each_ring(bool (*is_due)(unsigned int cpu), void (*fn)(unsigned int cpu, void *data))
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		void *data;
		int fd;

		if (!is_due(cpu))
			continue;
		fd = bpf_ring_of(cpu, false);
		if (fd == -ENOENT)	/* loaded by bpftool, and never used */
			continue;
		if (fd < 0)
			return fd;
		data = map_ring(fd, PROT_READ | PROT_WRITE);
		if (!data)
			return -errno;
		fn(cpu, data);
		munmap(data, ring_bytes());
	}
	return 0;
}

/* The headers have only what was lost before each sub-buffer. */
static void note_dropped(unsigned int cpu)
{
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		marks[cpu].dropped[i] = load(&cpu_of(cpu)->dropped[i]);
}

/*
 * Like the probes, read the clock between loading @pos and changing it: no earlier record
 * has a later stamp, and no later record an earlier one.
 */
static void close_open(unsigned int cpu, void *data)
{
	struct ovnik_bpf_cpu *ring = cpu_of(cpu);
	u64 pos = load(&ring->pos), now = bpf_clock_now();
	struct ovnik_bpf_subbuf *sb;

	while (!(pos & OVNIK_BPF_SHUT)) {
		if (!__atomic_compare_exchange_n(&ring->pos, &pos, pos | OVNIK_BPF_SHUT, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			now = bpf_clock_now();
			continue;
		}
		note_dropped(cpu);
		sb = slot_of(data, pos >> 32);
		sb->tsc_end = now;
		__atomic_store_n(&sb->used, OVNIK_BPF_TAG(pos >> 32) | (u32)pos,
				 __ATOMIC_RELEASE);
		return;
	}
}

/**
 * bpf_ring_close() - Close a ring's sub-buffer, if one is open.
 * @cpu:  its CPU
 * @data: the ring, mapped
 */
void bpf_ring_close(unsigned int cpu, void *data)
{
	close_open(cpu, data);
}

/* What is written completely can be read while the sub-buffer stays open. */
static bool mark_prefix(unsigned int cpu, const void *data)
{
	const struct ovnik_bpf_cpu *ring = cpu_of(cpu);
	u64 pos = load(&ring->pos), now;
	const struct ovnik_bpf_subbuf *sb = slot_of(data, pos >> 32);

	/* What was dropped was dropped before the snapshot ends. */
	note_dropped(cpu);
	now = bpf_clock_now();
	if (pos & OVNIK_BPF_SHUT ||
	    load(&sb->commit) != (OVNIK_BPF_TAG(pos >> 32) | (u32)pos) || load(&ring->pos) != pos)
		return false;
	marks[cpu].end = (pos >> 32) + 1;
	marks[cpu].used = pos;
	marks[cpu].now = now;
	return true;
}

#define MARK_TRIES	1000

/* A writer that is preempted may keep its record open for long. */
static void mark_open(unsigned int cpu, void *data)
{
	int i;

	for (i = 0; i < MARK_TRIES; i++) {
		if (mark_prefix(cpu, data))
			return;
	}
	close_open(cpu, data);
}

/**
 * bpf_ring_mark() - How far does the snapshot read a ring?
 * @cpu: its CPU
 *
 * Return: its mark, of bpf_rings_mark_all(); @end is 0 if there is none, but @dropped is set after
 * bpf_rings_close_all(), too.
 */
const struct mark *bpf_ring_mark(unsigned int cpu)
{
	return &marks[cpu];
}

/* A CPU without an open sub-buffer may have dropped events all the same. */
static void note_all_dropped(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++)
		note_dropped(cpu);
}

static void note_ends(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++)
		ends[cpu] = closed(cpu_of(cpu));
}

/*
 * A sub-buffer that was shut has its length by now, unless a program like this one was
 * killed between the two steps. Its writers have finished, so what they committed is its
 * length.
 */
static void mend_ring(unsigned int cpu, void *data)
{
	u64 seq = oldest(cpu_of(cpu));

	for (; seq < ends[cpu]; seq++) {
		struct ovnik_bpf_subbuf *sb = slot_of(data, seq);
		u64 commit = load(&sb->commit), tag = OVNIK_BPF_TAG(seq) >> 32;

		if (commit >> 32 != tag || load(&sb->used) >> 32 == tag)
			continue;
		/* Unknown; finish_records() replaces it with the last record's time. */
		sb->tsc_end = 0;
		__atomic_store_n(&sb->used, commit, __ATOMIC_RELEASE);
	}
}

/* A reader may have been killed before it gave back a sub-buffer: the ring would stay full. */
static void mend_tail(const struct ovnik_bpf_cpu *ring, void *data)
{
	u64 last = ring->tail - 1;
	struct ovnik_bpf_subbuf *sb = slot_of(data, last);

	if (!ring->tail || probes.config->overwrite || !is_complete(sb, last))
		return;
	__atomic_store_n(&sb->commit, OVNIK_BPF_TAG(last + probes.nr_subbufs), __ATOMIC_RELEASE);
}

static void mend(unsigned int cpu, void *data)
{
	mend_ring(cpu, data);
	mend_tail(cpu_of(cpu), data);
}

static int end_all(void (*end)(unsigned int cpu, void *data))
{
	sigset_t all, before;
	int ret;

	note_all_dropped();
	/* No signal may come between shutting a sub-buffer and storing its length. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = each_ring(is_open, end);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return ret;
	note_ends();
	/* Afterwards no earlier writer is left. */
	ret = bpf_wait_for_probes();
	return ret ? ret : each_ring(is_used, mend);
}

/**
 * bpf_rings_close_all() - Close every CPU's sub-buffer, so that it can be read.
 *
 * The next record of each CPU opens a new one.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_rings_close_all(void)
{
	return end_all(close_open);
}

/**
 * bpf_rings_mark_all() - Note how far every CPU has come, so that it can be read to there.
 *
 * A sub-buffer that is closed for each snapshot would cost the oldest one.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_rings_mark_all(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();
	int ret;

	memset(marks, 0, sizeof(marks));
	ret = end_all(mark_open);
	for (cpu = 0; cpu < nr; cpu++) {
		if (!marks[cpu].end)
			marks[cpu].end = ends[cpu];
	}
	return ret;
}
