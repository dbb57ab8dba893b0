/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_STATS_H
#define OVNIK_STATS_H

#include <linux/kobject.h>

int ovnik_stats_init(struct kobject *root);
void ovnik_stats_exit(void);

#endif /* OVNIK_STATS_H */
