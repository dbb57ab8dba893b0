/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_NAMES_H
#define OVNIK_XRAY_NAMES_H

#include "xray/symbols.h"

/*
 * The names of the functions of a log. The binary's section xray_instr_map has an entry for each
 * instrumented place, ordered by function. Functions are numbered in this order, from 1. The
 * address of a function gives its name, from the symbols of the binary.
 *
 * An entry: address and function (words of the binary), kind, always, version (bytes),
 * padding up to four words. From version 2 on both words are relative to themselves.
 */

#define XRAY_NAME_MAX	400	/* bytes of a name, with its end; upstream refuses 512 */

#define XRAY_BINARY_MAX	(4ULL << 30)	/* bytes of a binary */

struct Elf;

/**
 * struct xray_names - The functions of a binary.
 * @path: file name, for messages
 * @say: reports what is wrong
 * @nr: how many functions; their numbers are 1 to @nr
 * @address: their addresses
 * @room: entries allocated at @address
 * @elf: the binary, which @symbols refer to
 * @symbols: its symbols
 */
struct xray_names {
	const char *path;
	void (*say)(const char *fmt, ...) __printf_like(1, 2);
	u32 nr;
	u64 *address;
	u32 room;
	struct Elf *elf;
	struct xray_symbols symbols;
};

/**
 * struct xray_names_ops - How names are found.
 * @open: read the instrumentation map of the binary @path, which must outlive @n; @n is
 *	  set, and @close is to be called in any case. Return: 0, a negative errno; @say,
 *	  msg_error() or msg_warn(), received the reason
 * @get: the name of a function, XRAY_NAME_MAX bytes at @to, printable; a C++ name is given
 *	 as in the source. Return: false if it is unknown
 * @close: free everything; @n as @open left it
 *
 * They need libelf and libiberty, which not everything that decodes a capture is linked with.
 */
struct xray_names_ops {
	int (*open)(struct xray_names *n, const char *path, void (*say)(const char *fmt, ...));
	bool (*get)(const struct xray_names *n, u32 function, char *to);
	void (*close)(struct xray_names *n);
};

extern const struct xray_names_ops xray_names_elf;

#endif /* OVNIK_XRAY_NAMES_H */
