// SPDX-License-Identifier: GPL-2.0-only
/* The per-CPU ring: see ring.h for how it works. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/ktime.h>
#include <linux/vmalloc.h>

#include "ring.h"

/* Ticks; about ten times what reading two clocks takes. */
#define CLOCKS_WIDTH_MAX	4096

DEFINE_PER_CPU_ALIGNED(struct ovnik_ring, ovnik_ring);

static struct ovnik_subbuf *slot_of(struct ovnik_ring *ring, u64 seq)
{
	return ring->data + (size_t)(seq % ring->nr) * ring->size;
}

/* Has every writer of a closed sub-buffer come to its end? */
static bool is_complete(struct ovnik_subbuf *sb)
{
	u32 used = READ_ONCE(sb->used);

	return used && READ_ONCE(sb->committed) == used;
}

/* No record can be reserved in it from here on; pos moves to the next one. */
static void close_subbuf(struct ovnik_ring *ring)
{
	struct ovnik_subbuf *sb = ring->cur;

	/* An interrupt closes what a writer is busy in, that it broke off. */
	if (sb->committed != (u32)ring->pos)
		WRITE_ONCE(ring->broken, true);
	sb->tsc_end = rdtsc();
	WRITE_ONCE(sb->used, (u32)ring->pos);
	ring->cur = NULL;
	/* Who sees the number sees the length and the end. */
	smp_store_release(&ring->seq, ring->seq + 1);
	ring->pos = ring->seq << 32;
	/* The same for a reader of the map. */
	smp_store_release(&ring->control->head, ring->seq);
	irq_work_queue(&ring->wake);
}

/* May the slot of the next sub-buffer be written over? */
static bool slot_is_free(struct ovnik_ring *ring, struct ovnik_subbuf *sb)
{
	if (ring->seq < ring->nr)
		return true;
	if (!(ring->flags & OVNIK_SB_OVERWRITE) &&
	    ring->seq - READ_ONCE(ring->control->tail) >= ring->nr)
		return false;
	/* An interrupt wrote a whole ring while it broke off a writer in here. */
	return is_complete(sb);
}

/* Keep the counts of what is about to be written over. */
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
 * Both clocks, between two reads of the TSC. Again if that took long: a
 * hypervisor ran something else in between, and the pair would be worth little.
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
	sb->tid = current->pid;
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

	if (!ring->data)
		return false;
	sb = slot_of(ring, ring->seq);
	if (!slot_is_free(ring, sb))
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

/* 32 bits of ticks have run out: give the full TSC and count from there. */
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

/* From here to leave_slow() an NMI finds the ring shut. Interrupts are off. */
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
 * ovnik_reserve_slow() - ovnik_reserve() where the fast path has no answer.
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
	if (!ring->on)
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
 * ovnik_ring_start() - Record on this CPU from now on.
 * @unused: for on_each_cpu()
 *
 * Opens a sub-buffer at once: its header says which task runs, and since when
 * every event is there.
 *
 * Context: Interrupts off, on the CPU whose ring it is.
 */
void ovnik_ring_start(void *unused)
{
	struct ovnik_ring *ring = this_cpu_ptr(&ovnik_ring);

	if (!enter_slow(ring))
		return;
	/* First: an NMI from now on finds the ring shut and is counted as lost. */
	WRITE_ONCE(ring->on, true);
	open_subbuf(ring);
	leave_slow(ring);
}

/**
 * ovnik_ring_stop() - This CPU records no more.
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

/* Let the reader have what the open sub-buffer holds, if it holds anything. */
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

/**
 * ovnik_ring_flush_dead() - Close the open sub-buffer of a CPU that is off line.
 * @cpu: the CPU; it opens its next sub-buffer itself should it come back
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

static void empty(struct ovnik_ring *ring)
{
	memset(ring->data, 0, (size_t)ring->nr * ring->size);
	/* The reader may have scribbled on all of it. */
	ring->control->nr_subbufs = ring->nr;
	ring->control->subbuf_size = ring->size;
	ring->control->tail = 0;
	/* A reader that finds the ring empty finds it empty from the start. */
	smp_store_release(&ring->control->head, 0);
}

