// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of address spaces: who gets which, what is mapped in it, when it is torn down.
 * Mappings are read while the kernel holds mmap_lock: the records of an address space are
 * in the order of its changes.
 */
#include "compat.bpf.h"
#include "file.bpf.h"
#include "known.bpf.h"
#include "maple.bpf.h"
#include "mm.bpf.h"
#include "task.bpf.h"

#define ENOMEM			12	/* include/uapi/asm-generic/errno-base.h */
#define MADV_DONTNEED		4	/* include/uapi/asm-generic/mman-common.h */
#define NR_MADVISE		28
#define NR_MADVISE_IA32		219

/*
 * The first function of exec that is out of line on every kernel and runs with the new
 * current->mm (begin_new_exec(), after exec_mmap()). The image is not mapped yet.
 */
SEC("fentry/security_bprm_committing_creds") HOOK_TYPES("")
int BPF_PROG(ovnik_exec_mm)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	if (ovnik_on_current(OVNIK_BIT(task_mm)))
		ovnik_record_task_mm(task, task->mm, OVNIK_MM_EXEC);
	return 0;
}

SEC("tp_btf/exit_mmap") HOOK_TYPES("mm_struct*")
int BPF_PROG(ovnik_mm_exit, struct mm_struct *mm)
{
	struct ovnik_mm_exit *rec;
	struct ovnik_slot slot;

	if (!ovnik_on_current(OVNIK_BIT(mm_exit)))
		return 0;
	rec = ovnik_begin(&slot, mm_exit);
	if (!rec)
		return 0;
	rec->mm = ovnik_mm_id(mm);
	rec->pgd = ovnik_mm_pgd(mm);
	ovnik_commit(&slot, mm_exit);
	return 0;
}

static __always_inline void record_anon(const struct ovnik_mapping *map, u64 start, u64 length,
					u16 kind)
{
	struct ovnik_mmap_anon *rec;
	struct ovnik_slot slot;

	if (!ovnik_event_on(OVNIK_EV_mmap_anon))
		return;
	rec = ovnik_begin(&slot, mmap_anon);
	if (!rec)
		return;
	rec->kind = kind;
	rec->tid = current_tid();
	ovnik_set_mapping(rec, map);
	rec->start = start;
	rec->length = length;
	ovnik_commit(&slot, mmap_anon);
}

static __always_inline void record_shm(const struct ovnik_mapping *map, u64 start, u64 length)
{
	struct ovnik_shm_attach *rec;
	struct ovnik_slot slot;

	if (!ovnik_event_on(OVNIK_EV_shm_attach))
		return;
	rec = ovnik_begin(&slot, shm_attach);
	if (!rec)
		return;
	rec->tid = current_tid();
	rec->flags = map->flags;
	rec->mm = map->mm;
	rec->start = start;
	rec->length = length;
	/* newseg() makes the segment number the inode number of the file. */
	rec->shmid = map->ino;
	rec->dev = map->dev;
	ovnik_commit(&slot, shm_attach);
}

/* @known: the same file, if the kernel has passed it to the probe; or NULL */
static __always_inline void record_file(const struct ovnik_mapping *map, const struct file *known,
					u64 start, u64 length)
{
	struct ovnik_mmap_file *rec;
	struct ovnik_slot slot;

	if (!ovnik_event_on(OVNIK_EV_mmap_file))
		return;
	rec = known ? ovnik_begin_path(&slot, mmap_file, path, known) :
		      ovnik_begin_path_found(&slot, mmap_file, path, map->file);
	if (!rec)
		return;
	rec->tid = current_tid();
	ovnik_set_mapping(rec, map);
	rec->start = start;
	rec->length = length;
	ovnik_commit(&slot, mmap_file);
}

/* System V segments are files with such names in a tmpfs internal to the kernel. */
static __always_inline bool is_shm_name(const struct dentry *dentry)
{
	const unsigned char *name = BPF_CORE_READ(dentry, d_name.name);
	char prefix[4] = {};

	bpf_probe_read_kernel(prefix, sizeof(prefix), name);
	return prefix[0] == 'S' && prefix[1] == 'Y' && prefix[2] == 'S' && prefix[3] == 'V';
}

