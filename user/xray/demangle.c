// SPDX-License-Identifier: GPL-2.0-only
/* Names of C++ functions: see demangle.h. */
#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "xray/demangle.h"

#define LENGTH_MAX	4096	/* libiberty takes some 200 bytes of the stack for each */

/* The stack has enough for LENGTH_MAX. */
#define OPTIONS		(DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT)

/**
 * struct text - A name while it is written.
 * @to: room for it
 * @room: bytes at @to
 * @used: bytes that are written
 * @full: where it goes on when there is no more room
 */
struct text {
	char *to;
	size_t room;
	size_t used;
	jmp_buf full;
};

/* libiberty cannot be told to stop, but it keeps everything on the stack. */
static void put(const char *part, size_t len, void *opaque)
{
	struct text *text = opaque;
	size_t left = text->room - text->used;

	if (len > left)
		len = left;
	memcpy(text->to + text->used, part, len);
	text->used += len;
	if (text->used == text->room)
		longjmp(text->full, 1);
}

size_t demangle(const char *name, char *to, size_t room)
{
	struct text text = { .to = to, .room = room };

	if (strncmp(name, "_Z", 2) || strnlen(name, LENGTH_MAX + 1) > LENGTH_MAX)
		return 0;
	if (setjmp(text.full))
		return room;
	if (!cplus_demangle_v3_callback(name, OPTIONS, put, &text))
		return 0;
	return text.used;
}
