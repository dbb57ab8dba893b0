/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_TABLE_H
#define OVNIK_SUMS_TABLE_H

#include <stddef.h>

#include "answer/answer.h"
#include "sums/sums.h"
#include "world/facts.h"

/* Tables of the report: a column says which field it shows, and which events that needs. */

/**
 * enum report_form - A field's type, and how it is shown.
 * @FORM_TEXT: char[]; nothing if it is empty
 * @FORM_NAME: char *; nothing if it is NULL
 * @FORM_U64: u64
 * @FORM_NUMBER: u64, which is never 0: nothing if it is
 * @FORM_U32: u32
 * @FORM_NS: u64
 * @FORM_BYTES: u64
 * @FORM_SHARE: u64, as share of a whole; nothing if that is 0
 * @FORM_AVERAGE: struct report_times; nothing if there is none
 * @FORM_HITS: struct report_io, the share of hits; nothing if there are none
 */
enum report_form {
	FORM_TEXT,
	FORM_NAME,
	FORM_U64,
	FORM_NUMBER,
	FORM_U32,
	FORM_NS,
	FORM_BYTES,
	FORM_SHARE,
	FORM_AVERAGE,
	FORM_HITS,
};

/* The events that a value needs in the capture: see table.c. */
enum report_needs {
	NEEDS_NOTHING,
	NEEDS_SWITCHES,
	NEEDS_WAKEUPS,
	NEEDS_FAULTS,
	NEEDS_FAULT_ENDS,
	NEEDS_COW,
	NEEDS_IO,
	NEEDS_CALLS,
	NEEDS_CACHE,
	NEEDS_PAGES,
	NEEDS_MIGRATIONS,
	NR_NEEDS
};

/**
 * struct report_column - A column.
 * @name: its heading; JSON: the key
 * @at: offset in the struct
 * @form: enum report_form
 * @needs: enum report_needs; nothing is shown if those are missing
 */
struct report_column {
	const char *name;
	size_t at;
	u8 form;
	u8 needs;
};

/**
 * struct measure - A row of measures.def.
 * @column: its column; without a name if it is in no table of text
 * @key: its name where all is shown; NULL: it is not
 * @in: enum sum_table: the tables that have it
 * @by: what is compared by it; NULL: nothing
 * @meaning: what it is
 */
struct measure {
	struct report_column column;
	const char *key;
	u32 in;
	const char *by;
	const char *meaning;
};

enum {
#define MEASURE(...) 1 +
	SUMS_NR_MEASURES =
#include "sums/measures.def"
	0,
};

extern const struct measure sums_measures[SUMS_NR_MEASURES];

#define SUMS_OWN	8	/* most columns of a table that are no measures */

/**
 * struct sums_columns - The columns of a table that has measures.
 * @list: columns
 * @nr: length of @list
 */
struct sums_columns {
	struct report_column list[SUMS_OWN + SUMS_NR_MEASURES];
	size_t nr;
};

/**
 * struct report_table - A table that is being written.
 * @to: where to
 * @facts: of the last pass
 * @columns: columns
 * @nr: length of @columns
 * @whole: for FORM_SHARE
 * @partial: nothing is known of a CPU, so a sum of events that is 0 is not known, and not shown
 * @lacking: if there are no @facts: bit n: enum report_needs n is missing
 */
struct report_table {
	struct tracer_answer *to;
	const struct facts *facts;
	const struct report_column *columns;
	size_t nr;
	u64 whole;
	bool partial;
	u32 lacking;
};

/**
 * report_measures() - Give a table columns: its own, and then measures.
 * @t: the table
 * @columns: are set; they stay as long as the table
 * @own: its own
 * @nr: length of @own
 * @in: enum sum_table: which measures
 * @at: offset of struct sum in a row
 */
void report_measures(struct report_table *t, struct sums_columns *columns,
		     const struct report_column *own, size_t nr, u32 in, size_t at);

/**
 * report_lacks() - Is a needed event missing from a capture?
 * @facts: of the last pass
 * @needs: enum report_needs
 *
 * Context: Any.
 * Return: NULL if not; else the name of a missing event.
 */
const char *report_lacks(const struct facts *facts, unsigned int needs);

/**
 * report_lacking() - Which of all needed events are missing?
 * @facts: of the last pass
 *
 * Return: bit n: enum report_needs n is.
 */
u32 report_lacking(const struct facts *facts);

/**
 * report_begin() - Begin a table, as answer_table().
 * @to: where to
 * @name: its heading
 * @columns: names, with commas between
 *
 * Context: Any.
 */
void report_begin(struct tracer_answer *to, const char *name, const char *columns);

/**
 * report_end() - End a table.
 * @to: where to
 *
 * Context: Any.
 */
void report_end(struct tracer_answer *to);

/**
 * report_table_begin() - Begin a table.
 * @t: the table
 * @name: its heading
 * @before: columns that it has before those, as report_begin() wants them; "": none
 * @after: likewise, after those
 *
 * Context: Any.
 */
void report_table_begin(const struct report_table *t, const char *name, const char *before,
			const char *after);

/**
 * report_cells() - Fill a row.
 * @t: the table
 * @thing: the struct
 *
 * Context: After answer_row().
 */
void report_cells(const struct report_table *t, const void *thing);

/**
 * report_not_there() - Write why there is no table, instead of it; as text.
 * @to: where to
 * @name: of the table
 * @missing: from report_lacks()
 *
 * Context: Any.
 */
void report_not_there(struct tracer_answer *to, const char *name, const char *missing);

/**
 * report_write_lacking() - Write all that is missing from a capture; as JSON.
 * @facts: of the last pass
 * @to: where to
 *
 * Context: Any.
 */
void report_write_lacking(const struct facts *facts, struct tracer_answer *to);

#endif /* OVNIK_SUMS_TABLE_H */
