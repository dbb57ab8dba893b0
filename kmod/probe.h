/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PROBE_H
#define OVNIK_PROBE_H

#include <linux/build_bug.h>
#include <linux/ftrace.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#include "around.h"
#include "ovnik.h"
#include "returns.h"

#define OVNIK_BIT(name)		BIT_ULL(OVNIK_EV_##name)

/* A probe that the filter needs: no event has number 0. */
#define OVNIK_FOR_FILTER	BIT_ULL(0)

/* A probe that memory references need: nor has one the last number. */
#define OVNIK_FOR_REFS		BIT_ULL(63)
static_assert(OVNIK_NR_EVENTS <= 63);

/**
 * struct ovnik_range - The address range of a kernel function.
 * @name:  of the function; "one|other": the first that this kernel has
 * @start: its first byte; found at module load
 * @end:	   after its last byte
 *
 * To identify the caller of a hooked function.
 */
struct ovnik_range {
	const char	*name;
	unsigned long	start;
	unsigned long	end;
};

static __always_inline bool ovnik_in_range(const struct ovnik_range *range, unsigned long ip)
{
	return ip - range->start < range->end - range->start;
}

/**
 * typedef ovnik_entry_fn - What runs at the entry of a kernel function.
 * @parent_ip: its return address
 * @fregs:     its arguments: ovnik_ftrace_arg()
 */
typedef void (*ovnik_entry_fn)(unsigned long parent_ip, struct ftrace_regs *fregs);

/**
 * struct ovnik_probe - A function of ours that hooks a place of the kernel.
 * @hook:     name of the tracepoint, or of the function if @entry or @ret is set;
 *	      "one|other": the first function that this kernel has
 * @func:     what runs at the tracepoint
 * @entry:    what runs at the entry of the function
 * @ret:      what runs at its entry and return: returns.c
 * @around:   what runs around it; refused with -EBUSY while a BPF program does, too
 * @instead:  attached only where this could not be, whose work it does at a higher price
 * @caller:   the only caller of @hook that counts, or NULL
 * @guard:    may be hooked even if its events are off
 * @events:   OVNIK_BIT() of the events it writes
 * @tracepoint: found at module load
 * @address:  of the function; found at module load
 * @attached: it is attached now
 */
struct ovnik_probe {
	const char		*hook;
	void			*func;
	ovnik_entry_fn		entry;
	struct ovnik_return	*ret;
	struct ovnik_around	*around;
	struct ovnik_around	*instead;
	struct ovnik_range	*caller;
	bool			guard;
	u64			events;
	struct tracepoint	*tracepoint;
	unsigned long		address;
	bool			attached;
};

/*
 * Where probes run, and what of current may be gone there: a probe uses nothing else of it without
 * a look. guest/odd.sh and vm/exits.sh go to those that are easily forgotten.
 *
 *	sched_*, __smp_call_single_queue: any task, also the idle one, in any interrupt; mm, fs.
 *	task_newtask, wake_up_new_task: the parent, a process, a kernel thread or a worker of
 *	io_uring; mm.
 *	sched_process_exec, security_bprm_committing_creds: the task itself; nothing is gone.
 *	sched_process_exit: the task itself; mm.
 *	exit_mmap: whoever has the last reference, as a kernel thread; mm, fs.
 *	file_ra_state_init, __fput, evict, task_rename, mm_filemap_*: any task, as one that exits, a
 *	kernel thread, a worker of io_uring; mm, fs. Interrupts may be off.
 *	do_truncate, vfs_rename: a task in a system call, one whose core is dumped, a worker, a
 *	kernel thread that serves files; mm.
 *	mmap_region, do_brk_flags, insert_vm_struct, mprotect_fixup, unmap_vmas, move_vma,
 *	vm_stat_account, shift_arg_pages: a process in a system call, an exec or a fork; but the
 *	address space may be another: of a new image, of a child, of one that ends, and then mm.
 *	do_madvise: a process in a system call, a worker, or kdamond; mm. Of any address space.
 *	expand_downwards, handle_mm_fault, ptep_clear_flush, *_anon_rmap: any task, also ksmd,
 *	khugepaged, kswapd, one that exits; mm, fs. Of any address space.
 *	page_fault_*: a task with an mm, also one that exits or has borrowed it; fs.
 *	vfs_read and the like, rw_verify_area: a task in a system call, or a kernel thread that
 *	serves files; mm. generic_write_checks: also where the kernel writes for a task that exits.
 *	aio_complete_rw: any task, in an interrupt, as a rule not of the one that asked; mm, fs.
 *	io_uring_complete: any task; mm, fs.
 */

/*
 * The tables of probes, each ending with a probe without hook. Hooks of a kind are attached
 * in this order.
 */
#define OVNIK_PROBE_TABLES(TABLE)						\
	TABLE(sched)								\
	TABLE(task)								\
	TABLE(mm)								\
	TABLE(remap)								\
	TABLE(cow)								\
	TABLE(fault)								\
	TABLE(pagecache)							\
	TABLE(file)								\
	TABLE(rw)								\
	TABLE(calls)								\
	TABLE(refs)

#define OVNIK_PROBE_TABLE(name)		extern struct ovnik_probe ovnik_##name##_probes[];
OVNIK_PROBE_TABLES(OVNIK_PROBE_TABLE)

/* Begins a table; does not compile without its row above. */
#define OVNIK_PROBES(name)							\
	static_assert(sizeof(ovnik_##name##_probes[0]));			\
	struct ovnik_probe ovnik_##name##_probes[]

/*
 * A row's tracepoint and what runs there, whose prototype must be that of the tracepoint:
 * otherwise it does not compile. The file must include the tracepoint's header.
 */
#define OVNIK_TRACEPOINT(name, probe)						\
	.hook = #name,								\
	.func = (void *)(probe) +						\
		BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##name, \
					       void (typeof(probe) *)))

int ovnik_probes_find(void);
const char *ovnik_probes_lack(unsigned int event);
void ovnik_probes_forget(void);
int ovnik_probes_attach(u64 events);
void ovnik_probes_detach(void);
void ovnik_probes_unhook_rest(void);
void ovnik_probes_forget_missed(void);
void ovnik_probes_lose_missed(void);

#endif /* OVNIK_PROBE_H */
