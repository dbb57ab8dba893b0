// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: which tasks have them, and what is mapped there. */
#include <errno.h>
#include <string.h>

#include "world/doubt.h"
#include "world/records.h"
#include "world/world_priv.h"

static void set_pgd(struct world_mm *mm, u64 pgd)
{
	if (pgd)
		mm->pgd = pgd;
}

void world_mm_leave(struct world *w, struct world_task *task)
{
	struct world_mm *mm = task->space;

	task->mm = 0;
	task->mm_epoch = 0;
	task->pgd = 0;
	if (!mm)
		return;
	task->space = NULL;
	*task->mm_link = task->mm_next;
	if (task->mm_next)
		task->mm_next->mm_link = task->mm_link;
	/* Its end may come later, or not be recorded. */
	if (!--mm->nr_users && (w->mm_exits_lost || !w->mm_exits))
		mm_free(&w->mms, mm);
}

int world_mm_join(struct world *w, struct world_task *task, u64 id, u64 pgd)
{
	struct world_mm *mm;

	if (task->mm != id)
		world_mm_leave(w, task);
	if (!id)
		return 0;
	mm = mm_get(&w->mms, id);
	if (!mm)
		return -ENOMEM;
	set_pgd(mm, pgd);
	task->mm = id;
	task->pgd = mm->pgd;
	if (task->space)
		return 0;
	task->space = mm;
	task->mm_next = mm->users;
	task->mm_link = &mm->users;
	if (mm->users)
		mm->users->mm_link = &task->mm_next;
	mm->users = task;
	mm->nr_users++;
	mm->assigned = true;
	return 0;
}

/* A task that maps in an address space without a known owner owns it. */
static int learn(struct world *w, struct world_item *it)
{
	if (!it->task->tid || it->task->space == it->mm || (it->task->mm && it->mm->users))
		return 0;
	return world_mm_join(w, it->task, it->mm->id, 0);
}

/* Find the task that changed an address space. */
static int begin(struct world *w, struct world_cpu *cpu, struct world_item *it, u32 tid, u64 mm)
{
	bool dump = it->event == OVNIK_EV_dump_mm || it->event == OVNIK_EV_dump_vma;
	int ret;

	if (!mm) {
		w->stats.ranges++;
		return 0;
	}
	ret = dump ? world_dumped_get(w, cpu, tid, &it->task) :
		     world_current_get(w, cpu, tid, &it->task);
	if (ret || !it->task)
		return ret;
	it->mm = mm_get(&w->mms, mm);
	return it->mm ? 0 : -ENOMEM;
}

/*
 * Likewise for a range, which is valid only if the page size divides its start and end.
 * A task does so only to its @own address space.
 */
static inline int begin_range(struct world *w, struct world_cpu *cpu, struct world_item *it,
			      const struct world_range *range, u32 tid, u64 mm, bool own)
{
	u64 within = world_page_size(w) - 1;
	int ret;

	if (range->end <= range->start || range->start & within || range->end & within) {
		w->stats.ranges++;
		return 0;
	}
	it->range = range;
	ret = begin(w, cpu, it, tid, mm);
	return ret || !it->mm || !own ? ret : learn(w, it);
}

static void emit(struct world *w, struct world_item *it, enum world_position position)
{
	it->owner = it->task->space == it->mm ? it->task : it->mm->users;
	world_notify(w, position, it);
}

static int map(struct world *w, struct world_item *it, enum world_position position)
{
	const struct world_range *range = it->range;
	int ret = mm_map(it->mm, range->start, range->end, &range->what);

	if (!ret)
		emit(w, it, position);
	return ret;
}

/* Some memory has a kernel-internal file without a device; its name says what it is for. */
static u32 kind_of(const struct mm_attrs *what, const char *path)
{
	if (!mm_has_file(what) || !*path)
		return what->flags & OVNIK_VMA_GROWSDOWN ? OVNIK_MAP_STACK : MM_KIND_UNKNOWN;
	if (OVNIK_DEV_MAJOR(what->dev))
		return MM_KIND_FILE;
	if (!strncmp(path, "/SYSV", 5))
		return MM_KIND_SHM;
	if (!strcmp(path, "/dev/zero (deleted)") || !strcmp(path, "/anon_hugepage (deleted)"))
		return OVNIK_MAP_MMAP;
	return MM_KIND_FILE;
}

/* A file is mapped. */
static int map_file(struct world *w, struct world_cpu *cpu, struct world_item *it,
		    struct world_range *range, u32 tid, u64 mm, bool own,
		    enum world_position position)
{
	int ret;

	range->what.kind = kind_of(&range->what, range->path);
	ret = begin_range(w, cpu, it, range, tid, mm, own);
	return ret || !it->mm ? ret : map(w, it, position);
}

/* The fields for the range, and those for the part of a file. */
#define WHERE_OF(rec)	.start = (rec)->start, .end = (rec)->start + (rec)->length
#define FILE_OF(rec) {								\
	.offset = (rec)->offset,						\
	.ino = (rec)->ino,							\
	.dev = (rec)->dev,							\
	.generation = (rec)->generation,					\
	.flags = (rec)->flags,							\
}

#define FILE_RECORD(event, own, position)					\
int world_##event(struct world *w, struct world_cpu *cpu, struct world_item *it) \
{										\
	const struct ovnik_##event *rec = it->rec;				\
	struct world_range range = {						\
		WHERE_OF(rec), .what = FILE_OF(rec), .path = rec->path,		\
	};									\
										\
	return map_file(w, cpu, it, &range, rec->tid, rec->mm, own, position);	\
}

