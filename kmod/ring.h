/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_RING_H
#define OVNIK_RING_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seqlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <asm/msr.h>

#include "config.h"
#include "hidden.h"
#include "ovnik.h"
#include "owner.h"

/*
 * The per-CPU ring.
 *
 * Only its own CPU writes a ring, with preemption off. An interrupt may nest in the
 * record of a task, and an NMI in either; what nests ends before what it interrupted
 * continues. So the writers of a CPU need no lock: one cmpxchg without lock prefix on
 * @pos reserves the place of a record, and every change of the ring changes @pos, too.
 * The TSC is read between loading @pos and the cmpxchg: stamps are in the order of the
 * places.
 *
 * The slow path (next sub-buffer, anchor, no room) runs with interrupts off. @busy
 * turns away an NMI that interrupts it: its event is counted as dropped.
 *
 *	      tail                 head (closed)   open
 *	       v                     v              v
 *	+------------+------------+------------+------------+------------+
 *	| to consume | to consume | open,being written      |    free    |
 *	+------------+------------+------------+------------+------------+
 *
 * A sub-buffer is closed when its @used is set, and complete when @committed has reached
 * it: an interrupted writer may still be in it.
 */

#define OVNIK_HEADER	OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS)

/**
 * struct ovnik_mark - How far the open sub-buffer can be read.
 * @seq:   its number
 * @end:   TSC when it was marked
 * @used:  bytes of it, all written completely; 0: nothing was marked
 * @count: per event: records in them
 */
struct ovnik_mark {
	u64	seq;
	u64	end;
	u32	used;
	u32	count[OVNIK_NR_EVENTS];
};

/**
 * struct ovnik_ring - Ring of one CPU.
 * @pos:	low half: offset of the next record in @cur; high half: low half of
 *		the sub-buffer's number, so that no value recurs
 * @base:	TSC from which the stamps of @cur count
 * @cur:	sub-buffer that is open, or NULL
 * @limit:	bytes of @cur that may be used; 0 sends every writer to the slow path
 * @busy:	the slow path is running
 * @on:		this CPU records; while it is off, there are no events
 * @broken:	a sub-buffer was closed while an interrupted writer was still in it;
 *		@late must run
 * @seq:	number of the open or next sub-buffer; those below are closed
 * @retired:	number of the oldest sub-buffer that was not overwritten
 * @reuse:	changes while a sub-buffer is opened or marked: a copy must be retried
 * @mark:	set by a snapshot in overwrite mode, which does not close the sub-buffer
 * @data:	the sub-buffers, or NULL
 * @table:	instead of @data: the sub-buffers by number, see dump.c
 * @cuts:	how often sub-buffers were taken back: a reader begins again
 * @control:	page shared with the reader; do not trust its @tail
 * @nr:		how many sub-buffers
 * @size:	bytes of each
 * @flags:	enum ovnik_subbuf_flags that are the same for all
 * @session:	number of the capture
 * @cpu:	its CPU
 * @dropped:	events that found no room, per event
 * @overwritten: events that were overwritten unread, per event
 * @past:	events whose sub-buffer was consumed and reused, per event
 * @bytes:	bytes in sub-buffers that were reused
 * @text:	bytes of strings and their padding, per event
 * @read_lock:	held while read() takes sub-buffers, and while the ring is emptied for
 *		a new capture
 * @wake:	wakes the reader, because a hook must not
 * @late:	wakes it again when the interrupted writer has ended
 * @wait:	where the reader sleeps
 */
struct ovnik_ring {
	unsigned long		pos;
	u64			base;
	struct ovnik_subbuf	*cur;
	u32			limit;
	bool			busy;
	bool			on;
	bool			broken;

	u64			seq;
	u64			retired;
	seqcount_t		reuse;
	struct ovnik_mark	mark;
	void			*data;
	struct xarray		*table;
	u64			cuts;
	struct ovnik_control	*control;
	u32			nr;
	u32			size;
	u32			flags;
	u64			session;
	unsigned int		cpu;

