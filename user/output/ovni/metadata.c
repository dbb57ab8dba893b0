// SPDX-License-Identifier: GPL-2.0-only
/* The metadata of a stream: stream.json. */
#include <errno.h>
#include <ovnik_version.h>
#include <stdio.h>

#include <json-c/json.h>

#include "output/ovni/metadata.h"
#include "output/ovni/writer.h"
#include "util/json.h"
#include "util/msg.h"
#include "util/utf8.h"

static int add_text(struct json_object *to, const char *name, const char *text)
{
	return json_add(to, name, json_object_new_string(text));
}

static int add_number(struct json_object *to, const char *name, s64 number)
{
	return json_add(to, name, json_object_new_int64(number));
}

struct json_object *ovni_metadata_create(const char *version, const char *commit,
					 const char *part, struct json_object **ovni)
{
	struct json_object *root = json_object_new_object();
	struct json_object *lib = json_object_new_object();
	int bad;

	*ovni = json_object_new_object();
	bad = add_text(lib, "version", version);
	bad |= add_text(lib, "commit", commit);
	bad |= json_add(*ovni, "lib", lib);
	bad |= add_text(*ovni, "part", part);
	bad |= add_number(root, "version", OVNI_METADATA_VERSION);
	bad |= json_add(root, "ovni", *ovni);
	if (!bad)
		return root;
	json_object_put(root);
	return NULL;
}

int ovni_metadata_add_mark(struct json_object *marks, s32 number, const char *title,
			   bool stack, const char *key, struct json_object *labels)
{
	struct json_object *mark = json_object_new_object();
	char name[16];
	int bad;

	snprintf(name, sizeof(name), "%d", number);
	bad = add_text(mark, "title", title);
	bad |= add_text(mark, "chan_type", stack ? "stack" : "single");
	if (key)
		bad |= add_text(mark, "ovnik", key);
	bad |= json_add(mark, "labels", labels);
	return bad | json_add(marks, name, mark);
}

static int add_cpus(const struct ovni_writer *wr, struct json_object *ovni)
{
	struct json_object *cpus = json_object_new_array();
	unsigned int i;
	int bad = 0;

	for (i = 0; cpus && i < wr->world->nr_cpus; i++) {
		struct json_object *cpu = json_object_new_object();

		bad |= add_number(cpu, "index", i);
		bad |= add_number(cpu, "phyid", wr->world->cpus[i].nr);
		if (json_object_array_add(cpus, cpu)) {
			json_object_put(cpu);
			bad = -ENOMEM;
		}
	}
	return bad | json_add(ovni, "loom_cpus", cpus);
}

static struct json_object *labels_of(const struct ovni_activity_desc *what)
{
	struct json_object *labels = json_object_new_object();
	char name[24];
	int bad = 0;
	u32 i;

	for (i = 0; i < what->nlabels; i++) {
		snprintf(name, sizeof(name), "%lld", (long long)what->labels[i].value);
		bad |= add_text(labels, name, what->labels[i].text);
	}
	if (!bad)
		return labels;
	json_object_put(labels);
	return NULL;
}

/* The activities with marks in the trace. An application's marks stay. */
static int add_marks(const struct ovni_writer *wr, struct json_object *ovni)
{
	const struct ovni_translate *t = wr->translate;
	struct json_object *marks;
	int bad = 0;
	u32 i;

	if (!t->marks)
		return 0;
	if (!json_object_object_get_ex(ovni, "mark", &marks)) {
		marks = json_object_new_object();
		bad = json_add(ovni, "mark", marks);
	}
	for (i = 0; i < OVNI_NR_ACTIVITIES && !bad; i++) {
		const struct ovni_activity_desc *what = &ovni_activities[i];

		if (t->marks & 1U << i)
			bad = ovni_metadata_add_mark(marks, t->mark_of[i], what->title,
						     what->shape == OVNI_SHAPE_STATE, what->key,
						     labels_of(what));
	}
	return bad;
}

/* JSON is UTF-8, a name can be anything. */
static int add_name(struct json_object *to, const char *name, const char *comm)
{
	char text[OVNIK_COMM_LEN];
	unsigned int len;
	size_t at = 0;

	while (comm[at]) {
		len = utf8_len(comm + at);
		if (len)
			memcpy(text + at, comm + at, len);
		else
			text[at] = '?';
		at += len ? len : 1;
	}
	return json_add(to, name, json_object_new_string_len(text, at));
}

/* For rows and labels; upstream ignores it. @fresh: @ovni does not have our names yet. */
static int add_names(const struct ovni_writer *wr, u32 thread, bool fresh,
		     struct json_object *ovni)
{
	const struct inventory_thread *who = &wr->inventory->threads[thread];
	const char *process = wr->inventory->processes[who->process].comm;
	struct json_object *names;
	int bad;

	if (!who->comm[0] && !process[0])
		return 0;
	names = fresh ? json_object_new_object() : json_object_object_get(ovni, "ovnik");
	bad = add_name(names, "name", who->comm);
	bad |= add_name(names, "process", process);
	return fresh ? bad | json_add(ovni, "ovnik", names) : bad;
}

