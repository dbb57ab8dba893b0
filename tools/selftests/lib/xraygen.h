/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_XRAYGEN_H
#define OVNIK_SELFTESTS_XRAYGEN_H

#include <string.h>

#include "util/types.h"

/*
 * FDR logs, put together from letters, in any version and byte order:
 *
 *	H	a buffer's head: E N W P C as the version has them
 *	E e	BufferExtents, that tell the truth, but none in version 1; 47
 *	N n	NewBuffer; of thread -1
 *	W w	WallClockTime, a millisecond later each; with 10^9 in the second field
 *	P p	Pid; -1
 *	C T	NewCPUId and TSCWrap, 1000 ticks later each
 *	f x t a	Entry, Exit, Tail_Exit, Entry_Args, 10 ticks later each
 *	A	CallArgument
 *	u v	custom event and typed event of 5 bytes
 *	U V	a custom event of -1 byte; one of more than there are
 *	F K	a function with action 4; metadata of kind 10
 *	O	TSCWrap to 2^64 - 1
 *	.	EndOfBuffer
 *	0 *	8 bytes: zeros; 0xff
 *	/	0xff up to the header's buffer size
 *	h	the log's header
 *	<	the last record is 4 bytes short
 *	!	remembers the offset
 */
struct xraygen {
	u8 data[8192];
	u32 size;
	u16 version;
	bool big;
	u32 extents;	/* where they are to be written to */
	u32 buffer;	/* where the last one began */
	u32 fault;
	u32 seconds;
	u64 tsc;
};

#define XRAYGEN_BUFFER	512
#define XRAYGEN_PID	4194303
#define XRAYGEN_TID	70000

static void xraygen_put(struct xraygen *g, u64 value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		g->data[g->size++] = value >> 8 * (g->big ? size - 1 - i : i);
}

static void xraygen_fill(struct xraygen *g, u8 byte, unsigned int size)
{
	memset(g->data + g->size, byte, size);
	g->size += size;
}

static void xraygen_header(struct xraygen *g)
{
	xraygen_put(g, g->version, 2);
	xraygen_put(g, 1, 2);
	xraygen_put(g, g->big ? 3U << 30 : 3, 4);
	xraygen_put(g, 2400000000, 8);
	xraygen_put(g, XRAYGEN_BUFFER, 8);
	xraygen_fill(g, 0xee, 8);
}

/* Metadata with two fields; what is reserved is not zero. */
static void xraygen_metadata(struct xraygen *g, u8 kind, u64 a, unsigned int a_size, u64 b,
			     unsigned int b_size)
{
	xraygen_put(g, g->big ? 0x80 | kind : kind << 1 | 1, 1);
	xraygen_put(g, a, a_size);
	xraygen_put(g, b, b_size);
	xraygen_fill(g, 0xee, 15 - a_size - b_size);
}

static void xraygen_function(struct xraygen *g, u32 action, u32 id, u32 delta)
{
	xraygen_put(g, g->big ? action << 28 | id : id << 4 | action << 1, 4);
	xraygen_put(g, delta, 4);
	g->tsc += delta;
}

static void xraygen_event(struct xraygen *g, bool typed, s32 size)
{
	u32 at = g->size;

	xraygen_metadata(g, typed ? 8 : 5, (u32)size, 4, 0, 0);
	g->size = at + 5;
	g->tsc += 10;
	xraygen_put(g, g->version >= 5 ? 10 : g->tsc, g->version >= 5 ? 4 : 8);
	if (typed)
		xraygen_put(g, 77, 2);
	else if (g->version == 4)
		xraygen_put(g, 3, 2);
	/* Before version 5, it moves no base. */
	if (g->version < 5)
		g->tsc -= 10;
	g->size = at + 16;
	memcpy(g->data + g->size, "data\n", 5);
	g->size += 5;
}

/* The buffer's length is known now. */
static void xraygen_end_extents(struct xraygen *g)
{
	u32 size = g->size;

	if (!g->extents)
		return;
	g->size = g->extents;
	xraygen_put(g, size - g->extents - 15, 8);
	g->size = size;
	g->extents = 0;
}

static void xraygen_extents(struct xraygen *g, bool right)
{
	xraygen_end_extents(g);
	xraygen_metadata(g, 7, 47, 8, 0, 0);
	if (right)
		g->extents = g->size - 15;
}

static void xraygen_letter(struct xraygen *g, char letter)
{
	static const char actions[] = "fxta";

	switch (letter) {
	case 'E':
		if (g->version > 1)
			xraygen_extents(g, true);
		break;
	case 'e':
		xraygen_extents(g, false);
		break;
	case 'N':
	case 'n':
		g->buffer = g->size;
		xraygen_metadata(g, 0, letter == 'N' ? XRAYGEN_TID : (u32)-1, 4, 0, 0);
		break;
	case 'W':
	case 'w':
		xraygen_metadata(g, 4, ++g->seconds, 8, letter == 'W' ? 1000 : 1000000000, 4);
		break;
	case 'P':
	case 'p':
		xraygen_metadata(g, 9, letter == 'P' ? XRAYGEN_PID : (u32)-1, 4, 0, 0);
		break;
	case 'C':
		xraygen_metadata(g, 2, 3, 2, g->tsc += 1000, 8);
		break;
	case 'T':
		xraygen_metadata(g, 3, g->tsc += 1000, 8, 0, 0);
		break;
	case 'O':
		xraygen_metadata(g, 3, ~0ULL, 8, 0, 0);
		break;
	case 'f':
	case 'x':
	case 't':
	case 'a':
		xraygen_function(g, strchr(actions, letter) - actions, 0xabcdef1, 10);
		break;
	case 'F':
		xraygen_function(g, 4, 1, 10);
		break;
	case 'A':
		xraygen_metadata(g, 6, 0x123456789abcdef0, 8, 0, 0);
		break;
	case 'u':
	case 'v':
		xraygen_event(g, letter == 'v', 5);
		break;
	case 'U':
	case 'V':
		xraygen_event(g, false, letter == 'U' ? -1 : 7000);
		break;
	case 'K':
		xraygen_metadata(g, 10, 0, 0, 0, 0);
		break;
	case '.':
		xraygen_metadata(g, 1, 0, 0, 0, 0);
		break;
	case '0':
	case '*':
		xraygen_end_extents(g);
		xraygen_fill(g, letter == '0' ? 0 : 0xff, 8);
		break;
	case '/':
		xraygen_fill(g, 0xff, g->buffer + XRAYGEN_BUFFER - g->size);
		break;
	case 'h':
		xraygen_header(g);
		break;
	case '<':
		xraygen_end_extents(g);
		g->size -= 4;
		break;
	case '!':
		g->fault = g->size;
		break;
	}
}

static void xraygen_letters(struct xraygen *g, const char *letters)
{
	const char *head = g->version < 3 ? "ENWC" : "ENWPC";
	const char *p;

	for (; *letters; letters++) {
		if (*letters != 'H') {
			xraygen_letter(g, *letters);
			continue;
		}
		for (p = head; *p; p++)
			xraygen_letter(g, *p);
	}
}

static void xraygen_begin(struct xraygen *g, u16 version, bool big)
{
	memset(g, 0, sizeof(*g));
	g->version = version;
	g->big = big;
	g->tsc = 1ULL << 40;
	xraygen_header(g);
}

#endif /* OVNIK_SELFTESTS_XRAYGEN_H */