/**
 * ovnik_ring_reset() - Empty a ring and forget its counts.
 * @cpu:     whose ring
 * @session: number of the capture that is to begin
 * @flags:   enum ovnik_subbuf_flags for every sub-buffer
 *
 * Context: Process; the ring is off, and was when the last probe looked at it: @limit
 * is 0, so that whoever comes meanwhile finds no room and asks whether it is on.
 */
void ovnik_ring_reset(unsigned int cpu, u64 session, u32 flags)
{
	struct ovnik_ring *ring = per_cpu_ptr(&ovnik_ring, cpu);

	mutex_lock(&ring->read_lock);
	ring->session = session;
	ring->flags = flags;
	ring->seq = 0;
	ring->retired = 0;
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
 * ovnik_ring_alloc() - Give a CPU its sub-buffers.
 * @cpu:  the CPU, which may be off line
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
	/* vmalloc() would rather have other processes killed than fail. */
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
	/* The CPU may come up while it is given its ring. */
	smp_store_release(&ring->data, data);
	return 0;

err_free_control:
	free_page((unsigned long)control);
	return -ENOMEM;
}

/**
 * ovnik_ring_free() - Take a CPU's sub-buffers away.
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

/**
 * ovnik_ring_peek() - The sub-buffer of a number, if it can be read.
 * @ring: any CPU's
 * @seq:  any number
 *
 * Asks the ring, not the control page, which a reader may have scribbled on.
 *
 * Context: Any.
 * Return: the sub-buffer; NULL when it is not closed yet, not there any more, or
 * a writer in it has not ended.
 */
struct ovnik_subbuf *ovnik_ring_peek(struct ovnik_ring *ring, u64 seq)
{
	struct ovnik_subbuf *sb = slot_of(ring, seq);

	/* Pairs with close_subbuf(). */
	if (seq >= smp_load_acquire(&ring->seq) || !is_complete(sb))
		return NULL;
	/* What @committed promises is read after it. */
	smp_rmb();
	return READ_ONCE(sb->seq) == seq ? sb : NULL;
}

/**
 * ovnik_ring_oldest() - Number of the oldest sub-buffer still in the ring.
 * @ring: any CPU's
 *
 * Context: Any.
 * Return: the number; that of the open one when there is none.
 */
u64 ovnik_ring_oldest(struct ovnik_ring *ring)
{
	if (ring->flags & OVNIK_SB_OVERWRITE)
		return READ_ONCE(ring->retired);
	return min(READ_ONCE(ring->control->tail), READ_ONCE(ring->seq));
}

/* What was overwritten and what the older sub-buffers in the ring hold. */
static void sum_before(struct ovnik_ring *ring, u64 seq, u64 *before)
{
	u64 older;
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		before[i] = READ_ONCE(ring->overwritten[i]);
	for (older = ring->retired; older < seq; older++) {
		u32 *count = ovnik_subbuf_count(slot_of(ring, older));

		for (i = 0; i < OVNIK_NR_EVENTS; i++)
			before[i] += READ_ONCE(count[i]);
	}
}

/**
 * ovnik_ring_copy() - Copy a sub-buffer out of the ring.
 * @ring:   any CPU's
 * @seq:    its number
 * @to:	    room for a whole sub-buffer
 * @before: set, in overwrite mode: per event, how many were recorded before this
 *	    sub-buffer, overwritten or not; or NULL. Takes the longer the more
 *	    sub-buffers lie before it: ask where the number does not follow
 *
 * In overwrite mode the writer does not wait, so the copy is made again when a
 * sub-buffer was opened meanwhile.
 *
 * Context: Process.
 * Return: true; false when it is not there any more or not complete.
 */
bool ovnik_ring_copy(struct ovnik_ring *ring, u64 seq, struct ovnik_subbuf *to, u64 *before)
{
	struct ovnik_subbuf *sb;
	unsigned int start;

	do {
		cond_resched();
		start = raw_read_seqcount_begin(&ring->reuse);
		if (seq < ovnik_ring_oldest(ring))
			return false;
		sb = ovnik_ring_peek(ring, seq);
		if (!sb)
			return false;
		memcpy(to, sb, min(READ_ONCE(sb->used), ring->size));
		if (before && ring->flags & OVNIK_SB_OVERWRITE)
			sum_before(ring, seq, before);
	} while (read_seqcount_retry(&ring->reuse, start));
	return true;
}

