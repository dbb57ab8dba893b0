// SPDX-License-Identifier: GPL-2.0-only
/* The metadata of a stream of an application, all of it untrusted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "merge/stream.h"
#include "merge/trace.h"
#include "trace/format.h"
#include "util/json.h"
#include "util/msg.h"

static int refuse(const struct merge_stream *s, const char *what)
{
	msg_error("%s: %s", s->json, what);
	return -EINVAL;
}

/* Longer ones would be in our trace, and no emulator would read it. */
static int check_length(const struct merge_stream *s, long type, const char *what,
			struct json_object *text)
{
	size_t len = strlen(json_object_get_string(text) ?: "");

	if (len <= OVNI_LABEL_MAX)
		return 0;
	msg_error("%s: mark %ld: a %s has %zu bytes, the limit is %d", s->json, type, what, len,
		  OVNI_LABEL_MAX);
	return -EINVAL;
}

static int check_texts(const struct merge_stream *s, long type, struct json_object *mark)
{
	struct json_object *title, *labels;

	if (json_object_object_get_ex(mark, "title", &title) &&
	    check_length(s, type, "title", title))
		return -EINVAL;
	if (!json_object_object_get_ex(mark, "labels", &labels) ||
	    !json_object_is_type(labels, json_type_object))
		return 0;
	json_object_object_foreach(labels, value, label) {
		(void)value;
		if (check_length(s, type, "label", label))
			return -EINVAL;
	}
	return 0;
}

static int take_marks(struct merge_trace *tr, const struct merge_stream *s,
		      struct json_object *ovni)
{
	struct json_object *marks;

	if (!json_object_object_get_ex(ovni, "mark", &marks))
		return 0;
	if (!json_object_is_type(marks, json_type_object))
		return refuse(s, "\"mark\" is not an object");
	json_object_object_foreach(marks, key, val) {
		char *end;
		long type = strtol(key, &end, 10);

		if (*end || end == key || type < 0 || type >= OVNI_MARK_TYPES) {
			msg_error("%s: mark \"%s\" is no number from 0 to %d", s->json, key,
				  OVNI_MARK_TYPES - 1);
			return -EINVAL;
		}
		if (json_object_is_type(val, json_type_object) && check_texts(s, type, val))
			return -EINVAL;
		tr->marks[type] = true;
	}
	return 0;
}

static int take_numbers(struct merge_stream *s, struct json_object *ovni)
{
	if (json_get_s32(s->json, ovni, "pid", &s->pid) ||
	    json_get_s32(s->json, ovni, "tid", &s->tid))
		return -EINVAL;
	if (s->pid <= 0 || s->tid <= 0)
		return refuse(s, "\"pid\" or \"tid\" is not greater than 0");
	if (json_get_s32_optional(s->json, ovni, "app_id", &s->app_id) < 0)
		return -EINVAL;
	if (s->app_id < 0)
		return refuse(s, "\"app_id\" is not greater than 0");
	s->rank = -1;
	if (!json_object_object_get_ex(ovni, "rank", NULL))
		return 0;
	if (json_get_s32(s->json, ovni, "rank", &s->rank) ||
	    json_get_s32(s->json, ovni, "nranks", &s->nranks))
		return -EINVAL;
	if (s->rank < 0 || s->rank >= s->nranks)
		return refuse(s, "\"rank\" is not from 0 to \"nranks\" - 1");
	return 0;
}

/* Did an application write it? The trace of a capture cannot be merged with another one. */
static int take_lib(const struct merge_stream *s, struct json_object *ovni)
{
	struct json_object *lib = json_get_object(s->json, ovni, "lib");
	const char *commit = lib ? json_get_string(s->json, lib, "commit") : NULL;

	if (!commit)
		return -EINVAL;
	if (!strncmp(commit, OVNI_OUR_COMMIT, sizeof(OVNI_OUR_COMMIT) - 1))
		return refuse(s, "was made from a capture, not written by an application");
	return 0;
}

static int take_thread(struct merge_trace *tr, struct merge_stream *s, struct json_object *ovni)
{
	struct json_object *cpus = NULL, *require;
	const char *loom;

	loom = json_get_string(s->json, ovni, "loom");
	require = json_get_object(s->json, ovni, "require");
	if (!loom || !require || take_numbers(s, ovni))
		return -EINVAL;
	if (json_object_object_get_ex(ovni, "loom_cpus", &cpus) &&
	    !json_object_is_type(cpus, json_type_array))
		return refuse(s, "\"loom_cpus\" is not an array");
	if (cpus && !json_object_array_length(cpus))
		return refuse(s, "\"loom_cpus\" is empty: a thread that names no CPU leaves it out");
	s->loom = strdup(loom);
	return s->loom ? take_marks(tr, s, ovni) : msg_no_memory();
}

/* nosv's breakdown needs this from every thread of a trace. */
static bool take_can_breakdown(struct json_object *root)
{
	struct json_object *nosv, *can;

	return json_object_object_get_ex(root, "nosv", &nosv) &&
	       json_object_object_get_ex(nosv, "can_breakdown", &can) &&
	       json_object_get_boolean(can);
}

/* Return: 1 for the stream of a thread, 0 for another one. */
static int take_root(struct merge_trace *tr, struct merge_stream *s, struct json_object *root)
{
	struct json_object *ovni;
	s32 version, finished;
	const char *part;
	int ret;

	if (json_get_s32(s->json, root, "version", &version))
		return -EINVAL;
	if (version != OVNI_METADATA_VERSION) {
		msg_error("%s: version %d, expected %d", s->json, version, OVNI_METADATA_VERSION);
		return -EINVAL;
	}
	ovni = json_get_object(s->json, root, "ovni");
	part = ovni ? json_get_string(s->json, ovni, "part") : NULL;
	if (!part || json_get_s32_optional(s->json, ovni, "finished", &finished) < 0)
		return -EINVAL;
	if (strcmp(part, "thread"))
		return 0;
	s->killed = !json_object_object_get_ex(ovni, "finished", NULL) || finished != 1;
	s->can_breakdown = take_can_breakdown(root);
	ret = take_lib(s, ovni);
	if (!ret)
		ret = take_thread(tr, s, ovni);
	return ret ? ret : 1;
}

int merge_stream_killed(const struct merge_stream *s)
{
	return refuse(s, "\"finished\" is not 1: the thread did not end its stream by ovni_thread_free(); was its program killed?");
}

int merge_stream_take(struct merge_trace *tr, struct merge_stream *s)
{
	struct json_object *root = json_load(s->json);
	int ret;

	if (!root)
		return -EINVAL;
	ret = take_root(tr, s, root);
	json_object_put(root);
	if (!ret)
		msg_warn("%s: is not the stream of a thread, and left out", s->json);
	return ret;
}
