/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_UNSUPPORTED_H
#define OVNIK_TOOL_UNSUPPORTED_H

#include "util/types.h"

struct json_object;

void unsupported_add(u64 events, const char *format, const char *what);
void unsupported_clear(void);
u64 unsupported(void);
int unsupported_report(void);
void unsupported_describe(struct json_object *meta);
struct json_object *unsupported_names_of(u64 events);

#endif /* OVNIK_TOOL_UNSUPPORTED_H */
