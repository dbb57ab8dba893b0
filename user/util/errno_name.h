/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_ERRNO_NAME_H
#define OVNIK_UTIL_ERRNO_NAME_H

#include "util/types.h"

/**
 * errno_name() - Name of an error of a system call.
 * @error: its number, which is positive
 *
 * Return: "ENOENT" and the like; NULL if Linux does not return it to programs.
 */
const char *errno_name(s64 error);

#endif /* OVNIK_UTIL_ERRNO_NAME_H */
