/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DEV_H
#define OVNIK_DEV_H

int ovnik_dev_init(void);
void ovnik_dev_exit(void);

#endif /* OVNIK_DEV_H */
