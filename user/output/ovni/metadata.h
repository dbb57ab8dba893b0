/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_METADATA_H
#define OVNIK_OUTPUT_OVNI_METADATA_H

#include <stdio.h>

#include "util/types.h"

struct json_object;
struct ovni_writer;

/**
 * ovni_metadata_create() - Begin the metadata of a stream.
 * @version: of the library that writes it
 * @commit: of that library
 * @part: "thread" or "cpu"
 * @ovni: is set to the object "ovni" in it
 *
 * Context: Any.
 * Return: the document; NULL: out of memory.
 */
struct json_object *ovni_metadata_create(const char *version, const char *commit,
					 const char *part, struct json_object **ovni);

/**
 * ovni_metadata_add_mark() - Describe a mark.
 * @marks: where to: the object "mark"
 * @number: of the mark
 * @title: its title
 * @stack: it is a stack, not a single value
 * @key: ovnik's name of the activity; NULL: none
 * @labels: texts of values; is taken over
 *
 * Context: Any.
 * Return: 0 or -ENOMEM.
 */
int __must_check ovni_metadata_add_mark(struct json_object *marks, s32 number, const char *title,
					bool stack, const char *key, struct json_object *labels);

/**
 * ovni_metadata_write() - Write the metadata of a stream.
 * @wr: the writer
 * @stream: which one
 * @last: it describes CPUs and marks for all streams: all events are written
 * @f: where to
 *
 * Context: Any.
 * Return: 0, a negative errno (reported); errors of writing are those of @f.
 */
int __must_check ovni_metadata_write(struct ovni_writer *wr, u32 stream, bool last, FILE *f);

#endif /* OVNIK_OUTPUT_OVNI_METADATA_H */
