// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls on files, and page faults.
 *
 * Some ends are not recorded: they are missing, or there is no record of them (see
 * page_fault_end in events.rst). Such a call or fault ends, marked uncertain, when it was last
 * known to go on: when the thread got its CPU, or else when it began.
 */
#include "tasks/thread_state.h"
#include "util/errno_name.h"
#include "world/sight.h"
#include "world/why.h"

#define CALL_NAME(id, number, label)	[number] = label,

static const char *const call_names[] = {
	OVNI_FILE_CALL_TABLE(CALL_NAME)
	[OVNIK_OP_AIO] = TASKS_CALL_AIO,
	[OVNIK_OP_URING] = TASKS_CALL_URING,
};

#define FAULT_NAME(id, number, label)	[number] = label,

static const char *const fault_names[] = {
	[0] = TASKS_FAULT_UNKNOWN,
	OVNI_FAULT_TABLE(FAULT_NAME)
};

#define MEMORY_TEXT(kind, text, sentence)	text,
#define MEMORY_OF(kind, text, sentence)		case kind: return TRACE_MEMORY_##kind;

const char *const tasks_memory_texts[TRACE_NR_MEMORY] = {
	TASKS_MAPPINGS(MEMORY_TEXT)
	[TRACE_MEMORY_UNMAPPED] = "(nothing is mapped there)",
	[TRACE_MEMORY_UNKNOWN] = "not known",
};

static const char *name_of(u16 op)
{
	if (op < ARRAY_SIZE(call_names) && call_names[op])
		return call_names[op];
	return call_names[OVNI_FILE_CALL_OTHER];
}

/* A thread does something. */
static struct tasks_thread *acting(struct tasks *t, const struct world_item *it)
{
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th)
		return NULL;
	th->half = 0;
	return th;
}

/* Of what the statedump found, and its copies, the kind is known if it is a file or a stack. */
static enum trace_memory memory_of(u32 kind)
{
	switch (kind) {
	TASKS_MAPPINGS(MEMORY_OF)
	}
	return TRACE_MEMORY_OVNIK_MAP_MMAP;
}

/* What is mapped where a fault is? */
static void look(struct trace_task *fault, const struct world_task *task)
{
	const struct mm_vma *vma = task->space ? mm_find(task->space, fault->address) : NULL;

	if (!vma || vma->start > fault->address)
		return;
	fault->memory = memory_of(vma->what.kind);
	if (vma->what.kind == MM_KIND_FILE)
		fault->file = (struct trace_file)FILE_OF(&vma->what);
}

static void locate(const struct tasks *t, struct trace_task *fault, const struct world_item *it)
{
	const struct ovnik_page_fault *rec = it->rec;

	fault->address = rec->address;
	fault->memory = TRACE_MEMORY_UNKNOWN;
	if (t->kinds & TASKS_MEMORY)
		look(fault, it->task);
}

/* A stack grows during the fault. */
static void locate_late(struct trace_task *fault, const struct world_task *task)
{
	/* Of another user's process, in a private capture, where it was is not known. */
	if (fault->address == OVNIK_NO_ADDRESS)
		return;
	look(fault, task);
	if (fault->memory == TRACE_MEMORY_UNKNOWN && fault->result == OVNIK_FAULT_FAILED)
		fault->memory = TRACE_MEMORY_UNMAPPED;
}

static void begin_part(struct tasks *t, struct tasks_thread *th, struct tasks_part *part,
		       enum tasks_kind kind, u32 code, const char *what,
		       const struct world_item *it)
{
	tasks_begin_of(t, th, &part->task, kind, it);
	part->task.code = code;
	part->task.what = what;
	part->added = 0;
	part->asked = false;
	part->slept = false;
	part->certain = t->no_adds ? 0 : t->adds_gaps;
	if (kind == TASKS_FAULT)
		locate(t, &part->task, it);
	tasks_start(t, &part->task);
}

static void on_fault_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault *rec = it->rec;
	struct tasks *t = data;
	struct tasks_thread *th = acting(t, it);
	u8 access = ovni_why_fault(rec->error);

	if (!th)
		return;
	tasks_part_unseen(t, th, &th->fault);
	begin_part(t, th, &th->fault, TASKS_FAULT, access, fault_names[access], it);
}

