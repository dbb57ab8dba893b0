// SPDX-License-Identifier: GPL-2.0-only
/* JSON files: those of unknown origin are read, ours are built and written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "util/file.h"
#include "util/json.h"
#include "util/json_compat.h"
#include "util/msg.h"
#include "util/utf8.h"

#define JSON_FILE_MAX	(16 << 20)
#define JSON_DEPTH	32
#define JSON_VALUES	(1 << 20)	/* each takes up to 800 bytes; 8,192 CPUs have 910,000 */
#define LINES_DEPTH	3	/* json_write_lines(): objects below are on one line */

char *json_file_text(const char *path, u64 max, size_t *len, char *why)
{
	struct stat st;
	char *text = NULL;
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		snprintf(why, JSON_WHY, "cannot open: %s", strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		snprintf(why, JSON_WHY, "is not a regular file");
	} else if ((u64)st.st_size > max) {
		snprintf(why, JSON_WHY, "%lld bytes are too much, the limit is %llu",
			 (long long)st.st_size, max);
	} else {
		text = malloc(st.st_size + 1);
		got = text ? pread_all(fd, text, st.st_size, 0) : -ENOMEM;
		if (got < 0) {
			snprintf(why, JSON_WHY, "cannot read: %s", strerror(-got));
			free(text);
			text = NULL;
		} else {
			text[got] = '\0';
			*len = got;
		}
	}
	close(fd);
	return text;
}

/* A value may be behind each. In texts, too: json-c knows other texts than the standard has. */
static bool has_too_many(const char *text, size_t len)
{
	const char *p, *end = text + len;
	size_t values = 0;

	for (p = text; p < end && values < JSON_VALUES; p++)
		values += *p == ',' || *p == '{' || *p == '[';
	return values == JSON_VALUES;
}

/* Of all objects in a value; NaN and what is beyond all numbers are no JSON. */
static size_t count_members(struct json_object *obj, bool *numbers)
{
	size_t i, nr = 0;

	if (json_object_is_type(obj, json_type_double))
		*numbers &= isfinite(json_object_get_double(obj));
	for (i = 0; json_object_is_type(obj, json_type_array) &&
	     i < json_object_array_length(obj); i++)
		nr += count_members(json_object_array_get_idx(obj, i), numbers);
	if (!json_object_is_type(obj, json_type_object))
		return nr;
	json_object_object_foreach(obj, name, member) {
		(void)name;
		nr += 1 + count_members(member, numbers);
	}
	return nr;
}

