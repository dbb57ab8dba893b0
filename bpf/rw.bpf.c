// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of reading and writing files. All ways pass through rw_verify_area(), which gets
 * file and offset; the result is the return value of the system call.
 */
#include "compat.bpf.h"
#include "file.bpf.h"
#include "ring.bpf.h"
#include "task.bpf.h"
#include "calls.h"

#define READ		0
#define STACK_MAX	(32 << 10)	/* THREAD_SIZE with KASAN, else half of it */
#define USER_MODE	3		/* user_mode(): bits of regs->cs */
#define IOCB_APPEND	(1 << 4)	/* RWF_APPEND, include/uapi/linux/fs.h */
#define IOCB_WRITE	(1 << 18)
#define FUSE_SUPER_MAGIC	0x65735546	/* these: include/uapi/linux/magic.h */
#define RAMFS_MAGIC		0x858458f6
#define TMPFS_MAGIC		0x01021994

/*
 * The operation of the system call that the task is in; 0: another one, or none. A program
 * that the kernel itself starts has not been in user mode: its registers are zeros.
 */
static __always_inline u8 current_op(struct task_struct *task)
{
	const struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	u64 nr = regs->orig_ax;

	if (!(regs->cs & USER_MODE))
		return 0;
	barrier_var(nr);
	return ovnik_call_op(nr, task->thread_info.status & TS_COMPAT);
}

_Static_assert(sizeof(struct ovnik_call_set) == OVNIK_BPF_CALLS_BYTES, "what the loader knows");

/* The start of a capture clears the calls of an earlier one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, OVNIK_BPF_CALLS);
	__type(key, u32);
	__type(value, struct ovnik_call_set);
} ovnik_calls SEC(".maps");

static __always_inline struct ovnik_call_set *set_of(u32 tid)
{
	u32 key = tid % OVNIK_BPF_CALLS;

	return bpf_map_lookup_elem(&ovnik_calls, &key);
}

/* Of an earlier capture, some may be left. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, OVNIK_REQUEST_SETS);
	__type(key, u32);
	__type(value, struct ovnik_request_set);
} ovnik_requests SEC(".maps");

/* The verifier lets nobody calculate with a pointer; what a helper has read is a number to it. */
static __always_inline u64 number_of(const void *pointer)
{
	u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number;
}

/* A request has ended. Return: is it known? Then @found is what was noted of it. */
static __always_inline bool take_request(const struct kiocb *iocb, struct ovnik_request *found)
{
	u64 pos = number_of(iocb) + bpf_core_field_offset(struct kiocb, ki_pos);
	u32 key = ovnik_request_hash(pos);
	struct ovnik_request_set *set = bpf_map_lookup_elem(&ovnik_requests, &key);

	return set && ovnik_request_take(set, pos, ovnik_config.session, found);
}

/* Of one that nobody wants, the note of an earlier one, which has failed, must not stay. */
static __always_inline void note_request(int read_write, const loff_t *pos)
{
	u32 event = read_write == READ ? OVNIK_EV_file_read : OVNIK_EV_file_write;
	struct ovnik_request new = { .tid = current_tid(), .capture = ovnik_config.session };
	u64 place = number_of(pos);
	u32 key = ovnik_request_hash(place);
	struct ovnik_request_set *set = bpf_map_lookup_elem(&ovnik_requests, &key);
	struct ovnik_request old = {};

	if (!set)
		return;
	bpf_probe_read_kernel(&new.offset, sizeof(new.offset), pos);
	if (!ovnik_wanted())
		ovnik_request_take(set, place, ovnik_config.session, &old);
	/* With a filter, what is not known is not recorded. */
	else if (!ovnik_request_note(set, place, new) && ovnik_config.filter &&
		 ovnik_event_on(event))
		ovnik_lose(event, 1);
}

/* Is this the place of a request of AIO or io_uring, which continues anywhere? */
static __always_inline bool is_request(const loff_t *pos)
{
	struct task_struct *task = bpf_get_current_task_btf();

	/* It is far from all stacks. */
	return pos && (u64)pos - (u64)task->stack >= STACK_MAX;
}

