/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_JSON_H
#define OVNIK_UTIL_JSON_H

#include <stdio.h>

#include "util/types.h"

struct json_object;

#define JSON_WHY	160	/* bytes of a reason */

/**
 * json_file_text() - Read a file.
 * @path: file name
 * @max: bytes it may have
 * @len: is set to its bytes
 * @why: is set if it fails: JSON_WHY bytes
 *
 * Return: its text followed by a NUL, for free(); or NULL.
 */
char *json_file_text(const char *path, u64 max, size_t *len, char *why);

/**
 * json_parse() - Parse the text of one JSON object.
 * @text: the text, followed by a NUL
 * @len: its bytes
 * @strict: nothing but JSON, and nothing after the object
 * @why: is set if it fails: JSON_WHY bytes
 *
 * Return: the object, or NULL.
 */
struct json_object *json_parse(const char *text, size_t len, bool strict, char *why);

/**
 * json_load() - Read a file that holds one JSON object.
 * @path: file name
 *
 * Return: the object, or NULL after an error, which is reported on stderr with the offset in the
 * text.
 */
struct json_object *json_load(const char *path);

/*
 * Members of an object. Missing members and wrong types are reported on stderr with the file's
 * name.
 */

/**
 * json_get_object() - An object that must be there.
 * @path: file name
 * @from: object
 * @name: member
 *
 * Return: the member or NULL.
 */
struct json_object *json_get_object(const char *path, struct json_object *from, const char *name);

/**
 * json_get_string() - A string that must be there, without NUL in it.
 * @path: file name
 * @from: object
 * @name: member
 *
 * Return: the string or NULL.
 */
const char *json_get_string(const char *path, struct json_object *from, const char *name);

/**
 * json_get_s32() - An integer that must be there.
 * @path: file name
 * @from: object
 * @name: member
 * @value: result
 *
 * Return: 0 or -EINVAL.
 */
int __must_check json_get_s32(const char *path, struct json_object *from, const char *name,
			      s32 *value);

/**
 * json_get_s32_optional() - An integer that need not be there.
 * @path: file name
 * @from: object
 * @name: member
 * @value: result
 *
 * Return: 1, 0 if there is none, or -EINVAL.
 */
int __must_check json_get_s32_optional(const char *path, struct json_object *from,
				       const char *name, s32 *value);

/**
 * json_add() - Add a member to an object.
 * @to: object; NULL: there was no memory for it
 * @name: of the member; one of that name is replaced
 * @value: is taken over, also on errors; NULL: there was no memory for it
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check json_add(struct json_object *to, const char *name, struct json_object *value);

/**
 * json_write() - Write a document, indented.
 * @obj: the document
 * @f: where to
 *
 * Return: 0 or -ENOMEM; errors of writing are those of @f.
 */
int __must_check json_write(struct json_object *obj, FILE *f);

/**
 * json_write_lines() - Write a document for people: objects without objects on one line.
 * @obj: the document
 * @f: where to
 *
 * Return: 0 or -ENOMEM; errors of writing are those of @f.
 */
int __must_check json_write_lines(struct json_object *obj, FILE *f);

#endif /* OVNIK_UTIL_JSON_H */
