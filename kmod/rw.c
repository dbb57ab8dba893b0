// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of reading and writing files. All ways pass through rw_verify_area(), which gets
 * file and offset; the result is the return value of the system call. A return probe on
 * each function in between would cost twice as much, and occupy an instance while a task
 * sleeps.
 */
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/ftrace.h>
#include <linux/io_uring_types.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>
#include <trace/events/io_uring.h>
#include <trace/events/syscalls.h>
#include <asm/syscall.h>
#include <asm/unistd_32_ia32.h>
#include <asm/unistd_64_x32.h>
#include <uapi/linux/io_uring.h>

#include "calls.h"
#include "compat.h"
#include "config.h"
#include "files.h"
#include "filter.h"
#include "probe.h"
#include "ring.h"
#include "rw.h"

#define CHECK_64(nr, name, op)	static_assert((nr) == __NR_##name);
#define CHECK_X32(nr, name, op)	static_assert((nr) == __NR_x32_##name);
#define CHECK_32(nr, name, op)	static_assert((nr) == __NR_ia32_##name);

OVNIK_CALLS_64(CHECK_64)
OVNIK_CALLS_X32(CHECK_X32)
OVNIK_CALLS_32(CHECK_32)

/*
 * The operation of the system call that the task is in; 0: another one, or none. A program
 * that the kernel itself starts has not been in user mode: its registers are zeros.
 */
static u8 current_op(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long nr = syscall_get_nr(current, regs);

	if (unlikely(!user_mode(regs)))
		return 0;
	return ovnik_call_op(nr, unlikely(in_ia32_syscall()));
}

#define CALL_SETS	16384

static struct ovnik_call_set *calls;

static __always_inline struct ovnik_call_set *set_of(u32 tid)
{
	return &calls[tid & (CALL_SETS - 1)];
}

/* The call that the current task is in, or NULL. */
static __always_inline struct ovnik_call *find_call(void)
{
	return ovnik_call_find(set_of(current->pid), current->pid);
}

static void record_begin(u16 op)
{
	struct ovnik_file_begin *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, file_begin);
	if (!rec)
		return;
	rec->op = op;
	rec->tid = current->pid;
	ovnik_commit(&slot, file_begin);
}

static void lose_call(u16 way)
{
	u32 event = way == READS ? OVNIK_EV_file_read : OVNIK_EV_file_write;

	ovnik_lose_one(OVNIK_EV_file_begin);
	ovnik_lose_one(event);
}

/* The slot of this call, made at its first use. */
static struct ovnik_call *get_call(u16 way)
{
	struct ovnik_call *call = find_call();
	u16 op;

	if (call)
		return call;
	op = current_op();
	if (!op || current->flags & (PF_KTHREAD | PF_IO_WORKER))
		return NULL;
	call = ovnik_call_take(set_of(current->pid), current->pid);
	if (!call) {
		lose_call(way);
		return NULL;
	}
	call->op = op;
	call->has = 0;
	if (ovnik_event_on(OVNIK_EV_file_begin))
		record_begin(op);
	return call;
}

/* int rw_verify_area(read_write, file, ppos, count); only the first one of a way counts. */
static void notrace probe_verify(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	u16 way = (int)ovnik_ftrace_arg(fregs, 0) == READ ? READS : WRITES;
	const struct file *file = (void *)ovnik_ftrace_arg(fregs, 1);
	const loff_t *pos = (void *)ovnik_ftrace_arg(fregs, 2);
	const struct inode *inode = file_inode(file);
	struct ovnik_place *place;
	struct ovnik_call *call;

	if (!(S_ISREG(inode->i_mode) || S_ISBLK(inode->i_mode)) || !ovnik_wanted(current))
		return;
	/* A request of io_uring, which continues at the end of any system call. */
	if (pos && !object_is_on_stack(pos))
		return;
	preempt_disable_notrace();
	call = get_call(way);
	if (!call || call->has & way)
		goto out;
	place = way == READS ? &call->read : &call->write;
	ovnik_set_inode(place, inode);
	place->offset = pos ? *pos : 0;
	call->has |= way;
out:
	preempt_enable_notrace();
}

/*
 * ssize_t generic_write_checks(iocb, from): with the inode locked; only here the offset of
 * an append is known.
 */
static void notrace probe_append(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	const struct kiocb *iocb = (void *)ovnik_ftrace_arg(fregs, 0);
	struct ovnik_call *call;

	if (!(iocb->ki_flags & IOCB_APPEND))
		return;
	call = find_call();
	if (call && call->has & WRITES)
		call->write.offset = i_size_read(file_inode(iocb->ki_filp));
}

