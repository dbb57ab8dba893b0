/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_RING_BPF_H
#define OVNIK_RING_BPF_H

#include "owner.bpf.h"
#include "probe.bpf.h"

/*
 * The per-CPU ring, like that of the module (kmod/ring.h) where BPF permits it.
 *
 * A program cannot turn interrupts off, and may be preempted. So no program ever waits:
 * one that finds a step unfinished completes it, and every step is one cmpxchg, on @pos
 * or on @commit of the next sub-buffer.
 *
 *	1. advancing @pos reserves the place of a record;
 *	2. setting OVNIK_BPF_SHUT in @pos closes a full sub-buffer; the program that
 *	   sets it writes @used;
 *	3. writing its number to @commit prepares the next one;
 *	4. moving @pos to it, after the first record, opens it; the program that moves
 *	   it writes header and anchor.
 *
 * A late program only leaves a sub-buffer incomplete: @commit does not equal @used yet.
 * The clock is read between loading @pos and the cmpxchg: stamps are in the order of the
 * places.
 *
 * The BPF ring buffer of the kernel counts no losses, cannot overwrite, and may put a
 * nested record with a later stamp before the outer one. It is not faster
 * (Documentation/performance.rst).
 */

/**
 * struct place - The place of a record.
 * @pos: number of the sub-buffer and offset, as in struct ovnik_bpf_cpu
 * @ts:  its stamp
 */
struct place {
	u64 pos;
	u64 ts;
};

static __always_inline struct ovnik_bpf_cpu *ring_of(u32 cpu)
{
	/* No capture starts on machines with more CPUs. */
	return &ovnik_shared.cpus[cpu % OVNIK_BPF_CPUS_MAX];
}

static __always_inline struct ovnik_bpf_subbuf *subbuf_at(u32 cpu, u32 seq)
{
	void *ring = bpf_map_lookup_elem(&ovnik_rings, &cpu);
	u32 slot = seq & (ovnik_load.nr_subbufs - 1);

	return ring ? bpf_map_lookup_elem(ring, &slot) : NULL;
}

static __always_inline void drop(struct ovnik_bpf_cpu *ring, u32 type, u64 n)
{
	u64 index = type;

	/* Otherwise the compiler checks one copy and uses another. */
	barrier_var(index);
	if (index < OVNIK_NR_EVENTS)
		__sync_fetch_and_add(&ring->dropped[index], n);
}

/**
 * struct moment - The ring and the clocks, read at once.
 * @pos:    of the ring
 * @ts:	    clock, read after @pos
 * @ns:	    CLOCK_MONOTONIC, read after @ts
 * @width:  ticks from @ts to a reading after @ns
 * @anchor: a record of now needs an anchor before it
 */
struct moment {
	u64 pos;
	u64 ts;
	u64 ns;
	u64 width;
	bool anchor;
};

static __always_inline u64 read_clock(bool ns_only)
{
	return ns_only ? bpf_ktime_get_ns() : clock_any();
}

static __always_inline struct moment read_moment(const struct ovnik_bpf_cpu *ring, bool ns_only)
{
	struct moment now;

	now.pos = READ_ONCE(ring->pos);
	barrier();
	now.ts = read_clock(ns_only);
	now.anchor = now.ts >> OVNIK_BPF_EPOCH_SHIFT != READ_ONCE(ring->epoch);
	now.ns = now.ts;
	now.width = 0;
	if (ovnik_load.use_tsc && !ns_only) {
		now.ns = bpf_ktime_get_ns();
		now.width = read_clock(ns_only) - now.ts;
	}
	return now;
}

/* Its place is reserved. Both clocks; the record after it has the same stamp. */
static __always_inline void write_anchor(struct ovnik_bpf_cpu *ring, struct ovnik_bpf_subbuf *sb,
					 u32 off, const struct moment *now)
{
	struct ovnik_anchor *rec = (void *)sb + off;

	rec->delta = now->ts;
	rec->type = OVNIK_EV_anchor;
	rec->words = sizeof(*rec) / OVNIK_REC_ALIGN;
	rec->width = now->width > 0xffff ? 0xffff : now->width;
	rec->tsc = now->ts;
	rec->ns = now->ns;
	/*
	 * After the place: a program that sees it finds an anchor of that epoch before its
	 * record.
	 */
	WRITE_ONCE(ring->epoch, now->ts >> OVNIK_BPF_EPOCH_SHIFT);
}

