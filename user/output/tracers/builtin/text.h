/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_TEXT_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_TEXT_H

#include <stdio.h>

/**
 * text_csv() - Write a text as a value of CSV.
 * @f: where to
 * @text: any bytes; the file is UTF-8. What a spreadsheet would take for a formula is marked as
 *	  text
 *
 * Context: Any.
 */
void text_csv(FILE *f, const char *text);

/**
 * text_json() - Write a text as a value of JSON.
 * @f: where to
 * @text: any bytes
 *
 * Context: Any.
 */
void text_json(FILE *f, const char *text);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_TEXT_H */
