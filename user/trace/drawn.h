/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_DRAWN_H
#define OVNIK_TRACE_DRAWN_H

#include "util/types.h"

/**
 * ovni_is_drawn() - Is this the name of an output file of the emulator?
 * @name: name without directory
 */
bool ovni_is_drawn(const char *name);

#endif /* OVNIK_TRACE_DRAWN_H */
