// SPDX-License-Identifier: GPL-2.0-only
/* Memory, page cache and files as marks: see activity.h. */
#include <stddef.h>

#include "output/ovni/activity.h"
#include "output/ovni/row.h"
#include "world/pages.h"
#include "world/sight.h"
#include "world/why.h"

#define BIT_OF(what)	(1U << (what))

static void add_mark(struct ovni_translate *t, struct row *row, char how, enum ovni_activity what,
		     s64 value)
{
	if (unlikely(t->mark_of[what] < 0))
		return;
	t->marks |= BIT_OF(what);
	row_add_mark(row, how, t->mark_of[what], value);
}

static inline void pop(struct ovni_translate *t, struct row *row, enum ovni_activity what, u8 *open)
{
	if (*open)
		add_mark(t, row, ']', what, *open);
	*open = 0;
}

void ovni_activity_pop(struct ovni_translate *t, struct ovni_doing *doing, struct row *row)
{
	pop(t, row, OVNI_ACTIVITY_FAULT, &doing->fault);
	pop(t, row, OVNI_ACTIVITY_FILE_CALL, &doing->call);
}

void ovni_activity_off_cpu(struct ovni_translate *t, u32 thread, u32 reason, bool ends, u64 ns)
{
	struct ovni_thread_state *state = &t->threads[thread];
	struct row row;

	row_begin(&row, clock_of(t, ovni_wait_later(&state->wait, ns)));
	row_add_back(&row);
	ovni_wait_over(t, thread, row.clock);
	if (ends)
		ovni_activity_pop(t, &state->doing, &row);
	row_add_pause(&row, OVNI_OFF, reason);
	ovni_row_send(t, &row, thread);
}

/* What it is in ends, wherever it is. */
static void pop_anywhere(struct ovni_translate *t, u32 thread, const struct world_task *task,
			 u64 ns)
{
	struct ovni_thread_state *state = &t->threads[thread];
	struct row row;

	if (!state->doing.fault && !state->doing.call)
		return;
	if (state->cpu < 0) {
		ovni_activity_off_cpu(t, thread, task->cpu < 0 ? OVNI_OFFCPU_LOST :
				      OVNI_OFFCPU_UNKNOWN, true, ns);
		return;
	}
	row_begin(&row, clock_of(t, ns));
	ovni_activity_pop(t, &state->doing, &row);
	ovni_row_send(t, &row, thread);
}

/* Behind the last event of all, and the next one comes later. */
static inline u64 own_clock(struct ovni_translate *t, u64 ns)
{
	return clock_of(t, ns > t->now ? ns : t->now + 1);
}

static inline void keep_clock(struct ovni_translate *t)
{
	t->now++;
}

/* A count grows; the row, which must begin with this, is not sent. */
static void grow(struct ovni_translate *t, struct row *row, struct ovni_doing *doing,
		 enum ovni_activity what, u64 by, u64 ns)
{
	row_begin(row, own_clock(t, ns));
	doing->count[what] += by;
	add_mark(t, row, '=', what, doing->count[what]);
}

static void count_now(struct ovni_translate *t, u32 thread, enum ovni_activity what, u64 by,
		      u64 ns)
{
	struct row row;

	grow(t, &row, &t->threads[thread].doing, what, by, ns);
	ovni_row_send(t, &row, thread);
	keep_clock(t);
}

static void count(struct ovni_translate *t, u32 thread, enum ovni_activity what, u64 by, u64 ns)
{
	struct ovni_thread_state *state = &t->threads[thread];

	if (likely(state->cpu >= 0)) {
		count_now(t, thread, what, by, ns);
		return;
	}
	state->doing.count[what] += by;
	state->doing.pending |= BIT_OF(what);
}

void ovni_activity_settle(struct ovni_translate *t, u32 thread)
{
	struct ovni_doing *doing = &t->threads[thread].doing;

	while (doing->pending) {
		enum ovni_activity what = __builtin_ctz(doing->pending);

		doing->pending &= ~BIT_OF(what);
		count_now(t, thread, what, 0, t->now);
	}
}

