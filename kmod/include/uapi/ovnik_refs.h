/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
#ifndef _UAPI_OVNIK_REFS_H
#define _UAPI_OVNIK_REFS_H

/*
 * nopl of 8 bytes with a displacement that nobody else has: an instruction that does nothing, but
 * which QEMU's plugin sees. The last byte says what it asks for; see Documentation/refs.rst.
 */
#define OVNIK_REFS_OPCODE	0x0f, 0x1f, 0x84, 0x00
#define OVNIK_REFS_NAME		'o', 'v', 'n'

#define OVNIK_REFS_ON		'1'
#define OVNIK_REFS_OFF		'0'
#define OVNIK_REFS_TREE		't'	/* on, and no task of the tree runs */
#define OVNIK_REFS_IN		'+'	/* a task of the tree runs from here on */
#define OVNIK_REFS_OUT		'-'	/* none does */

#define _OVNIK_REFS_TEXT(...)	#__VA_ARGS__
#define _OVNIK_REFS_BYTES(...)	".byte " _OVNIK_REFS_TEXT(__VA_ARGS__) "\n\t"

/* For asm(). @what: one of the above */
#define OVNIK_REFS_NOP(what)	_OVNIK_REFS_BYTES(OVNIK_REFS_OPCODE, OVNIK_REFS_NAME, what)

/*
 * The log begins with the next translated block: a read of the TSC ends this one, and a second
 * one tells the time. Changes rax and rdx.
 */
#define OVNIK_REFS_BEGIN	"rdtsc\n\trdtsc\n\t"

#endif /* _UAPI_OVNIK_REFS_H */
