// SPDX-License-Identifier: GPL-2.0-only
/* The marks of a merged trace: see marks.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "merge/marks.h"
#include "output/ovni/writer.h"

#define MARK_BYTES	12	/* payload: value, number of the mark */

static struct marks_label *find_label(const struct marks *m, u32 type, s64 value, u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&m->labels, hash); node; node = hash_next(node)) {
		struct marks_label *label = container_of(node, struct marks_label, node);

		if (label->type == type && label->value == value)
			return label;
	}
	return NULL;
}

static struct marks_label *new_label(u32 type, s64 value, const char *text)
{
	size_t len = strlen(text);
	struct marks_label *label = calloc(1, sizeof(*label) + len + 1);

	if (!label)
		return NULL;
	label->type = type;
	label->value = value;
	memcpy(label->text, text, len);
	return label;
}

/* The first text of a value counts. NULL: no memory. */
static struct marks_label *add_label(struct marks *m, u32 type, s64 value, const char *text)
{
	u64 hash = hash_of(&m->labels, value, type);
	struct marks_label *label = find_label(m, type, value, hash);

	if (label)
		return label;
	label = new_label(type, value, text);
	if (label)
		hash_add(&m->labels, &label->node, hash);
	return label;
}

/* Of a value that has no text, or none yet. */
static struct marks_label *label_of(struct marks *m, u32 type, s64 value)
{
	struct marks_label *label = find_label(m, type, value, hash_of(&m->labels, value, type));
	char text[24];

	if (label)
		return label;
	if (m->nr_unnamed == MARKS_UNNAMED) {
		if (!m->types[type].others)
			m->types[type].others = new_label(type, 0, "other values");
		return m->types[type].others;
	}
	m->nr_unnamed++;
	snprintf(text, sizeof(text), "%lld", (long long)value);
	return add_label(m, type, value, text);
}

static int declare_labels(struct marks *m, u32 type, struct json_object *labels)
{
	json_object_object_foreach(labels, key, text) {
		char *end;
		s64 value = strtoll(key, &end, 10);

		if (*end || end == key || !json_object_is_type(text, json_type_string))
			continue;
		if (!add_label(m, type, value, json_object_get_string(text)))
			return -ENOMEM;
	}
	return 0;
}

static int declare(struct marks *m, u32 type, struct json_object *mark)
{
	struct json_object *title, *key, *labels;

	if (!json_object_object_get_ex(mark, "title", &title) ||
	    !json_object_is_type(title, json_type_string))
		return 0;
	if (!m->types[type].title)
		m->types[type].title = strdup(json_object_get_string(title));
	if (!m->types[type].title)
		return -ENOMEM;
	if (json_object_object_get_ex(mark, "ovnik", &key))
		m->types[type].functions |= !strcmp(json_object_get_string(key),
						    ovni_activities[OVNI_ACTIVITY_FUNCTION].key);
	if (!json_object_object_get_ex(mark, "labels", &labels) ||
	    !json_object_is_type(labels, json_type_object))
		return 0;
	return declare_labels(m, type, labels);
}

/* Numbers were checked when the trace was opened. */
static int declare_all(struct marks *m, struct json_object *root)
{
	struct json_object *ovni, *marks;
	int ret = 0;

	if (!json_object_object_get_ex(root, "ovni", &ovni) ||
	    !json_object_object_get_ex(ovni, "mark", &marks))
		return 0;
	json_object_object_foreach(marks, key, mark) {
		unsigned long type = strtoul(key, NULL, 10);

		if (!ret && type < OVNI_MARK_TYPES && json_object_is_type(mark, json_type_object))
			ret = declare(m, type, mark);
	}
	return ret;
}

static int declare_threads(struct marks *m, const struct ovni_joined *joined, const char *loom)
{
	struct json_object *root;
	int ret = 0;
	u32 i;

	for (i = 0; i < m->inventory->nr_threads && ret >= 0; i++) {
		ret = joined->describe(joined->data, i, loom, &root);
		if (ret <= 0)
			continue;
		ret = declare_all(m, root);
		json_object_put(root);
	}
	return ret < 0 ? ret : 0;
}

static struct marks_track *track_of(struct marks *m, u32 thread, u32 type)
{
	struct marks_track *track = m->tracks[thread];

	while (track && track->type != type)
		track = track->next;
	if (track)
		return track;
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->thread = thread;
	track->type = type;
	track->next = m->tracks[thread];
	m->tracks[thread] = track;
	return track;
}

static int tell(struct marks *m, struct marks_track *track, u64 ns, struct marks_label *label,
		bool begins)
{
	const struct marks_change change = {
		.ns = ns, .track = track, .type = &m->types[track->type], .label = label,
		.begins = begins,
	};

	return m->fn(m->data, &change);
}

