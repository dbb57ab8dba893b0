// SPDX-License-Identifier: GPL-2.0-only
/* User marks: declared in metadata, written by OM[ OM] OM=. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/cfg.h"
#include "emu/ovni/ovni_model.h"
#include "trace/format.h"

#define MARK_PRV_TYPE	100

/*
 * How an activity is rendered. Thread rows show a state for as long as it lasts, so that
 * a sleep during a read is visible. CPU rows show it while the thread runs there. They do
 * not show the level of a process, which would change with every switch.
 */
#define SHAPE_STATE	.kind = CHAN_STACK, .dup = CHAN_DUP_ALLOW, .cpu = TRACK_RUNNING
#define SHAPE_COUNT	.cpu = TRACK_RUNNING, .punctual = true
#define SHAPE_LEVEL	.dup = CHAN_DUP_IGNORE
#define SHAPE_CALLS	SHAPE_STATE

#define ACTIVITY(id, nr, prv, form, text, heading, ours)	\
	[OVNI_ACTIVITY_##id] = {				\
		.name = "kernel." text,				\
		.label = ours,					\
		.type = prv,					\
		.flags = PRV_SKIP_DUP,				\
		.plain_label = true,				\
		.optional = true,				\
		SHAPE_##form					\
	},

static const struct model_chan activity_chans[OVNI_NR_ACTIVITIES] = {
	OVNI_ACTIVITY_TABLE(ACTIVITY)
};

/**
 * struct mark_text - The label of a value.
 * @node: in the table
 * @value: the value
 * @text: the label
 */
struct mark_text {
	struct hash_node node;
	s64 value;
	char text[];
};

/**
 * struct ovni_mark - A type of mark.
 * @spec: its channel
 * @title: label of the type
 * @name: name in messages
 * @label: labels of values, in the order of adding
 * @by_value: their texts
 * @activity: what it is rendered as, or NULL
 * @drawn: the channel of @activity, with labels
 * @chan: index among the channels of the model
 */
struct ovni_mark {
	struct model_chan spec;
	const struct ovni_activity_desc *activity;
	char *title;
	char name[24];
	struct ovni_label *label;
	struct hash_table by_value;
	struct model_chan drawn;
	u32 chan;
};

/**
 * struct ovni_marks - All types.
 * @by_type: mark by type, or NULL
 * @order: types in the order in which they were declared
 * @n: how many
 * @level: marks that are the level of an activity
 * @nlevels: how many
 */
struct ovni_marks {
	struct ovni_mark *by_type[OVNI_MARK_TYPES];
	u8 order[OVNI_MARK_TYPES];
	u32 n;
	const struct ovni_mark *level[OVNI_MARK_TYPES];
	u32 nlevels;
};

static void text_free(struct hash_node *node)
{
	free(container_of(node, struct mark_text, node));
}

static void mark_free(struct ovni_mark *mark)
{
	hash_destroy(&mark->by_value, text_free);
	free(mark->label);
	free(mark->title);
	free(mark);
}

static struct ovni_marks *marks_of(const struct emu *emu)
{
	return emu->run[MODEL_ID_OVNI].priv;
}

void ovni_mark_free(struct emu *emu)
{
	struct ovni_marks *marks = marks_of(emu);
	u32 i;

	for (i = 0; marks && i < marks->n; i++)
		mark_free(marks->by_type[marks->order[i]]);
	free(marks);
	emu->run[MODEL_ID_OVNI].priv = NULL;
}

static struct ovni_mark *mark_get(const struct emu *emu, s32 type)
{
	const struct ovni_marks *marks = marks_of(emu);

	if (!marks || type < 0 || type >= OVNI_MARK_TYPES)
		return NULL;
	return marks->by_type[type];
}

static enum chan_kind mark_kind(enum emu_mark_kind kind)
{
	return kind == EMU_MARK_STACK ? CHAN_STACK : CHAN_SINGLE;
}

