/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_SUGGEST_H
#define OVNIK_UTIL_SUGGEST_H

#include "util/types.h"

/**
 * struct suggestion - The nearest of some names to a word that is none of them.
 * @word: the word
 * @name: the nearest name so far; NULL: none is near enough
 * @cost: letters to add, leave out, change or swap
 */
struct suggestion {
	const char *word;
	const char *name;
	unsigned int cost;
};

/**
 * suggest_offer() - Take a name into account.
 * @to:   its word is set
 * @name: must outlive @to
 */
void suggest_offer(struct suggestion *to, const char *name);

/**
 * suggest_text() - A question to end a message with.
 * @of:   the suggestion
 * @text: is set, for instance to "; did you mean "report"?", or to nothing
 * @size: bytes of @text
 *
 * Return: @text.
 */
const char *suggest_text(const struct suggestion *of, char *text, size_t size);

/**
 * suggest_from() - The same of a list.
 * @word: the word that is none of them
 * @names: the names; those that are NULL are left out
 * @nr: length of @names
 * @text: is set, as by suggest_text()
 * @size: bytes of @text
 *
 * Return: @text.
 */
const char *suggest_from(const char *word, const char *const *names, size_t nr, char *text,
			 size_t size);

#endif /* OVNIK_UTIL_SUGGEST_H */
