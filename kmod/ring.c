// SPDX-License-Identifier: GPL-2.0-only
/* The per-CPU ring: see ring.h for how it works. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/ktime.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "ring.h"

/* In ticks: about ten times the cost of reading both clocks. */
#define CLOCKS_WIDTH_MAX	4096

DEFINE_PER_CPU_ALIGNED(struct ovnik_ring, ovnik_ring);

/* No more records can be reserved in it; pos moves to the next one. */
static void close_subbuf(struct ovnik_ring *ring)
{
	struct ovnik_subbuf *sb = ring->cur;

	/* An interrupt closes a sub-buffer while the writer it interrupted is still in it. */
	if (sb->committed != (u32)ring->pos)
		WRITE_ONCE(ring->broken, true);
	sb->tsc_end = rdtsc();
	WRITE_ONCE(sb->used, (u32)ring->pos);
	ring->cur = NULL;
	/* A reader that sees the number sees the length and the end. */
	smp_store_release(&ring->seq, ring->seq + 1);
	ring->pos = ring->seq << 32;
	/* The same for a reader of the map. */
	smp_store_release(&ring->control->head, ring->seq);
	irq_work_queue(&ring->wake);
}

/* May the slot of the next sub-buffer be overwritten? */
static bool slot_is_free(struct ovnik_ring *ring, struct ovnik_subbuf *sb)
{
	if (ring->seq < ring->nr)
		return true;
	if (!(ring->flags & OVNIK_SB_OVERWRITE) &&
	    ring->seq - READ_ONCE(ring->control->tail) >= ring->nr)
		return false;
	/* An interrupted writer may still be in it, if the interrupt wrote a whole ring. */
	return ovnik_subbuf_complete(sb);
}

/* Keep the counts of a sub-buffer that is about to be overwritten. */
static void retire_subbuf(struct ovnik_ring *ring, struct ovnik_subbuf *sb)
{
	u64 *to = ring->flags & OVNIK_SB_OVERWRITE ? ring->overwritten : ring->past;
	u32 *count = ovnik_subbuf_count(sb);
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		to[i] += count[i];
	ring->bytes += sb->used;
	ring->retired = ring->seq - ring->nr + 1;
}

/*
 * Both clocks, between two reads of the TSC. Try again if that took long: a hypervisor ran
 * something else in between, and the pair would be inexact.
 */
static u32 read_clocks(u64 *tsc, u64 *ns)
{
	u64 width;
	int tries = 3;

	do {
		*tsc = rdtsc();
		*ns = ktime_get_mono_fast_ns();
		width = rdtsc() - *tsc;
	} while (width > CLOCKS_WIDTH_MAX && --tries);
	return min_t(u64, width, U32_MAX);
}

static void fill_header(struct ovnik_ring *ring, struct ovnik_subbuf *sb)
{
	int i;

	WRITE_ONCE(sb->used, 0);
	sb->magic = OVNIK_SUBBUF_MAGIC;
	sb->version = OVNIK_FORMAT_VERSION;
	sb->header_size = OVNIK_HEADER;
	sb->cpu = ring->cpu;
	sb->nr_events = OVNIK_NR_EVENTS;
	sb->session = ring->session;
	sb->seq = ring->seq;
	/* Whoever writes the statedump does not run on a CPU of its own. */
	sb->tid = ring->table ? 0 : current->pid;
	sb->tsc_end = 0;
	sb->size = ring->size;
	sb->flags = ring->flags;
	sb->committed = OVNIK_HEADER;
	sb->crc = 0;
	sb->reserved = 0;
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		sb->lost[i] = READ_ONCE(ring->dropped[i]);
	memset(ovnik_subbuf_count(sb), 0, OVNIK_NR_EVENTS * sizeof(u32));

	sb->width = read_clocks(&sb->tsc, &sb->ns);
}

static bool open_subbuf(struct ovnik_ring *ring)
{
	struct ovnik_subbuf *sb;

	if (!ring->data && !ring->table)
		return false;
	sb = ovnik_ring_slot(ring, ring->seq);
	if (!sb || !slot_is_free(ring, sb))
		return false;

	raw_write_seqcount_begin(&ring->reuse);
	if (ring->seq >= ring->nr)
		retire_subbuf(ring, sb);
	fill_header(ring, sb);
	raw_write_seqcount_end(&ring->reuse);
	ring->cur = sb;
	ring->base = sb->tsc;
	ring->pos = ring->seq << 32 | OVNIK_HEADER;
	return true;
}