static struct ovni_mark *mark_new(s32 type, const char *title, enum emu_mark_kind kind)
{
	struct ovni_mark *mark = calloc(1, sizeof(*mark));

	if (!mark)
		return NULL;
	mark->title = strdup(title);
	if (!mark->title || hash_init(&mark->by_value)) {
		mark_free(mark);
		return NULL;
	}
	snprintf(mark->name, sizeof(mark->name), "ovni.mark%d", type);
	mark->spec.name = mark->name;
	mark->spec.label = mark->title;
	mark->spec.type = MARK_PRV_TYPE + type;
	mark->spec.kind = mark_kind(kind);
	mark->spec.dup = CHAN_DUP_ALLOW;
	mark->spec.flags = PRV_SKIP_DUP_NULL;
	mark->spec.thread = TRACK_ACTIVE;
	mark->spec.cpu = TRACK_RUNNING;
	mark->spec.plain_label = true;
	return mark;
}

/* Check a repeated declaration. */
static int mark_same(struct emu *emu, const struct ovni_mark *mark, s32 type, const char *title,
		     enum emu_mark_kind kind)
{
	if (strcmp(mark->title, title))
		return emu_fail(emu, -EINVAL, "mark %d has title \"%s\" and \"%s\"", type,
				mark->title, title);
	if (mark->spec.kind != mark_kind(kind))
		return emu_fail(emu, -EINVAL, "mark %d is declared as single and as stack", type);
	return 0;
}

static int check_length(struct emu *emu, s32 type, const char *what, const char *text)
{
	size_t len = strlen(text);

	if (len <= OVNI_LABEL_MAX)
		return 0;
	return emu_fail(emu, -EINVAL, "mark %d: a %s has %zu bytes, the limit is %d", type, what,
			len, OVNI_LABEL_MAX);
}

int emu_mark_add(struct emu *emu, s32 type, const char *title, enum emu_mark_kind kind)
{
	struct ovni_mark *mark = mark_get(emu, type);
	struct ovni_marks *marks = marks_of(emu);

	if (mark)
		return mark_same(emu, mark, type, title, kind);
	if (emu->frozen)
		return emu_fail(emu, -EINVAL, "mark %d is declared too late", type);
	if (type < 0 || type >= OVNI_MARK_TYPES)
		return emu_fail(emu, -EINVAL, "mark type %d is not in 0..%d", type,
				OVNI_MARK_TYPES - 1);
	if (check_length(emu, type, "title", title))
		return -EINVAL;
	if (!marks)
		marks = calloc(1, sizeof(*marks));
	emu->run[MODEL_ID_OVNI].priv = marks;
	mark = marks ? mark_new(type, title, kind) : NULL;
	if (!mark)
		return emu_fail(emu, -ENOMEM, "out of memory");
	marks->by_type[type] = mark;
	marks->order[marks->n++] = type;
	return 0;
}

static u64 value_hash(const struct ovni_mark *mark, s64 value)
{
	return hash_of(&mark->by_value, (u64)value, 0);
}

static const char *label_of(const struct ovni_mark *mark, s64 value)
{
	struct hash_node *node = hash_first(&mark->by_value, value_hash(mark, value));

	for (; node; node = hash_next(node)) {
		const struct mark_text *text = container_of(node, struct mark_text, node);

		if (text->value == value)
			return text->text;
	}
	return NULL;
}

static int label_add(struct ovni_mark *mark, s64 value, const char *text)
{
	u32 n = mark->spec.nlabels;
	struct ovni_label *label = mark->label;
	struct mark_text *copy;

	if (!(n & (n - 1))) {
		label = realloc(label, (n ? 2 * (size_t)n : 1) * sizeof(*label));
		if (!label)
			return -ENOMEM;
		mark->label = label;
		mark->spec.labels = label;
	}
	copy = malloc(sizeof(*copy) + strlen(text) + 1);
	if (!copy)
		return -ENOMEM;
	copy->value = value;
	strcpy(copy->text, text);
	hash_add(&mark->by_value, &copy->node, value_hash(mark, value));
	label[n].value = value;
	label[n].text = copy->text;
	mark->spec.nlabels++;
	return 0;
}

