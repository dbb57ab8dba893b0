/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_AROUND_H
#define OVNIK_AROUND_H

int ovnik_around_attach(void);
void ovnik_around_detach(void);
void ovnik_around_exit(void);

/* In around_fault.S; only ftrace may call it. */
void ovnik_around_fault(void);

#endif /* OVNIK_AROUND_H */