static int pop(struct marks *m, struct marks_track *track, u64 ns)
{
	int ret;

	if (!track->depth)
		return 0;
	ret = tell(m, track, ns, track->values[track->depth - 1], false);
	track->depth--;
	track->since = ns;
	return ret;
}

static int push(struct marks *m, struct marks_track *track, u64 ns, s64 value)
{
	struct marks_label *label = label_of(m, track->type, value);
	struct marks_label **values = track->values;
	int ret;

	if (!label)
		return -ENOMEM;
	if (track->depth == track->room) {
		track->room = track->room ? 2 * track->room : 4;
		values = realloc(values, track->room * sizeof(*values));
		if (!values)
			return -ENOMEM;
		track->values = values;
	}
	ret = tell(m, track, ns, label, true);
	values[track->depth++] = label;
	track->since = ns;
	return ret;
}

static int set(struct marks *m, struct marks_track *track, u64 ns, s64 value)
{
	int ret = pop(m, track, ns);

	return ret || !value ? ret : push(m, track, ns, value);
}

static int mark(struct marks *m, u32 thread, const struct ovni_ev *ev)
{
	struct marks_track *track;
	s64 value;
	s32 type;

	memcpy(&value, ev->payload, sizeof(value));
	memcpy(&type, (const u8 *)ev->payload + sizeof(value), sizeof(type));
	if (type < 0 || type >= OVNI_MARK_TYPES || !m->types[type].title)
		return 0;
	track = track_of(m, thread, type);
	if (!track)
		return -ENOMEM;
	switch (ev->mcv[2]) {
	case '[':
		return push(m, track, ev->clock, value);
	case ']':
		return pop(m, track, ev->clock);
	case '=':
		return set(m, track, ev->clock, value);
	}
	return 0;
}

static int end_all(struct marks *m, u32 thread, u64 ns)
{
	struct marks_track *track;
	int ret = 0;

	for (track = m->tracks[thread]; track; track = track->next) {
		while (track->depth && !ret)
			ret = pop(m, track, ns > track->since ? ns : track->since);
	}
	return ret;
}

static void on_events(void *data, const struct hook_ctx *ctx)
{
	const struct ovni_events *events = ctx->item;
	struct marks *m = data;
	struct ovni_ev ev;
	u32 at = 0;
	int ret = 0;

	/* A jumbo event comes alone. */
	if (ctx->domain->error || *events->raw & OVNI_EV_JUMBO)
		return;
	while (!ret && ovni_events_next(events, &at, &ev)) {
		if (ev.mcv[0] != 'O')
			continue;
		if (ev.mcv[1] == 'M' && ev.size == MARK_BYTES)
			ret = mark(m, events->index, &ev);
		else if (ev.mcv[1] == 'H' && ev.mcv[2] == 'e')
			ret = end_all(m, events->index, ev.clock);
	}
	if (ret)
		hook_fail(ctx->domain, ret);
}

int marks_attach(struct marks *m, struct ovni_translate *t, const char *loom, marks_fn fn,
		 void *data)
{
	int ret;

	if (!t || !t->joined)
		return 0;
	m->inventory = t->inventory;
	m->fn = fn;
	m->data = data;
	m->tracks = calloc(t->inventory->nr_threads + 1, sizeof(struct marks_track *));
	if (!m->tracks || hash_init(&m->labels))
		return -ENOMEM;
	ret = declare_threads(m, t->joined, loom);
	return ret ? ret : hook_attach(t->events, OVNI_EVENT, on_events, m);
}

int marks_finish(struct marks *m, u64 ns)
{
	int ret = 0;
	u32 i;

	for (i = 0; m->tracks && i < m->inventory->nr_threads && !ret; i++)
		ret = end_all(m, i, ns);
	return ret;
}

static void free_label(struct hash_node *node)
{
	free(container_of(node, struct marks_label, node));
}

static void free_tracks(struct marks_track *track)
{
	struct marks_track *next;

	for (; track; track = next) {
		next = track->next;
		free(track->values);
		free(track);
	}
}

void marks_free(struct marks *m)
{
	u32 i;

	for (i = 0; m->tracks && i < m->inventory->nr_threads; i++)
		free_tracks(m->tracks[i]);
	for (i = 0; i < OVNI_MARK_TYPES; i++) {
		free(m->types[i].title);
		free(m->types[i].others);
	}
	hash_destroy(&m->labels, free_label);
	free(m->tracks);
	memset(m, 0, sizeof(*m));
}