/* Is this the end of what has ended uncertain before? */
static bool is_resumed(const struct tasks_thread *th, const struct trace_task *last,
		       enum tasks_kind kind, const char *what)
{
	return last->flags & TRACE_UNCERTAIN && last->thread_task == th->task.id &&
	       (kind == TASKS_FAULT || last->what == what);
}

/* Only its end is known. */
static void begin_late(struct tasks *t, struct tasks_thread *th, struct tasks_part *part,
		       enum tasks_kind kind, u32 code, const char *what, u16 flags,
		       const struct world_item *it)
{
	if (flags & TRACE_EARLY && is_resumed(th, &part->task, kind, what))
		flags |= TRACE_RESUMED;
	tasks_begin_of(t, th, &part->task, kind, it);
	part->task.code = code;
	part->task.what = what;
	part->task.flags = flags;
	part->added = 0;
	part->slept = true;
	part->task.address = OVNIK_NO_ADDRESS;
	part->task.memory = TRACE_MEMORY_UNKNOWN;
	tasks_start(t, &part->task);
}

static const char *result_of(u16 result)
{
	if (result == OVNIK_FAULT_MINOR)
		return "minor";
	return result == OVNIK_FAULT_MAJOR ? "major" : "failed";
}

static void on_fault_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault_end *rec = it->rec;
	struct tasks *t = data;
	struct tasks_thread *th = acting(t, it);

	if (!th)
		return;
	if (!th->fault.task.id)
		begin_late(t, th, &th->fault, TASKS_FAULT, 0, fault_names[0], TRACE_EARLY, it);
	th->fault.task.result = rec->result;
	if (t->kinds & TASKS_MEMORY && th->fault.task.memory == TRACE_MEMORY_UNKNOWN)
		locate_late(&th->fault.task, it->task);
	if (tasks_tag_wanted(t, &th->fault.task))
		tasks_tag(t, &th->fault.task, it->ns, "%s", result_of(rec->result));
	tasks_part_end(t, th, &th->fault, it->ns, 0);
}

static void on_io_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_begin *rec = it->rec;
	struct tasks *t = data;
	struct tasks_thread *th = acting(t, it);

	if (!th)
		return;
	tasks_part_unseen(t, th, &th->fault);
	tasks_part_unseen(t, th, &th->call);
	begin_part(t, th, &th->call, TASKS_CALL, rec->op, name_of(rec->op), it);
}

static bool is_same_file(const struct trace_file *a, const struct trace_file *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation;
}

/*
 * Did a read hit the page cache? It missed if it added pages itself. It hit if it added
 * none and did not sleep for a disk, as a direct read does.
 */
static enum trace_cache cache_of(const struct tasks *t, const struct tasks_part *call)
{
	u32 op = call->task.code;

	if (op != OVNIK_OP_READ && op != OVNIK_OP_PREAD && op != OVNIK_OP_READV &&
	    op != OVNIK_OP_PREADV)
		return TRACE_CACHE_NONE;
	if (call->added)
		return is_same_file(&call->file, &call->task.file) ? TRACE_CACHE_MISS :
		       TRACE_CACHE_NONE;
	if (call->slept || !t->world->switching || !(t->world->has & EV_BIT(page_add)) ||
	    call->certain != t->adds_gaps)
		return TRACE_CACHE_NONE;
	return call->task.result > 0 ? TRACE_CACHE_HIT : TRACE_CACHE_NONE;
}

static void tag_call(struct tasks *t, const struct trace_task *call, u64 ns)
{
	const char *error = NULL;
	s64 result = call->result;

	if (result < 0)
		error = errno_name(-result);
	if (error)
		tasks_tag(t, call, ns, "error: %s", error);
	else if (result < 0)
		tasks_tag(t, call, ns, "error: %lld", -result);
	if (call->cache)
		tasks_tag(t, call, ns, "cache %s", call->cache == TRACE_CACHE_HIT ? "hit" : "miss");
}

static void end_call(struct tasks *t, struct tasks_thread *th, struct tasks_part *call, bool write,
		     s32 result, const struct trace_file *file, u64 ns)
{
	call->task.write = write;
	call->task.file = *file;
	call->task.result = result;
	call->task.bytes = result > 0 ? result : 0;
	call->task.cache = cache_of(t, call);
	if (tasks_tag_wanted(t, &call->task))
		tag_call(t, &call->task, ns);
	tasks_part_end(t, th, call, ns, 0);
}

