/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_RECORD_H
#define OVNIK_TOOL_RECORD_H

#include "control.h"

int record(const char *dir, const struct settings *settings, char **command, bool follow);
int snapshot(const char *dir);

#endif /* OVNIK_TOOL_RECORD_H */