/* Reserve room in the open sub-buffer. Return: 1; 0: interrupted, try again. */
static __always_inline int take_here(struct ovnik_bpf_cpu *ring, struct ovnik_bpf_subbuf *sb,
				     const struct moment *now, u32 len, struct place *place)
{
	u32 before = now->anchor ? sizeof(struct ovnik_anchor) : 0;
	u32 off = now->pos;

	if (cmpxchg(&ring->pos, now->pos, now->pos + before + len) != now->pos)
		return 0;
	if (before && off <= ovnik_load.subbuf_size - sizeof(struct ovnik_anchor)) {
		write_anchor(ring, sb, off, now);
		__sync_fetch_and_add(&ring->recorded[OVNIK_EV_anchor], 1);
		__sync_fetch_and_add(&sb->commit, before);
	}
	place->pos = now->pos + before;
	place->ts = now->ts;
	return 1;
}

/* No more records can be reserved in it. */
static __always_inline void close_subbuf(struct ovnik_bpf_cpu *ring, struct ovnik_bpf_subbuf *sb,
					 const struct moment *now)
{
	if (cmpxchg(&ring->pos, now->pos, now->pos | OVNIK_BPF_SHUT) != now->pos)
		return;
	sb->tsc_end = now->ts;
	barrier();
	WRITE_ONCE(sb->used, OVNIK_BPF_TAG(now->pos >> 32) | (u32)now->pos);
}

/* May it be overwritten? Then it has its number, from us or from another program. */
static __always_inline bool make_ready(struct ovnik_bpf_subbuf *sb, u32 seq, bool overwrite)
{
	u64 tag = OVNIK_BPF_TAG(seq);
	u64 old = READ_ONCE(sb->commit);

	if (old >> 32 == tag >> 32)
		return true;
	if (!overwrite || old != READ_ONCE(sb->used))
		return false;
	/* If this fails, @pos has changed, too. */
	cmpxchg(&sb->commit, old, tag);
	return true;
}

static __always_inline void fill_header(const struct ovnik_bpf_cpu *ring,
					struct ovnik_bpf_subbuf *sb)
{
	u32 i;

	sb->tid = current_tid();
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		sb->lost[i] = ring->dropped[i];
		sb->before[i] = ring->recorded[i];
	}
}

/* Open a sub-buffer with a record. Return: 1; 0: interrupted, try again. */
static __always_inline int open_subbuf(struct ovnik_bpf_cpu *ring, struct ovnik_bpf_subbuf *sb,
				       u32 seq, const struct moment *now, u32 len,
				       struct place *place)
{
	u32 off = sizeof(*sb) + sizeof(struct ovnik_anchor);

	place->pos = (u64)seq << 32 | off;
	place->ts = now->ts;
	if (cmpxchg(&ring->pos, now->pos, place->pos + len) != now->pos)
		return 0;
	fill_header(ring, sb);
	write_anchor(ring, sb, sizeof(*sb), now);
	__sync_fetch_and_add(&sb->commit, off);
	return 1;
}

/* The progress of a statedump, and where it goes. */
struct ovnik_bpf_dump ovnik_dump SEC(".data.dump");

static __always_inline u32 dump_cpu(void)
{
	return ovnik_dump.apart ? ovnik_dump.cpu : bpf_get_smp_processor_id();
}

/* Whose record it is: which clock it needs, and which ring it goes to. */
enum origin { BY_PROBE, BY_KPROBE, BY_DUMP };

/* The reader of a statedump keeps up. */
static __always_inline bool may_overwrite(enum origin origin)
{
	return ovnik_config.overwrite && !(origin == BY_DUMP && ovnik_dump.apart);
}

/* Return: 1 if the place is reserved; 0 to try again; -1 without room. */
static __always_inline int step(u32 cpu, u32 len, struct place *place, enum origin origin)
{
	struct ovnik_bpf_cpu *ring = ring_of(cpu);
	struct moment now = read_moment(ring, origin == BY_KPROBE);
	bool shut = now.pos & OVNIK_BPF_SHUT;
	u32 seq = (now.pos >> 32) + shut;
	struct ovnik_bpf_subbuf *sb = subbuf_at(cpu, seq);

	if (!sb || !place)
		return -1;
	if (shut) {
		if (!make_ready(sb, seq, may_overwrite(origin)))
			return -1;
		return open_subbuf(ring, sb, seq, &now, len, place);
	}
	if ((u32)now.pos + sizeof(struct ovnik_anchor) <= ovnik_load.subbuf_size - OVNIK_REC_MAX)
		return take_here(ring, sb, &now, len, place);
	close_subbuf(ring, sb, &now);
	return 0;
}

