/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_CAPGEN_H
#define OVNIK_SELFTESTS_CAPGEN_H

/*
 * Writes captures as the module and the recorder would, for tests: any tasks, any
 * times, any losses. Everything that can be set can be set wrong.
 *
 *	struct capgen g;
 *
 *	capgen_open(&g, dir, 2);
 *	capgen_switch(&g, 0, tsc, 0, 0, 100);
 *	capgen_lose(&g, 0, OVNIK_EV_sched_switch, 3);
 *	capgen_close(&g);
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include <ovnik.h>

#include "capture/events.h"

#define CAPGEN_CPUS_MAX	256

/**
 * struct capgen_cpu - What is known of a CPU's file.
 * @f: the file
 * @buf: the sub-buffer that is open
 * @pos: bytes of it; 0 if none is open
 * @base: TSC from which stamps count
 * @last: TSC of the last record
 * @seq: number of the next sub-buffer
 * @running: for the headers
 * @first: for meta.json: number of the first sub-buffer that can be there
 * @lost: lost so far
 * @recorded: recorded so far
 * @bytes: written to the file
 */
struct capgen_cpu {
	FILE *f;
	char *buf;
	u32 pos;
	u64 base;
	u64 last;
	u64 seq;
	u64 first;
	u32 running;
	u64 lost[OVNIK_NR_EVENTS];
	u64 recorded[OVNIK_NR_EVENTS];
	u64 bytes;
};

/**
 * struct capgen - A capture that is being written.
 * @dir: its directory
 * @nr_cpus: CPUs
 * @cpus: by number
 * @size: bytes of a sub-buffer
 * @flags: of the sub-buffers
 * @session: number of the capture
 * @source: what the stamps count, for meta.json
 * @khz: rate of the TSC
 * @tsc0: TSC at which CLOCK_MONOTONIC was @ns0
 * @ns0: see @tsc0
 * @drift: by how much CLOCK_MONOTONIC goes faster, ppb
 * @width: of the anchors, ticks
 * @mode: for meta.json
 * @filter: for meta.json, what is between the brackets of pids
 * @host: for meta.json
 * @machine: for meta.json; NULL: it does not say
 * @page_size: bytes of a page, for meta.json; 0: it does not say
 * @stop: TSC of the second anchor in meta.json; 0: it has none
 */
struct capgen {
	const char *dir;
	unsigned int nr_cpus;
	struct capgen_cpu cpus[CAPGEN_CPUS_MAX];
	u32 size;
	u32 flags;
	u64 session;
	const char *source;
	u64 khz;
	u64 tsc0;
	u64 ns0;
	s64 drift;
	u32 width;
	const char *mode;
	const char *filter;
	const char *host;
	const char *machine;
	u32 page_size;
	u64 stop;
};

static inline u64 capgen_ns(const struct capgen *g, u64 tsc)
{
	s64 ns = (u64)((__uint128_t)(tsc - g->tsc0) * 1000000 / g->khz);

	return g->ns0 + ns + (s64)((__int128)ns * g->drift / 1000000000);
}

static inline struct ovnik_subbuf *capgen_header(struct capgen_cpu *c)
{
	return (struct ovnik_subbuf *)c->buf;
}

static inline u32 *capgen_count(struct capgen_cpu *c)
{
	return (u32 *)&capgen_header(c)->lost[OVNIK_NR_EVENTS];
}

static inline void capgen_open_subbuf(struct capgen *g, unsigned int cpu, u64 tsc)
{
	struct capgen_cpu *c = &g->cpus[cpu];
	struct ovnik_subbuf *h = capgen_header(c);

	memset(c->buf, 0, g->size);
	h->magic = OVNIK_SUBBUF_MAGIC;
	h->version = OVNIK_FORMAT_VERSION;
	h->header_size = OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS);
	h->cpu = cpu;
	h->nr_events = OVNIK_NR_EVENTS;
	h->session = g->session;
	h->seq = c->seq++;
	h->tsc = tsc;
	h->ns = capgen_ns(g, tsc + g->width / 2);
	h->width = g->width;
	h->tid = c->running;
	h->size = g->size;
	h->flags = g->flags;
	memcpy(h->lost, c->lost, sizeof(c->lost));
	c->pos = h->header_size;
	c->base = tsc;
	c->last = tsc;
}