static void put_mapped(struct ovni_translate *t, u32 thread, const struct world_task *task,
		       u64 ns)
{
	struct ovni_doing *doing = &t->threads[thread].doing;
	u64 kib = task->space ? task->space->bytes >> 10 : 0;
	struct row row;

	/* A mark's value is never 0: a thread that lost its address space keeps the last one. */
	if (!kib || kib == doing->kib)
		return;
	doing->kib = kib;
	row_begin(&row, clock_of(t, ns));
	add_mark(t, &row, '=', OVNI_ACTIVITY_MAPPED, kib);
	ovni_row_send(t, &row, thread);
}

void ovni_activity_resume(struct ovni_translate *t, u32 thread, const struct world_task *task)
{
	struct ovni_doing *doing = &t->threads[thread].doing;

	put_mapped(t, thread, task, t->now);
	if (doing->pending)
		ovni_activity_settle(t, thread);
}

static void on_doubt(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread >= 0)
		pop_anywhere(t, thread, it->task, it->ns);
}

/* Something ends while its thread is not known to be on a CPU. */
static bool end_off_cpu(struct ovni_translate *t, u32 thread, const struct world_item *it)
{
	if (t->threads[thread].cpu >= 0)
		return false;
	pop_anywhere(t, thread, it->task, it->ns);
	return true;
}

/* Something begins in which the state with this value is @open. */
static void begin(struct ovni_translate *t, struct row *row, u32 thread, enum ovni_activity what,
		  u8 *open, u8 value)
{
	*open = value;
	add_mark(t, row, '[', what, value);
	ovni_row_send(t, row, thread);
}

static void on_fault_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault *rec = it->rec;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);
	struct ovni_thread_state *state;
	struct row row;

	if (thread < 0)
		return;
	state = &t->threads[thread];
	if (state->cpu < 0) {
		t->unplaced++;
		return;
	}
	row_begin(&row, clock_of(t, it->ns));
	pop(t, &row, OVNI_ACTIVITY_FAULT, &state->doing.fault);
	begin(t, &row, thread, OVNI_ACTIVITY_FAULT, &state->doing.fault,
	      ovni_why_fault(rec->error));
}

static enum ovni_activity result_of(u16 result)
{
	if (result == OVNIK_FAULT_MINOR)
		return OVNI_ACTIVITY_FAULTS_MINOR;
	return result == OVNIK_FAULT_MAJOR ? OVNI_ACTIVITY_FAULTS_MAJOR :
	       OVNI_ACTIVITY_FAULTS_FAILED;
}

static void on_fault_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault_end *rec = it->rec;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);
	struct ovni_thread_state *state;
	struct row row;

	if (thread < 0)
		return;
	state = &t->threads[thread];
	if (end_off_cpu(t, thread, it)) {
		count(t, thread, result_of(rec->result), 1, it->ns);
		return;
	}
	grow(t, &row, &state->doing, result_of(rec->result), 1, it->ns);
	pop(t, &row, OVNI_ACTIVITY_FAULT, &state->doing.fault);
	ovni_row_send(t, &row, thread);
	keep_clock(t);
}

static void on_io_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_begin *rec = it->rec;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);
	struct ovni_thread_state *state;
	struct row row;

	if (thread < 0)
		return;
	state = &t->threads[thread];
	if (state->cpu < 0) {
		t->unplaced++;
		return;
	}
	row_begin(&row, clock_of(t, it->ns));
	ovni_activity_pop(t, &state->doing, &row);
	begin(t, &row, thread, OVNI_ACTIVITY_FILE_CALL, &state->doing.call,
	      ovni_why_call(rec->op));
}

/* The end of a system call; its page fault has ended, too. */
static void call_end(struct ovni_translate *t, u32 thread, enum ovni_activity what, s32 bytes,
		     const struct world_item *it)
{
	struct ovni_thread_state *state = &t->threads[thread];
	struct row row;

	if (end_off_cpu(t, thread, it)) {
		if (bytes > 0)
			count(t, thread, what, bytes, it->ns);
		return;
	}
	row_begin(&row, clock_of(t, it->ns));
	if (bytes > 0)
		grow(t, &row, &state->doing, what, bytes, it->ns);
	ovni_activity_pop(t, &state->doing, &row);
	ovni_row_send(t, &row, thread);
	if (bytes > 0)
		keep_clock(t);
}

