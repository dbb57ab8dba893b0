/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_SYMBOLS_H
#define OVNIK_XRAY_SYMBOLS_H

#include "util/types.h"

struct Elf;

/*
 * The symbols of functions in a binary of unknown origin: of .symtab or, if there is none, of
 * .dynsym. Nothing is looked for elsewhere, whatever the binary names: a debug file, a server of
 * debug files; and nothing is unpacked.
 */

/**
 * struct xray_symbol - A symbol.
 * @address: of the function
 * @name: belongs to libelf
 * @rank: of several at one address the first is meant
 */
struct xray_symbol {
	u64 address;
	const char *name;
	u32 rank;
};

/**
 * struct xray_symbols - All of them.
 * @all: by address and rank
 * @nr: how many
 */
struct xray_symbols {
	struct xray_symbol *all;
	u32 nr;
};

/**
 * xray_symbols_read() - Read all symbols of functions.
 * @s: is set; xray_symbols_free() frees it
 * @elf: the binary; must stay open
 *
 * Context: Any.
 * Return: 0, also without any; -ENOMEM.
 */
int xray_symbols_read(struct xray_symbols *s, struct Elf *elf) __must_check;

/**
 * xray_symbols_find() - The name of a function.
 * @s: the symbols
 * @address: where the function begins
 *
 * Context: Any.
 * Return: the name; NULL: there is none.
 */
const char *xray_symbols_find(const struct xray_symbols *s, u64 address);

/**
 * xray_symbols_free() - Free the symbols.
 * @s: as xray_symbols_read() left it
 *
 * Context: Any.
 */
void xray_symbols_free(struct xray_symbols *s);

#endif /* OVNIK_XRAY_SYMBOLS_H */
