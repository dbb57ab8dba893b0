/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_KFUNC_H
#define OVNIK_KFUNC_H

#include <linux/types.h>

u64 ovnik_rdtsc(void);
int ovnik_kfunc_init(void);

#endif /* OVNIK_KFUNC_H */