/* 32 bits of ticks have run out: write the full TSC and count from there. */
static void write_anchor(struct ovnik_ring *ring)
{
	struct ovnik_slot slot = ovnik_slot_at(ring->cur, ring->pos, OVNIK_EV_anchor,
					       sizeof(struct ovnik_anchor) / OVNIK_REC_ALIGN, 0);
	struct ovnik_anchor *rec = (void *)slot.rec;

	ring->pos += sizeof(*rec);
	rec->width = min_t(u32, read_clocks(&rec->tsc, &rec->ns), U16_MAX);
	ring->base = rec->tsc;
	ovnik_commit(&slot, anchor);
}

static struct ovnik_slot reserve_here(struct ovnik_ring *ring, u32 type, u32 len)
{
	u64 now = rdtsc();
	u32 offset;

	if ((now - ring->base) >> 32) {
		write_anchor(ring);
		now = rdtsc();
	}
	offset = ring->pos;
	ring->pos += len;
	return ovnik_slot_at(ring->cur, offset, type, len / OVNIK_REC_ALIGN,
			     now - ring->base);
}

static struct ovnik_slot reserve_somewhere(struct ovnik_ring *ring, u32 type, u32 len)
{
	u32 need = len + sizeof(struct ovnik_anchor);

	if (OVNIK_HEADER + need > ring->size)
		return (struct ovnik_slot){};
	if (ring->cur && (u32)ring->pos + need <= ring->size)
		return reserve_here(ring, type, len);
	if (ring->cur)
		close_subbuf(ring);
	if (!open_subbuf(ring))
		return (struct ovnik_slot){};
	return reserve_here(ring, type, len);
}

/* From here to leave_slow() an NMI finds the ring closed. Interrupts are off. */
static bool enter_slow(struct ovnik_ring *ring)
{
	if (ring->busy)
		return false;
	WRITE_ONCE(ring->busy, true);
	WRITE_ONCE(ring->limit, 0);
	barrier();
	return true;
}

static void leave_slow(struct ovnik_ring *ring)
{
	barrier();
	WRITE_ONCE(ring->limit, ring->cur ? ring->size : 0);
	WRITE_ONCE(ring->busy, false);
}

/**
 * ovnik_reserve_slow() - ovnik_reserve() where the fast path fails.
 * @type: event number
 * @len:  bytes, a multiple of 8
 *
 * Context: Any, NMI included; preemption off.
 * Return: as ovnik_reserve().
 */
noinline struct ovnik_slot ovnik_reserve_slow(u32 type, u32 len)
{
	struct ovnik_slot slot = {};
	struct ovnik_ring *ring;
	unsigned long flags;

	local_irq_save(flags);
	ring = this_cpu_ptr(&ovnik_ring);
	/* Whoever starts a capture writes it for all CPUs. */
	if (!READ_ONCE(ring->on))
		goto out;
	if (enter_slow(ring)) {
		slot = reserve_somewhere(ring, type, len);
		leave_slow(ring);
	}
	if (!slot.rec)
		this_cpu_inc(ovnik_ring.dropped[type]);
out:
	local_irq_restore(flags);
	return slot;
}

/**
 * ovnik_commit_private() - ovnik_commit_len() in a private capture.
 * @slot: as ovnik_reserve() returned it
 * @type: event number
 * @len:  bytes reserved
 *
 * Context: Any, NMI included; same CPU as ovnik_reserve().
 */
noinline void ovnik_commit_private(struct ovnik_slot slot, u32 type, u32 len)
{
	ovnik_owner_hide(slot.rec, type);
	ovnik_commit_len(slot, type, len);
}

/**
 * ovnik_ring_reserve() - Reserve room in a ring that is not a CPU's.
 * @ring: one that only a single task writes
 * @type: event number
 * @len:  bytes, a multiple of 8
 *
 * Context: Process.
 * Return: as ovnik_reserve(), but what finds no room is not counted.
 */
struct ovnik_slot ovnik_ring_reserve(struct ovnik_ring *ring, u32 type, u32 len)
{
	struct ovnik_slot slot;

	preempt_disable();	/* for the readers of @reuse */
	slot = reserve_somewhere(ring, type, len);
	preempt_enable();
	return slot;
}

/**
 * ovnik_ring_close() - Let the reader have the open sub-buffer of such a ring.
 * @ring: as for ovnik_ring_reserve()
 *
 * Context: Process.
 */
void ovnik_ring_close(struct ovnik_ring *ring)
{
	if (ring->cur)
		close_subbuf(ring);
}

/**
 * ovnik_ring_start() - Record on this CPU from now on.
 * @unused: for on_each_cpu()
 *
 * Opens a sub-buffer at once: its header says which task runs, and from when on every
 * event is recorded.
 *
 * Context: Interrupts off, on the CPU whose ring it is.
 */
void ovnik_ring_start(void *unused)
{
	struct ovnik_ring *ring = this_cpu_ptr(&ovnik_ring);

	if (!enter_slow(ring))
		return;
	/* First: from now on an NMI finds the ring closed and is counted as dropped. */
	WRITE_ONCE(ring->on, true);
	open_subbuf(ring);
	leave_slow(ring);
}

