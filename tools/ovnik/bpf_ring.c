// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes' rings: sub-buffers as bpf/ovnik_bpf.h has them become sub-buffers as
 * ovnik.h has them. The probes do what must be done at once; lengths of time, counts
 * and the header are made here.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf.h"
#include "util/msg.h"

/* The probes wake nobody. At 16 million events a second 4 MiB last longer. */
#define IDLE_US		10000

#define HEADER		((u32)OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS))
#define FIRST		((u32)(sizeof(struct ovnik_bpf_subbuf) + sizeof(struct ovnik_anchor)))

static struct ovnik_bpf_cpu *cpu_of(unsigned int cpu)
{
	return &probes.shared->cpus[cpu];
}

static u64 load(const u64 *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static size_t ring_bytes(void)
{
	return (size_t)probes.nr_subbufs * probes.subbuf_size;
}

static struct ovnik_bpf_subbuf *slot_of(const void *data, u64 seq)
{
	return (void *)data + (size_t)(seq % probes.nr_subbufs) * probes.subbuf_size;
}

/* Sub-buffers that were opened so far. */
static u64 opened(const struct ovnik_bpf_cpu *ring)
{
	return (u32)(load(&ring->pos) >> 32) + 1U;
}

/* Sub-buffers that were closed so far. */
static u64 closed(const struct ovnik_bpf_cpu *ring)
{
	u64 pos = load(&ring->pos);

	return (u32)(pos >> 32) + !!(pos & OVNIK_BPF_SHUT);
}

static bool is_complete(const struct ovnik_bpf_subbuf *sb, u64 seq)
{
	u64 used = load(&sb->used);

	return used >> 32 == OVNIK_BPF_TAG(seq) >> 32 && load(&sb->commit) == used;
}

static void *map_ring(int fd, int protection)
{
	void *map = mmap(NULL, ring_bytes(), protection, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

static int reset_ring(int fd)
{
	void *data = map_ring(fd, PROT_READ | PROT_WRITE);
	u32 i;

	if (!data)
		return -errno;
	for (i = 0; i < probes.nr_subbufs; i++) {
		struct ovnik_bpf_subbuf *sb = slot_of(data, i);

		sb->commit = OVNIK_BPF_TAG(i);
		sb->used = 0;
	}
	munmap(data, ring_bytes());
	return 0;
}

/**
 * bpf_ring_create() - Make a ring, of the sizes that the probes have.
 *
 * Return: a file descriptor, the caller's; a negative errno.
 */
int bpf_ring_create(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	int fd, ret;

	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ovnik_ring", sizeof(u32), probes.subbuf_size,
			    probes.nr_subbufs, &opts);
	ret = fd < 0 ? fd : reset_ring(fd);
	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret;
}

/*
 * Asking the kernel for an entry of a map of maps takes as long as its longest RCU
 * read section: 10 ms and more. So it is asked once.
 */
static struct {
	int fd;
	bool known;
} known_rings[OVNIK_BPF_CPUS_MAX];

static int ask_for_ring(unsigned int cpu)
{
	u32 id;

	/* What was just loaded has none. */
	if (!probes.pinned || bpf_map_lookup_elem(probes.rings, &cpu, &id))
		return -ENOENT;
	return bpf_map_get_fd_by_id(id);
}

static int give_ring(unsigned int cpu)
{
	int fd = bpf_ring_create();
	int ret;

	if (fd < 0)
		return fd;
	ret = bpf_map_update_elem(probes.rings, &cpu, &fd, 0);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/**
 * bpf_ring_of() - The map that is a CPU's ring.
 * @cpu:    the CPU
 * @create: make one if it has none
 *
 * Context: One thread only.
 * Return: a file descriptor, ours; -ENOENT if there is none; another negative errno,
 * which has been reported.
 */
int bpf_ring_of(unsigned int cpu, bool create)
{
	if (!known_rings[cpu].known)
		known_rings[cpu].fd = ask_for_ring(cpu);
	known_rings[cpu].known = true;
	if (create && known_rings[cpu].fd == -ENOENT)
		known_rings[cpu].fd = give_ring(cpu);
	if (known_rings[cpu].fd < 0 && known_rings[cpu].fd != -ENOENT) {
		if (known_rings[cpu].fd == -ENOMEM)
			control_tell_memory();
		msg_error("ring of CPU %u: %s", cpu, strerror(-known_rings[cpu].fd));
	}
	return known_rings[cpu].fd;
}

/**
 * bpf_rings_forget() - The probes are unloaded, or others are used now.
 */
void bpf_rings_forget(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < OVNIK_BPF_CPUS_MAX; cpu++) {
		if (known_rings[cpu].known && known_rings[cpu].fd >= 0)
			close(known_rings[cpu].fd);
	}
	memset(known_rings, 0, sizeof(known_rings));
}

/**
 * bpf_rings_any() - Has any CPU got its ring?
 *
 * Return: true if one has.
 */
bool bpf_rings_any(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		if (bpf_ring_of(cpu, false) >= 0)
			return true;
	}
	return false;
}

/**
 * bpf_rings_touch() - Put a ring where it is already: the kernel waits for programs.
 *
 * Return: 0, also if there is no ring; a negative errno.
 */
int bpf_rings_touch(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		int fd = bpf_ring_of(cpu, false);

		if (fd >= 0)
			return bpf_map_update_elem(probes.rings, &cpu, &fd, 0);
	}
	return 0;
}

