/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_HIST_H
#define GUEST_HIST_H

/*
 * Reading what a "hist" trigger of ftrace's has counted: lines such as
 * "{ s_dev:    7340032, i_ino:         12 } hitcount:          3".
 */

#include <stdbool.h>
#include <stdio.h>

/**
 * struct hist_line - What was counted.
 * @key: for these
 * @hits: so often
 */
struct hist_line {
	unsigned long long key[2];
	unsigned long long hits;
};

/**
 * open_hist() - Open a histogram; ends the program if that fails.
 * @dir: its folder
 * @name: its name there
 *
 * Return: it.
 */
FILE *open_hist(const char *dir, const char *name);

/**
 * read_hist() - Read the next line that has been counted.
 * @file: of open_hist()
 * @first: name of the first key
 * @second: of the second one; NULL if there is but one
 * @line: filled
 *
 * Return: false at the end.
 */
bool read_hist(FILE *file, const char *first, const char *second, struct hist_line *line);

#endif /* GUEST_HIST_H */
