/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_PARSE_H
#define OVNIK_TOOL_PARSE_H

#include "util/types.h"

#define OWNER_TEXT	16	/* bytes that a user ID takes */

int parse_events(const char *text, u64 *mask);
int parse_pids(const char *text);
int parse_owner(const char *text, char id[OWNER_TEXT]);
int parse_duration(const char *text, u64 *ms);
int parse_buffer_size(const char *text, u64 *size);

#endif /* OVNIK_TOOL_PARSE_H */
