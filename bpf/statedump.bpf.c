// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statedump: synthetic records of what existed before the capture. The programs are
 * iterators; the program that drains the rings reads them in this order:
 *
 *	1. ovnik_dump_tasks	every thread
 *	2. ovnik_dump_vmas	every mapping
 *	3. ovnik_dump_files	every open file, then the end of the dump
 *
 * each until read() returns 0. They return a byte for each object, so that a read() of few
 * bytes does not take many steps; it fails with EAGAIN after many steps without one, and
 * continues when called again. Mappings are walked under mmap_lock, under which they change.
 */
#include "compat.bpf.h"
#include "file.bpf.h"
#include "mm.bpf.h"
#include "path.bpf.h"
#include "ring.bpf.h"
#include "task.bpf.h"

/* For processes whose first thread is gone: the walk has found another thread. */
struct orphan {
	u32	walk;
	u32	tgid;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct orphan);
	__type(value, u8);
} ovnik_orphans SEC(".maps");

/* The reader takes away what was recorded when it has got some of these. */
static __always_inline void tick(const struct bpf_iter_meta *meta)
{
	bpf_seq_write(meta->seq, ".", 1);
}

/* At the first call of a walk. */
static __always_inline void begin_walk(const struct bpf_iter_meta *meta)
{
	if (meta->seq_num)
		return;
	ovnik_dump.walk++;
	ovnik_dump.task = 0;
}

/**
 * struct space - An address space as a record names it.
 * @id:	 its number; 0: none
 * @pgd: frame of the page directory
 * @at:  its address
 */
struct space {
	u64	id;
	u64	pgd;
	u64	at;
};

/* Pointers in memory are compared as numbers. */
static __always_inline u64 mm_now(const struct task_struct *task)
{
	u64 now = 0;

	bpf_core_read(&now, sizeof(now), &task->mm);
	return now;
}

/* Exec and exit may take it away meanwhile: it counts if it is still there afterwards. */
static __always_inline struct space space_of(const struct task_struct *task)
{
	struct space space = {};
	const struct mm_struct *mm;
	int i;

	if (task->flags & PF_KTHREAD)
		return space;
	for (i = 0; i < 4; i++) {
		mm = task->mm;
		space.id = ovnik_mm_id(mm);
		space.pgd = ovnik_mm_pgd(mm);
		space.at = (u64)mm;
		if (mm_now(task) == space.at)
			break;
	}
	return space;
}

SEC("iter/task")
int ovnik_dump_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct ovnik_dump_task *rec;
	struct ovnik_slot slot;
	struct space space;
	bool same;

	if (!ctx->meta->seq_num)
		ovnik_dump.tasks = 0;
	if (!task)
		return 0;
	ovnik_dump.tasks++;
	tick(ctx->meta);
	space = space_of(task);
	rec = ovnik_begin_dump(&slot, dump_task);
	if (!rec)
		return 0;
	ovnik_set_dump_task(rec, task);
	/* The stamp may be later than exec's record of the next one, or than exit's. */
	same = mm_now(task) == space.at;
	rec->mm = same ? space.id : 0;
	rec->pgd = same ? space.pgd : 0;
	ovnik_commit(&slot, dump_task);
	return 0;
}

/*
 * Does a thread represent its process? The first one does, or another one if the first is
 * gone. Threads share their files except after unshare(), and the kernel walks those as
 * well.
 */
static __always_inline bool stands_for_process(const struct task_struct *task)
{
	struct orphan key = { .walk = ovnik_dump.walk, .tgid = task->tgid };
	u8 value = 1;

	if (!task->mm || task->flags & PF_KTHREAD || !ovnik_wanted_tid(task->tgid))
		return false;
	if (task->pid == task->tgid)
		return true;
	return !task->group_leader->mm &&
	       !bpf_map_update_elem(&ovnik_orphans, &key, &value, BPF_NOEXIST);
}

/* Return: 0 not of this task; 1 of it; 2 of it, and the first. */
static __always_inline int look_at(const struct task_struct *task)
{
	/* As a number, like the one in memory. */
	volatile u64 now = (u64)task;

	if (ovnik_dump.task == now)
		return ovnik_dump.wanted;
	ovnik_dump.task = now;
	ovnik_dump.wanted = stands_for_process(task);
	return ovnik_dump.wanted ? 2 : 0;
}