static __always_inline void record_begin(u16 op, bool ns_only)
{
	struct ovnik_file_begin *rec;
	struct ovnik_slot slot;

	rec = ns_only ? ovnik_begin_ns(&slot, file_begin) : ovnik_begin(&slot, file_begin);
	if (!rec)
		return;
	rec->op = op;
	rec->tid = current_tid();
	ovnik_commit(&slot, file_begin);
}

static __always_inline void lose_call(u16 way)
{
	u32 event = way == READS ? OVNIK_EV_file_read : OVNIK_EV_file_write;

	if (ovnik_event_on(OVNIK_EV_file_begin))
		ovnik_lose(OVNIK_EV_file_begin, 1);
	if (ovnik_event_on(event))
		ovnik_lose(event, 1);
}

/* The slot of this call, made at its first use. */
static __always_inline struct ovnik_call *get_call(struct task_struct *task, u16 way,
						   bool ns_only)
{
	u32 tid = current_tid();
	struct ovnik_call_set *set = set_of(tid);
	struct ovnik_call *call;
	u16 op;

	if (!set)
		return NULL;
	call = ovnik_call_find(set, tid);
	if (call)
		return call;
	op = current_op(task);
	if (!op || task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return NULL;
	call = ovnik_call_take(set, tid);
	if (!call) {
		lose_call(way);
		return NULL;
	}
	call->op = op;
	call->has = 0;
	if (ovnik_event_on(OVNIK_EV_file_begin))
		record_begin(op, ns_only);
	return call;
}

/* ovnik_set_inode() of an inode that the verifier takes for a number. */
static __always_inline void read_inode(struct ovnik_place *place, const struct inode *inode)
{
	place->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	place->generation = BPF_CORE_READ(inode, i_generation);
	place->ino = BPF_CORE_READ(inode, i_ino);
}

#define ENDS	(OVNIK_BIT(file_read) | OVNIK_BIT(file_write))

/*
 * Where to keep the place of what the current task reads or writes; NULL: nowhere. Only the
 * first one of a way counts.
 */
static __always_inline struct ovnik_place *new_place(int read_write, const loff_t *pos,
						     bool ns_only)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u16 way = read_write == READ ? READS : WRITES;
	struct ovnik_call *call;

	if (is_request(pos)) {
		note_request(read_write, pos);
		return NULL;
	}
	if (!ovnik_wanted())
		return NULL;
	call = get_call(task, way, ns_only);
	if (!call || call->has & way)
		return NULL;
	call->has |= way;
	return way == READS ? &call->read : &call->write;
}

static __always_inline void set_offset(struct ovnik_place *place, const struct inode *inode,
				       const loff_t *pos)
{
	u64 offset = 0;

	if (pos)
		bpf_probe_read_kernel(&offset, sizeof(offset), pos);
	place->offset = ovnik_shown_offset(inode, offset);
}

/* int rw_verify_area(read_write, file, ppos, count) */
SEC("fentry/rw_verify_area") HOOK_TYPES("4, file*, *")
int BPF_PROG(ovnik_rw_verify, int read_write, struct file *file, loff_t *pos)
{
	const struct inode *inode = file->f_inode;
	struct ovnik_place *place;

	if (!ovnik_on(ENDS | OVNIK_BIT(file_begin)))
		return 0;
	if (!ovnik_is_regular(inode) && !ovnik_is_block(inode))
		return 0;
	place = new_place(read_write, pos, false);
	if (!place)
		return 0;
	ovnik_set_inode(place, inode);
	set_offset(place, inode, pos);
	return 0;
}

/*
 * The same where our module is attached, which must be alone. A launch by bpftool attaches
 * both.
 */