/**
 * bpf_nr_cpus() - How many CPUs there may ever be.
 *
 * Return: that, and no more than the probes are made for.
 */
unsigned int bpf_nr_cpus(void)
{
	int nr = libbpf_num_possible_cpus();

	return nr < 0 || nr > OVNIK_BPF_CPUS_MAX ? OVNIK_BPF_CPUS_MAX : nr;
}

/**
 * bpf_rings_reset() - Forget what an earlier capture recorded.
 *
 * A CPU without a ring is set to count what it loses.
 *
 * Context: Nothing is recorded.
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_rings_reset(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();
	int fd, ret;

	for (cpu = 0; cpu < nr; cpu++) {
		struct ovnik_bpf_cpu *ring = cpu_of(cpu);

		memset(ring, 0, sizeof(*ring));
		ring->pos = OVNIK_BPF_EMPTY;
		fd = bpf_ring_of(cpu, false);
		if (fd == -ENOENT)
			continue;
		ret = fd < 0 ? fd : reset_ring(fd);
		if (ret)
			return ret;
	}
	return 0;
}

static int ring_open(struct reader *reader)
{
	reader->in = bpf_ring_of(reader->cpu, true);
	if (reader->in < 0)
		return reader->in;
	reader->size = ring_bytes();
	/* Headers differ in length. */
	reader->copy = malloc(probes.subbuf_size + HEADER);
	if (!reader->copy)
		return -ENOMEM;
	reader->data = map_ring(reader->in, PROT_READ | PROT_WRITE);
	if (reader->data)
		return 0;
	msg_error("ring of CPU %u: %s", reader->cpu, strerror(errno));
	return -errno;
}

static int ring_map(struct reader *reader)
{
	return reader->data ? 0 : -EINVAL;
}

static void ring_close(struct reader *reader)
{
	if (reader->data)
		munmap((void *)reader->data, reader->size);
	free(reader->copy);
}

/*
 * Give each record its distance from the anchor before it, and count it. Stamps are
 * 32 bits here, and no anchor is further away than half of what these can say; the
 * kernel's clock may step back by some ns while it is adjusted.
 */
static int finish_records(struct ovnik_subbuf *sb)
{
	u32 *count = (u32 *)&sb->lost[OVNIK_NR_EVENTS];
	u64 base = sb->tsc, now = base;
	u32 offset = HEADER, len;

	for (; offset < sb->used; offset += len) {
		struct ovnik_record *rec = (void *)sb + offset;
		s32 step = rec->delta - (u32)now;

		len = rec->words ? rec->words * OVNIK_REC_ALIGN :
				   (rec->size + OVNIK_REC_ALIGN - 1U) & ~(OVNIK_REC_ALIGN - 1U);
		if (len < OVNIK_REC_ALIGN || len > sb->used - offset ||
		    rec->type >= OVNIK_NR_EVENTS)
			return -EPROTO;
		now += step > 0 ? step : 0;
		if (rec->type == OVNIK_EV_anchor) {
			struct ovnik_anchor *anchor = (void *)rec;

			if (anchor->tsc < now)
				anchor->tsc = now;
			base = anchor->tsc;
			now = base;
		}
		rec->delta = now - base;
		count[rec->type]++;
	}
	if (sb->tsc_end < now)
		sb->tsc_end = now;
	return 0;
}

