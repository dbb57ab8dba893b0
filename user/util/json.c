// SPDX-License-Identifier: GPL-2.0-only
/* JSON files of unknown origin. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "util/json.h"
#include "util/msg.h"

#define JSON_FILE_MAX	(16 << 20)
#define JSON_DEPTH	32

static int json_open(const char *path, size_t *size)
{
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		report_error(path, "cannot open", errno);
		return -1;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		msg_error("%s: is not a regular file", path);
		goto err_close;
	}
	if (st.st_size > JSON_FILE_MAX) {
		msg_error("%s: %lld bytes are too much, the limit is %d", path,
			  (long long)st.st_size, JSON_FILE_MAX);
		goto err_close;
	}
	*size = st.st_size;
	return fd;

err_close:
	close(fd);
	return -1;
}

static char *json_read(const char *path, size_t *len)
{
	size_t size = 0;
	size_t have = 0;
	ssize_t n;
	char *text;
	int fd;

	fd = json_open(path, &size);
	if (fd < 0)
		return NULL;
	text = malloc(size + 1);
	if (!text) {
		msg_error("%s: out of memory", path);
		goto out;
	}
	while (have < size) {
		n = read(fd, text + have, size - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			report_error(path, "cannot read", errno);
			free(text);
			text = NULL;
			goto out;
		}
		if (n == 0)
			break;
		have += n;
	}
	text[have] = '\0';
	*len = have;
out:
	close(fd);
	return text;
}

static struct json_object *json_parse(const char *path, const char *text, size_t len)
{
	struct json_tokener *tok = json_tokener_new_ex(JSON_DEPTH);
	enum json_tokener_error err;
	struct json_object *obj;
	size_t end;

	if (!tok) {
		msg_error("%s: out of memory", path);
		return NULL;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
	obj = json_tokener_parse_ex(tok, text, (int)len);
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (err != json_tokener_success) {
		msg_error("%s: offset %zu: no valid JSON: %s", path, end,
			  err == json_tokener_continue ? "the text ends too early" :
			  json_tokener_error_desc(err));
		goto err_put;
	}
	end += strspn(text + end, " \t\r\n");
	if (end != len) {
		msg_error("%s: offset %zu: no valid JSON: text behind the object", path, end);
		goto err_put;
	}
	if (!json_object_is_type(obj, json_type_object)) {
		msg_error("%s: offset 0: is not a JSON object", path);
		goto err_put;
	}
	return obj;

err_put:
	json_object_put(obj);
	return NULL;
}

struct json_object *json_load(const char *path)
{
	struct json_object *obj;
	size_t len = 0;
	char *text;

	text = json_read(path, &len);
	if (!text)
		return NULL;
	obj = json_parse(path, text, len);
	free(text);
	return obj;
}

static struct json_object *json_member(const char *path, struct json_object *from,
				       const char *name, enum json_type type)
{
	struct json_object *obj;

	if (!json_object_object_get_ex(from, name, &obj)) {
		msg_error("%s: '%s' is missing", path, name);
		return NULL;
	}
	if (!json_object_is_type(obj, type)) {
		msg_error("%s: '%s' is %s, expected %s", path, name,
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
	msg_error("%s: '%s' has a NUL in it", path, name);
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
		msg_error("%s: '%s' is %s, expected int", path, name,
			  json_type_to_name(json_object_get_type(obj)));
		return -EINVAL;
	}
	/* Some writers know no integers: 1.0 is fine, 1.5 is not. */
	d = json_object_get_double(obj);
	if (!(d >= INT_MIN && d <= INT_MAX)) {
		msg_error("%s: '%s' is out of range", path, name);
		return -EINVAL;
	}
	v = (s64)d;
	if ((double)v != d) {
		msg_error("%s: '%s' is not an integer", path, name);
		return -EINVAL;
	}
	*value = v;
	return 1;
}

int json_get_s32(const char *path, struct json_object *from, const char *name, s32 *value)
{
	int ret = json_get_s32_optional(path, from, name, value);

	if (!ret)
		msg_error("%s: '%s' is missing", path, name);
	return ret > 0 ? 0 : -EINVAL;
}
