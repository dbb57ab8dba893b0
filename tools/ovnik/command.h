/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_COMMAND_H
#define OVNIK_TOOL_COMMAND_H

int command_check(const char *name);

#endif /* OVNIK_TOOL_COMMAND_H */
