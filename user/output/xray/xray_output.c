// SPDX-License-Identifier: GPL-2.0-only
/* FDR logs of XRay as an output: their options; the logs are written at the end. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "output/output.h"
#include "output/xray/elf.h"
#include "output/xray/fdr.h"
#include "output/xray/writer.h"
#include "util/file.h"
#include "util/msg.h"
#include "xray/format.h"

/* Begin a log. */
static u8 *fdr_put_header(u8 *p, const struct fdr_header *h)
{
	u16 type = XRAY_TYPE_FDR;
	u32 flags = h->constant_tsc | h->nonstop_tsc << 1;

	memset(p, 0, XRAY_HEADER_SIZE);
	memcpy(p, &h->version, sizeof(h->version));
	memcpy(p + 2, &type, sizeof(type));
	memcpy(p + 4, &flags, sizeof(flags));
	memcpy(p + 8, &h->frequency, sizeof(h->frequency));
	memcpy(p + 16, &h->buffer_size, sizeof(h->buffer_size));
	/* Other programs ignore this; --merge recognises our own logs by it. */
	memcpy(p + 24, XRAY_MADE_BY, sizeof(XRAY_MADE_BY));
	return p + XRAY_HEADER_SIZE;
}

/* The size of a record of ours. */
static u32 fdr_record_size(const u8 *p)
{
	u32 size;

	if (!(p[0] & 1))
		return XRAY_FUNCTION_SIZE;
	if (p[0] >> 1 != XRAY_CUSTOM_EVENT)
		return XRAY_METADATA_SIZE;
	memcpy(&size, p + 1, sizeof(size));
	return XRAY_METADATA_SIZE + size;
}

/*
 * Writes the logs from the kept records of each thread. If two threads of a process had the same
 * number, one after the other, they are one thread in the log, because llvm-xray identifies
 * threads by number.
 *
 * llvm-xray sorts the buffers of a thread wrongly if there are more than 16, and "account" rejects
 * records that are older than the first record of the thread it reads first. So in version 5,
 * where buffers may have any size, a thread has one buffer; in version 1, where all buffers have
 * the same size, at most 16. Each thread begins with a custom event at the TSC at which the
 * capture begins.
 */

#define ASSEMBLE_BUFFERS_MAX	16
#define ASSEMBLE_FIRST_EVENT	"capture begins  "	/* a multiple of 8 */

#define NSEC		1000000000ULL
#define WRITTEN_AT_ONCE	4096		/* bytes from which a copy costs more than a call */
#define FIRST_SIZE	(XRAY_METADATA_SIZE + sizeof(ASSEMBLE_FIRST_EVENT) - 1)
#define PREAMBLE_1	(3 * XRAY_METADATA_SIZE)	/* NewBuffer, WallClockTime, NewCPUId */
#define PREAMBLE_5	(4 * XRAY_METADATA_SIZE)	/* those, and Pid */

/**
 * struct assembly - A log that is being written.
 * @x: the writer
 * @cap: the capture
 * @header: of the log
 * @out: its file
 * @life: the thread that is being written
 * @cpu: of version 1: the CPU of the last record
 * @base: TSC that deltas count from
 * @used: bytes written to the current buffer
 * @at: offset of that buffer
 */
struct assembly {
	struct xray_writer *x;
	struct capture *cap;
	struct fdr_header header;
	struct file out;
	const struct xray_life *life;
	u16 cpu;
	u64 base;
	u64 used;
	u64 at;
};

static int compare_lives(const void *a, const void *b)
{
	const struct xray_life *s = *(struct xray_life *const *)a;
	const struct xray_life *t = *(struct xray_life *const *)b;

	if (s->pid != t->pid)
		return s->pid < t->pid ? -1 : 1;
	if (s->tid != t->tid)
		return s->tid < t->tid ? -1 : 1;
	return s->nr < t->nr ? -1 : s->nr > t->nr;
}

static bool same_thread(const struct xray_life *s, const struct xray_life *t)
{
	return s->pid == t->pid && s->tid == t->tid;
}

