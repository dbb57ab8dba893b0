/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_TEXT_H
#define OVNIK_TOOL_TEXT_H

#include "util/types.h"

#define SIZE_TEXT	32

const char *size_text(u64 bytes, char text[SIZE_TEXT]);
const char *program_text(void);

#endif /* OVNIK_TOOL_TEXT_H */