/* The header, but for what was overwritten. */
static void fill_header(struct ovnik_subbuf *to, const struct ovnik_bpf_subbuf *from,
			unsigned int cpu, u64 seq, u32 used)
{
	const struct ovnik_anchor *first = (const void *)(from + 1);

	memset(to, 0, HEADER);
	to->magic = OVNIK_SUBBUF_MAGIC;
	to->version = OVNIK_FORMAT_VERSION;
	to->header_size = HEADER;
	to->cpu = cpu;
	to->nr_events = OVNIK_NR_EVENTS;
	to->session = probes.config->session;
	to->seq = seq;
	to->tsc = first->tsc;
	to->ns = first->ns;
	to->width = first->width;
	to->tid = from->tid;
	to->tsc_end = from->tsc_end;
	to->size = probes.subbuf_size;
	to->flags = bpf_clock_flags() | (probes.config->overwrite ? OVNIK_SB_OVERWRITE : 0);
	to->used = HEADER + used - FIRST;
	to->committed = to->used;
	memcpy(to->lost, from->lost, sizeof(from->lost));
}

/* Copy a sub-buffer as it lies there: it may be written over meanwhile. */
static int copy_subbuf(struct ovnik_subbuf *to, const struct ovnik_bpf_subbuf *from,
		       unsigned int cpu, u64 seq)
{
	u32 used = load(&from->used);

	if (used < FIRST || used > probes.subbuf_size)
		return -EPROTO;
	fill_header(to, from, cpu, seq, used);
	memcpy((void *)to + HEADER, (const void *)from + FIRST, used - FIRST);
	return 0;
}

static int damaged(unsigned int cpu, u64 seq)
{
	msg_error("ring of CPU %u, sub-buffer %llu: damaged", cpu, seq);
	return -EPROTO;
}

static const struct ovnik_subbuf *ring_next(struct reader *reader, int *error)
{
	struct ovnik_bpf_cpu *ring = cpu_of(reader->cpu);
	struct ovnik_bpf_subbuf *sb = slot_of(reader->data, ring->tail);

	*error = 0;
	if (ring->tail >= closed(ring) || !is_complete(sb, ring->tail))
		return NULL;
	if (!copy_subbuf(reader->copy, sb, reader->cpu, ring->tail) &&
	    !finish_records(reader->copy))
		return reader->copy;
	*error = damaged(reader->cpu, ring->tail);
	return NULL;
}

static void ring_release(struct reader *reader)
{
	struct ovnik_bpf_cpu *ring = cpu_of(reader->cpu);
	struct ovnik_bpf_subbuf *sb = slot_of(reader->data, ring->tail);

	ring->tail++;
	if (!probes.config->overwrite)
		__atomic_store_n(&sb->commit, OVNIK_BPF_TAG(ring->tail - 1 + probes.nr_subbufs),
				 __ATOMIC_RELEASE);
}

static bool ring_wait(struct reader *reader)
{
	(void)reader;
	usleep(IDLE_US);
	return load(&probes.config->events) != 0;
}

static bool ring_has_data(const struct reader *reader)
{
	const struct ovnik_bpf_cpu *ring = cpu_of(reader->cpu);

	return reader->in >= 0 && ring->tail < closed(ring);
}

/* The oldest sub-buffer that can still be there, in overwrite mode. */
static u64 oldest(const struct ovnik_bpf_cpu *ring)
{
	u64 end = opened(ring);

	return end > probes.nr_subbufs ? end - probes.nr_subbufs : 0;
}

/*
 * What was recorded on a CPU and is in its ring no more: all there was, but what is
 * there. Nothing is recorded meanwhile.
 */
static void count_overwritten(unsigned int cpu, const void *data, struct ovnik_subbuf *copy,
			      u64 overwritten[OVNIK_NR_EVENTS])
{
	const u32 *count = (const u32 *)&copy->lost[OVNIK_NR_EVENTS];
	const struct ovnik_bpf_cpu *ring = cpu_of(cpu);
	u64 seq;
	int i;

	memcpy(overwritten, ring->recorded, sizeof(ring->recorded));
	for (seq = oldest(ring); seq < closed(ring); seq++) {
		if (copy_subbuf(copy, slot_of(data, seq), cpu, seq) || finish_records(copy))
			continue;
		for (i = 0; i < OVNIK_NR_EVENTS; i++)
			overwritten[i] -= count[i];
	}
}