/**
 * ovnik_ring_stop() - Stop recording on this CPU.
 * @unused: for on_each_cpu()
 *
 * Context: Interrupts off, on the CPU whose ring it is.
 */
void ovnik_ring_stop(void *unused)
{
	struct ovnik_ring *ring = this_cpu_ptr(&ovnik_ring);

	if (!enter_slow(ring))
		return;
	if (ring->cur)
		close_subbuf(ring);
	WRITE_ONCE(ring->on, false);
	leave_slow(ring);
}

/* Let the reader have the open sub-buffer if it has records. */
static void flush(struct ovnik_ring *ring)
{
	if (!enter_slow(ring))
		return;
	if (ring->cur && (u32)ring->pos > OVNIK_HEADER)
		close_subbuf(ring);
	if (ring->on && !ring->cur)
		open_subbuf(ring);
	leave_slow(ring);
}

/**
 * ovnik_ring_flush() - Close the open sub-buffer of this CPU and open the next.
 * @unused: for on_each_cpu()
 *
 * Context: Interrupts off, on the CPU whose ring it is.
 */
void ovnik_ring_flush(void *unused)
{
	flush(this_cpu_ptr(&ovnik_ring));
}

/* The header of a sub-buffer has what was lost before it was opened. */
static bool has_lost_since(const struct ovnik_ring *ring, const struct ovnik_subbuf *sb)
{
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (sb->lost[i] != READ_ONCE(ring->dropped[i]))
			return true;
	}
	return false;
}

static bool mark_open(struct ovnik_ring *ring)
{
	struct ovnik_subbuf *sb = ring->cur;

	if (!sb)
		return true;
	if (READ_ONCE(sb->committed) != (u32)ring->pos)
		return false;
	if (has_lost_since(ring, sb)) {
		close_subbuf(ring);
		if (!open_subbuf(ring))
			return true;
		sb = ring->cur;
	} else if ((u32)ring->pos == OVNIK_HEADER) {
		return true;
	}
	raw_write_seqcount_begin(&ring->reuse);
	ring->mark.seq = ring->seq;
	ring->mark.used = ring->pos;
	ring->mark.end = rdtsc();
	memcpy(ring->mark.count, ovnik_subbuf_count(sb), sizeof(ring->mark.count));
	raw_write_seqcount_end(&ring->reuse);
	return true;
}

/**
 * ovnik_ring_mark() - Make the open sub-buffer of this CPU readable up to here.
 * @done: a bool, set to false if this has interrupted a writer in it: try again
 *
 * Unlike ovnik_ring_flush() it takes no room from older records, unless something was lost: then
 * the next one is opened, whose header says it.
 *
 * Context: Interrupts off, on the CPU whose ring it is.
 */
void ovnik_ring_mark(void *done)
{
	struct ovnik_ring *ring = this_cpu_ptr(&ovnik_ring);

	if (!enter_slow(ring))
		return;
	*(bool *)done = mark_open(ring);
	leave_slow(ring);
}

/**
 * ovnik_ring_flush_dead() - Close the open sub-buffer of an offline CPU.
 * @cpu: the CPU; it opens the next one itself when it comes back
 *
 * Context: Process; the CPU must be unable to run (hotplug callback after its
 * death, or cpus_read_lock() held).
 */
void ovnik_ring_flush_dead(unsigned int cpu)
{
	struct ovnik_ring *ring = per_cpu_ptr(&ovnik_ring, cpu);

	if (!enter_slow(ring))
		return;
	if (ring->cur)
		close_subbuf(ring);
	leave_slow(ring);
}

/* Up to a GiB. */
static void clear(void *data, size_t size)
{
	size_t at, n;

	for (at = 0; at < size; at += n) {
		n = min_t(size_t, size - at, SZ_1M);
		memset(data + at, 0, n);
		cond_resched();
	}
}

static void empty(struct ovnik_ring *ring)
{
	clear(ring->data, (size_t)ring->nr * ring->size);
	/* The reader may have written to all of it. */
	ring->control->nr_subbufs = ring->nr;
	ring->control->subbuf_size = ring->size;
	ring->control->tail = 0;
	/* A reader that finds the ring empty finds it empty from the start. */
	smp_store_release(&ring->control->head, 0);
}

/**
 * ovnik_ring_reset() - Empty a ring and forget its counts.
 * @ring:    the ring
 * @session: number of the capture that begins
 * @flags:   enum ovnik_subbuf_flags for every sub-buffer
 *
 * Context: Process; the ring is off, and was when the last probe checked: @limit is 0,
 * so that a probe finds no room meanwhile and checks whether the ring is on.
 */