/* It began at another time, and its thread may be anywhere now. */
static void complete(struct tasks *t, u16 op, bool write, s32 result,
		     const struct trace_file *file, const struct world_item *it)
{
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);
	struct tasks_part call = { 0 };

	if (!th)
		return;
	begin_late(t, th, &call, TASKS_CALL, op, name_of(op), TRACE_EARLY, it);
	end_call(t, th, &call, write, result, file, it->ns);
}

/* A call that reads one file and writes another is two; the second takes no time. */
static bool has_halves(u16 op)
{
	return op == OVNIK_OP_SENDFILE || op == OVNIK_OP_SPLICE || op == OVNIK_OP_COPY;
}

static void on_io(struct tasks *t, const struct world_item *it, u16 op, bool write, s32 result,
		  const struct trace_file *file)
{
	struct tasks_thread *th;
	u16 half;

	if (op == OVNIK_OP_AIO || op == OVNIK_OP_URING) {
		complete(t, op, write, result, file, it);
		return;
	}
	th = it->task->tid ? t->slots[it->task->tid].thread : NULL;
	half = th ? th->half : 0;
	th = acting(t, it);
	if (!th)
		return;
	tasks_part_unseen(t, th, &th->fault);
	/* The end of that one and the beginning of this one are missing. */
	if (th->call.task.code != op)
		tasks_part_unseen(t, th, &th->call);
	if (!th->call.task.id)
		begin_late(t, th, &th->call, TASKS_CALL, op, name_of(op),
			   half && write && half == op ? 0 : TRACE_EARLY, it);
	end_call(t, th, &th->call, write, result, file, it->ns);
	th->half = !write && has_halves(op) ? op : 0;
}

static void on_read(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_read *rec = it->rec;
	const struct trace_file file = FILE_OF(rec);

	on_io(data, it, rec->op, false, rec->result, &file);
}

static void on_write(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_write *rec = it->rec;
	const struct trace_file file = FILE_OF(rec);

	on_io(data, it, rec->op, true, rec->result, &file);
}

static void on_cow(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th)
		return;
	th->fault.task.cows++;
	if (tasks_tag_wanted(t, &th->fault.task))
		tasks_tag(t, &th->fault.task, it->ns, "COW break");
}

/* A thread adds pages to the page cache: its call or fault is the cause. */
static void on_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = it->rec;
	const struct trace_file file = FILE_OF(rec);
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);
	struct tasks_part *part = th ? tasks_part_of(th) : NULL;

	if (!part)
		return;
	if (!part->added || part->asked)
		part->added = it->ns;
	part->asked = false;
	part->file = file;
}

/* What is not recorded of a CPU from now on. */
static void look_away(struct tasks *t, struct tasks_cpu *cpu, bool no_adds)
{
	t->no_adds += no_adds - cpu->no_adds;
	t->adds_gaps += no_adds;
	cpu->no_adds = no_adds;
}

static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	look_away(data, tasks_cpu_of(data, it->cpu), sight_hides(it->gap, EV_BIT(page_add)));
}

static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	look_away(data, tasks_cpu_of(data, it->cpu), false);
}

int tasks_call_attach(struct tasks *t)
{
	const u32 calls = KIND_BIT(CALL) | KINDS_REQ | KIND_BIT(PAGE);
	const u32 faults = KIND_BIT(FAULT) | KINDS_REQ | KIND_BIT(PAGE);
	const struct tasks_hook hooks[] = {
		{ WORLD_FAULT_BEGIN, on_fault_begin, faults },
		{ WORLD_FAULT_END, on_fault_end, faults },
		{ WORLD_IO_BEGIN, on_io_begin, calls },
		{ WORLD_IO_READ, on_read, calls },
		{ WORLD_IO_WRITE, on_write, calls },
		{ WORLD_COW_BREAK, on_cow, KIND_BIT(FAULT) },
		{ WORLD_PAGE_ADD, on_add, KIND_BIT(CALL) | KIND_BIT(FAULT) | KINDS_REQ },
		{ WORLD_GAP_BEGIN, on_gap_begin, KIND_BIT(CALL) },
		{ WORLD_GAP_END, on_gap_end, KIND_BIT(CALL) },
	};

	t->adds_gaps = 1;
	return tasks_attach(t, hooks, ARRAY_SIZE(hooks));
}