static void on_io(struct ovni_translate *t, const struct world_item *it, enum ovni_activity what,
		  u16 op, s32 bytes)
{
	long thread = ovni_thread_of(t, it->task);

	if (thread < 0)
		return;
	if (op != OVNIK_OP_AIO && op != OVNIK_OP_URING)
		call_end(t, thread, what, bytes, it);
	else if (bytes > 0)
		count(t, thread, what, bytes, it->ns);
}

static void on_read(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_read *rec = it->rec;

	on_io(data, it, OVNI_ACTIVITY_BYTES_READ, rec->op, rec->result);
}

static void on_write(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_write *rec = it->rec;

	on_io(data, it, OVNI_ACTIVITY_BYTES_WRITTEN, rec->op, rec->result);
}

static void on_cow(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread >= 0)
		count(t, thread, OVNI_ACTIVITY_COW_BREAKS, 1, it->ns);
}

/* Events without a task are charged to the task running on that CPU. */
static void on_pages(void *data, const struct hook_ctx *ctx)
{
	bool add = ctx->position == WORLD_PAGE_ADD || ctx->position == WORLD_BUFFER_ADD;
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = it->task ? ovni_thread_of(t, it->task) : -1;

	if (thread < 0) {
		t->unplaced++;
		return;
	}
	count(t, thread, add ? OVNI_ACTIVITY_CACHE_ADDS : OVNI_ACTIVITY_CACHE_REMOVES,
	      world_pages(it), it->ns);
}

static void on_mapped(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread;

	if (it->task->space != it->mm)
		return;
	thread = ovni_thread_of(t, it->task);
	if (thread >= 0 && t->threads[thread].cpu >= 0)
		put_mapped(t, thread, it->task, it->ns);
}

#define ON(name)	BIT_OF(OVNI_ACTIVITY_##name)

/* The activities, their hooks, and the records they come from. */
static const struct source {
	enum world_position position;
	hook_fn fn;
	u64 events;
	u32 what;
} sources[] = {
	{ WORLD_FAULT_BEGIN, on_fault_begin, EV_BIT(page_fault), ON(FAULT) },
	{ WORLD_FAULT_END, on_fault_end, EV_BIT(page_fault_end),
	  ON(FAULTS_MINOR) | ON(FAULTS_MAJOR) | ON(FAULTS_FAILED) },
	{ WORLD_IO_BEGIN, on_io_begin, EV_BIT(file_begin), ON(FILE_CALL) },
	{ WORLD_IO_READ, on_read, EV_BIT(file_read), ON(BYTES_READ) },
	{ WORLD_IO_WRITE, on_write, EV_BIT(file_write), ON(BYTES_WRITTEN) },
	{ WORLD_COW_BREAK, on_cow, EV_BIT(cow_break), ON(COW_BREAKS) },
	{ WORLD_PAGE_ADD, on_pages, EV_BIT(page_add), ON(CACHE_ADDS) },
	{ WORLD_PAGE_REMOVE, on_pages, EV_BIT(page_remove), ON(CACHE_REMOVES) },
	{ WORLD_BUFFER_ADD, on_pages, EV_BIT(buffer_add), ON(CACHE_ADDS) },
	{ WORLD_BUFFER_REMOVE, on_pages, EV_BIT(buffer_remove), ON(CACHE_REMOVES) },
	{ WORLD_MM_MAP, on_mapped, EV_BIT(mmap_file) | EV_BIT(mmap_anon) |
	  EV_BIT(shm_attach), ON(MAPPED) },
	{ WORLD_MM_UNMAP, on_mapped, EV_BIT(munmap), ON(MAPPED) },
	{ WORLD_MM_REMAP, on_mapped, EV_BIT(mremap), ON(MAPPED) },
	{ WORLD_DOUBT, on_doubt, 0, 0 },
	/* These are reported only at the next switch. */
	{ WORLD_NR_POSITIONS, NULL, EV_BIT(vma_dup) | EV_BIT(dump_vma), ON(MAPPED) },
};

u32 ovni_activities_of(const u64 *records)
{
	u64 events = 0;
	u32 what = 0;
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		events |= (u64)(records[i] > 0) << i;
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (sources[i].events & events)
			what |= sources[i].what;
	}
	return what;
}

int ovni_activity_attach(struct ovni_translate *t, struct world *w)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(sources) && !ret; i++) {
		if (sources[i].fn)
			ret = hook_attach(&w->hooks, sources[i].position, sources[i].fn, t);
	}
	return ret;
}