/* There is a colon behind each name. */
static size_t count_names(const char *text, size_t len)
{
	bool string = false;
	size_t i, nr = 0;

	for (i = 0; i < len; i++) {
		if (string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			string = !string;
		else
			nr += !string && text[i] == ':';
	}
	return nr;
}

/* json-c takes the last of two members with one name, and numbers that JSON does not have. */
static bool is_strict(struct json_object *obj, const char *text, size_t len, char *why)
{
	bool numbers = true;
	size_t members = count_members(obj, &numbers);

	if (!numbers)
		snprintf(why, JSON_WHY, "no valid JSON: a number is NaN, infinite or too large");
	else if (members != count_names(text, len))
		snprintf(why, JSON_WHY, "no valid JSON: an object has two members of one name");
	else
		return true;
	return false;
}

static struct json_object *parse(struct json_tokener *tok, const char *text, size_t len,
				 bool strict)
{
	json_tokener_reset(tok);
	json_tokener_set_flags(tok, strict ? JSON_TOKENER_STRICT : 0);
	return json_tokener_parse_ex(tok, text, strict ? (int)len : -1);
}

/* Only json-c 0.15 and later can be told to leave what is behind an object. */
static bool is_whole(struct json_tokener *tok, const char *text, size_t len)
{
	json_object_put(parse(tok, text, len, true));
	return json_tokener_get_error(tok) == json_tokener_success;
}

/**
 * struct parsed - What json-c makes of a text.
 * @obj: the value; NULL: none, or null
 * @err: json_tokener_success, or why not
 * @end: where it stopped, or the next thing is
 * @more: strict: something is behind the value
 */
struct parsed {
	struct json_object *obj;
	enum json_tokener_error err;
	size_t end;
	bool more;
};

static struct parsed parse_first(struct json_tokener *tok, const char *text, size_t len,
				 bool strict)
{
	struct parsed p = { .obj = parse(tok, text, len, strict) };

	p.err = json_tokener_get_error(tok);
	p.end = json_parse_end(tok);
	if (p.err == json_tokener_success)
		p.end += strspn(text + p.end, " \t\r\n");
	p.more = strict && p.end != len &&
		 (p.err == json_tokener_success ||
		  (p.err == json_tokener_error_parse_unexpected && is_whole(tok, text, p.end)));
	return p;
}

static bool is_one_object(const struct parsed *p, char *why)
{
	if (p->more)
		snprintf(why, JSON_WHY, "offset %zu: no valid JSON: text after the object", p->end);
	else if (p->err != json_tokener_success)
		snprintf(why, JSON_WHY, "offset %zu: no valid JSON: %s", p->end,
			 p->err == json_tokener_continue ? "the text ends too early" :
			 json_tokener_error_desc(p->err));
	else if (!json_object_is_type(p->obj, json_type_object))
		snprintf(why, JSON_WHY, "offset 0: is not a JSON object");
	else
		return true;
	return false;
}

struct json_object *json_parse(const char *text, size_t len, bool strict, char *why)
{
	struct json_tokener *tok;
	struct parsed p;

	if (has_too_many(text, len)) {
		snprintf(why, JSON_WHY, "has %d values or more, which is the limit",
			 JSON_VALUES);
		return NULL;
	}
	tok = json_tokener_new_ex(JSON_DEPTH);
	if (!tok) {
		snprintf(why, JSON_WHY, "out of memory");
		return NULL;
	}
	p = parse_first(tok, text, len, strict);
	json_tokener_free(tok);
	if (is_one_object(&p, why) && (!strict || is_strict(p.obj, text, len, why)))
		return p.obj;
	json_object_put(p.obj);
	return NULL;
}

/* Read a file that holds one JSON object. */
static struct json_object *json_read(const char *path, u64 max, bool strict, char *why)
{
	struct json_object *obj;
	size_t len = 0;
	char *text;

	text = json_file_text(path, max, &len, why);
	if (!text)
		return NULL;
	obj = json_parse(text, len, strict, why);
	free(text);
	return obj;
}

struct json_object *json_load(const char *path)
{
	struct json_object *obj;
	char why[JSON_WHY];

	obj = json_read(path, JSON_FILE_MAX, true, why);
	if (!obj)
		msg_error("%s: %s", path, why);
	return obj;
}

static struct json_object *json_member(const char *path, struct json_object *from,
				       const char *name, enum json_type type)
{
	struct json_object *obj;

	if (!json_object_object_get_ex(from, name, &obj)) {
		msg_error("%s: \"%s\" is missing", path, name);
		return NULL;
	}
	if (!json_object_is_type(obj, type)) {
		msg_error("%s: \"%s\" is %s, expected %s", path, name,
			  json_type_to_name(json_object_get_type(obj)), json_type_to_name(type));
		return NULL;
	}
	return obj;
}

struct json_object *json_get_object(const char *path, struct json_object *from, const char *name)
{
	return json_member(path, from, name, json_type_object);
}

const char *json_get_string(const char *path, struct json_object *from, const char *name)
{
	struct json_object *obj = json_member(path, from, name, json_type_string);
	const char *text;

	if (!obj)
		return NULL;
	text = json_object_get_string(obj);
	if (strlen(text) == (size_t)json_object_get_string_len(obj))
		return text;
	msg_error("%s: \"%s\" has a NUL in it", path, name);
	return NULL;
}

int json_get_s32_optional(const char *path, struct json_object *from, const char *name, s32 *value)
{
	struct json_object *obj;
	double d;
	s64 v;

	if (!json_object_object_get_ex(from, name, &obj))
		return 0;
	if (!json_object_is_type(obj, json_type_int) &&
	    !json_object_is_type(obj, json_type_double)) {
		msg_error("%s: \"%s\" is %s, expected int", path, name,
			  json_type_to_name(json_object_get_type(obj)));
		return -EINVAL;
	}
	/* Some writers have no integers: accept 1.0, but not 1.5. */
	d = json_object_get_double(obj);
	if (!(d >= INT_MIN && d <= INT_MAX)) {
		msg_error("%s: \"%s\" is out of range", path, name);
		return -EINVAL;
	}
	v = (s64)d;
	if ((double)v != d) {
		msg_error("%s: \"%s\" is not an integer", path, name);
		return -EINVAL;
	}
	*value = v;
	return 1;
}

int json_get_s32(const char *path, struct json_object *from, const char *name, s32 *value)
{
	int ret = json_get_s32_optional(path, from, name, value);

	if (!ret)
		msg_error("%s: \"%s\" is missing", path, name);
	return ret > 0 ? 0 : -EINVAL;
}

int json_add(struct json_object *to, const char *name, struct json_object *value)
{
	if (to && value && !json_object_object_add(to, name, value))
		return 0;
	json_object_put(value);
	return -ENOMEM;
}

int json_write(struct json_object *obj, FILE *f)
{
	const char *text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text)
		return -ENOMEM;
	utf8_put_json(f, text);
	fputc('\n', f);
	return 0;
}