SEC("kprobe/rw_verify_area") HOOK_TYPES("4, file*, *")
int BPF_KPROBE(ovnik_rw_verify_kprobe, int read_write, struct file *file, loff_t *pos)
{
	struct ovnik_place *place;
	struct inode *inode;
	u16 type;

	if (!ovnik_config.by_kprobe || !ovnik_on(ENDS | OVNIK_BIT(file_begin)))
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	type = BPF_CORE_READ(inode, i_mode) & S_IFMT;
	if (type != S_IFREG && type != S_IFBLK)
		return 0;
	place = new_place(read_write, pos, true);
	if (!place)
		return 0;
	read_inode(place, inode);
	set_offset(place, inode, pos);
	return 0;
}

/*
 * ssize_t generic_write_checks(iocb, from): with the inode locked; only here the offset of
 * an append is known.
 */
SEC("fentry/generic_write_checks") HOOK_TYPES("kiocb*")
int BPF_PROG(ovnik_rw_append, struct kiocb *iocb)
{
	struct ovnik_call_set *set;
	struct ovnik_call *call;
	u32 tid;

	if (!(iocb->ki_flags & IOCB_APPEND))
		return 0;
	tid = current_tid();
	set = set_of(tid);
	call = set ? ovnik_call_find(set, tid) : NULL;
	if (call && call->has & WRITES)
		call->write.offset = iocb->ki_filp->f_inode->i_size;
	return 0;
}

#define RECORD_END(name)							\
static __always_inline void record_##name(u32 tid, u16 op, const struct ovnik_place *place, \
					  s32 result)				\
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

/* Runs at the end of every system call. */
SEC("tp_btf/sys_exit") HOOK_TYPES("pt_regs*, 8")
int BPF_PROG(ovnik_rw_end, struct pt_regs *regs, long ret)
{
	u32 tid = current_tid();
	struct ovnik_call_set *set = set_of(tid);
	struct ovnik_call *call = set ? ovnik_call_find(set, tid) : NULL;

	if (!call)
		return 0;
	if (call->has & READS)
		record_file_read(tid, call->op, &call->read, ret);
	if (call->has & WRITES)
		record_file_write(tid, call->op, &call->write, ret);
	/* The slot is free after it was read. */
	barrier();
	WRITE_ONCE(call->tid, 0);
	return 0;
}

static __always_inline bool is_recorded(const struct file *file)
{
	u16 type = BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT;

	return type == S_IFREG || type == S_IFBLK;
}

/*
 * Does the position of a request always advance before it completes? FUSE and NFS leave that of one
 * that they do not complete at once; overlayfs does as the file system below.
 */
