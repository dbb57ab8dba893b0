// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is not a task, or not worth keeping until its end: the begin and end of the
 * capture, gaps, pages of the caches.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/report/report.h"

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

int report_attach_machine(struct report *r)
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
