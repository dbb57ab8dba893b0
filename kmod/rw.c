// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of reading and writing files. read(), write() and those with an offset are recorded
 * around vfs_read() and vfs_write(), and requests of AIO and io_uring when they end; the other
 * calls in calls.c.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/ftrace.h>
#include <linux/io_uring_types.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <trace/events/io_uring.h>
#include <uapi/linux/io_uring.h>

#include "around.h"
#include "compat.h"
#include "config.h"
#include "files.h"
#include "filter.h"
#include "probe.h"
#include "ring.h"
#include "rw.h"

static __always_inline void fill_begin(struct ovnik_slot slot, u16 op)
{
	struct ovnik_file_begin *rec = (void *)slot.rec;

	rec->op = op;
	rec->tid = current->pid;
	ovnik_commit(&slot, file_begin);
}

/**
 * ovnik_record_begin() - Record that a call on a file begins.
 * @op: enum ovnik_file_op
 *
 * Context: Process; preemption off.
 */
void ovnik_record_begin(u16 op)
{
	struct ovnik_slot slot;

	if (ovnik_begin(&slot, file_begin))
		fill_begin(slot, op);
}

/* ovnik_record_file_read() and _write(): a call on a file has ended; preemption is off. */
#define RECORD_END(name)							\
void ovnik_record_##name(u32 tid, u16 op, const struct ovnik_place *place, s32 result) \
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

/*
 * A call that begins in vfs_read() or vfs_write(). Return: its operation; 0: it is not recorded,
 * because it fails before rw_verify_area(), as if it were on another file, or because it is not
 * such a system call.
 */
static __always_inline u8 begin(const struct file *file, const void __user *buf, size_t count,
				fmode_t mode)
{
	u8 op;

	if (unlikely((file->f_mode & mode) != mode || !access_ok(buf, count)) ||
	    !ovnik_wanted(current))
		return 0;
	op = ovnik_current_op();
	if (op && ovnik_event_on(OVNIK_EV_file_begin)) {
		preempt_disable_notrace();
		ovnik_record_begin(op);
		preempt_enable_notrace();
	}
	return op;
}

