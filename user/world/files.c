// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache and files. What is in the page cache, or open, is passed to hooks
 * but not kept: each hook keeps what it needs.
 */
#include "world/doubt.h"
#include "world/pages.h"
#include "world/records.h"
#include "world/world_priv.h"

static bool page_possible(struct world *w, u16 order, u64 pfn)
{
	if (world_pages_possible(w, order, pfn))
		return true;
	w->stats.ranges++;
	return false;
}

#define PAGE_RECORD(event, position)					\
int world_##event(struct world *w, struct world_cpu *cpu, struct world_item *it) \
{									\
	const struct ovnik_##event *rec = it->rec;			\
									\
	it->task = cpu->running;					\
	if (page_possible(w, rec->order, rec->pfn))			\
		world_notify(w, position, it);				\
	return 0;							\
}

PAGE_RECORD(page_add, WORLD_PAGE_ADD)
PAGE_RECORD(page_remove, WORLD_PAGE_REMOVE)
PAGE_RECORD(buffer_add, WORLD_BUFFER_ADD)
PAGE_RECORD(buffer_remove, WORLD_BUFFER_REMOVE)

static int note_file(struct world *w, const struct world_item *it, int ret,
		     enum world_position position)
{
	if (!ret && it->task)
		world_notify(w, position, it);
	return ret;
}

#define FILE_RECORD(event, get, position)				\
int world_##event(struct world *w, struct world_cpu *cpu, struct world_item *it) \
{									\
	const struct ovnik_##event *rec = it->rec;			\
									\
	return note_file(w, it, world_##get##_get(w, cpu, rec->tid, &it->task), position); \
}

int world_file_begin(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_file_begin *rec = it->rec;
	int ret = world_current_get(w, cpu, rec->tid, &it->task);

	if (!ret && it->task)
		world_acts(w, cpu, it->task);
	return note_file(w, it, ret, WORLD_IO_BEGIN);
}

/*
 * A request of io_uring ends on any CPU: its record names the task whose it is. That of aio ends
 * whatever the task does.
 */
#define REQUEST_RECORD(event, position)					\
int world_##event(struct world *w, struct world_cpu *cpu, struct world_item *it) \
{									\
	const struct ovnik_##event *rec = it->rec;			\
	int ret = rec->op == OVNIK_OP_URING ?				\
		  world_task_get(w, cpu, rec->tid, &it->task) :		\
		  world_current_get(w, cpu, rec->tid, &it->task);	\
									\
	if (!ret && it->task && rec->op != OVNIK_OP_URING && rec->op != OVNIK_OP_AIO) \
		world_acts(w, cpu, it->task);				\
	return note_file(w, it, ret, position);				\
}

FILE_RECORD(file_open, current, WORLD_FILE_OPEN)
FILE_RECORD(file_close, current, WORLD_FILE_CLOSE)
FILE_RECORD(dump_file, dumped, WORLD_FILE_DUMP)
REQUEST_RECORD(file_read, WORLD_IO_READ)
REQUEST_RECORD(file_write, WORLD_IO_WRITE)
FILE_RECORD(file_truncate, current, WORLD_FILE_TRUNCATE)
FILE_RECORD(file_rename, current, WORLD_FILE_RENAME)

int world_file_delete(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	it->task = cpu->running;
	world_notify(w, WORLD_FILE_DELETE, it);
	return 0;
}