/* @known: as of record_file() */
static __always_inline bool is_shm(const struct ovnik_mapping *map, const struct file *known)
{
	const struct file *file = map->file;

	if (map->offset)
		return false;
	if (known)
		return known->f_path.mnt->mnt_flags & MNT_INTERNAL &&
		       is_shm_name(known->f_path.dentry);
	return BPF_CORE_READ(file, f_path.mnt, mnt_flags) & MNT_INTERNAL &&
	       is_shm_name(BPF_CORE_READ(file, f_path.dentry));
}

/* Private memory without file has exactly the flags that it was asked for. */
static __always_inline void record_private(u64 mm, u64 vm_flags, u64 start, u64 length)
{
	struct ovnik_mapping map = { .mm = mm, .flags = ovnik_vma_flags(vm_flags) };

	record_anon(&map, start, length, OVNIK_MAP_MMAP);
}

/* @known: the same file, or NULL */
static __always_inline void record_mapping(struct ovnik_mapping *map, const struct file *known,
					   u64 start, u64 length)
{
	if (known)
		ovnik_set_inode(map, known->f_inode);
	else
		ovnik_mapping_file(map);
	if (is_shm(map, known))
		record_shm(map, start, length);
	else
		record_file(map, known, start, length);
}

/* unsigned long mmap_region(file, addr, len, vm_flags, pgoff, uf) */
SEC("fexit/mmap_region") HOOK_TYPES("file*, 8, 8, 8, 8, * -> 8")
int BPF_PROG(ovnik_mmap, struct file *file, u64 addr, u64 len, u64 vm_flags, u64 pgoff, void *uf,
	     u64 start)
{
	const struct mm_struct *mm = ovnik_current_mm();
	const struct vm_area_struct *vma;
	u64 length = PAGE_ALIGN(len);
	struct ovnik_mapping map;

	if (IS_ERR_VALUE(start) ||
	    !ovnik_on_current(OVNIK_BIT(mmap_file) | OVNIK_BIT(mmap_anon) | OVNIK_BIT(shm_attach)))
		return 0;
	if (!file) {
		/* Otherwise the compiler combines both values, and one is a pointer. */
		barrier();
		if (!(vm_flags & VM_SHARED)) {
			record_private(ovnik_mm_id(mm), vm_flags, start, length);
			return 0;
		}
	}
	vma = ovnik_vma_at(mm, start);
	if (!vma) {
		ovnik_lose(file ? OVNIK_EV_mmap_file : OVNIK_EV_mmap_anon, 1);
		return 0;
	}
	ovnik_mapping_range(&map, vma, ovnik_mm_id(mm), start);
	if (file && map.file) {
		/* A file system or a driver may have put another file in its place. */
		if (map.file == file)
			record_mapping(&map, file, start, length);
		else
			record_mapping(&map, NULL, start, length);
		return 0;
	}
	/* Shared anonymous memory has a file by now. */
	if (map.file)
		ovnik_mapping_file(&map);
	record_anon(&map, start, length, OVNIK_MAP_MMAP);
	return 0;
}

/* int do_brk_flags(mas, vma, addr, len, flags) */
SEC("fexit/do_brk_flags") HOOK_TYPES("*, *, 8, 8, 8 -> 4")
int BPF_PROG(ovnik_brk, void *mas, void *brk_vma, u64 start, u64 len, u64 flags, int ret)
{
	const struct mm_struct *mm = ovnik_current_mm();
	const struct vm_area_struct *vma;
	u64 length = PAGE_ALIGN(len);
	struct ovnik_mapping map;

	if (ret || !length || !ovnik_on_current(OVNIK_BIT(mmap_anon)))
		return 0;
	vma = ovnik_vma_at(mm, start);
	if (!vma) {
		ovnik_lose(OVNIK_EV_mmap_anon, 1);
		return 0;
	}
	ovnik_mapping_of(&map, vma, ovnik_mm_id(mm), start);
	record_anon(&map, start, length, OVNIK_MAP_BRK);
	return 0;
}

/* int insert_vm_struct(mm, vma) */
SEC("fexit/insert_vm_struct") HOOK_TYPES("mm_struct*, vm_area_struct* -> 4")
int BPF_PROG(ovnik_insert_vma, struct mm_struct *mm, struct vm_area_struct *vma, int ret)
{
	struct ovnik_mapping map;

	if (ret || !ovnik_on_current(OVNIK_BIT(mmap_anon)))
		return 0;
	ovnik_mapping_of(&map, vma, ovnik_mm_id(vma->vm_mm), 0);
	record_anon(&map, map.start, map.end - map.start,
		    map.flags & OVNIK_VMA_GROWSDOWN ? OVNIK_MAP_STACK : OVNIK_MAP_SPECIAL);
	return 0;
}