static __always_inline bool advances(const struct inode *inode)
{
	switch (BPF_CORE_READ(inode, i_sb, s_magic)) {
	case FUSE_SUPER_MAGIC:
		return false;
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		return true;
	}
	return (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK ||
	       BPF_CORE_READ(inode, i_sb, s_bdev);
}

/* @noted: of the request; NULL: nothing, because it began before the capture, for instance */
static __always_inline u64 offset_of(const struct kiocb *iocb, const struct inode *inode,
				     const struct ovnik_request *noted, long result)
{
	u64 pos = BPF_CORE_READ(iocb, ki_pos);

	if (result <= 0)
		return pos;
	if (advances(inode))
		return pos - result;
	/* Where an append begins is not known before. */
	if (!noted || noted->offset == OVNIK_OFFSET_UNKNOWN ||
	    BPF_CORE_READ(iocb, ki_flags) & IOCB_APPEND)
		return OVNIK_OFFSET_UNKNOWN;
	return pos == noted->offset ? pos : pos - result;
}

/* For requests that complete without the end of a system call. */
static __always_inline void record_completion(const struct kiocb *iocb,
					      const struct ovnik_request *noted, u32 tid, u16 op,
					      bool write, long result)
{
	const struct inode *inode = BPF_CORE_READ(iocb, ki_filp, f_inode);
	struct ovnik_place place;

	read_inode(&place, inode);
	place.offset = ovnik_shown_offset(inode, offset_of(iocb, inode, noted, result));
	if (write)
		record_file_write(tid, op, &place, result);
	else
		record_file_read(tid, op, &place, result);
}

/*
 * void aio_complete_rw(kiocb, res), in an interrupt or in any task. What matches the filter was
 * noted.
 */
SEC("fentry/aio_complete_rw") HOOK_TYPES("kiocb*, 8")
int BPF_PROG(ovnik_rw_aio, struct kiocb *iocb, long res)
{
	struct ovnik_request found = {};
	bool noted;

	if (!ovnik_on(ENDS))
		return 0;
	noted = take_request(iocb, &found);
	if (!is_recorded(iocb->ki_filp) || (!noted && ovnik_config.filter))
		return 0;
	record_completion(iocb, noted ? &found : NULL, noted ? found.tid : 0, OVNIK_OP_AIO,
			  iocb->ki_flags & IOCB_WRITE, res);
	return 0;
}

/*
 * The task of an io_uring request moved to its task context in commit f03baece0826
 * ("io_uring: move cancelations to be io_uring_task based"), 6.13.
 */
struct io_kiocb___task {
	struct task_struct *task;
} __attribute__((preserve_access_index));

struct io_uring_task___task {
	struct task_struct *task;
} __attribute__((preserve_access_index));

struct io_kiocb___tctx {
	struct io_uring_task___task *tctx;
} __attribute__((preserve_access_index));

static __always_inline u32 tid_of_request(const struct io_kiocb *req)
{
	const struct io_kiocb___task *older = (const void *)req;
	const struct io_kiocb___tctx *newer = (const void *)req;

	if (bpf_core_field_exists(older->task))
		return BPF_CORE_READ(older, task, pid);
	return BPF_CORE_READ(newer, tctx, task, pid);
}

/* It may have read or written. Those with a result of 0 have not. */
static __always_inline void lose_unknown(const struct file *file, s32 result)
{
	if (result > 0 && is_recorded(file) && ovnik_on(OVNIK_BIT(file_read)))
		ovnik_lose(OVNIK_EV_file_read, 1);
}

/* io_kiocb_to_cmd(): the data of the opcode is at the place of the file. */
static __always_inline void end_request(const struct io_kiocb *req, u32 tid, bool write, s32 result)
{
	const struct kiocb *iocb = (void *)req + bpf_core_field_offset(struct io_kiocb, cmd);
	struct ovnik_request found = {};
	bool noted = take_request(iocb, &found);

	record_completion(iocb, noted ? &found : NULL, tid, OVNIK_OP_URING, write, result);
}

static __always_inline void request_done(const struct io_kiocb *req, s32 result)
{
	enum ovnik_uring does = ovnik_uring_of(BPF_CORE_READ(req, opcode));
	const struct file *file;
	u32 tid;

	if (does == OVNIK_URING_OTHER)
		return;
	tid = tid_of_request(req);
	file = BPF_CORE_READ(req, file);
	/* Without a file, the request failed before it was one. */
	if (!file || !ovnik_wanted_tid(tid))
		return;
	if (does == OVNIK_URING_UNKNOWN)
		lose_unknown(file, result);
	else if (is_recorded(file))
		end_request(req, tid, does == OVNIK_URING_WRITE, result);
}

#ifdef OVNIK_HAVE_URING_COMPLETE_CQE
SEC("tp_btf/io_uring_complete") HOOK_TYPES("*, *, io_uring_cqe*")
int BPF_PROG(ovnik_rw_uring, void *uring, void *req, struct io_uring_cqe *cqe)
{
	if (ovnik_on(ENDS) && req)
		request_done(req, BPF_CORE_READ(cqe, res));
	return 0;
}
#else
SEC("tp_btf/io_uring_complete") HOOK_TYPES("*, *, 8, 4")
int BPF_PROG(ovnik_rw_uring, void *uring, void *req, u64 user_data, int result)
{
	if (ovnik_on(ENDS) && req)
		request_done(req, result);
	return 0;
}
#endif
