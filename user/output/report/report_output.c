// SPDX-License-Identifier: GPL-2.0-only
/* The report as an output: a command of its own, which prints it on stdout. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "output/report/report.h"
#include "output/report/table.h"
#include "util/msg.h"

/*
 * What is not a task, or not worth keeping until its end: the begin and end of the
 * capture, gaps, pages of the caches.
 */

/* Before the builder: its calls do not contain this. */
static void on_read(void *data, const struct hook_ctx *ctx)
{
	struct report *r = data;

	(void)ctx;
	r->writing = false;
}

static void on_write(void *data, const struct hook_ctx *ctx)
{
	struct report *r = data;

	(void)ctx;
	r->writing = true;
}

static void on_page_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = it->rec;
	struct report *r = data;

	r->pages.added += 1ULL << rec->order;
}

static void on_page_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_remove *rec = it->rec;
	struct report *r = data;

	r->pages.removed += 1ULL << rec->order;
}

static void on_buffer_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_buffer_add *rec = it->rec;
	struct report *r = data;

	r->buffers.added += 1ULL << rec->order;
}

static void on_buffer_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_buffer_remove *rec = it->rec;
	struct report *r = data;

	r->buffers.removed += 1ULL << rec->order;
}

static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_cpu *cpu = report_cpu_of(data, it->cpu);

	if (cpu)
		cpu->gap = it->ns;
}

static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_cpu *cpu = report_cpu_of(data, it->cpu);
	u32 i;

	if (!cpu)
		return;
	if (!cpu->lost)
		cpu->lost = calloc(OVNIK_NR_EVENTS, sizeof(*cpu->lost));
	if (!cpu->lost) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	report_add(&cpu->blind, it->ns - cpu->gap);
	cpu->gaps++;
	cpu->inexact += !it->gap->exact;
	cpu->causes |= it->gap->causes;
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		report_add(&cpu->lost[i], it->gap->lost[i]);
	report_add(&cpu->other, it->gap->other);
}

static void on_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report *r = data;

	r->begin = it->ns;
}

static void on_capture_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report *r = data;

	r->end = it->ns;
}

/* Attach to the world for what tasks do not contain. */
static int report_attach_machine(struct report *r)
{
	static const struct {
		enum world_position position;
		hook_fn fn;
	} hooks[] = {
		{ WORLD_CAPTURE_BEGIN, on_begin },
		{ WORLD_CAPTURE_END, on_capture_end },
		{ WORLD_GAP_BEGIN, on_gap_begin },
		{ WORLD_GAP_END, on_gap_end },
		{ WORLD_IO_READ, on_read },
		{ WORLD_IO_WRITE, on_write },
		{ WORLD_PAGE_ADD, on_page_add },
		{ WORLD_PAGE_REMOVE, on_page_remove },
		{ WORLD_BUFFER_ADD, on_buffer_add },
		{ WORLD_BUFFER_REMOVE, on_buffer_remove },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(hooks) && !ret; i++)
		ret = hook_attach(&r->world->hooks, hooks[i].position, hooks[i].fn, r);
	return ret;
}

#define OPT_JSON	256
#define OPT_TOP		257

#define REPORT_ROWS	10	/* of a table, by default */
#define REPORT_ROWS_MAX	10000
#define JSON_WAITS	100	/* unless the user asks for more */

static const struct argp_option options[] = {
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all processes and files", 0 },
	{ "top", OPT_TOP, "N", 0, "Rows of a table; 10 by default", 0 },
	{ 0 }
};

static unsigned int parse_rows(const char *arg, const struct argp_state *state)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !n || n > REPORT_ROWS_MAX)
		argp_error(state, "--top: \"%s\" is not a number from 1 to %u", arg,
			   REPORT_ROWS_MAX);
	return n;
}

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct report *r = use->data;

	switch (key) {
	case OPT_JSON:
		r->opt.json = true;
		return 0;
	case OPT_TOP:
		r->opt.rows = parse_rows(arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int attach(void *data, const struct output_env *env)
{
	const struct world *w = env->world;
	struct report *r = data;
	u32 i;
	int ret;

	if (!r->opt.rows)
		r->opt.rows = REPORT_ROWS;
	r->max_waits = r->opt.json && r->opt.rows < JSON_WAITS ? JSON_WAITS : r->opt.rows;
	r->waits = calloc(r->max_waits, sizeof(*r->waits));
	r->cpus = calloc(w->nr_cpus, sizeof(*r->cpus));
	if (!r->waits || !r->cpus || hash_init(&r->files.table))
		return -ENOMEM;
	r->world = env->world;
	r->filtered = w->filtered;
	r->nr_cpus = w->nr_cpus;
	for (i = 0; i < w->nr_cpus; i++)
		r->cpus[i].nr = w->cpus[i].nr;
	ret = report_attach_machine(r);
	return ret ? ret : report_attach_tasks(r);
}

/* Keep what is known. */
static void detach(struct report *r)
{
	tasks_destroy(r->tasks);
	r->tasks = NULL;
	r->world = NULL;
}

static int answer(struct report *r, const struct facts *facts, struct tracer_answer *to)
{
	int ret;

	answer_open(to, "report", facts->cap->dir);
	report_write_capture(r, facts, to);
	if (r->opt.json)
		report_write_lacking(facts, to);
	ret = report_write_processes(r, facts, to);
	if (!ret)
		ret = report_write_files(r, facts, to);
	report_write_losses(r, facts, to);
	return ret ? ret : answer_close(to);
}

static int finish(void *data, const struct output_env *env)
{
	struct report *r = data;
	struct tracer_answer *to = answer_create(r->opt.json);
	int ret = -ENOMEM;

	detach(r);
	report_queue_finish(r);
	if (to)
		ret = answer(r, env->facts, to);
	if (!ret)
		ret = answer_write(to, stdout);
	if (ret)
		msg_error(ret == -ENOMEM ? "no memory" : "the report cannot be written");
	answer_destroy(to);
	return ret;
}

static void close_output(void *data)
{
	struct idmap_slot *slot = NULL;
	struct report *r = data;
	u32 i;

	detach(r);
	while ((slot = idmap_next(&r->processes, slot)))
		free(slot->ptr);
	idmap_free(&r->processes);
	report_files_free(&r->files);
	for (i = 0; i < r->nr_cpus; i++) {
		free(r->cpus[i].runs);
		free(r->cpus[i].lost);
	}
	free(r->cpus);
	free(r->waits);
	memset(r, 0, sizeof(*r));
}

DEFINE_OUTPUT(report) = {
	.name = "report",
	.sentence = "what happened: who used the CPUs, who waited for what, which files cost "
		    "most, what is missing; on stdout",
	.flags = OUTPUT_INVENTORY | OUTPUT_COMMAND,
	.size = sizeof(struct report),
	.options = options,
	.parse = parse,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