/* Index after the last life of the thread whose first life is @i. */
static u32 thread_end(const struct xray_writer *x, u32 i, u32 end)
{
	u32 first = i;

	while (i < end && same_thread(x->threads[first], x->threads[i]))
		i++;
	return i;
}

static u64 thread_bytes(const struct xray_writer *x, u32 i, u32 end)
{
	u64 bytes = FIRST_SIZE;

	for (; i < end; i++)
		bytes += x->threads[i]->out.bytes + x->threads[i]->out.len;
	return bytes;
}

static int put(struct assembly *a, const u8 *from, u32 len)
{
	char *to;

	if (len > WRITTEN_AT_ONCE) {
		file_write(&a->out, from, len);
		return a->out.error;
	}
	to = file_room(&a->out);
	memcpy(to, from, len);
	file_done(&a->out, to + len);
	return a->out.error;
}

/* The head of a buffer, before its records. */
static int put_preamble(struct assembly *a, u64 tsc)
{
	u8 raw[5 * XRAY_METADATA_SIZE], *p = raw;
	u64 ns = clock_ns(&a->cap->clock, tsc);
	bool document = a->header.version == 1;

	p = fdr_put_metadata(p, XRAY_NEW_BUFFER, a->life->tid, 0);
	p = fdr_put_metadata(p, XRAY_WALL_CLOCK, ns / NSEC, ns % NSEC / (document ? 1000 : 1));
	if (!document)
		p = fdr_put_metadata(p, XRAY_PID, a->life->pid, 0);
	p = fdr_put_cpu(p, a->cpu, tsc);
	a->base = tsc;
	a->used = p - raw;
	return put(a, raw, p - raw);
}

static int put_first_event(struct assembly *a)
{
	u8 raw[FIRST_SIZE], *p;

	p = fdr_put_custom(raw, a->header.version, FIRST_SIZE - XRAY_METADATA_SIZE, &a->base,
			   a->x->begin);
	memcpy(p, ASSEMBLE_FIRST_EVENT, FIRST_SIZE - XRAY_METADATA_SIZE);
	a->used += FIRST_SIZE;
	return put(a, raw, FIRST_SIZE);
}

static int put_piece(void *data, const u8 *piece, u32 len)
{
	return put(data, piece, len);
}

/* Version 1: end the buffer; its unused rest stays a hole in the file. */
static int end_buffer(struct assembly *a)
{
	u8 raw[XRAY_METADATA_SIZE];
	int ret;

	fdr_put_metadata(raw, XRAY_END_OF_BUFFER, 0, 0);
	ret = put(a, raw, sizeof(raw));
	file_flush(&a->out);
	a->at += a->header.buffer_size;
	if (ret || a->out.error)
		return a->out.error;
	if (lseek(a->out.fd, a->at, SEEK_SET) >= 0 && !ftruncate(a->out.fd, a->at))
		return 0;
	a->out.error = -errno;
	return report_error(a->out.path, "cannot write", -a->out.error);
}

/* Write the CPU of the thread, and the TSC from which the next delta counts. */
static void follow(struct assembly *a, const u8 *record)
{
	u32 delta;

	if (!(record[0] & 1)) {
		memcpy(&delta, record + 4, sizeof(delta));
		a->base += delta;
	} else if (record[0] >> 1 == XRAY_NEW_CPU_ID) {
		memcpy(&a->cpu, record + 1, sizeof(a->cpu));
		memcpy(&a->base, record + 3, sizeof(a->base));
	} else if (record[0] >> 1 == XRAY_TSC_WRAP) {
		memcpy(&a->base, record + 1, sizeof(a->base));
	}
}

static int put_piece_1(void *data, const u8 *piece, u32 len)
{
	struct assembly *a = data;
	u32 size, at;
	int ret = 0;

	for (at = 0; at < len && !ret; at += size) {
		size = fdr_record_size(piece + at);
		if (a->used + size + XRAY_METADATA_SIZE > a->header.buffer_size) {
			ret = end_buffer(a);
			if (!ret)
				ret = put_preamble(a, a->base);
		}
		follow(a, piece + at);
		a->used += size;
		if (!ret)
			ret = put(a, piece + at, size);
	}
	return ret;
}

