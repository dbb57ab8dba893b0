/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_SYSTEM_H
#define OVNIK_TOOL_SYSTEM_H

#include <stdbool.h>
#include <time.h>

#include "util/types.h"

#define SYSTEM_CLOCKSOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

#define CPUS_TEXT	4096

u64 system_clock_ns(clockid_t id);
int system_line(const char *path, char *line, size_t size);
bool system_has_global_pids(void);
int cpus_list(const char *which, char list[CPUS_TEXT]);
int cpus_parse(const char *list, unsigned int **cpus);

#endif /* OVNIK_TOOL_SYSTEM_H */
