/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_DECODER_H
#define OVNIK_TOOL_DECODER_H

#include <stdbool.h>

bool decoder_has(const char *name);
int decoder_run(const char *command, int argc, char **argv);

#endif /* OVNIK_TOOL_DECODER_H */
