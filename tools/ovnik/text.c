// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "text.h"
#include "util/shell.h"

/**
 * size_text() - Write a number of bytes with a unit.
 * @bytes: the number
 * @text:  is set, for instance to "12.5 KiB" or "3.0 MiB"
 *
 * Return: @text.
 */
const char *size_text(u64 bytes, char text[SIZE_TEXT])
{
	if (bytes < 1 << 20)
		snprintf(text, SIZE_TEXT, "%.1f KiB", bytes / 1024.0);
	else
		snprintf(text, SIZE_TEXT, "%.1f MiB", bytes / 1048576.0);
	return text;
}

/**
 * program_text() - Name this program as it was started.
 *
 * Context: One thread.
 * Return: word of a shell.
 */
const char *program_text(void)
{
	static char *word;

	if (!word)
		word = shell_word(program_invocation_name);
	return word ? word : "ovnik";
}
