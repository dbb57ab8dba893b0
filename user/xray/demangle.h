/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_DEMANGLE_H
#define OVNIK_XRAY_DEMANGLE_H

#include <stddef.h>

/**
 * demangle_begin() - The names of another binary follow.
 *
 * Context: Any.
 */
void demangle_begin(void);

/**
 * demangle() - The name of a C++ function as it is in the source.
 * @name: of unknown origin, as it is in the binary
 * @to: gets the name, without an end
 * @room: bytes at @to, more than 0
 *
 * Each reference in a name to an earlier part may double it, so that 300 characters may stand for
 * 2^30: it stops when there is no more room, or when the names of a binary have
 * taken 5 s of CPU time.
 *
 * Context: No memory is allocated; up to 1 MiB of the stack. SIGVTALRM is used.
 * Return: bytes that are written, @room if there may be more; 0: @name is not one of C++, or it is
 * too long, or there is no time left.
 */
size_t demangle(const char *name, char *to, size_t room);

#endif /* OVNIK_XRAY_DEMANGLE_H */
