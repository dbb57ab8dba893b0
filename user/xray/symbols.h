/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_SYMBOLS_H
#define OVNIK_XRAY_SYMBOLS_H

#include "util/types.h"

struct Elf;

/*
 * The symbols of functions in a binary of unknown origin: of .symtab or, if there is none, of
 * .dynsym. Nothing is looked for elsewhere, whatever the binary names: a debug file, a server of
 * debug files. What is compressed is not read.
 */

/**
 * struct xray_strings - A table of strings.
 * @text: belongs to libelf; its last byte is 0
 * @size: bytes of it; 0: there is none
 */
struct xray_strings {
	const char *text;
	u64 size;
};

/**
 * xray_strings_read() - Read a table of strings, with any index and of any content.
 * @s: is set, to none if it is not sound
 * @elf: the binary; must stay open
 * @section: number of its section
 *
 * libelf's own function looks for the end of the table again for each string, and unpacks it.
 *
 * Context: Any.
 */
void xray_strings_read(struct xray_strings *s, struct Elf *elf, u64 section);

/**
 * xray_string_at() - A string of a table.
 * @s: the table
 * @at: where it begins
 *
 * Context: Any.
 * Return: the string; NULL if it is not in the table.
 */
static inline const char *xray_string_at(const struct xray_strings *s, u64 at)
{
	return at < s->size ? s->text + at : NULL;
}

/**
 * struct xray_symbol - A symbol.
 * @address: of the function
 * @name: belongs to libelf
 * @rank: of several at one address the lowest is meant
 * @index: in the table; of equal ranks the first is meant
 */
struct xray_symbol {
	u64 address;
	const char *name;
	u32 rank;
	u32 index;
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
