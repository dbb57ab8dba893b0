// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the calls on files that rw.c does not record: of vectors, and those that copy between
 * files. Each passes through rw_verify_area(), which gets file and offset; the function that does
 * the work returns the result. Where a BPF program is around vfs_read() or vfs_write(), calls of
 * these are recorded here as well, and end when the system call does, at the price that every
 * system call then takes the slow path.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>
#include <trace/events/syscalls.h>
#include <asm/unistd_32_ia32.h>
#include <asm/unistd_64_x32.h>

#include "around.h"
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

#define READ_EVENTS	(OVNIK_BIT(file_read) | OVNIK_BIT(file_begin))
#define WRITE_EVENTS	(OVNIK_BIT(file_write) | OVNIK_BIT(file_begin))

#define CALL_SETS	16384

static struct ovnik_call_set *calls;
static struct ovnik_request_set *requests;

static __always_inline struct ovnik_call_set *set_of(u32 tid)
{
	return &calls[tid & (CALL_SETS - 1)];
}

/* The call that the current task is in, or NULL. */
static __always_inline struct ovnik_call *find_call(void)
{
	return ovnik_call_find(set_of(current->pid), current->pid);
}

static void lose_call(u16 ways)
{
	ovnik_lose_one(OVNIK_EV_file_begin);
	if (ways & READS)
		ovnik_lose_one(OVNIK_EV_file_read);
	if (ways & WRITES)
		ovnik_lose_one(OVNIK_EV_file_write);
}

/* A call of the current task, without a place yet. */
static struct ovnik_call *take_call(u16 op, u16 ways)
{
	struct ovnik_call *call = ovnik_call_take(set_of(current->pid), current->pid);

	if (!call) {
		lose_call(ways);
		return NULL;
	}
	call->op = op;
	call->has = 0;
	return call;
}

static bool is_file(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) || S_ISBLK(inode->i_mode);
}

/* Does a call begin here? Only if it also ends here: at the end of the system call. */
static bool is_plain(u8 op)
{
	switch (op) {
	case OVNIK_OP_READ:
	case OVNIK_OP_PREAD:
		return !ovnik_around_read.attached && ovnik_events_on(READ_EVENTS);
	case OVNIK_OP_WRITE:
	case OVNIK_OP_PWRITE:
		return !ovnik_around_write.attached && ovnik_events_on(WRITE_EVENTS);
	default:
		return false;
	}
}

/* A call of which only rw_verify_area() shows that it begins. */
static noinline struct ovnik_call *take_plain(u16 way)
{
	u8 op = ovnik_current_op();

	return is_plain(op) ? take_call(op, way) : NULL;
}

/*
 * Requests continue on other CPUs, in interrupts and in other tasks. Of one that nobody wants, the
 * note of an earlier one, which has failed before it began, must not stay.
 */
static noinline void note_request(int read_write, const struct file *file, const loff_t *pos)
{
	struct ovnik_request new = { .offset = *pos, .tid = current->pid }, old;
	u64 key = (unsigned long)pos;
	struct ovnik_request_set *set = &requests[ovnik_request_hash(key)];

	if (!is_file(file_inode(file)))
		return;
	/* A slot that is being written is of no use to others. */
	preempt_disable_notrace();
	if (!ovnik_wanted(current))
		ovnik_request_take(set, key, 0, &old);
	/* With a filter, what is not known is not recorded. */
	else if (!ovnik_request_note(set, key, new) && !ovnik_wanted_of_nobody())
		ovnik_lose_one(read_write == READ ? OVNIK_EV_file_read : OVNIK_EV_file_write);
	preempt_enable_notrace();
}

/**
 * ovnik_take_request() - A request of AIO or io_uring has ended.
 * @iocb:  its
 * @found: set to what was noted when it was submitted
 *
 * Context: Any.
 * Return: is it known?
 */
bool ovnik_take_request(const struct kiocb *iocb, struct ovnik_request *found)
{
	u64 key = (unsigned long)&iocb->ki_pos;

	return ovnik_request_take(&requests[ovnik_request_hash(key)], key, 0, found);
}

/**
 * ovnik_run_verify() - A call has come to rw_verify_area().
 * @read_write: READ or WRITE; only the first one of a way counts
 * @file: to read or write
 * @pos:  where; NULL: the file has no positions
 *
 * Context: Process, may be preempted.
 */