#define RECORD_END(name)							\
static void record_##name(u32 tid, u16 op, const struct ovnik_place *place, s32 result) \
{										\
	struct ovnik_##name *rec;						\
	struct ovnik_slot slot;							\
										\
	if (!ovnik_event_on(OVNIK_EV_##name))					\
		return;								\
	rec = ovnik_begin(&slot, name);						\
	if (!rec)								\
		return;								\
	rec->op = op;								\
	rec->tid = tid;								\
	rec->dev = place->dev;							\
	rec->ino = place->ino;							\
	rec->offset = place->offset;						\
	rec->generation = place->generation;					\
	rec->result = result;							\
	ovnik_commit(&slot, name);						\
}

RECORD_END(file_read)
RECORD_END(file_write)

static noinline void end_call(struct ovnik_call *call, long ret)
{
	if (call->has & READS)
		record_file_read(call->tid, call->op, &call->read, ret);
	if (call->has & WRITES)
		record_file_write(call->tid, call->op, &call->write, ret);
	/* The slot is free after it was read. */
	smp_store_release(&call->tid, 0);
}

static void probe_sys_exit(void *unused, struct pt_regs *regs, long ret)
{
	struct ovnik_call *call = find_call();

	ovnik_no_preemption();
	if (unlikely(call))
		end_call(call, ret);
}

static struct ovnik_place place_of(const struct kiocb *iocb, long result)
{
	const struct inode *inode = file_inode(iocb->ki_filp);

	/* The position has advanced by the bytes transferred. */
	return (struct ovnik_place){
		.dev = inode->i_sb->s_dev,
		.generation = inode->i_generation,
		.ino = inode->i_ino,
		.offset = iocb->ki_pos - max(result, 0L),
	};
}

static void record_completion(const struct kiocb *iocb, u32 tid, u16 op, bool write, long result)
{
	const struct inode *inode = file_inode(iocb->ki_filp);
	struct ovnik_place place;

	if (!S_ISREG(inode->i_mode) && !S_ISBLK(inode->i_mode))
		return;
	place = place_of(iocb, result);
	preempt_disable_notrace();
	if (write)
		record_file_write(tid, op, &place, result);
	else
		record_file_read(tid, op, &place, result);
	preempt_enable_notrace();
}

/* void aio_complete_rw(kiocb, res): the submitter is known if it is current. */
static void notrace probe_aio(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	const struct kiocb *iocb = (void *)ovnik_ftrace_arg(fregs, 0);
	bool known = in_task() && !(current->flags & PF_KTHREAD);

	if (!(known ? ovnik_wanted(current) : ovnik_wanted_of_nobody()))
		return;
	record_completion(iocb, known ? current->pid : 0, OVNIK_OP_AIO,
			  iocb->ki_flags & IOCB_WRITE, (long)ovnik_ftrace_arg(fregs, 1));
}

static void probe_uring(void *unused, OVNIK_URING_ARGS)
{
	struct io_kiocb *req = request;
	struct task_struct *task;
	bool write = false;

	ovnik_no_preemption();
	if (!req)
		return;
	switch (req->opcode) {
	case IORING_OP_WRITEV:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_WRITE:
		write = true;
		break;
	case IORING_OP_READV:
	case IORING_OP_READ_FIXED:
	case IORING_OP_READ:
		break;
	default:
		return;
	}
	task = ovnik_uring_task(req);
	/* Without a file, the request failed before it was one. */
	if (!req->file || !ovnik_wanted(task))
		return;
	record_completion(io_kiocb_to_cmd(req, struct kiocb), task->pid, OVNIK_OP_URING, write,
			  ovnik_uring_result);
}

/**
 * ovnik_rw_reset() - Forget the calls of an earlier capture.
 *
 * Context: Process; no probe is attached.
 */
void ovnik_rw_reset(void)
{
	memset(calls, 0, CALL_SETS * sizeof(*calls));
}

/**
 * ovnik_rw_init() - Allocate the table of calls that have not ended.
 *
 * Context: Process, at module load.
 * Return: 0; -ENOMEM.
 */
int ovnik_rw_init(void)
{
	calls = vzalloc(CALL_SETS * sizeof(*calls));
	return calls ? 0 : -ENOMEM;
}

/**
 * ovnik_rw_exit() - Free it.
 *
 * Context: Process, at module unload; no probe is attached.
 */
void ovnik_rw_exit(void)
{
	vfree(calls);
}

#define ENDS	(OVNIK_BIT(file_read) | OVNIK_BIT(file_write))

/* The end before the beginning: every call that begins can end. */
OVNIK_PROBES(rw) = {
	{ OVNIK_TRACEPOINT(sys_exit, probe_sys_exit), .events = ENDS | OVNIK_BIT(file_begin) },
	{ .hook = "rw_verify_area", .entry = probe_verify, .events = ENDS | OVNIK_BIT(file_begin) },
	{ .hook = "generic_write_checks", .entry = probe_append, .events = OVNIK_BIT(file_write) },
	{ .hook = "aio_complete_rw", .entry = probe_aio, .events = ENDS },
	{ OVNIK_TRACEPOINT(io_uring_complete, probe_uring), .events = ENDS },
	{}
};
