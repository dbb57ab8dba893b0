/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_LOCK_H
#define OVNIK_TOOL_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#define LOCK_TEXT	128

int lock_take(const char *name);
void lock_drop(void);
bool lock_is_held(void);
pid_t lock_holder(const char *name);
void lock_describe(pid_t holder, char text[LOCK_TEXT]);

#endif /* OVNIK_TOOL_LOCK_H */