void ovnik_run_verify(int read_write, const struct file *file, const loff_t *pos)
{
	u16 way = read_write == READ ? READS : WRITES;
	struct ovnik_call *call = find_call();
	struct ovnik_place *place;

	if (unlikely(pos && !object_is_on_stack(pos))) {
		note_request(read_write, file, pos);
		return;
	}
	if (!call && ovnik_around_read.attached && ovnik_around_write.attached)
		return;
	if (!is_file(file_inode(file)) || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	if (!call)
		call = take_plain(way);
	if (!call || call->has & way)
		goto out;
	if (!call->has && ovnik_event_on(OVNIK_EV_file_begin))
		ovnik_record_begin(call->op);
	place = way == READS ? &call->read : &call->write;
	ovnik_set_inode(place, file_inode(file));
	place->offset = ovnik_shown_offset(file_inode(file), pos ? *pos : 0);
	call->has |= way;
out:
	preempt_enable_notrace();
}

static struct ovnik_around ovnik_around_verify = { .stub = ovnik_stub_verify };

static void notrace probe_verify(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	ovnik_run_verify(ovnik_ftrace_arg(fregs, 0), (void *)ovnik_ftrace_arg(fregs, 1),
			 (void *)ovnik_ftrace_arg(fregs, 2));
}

static void leave_slot(struct ovnik_call *call)
{
	/* The slot is free after it was read. */
	smp_store_release(&call->tid, 0);
}

static void end_call(struct ovnik_call *call, long ret)
{
	if (call->has & READS)
		ovnik_record_file_read(call->tid, call->op, &call->read, ret);
	if (call->has & WRITES)
		ovnik_record_file_write(call->tid, call->op, &call->write, ret);
	leave_slot(call);
}

/* @ways: what will be recorded, as far as it is known at the entry */
struct call_args {
	u16			ways;
};

/*
 * At the entry of the function that does the work. Return: 0; 1: not by such a call, or within
 * one: a file of an overlay is copied by copying the one below it.
 */
static int enter_call(struct call_args *args, u16 ways)
{
	u8 op = ovnik_current_op();

	args->ways = ways;
	if (!ways || !op || !ovnik_wanted(current) || find_call())
		return 1;
	return !take_call(op, ways);
}

/* The call has been taken, but it will not be seen to end. */
static void miss_call(const void *args)
{
	const struct call_args *call = args;

	leave_slot(find_call());
	if (call->ways)
		lose_call(call->ways);
}

static __always_inline u16 ways_of(const struct file *file, u16 ways)
{
	return is_file(file_inode(file)) ? ways : 0;
}

struct vector_args {
	struct call_args	call;
	const struct file	*file;
	const loff_t		*pos;
	bool			append;
};

/* ssize_t vfs_readv(file, vec, vlen, pos, flags) */
static int enter_readv(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct file *file = (void *)regs_get_kernel_argument(regs, 0);

	return enter_call((void *)ri->data, ways_of(file, READS));
}

/* ssize_t vfs_writev(file, vec, vlen, pos, flags) */
static int enter_writev(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct vector_args *args = (void *)ri->data;
	u32 flags = regs_get_kernel_argument(regs, 4);

	args->file = (void *)regs_get_kernel_argument(regs, 0);
	args->pos = (void *)regs_get_kernel_argument(regs, 3);
	args->append = (args->file->f_flags & O_APPEND || flags & RWF_APPEND) &&
		       !(flags & OVNIK_RWF_NOAPPEND);
	return enter_call(&args->call, ways_of(args->file, WRITES));
}

static int leave_writev(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct vector_args *args = (void *)ri->data;
	struct ovnik_call *call = find_call();
	long ret = regs_return_value(regs);

	if (!call)
		return 0;
	if (args->append && call->has & WRITES)
		call->write.offset = ovnik_append_offset(args->file, args->pos, ret,
							 call->write.offset);
	end_call(call, ret);
	return 0;
}

struct sendfile_args {
	struct call_args	call;
	int			in;
	int			out;
};

/* ssize_t do_sendfile(out_fd, in_fd, ppos, count, max) */
static int enter_sendfile(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct sendfile_args *args = (void *)ri->data;

	args->out = regs_get_kernel_argument(regs, 0);
	args->in = regs_get_kernel_argument(regs, 1);
	return enter_call(&args->call, READS | WRITES);
}

static u16 ways_of_fd(int fd, u16 ways)
{
	struct file *file = fget(fd);

	if (!file)
		return 0;
	ways = ways_of(file, ways);
	fput(file);
	return ways;
}

/* As a rule it is to a socket. */
static void miss_sendfile(const void *data)
{
	const struct sendfile_args *args = data;
	struct call_args call;

	call.ways = ways_of_fd(args->in, READS) | ways_of_fd(args->out, WRITES);
	miss_call(&call);
}

/* ssize_t vfs_copy_file_range(file_in, pos_in, file_out, pos_out, len, flags) */
static int enter_copy(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct file *in = (void *)regs_get_kernel_argument(regs, 0);
	const struct file *out = (void *)regs_get_kernel_argument(regs, 2);

	return enter_call((void *)ri->data, ways_of(in, READS) | ways_of(out, WRITES));
}

/* long do_splice(in, off_in, out, off_out, len, flags): from or to a pipe, or between pipes */
static int enter_splice(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct file *in = (void *)regs_get_kernel_argument(regs, 0);
	const struct file *out = (void *)regs_get_kernel_argument(regs, 2);

	return enter_call((void *)ri->data, ways_of(in, READS) | ways_of(out, WRITES));
}

static int leave_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ovnik_call *call = find_call();

	if (call)
		end_call(call, regs_return_value(regs));
	return 0;
}