/*
 * While a capture goes on, a sub-buffer itself says how much was recorded before it,
 * but for what others were just writing when it was opened.
 */
static void add_overwritten(const struct reader *reader, struct ovnik_subbuf *to,
			    const u64 before[OVNIK_NR_EVENTS], bool still)
{
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		to->lost[i] += still ? reader->overwritten[i] :
			       before[i] > reader->count[i] ? before[i] - reader->count[i] : 0;
}

/* The next one that is not written over while it is copied. */
static int copy_overwriting(struct reader *reader, struct ovnik_subbuf *to)
{
	bool still = !load(&probes.config->events);
	struct ovnik_bpf_cpu *ring = cpu_of(reader->cpu);
	u64 before[OVNIK_NR_EVENTS];

	if (!reader->begun && still)
		count_overwritten(reader->cpu, reader->data, reader->copy, reader->overwritten);
	/* What is closed later is not for this reader: there might be no end. */
	if (!reader->begun)
		reader->end = closed(ring);
	reader->begun = true;
	for (; reader->next < reader->end; reader->next++) {
		const struct ovnik_bpf_subbuf *sb;

		if (reader->next < oldest(ring))
			reader->next = oldest(ring);
		sb = slot_of(reader->data, reader->next);
		if (!is_complete(sb, reader->next))
			continue;
		memcpy(before, sb->before, sizeof(before));
		if (copy_subbuf(to, sb, reader->cpu, reader->next))
			continue;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (reader->next < oldest(ring))
			continue;
		if (finish_records(to))
			return damaged(reader->cpu, reader->next);
		add_overwritten(reader, to, before, still);
		reader->next++;
		return 1;
	}
	return 0;
}

static int ring_copy(struct reader *reader, struct ovnik_subbuf *to)
{
	const struct ovnik_subbuf *sb;
	int ret;

	if (probes.config->overwrite)
		return copy_overwriting(reader, to);
	if (!reader->begun)
		reader->end = closed(cpu_of(reader->cpu));
	reader->begun = true;
	if (cpu_of(reader->cpu)->tail >= reader->end)
		return 0;
	sb = ring_next(reader, &ret);
	if (!sb)
		return ret;
	memcpy(to, sb, sb->used);
	ring_release(reader);
	return 1;
}

/*
 * The clock is read between looking at @pos and moving it, as the probes do: no
 * stamp before is later, none after it earlier.
 */
static void close_open(struct ovnik_bpf_cpu *ring, void *data)
{
	u64 pos = load(&ring->pos), now = bpf_clock_now();
	struct ovnik_bpf_subbuf *sb;

	while (!(pos & OVNIK_BPF_SHUT)) {
		if (!__atomic_compare_exchange_n(&ring->pos, &pos, pos | OVNIK_BPF_SHUT, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			now = bpf_clock_now();
			continue;
		}
		sb = slot_of(data, pos >> 32);
		sb->tsc_end = now;
		__atomic_store_n(&sb->used, OVNIK_BPF_TAG(pos >> 32) | (u32)pos,
				 __ATOMIC_RELEASE);
		return;
	}
}

static int close_all(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		void *data;
		int fd;

		if (cpu_of(cpu)->pos & OVNIK_BPF_SHUT)
			continue;
		fd = bpf_ring_of(cpu, false);
		if (fd == -ENOENT)	/* loaded by bpftool, and never used */
			continue;
		if (fd < 0)
			return fd;
		data = map_ring(fd, PROT_READ | PROT_WRITE);
		if (!data)
			return -errno;
		close_open(cpu_of(cpu), data);
		munmap(data, ring_bytes());
	}
	return 0;
}

/* Sub-buffers of each CPU that were closed before the probes were waited for. */
static u64 ends[OVNIK_BPF_CPUS_MAX];

static void note_ends(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++)
		ends[cpu] = closed(cpu_of(cpu));
}

/*
 * Whoever had shut a sub-buffer has noted its length by now, but for a program like this
 * one that was killed between the two. Its writers have ended: what they have written is
 * its length.
 */