static inline void capgen_close_subbuf(struct capgen *g, unsigned int cpu, u64 tsc)
{
	struct capgen_cpu *c = &g->cpus[cpu];
	struct ovnik_subbuf *h = capgen_header(c);

	if (!c->pos)
		return;
	h->tsc_end = tsc;
	h->used = c->pos;
	h->committed = c->pos;
	if (h->flags & OVNIK_SB_CRC)
		h->crc = crc32(0, (unsigned char *)c->buf, c->pos);
	fwrite(c->buf, 1, c->pos, c->f);
	c->bytes += c->pos;
	c->pos = 0;
}

static inline void *capgen_place(struct capgen_cpu *c, u8 type, u32 len, u64 tsc)
{
	struct ovnik_record *rec = (struct ovnik_record *)(c->buf + c->pos);

	rec->delta = tsc - c->base;
	rec->type = type;
	rec->words = len / OVNIK_REC_ALIGN;
	c->pos += len;
	c->last = tsc;
	capgen_count(c)[type]++;
	c->recorded[type]++;
	return rec;
}

static inline void capgen_anchor(struct capgen *g, struct capgen_cpu *c, u64 tsc)
{
	struct ovnik_anchor *rec = capgen_place(c, OVNIK_EV_anchor, sizeof(*rec), tsc);

	rec->delta = 0;
	rec->tsc = tsc;
	rec->ns = capgen_ns(g, tsc + g->width / 2);
	rec->width = g->width;
	c->base = tsc;
}

/* Room for a record of @len bytes, in the open sub-buffer or the next. */
static inline void *capgen_record(struct capgen *g, unsigned int cpu, u64 tsc, u8 type, u32 len)
{
	struct capgen_cpu *c = &g->cpus[cpu];

	if (c->pos && c->pos + len + sizeof(struct ovnik_anchor) > g->size)
		capgen_close_subbuf(g, cpu, c->last);
	if (!c->pos)
		capgen_open_subbuf(g, cpu, tsc);
	if ((tsc - c->base) >> 32)
		capgen_anchor(g, c, tsc);
	return capgen_place(c, type, len, tsc);
}