/* What metadata that are not ours get as well. */
static int add_ours(const struct ovni_writer *wr, u32 stream, bool fresh, bool last,
		    struct json_object *ovni)
{
	int bad = 0;

	if (!ovni_writer_is_cpu(wr, stream))
		bad = add_names(wr, stream, fresh, ovni);
	if (fresh)
		bad |= add_number(ovni, "finished", 1);
	if (last)
		bad |= add_cpus(wr, ovni) | add_marks(wr, ovni);
	return bad;
}

static int add_require(struct json_object *ovni)
{
	struct json_object *require = json_object_new_object();
	int bad;

	bad = add_text(require, "ovni", "1.1.0");
	bad |= add_text(require, "kernel", "1.0.0");
	return bad | json_add(ovni, "require", require);
}

/* @fresh: also what all threads have in common. */
static int add_thread(const struct ovni_writer *wr, u32 thread, bool fresh,
		      struct json_object *ovni)
{
	const struct inventory_thread *who = &wr->inventory->threads[thread];
	const struct ovni_joined *joined = wr->joined;
	int bad;

	bad = add_number(ovni, "tid", who->tid);
	bad |= add_number(ovni, "pid", who->pid);
	if (fresh)
		bad |= add_text(ovni, "loom", wr->loom);
	bad |= add_number(ovni, "app_id", joined ? joined->app_id[who->process] :
						   wr->apps + who->process + 1);
	if (fresh)
		bad |= add_require(ovni);
	if (joined && joined->rank[who->process] >= 0) {
		bad |= add_number(ovni, "rank", joined->rank[who->process]);
		bad |= add_number(ovni, "nranks", joined->nranks[who->process]);
	}
	return bad;
}

static int add_can_breakdown(struct json_object *root)
{
	struct json_object *nosv = json_object_new_object();
	int bad = json_add(nosv, "can_breakdown", json_object_new_boolean(true));

	return bad | json_add(root, "nosv", nosv);
}

static struct json_object *create(const char *part, struct json_object **ovni)
{
	return ovni_metadata_create("1.14.0", OVNI_OUR_COMMIT OVNIK_VERSION, part, ovni);
}

static struct json_object *describe_cpu(const struct ovni_writer *wr, u32 stream, bool last)
{
	struct json_object *ovni, *root = create("cpu", &ovni);
	int bad;

	if (!root)
		return NULL;
	bad = add_number(ovni, "index", stream - wr->inventory->nr_threads);
	bad |= add_text(ovni, "loom", wr->loom);
	bad |= add_ours(wr, stream, true, last, ovni);
	if (!bad)
		return root;
	json_object_put(root);
	return NULL;
}

/* Which of the members are there that some threads lack. */
static u32 shape_of(const struct ovni_writer *wr, u32 thread)
{
	const struct inventory_thread *who = &wr->inventory->threads[thread];
	bool ranks = wr->joined && wr->joined->rank[who->process] >= 0;

	return ranks << 1 | (who->comm[0] || wr->inventory->processes[who->process].comm[0]);
}

/* Most threads differ from the one before in a few values only: its document is changed. */
static struct json_object *describe_thread(struct ovni_writer *wr, u32 thread, bool last)
{
	u32 shape = shape_of(wr, thread);
	bool fresh = !wr->meta || wr->meta_shape != shape;
	struct json_object *ovni;
	int bad;

	if (fresh) {
		json_object_put(wr->meta);
		wr->meta = create("thread", &ovni);
		wr->meta_shape = shape;
		if (!wr->meta)
			return NULL;
	}
	ovni = json_object_object_get(wr->meta, "ovni");
	bad = add_thread(wr, thread, fresh, ovni);
	bad |= add_ours(wr, thread, fresh, last, ovni);
	if (fresh && wr->joined && wr->joined->can_breakdown)
		bad |= add_can_breakdown(wr->meta);
	return bad ? NULL : json_object_get(wr->meta);
}

/* Return: 1 if an application has metadata of the stream, 0, a negative errno (reported). */
static int describe_joined(const struct ovni_writer *wr, u32 stream, bool last,
			   struct json_object **root)
{
	int ret;

	if (!wr->joined || ovni_writer_is_cpu(wr, stream))
		return 0;
	ret = wr->joined->describe(wr->joined->data, stream, wr->loom, root);
	if (ret <= 0 || !add_ours(wr, stream, true, last, json_object_object_get(*root, "ovni")))
		return ret;
	json_object_put(*root);
	return msg_no_memory();
}

int ovni_metadata_write(struct ovni_writer *wr, u32 stream, bool last, FILE *f)
{
	struct json_object *root = NULL;
	int ret, joined = describe_joined(wr, stream, last, &root);

	if (joined < 0)
		return joined;
	if (!joined)
		root = ovni_writer_is_cpu(wr, stream) ? describe_cpu(wr, stream, last) :
							describe_thread(wr, stream, last);
	if (!root)
		return msg_no_memory();
	ret = joined ? json_write(root, f) : json_write_lines(root, f);
	json_object_put(root);
	return ret ? msg_no_memory() : 0;
}