static int put_extents(struct assembly *a, u64 bytes)
{
	u8 raw[XRAY_METADATA_SIZE];

	fdr_put_metadata(raw, XRAY_BUFFER_EXTENTS, bytes, 0);
	return put(a, raw, sizeof(raw));
}

static int put_thread(struct assembly *a, u32 i, u32 end)
{
	struct xray_writer *x = a->x;
	bool document = a->header.version == 1;
	int ret = 0;

	a->life = x->threads[i];
	a->cpu = x->world->cpus[0].nr;
	if (!document)
		ret = put_extents(a, PREAMBLE_5 + thread_bytes(x, i, end));
	if (!ret)
		ret = put_preamble(a, x->begin);
	if (!ret)
		ret = put_first_event(a);
	for (; i < end && !ret; i++)
		ret = spill_each(&x->stacks.spill, &x->threads[i]->out,
				 document ? put_piece_1 : put_piece, a);
	return ret || !document ? ret : end_buffer(a);
}

/*
 * Version 1: the smallest size with which no thread needs more than ASSEMBLE_BUFFERS_MAX buffers.
 */
static u64 buffer_size(const struct xray_writer *x, u32 i, u32 end)
{
	u64 most = 0;
	u32 next;

	for (; i < end; i = next) {
		next = thread_end(x, i, end);
		if (thread_bytes(x, i, next) > most)
			most = thread_bytes(x, i, next);
	}
	/* A record that does not fit leaves the end of the buffer unused. */
	most = most / ASSEMBLE_BUFFERS_MAX + 1 + PREAMBLE_1 + XRAY_METADATA_SIZE +
	       x->stacks.largest + FIRST_SIZE;
	return (most + XRAY_FUNCTION_SIZE - 1) & ~(XRAY_FUNCTION_SIZE - 1ULL);
}

/* Ticks per second, averaged over the capture. */
static u64 frequency_of(struct capture *cap)
{
	u64 ticks = cap->end - cap->begin, ns;

	/* A capture without duration has no rate. */
	if (cap->end < cap->begin || !(ticks >> 20))
		ticks = 1 << 20;
	ns = clock_ns(&cap->clock, cap->begin + ticks) - clock_ns(&cap->clock, cap->begin);
	return ns ? ((__uint128_t)ticks * NSEC + ns / 2) / ns : 0;
}

static int put_log(struct assembly *a, const char *path, u32 i, u32 end)
{
	u8 raw[XRAY_HEADER_SIZE];
	int ret, error;
	u32 next;

	a->at = XRAY_HEADER_SIZE;
	if (a->header.version == 1)
		a->header.buffer_size = buffer_size(a->x, i, end);
	ret = file_open(&a->out, path, NULL);
	fdr_put_header(raw, &a->header);
	if (!ret)
		ret = put(a, raw, sizeof(raw));
	for (; i < end && !ret; i = next) {
		next = thread_end(a->x, i, end);
		ret = put_thread(a, i, next);
	}
	error = file_close(&a->out);
	return ret ? ret : error;
}

static int put_processes(struct assembly *a)
{
	const struct xray_writer *x = a->x;
	char path[PATH_MAX];
	u32 i, end;
	int ret = 0;

	for (i = 0; i < x->nr_threads && !ret; i = end) {
		u32 pid = x->threads[i]->pid;

		for (end = i; end < x->nr_threads && x->threads[end]->pid == pid; end++)
			;
		snprintf(path, sizeof(path), "%s/xray.pid%u.fdr", x->stacks.spill.dir, pid);
		ret = put_log(a, path, i, end);
	}
	return ret;
}