/* int expand_downwards(vma, address) */
SEC("fentry/expand_downwards") HOOK_TYPES("vm_area_struct*")
int BPF_PROG(ovnik_expand_enter, struct vm_area_struct *vma)
{
	struct ovnik_stash *stash;

	if (!ovnik_on_current(OVNIK_BIT(mmap_anon)))
		return 0;
	stash = ovnik_stash_make();
	if (!stash) {
		ovnik_lose(OVNIK_EV_mmap_anon, 1);
		return 0;
	}
	stash->growth.start = vma->vm_start;
	stash->growth.known = 1;
	return 0;
}

/*
 * mmap_lock may be held for reading only: another thread may grow the stack at the same
 * time, and then both records begin at the same old start. Overlap is harmless.
 */
SEC("fexit/expand_downwards") HOOK_TYPES("vm_area_struct*, 8 -> 4")
int BPF_PROG(ovnik_expand_leave, struct vm_area_struct *vma, u64 address, int ret)
{
	struct ovnik_stash *stash;
	struct ovnik_mapping map;
	u64 end;

	if (!ovnik_on_current(OVNIK_BIT(mmap_anon)))
		return 0;
	stash = ovnik_stash_get();
	if (!stash || !stash->growth.known)
		return 0;
	stash->growth.known = 0;
	end = stash->growth.start;
	address &= PAGE_MASK;
	if (ret || address >= end)
		return 0;
	ovnik_mapping_of(&map, vma, ovnik_mm_id(vma->vm_mm), address);
	record_anon(&map, address, end - address, OVNIK_MAP_GROWTH);
	return 0;
}

#ifdef OVNIK_HAVE_VMS_MUNMAP

/*
 * void vms_complete_munmap_vmas(vms, mas_detach): nothing can fail any more, and mmap_lock
 * is still held for writing. mmap() calls it with nothing to unmap.
 */
SEC("fentry/vms_complete_munmap_vmas") HOOK_TYPES("vma_munmap_struct*")
int BPF_PROG(ovnik_munmap, struct vma_munmap_struct___vms *vms)
{
	if (!ovnik_on_current(OVNIK_BIT(munmap)) || !vms->vma_count)
		return 0;
	ovnik_record_munmap(ovnik_mm_id(ovnik_current_mm()), vms->start, vms->end - vms->start);
	return 0;
}

#else

/*
 * A maple tree, or since commit fd892593d44d ("mm: change do_vmi_align_munmap() tracking of VMAs to
 * remove"), 6.6, a state that begins with a pointer to one. A tree begins with a lock.
 */
static __always_inline bool is_tree_of(const struct mm_struct *mm, const void *tree)
{
	const struct ma_state *state = tree;

	return tree == &mm->mm_mt || BPF_CORE_READ(state, tree) == &mm->mm_mt;
}

/*
 * void unmap_vmas(tlb, tree, vma, start, end, …): what unmaps has moved the mappings to a tree of
 * its own, and nothing can fail any more. Otherwise the address space ends, or mmap() has failed.
 */
SEC("fentry/unmap_vmas") HOOK_TYPES("mmu_gather*, maple_tree*|ma_state*, *, 8, 8")
int BPF_PROG(ovnik_munmap, struct mmu_gather *tlb, void *tree, void *vma, u64 start, u64 end)
{
	const struct mm_struct *mm = tlb->mm;

	if (ovnik_on_current(OVNIK_BIT(munmap)) && !is_tree_of(mm, tree))
		ovnik_record_munmap(ovnik_mm_id(mm), start, end - start);
	return 0;
}

#endif /* OVNIK_HAVE_VMS_MUNMAP */

/* int mprotect_fixup([vmi,] tlb, vma, pprev, start, end, newflags) */
SEC("fentry/mprotect_fixup") HOOK_TYPES(OVNIK_MPROTECT_TYPES)
int BPF_PROG(ovnik_mprotect_enter, OVNIK_MPROTECT_ARGS)
{
	struct ovnik_stash *stash;

	if (!ovnik_on_current(OVNIK_BIT(mprotect)))
		return 0;
	stash = ovnik_stash_make();
	if (!stash) {
		ovnik_lose(OVNIK_EV_mprotect, 1);
		return 0;
	}
	stash->protect.mm = ovnik_mm_id(vma->vm_mm);
	/* Setting up the stack of a new image clears bits that are not recorded. */
	stash->protect.wanted = ovnik_vma_flags(newflags) != ovnik_vma_flags(vma->vm_flags);
	stash->protect.known = 1;
	return 0;
}

