// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drain the probes' rings: convert sub-buffers from the layout of bpf/ovnik_bpf.h to that
 * of ovnik.h. The probes do only what must happen at the event; time deltas, counts and
 * headers are computed here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_ring.h"
#include "util/msg.h"

/* The probes wake no reader. 4 MiB last longer than this at 11 million events/s. */
#define IDLE_US		15000

#define HEADER		((u32)OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS))
#define FIRST		((u32)(sizeof(struct ovnik_bpf_subbuf) + sizeof(struct ovnik_anchor)))

/**
 * bpf_subbuf_room() - Get the size of a sub-buffer in the layout of ovnik.h.
 *
 * The header of ovnik.h is longer than that of ovnik_bpf.h.
 *
 * Return: bytes.
 */
u32 bpf_subbuf_room(void)
{
	return probes.subbuf_size + HEADER;
}

static int ring_open(struct reader *reader)
{
	if (reader->dump)
		return 0;
	reader->in = bpf_ring_of(reader->cpu, true);
	if (reader->in < 0)
		return reader->in;
	reader->size = ring_bytes();
	reader->copy = malloc(bpf_subbuf_room());
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
 * Set each record's time since the anchor before it, and count the record. The probes'
 * stamps have 32 bits, and an anchor is at most 2^31 away. The kernel's clock may step
 * back by some ns while it is adjusted.
 */
static int finish_records(struct ovnik_subbuf *sb)
{
	u32 *count = (u32 *)&sb->lost[OVNIK_NR_EVENTS];
	u64 base = sb->tsc, now = base;
	u32 offset = HEADER, len;

	for (; offset < sb->used; offset += len) {
		struct ovnik_record *rec = (void *)sb + offset;
		s32 step = rec->delta - (u32)now;

		len = rec->words * OVNIK_REC_ALIGN;
		if (!len)
			len = (ovnik_record_size(rec) + OVNIK_REC_ALIGN - 1) &
			      ~(OVNIK_REC_ALIGN - 1);
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

/* Fill in the header, without the overwritten events. */
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

/* Copy the first @used bytes of a sub-buffer that may be overwritten meanwhile. */
static int copy_prefix(struct ovnik_subbuf *to, const struct ovnik_bpf_subbuf *from,
		       unsigned int cpu, u64 seq, u32 used)
{
	if (used < FIRST || used > probes.subbuf_size)
		return -EPROTO;
	fill_header(to, from, cpu, seq, used);
	memcpy((void *)to + HEADER, (const void *)from + FIRST, used - FIRST);
	return 0;
}

static int copy_subbuf(struct ovnik_subbuf *to, const struct ovnik_bpf_subbuf *from,
		       unsigned int cpu, u64 seq)
{
	return copy_prefix(to, from, cpu, seq, load(&from->used));
}

static int damaged(unsigned int cpu, u64 seq)
{
	msg_error("ring of CPU %u, sub-buffer %llu: damaged", cpu, seq);
	return -EPROTO;
}

/* Copy the oldest one, if it is complete. Return: 1; 0: it is not; a negative errno. */
static int copy_oldest(unsigned int cpu, const void *data, struct ovnik_subbuf *to)
{
	const struct ovnik_bpf_cpu *ring = cpu_of(cpu);
	const struct ovnik_bpf_subbuf *sb = slot_of(data, ring->tail);

	if (ring->tail >= closed(ring) || !is_complete(sb, ring->tail))
		return 0;
	if (copy_subbuf(to, sb, cpu, ring->tail) || finish_records(to))
		return damaged(cpu, ring->tail);
	return 1;
}

static void give_back(unsigned int cpu, const void *data)
{
	struct ovnik_bpf_cpu *ring = cpu_of(cpu);
	struct ovnik_bpf_subbuf *sb = slot_of(data, ring->tail);

	__atomic_store_n(&sb->commit, OVNIK_BPF_TAG(ring->tail + probes.nr_subbufs),
			 __ATOMIC_RELEASE);
	ring->tail++;
}

/**
 * bpf_ring_take() - Take the oldest sub-buffer out of a ring.
 * @cpu:  its CPU
 * @data: the ring, mapped
 * @to:	  is set; bpf_subbuf_room() bytes
 *
 * Return: 1; 0 if none is complete; a negative errno, which has been reported.
 */
int bpf_ring_take(unsigned int cpu, const void *data, struct ovnik_subbuf *to)
{
	int ret = copy_oldest(cpu, data, to);

	if (ret > 0)
		give_back(cpu, data);
	return ret;
}

static const struct ovnik_subbuf *ring_next(struct reader *reader, int *error)
{
	int ret = copy_oldest(reader->cpu, reader->data, reader->copy);

	*error = ret < 0 ? ret : 0;
	return ret > 0 ? reader->copy : NULL;
}

static void ring_release(struct reader *reader)
{
	if (probes.config->overwrite)
		cpu_of(reader->cpu)->tail++;
	else
		give_back(reader->cpu, reader->data);
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

/*
 * Count a CPU's overwritten events: all that were recorded minus those still in the ring.
 * Nothing is being recorded.
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
 * While a capture runs, a sub-buffer holds the number of events recorded before it, except
 * those still being written when it was opened.
 */
static void add_overwritten(const struct reader *reader, struct ovnik_subbuf *to,
			    const u64 before[OVNIK_NR_EVENTS], bool still)
{
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		to->lost[i] += still ? reader->overwritten[i] :
			       before[i] > reader->count[i] ? before[i] - reader->count[i] : 0;
}

/* Copy a sub-buffer of a snapshot; false: it is not complete. */
static bool copy_marked(struct ovnik_subbuf *to, const struct ovnik_bpf_subbuf *from,
			unsigned int cpu, u64 seq)
{
	const struct mark *mark = bpf_ring_mark(cpu);

	if (!mark->used || seq + 1 != mark->end)
		return is_complete(from, seq) && !copy_subbuf(to, from, cpu, seq);
	if (copy_prefix(to, from, cpu, seq, mark->used))
		return false;
	to->tsc_end = mark->now;
	return true;
}

static u64 end_of(unsigned int cpu)
{
	const struct mark *mark = bpf_ring_mark(cpu);

	return mark->end ? mark->end : closed(cpu_of(cpu));
}

/*
 * What is lost after the last sub-buffer was opened is in no header. @lost: of the header of the
 * newest one; NULL: there is none yet.
 */
static void note_late(struct reader *reader, const u64 *lost)
{
	const u64 *dropped = bpf_ring_mark(reader->cpu)->dropped;
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		u64 known = lost ? lost[i] : 0;

		reader->late[i] = dropped[i] > known ? dropped[i] - known : 0;
	}
}

/* Copy the next sub-buffer that is not overwritten meanwhile. */
static int copy_overwriting(struct reader *reader, struct ovnik_subbuf *to)
{
	bool still = !load(&probes.config->events);
	struct ovnik_bpf_cpu *ring = cpu_of(reader->cpu);
	u64 before[OVNIK_NR_EVENTS];

	if (!reader->begun && still)
		count_overwritten(reader->cpu, reader->data, reader->copy, reader->overwritten);
	/* Stop at what is closed now, or copying might never end. */
	if (!reader->begun)
		reader->end = end_of(reader->cpu);
	reader->begun = true;
	for (; reader->next < reader->end; reader->next++) {
		const struct ovnik_bpf_subbuf *sb;

		if (reader->next < oldest(ring))
			reader->next = oldest(ring);
		sb = slot_of(reader->data, reader->next);
		memcpy(before, sb->before, sizeof(before));
		if (!copy_marked(to, sb, reader->cpu, reader->next))
			continue;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (reader->next < oldest(ring))
			continue;
		if (finish_records(to))
			return damaged(reader->cpu, reader->next);
		note_late(reader, to->lost);
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

	if (reader->dump)
		return bpf_kept_copy(reader, to);
	if (!reader->begun)
		note_late(reader, NULL);
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
	note_late(reader, sb->lost);
	ring_release(reader);
	return 1;
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
 * bpf_rings_stats() - Count a CPU's recorded and lost events.
 * @cpu:   the CPU
 * @stats: by event number; is set
 *
 * Exact once recording has stopped.
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

const struct source bpf_source = {
	.dump_apart	= true,
	.open		= ring_open,
	.map		= ring_map,
	.close		= ring_close,
	.next		= ring_next,
	.release	= ring_release,
	.wait		= ring_wait,
	.has_data	= ring_has_data,
	.copy		= ring_copy,
};