/* Separate functions: verified once, not at each step of each record of each program. */
__noinline int step_probe(u32 cpu, u32 len, struct place *place)
{
	return step(cpu, len, place, BY_PROBE);
}

__noinline int step_ns(u32 cpu, u32 len, struct place *place)
{
	return step(cpu, len, place, BY_KPROBE);
}

/* For iterators. */
__noinline int step_dump(u32 cpu, u32 len, struct place *place)
{
	return step(cpu, len, place, BY_DUMP);
}

static __always_inline int reserve_step(u32 cpu, u32 len, struct place *place, enum origin origin)
{
	if (origin == BY_DUMP)
		return step_dump(cpu, len, place);
	return origin == BY_KPROBE ? step_ns(cpu, len, place) : step_probe(cpu, len, place);
}

/* More than the contexts that may interrupt one another. */
#define STEPS	24

/*
 * Where the fast path fails: a new sub-buffer, an anchor, or an interruption. Return: 1 if
 * the place is reserved; 0 if the event was dropped and counted.
 */
static __always_inline int reserve_slowly(u32 type, u32 len, struct place *place,
					  enum origin origin)
{
	u32 cpu = origin == BY_DUMP ? dump_cpu() : bpf_get_smp_processor_id();
	int i, ret;

	if (!place)
		return 0;
	for (i = 0; i < STEPS; i++) {
		ret = reserve_step(cpu, len, place, origin);
		if (ret > 0)
			return 1;
		if (ret < 0)
			break;
	}
	drop(ring_of(cpu), type, 1);
	return 0;
}

/* Functions of their own, which the verifier looks at once, not for each probe. */
__noinline int reserve_slow(u32 type, u32 len, struct place *place)
{
	return reserve_slowly(type, len, place, BY_PROBE);
}

__noinline int reserve_slow_ns(u32 type, u32 len, struct place *place)
{
	return reserve_slowly(type, len, place, BY_KPROBE);
}

__noinline int reserve_slow_dump(u32 type, u32 len, struct place *place)
{
	return reserve_slowly(type, len, place, BY_DUMP);
}

/**
 * struct ovnik_slot - A record between reserve and commit.
 * @sb:	  its sub-buffer
 * @ring: of the CPU
 * @pos:  its place, as in struct place
 * @len:  bytes
 * @rec:  the record
 */
struct ovnik_slot {
	struct ovnik_bpf_subbuf	*sb;
	struct ovnik_bpf_cpu	*ring;
	u64			pos;
	u32			len;
	void			*rec;
};

static __always_inline int reserve_other(u32 type, u32 len, struct place *place,
					 enum origin origin)
{
	if (origin == BY_DUMP)
		return reserve_slow_dump(type, len, place);
	return origin == BY_KPROBE ? reserve_slow_ns(type, len, place) :
				     reserve_slow(type, len, place);
}

/* Take the place that was read, now. False: no room, an interruption, or an anchor is due. */
static __always_inline bool take_place(struct ovnik_bpf_cpu *ring, struct place *place, u32 len,
				       u32 max, enum origin origin)
{
	place->ts = read_clock(origin == BY_KPROBE);
	/* OVNIK_BPF_SHUT makes it too large. */
	return place->ts >> OVNIK_BPF_EPOCH_SHIFT == READ_ONCE(ring->epoch) &&
	       (u32)place->pos <= ovnik_load.subbuf_size - max &&
	       cmpxchg(&ring->pos, place->pos, place->pos + len) == place->pos;
}

/* The record at a reserved place: with its delta, type and words. */
static __always_inline void *begin_at(struct ovnik_slot *slot, u32 cpu, u32 type, u32 len, u32 max,
				      const struct place *place)
{
	u32 off = place->pos;
	struct ovnik_record *rec;

	slot->ring = ring_of(cpu);
	slot->pos = place->pos;
	slot->len = len;
	slot->sb = subbuf_at(cpu, place->pos >> 32);
	/* Impossible, but the verifier does not know; and what is tested is used. */
	barrier_var(off);
	if (!slot->sb || off > ovnik_load.subbuf_size - max)
		return NULL;
	rec = (void *)slot->sb + off;
	rec->delta = place->ts;
	*(u16 *)&rec->type = (len / OVNIK_REC_ALIGN) << 8 | type;
	slot->rec = rec;
	return rec;
}