	unsigned long		dropped[OVNIK_NR_EVENTS];
	u64			overwritten[OVNIK_NR_EVENTS];
	u64			past[OVNIK_NR_EVENTS];
	u64			bytes;
	unsigned long		text[OVNIK_NR_EVENTS];

	struct mutex		read_lock;	/* see above */
	struct irq_work		wake;
	struct work_struct	late;
	wait_queue_head_t	wait;
};

DECLARE_PER_CPU_ALIGNED(struct ovnik_ring, ovnik_ring);

/**
 * struct ovnik_slot - A record between reserve and commit.
 * @rec: its place; NULL without room
 * @sb:	 its sub-buffer
 *
 * Passed by value: two registers, and no memory in the fast path.
 */
struct ovnik_slot {
	struct ovnik_record	*rec;
	struct ovnik_subbuf	*sb;
};

struct ovnik_slot ovnik_reserve_slow(u32 type, u32 len);
void ovnik_commit_private(struct ovnik_slot slot, u32 type, u32 len);

static inline struct ovnik_subbuf *ovnik_ring_slot(struct ovnik_ring *ring, u64 seq)
{
	if (ring->table)
		return xa_load(ring->table, seq);
	return ring->data + (size_t)(seq % ring->nr) * ring->size;
}

/* Have all writers of a closed sub-buffer ended? */
static inline bool ovnik_subbuf_complete(struct ovnik_subbuf *sb)
{
	u32 used = READ_ONCE(sb->used);

	return used && READ_ONCE(sb->committed) == used;
}

static __always_inline u32 *ovnik_subbuf_count(struct ovnik_subbuf *sb)
{
	return (u32 *)&sb->lost[OVNIK_NR_EVENTS];
}

/*
 * One instruction: no interrupt or NMI can come between load and store. No lock prefix,
 * because no other CPU writes it.
 */
static __always_inline void ovnik_add_local(u32 *counter, u32 n)
{
	asm volatile("addl %1, %0" : "+m" (*counter) : "ri" (n) : "memory");
}

/*
 * Type and words are stored as one: the compiler would not do it. With the two bytes behind
 * them, which every record has and its writer sets: a store of 16 bits takes an instruction
 * more.
 */
static __always_inline struct ovnik_slot ovnik_slot_at(struct ovnik_subbuf *sb, u32 offset,
						       u32 type, u32 words, u32 delta)
{
	struct ovnik_slot slot = { (void *)sb + offset, sb };

	slot.rec->delta = delta;
	*(u32 *)&slot.rec->type = words << 8 | type;
	return slot;
}

/**
 * ovnik_reserve_at() - Reserve room for a record, stamped now, where the ring is.
 * @slot: set to the place of the record, with its delta, type and words
 * @type: event number
 * @len:  bytes, a multiple of 8
 * @at:	  the ring's @pos, just read
 *
 * One asm, so that the flags of its compares decide. An interrupt between the halves of @base
 * may change it, but changes @pos, too.
 *
 * Context: Any, NMI included; preemption must be off until ovnik_commit().
 * Return: true; false if ovnik_reserve_slow() must decide: the ticks since @base do not fit in
 * 32 bits, or there is no room, or an interrupt has moved @pos.
 */