/* What is counted outside the sub-buffers. Returns the oldest one that is not in it. */
static u64 add_past(struct ovnik_ring *ring, struct ovnik_totals *totals)
{
	unsigned int start;
	u64 retired;
	int i;

	do {
		start = raw_read_seqcount_begin(&ring->reuse);
		for (i = 0; i < OVNIK_NR_EVENTS; i++) {
			totals->recorded[i] = ring->past[i];
			totals->written[i] = ring->overwritten[i];
			totals->lost[i] = ring->dropped[i] + ring->overwritten[i];
			totals->text[i] = ring->text[i];
		}
		totals->bytes = ring->bytes;
		retired = ring->retired;
	} while (read_seqcount_retry(&ring->reuse, start));
	return retired;
}

/* False if it was used again meanwhile: what it held is among the past now. */
static bool add_subbuf(struct ovnik_ring *ring, u64 seq, struct ovnik_totals *totals)
{
	struct ovnik_subbuf *sb = slot_of(ring, seq);
	u32 count[OVNIK_NR_EVENTS], bytes;
	unsigned int start;
	int i;

	do {
		start = raw_read_seqcount_begin(&ring->reuse);
		if (seq < ring->retired)
			return false;
		/* The next one's slot may hold an older one yet. */
		if (sb->seq != seq)
			return true;
		memcpy(count, ovnik_subbuf_count(sb), sizeof(count));
		bytes = READ_ONCE(sb->committed);
	} while (read_seqcount_retry(&ring->reuse, start));

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		totals->recorded[i] += count[i];
	totals->bytes += bytes;
	return true;
}

/* From the oldest on, which is the next to go: then the writer stays behind us. */
static bool add_up(struct ovnik_ring *ring, struct ovnik_totals *totals)
{
	u64 seq, first = add_past(ring, totals);
	bool whole = true;
	int i;

	for (seq = first; ring->data && seq < first + ring->nr; seq++) {
		whole &= add_subbuf(ring, seq, totals);
		cond_resched();
	}
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		totals->written[i] += totals->recorded[i];
	return whole;
}

/**
 * ovnik_ring_totals() - Add up what became of a CPU's events.
 * @cpu:    the CPU
 * @totals: is set
 *
 * Exact once the capture is stopped; while it runs, off by what happens
 * meanwhile, and should we be overtaken again and again, by what was used again.
 *
 * Context: Process; ovnik_lock held.
 */
void ovnik_ring_totals(unsigned int cpu, struct ovnik_totals *totals)
{
	struct ovnik_ring *ring = per_cpu_ptr(&ovnik_ring, cpu);
	int tries = 3;

	while (!add_up(ring, totals) && --tries)
		;
}

static void wake_late(struct work_struct *work)
{
	wake_up_interruptible(&container_of(work, struct ovnik_ring, late)->wait);
}

/*
 * When an interrupt closed what a writer was busy in, that writer goes on only after
 * us, and wakes nobody. On this CPU a worker runs when it has ended.
 */
static void wake_reader(struct irq_work *work)
{
	struct ovnik_ring *ring = container_of(work, struct ovnik_ring, wake);

	wake_up_interruptible(&ring->wait);
	if (!READ_ONCE(ring->broken))
		return;
	/* First: an NMI may close one more meanwhile. */
	WRITE_ONCE(ring->broken, false);
	queue_work_on(ring->cpu, system_highpri_wq, &ring->late);
}

/**
 * ovnik_rings_init() - Make every CPU's ring ready, without memory yet.
 *
 * Context: Process, at module load.
 */
void ovnik_rings_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct ovnik_ring *ring = per_cpu_ptr(&ovnik_ring, cpu);

		ring->cpu = cpu;
		seqcount_init(&ring->reuse);
		mutex_init(&ring->read_lock);
		init_irq_work(&ring->wake, wake_reader);
		INIT_WORK(&ring->late, wake_late);
		init_waitqueue_head(&ring->wait);
	}
}

/**
 * ovnik_rings_wake() - Let every reader look again.
 *
 * Context: Process.
 */
void ovnik_rings_wake(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		wake_up_interruptible(&per_cpu_ptr(&ovnik_ring, cpu)->wait);
}