static void mend_ring(unsigned int cpu, void *data)
{
	u64 seq = oldest(cpu_of(cpu));

	for (; seq < ends[cpu]; seq++) {
		struct ovnik_bpf_subbuf *sb = slot_of(data, seq);
		u64 commit = load(&sb->commit), tag = OVNIK_BPF_TAG(seq) >> 32;

		if (commit >> 32 != tag || load(&sb->used) >> 32 == tag)
			continue;
		/* Not known; nor when the last record was, before it is looked at. */
		sb->tsc_end = 0;
		__atomic_store_n(&sb->used, commit, __ATOMIC_RELEASE);
	}
}

/* Or between taking a sub-buffer and giving it back: the probes would wait for it. */
static void mend_tail(const struct ovnik_bpf_cpu *ring, void *data)
{
	u64 last = ring->tail - 1;
	struct ovnik_bpf_subbuf *sb = slot_of(data, last);

	if (!ring->tail || probes.config->overwrite || !is_complete(sb, last))
		return;
	__atomic_store_n(&sb->commit, OVNIK_BPF_TAG(last + probes.nr_subbufs), __ATOMIC_RELEASE);
}

static int mend_all(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		int fd = bpf_ring_of(cpu, false);
		void *data;

		if (fd == -ENOENT || !ends[cpu])
			continue;
		if (fd < 0)
			return fd;
		data = map_ring(fd, PROT_READ | PROT_WRITE);
		if (!data)
			return -errno;
		mend_ring(cpu, data);
		mend_tail(cpu_of(cpu), data);
		munmap(data, ring_bytes());
	}
	return 0;
}

/**
 * bpf_rings_close_all() - Make everything up to now readable.
 *
 * The next record of each CPU opens a new sub-buffer.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_rings_close_all(void)
{
	sigset_t all, before;
	int ret;

	/* A sub-buffer that is shut but has no length would never be complete. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = close_all();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return ret;
	note_ends();
	/* Writers that were under way have ended. */
	ret = bpf_wait_for_probes();
	return ret ? ret : mend_all();
}

static void stats_overwritten(unsigned int cpu, u64 overwritten[OVNIK_NR_EVENTS])
{
	struct ovnik_subbuf *copy = malloc(probes.subbuf_size + HEADER);
	int fd = bpf_ring_of(cpu, false);
	void *data = fd < 0 ? NULL : map_ring(fd, PROT_READ);

	if (data && copy && !load(&probes.config->events))
		count_overwritten(cpu, data, copy, overwritten);
	else if (data)
		memcpy(overwritten, slot_of(data, oldest(cpu_of(cpu)))->before,
		       OVNIK_NR_EVENTS * sizeof(u64));
	if (data)
		munmap(data, ring_bytes());
	free(copy);
}

/**
 * bpf_rings_stats() - What became of a CPU's events.
 * @cpu:   the CPU
 * @stats: per event number; is set
 *
 * Exact once nothing is recorded any more.
 */
void bpf_rings_stats(unsigned int cpu, struct event_stats stats[OVNIK_NR_EVENTS])
{
	const struct ovnik_bpf_cpu *ring = cpu_of(cpu);
	u64 overwritten[OVNIK_NR_EVENTS] = { 0 };
	int i;

	if (probes.config->overwrite && opened(ring))
		stats_overwritten(cpu, overwritten);
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		stats[i].recorded = load(&ring->recorded[i]) - overwritten[i];
		stats[i].lost = load(&ring->dropped[i]) + overwritten[i];
	}
}

/**
 * bpf_rings_bytes() - Bytes that all CPUs have written, headers included.
 *
 * Return: bytes; what closed sub-buffers did not use counts.
 */
u64 bpf_rings_bytes(void)
{
	unsigned int cpu, nr_all = bpf_nr_cpus();
	u64 sum = 0;

	for (cpu = 0; cpu < nr_all; cpu++) {
		const struct ovnik_bpf_cpu *ring = cpu_of(cpu);
		u64 nr = opened(ring);

		if (nr)
			sum += (nr - 1) * probes.subbuf_size +
			       ((u32)load(&ring->pos) & ~OVNIK_BPF_SHUT);
	}
	return sum;
}

const struct source bpf_source = {
	.open		= ring_open,
	.map		= ring_map,
	.close		= ring_close,
	.next		= ring_next,
	.release	= ring_release,
	.wait		= ring_wait,
	.has_data	= ring_has_data,
	.copy		= ring_copy,
};