/* Write the logs. */
static int assemble_logs(struct xray_writer *x, struct capture *cap, bool split)
{
	struct assembly a = {
		.x = x,
		.cap = cap,
		.header = {
			.version = x->stacks.version,
			.constant_tsc = cap->steady,
			.nonstop_tsc = cap->nonstop,
			.frequency = frequency_of(cap),
		},
	};
	char path[PATH_MAX];
	u32 i;

	/* If the process of a thread is unknown, take the thread for a process of its own. */
	for (i = 0; i < x->nr_threads; i++) {
		if (!x->threads[i]->pid)
			x->threads[i]->pid = x->threads[i]->tid;
	}
	qsort(x->threads, x->nr_threads, sizeof(*x->threads), compare_lives);
	if (split)
		return put_processes(&a);
	snprintf(path, sizeof(path), "%s/xray.fdr", x->stacks.spill.dir);
	return put_log(&a, path, 0, x->nr_threads);
}

#define OPT_SPLIT	256
#define OPT_VERSION	257

static const struct argp_option options[] = {
	{ "xray-split", OPT_SPLIT, "HOW", 0,
	  "Write an XRay log for each process; HOW is: process", 0 },
	{ "xray-version", OPT_VERSION, "N", 0,
	  "Version of XRay logs: 5, as clang writes them (the default), or 1, as documented", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct xray_writer *x = use->data;

	switch (key) {
	case OPT_SPLIT:
		if (strcmp(arg, "process"))
			argp_error(state, "XRay logs are split by process, not by \"%s\"", arg);
		x->split = true;
		return 0;
	case OPT_VERSION:
		if (strcmp(arg, "1") && strcmp(arg, "5"))
			argp_error(state, "XRay logs are written in version 1 or 5, not \"%s\"",
				   arg);
		x->version = arg[0] - '0';
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static bool owns(const char *name)
{
	return !strcmp(name, "xray.fdr") || !strcmp(name, ELF_MAP_NAME) ||
	       text_is_numbered(name, "xray.pid", ".fdr");
}

static int open_output(void *data, const struct output_env *env)
{
	(void)data;
	(void)env;
	return elf_check();
}

static int attach(void *data, const struct output_env *env)
{
	struct xray_writer *x = data;
	int ret;

	x->world = env->world;
	x->stacks.version = x->version ? x->version : XRAY_VERSION_MAX;
	ret = spill_init(&x->stacks.spill, env->out, XRAY_WRITER_BYTES);
	if (ret)
		return ret;
	x->texts = malloc(OVNIK_NR_EVENTS * sizeof(*x->texts));
	/* The kernel allocates a page of it when a number in that page is used. */
	x->ended = calloc(TASK_TID_MAX + 1, sizeof(*x->ended));
	if (!x->texts || !x->ended)
		return -ENOMEM;
	record_text_init(x->texts);
	return xray_attach_hooks(x);
}

/* Without a thread there is no log. */
static int finish(void *data, const struct output_env *env)
{
	struct xray_writer *x = data;

	if (x->unplaced)
		msg_info("XRay: events without a known thread, left out: %llu", x->unplaced);
	if (!x->nr_threads) {
		msg_warn("%s: no task is known: there is nothing to write for XRay",
			 env->cap->dir);
		return 0;
	}
	return assemble_logs(x, env->cap, x->split) ?: elf_write_map(env->out);
}

static void close_output(void *data)
{
	struct xray_writer *x = data;
	u32 i;

	if (!x->world)
		return;
	spill_destroy(&x->stacks.spill);
	for (i = 0; i < x->nr_threads; i++)
		free(x->threads[i]);
	free(x->threads);
	free(x->of_task);
	free(x->ended);
	free(x->texts);
	memset(x, 0, sizeof(*x));
}

DEFINE_OUTPUT(xray) = {
	.name = "xray",
	.sentence = "XRay logs (flight data recorder) and their names: xray.fdr, xray.elf",
	.flags = OUTPUT_FILES,
	.size = sizeof(struct xray_writer),
	.options = options,
	.parse = parse,
	.owns = owns,
	.open = open_output,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