static __always_inline void record_mprotect(u64 mm, u64 start, u64 length, u32 flags)
{
	struct ovnik_mprotect *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, mprotect);
	if (!rec)
		return;
	rec->tid = current_tid();
	rec->flags = flags;
	rec->mm = mm;
	rec->start = start;
	rec->length = length;
	ovnik_commit(&slot, mprotect);
}

SEC("fexit/mprotect_fixup") HOOK_TYPES(OVNIK_MPROTECT_TYPES " -> 4")
int BPF_PROG(ovnik_mprotect_leave, OVNIK_MPROTECT_ARGS, int ret)
{
	struct ovnik_stash *stash;

	if (!ovnik_on_current(OVNIK_BIT(mprotect)))
		return 0;
	stash = ovnik_stash_get();
	if (!stash || !stash->protect.known)
		return 0;
	stash->protect.known = 0;
	if (!ret && stash->protect.wanted)
		record_mprotect(stash->protect.mm, start, end - start, ovnik_vma_flags(newflags));
	return 0;
}

static __always_inline void record_madvise(const struct mm_struct *mm, u64 start, u64 len,
					   int advice, int ret)
{
	struct ovnik_madvise_dontneed *rec;
	u64 length = PAGE_ALIGN(len);
	struct ovnik_slot slot;

	if (advice != MADV_DONTNEED || !length || !ovnik_on_current(OVNIK_BIT(madvise_dontneed)))
		return;
	/* -ENOMEM: parts were not mapped; the others were freed. */
	if (ret && ret != -ENOMEM)
		return;
	rec = ovnik_begin(&slot, madvise_dontneed);
	if (!rec)
		return;
	rec->tid = current_tid();
	rec->mm = ovnik_mm_id(mm);
	rec->start = ovnik_untagged(mm, start);
	rec->length = length;
	ovnik_commit(&slot, madvise_dontneed);
}

#ifdef OVNIK_HAVE_MADVISE_RANGE

/* int madvise_do_behavior(start, len_in, behavior) */
SEC("fexit/madvise_do_behavior") HOOK_TYPES("8, 8, madvise_behavior* -> 4")
int BPF_PROG(ovnik_madvise, u64 start, u64 len, struct madvise_behavior___mm *madvise, int ret)
{
	record_madvise(madvise->mm, start, len, madvise->behavior, ret);
	return 0;
}

#else

/*
 * gcc 10 splits do_madvise(), and the system calls, in the same file, go to its larger part at
 * once. Only a function that a table points to, or one that another file calls, is never passed by.
 */
SEC("fexit/__x64_sys_madvise") HOOK_TYPES("pt_regs* -> 8")
int BPF_PROG(ovnik_madvise, const struct pt_regs *regs, long ret)
{
	record_madvise(ovnik_current_mm(), regs->di, regs->si, regs->dx, ret);
	return 0;
}

/* Kernels without 32-bit programs lack it. */
SEC("fexit/__ia32_sys_madvise") HOOK_TYPES("pt_regs* -> 8")
int BPF_PROG(ovnik_madvise_ia32, const struct pt_regs *regs, long ret)
{
	record_madvise(ovnik_current_mm(), (u32)regs->bx, (u32)regs->cx, regs->dx, ret);
	return 0;
}

/* What a worker of io_uring has there is of the call in which it was made. */
static __always_inline bool in_madvise(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return !(task->flags & PF_IO_WORKER) && ovnik_in_call(task, NR_MADVISE, NR_MADVISE_IA32);
}

/*
 * int do_madvise(mm, start, len_in, behavior): not for madvise(2) itself. Its other callers are
 * io_uring, in a worker, and since 6.13 process_madvise().
 */
SEC("fexit/do_madvise") HOOK_TYPES("mm_struct*, 8, 8, 4 -> 4")
int BPF_PROG(ovnik_madvise_others, struct mm_struct *mm, u64 start, u64 len, int advice, int ret)
{
	if (!in_madvise())
		record_madvise(mm, start, len, advice, ret);
	return 0;
}

#endif /* OVNIK_HAVE_MADVISE_RANGE */
