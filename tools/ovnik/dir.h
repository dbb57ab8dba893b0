/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_DIR_H
#define OVNIK_TOOL_DIR_H

int dir_open(const char *dir);

#endif /* OVNIK_TOOL_DIR_H */