static __always_inline bool ovnik_reserve_at(struct ovnik_slot *slot, u32 type, u32 len,
					     unsigned long at)
{
	/* Probes have no arguments in these registers: none has to be moved. */
	register unsigned long pos asm("r10") = at;
	register unsigned long next asm("r11") = pos + len;
	struct ovnik_subbuf *sb = this_cpu_read(ovnik_ring.cur);
	bool reserved;
	u32 delta;

	asm volatile("rdtsc\n\t"
		     "subl %%gs:%c[base], %%eax\n\t"
		     "sbbl %%gs:%c[base] + 4, %%edx\n\t"
		     "movl %%eax, %%edx\n\t"
		     "jne 1f\n\t"
		     "cmpl %%gs:%c[limit], %k[next]\n\t"
		     "ja 1f\n\t"
		     "movq %[pos], %%rax\n\t"
		     "cmpxchgq %[next], %%gs:%c[ring_pos]\n"
		     "1:"
		     : "=@ccz" (reserved), "=&d" (delta)
		     : [pos] "r" (pos), [next] "r" (next), [ring_pos] "i" (&ovnik_ring.pos),
		       [base] "i" (&ovnik_ring.base), [limit] "i" (&ovnik_ring.limit)
		     : "rax", "memory");
	if (unlikely(!reserved))
		return false;
	*slot = ovnik_slot_at(sb, pos, type, len / OVNIK_REC_ALIGN, delta);
	return true;
}

/* Reserve room for a record on the fast path: see ovnik_reserve_at(). */
static __always_inline bool ovnik_reserve_fast(struct ovnik_slot *slot, u32 type, u32 len)
{
	return ovnik_reserve_at(slot, type, len, this_cpu_read(ovnik_ring.pos));
}

/**
 * ovnik_reserve() - Reserve room for a record, stamped now.
 * @type: event number
 * @len:  bytes, a multiple of 8
 *
 * Context: Any, NMI included; preemption must be off until ovnik_commit().
 * Return: the place of the record, with its delta, type and words; a slot without record
 * if it was dropped, which has been counted, or if this CPU does not record.
 */
static __always_inline struct ovnik_slot ovnik_reserve(u32 type, u32 len)
{
	struct ovnik_slot slot;

	if (likely(ovnik_reserve_fast(&slot, type, len)))
		return slot;
	return ovnik_reserve_slow(type, len);
}

/**
 * ovnik_lose() - Count events as dropped that had no chance to be recorded.
 * @type: event number
 * @n:	  how many
 *
 * Does nothing while this CPU does not record.
 *
 * Context: Any.
 */
static __always_inline void ovnik_lose(u32 type, unsigned long n)
{
	if (this_cpu_read(ovnik_ring.on))
		this_cpu_add(ovnik_ring.dropped[type], n);
}

/**
 * ovnik_lose_one() - Count an event as dropped, if it is recorded.
 * @type: event number
 *
 * For probes with more than one event.
 *
 * Context: Any.
 */
static inline void ovnik_lose_one(u32 type)
{
	if (ovnik_event_on(type))
		ovnik_lose(type, 1);
}

/**
 * ovnik_commit_len() - Count a written record and let the reader have it.
 * @slot: as ovnik_reserve() returned it
 * @type: event number
 * @len:  bytes reserved
 *
 * x86 makes stores visible in program order: a reader that sees @committed sees
 * the record and the count.
 *
 * Context: Any, NMI included; same CPU as ovnik_reserve().
 */
static __always_inline void ovnik_commit_len(struct ovnik_slot slot, u32 type, u32 len)
{
	ovnik_add_local(&ovnik_subbuf_count(slot.sb)[type], 1);
	ovnik_add_local(&slot.sb->committed, len);
}

/*
 * Begin a record of the table, of what the current task does. Returns its place or NULL; after a
 * place, ovnik_commit() with the same slot and name must follow.
 */
#define ovnik_begin(slot, name) \
	(ovnik_may_show(name) ? ovnik_begin_by(ovnik_reserve, slot, name) : NULL)