FILE_RECORD(mmap_file, true, WORLD_MM_MAP)
FILE_RECORD(mremap, true, WORLD_MM_REMAP)
FILE_RECORD(dump_vma, false, WORLD_VMA_DUMP)

int world_mmap_anon(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_mmap_anon *rec = it->rec;
	struct world_range range = { WHERE_OF(rec), .what = FILE_OF(rec) };
	/* exec makes the new image's stack while the task still has the old image. */
	bool stack = rec->kind == OVNIK_MAP_STACK || rec->kind == OVNIK_MAP_GROWTH;
	int ret;

	range.what.kind = stack ? OVNIK_MAP_STACK : rec->kind;
	ret = begin_range(w, cpu, it, &range, rec->tid, rec->mm, !stack);
	return ret || !it->mm ? ret : map(w, it, WORLD_MM_MAP);
}

int world_shm_attach(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_shm_attach *rec = it->rec;
	const struct world_range range = {
		WHERE_OF(rec),
		.what = {
			.ino = rec->shmid, .dev = rec->dev, .flags = rec->flags,
			.kind = MM_KIND_SHM,
		},
	};
	int ret = begin_range(w, cpu, it, &range, rec->tid, rec->mm, true);

	return ret || !it->mm ? ret : map(w, it, WORLD_MM_MAP);
}

int world_munmap(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_munmap *rec = it->rec;
	const struct world_range range = { WHERE_OF(rec) };
	int ret = begin_range(w, cpu, it, &range, rec->tid, rec->mm, true);

	if (!ret && it->mm)
		ret = mm_unmap(it->mm, range.start, range.end);
	if (!ret && it->mm)
		emit(w, it, WORLD_MM_UNMAP);
	return ret;
}

int world_mprotect(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_mprotect *rec = it->rec;
	const struct world_range range = { WHERE_OF(rec), .what = { .flags = rec->flags } };
	int ret = begin_range(w, cpu, it, &range, rec->tid, rec->mm, true);

	if (!ret && it->mm)
		ret = mm_protect(it->mm, range.start, range.end, rec->flags);
	/* Damage: the kernel has a record for each range. */
	if (ret == -E2BIG) {
		w->stats.ranges++;
		ret = 0;
	}
	if (!ret && it->mm)
		emit(w, it, WORLD_MM_PROTECT);
	return ret;
}

int world_madvise_dontneed(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_madvise_dontneed *rec = it->rec;
	int ret = begin(w, cpu, it, rec->tid, rec->mm);

	if (!ret && it->mm)
		emit(w, it, WORLD_MM_DONTNEED);
	return ret;
}

int world_vma_dup(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_vma_dup *rec = it->rec;
	struct world_range range = { WHERE_OF(rec), .what = FILE_OF(rec) };
	struct world_mm *source;
	int ret;

	range.what.kind = mm_has_file(&range.what) ? MM_KIND_FILE : MM_KIND_UNKNOWN;
	ret = begin_range(w, cpu, it, &range, rec->tid, rec->mm, false);
	if (ret || !it->mm)
		return ret;
	source = rec->source_mm ? mm_get(&w->mms, rec->source_mm) : NULL;
	if (!source) {
		w->stats.ranges++;
		return rec->source_mm ? -ENOMEM : 0;
	}
	/* Damage: nobody copies ranges from what they walk through. */
	if (source == it->mm) {
		w->stats.ranges++;
		return 0;
	}
	it->source = source;
	return map(w, it, WORLD_MM_DUP);
}

/*
 * Of an address space that nobody has: unless its task has just been seen to get another,
 * in an exec while the statedump was at the old one.
 */
static bool dump_assigns(const struct world *w, const struct world_item *it)
{
	const struct world_task *task = it->task;

	if (!task->tid || it->mm->users)
		return false;
	return !task->mm_epoch || task->mm_epoch != w->mm_epoch + 1;
}

int world_dump_mm(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_dump_mm *rec = it->rec;
	int ret = begin(w, cpu, it, rec->tid, rec->mm);

	if (ret || !it->mm)
		return ret;
	set_pgd(it->mm, rec->pgd);
	it->moved = dump_assigns(w, it);
	if (it->moved)
		ret = world_mm_join(w, it->task, rec->mm, rec->pgd);
	if (ret)
		return ret;
	mm_clear(it->mm);
	emit(w, it, WORLD_MM_DUMP);
	return 0;
}

int world_mm_exit(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_mm_exit *rec = it->rec;

	(void)cpu;
	it->mm = rec->mm ? mm_lookup(&w->mms, rec->mm) : NULL;
	w->mm_exits++;
	world_notify(w, WORLD_MM_EXIT, it);
	if (!it->mm)
		return 0;
	/* The last task that leaves must not free it: this function does. */
	it->mm->nr_users++;
	while (it->mm->users)
		world_mm_leave(w, it->mm->users);
	mm_free(&w->mms, it->mm);
	return 0;
}

int world_cow_break(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_cow_break *rec = it->rec;
	int ret = begin(w, cpu, it, rec->tid, rec->mm);

	if (!ret && it->mm)
		emit(w, it, WORLD_COW_BREAK);
	return ret;
}

int world_page_fault(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_page_fault *rec = it->rec;
	int ret = world_current_get(w, cpu, rec->tid, &it->task);

	if (ret || !it->task)
		return ret;
	world_acts(w, cpu, it->task);
	world_notify(w, WORLD_FAULT_BEGIN, it);
	return ret;
}

int world_page_fault_end(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_page_fault_end *rec = it->rec;
	int ret = world_current_get(w, cpu, rec->tid, &it->task);

	if (ret || !it->task)
		return ret;
	world_acts(w, cpu, it->task);
	world_notify(w, WORLD_FAULT_END, it);
	return ret;
}
