/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_CAPTURES_H
#define OVNIK_DECODE_CAPTURES_H

#include "util/types.h"

/**
 * struct captures - Directories of captures.
 * @path: one each
 * @nr: how many
 */
struct captures {
	char **path;
	unsigned int nr;
};

/**
 * captures_add() - Add a capture, or those in a directory that is none.
 * @list: zeroed at first; captures_free() frees it, also after an error
 * @dir: the directory; added as it is if neither it nor what is in it is a capture
 *
 * Of a directory of captures, those are added that are in it, by name, and what is empty: a
 * capture of which nothing is left.
 *
 * Context: Any.
 * Return: 0, -ENOMEM (reported).
 */
int captures_add(struct captures *list, const char *dir) __must_check;

/**
 * captures_leave_empty() - Leave out what is empty beside captures.
 * @list: the list; one is always left
 *
 * For what is asked of one capture: a directory beside it in which nothing is left is none.
 *
 * Context: Any.
 */
void captures_leave_empty(struct captures *list);

/**
 * captures_near() - Find what was meant by a name that no file has.
 * @name: in this directory
 * @text: is set to a question that ends a message, about a capture of this directory, or to nothing
 * @size: bytes of @text
 *
 * Return: @text.
 */
const char *captures_near(const char *name, char *text, size_t size);

/**
 * captures_free() - Free a list.
 * @list: the list
 */
void captures_free(struct captures *list);

#endif /* OVNIK_DECODE_CAPTURES_H */
