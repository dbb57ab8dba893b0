/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_NOTES_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_NOTES_H

#include <stdio.h>

#include "output/tracers/builtin/newfile.h"
#include "output/tracers/tracer.h"

/*
 * Files of lines beside that of the tasks, as CSV or JSON lines. Each is a table: key of its path,
 * names of the columns before the node's.
 */
#define NOTES_TABLES(T)								\
	T(TAGS, "tags", "id", "task", "time_ns", "what")			\
	T(MILESTONES, "milestones", "id", "task", "time_ns", "kind", "what")	\
	T(LOSSES, "losses", "start_ns", "end_ns", "cpu", "event", "lost", "why")

#define NOTES_ENUM(id, ...) NOTES_##id,

enum notes_table {
	NOTES_TABLES(NOTES_ENUM)
	NOTES_NR
};

/**
 * struct notes - Those files.
 * @file: of each table; no path: it is not wanted
 * @f: the same; NULL: it is not open
 * @rows: lines of each
 * @json: they are JSON lines
 * @begin: of the capture
 * @last: what ends each line: the node
 */
struct notes {
	struct newfile file[NOTES_NR];
	FILE *f[NOTES_NR];
	u64 rows[NOTES_NR];
	bool json;
	u64 begin;
	const char *last;
};

/**
 * notes_open() - Begin the wanted files.
 * @n: with paths that newfile_check() accepts, and @json
 *
 * Return: 0, a negative errno (reported).
 */
int notes_open(struct notes *n) __must_check;

/* Write a line; 0 or a negative errno (reported). */
int notes_tag(struct notes *n, const struct trace_tag *tag) __must_check;
int notes_milestone(struct notes *n, const struct trace_milestone *milestone) __must_check;
int notes_loss(struct notes *n, const struct trace_loss *loss) __must_check;

/**
 * notes_answer() - Complete the files, and answer what they are.
 * @n: after notes_open()
 * @to: where to
 *
 * Return: 0, a negative errno (reported).
 */
int notes_answer(struct notes *n, struct tracer_answer *to) __must_check;

/**
 * notes_keep() - Give the files their names.
 * @n: after notes_answer()
 *
 * Return: 0, a negative errno (reported).
 */
int notes_keep(struct notes *n) __must_check;

/**
 * notes_close() - Close the files; removes those that are not complete.
 * @n: as the others left it, or zeroed
 */
void notes_close(struct notes *n);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_NOTES_H */