int emu_mark_label(struct emu *emu, s32 type, s64 value, const char *text)
{
	struct ovni_mark *mark = mark_get(emu, type);
	const char *found;

	if (!mark)
		return emu_fail(emu, -EINVAL, "mark %d is not declared", type);
	found = label_of(mark, value);
	if (found && !strcmp(found, text))
		return 0;
	if (found)
		return emu_fail(emu, -EINVAL, "mark %d: value %lld has label \"%s\" and \"%s\"",
				type, (long long)value, found, text);
	if (check_length(emu, type, "label", text))
		return -EINVAL;
	if (label_add(mark, value, text))
		return emu_fail(emu, -ENOMEM, "out of memory");
	return 0;
}

static enum chan_kind shape_kind(u8 shape)
{
	return shape == OVNI_SHAPE_STATE || shape == OVNI_SHAPE_CALLS ? CHAN_STACK : CHAN_SINGLE;
}

/* The type of the mark that is this activity, -1 if none. */
static s32 mark_of_activity(const struct emu *emu, const struct ovni_activity_desc *activity)
{
	const struct ovni_marks *marks = marks_of(emu);
	u32 i;

	for (i = 0; i < marks->n; i++) {
		if (marks->by_type[marks->order[i]]->activity == activity)
			return marks->order[i];
	}
	return -1;
}

int emu_mark_activity(struct emu *emu, s32 type, const char *key)
{
	const struct ovni_activity_desc *activity = ovni_activity_find(key);
	struct ovni_mark *mark = mark_get(emu, type);
	s32 other;

	if (!mark || emu->frozen)
		return emu_fail(emu, -EINVAL, "mark %d is not declared", type);
	if (!activity)
		return 0;
	if (mark->activity && mark->activity != activity)
		return emu_fail(emu, -EINVAL, "mark %d is \"%s\" and \"%s\"", type,
				mark->activity->key, key);
	if (mark->spec.kind != shape_kind(activity->shape))
		return emu_fail(emu, -EINVAL, "mark %d: its chan_type is not that of \"%s\"", type,
				key);
	other = mark_of_activity(emu, activity);
	if (other >= 0 && other != type)
		return emu_fail(emu, -EINVAL, "marks %d and %d are \"%s\"", other, type, key);
	mark->activity = activity;
	return 0;
}

/* The channel of the mark: as declared, or that of its activity. */
static const struct model_chan *mark_drawn(struct ovni_mark *mark)
{
	const struct ovni_activity_desc *activity = mark->activity;
	bool calls = activity && activity->shape == OVNI_SHAPE_CALLS;

	if (!activity)
		return &mark->spec;
	mark->drawn = activity_chans[activity - ovni_activities];
	mark->drawn.labels = calls ? mark->spec.labels : activity->labels;
	mark->drawn.nlabels = calls ? mark->spec.nlabels : activity->nlabels;
	return &mark->drawn;
}

int ovni_mark_freeze(struct emu *emu)
{
	struct ovni_marks *marks = marks_of(emu);
	u32 i;
	int ret;

	for (i = 0; marks && i < marks->n; i++) {
		struct ovni_mark *mark = marks->by_type[marks->order[i]];
		const struct ovni_activity_desc *activity = mark->activity;

		ret = emu_slot_add(emu, mark_drawn(mark));
		if (ret < 0)
			return ret;
		mark->chan = ret - SLOT_MODEL - emu->run[MODEL_ID_OVNI].first;
		if (activity && activity->shape == OVNI_SHAPE_LEVEL)
			marks->level[marks->nlevels++] = mark;
	}
	return 0;
}

