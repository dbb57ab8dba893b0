/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_STATEDUMP_H
#define OVNIK_STATEDUMP_H

struct task_struct;

void ovnik_dump_exiting(struct task_struct *task);
int ovnik_statedump(void);

#endif /* OVNIK_STATEDUMP_H */
