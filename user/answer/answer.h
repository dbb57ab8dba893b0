/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_ANSWER_ANSWER_H
#define OVNIK_ANSWER_ANSWER_H

#include <stdio.h>

#include "answer/units.h"
#include "answer/values.h"

/*
 * Answers, as text or as JSON; for their contents see values.h.
 *
 * JSON: an array with an object for each answer: "tracer", "asked", then its values, an
 * array of objects for each table. Spaces in names become "_"; the names of times end
 * in "_ns". A table without columns is for JSON only: its rows hold what they are given.
 */

/**
 * answer_create() - Begin to collect answers.
 * @json: as JSON
 *
 * Context: Any.
 * Return: what answer_destroy() frees; NULL without memory.
 */
struct tracer_answer *answer_create(bool json);

/**
 * answer_destroy() - Free answers.
 * @to: from answer_create(), or NULL
 *
 * Context: Any.
 */
void answer_destroy(struct tracer_answer *to);

/**
 * answer_open() - Begin an answer.
 * @to: the answers
 * @name: the tracer
 * @asked: what the user wrote; is kept until answer_close()
 *
 * Context: Any.
 */
void answer_open(struct tracer_answer *to, const char *name, const char *asked);

/**
 * answer_close() - End an answer.
 * @to: after answer_open()
 *
 * Context: Any.
 * Return: 0; -EINVAL (reported) if it violates the rules of values.h: @to is of no use then.
 */
int answer_close(struct tracer_answer *to) __must_check;

/**
 * answer_write() - Write all answers.
 * @to: the answers, none open
 * @f: where to
 *
 * Context: Any.
 * Return: 0; -ENOMEM if there was no memory at some time; the negative errno of a write.
 */
int answer_write(struct tracer_answer *to, FILE *f) __must_check;

/**
 * answer_number() - Add a number that is text already, as answer_text() does.
 * @to: the answer
 * @name: its name, or its column's
 * @text: a number with its unit
 *
 * Unlike other texts it is aligned as numbers are, and never cut.
 *
 * Context: Any.
 */
void answer_number(struct tracer_answer *to, const char *name, const char *text);

#define ANSWER_TIME	UNIT_TEXT

/**
 * answer_time_like() - A time in the unit of another one.
 * @ns: the time
 * @of: the largest one that stands beside it
 * @text: is set
 *
 * Context: Any.
 * Return: @text.
 */
const char *answer_time_like(u64 ns, u64 of, char text[ANSWER_TIME]);

/**
 * answer_time() - A time as answer_ns() writes it as text.
 * @ns: the time
 * @text: is set
 *
 * Context: Any.
 * Return: @text.
 */
const char *answer_time(u64 ns, char text[ANSWER_TIME]);

/**
 * answer_size() - A size as answer_bytes() writes it as text.
 * @bytes: the size
 * @text: is set
 *
 * Context: Any.
 * Return: @text.
 */
const char *answer_size(u64 bytes, char text[ANSWER_TIME]);

#endif /* OVNIK_ANSWER_ANSWER_H */