static const bool plain[256] = {
	[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true,
};

/* A character that is not plain ASCII. All harmful ones are escaped alike. */
static unsigned int put_escaped(const char *text, FILE *f)
{
	unsigned int len = utf8_len(text);

	if (*text == '"' || *text == '\\')
		fprintf(f, "\\%c", *text);
	else if (len && !utf8_shown(text))
		fprintf(f, "\\u%04x", utf8_code(text));
	else
		fwrite(text, 1, len ? len : 1, f);
	return len ? len : 1;
}

/* Nothing else writes to @f meanwhile. */
static void put_string(const char *text, FILE *f)
{
	putc_unlocked('"', f);
	while (*text) {
		if (likely(plain[(u8)*text]))
			putc_unlocked(*text++, f);
		else
			text += put_escaped(text, f);
	}
	putc_unlocked('"', f);
}

static bool has_objects(struct json_object *obj)
{
	if (json_object_is_type(obj, json_type_array))
		return json_object_is_type(json_object_array_get_idx(obj, 0), json_type_object);
	json_object_object_foreach(obj, name, member) {
		(void)name;
		if (json_object_is_type(member, json_type_object))
			return true;
	}
	return false;
}

static void put_space(unsigned int tabs, bool line, FILE *f)
{
	putc_unlocked(line ? '\n' : ' ', f);
	while (line && tabs--)
		putc_unlocked('\t', f);
}

static int put_value(struct json_object *obj, unsigned int depth, FILE *f);

static int put_elements(struct json_object *array, unsigned int depth, bool lines, FILE *f)
{
	size_t i, nr = json_object_array_length(array);
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (i)
			putc_unlocked(',', f);
		put_space(depth, lines, f);
		ret = put_value(json_object_array_get_idx(array, i), depth, f);
	}
	return ret;
}

static int put_members(struct json_object *obj, unsigned int depth, bool lines, FILE *f)
{
	bool first = true;
	int ret = 0;

	json_object_object_foreach(obj, name, member) {
		if (ret)
			break;
		if (!first)
			putc_unlocked(',', f);
		first = false;
		put_space(depth, lines, f);
		put_string(name, f);
		putc_unlocked(':', f);
		putc_unlocked(' ', f);
		ret = put_value(member, depth, f);
	}
	return ret;
}

static void put_int(s64 value, FILE *f)
{
	u64 left = value < 0 ? -(u64)value : (u64)value;
	char text[20], *p = text + sizeof(text);

	do {
		*--p = '0' + left % 10;
		left /= 10;
	} while (left);
	if (value < 0)
		*--p = '-';
	fwrite_unlocked(p, 1, text + sizeof(text) - p, f);
}

static int put_scalar(struct json_object *obj, FILE *f)
{
	const char *text;

	switch (json_object_get_type(obj)) {
	case json_type_string:
		put_string(json_object_get_string(obj), f);
		return 0;
	case json_type_int:
		put_int(json_object_get_int64(obj), f);
		return 0;
	default:
		text = json_object_to_json_string(obj);
		if (!text)
			return -ENOMEM;
		fputs_unlocked(text, f);
		return 0;
	}
}

static int put_value(struct json_object *obj, unsigned int depth, FILE *f)
{
	bool array = json_object_is_type(obj, json_type_array), lines;
	int ret;

	if (!array && !json_object_is_type(obj, json_type_object))
		return put_scalar(obj, f);
	lines = depth < LINES_DEPTH && has_objects(obj);
	putc_unlocked(array ? '[' : '{', f);
	ret = array ? put_elements(obj, depth + 1, lines, f) :
		      put_members(obj, depth + 1, lines, f);
	put_space(depth, lines, f);
	putc_unlocked(array ? ']' : '}', f);
	return ret;
}

int json_write_lines(struct json_object *obj, FILE *f)
{
	int ret = put_value(obj, 0, f);

	putc_unlocked('\n', f);
	return ret;
}
