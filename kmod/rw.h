/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_RW_H
#define OVNIK_RW_H

int ovnik_rw_init(void);
void ovnik_rw_exit(void);
void ovnik_rw_reset(void);

#endif /* OVNIK_RW_H */