OVNIK_RET_BY(readv, enter_readv, leave_call, miss_call, struct call_args);
OVNIK_RET_BY(writev, enter_writev, leave_writev, miss_call, struct vector_args);
OVNIK_RET_BY(sendfile, enter_sendfile, leave_call, miss_sendfile, struct sendfile_args);
OVNIK_RET_BY(splice, enter_splice, leave_call, miss_call, struct call_args);
OVNIK_RET_BY(copy, enter_copy, leave_call, miss_call, struct call_args);

static __always_inline void leave_system(long ret)
{
	struct ovnik_call *call = find_call();

	ovnik_no_preemption();
	if (unlikely(call))
		end_call(call, ret);
}

/* One for each function around which there may be nothing: a tracepoint has a probe once. */
static void probe_sys_exit_read(void *unused, struct pt_regs *regs, long ret)
{
	leave_system(ret);
}

static void probe_sys_exit_write(void *unused, struct pt_regs *regs, long ret)
{
	leave_system(ret);
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

/**
 * ovnik_rw_reset() - Forget the calls and requests of an earlier capture.
 *
 * Context: Process; no probe is attached.
 */
void ovnik_rw_reset(void)
{
	memset(calls, 0, CALL_SETS * sizeof(*calls));
	memset(requests, 0, OVNIK_REQUEST_SETS * sizeof(*requests));
}

/**
 * ovnik_rw_init() - Allocate the tables of what has not ended.
 *
 * Context: Process, at module load.
 * Return: 0; -ENOMEM.
 */
int ovnik_rw_init(void)
{
	calls = vzalloc(CALL_SETS * sizeof(*calls));
	requests = vzalloc(OVNIK_REQUEST_SETS * sizeof(*requests));
	if (calls && requests)
		return 0;
	ovnik_rw_exit();
	return -ENOMEM;
}

/**
 * ovnik_rw_exit() - Free them.
 *
 * Context: Process, at module unload; no probe is attached.
 */
void ovnik_rw_exit(void)
{
	vfree(calls);
	vfree(requests);
}

/* The end before the beginning: every call that begins can end. */
OVNIK_PROBES(calls) = {
	{ OVNIK_TRACEPOINT(sys_exit, probe_sys_exit_read), .instead = &ovnik_around_read,
	  .events = READ_EVENTS },
	{ OVNIK_TRACEPOINT(sys_exit, probe_sys_exit_write), .instead = &ovnik_around_write,
	  .events = WRITE_EVENTS },
	{ .hook = "vfs_readv", .ret = &readv_ret, .events = READ_EVENTS },
	{ .hook = "vfs_writev", .ret = &writev_ret, .events = WRITE_EVENTS },
	{ .hook = "do_sendfile", .ret = &sendfile_ret, .events = READ_EVENTS | WRITE_EVENTS },
	{ .hook = "do_splice", .ret = &splice_ret, .events = READ_EVENTS | WRITE_EVENTS },
	{ .hook = "vfs_copy_file_range", .ret = &copy_ret, .events = READ_EVENTS | WRITE_EVENTS },
	{ .hook = "rw_verify_area", .around = &ovnik_around_verify,
	  .events = READ_EVENTS | WRITE_EVENTS },
	{ .hook = "rw_verify_area", .entry = probe_verify, .instead = &ovnik_around_verify,
	  .events = READ_EVENTS | WRITE_EVENTS },
	{ .hook = "generic_write_checks", .entry = probe_append, .instead = &ovnik_around_write,
	  .events = OVNIK_BIT(file_write) },
	{}
};
