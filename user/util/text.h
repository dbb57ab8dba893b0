/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_TEXT_H
#define OVNIK_UTIL_TEXT_H

#include "util/types.h"

/**
 * text_is_numbered() - Is a name a prefix, a number and a suffix?
 * @name: the name
 * @prefix: what it begins with
 * @suffix: what follows the digits
 *
 * Context: Any.
 * Return: true, false.
 */
bool text_is_numbered(const char *name, const char *prefix, const char *suffix);

#endif /* OVNIK_UTIL_TEXT_H */