void ovnik_ring_reset(struct ovnik_ring *ring, u64 session, u32 flags)
{
	mutex_lock(&ring->read_lock);
	/* Who waits for data looks without the lock. */
	WRITE_ONCE(ring->session, session);
	WRITE_ONCE(ring->flags, flags);
	WRITE_ONCE(ring->seq, 0);
	WRITE_ONCE(ring->retired, 0);
	WRITE_ONCE(ring->mark.used, 0);
	ring->pos = 0;
	ring->cur = NULL;
	ring->limit = 0;
	ring->bytes = 0;
	memset(ring->dropped, 0, sizeof(ring->dropped));
	memset(ring->overwritten, 0, sizeof(ring->overwritten));
	memset(ring->past, 0, sizeof(ring->past));
	memset(ring->text, 0, sizeof(ring->text));
	if (ring->data)
		empty(ring);
	mutex_unlock(&ring->read_lock);
}

/**
 * ovnik_ring_alloc() - Allocate the sub-buffers of a CPU.
 * @cpu:  the CPU, which may be offline
 * @size: bytes of a sub-buffer
 * @nr:	  how many
 *
 * Context: Process, may sleep; ovnik_lock held.
 * Return: 0, also when it has them already; -ENOMEM.
 */
int ovnik_ring_alloc(unsigned int cpu, u32 size, u32 nr)
{
	struct ovnik_ring *ring = per_cpu_ptr(&ovnik_ring, cpu);
	struct ovnik_control *control;
	void *data;

	if (ring->data)
		return 0;
	/* vmalloc() would have other processes killed before it fails. */
	if (si_mem_available() < (long)(((u64)size * nr) >> PAGE_SHIFT))
		return -ENOMEM;
	control = (void *)get_zeroed_page(GFP_KERNEL);
	if (!control)
		return -ENOMEM;
	data = vzalloc_node((size_t)size * nr, cpu_to_node(cpu));
	if (!data)
		goto err_free_control;

	control->nr_subbufs = nr;
	control->subbuf_size = size;
	ring->nr = nr;
	ring->size = size;
	ring->control = control;
	/* The CPU may come up while it gets its ring. */
	smp_store_release(&ring->data, data);
	return 0;

err_free_control:
	free_page((unsigned long)control);
	return -ENOMEM;
}

/**
 * ovnik_ring_free() - Free the sub-buffers of a CPU.
 * @cpu: the CPU
 *
 * Context: Process, may sleep; ovnik_lock held, the ring off, its file closed.
 */
void ovnik_ring_free(unsigned int cpu)
{
	struct ovnik_ring *ring = per_cpu_ptr(&ovnik_ring, cpu);

	irq_work_sync(&ring->wake);
	cancel_work_sync(&ring->late);
	ring->cur = NULL;
	ring->limit = 0;
	vfree(ring->data);
	ring->data = NULL;
	free_page((unsigned long)ring->control);
	ring->control = NULL;
}

static void wake_late(struct work_struct *work)
{
	wake_up_interruptible(&container_of(work, struct ovnik_ring, late)->wait);
}

/*
 * When an interrupt closed the sub-buffer of a writer, that writer continues after us and
 * wakes nobody. A worker on this CPU runs after it has ended.
 */
static void wake_reader(struct irq_work *work)
{
	struct ovnik_ring *ring = container_of(work, struct ovnik_ring, wake);

	wake_up_interruptible(&ring->wait);
	if (!READ_ONCE(ring->broken))
		return;
	/* First: an NMI may close another one meanwhile. */
	WRITE_ONCE(ring->broken, false);
	queue_work_on(ring->cpu, system_highpri_wq, &ring->late);
}

/**
 * ovnik_ring_init() - Initialise a ring, without memory yet.
 * @ring: zeroed
 * @cpu:  its CPU
 *
 * Context: Process, at module load.
 */
void ovnik_ring_init(struct ovnik_ring *ring, unsigned int cpu)
{
	ring->cpu = cpu;
	seqcount_init(&ring->reuse);
	mutex_init(&ring->read_lock);
	init_irq_work(&ring->wake, wake_reader);
	INIT_WORK(&ring->late, wake_late);
	init_waitqueue_head(&ring->wait);
}

/**
 * ovnik_rings_init() - Initialise the ring of every CPU, without memory yet.
 *
 * Context: Process, at module load.
 */
void ovnik_rings_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		ovnik_ring_init(per_cpu_ptr(&ovnik_ring, cpu), cpu);
}

/**
 * ovnik_rings_wake() - Wake all readers.
 *
 * Context: Process.
 */
void ovnik_rings_wake(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		wake_up_interruptible(&per_cpu_ptr(&ovnik_ring, cpu)->wait);
}
