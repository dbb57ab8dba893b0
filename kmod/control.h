/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CONTROL_H
#define OVNIK_CONTROL_H

int ovnik_control_init(void);
void ovnik_control_exit(void);

#endif /* OVNIK_CONTROL_H */
