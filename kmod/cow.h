/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_COW_H
#define OVNIK_COW_H

#include <linux/sched.h>

void ovnik_record_vma_dups(struct task_struct *parent, struct mm_struct *mm);

#endif /* OVNIK_COW_H */
