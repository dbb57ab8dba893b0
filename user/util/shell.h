/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_SHELL_H
#define OVNIK_UTIL_SHELL_H

/**
 * shell_word() - Write the name of a file as one word of a shell.
 * @text: the name
 *
 * It is quoted only if a shell would read it in another way. What is no text is written as bash
 * reads it. A name that begins as an option does gets "./".
 *
 * Context: Any thread.
 * Return: text to free, or NULL without memory.
 */
char *shell_word(const char *text);

/**
 * shell_program() - Name a program in a way that starts it.
 * @name: of one that is installed in the same directory
 *
 * In a work tree it is beside this program, and perhaps nowhere else.
 *
 * Context: Any thread.
 * Return: word of a shell to free, or NULL without memory.
 */
char *shell_program(const char *name);

#endif /* OVNIK_UTIL_SHELL_H */
