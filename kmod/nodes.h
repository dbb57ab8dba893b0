/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_NODES_H
#define OVNIK_NODES_H

#include <linux/types.h>

int ovnik_nodes_create(dev_t base);
void ovnik_nodes_remove(void);

#endif /* OVNIK_NODES_H */
