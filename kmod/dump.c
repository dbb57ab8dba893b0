// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the statedump goes. In discard mode, into the ring of the CPU. In overwrite mode it
 * would take the place of the history, so it has a ring of its own, which grows as needed:
 *
 *	| statedump of the start | latest statedump |
 *
 * The next statedump replaces the latest one, and that of the start as well once any event
 * has been overwritten: what it knows might be about other tasks of the same number.
 */
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>

#include "dump.h"

static DEFINE_XARRAY(subbufs);
static struct ovnik_control control;

struct ovnik_ring ovnik_dump_ring = {
	.table		= &subbufs,
	.control	= &control,
	.nr		= U32_MAX,	/* no number is used twice */
	.size		= OVNIK_DUMP_SUBBUF,
};

/**
 * struct dump_end - The state of the ring after the statedump of the start.
 * @seq:     number of the first sub-buffer after it; 0: there is none
 * @dropped: events that found no room, per event
 * @text:    bytes of strings, per event
 */
struct dump_end {
	u64		seq;
	unsigned long	dropped[OVNIK_NR_EVENTS];
	unsigned long	text[OVNIK_NR_EVENTS];
};

static struct dump_end first;
static bool is_first;
static u64 limit;	/* of sub-buffers */

/**
 * ovnik_dump_init() - Initialise the ring.
 *
 * Context: Process, at module load.
 */
void ovnik_dump_init(void)
{
	ovnik_ring_init(&ovnik_dump_ring, nr_cpu_ids);
}

/* No reader is in them: those who look without read_lock do so under RCU. */
static void free_from(u64 seq)
{
	struct ovnik_subbuf *sb, *list = NULL;
	unsigned long index;

	xa_for_each_start(&subbufs, index, sb, seq) {
		xa_erase(&subbufs, index);
		sb->magic = (unsigned long)list;
		list = sb;
	}
	if (list)
		synchronize_rcu();
	while (list) {
		sb = list;
		list = (void *)(unsigned long)sb->magic;
		vfree(sb);
	}
}

/**
 * ovnik_dump_reset() - Free all statedumps and forget their counts.
 * @session: number of the capture that begins
 * @flags:   enum ovnik_subbuf_flags for every sub-buffer
 * @on:	     statedumps go into this ring from now on
 *
 * Context: Process, may sleep; ovnik_lock held.
 */
void ovnik_dump_reset(u64 session, u32 flags, bool on)
{
	struct ovnik_ring *ring = &ovnik_dump_ring;

	ovnik_ring_reset(ring, session, flags);
	mutex_lock(&ring->read_lock);
	WRITE_ONCE(ring->cuts, ring->cuts + 1);
	free_from(0);
	mutex_unlock(&ring->read_lock);
	irq_work_sync(&ring->wake);
	first.seq = 0;
	is_first = on;
	ring->on = on;
}

static bool history_overwritten(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (READ_ONCE(per_cpu_ptr(&ovnik_ring, cpu)->retired))
			return true;
	}
	return false;
}

/* Take back all statedumps but that of the start, or all. */
static void take_back(struct ovnik_ring *ring)
{
	if (history_overwritten())
		memset(&first, 0, sizeof(first));
	mutex_lock(&ring->read_lock);
	WRITE_ONCE(ring->cuts, ring->cuts + 1);
	/* Pairs with ovnik_ring_peek(). */
	smp_store_release(&ring->seq, first.seq);
	ring->pos = ring->seq << 32;
	memcpy(ring->dropped, first.dropped, sizeof(ring->dropped));
	memcpy(ring->text, first.text, sizeof(ring->text));
	free_from(first.seq);
	mutex_unlock(&ring->read_lock);
}

/**
 * ovnik_dump_open() - A statedump begins.
 *
 * Context: Process, may sleep; ovnik_lock held.
 */
void ovnik_dump_open(void)
{
	struct ovnik_ring *ring = &ovnik_dump_ring;

	if (!ring->on)
		return;
	if (!is_first)
		take_back(ring);
	/* That of the start, which is held, counts as well. */
	limit = ring->seq + (u64)si_mem_available() * PAGE_SIZE / 4 / ring->size;
	limit = min_t(u64, limit, OVNIK_BUFFER_MAX / ring->size);
}

/**
 * ovnik_dump_close() - The statedump has ended: it can be read.
 *
 * Context: Process; ovnik_lock held.
 */
void ovnik_dump_close(void)
{
	struct ovnik_ring *ring = &ovnik_dump_ring;

	if (!ring->on)
		return;
	ovnik_ring_close(ring);
	if (!is_first)
		return;
	is_first = false;
	first.seq = ring->seq;
	memcpy(first.dropped, ring->dropped, sizeof(first.dropped));
	memcpy(first.text, ring->text, sizeof(first.text));
}

/**
 * ovnik_dump_room() - Make room for more than half a sub-buffer, if there is memory.
 *
 * Context: Process, may sleep; a statedump has begun.
 */
void ovnik_dump_room(void)
{
	struct ovnik_ring *ring = &ovnik_dump_ring;
	u64 next = ring->seq + !!ring->cur;
	struct ovnik_subbuf *sb;

	if (!ring->on || next >= limit || xa_load(&subbufs, next))
		return;
	sb = vzalloc(ring->size);
	if (sb && xa_err(xa_store(&subbufs, next, sb, GFP_KERNEL)))
		vfree(sb);
}

/**
 * ovnik_dump_reserve() - ovnik_reserve() for the statedump.
 * @type: event number
 * @len:  bytes, a multiple of 8
 *
 * Context: Process; preemption off until the record is committed.
 * Return: as ovnik_reserve().
 */
struct ovnik_slot ovnik_dump_reserve(u32 type, u32 len)
{
	struct ovnik_ring *ring = &ovnik_dump_ring;
	struct ovnik_slot slot;

	if (!ring->on)
		return ovnik_reserve(type, len);
	slot = ovnik_ring_reserve(ring, type, len);
	if (!slot.rec)
		ring->dropped[type]++;
	return slot;
}

/**
 * ovnik_dump_text() - Count the bytes of a record's string.
 * @type:  event number
 * @bytes: how many, the padding included
 *
 * Context: as ovnik_dump_reserve().
 */
void ovnik_dump_text(u32 type, u32 bytes)
{
	if (ovnik_dump_ring.on)
		ovnik_dump_ring.text[type] += bytes;
	else
		this_cpu_add(ovnik_ring.text[type], bytes);
}

/**
 * ovnik_dump_lose() - Count records that could not be made as dropped.
 * @type: event number
 * @n:	  how many
 *
 * Context: Process.
 */
void ovnik_dump_lose(u32 type, unsigned long n)
{
	if (ovnik_dump_ring.on)
		ovnik_dump_ring.dropped[type] += n;
	else
		ovnik_lose(type, n);
}