static __always_inline void record_mm(u32 tgid, const struct mm_struct *mm)
{
	struct ovnik_dump_mm *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin_dump(&slot, dump_mm);
	if (!rec)
		return;
	rec->tid = tgid;
	rec->vmas = mm->map_count;
	rec->mm = ovnik_mm_id(mm);
	rec->pgd = ovnik_mm_pgd(mm);
	ovnik_commit(&slot, dump_mm);
}

static __always_inline void record_vma(u32 tgid, const struct vm_area_struct *vma)
{
	const struct file *file = vma->vm_file;
	const struct inode *inode = file ? file->f_inode : NULL;
	struct ovnik_path_buf *buf = NULL;
	struct ovnik_dump_vma *rec;
	struct ovnik_slot slot;
	struct ovnik_text path;

	ovnik_no_path(&path);
	if (file) {
		buf = ovnik_path_of_file(&path, file);
		if (!buf) {
			ovnik_lose_dump(OVNIK_EV_dump_vma);
			return;
		}
	}
	rec = ovnik_begin_text_dump(&slot, dump_vma, path, &path);
	if (rec) {
		rec->tid = tgid;
		rec->dev = inode ? inode->i_sb->s_dev : 0;
		rec->generation = inode ? inode->i_generation : 0;
		rec->flags = ovnik_vma_flags(vma->vm_flags);
		rec->mm = ovnik_mm_id(vma->vm_mm);
		rec->start = vma->vm_start;
		rec->length = vma->vm_end - vma->vm_start;
		rec->offset = file ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0;
		rec->ino = inode ? inode->i_ino : 0;
		ovnik_commit(&slot, dump_vma);
	}
	if (buf)
		ovnik_path_done(buf);
}

/* Once an exec has given it another address space, the rights are those of the new image. */
static __always_inline bool shows(const struct task_struct *task, const struct mm_struct *mm)
{
	/* As a number, like the one in memory. */
	volatile u64 shown = (u64)mm;

	return ovnik_owner_has(task) && mm_now(task) == shown;
}

SEC("iter/task_vma")
int ovnik_dump_vmas(struct bpf_iter__task_vma *ctx)
{
	const struct vm_area_struct *vma = ctx->vma;
	const struct task_struct *task = ctx->task;
	int look;

	begin_walk(ctx->meta);
	if (!task || !vma || !ovnik_on(OVNIK_EVENTS_MAPPINGS))
		return 0;
	tick(ctx->meta);
	look = look_at(task);
	/* Under mmap_lock: an exec that maps its image has the rights of it already. */
	if (look && ovnik_config.private && !shows(task, vma->vm_mm)) {
		ovnik_dump.wanted = 0;
		return 0;
	}
	if (look == 2)
		record_mm(task->tgid, vma->vm_mm);
	if (look)
		record_vma(task->tgid, vma);
	return 0;
}

static __always_inline void record_open_file(u32 tgid, const struct file *file, u32 fd)
{
	const struct inode *inode = file->f_inode;
	struct ovnik_dump_file *rec;
	struct ovnik_path_buf *buf;
	struct ovnik_slot slot;
	struct ovnik_text path;

	buf = ovnik_path_of_file(&path, file);
	if (!buf) {
		ovnik_lose_dump(OVNIK_EV_dump_file);
		return;
	}
	rec = ovnik_begin_text_dump(&slot, dump_file, path, &path);
	if (rec) {
		rec->tid = tgid;
		ovnik_set_inode(rec, inode);
		rec->flags = file->f_flags;
		rec->offset = ovnik_shown_offset(inode, file->f_pos);
		rec->fd = fd;
		ovnik_commit(&slot, dump_file);
	}
	ovnik_path_done(buf);
}

static __always_inline void record_end(void)
{
	struct ovnik_dump_end *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin_dump(&slot, dump_end);
	if (!rec)
		return;
	rec->tasks = ovnik_dump.tasks;
	ovnik_commit(&slot, dump_end);
}

SEC("iter/task_file")
int ovnik_dump_files(struct bpf_iter__task_file *ctx)
{
	const struct task_struct *task = ctx->task;
	const struct file *file = ctx->file;
	u32 fd = ctx->fd;

	begin_walk(ctx->meta);
	if (!task) {
		record_end();
		return 0;
	}
	if (!file || !ovnik_on(OVNIK_EVENTS_FILES) || !look_at(task) || !ovnik_file_named(file))
		return 0;
	tick(ctx->meta);
	record_open_file(task->tgid, file, fd);
	return 0;
}
