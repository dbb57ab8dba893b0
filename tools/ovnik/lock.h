/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_LOCK_H
#define OVNIK_TOOL_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

int lock_take(const char *name);
void lock_drop(void);
bool lock_is_held(void);
pid_t lock_holder(const char *name);

#endif /* OVNIK_TOOL_LOCK_H */
