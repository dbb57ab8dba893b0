// SPDX-License-Identifier: GPL-2.0-only
/* Counters: mapped memory of each process, and the page cache. */
#include "output/perfetto/perfetto.h"

static void put_counter(struct perfetto *o, u64 uuid, u64 parent, const char *name)
{
	u8 *track, *counter, *p;

	track = pb_begin(perfetto_event(o, o->world->ns), PACKET_TRACK_DESCRIPTOR);
	p = pb_text(pb_uint(track, TRACK_UUID, uuid), TRACK_NAME, name);
	if (parent)
		p = pb_uint(p, TRACK_PARENT, parent);
	counter = pb_begin(p, TRACK_COUNTER);
	p = pb_end(counter, pb_uint(counter, COUNTER_UNIT, COUNTER_UNIT_BYTES));
	trace_end(&o->trace, pb_end(track, p));
}

static void put_value(struct perfetto *o, u64 ns, u64 uuid, s64 value)
{
	u8 *event = pb_begin(perfetto_event(o, ns), PACKET_TRACK_EVENT), *p;

	p = pb_uint(event, TRACK_EVENT_TYPE, TYPE_COUNTER);
	p = pb_uint(p, TRACK_EVENT_UUID, uuid);
	trace_end(&o->trace, pb_end(event, pb_uint(p, TRACK_EVENT_COUNTER, value)));
}

static void put_process_track(struct perfetto *o, const struct perfetto_process *process)
{
	u64 uuid = perfetto_uuid(o, process->id, PERFETTO_TRACK_PROCESS);
	u8 *track, *part, *p;

	track = pb_begin(perfetto_event(o, o->world->ns), PACKET_TRACK_DESCRIPTOR);
	part = pb_begin(pb_uint(track, TRACK_UUID, uuid), TRACK_PROCESS);
	p = pb_end(part, pb_uint(part, TRACK_PROCESS_PID, process->pid));
	trace_end(&o->trace, pb_end(track, p));
	put_counter(o, perfetto_uuid(o, process->id, PERFETTO_TRACK_MAPPED), uuid, "mapped memory");
}

static void mapped(struct perfetto *o, const struct world_task *task, u64 ns, u64 bytes)
{
	struct perfetto_process *process = task ? idmap_ptr(&o->processes, task->tgid) : NULL;

	if (!process)
		return;
	if (!process->counted)
		put_process_track(o, process);
	process->counted = true;
	put_value(o, ns, perfetto_uuid(o, process->id, PERFETTO_TRACK_MAPPED), bytes);
}

static void on_mapped(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	mapped(data, it->owner, it->ns, it->mm->bytes);
}

static void on_assign(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	if (it->mm)
		mapped(data, it->task, it->ns, it->mm->bytes);
}

static void cached(struct perfetto *o, enum perfetto_cache cache, u64 ns, s64 bytes)
{
	static const char *const names[] = {
		[PERFETTO_CACHE_FILES] = "page cache of files, since the beginning",
		[PERFETTO_CACHE_DEVICES] = "page cache of block devices, since the beginning",
	};
	u64 uuid = perfetto_uuid(o, cache, PERFETTO_TRACK_CACHED);
	struct perfetto_count *count = &o->caches[cache];

	if (!count->tracked)
		put_counter(o, uuid, 0, names[cache]);
	count->tracked = true;
	count->bytes += bytes;
	put_value(o, ns, uuid, count->bytes);
}

#define ON_PAGES(event, cache, sign)							\
static void on_##event(void *data, const struct hook_ctx *ctx)				\
{											\
	const struct world_item *it = ctx->item;					\
	const struct ovnik_##event *rec = it->rec;					\
	struct perfetto *o = data;							\
	s64 bytes = world_page_size(o->world) << rec->order;				\
											\
	cached(o, PERFETTO_CACHE_##cache, it->ns, sign bytes);				\
}

ON_PAGES(page_add, FILES, +)
ON_PAGES(page_remove, FILES, -)
ON_PAGES(buffer_add, DEVICES, +)
ON_PAGES(buffer_remove, DEVICES, -)

int perfetto_attach_counters(struct perfetto *o)
{
	static const struct hook_use hooks[] = {
		{ WORLD_MM_MAP, on_mapped },
		{ WORLD_MM_UNMAP, on_mapped },
		{ WORLD_MM_REMAP, on_mapped },
		{ WORLD_MM_DUP, on_mapped },
		{ WORLD_VMA_DUMP, on_mapped },
		{ WORLD_MM_ASSIGN, on_assign },
		{ WORLD_PAGE_ADD, on_page_add },
		{ WORLD_PAGE_REMOVE, on_page_remove },
		{ WORLD_BUFFER_ADD, on_buffer_add },
		{ WORLD_BUFFER_REMOVE, on_buffer_remove },
	};

	return hook_attach_all(&o->world->hooks, hooks, ARRAY_SIZE(hooks), o);
}