#define ovnik_begin_by(reserve, slot, name) ({					\
	BUILD_BUG_ON(sizeof(struct ovnik_##name) % OVNIK_REC_ALIGN);		\
	*(slot) = reserve(OVNIK_EV_##name, sizeof(struct ovnik_##name));	\
	(struct ovnik_##name *)(slot)->rec;					\
})

/*
 * The same in two halves, for the most frequent probes: if ovnik_begin_fast() returns
 * false, ovnik_begin_slow() must be called in a function of its own. While the fast half
 * calls nothing, no register has to be saved.
 */
#define ovnik_begin_fast(slot, name)						\
	(!(OVNIK_LAYOUT_##name && static_branch_unlikely(&ovnik_owner_key)) && \
	 ovnik_reserve_fast(slot, OVNIK_EV_##name, sizeof(struct ovnik_##name)))

#define ovnik_begin_slow(slot, name) ({						\
	*(slot) = (struct ovnik_slot){};					\
	if (ovnik_may_show(name))						\
		*(slot) = ovnik_reserve_slow(OVNIK_EV_##name, sizeof(struct ovnik_##name)); \
	(slot)->rec;								\
})

/* Where a private capture hides something, in a function of its own, for the same reason. */
#define ovnik_commit(slot, name) do {						\
	if (ovnik_must_hide(name))						\
		ovnik_commit_private(*(slot), OVNIK_EV_##name,			\
				     sizeof(struct ovnik_##name));		\
	else									\
		ovnik_commit_len(*(slot), OVNIK_EV_##name, sizeof(struct ovnik_##name)); \
} while (0)

/* The padding behind @size bytes is cleared before the text is written. */
static __always_inline void ovnik_set_size(struct ovnik_record *rec, u32 size, u32 len)
{
	*(u64 *)((void *)rec + len - OVNIK_REC_ALIGN) = 0;
	rec->words = 0;
	rec->size = size;
}

/*
 * The same for a record whose last field, @str, takes @str_len bytes, the NUL included. The
 * padding is cleared: nothing but the event leaves the kernel.
 */
#define ovnik_begin_str(slot, name, str, str_len)				\
	(ovnik_may_show(name) ?							\
	 ovnik_begin_str_by(ovnik_reserve, slot, name, str, str_len) : NULL)

#define ovnik_begin_str_by(reserve, slot, name, str, str_len) ({		\
	u32 __size = offsetof(struct ovnik_##name, str) + (str_len);		\
	u32 __len = ALIGN(__size, OVNIK_REC_ALIGN);				\
	struct ovnik_##name *__rec;						\
										\
	*(slot) = reserve(OVNIK_EV_##name, __len);				\
	__rec = (void *)(slot)->rec;						\
	if (likely(__rec))							\
		ovnik_set_size((slot)->rec, __size, __len);			\
	__rec;									\
})

/* Also of a record whose text is that of another one. */
#define ovnik_commit_str(slot, name) do {					\
	u32 __len = ALIGN(ovnik_record_size((slot)->rec), OVNIK_REC_ALIGN);	\
										\
	BUILD_BUG_ON(OVNIK_OTHER_ADDRESSES(name) | OVNIK_FRAMES_##name);	\
	this_cpu_add(ovnik_ring.text[OVNIK_EV_##name],				\
		     __len - sizeof(struct ovnik_##name));			\
	ovnik_commit_len(*(slot), OVNIK_EV_##name, __len);			\
} while (0)

void ovnik_ring_init(struct ovnik_ring *ring, unsigned int cpu);
struct ovnik_slot ovnik_ring_reserve(struct ovnik_ring *ring, u32 type, u32 len);
void ovnik_ring_close(struct ovnik_ring *ring);
int ovnik_ring_alloc(unsigned int cpu, u32 size, u32 nr);
void ovnik_ring_free(unsigned int cpu);
void ovnik_ring_reset(struct ovnik_ring *ring, u64 session, u32 flags);
void ovnik_ring_start(void *unused);
void ovnik_ring_stop(void *unused);
void ovnik_ring_flush(void *unused);
void ovnik_ring_mark(void *done);
void ovnik_ring_flush_dead(unsigned int cpu);
void ovnik_rings_init(void);
void ovnik_rings_wake(void);

#endif /* OVNIK_RING_H */