/* Those of the application: activities have views of their own. */
int ovni_mark_views(const struct emu *emu)
{
	const struct ovni_marks *marks = marks_of(emu);
	char name[256];
	int ret = 0;
	u32 i;

	for (i = 0; marks && i < marks->n && !ret; i++) {
		const struct ovni_mark *mark = marks->by_type[marks->order[i]];

		if (mark->activity)
			continue;
		/* Two may have one title. */
		snprintf(name, sizeof(name), "%u-%s", marks->order[i], mark->title);
		ret = cfg_make(emu, "ovni", name, mark->spec.type);
	}
	return ret;
}

int ovni_mark_end(struct emu *emu, struct emu_thread *th)
{
	const struct ovni_marks *marks = marks_of(emu);
	u32 i;
	int ret = 0;

	for (i = 0; marks && i < marks->nlevels && !ret; i++) {
		const struct ovni_mark *mark = marks->level[i];

		ret = emu_set(emu, emu_thread_chan(emu, th, MODEL_ID_OVNI, mark->chan), CHAN_NULL);
	}
	return ret;
}

/* Take mark and value out of the payload: i64 value, i32 type. */
static inline const struct ovni_mark *mark_payload(struct emu *emu, const struct ovni_ev *ev,
						   s64 *value)
{
	const struct ovni_mark *mark;
	s32 type;

	memcpy(value, ev->payload, sizeof(*value));
	memcpy(&type, (const u8 *)ev->payload + sizeof(*value), sizeof(type));
	mark = mark_get(emu, type);
	if (unlikely(!mark)) {
		emu_fail(emu, -EINVAL, "mark %d is not declared", type);
		return NULL;
	}
	if (unlikely(!*value)) {
		emu_fail(emu, -EINVAL, "mark %d: 0 is not a value", type);
		return NULL;
	}
	return mark;
}

static struct chan *mark_chan(const struct emu *emu, struct emu_thread *th,
			      const struct ovni_mark *mark)
{
	return emu_thread_chan(emu, th, MODEL_ID_OVNI, mark->chan);
}

/* Push or pop with @move. */
static int mark_move(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev,
		     int (*move)(struct chan_dirty *d, struct chan *c, s64 st), const char *what)
{
	const struct ovni_mark *mark;
	struct chan *c;
	s64 value;
	int ret;

	mark = mark_payload(emu, ev, &value);
	if (!mark)
		return -EINVAL;
	c = mark_chan(emu, th, mark);
	ret = move(&emu->dirty, c, value);
	return ret ? emu_chan_fail(emu, c, what, value, ret) : 0;
}

int ovni_mark_push(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return mark_move(emu, th, ev, chan_push, "push");
}

int ovni_mark_pop(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return mark_move(emu, th, ev, chan_pop, "pop");
}

/* Show by how much a count has grown. A count that decreases has restarted. */
static int mark_count(struct emu *emu, struct emu_thread *th, const struct ovni_mark *mark,
		      s64 value)
{
	struct ovni_thread *priv = ovni_thread_get(emu, th);
	struct chan *c = mark_chan(emu, th, mark);
	s64 *count, step = value;
	int ret;

	if (!priv)
		return -ENOMEM;
	count = &priv->count[mark->activity - ovni_activities];
	if (value > *count)
		step = (u64)value - (u64)*count;
	else if (value == *count)
		return 0;
	*count = value;
	ret = chan_ev(&emu->dirty, c, step);
	return ret ? emu_chan_fail(emu, c, "show", step, ret) : 0;
}

int ovni_mark_set(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct ovni_mark *mark;
	s64 value;

	mark = mark_payload(emu, ev, &value);
	if (!mark)
		return -EINVAL;
	if (mark->activity && value < 0)
		return emu_fail(emu, -EINVAL, "mark %d: %s is negative",
				mark->spec.type - MARK_PRV_TYPE, mark->activity->key);
	if (mark->activity && mark->activity->shape == OVNI_SHAPE_COUNT)
		return mark_count(emu, th, mark, value);
	return emu_set(emu, mark_chan(emu, th, mark), CHAN_INT(value));
}
