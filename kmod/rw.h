/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_RW_H
#define OVNIK_RW_H

#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>

#include "calls.h"

/*
 * The operation of the system call that the task is in; 0: another one, or none. A program
 * that the kernel itself starts has not been in user mode: its registers are zeros. A worker of
 * io_uring has those of the task that it works for.
 */
static __always_inline u8 ovnik_current_op(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long nr = syscall_get_nr(current, regs);

	if (unlikely(!user_mode(regs) || current->flags & (PF_KTHREAD | PF_IO_WORKER)))
		return 0;
	return ovnik_call_op(nr, unlikely(in_ia32_syscall()));
}

/*
 * Where an append has begun that returns @ret and has advanced @pos, if anything was written;
 * @offset: where it would have begun otherwise. Only write_iter() knows appending.
 */
static inline loff_t ovnik_append_offset(const struct file *file, const loff_t *pos, long ret,
					 loff_t offset)
{
	if (!pos || !file->f_op->write_iter || !S_ISREG(file_inode(file)->i_mode))
		return offset;
	return ret > 0 ? *pos - ret : i_size_read(file_inode(file));
}

void ovnik_record_begin(u16 op);
void ovnik_record_file_read(u32 tid, u16 op, const struct ovnik_place *place, s32 result);
void ovnik_record_file_write(u32 tid, u16 op, const struct ovnik_place *place, s32 result);

bool ovnik_take_request(const struct kiocb *iocb, struct ovnik_request *found);

extern struct ovnik_around ovnik_around_read;
extern struct ovnik_around ovnik_around_write;

int ovnik_rw_init(void);
void ovnik_rw_exit(void);
void ovnik_rw_reset(void);

#endif /* OVNIK_RW_H */