#define CAPGEN_RECORD(g, cpu, tsc, name)	\
	((struct ovnik_##name *)capgen_record(g, cpu, tsc, OVNIK_EV_##name,	\
					      sizeof(struct ovnik_##name)))

/* The same with @text in the string at the end, which lies at @fixed. */
static inline void *capgen_record_str(struct capgen *g, unsigned int cpu, u64 tsc, u8 type,
				      u32 fixed, const char *text)
{
	u32 size = fixed + strlen(text) + 1;
	struct ovnik_record *rec = capgen_record(g, cpu, tsc, type, (size + 7) & ~7U);

	rec->words = 0;
	rec->size = size;
	memcpy((char *)rec + fixed, text, strlen(text) + 1);
	return rec;
}

#define CAPGEN_RECORD_STR(g, cpu, tsc, name, field, text)	\
	((struct ovnik_##name *)capgen_record_str(g, cpu, tsc, OVNIK_EV_##name,	\
						  offsetof(struct ovnik_##name, field), text))

/* The same with the text of the record that begins @back bytes before it. */
static inline void *capgen_record_again(struct capgen *g, unsigned int cpu, u64 tsc, u8 type,
					u32 fixed, u32 back)
{
	u32 size = fixed + sizeof(back);
	struct ovnik_record *rec = capgen_record(g, cpu, tsc, type, (size + 7) & ~7U);

	rec->words = 0;
	rec->size = size | OVNIK_REC_AGAIN;
	memcpy((char *)rec + fixed, &back, sizeof(back));
	return rec;
}

#define CAPGEN_RECORD_AGAIN(g, cpu, tsc, name, field, back)	\
	((struct ovnik_##name *)capgen_record_again(g, cpu, tsc, OVNIK_EV_##name,	\
						    offsetof(struct ovnik_##name, field), back))

/* From @tsc on, as many are lost as are named until the next record. */
static inline void capgen_lose(struct capgen *g, unsigned int cpu, u8 type, u64 n)
{
	capgen_close_subbuf(g, cpu, g->cpus[cpu].last);
	g->cpus[cpu].lost[type] += n;
}

static inline void capgen_switch(struct capgen *g, unsigned int cpu, u64 tsc, u16 state, u32 prev,
				 u32 next)
{
	struct ovnik_sched_switch *rec;

	g->cpus[cpu].running = prev;
	rec = CAPGEN_RECORD(g, cpu, tsc, sched_switch);
	rec->prev_state = state;
	rec->prev_tid = prev;
	rec->next_tid = next;
	g->cpus[cpu].running = next;
}

static inline void capgen_wakeup(struct capgen *g, unsigned int cpu, u64 tsc, u32 tid, u16 target)
{
	struct ovnik_sched_wakeup *rec = CAPGEN_RECORD(g, cpu, tsc, sched_wakeup);

	rec->cpu = target;
	rec->tid = tid;
	rec->waker_tid = g->cpus[cpu].running;
}

static inline void capgen_fork(struct capgen *g, unsigned int cpu, u64 tsc, u32 parent,
			       u32 parent_tgid, u32 child, u32 child_tgid, const char *comm)
{
	struct ovnik_task_fork *rec = CAPGEN_RECORD(g, cpu, tsc, task_fork);

	rec->parent_tid = parent;
	rec->parent_tgid = parent_tgid;
	rec->child_tid = child;
	rec->child_tgid = child_tgid;
	rec->child_start = capgen_ns(g, tsc);
	snprintf(rec->child_comm, sizeof(rec->child_comm), "%s", comm);
}

static inline struct ovnik_task_exec *capgen_exec(struct capgen *g, unsigned int cpu, u64 tsc,
						  u32 tid, u32 old_tid, const char *path)
{
	u32 size = offsetof(struct ovnik_task_exec, filename) + strlen(path) + 1;
	struct ovnik_task_exec *rec;

	rec = capgen_record(g, cpu, tsc, OVNIK_EV_task_exec, (size + 7) & ~7U);
	rec->words = 0;
	rec->size = size;
	rec->tid = tid;
	rec->old_tid = old_tid;
	rec->tgid = tid;
	rec->ino = 0x1a2b;
	rec->dev = 0x103 << 20 | 2;
	memcpy(rec->filename, path, strlen(path) + 1);
	return rec;
}

static inline void capgen_exit(struct capgen *g, unsigned int cpu, u64 tsc, u32 tid, u32 tgid)
{
	struct ovnik_task_exit *rec = CAPGEN_RECORD(g, cpu, tsc, task_exit);

	rec->tid = tid;
	rec->tgid = tgid;
}

static inline void capgen_comm(struct capgen *g, unsigned int cpu, u64 tsc, u32 tid, u32 tgid,
			       const char *comm)
{
	struct ovnik_task_comm *rec = CAPGEN_RECORD(g, cpu, tsc, task_comm);

	rec->tid = tid;
	rec->tgid = tgid;
	snprintf(rec->comm, sizeof(rec->comm), "%s", comm);
}

static inline void capgen_mm(struct capgen *g, unsigned int cpu, u64 tsc, u16 reason, u32 tid,
			     u32 tgid, u64 mm, u64 pgd)
{
	struct ovnik_task_mm *rec = CAPGEN_RECORD(g, cpu, tsc, task_mm);

	rec->reason = reason;
	rec->tid = tid;
	rec->tgid = tgid;
	rec->mm = mm;
	rec->pgd = pgd;
}

static inline void capgen_mm_exit(struct capgen *g, unsigned int cpu, u64 tsc, u64 mm, u64 pgd)
{
	struct ovnik_mm_exit *rec = CAPGEN_RECORD(g, cpu, tsc, mm_exit);

	rec->mm = mm;
	rec->pgd = pgd;
}

static inline struct ovnik_dump_task *capgen_dump(struct capgen *g, unsigned int cpu, u64 tsc,
						  u32 tid, u32 tgid, u16 state, u64 mm, u64 pgd,
						  const char *comm)
{
	struct ovnik_dump_task *rec = CAPGEN_RECORD(g, cpu, tsc, dump_task);

	rec->tid = tid;
	rec->tgid = tgid;
	rec->parent_tgid = 1;
	rec->state = state;
	rec->start = 1000ULL * tid;
	rec->mm = mm;
	rec->pgd = pgd;
	snprintf(rec->comm, sizeof(rec->comm), "%s", comm);
	return rec;
}

static inline int capgen_open(struct capgen *g, const char *dir, unsigned int nr_cpus)
{
	unsigned int i;
	char path[4096];

	memset(g, 0, sizeof(*g));
	g->dir = dir;
	g->nr_cpus = nr_cpus;
	g->size = 65536;
	g->flags = OVNIK_SB_CONSTANT_TSC | OVNIK_SB_NONSTOP_TSC | OVNIK_SB_TSC_TRUSTED |
		   OVNIK_SB_CRC;
	g->session = 1700000000000000000ULL;
	g->source = "tsc";
	g->khz = 2000000;
	g->tsc0 = 1000000000;
	g->ns0 = 5000000000;
	g->width = 40;
	g->mode = "discard";
	g->filter = "";
	g->host = "gen";
	mkdir(dir, 0777);
	for (i = 0; i < nr_cpus; i++) {
		snprintf(path, sizeof(path), "%s/cpu%u.ovk", dir, i);
		g->cpus[i].f = fopen(path, "w");
		g->cpus[i].buf = calloc(1, OVNIK_SUBBUF_MAX);
		if (!g->cpus[i].f || !g->cpus[i].buf)
			return -1;
	}
	return 0;
}

/* Stamps are CLOCK_MONOTONIC, perhaps because the TSC is not to be trusted. */
static inline void capgen_monotonic(struct capgen *g)
{
	g->source = "monotonic";
	g->khz = 1000000;
	g->ns0 = g->tsc0;
	g->flags &= ~(OVNIK_SB_CONSTANT_TSC | OVNIK_SB_NONSTOP_TSC | OVNIK_SB_TSC_TRUSTED);
}

static inline void capgen_meta_events(FILE *f)
{
	unsigned int i, j;

	fprintf(f, "\"events\":[");
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		const struct event_desc *ev = &event_table[i];

		fprintf(f, "%s{\"name\":\"%s\",\"number\":%u,\"size\":%u,\"fields\":[",
			i > 1 ? ",\n" : "", ev->name, i, ev->size);
		for (j = 0; j < ev->nr_fields; j++)
			fprintf(f, "%s{\"name\":\"%s\",\"type\":\"%s\",\"offset\":%u,\"size\":%u,"
				"\"unit\":\"%s\"}", j ? "," : "", ev->fields[j].name,
				ev->fields[j].type, ev->fields[j].offset, ev->fields[j].size,
				ev->fields[j].unit);
		fprintf(f, "]}");
	}
	fprintf(f, "]}\n");
}

static inline void capgen_meta_cpu(FILE *f, const struct capgen_cpu *c, unsigned int nr)
{
	unsigned int i;

	fprintf(f, "%s{\"cpu\":%u,\"file\":\"cpu%u.ovk\",\"bytes\":%llu,\"subbufs\":%llu,\"first\":%llu,\"events\":{",
		nr ? ",\n" : "", nr, nr, c->bytes, c->seq, c->first);
	for (i = 1; i < OVNIK_NR_EVENTS; i++)
		fprintf(f, "%s\"%s\":{\"recorded\":%llu,\"lost\":%llu}", i > 1 ? "," : "",
			event_table[i].name, c->recorded[i], c->lost[i]);
	fprintf(f, "}}");
}

static inline void capgen_meta_anchors(FILE *f, const struct capgen *g)
{
	if (!g->stop)
		return;
	fprintf(f, "{\"tsc\":%llu,\"ns\":%llu,\"width\":%u},", g->tsc0,
		capgen_ns(g, g->tsc0 + g->width / 2), g->width);
	fprintf(f, "{\"tsc\":%llu,\"ns\":%llu,\"width\":%u}", g->stop,
		capgen_ns(g, g->stop + g->width / 2), g->width);
}

static inline void capgen_meta(struct capgen *g)
{
	unsigned int i;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/meta.json", g->dir);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "{\"format_version\":%d,\"ovnik_version\":\"test\",\"backend\":\"module\",",
		OVNIK_FORMAT_VERSION);
	fprintf(f, "\"host\":\"%s\",\"session\":%llu,\"mode\":\"%s\",\"subbuf_size\":%u,\n",
		g->host, g->session, g->mode, g->size);
	if (g->machine)
		fprintf(f, "\"machine\":\"%s\",", g->machine);
	if (g->page_size)
		fprintf(f, "\"page_size\":%u,\n", g->page_size);
	fprintf(f, "\"filter\":{\"pids\":[%s],\"children\":true},\n", g->filter);
	fprintf(f, "\"clock\":{\"source\":\"%s\",\"tsc_khz\":%llu,\"trusted\":%s,\"anchors\":[",
		g->source, g->khz, g->flags & OVNIK_SB_TSC_TRUSTED ? "true" : "false");
	capgen_meta_anchors(f, g);
	fprintf(f, "]},\n\"cpus\":[");
	for (i = 0; i < g->nr_cpus; i++)
		capgen_meta_cpu(f, &g->cpus[i], i);
	fprintf(f, "],\n");
	capgen_meta_events(f);
	fclose(f);
}

static inline void capgen_close(struct capgen *g)
{
	unsigned int i;

	for (i = 0; i < g->nr_cpus; i++) {
		capgen_close_subbuf(g, i, g->cpus[i].last);
		fclose(g->cpus[i].f);
		free(g->cpus[i].buf);
	}
	capgen_meta(g);
}

#endif /* OVNIK_SELFTESTS_CAPGEN_H */