/*
 * Room for a record of @len bytes, at most @max, which the verifier knows: stamped now,
 * with its delta, type and words. NULL: dropped and counted.
 */
static __always_inline void *reserve(struct ovnik_slot *slot, u32 type, u32 len, u32 max,
				     enum origin origin)
{
	u32 cpu = origin == BY_DUMP ? dump_cpu() : bpf_get_smp_processor_id();
	struct ovnik_bpf_cpu *ring = ring_of(cpu);
	struct place place;

	place.pos = READ_ONCE(ring->pos);
	barrier();
	if (!take_place(ring, &place, len, max, origin) &&
	    !reserve_other(type, len, &place, origin))
		return NULL;
	return begin_at(slot, cpu, type, len, max, &place);
}

static __always_inline void commit(struct ovnik_slot *slot, u32 type)
{
	__sync_fetch_and_add(&slot->ring->recorded[type], 1);
	barrier();
	__sync_fetch_and_add(&slot->sb->commit, slot->len);
}

/*
 * Begin a record of the table. Returns its place or NULL; after a place, ovnik_commit()
 * with the same slot and name must follow. ovnik_begin_ns() is for programs that cannot
 * call the module: kprobes. ovnik_begin_dump() is for iterators, whose records are not of the
 * current task: they ask ovnik_owner_has() themselves.
 */
#define ovnik_begin(slot, name)						\
	ovnik_if_shown(name, reserve(slot, OVNIK_EV_##name,		\
		sizeof(struct ovnik_##name), sizeof(struct ovnik_##name), BY_PROBE))

#define ovnik_begin_dump(slot, name)					\
	((struct ovnik_##name *)reserve(slot, OVNIK_EV_##name,		\
		sizeof(struct ovnik_##name), sizeof(struct ovnik_##name), BY_DUMP))

#define ovnik_begin_ns(slot, name)					\
	ovnik_if_shown(name, reserve(slot, OVNIK_EV_##name,		\
		sizeof(struct ovnik_##name), sizeof(struct ovnik_##name), BY_KPROBE))

#define ovnik_commit(slot, name) do {						\
	ovnik_hide_in((slot)->rec, OVNIK_OTHER_ADDRESSES(name), OVNIK_FRAMES_##name); \
	commit(slot, OVNIK_EV_##name);						\
} while (0)

/* The same for a record whose last field is a string; @before: bytes before it. */
static __always_inline void *reserve_text(struct ovnik_slot *slot, u32 type, u32 before,
					  const struct ovnik_text *text, enum origin origin)
{
	u32 size = before + text->len;
	u32 len = (size + OVNIK_REC_ALIGN - 1) & ~(OVNIK_REC_ALIGN - 1);
	u32 copy = len - before;
	struct ovnik_record *rec;

	rec = reserve(slot, type, len, OVNIK_REC_MAX, origin);
	if (!rec)
		return NULL;
	rec->words = 0;
	rec->size = size;
	/* The padding after the text is zero, too. */
	barrier_var(copy);
	if (copy <= OVNIK_REC_MAX - before)
		bpf_probe_read_kernel((void *)rec + before, copy, text->start);
	return rec;
}

/*
 * Begin a record that ends with a text (path.bpf.h), which is filled in. ovnik_commit()
 * must follow.
 */
#define ovnik_begin_text(slot, name, str, text)					\
	ovnik_if_shown(name, reserve_text(slot, OVNIK_EV_##name,		\
		offsetof(struct ovnik_##name, str), text, BY_PROBE))

#define ovnik_begin_text_dump(slot, name, str, text)				\
	((struct ovnik_##name *)reserve_text(slot, OVNIK_EV_##name,		\
		offsetof(struct ovnik_##name, str), text, BY_DUMP))

/* Count events as dropped that had no chance to be recorded. */
static __always_inline void ovnik_lose(u32 type, u64 n)
{
	drop(ring_of(bpf_get_smp_processor_id()), type, n);
}

static __always_inline void ovnik_lose_dump(u32 type)
{
	drop(ring_of(dump_cpu()), type, 1);
}

#endif /* OVNIK_RING_BPF_H */
