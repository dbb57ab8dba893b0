/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_ANSWER_VALUES_H
#define OVNIK_ANSWER_VALUES_H

#include "util/types.h"

/*
 * An answer consists of named values, and tables of them. It is written as text or as
 * JSON; a tracer does not know which.
 *
 *	answer_u64(to, "tasks", n);
 *	answer_ns(to, "busy", ns);
 *	answer_table(to, "histogram", "from,to,tasks");
 *	for (...) {
 *		answer_row(to);
 *		answer_ns(to, "from", ...);
 *		...
 *	}
 *	answer_table_end(to);
 *
 * A name has 1 to TRACER_NAME_MAX printable characters of ASCII. Names are unique in an
 * answer, and in a row; " " is the same as "_" there, and "tracer" and "asked" are taken.
 * A table must end before the answer or the next table. A row has values only for its
 * table's columns; one that is not given is empty. A violation is reported to the user
 * and ends the run. A number that is not finite, a share of 0 and a text that is NULL
 * are empty: "-", as JSON null.
 */
#define TRACER_NAME_MAX		60
#define TRACER_COLUMNS_MAX	16

struct tracer_answer;

void answer_u64(struct tracer_answer *to, const char *name, u64 value);
void answer_ns(struct tracer_answer *to, const char *name, u64 ns);
void answer_bytes(struct tracer_answer *to, const char *name, u64 bytes);
/* As text in percent, as JSON a number from 0 to 1. */
void answer_share(struct tracer_answer *to, const char *name, u64 part, u64 whole);
void answer_real(struct tracer_answer *to, const char *name, double value);
void answer_text(struct tracer_answer *to, const char *name, const char *text);
void answer_table(struct tracer_answer *to, const char *name, const char *columns);
void answer_row(struct tracer_answer *to);
void answer_table_end(struct tracer_answer *to);
/* As text: an empty line; not within a table. */
void answer_gap(struct tracer_answer *to);

#endif /* OVNIK_ANSWER_VALUES_H */