/* The identity of the file is that at the end: the caller holds it. */
#define END(name)								\
static noinline void end_##name(const struct file *file, u8 op, loff_t offset, s32 result) \
{										\
	struct ovnik_##name *rec;						\
	struct ovnik_slot slot;							\
										\
	/* The call may have begun in an earlier capture. */			\
	if (!ovnik_event_on(OVNIK_EV_##name) || !ovnik_wanted(current))	\
		return;								\
	preempt_disable_notrace();						\
	rec = ovnik_begin(&slot, name);						\
	if (rec) {								\
		rec->op = op;							\
		rec->tid = current->pid;					\
		ovnik_set_inode(rec, file_inode(file));				\
		rec->offset = ovnik_shown_offset(file_inode(file), offset);	\
		rec->result = result;						\
		ovnik_commit(&slot, name);					\
	}									\
	preempt_enable_notrace();						\
}

END(file_read)
END(file_write)

OVNIK_AROUND(read, vfs_read);
OVNIK_AROUND(write, vfs_write);

/* ssize_t vfs_read(file, buf, count, pos); the stub lets only files and block devices through */
ssize_t ovnik_run_read(struct file *file, char __user *buf, size_t count, loff_t *pos,
		       unsigned long unused, unsigned long unused_too, unsigned long at)
{
	loff_t offset = pos ? *pos : 0;
	ssize_t ret;
	u8 op;

	ovnik_around_enter();
	op = begin(file, buf, count, FMODE_READ | FMODE_CAN_READ);
	ret = ovnik_around_body(read, at, file, buf, count, pos);
	if (op)
		end_file_read(file, op, offset, ret);
	ovnik_around_leave();
	return ret;
}

ssize_t ovnik_run_write(struct file *file, const char __user *buf, size_t count, loff_t *pos,
			unsigned long unused, unsigned long unused_too, unsigned long at)
{
	loff_t offset = pos ? *pos : 0;
	ssize_t ret;
	u8 op;

	ovnik_around_enter();
	op = begin(file, buf, count, FMODE_WRITE | FMODE_CAN_WRITE);
	ret = ovnik_around_body(write, at, file, buf, count, pos);
	if (op && file->f_flags & O_APPEND)
		offset = ovnik_append_offset(file, pos, ret, offset);
	if (op)
		end_file_write(file, op, offset, ret);
	ovnik_around_leave();
	return ret;
}

static bool is_recorded(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) || S_ISBLK(inode->i_mode);
}

/*
 * Does the position of a request always advance before it completes? FUSE and NFS leave that of one
 * that they do not complete at once; overlayfs does as the file system below.
 */
static bool advances(const struct inode *inode)
{
	switch (inode->i_sb->s_magic) {
	case FUSE_SUPER_MAGIC:
		return false;
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		return true;
	}
	return S_ISBLK(inode->i_mode) || inode->i_sb->s_bdev;
}

/* @noted: of the request; NULL: nothing, because it began before the capture, for instance */
static u64 offset_of(const struct kiocb *iocb, const struct ovnik_request *noted, long result)
{
	u64 pos = iocb->ki_pos;

	if (result <= 0)
		return pos;
	if (advances(file_inode(iocb->ki_filp)))
		return pos - result;
	/* Where an append begins is not known before. */
	if (!noted || noted->offset == OVNIK_OFFSET_UNKNOWN || iocb->ki_flags & IOCB_APPEND)
		return OVNIK_OFFSET_UNKNOWN;
	return pos == noted->offset ? pos : pos - result;
}

static void record_completion(const struct kiocb *iocb, const struct ovnik_request *noted, u32 tid,
			      u16 op, bool write, long result)
{
	const struct inode *inode = file_inode(iocb->ki_filp);
	const struct ovnik_place place = {
		.dev = inode->i_sb->s_dev,
		.generation = inode->i_generation,
		.ino = inode->i_ino,
		.offset = ovnik_shown_offset(inode, offset_of(iocb, noted, result)),
	};

	preempt_disable_notrace();
	if (write)
		ovnik_record_file_write(tid, op, &place, result);
	else
		ovnik_record_file_read(tid, op, &place, result);
	preempt_enable_notrace();
}

/*
 * void aio_complete_rw(kiocb, res), in an interrupt or in any task. What matches the filter was
 * noted.
 */
static void notrace probe_aio(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	const struct kiocb *iocb = (void *)ovnik_ftrace_arg(fregs, 0);
	struct ovnik_request found;
	bool noted = ovnik_take_request(iocb, &found);

	if (!is_recorded(file_inode(iocb->ki_filp)) || !(noted || ovnik_wanted_of_nobody()))
		return;
	record_completion(iocb, noted ? &found : NULL, noted ? found.tid : 0, OVNIK_OP_AIO,
			  iocb->ki_flags & IOCB_WRITE, (long)ovnik_ftrace_arg(fregs, 1));
}

/* It may have read or written. Those with a result of 0 have not. */
static void lose_unknown(const struct file *file, long result)
{
	if (result > 0 && is_recorded(file_inode(file)))
		ovnik_lose_one(OVNIK_EV_file_read);
}

static void end_request(struct io_kiocb *req, u32 tid, bool write, long result)
{
	const struct kiocb *iocb = io_kiocb_to_cmd(req, struct kiocb);
	struct ovnik_request found;
	bool noted = ovnik_take_request(iocb, &found);

	record_completion(iocb, noted ? &found : NULL, tid, OVNIK_OP_URING, write, result);
}

static void probe_uring(void *unused, OVNIK_URING_ARGS)
{
	struct io_kiocb *req = request;
	struct task_struct *task;
	enum ovnik_uring does;

	ovnik_no_preemption();
	if (!req)
		return;
	does = ovnik_uring_of(req->opcode);
	if (does == OVNIK_URING_OTHER)
		return;
	task = ovnik_uring_task(req);
	/* Without a file, the request failed before it was one. */
	if (!req->file || !ovnik_wanted(task))
		return;
	if (does == OVNIK_URING_UNKNOWN)
		lose_unknown(req->file, ovnik_uring_result);
	else if (is_recorded(file_inode(req->file)))
		end_request(req, task->pid, does == OVNIK_URING_WRITE, ovnik_uring_result);
}

#define ENDS	(OVNIK_BIT(file_read) | OVNIK_BIT(file_write))

OVNIK_PROBES(rw) = {
	{ .hook = "vfs_read", .around = &ovnik_around_read,
	  .events = OVNIK_BIT(file_read) | OVNIK_BIT(file_begin) },
	{ .hook = "vfs_write", .around = &ovnik_around_write,
	  .events = OVNIK_BIT(file_write) | OVNIK_BIT(file_begin) },
	{ .hook = "aio_complete_rw", .entry = probe_aio, .events = ENDS },
	{ OVNIK_TRACEPOINT(io_uring_complete, probe_uring), .events = ENDS },
	{}
};
