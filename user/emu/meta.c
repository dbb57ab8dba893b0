// SPDX-License-Identifier: GPL-2.0-only
/* stream.json and cpu.json: the owner of a stream, and what it describes of the system. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "emu/core.h"
#include "util/json.h"
#include "emu/meta.h"
#include "util/msg.h"

/* Report why the emulator refused what the file describes. */
static int meta_refused(const struct emu *emu, const struct emu_meta *meta)
{
	msg_error("%s: %s", meta->path, emu_reason(emu));
	return -EINVAL;
}

static int meta_is(const struct emu_meta *meta, struct json_object *from, const char *name,
		   s32 want)
{
	s32 value;

	if (json_get_s32(meta->path, from, name, &value))
		return -EINVAL;
	if (value == want)
		return 0;
	msg_error("%s: \"%s\" is %d, expected %d", meta->path, name, value, want);
	return -EINVAL;
}

static int meta_unknown_model(const struct emu *emu, const struct emu_meta *meta,
			      const char *name, struct json_object *unknown)
{
	if (emu->options & EMU_STRICT) {
		msg_error("%s: requires the unknown model %s", meta->path, name);
		return -EINVAL;
	}
	if (json_object_object_get_ex(unknown, name, NULL))
		return 0;
	if (json_object_object_add(unknown, name, NULL))
		return 0;
	msg_warn("%s: requires the unknown model %s, whose events will be skipped", meta->path,
		 name);
	return 0;
}

static int meta_require(struct emu *emu, const struct emu_meta *meta, struct json_object *ovni,
			struct json_object *unknown)
{
	struct json_object *require = json_get_object(meta->path, ovni, "require");
	const char *version;

	if (!require)
		return -EINVAL;
	json_object_object_foreach(require, name, val) {
		(void)val;
		if (!emu_model_known(emu, name)) {
			if (meta_unknown_model(emu, meta, name, unknown))
				return -EINVAL;
			continue;
		}
		version = json_get_string(meta->path, require, name);
		if (!version)
			return -EINVAL;
		if (emu_require(emu, name, version))
			return meta_refused(emu, meta);
	}
	return 0;
}

static int meta_cpu(struct emu *emu, const struct emu_meta *meta, struct json_object *cpu)
{
	s32 index, phyid;

	if (!json_object_is_type(cpu, json_type_object)) {
		msg_error("%s: \"loom_cpus\" has an element that is not an object", meta->path);
		return -EINVAL;
	}
	if (json_get_s32(meta->path, cpu, "index", &index) ||
	    json_get_s32(meta->path, cpu, "phyid", &phyid))
		return -EINVAL;
	return emu_cpu_add(meta->loom, index, phyid) ? meta_refused(emu, meta) : 0;
}

static int meta_cpus(struct emu *emu, const struct emu_meta *meta, struct json_object *ovni)
{
	struct json_object *cpus;
	size_t i;
	int ret;

	if (!json_object_object_get_ex(ovni, "loom_cpus", &cpus))
		return 0;
	if (!json_object_is_type(cpus, json_type_array)) {
		msg_error("%s: \"loom_cpus\" is not an array", meta->path);
		return -EINVAL;
	}
	if (!json_object_array_length(cpus)) {
		msg_error("%s: \"loom_cpus\" is empty: a thread that names no CPU leaves it out",
			  meta->path);
		return -EINVAL;
	}
	for (i = 0; i < json_object_array_length(cpus); i++) {
		ret = meta_cpu(emu, meta, json_object_array_get_idx(cpus, i));
		if (ret)
			return ret;
	}
	return 0;
}

static int meta_proc(struct emu *emu, const struct emu_meta *meta, struct json_object *ovni,
		     struct emu_proc *proc)
{
	s32 app_id, rank, nranks;
	int ret;

	ret = json_get_s32_optional(meta->path, ovni, "app_id", &app_id);
	if (ret < 0)
		return ret;
	/* One too large becomes negative, and is refused. */
	if (ret && app_id > 0)
		app_id = (s32)((u32)app_id + (u32)meta->apps);
	if (ret && emu_proc_app(proc, app_id))
		return meta_refused(emu, meta);
	ret = json_get_s32_optional(meta->path, ovni, "rank", &rank);
	if (ret <= 0)
		return ret;
	if (json_get_s32(meta->path, ovni, "nranks", &nranks))
		return -EINVAL;
	return emu_proc_rank(proc, rank, nranks) ? meta_refused(emu, meta) : 0;
}

/* ovnik's names of thread and process, which upstream ignores. */
static int meta_names(struct emu *emu, const struct emu_meta *meta, struct json_object *ovni)
{
	const char *thread, *process;
	struct json_object *ovnik;

	if (!json_object_object_get_ex(ovni, "ovnik", &ovnik))
		return 0;
	ovnik = json_get_object(meta->path, ovni, "ovnik");
	thread = ovnik ? json_get_string(meta->path, ovnik, "name") : NULL;
	process = thread ? json_get_string(meta->path, ovnik, "process") : NULL;
	if (!process)
		return -EINVAL;
	if (*thread && emu_thread_name(meta->thread, thread))
		return meta_refused(emu, meta);
	if (*process && emu_proc_name(meta->thread->proc, process))
		return meta_refused(emu, meta);
	return 0;
}

/* In two traces it would have each CPU's events twice. */
static int meta_loom(struct emu *emu, struct emu_meta *meta, const char *name)
{
	meta->loom = emu_loom_add(emu, name);
	if (!meta->loom)
		return meta_refused(emu, meta);
	if (meta->loom->trace && meta->loom->trace != meta->trace) {
		msg_error("%s: loom %s is in %s, too", meta->trace, name, meta->loom->trace);
		return -EEXIST;
	}
	meta->loom->trace = meta->trace;
	return 0;
}

static int meta_thread(struct emu *emu, struct emu_meta *meta, struct json_object *ovni)
{
	struct emu_proc *proc;
	const char *name;
	s32 tid, pid;

	name = json_get_string(meta->path, ovni, "loom");
	if (!name)
		return -EINVAL;
	if (json_get_s32(meta->path, ovni, "pid", &pid) ||
	    json_get_s32(meta->path, ovni, "tid", &tid))
		return -EINVAL;
	if (meta_loom(emu, meta, name))
		return -EINVAL;
	proc = emu_proc_add(meta->loom, pid);
	meta->thread = proc ? emu_thread_add(proc, tid) : NULL;
	if (!meta->thread)
		return meta_refused(emu, meta);
	if (meta_proc(emu, meta, ovni, proc) || meta_names(emu, meta, ovni) ||
	    meta_cpus(emu, meta, ovni))
		return -EINVAL;
	if (!json_object_object_get_ex(ovni, "mark", &meta->mark))
		return 0;
	if (!json_object_is_type(meta->mark, json_type_object)) {
		msg_error("%s: \"mark\" is not an object", meta->path);
		meta->mark = NULL;
		return -EINVAL;
	}
	json_object_get(meta->mark);
	return 0;
}

/* Upstream requires the library that wrote the stream. */
static int meta_lib(const struct emu_meta *meta, struct json_object *ovni)
{
	struct json_object *lib = json_get_object(meta->path, ovni, "lib");

	if (!lib)
		return -EINVAL;
	if (!json_get_string(meta->path, lib, "version"))
		return -EINVAL;
	return json_get_string(meta->path, lib, "commit") ? 0 : -EINVAL;
}

static int meta_finished(const struct emu_meta *meta, struct json_object *ovni)
{
	int ret = meta_is(meta, ovni, "finished", 1);

	if (ret)
		msg_error("%s: the thread did not end its stream by ovni_thread_free(); was its program killed?",
			  meta->path);
	return ret;
}

/* The object "ovni", if the stream is complete and its part is known. */
static struct json_object *meta_ovni(const struct emu_meta *meta, struct json_object *root,
				     const char **part)
{
	struct json_object *ovni;

	if (meta_is(meta, root, "version", OVNI_METADATA_VERSION))
		return NULL;
	ovni = json_get_object(meta->path, root, "ovni");
	if (!ovni)
		return NULL;
	*part = json_get_string(meta->path, ovni, "part");
	if (!*part || meta_finished(meta, ovni) || meta_lib(meta, ovni))
		return NULL;
	return ovni;
}

/* Metadata of models. */
static int meta_models(struct emu *emu, const struct emu_meta *meta, struct json_object *root)
{
	int i, ret = 0;

	for (i = 0; i < EMU_NR_MODELS && !ret; i++) {
		if (emu->run[i].model->meta)
			ret = emu->run[i].model->meta(emu, meta->path, root);
	}
	return ret;
}

static int meta_stream(struct emu *emu, struct emu_meta *meta, struct json_object *root,
		       struct json_object *unknown)
{
	struct json_object *ovni;
	const char *part;

	ovni = meta_ovni(meta, root, &part);
	if (!ovni)
		return -EINVAL;
	if (strcmp(part, "thread"))
		return 0;
	return meta_require(emu, meta, ovni, unknown) ?:
	       meta_thread(emu, meta, ovni) ?:
	       meta_models(emu, meta, root);
}

static int meta_cpu_stream(struct emu *emu, struct emu_meta *meta, struct json_object *root)
{
	struct json_object *ovni;
	const char *part, *name;
	s32 index;

	ovni = meta_ovni(meta, root, &part);
	if (!ovni)
		return -EINVAL;
	if (strcmp(part, "cpu")) {
		msg_error("%s: \"part\" is \"%s\", expected \"cpu\"", meta->path, part);
		return -EINVAL;
	}
	name = json_get_string(meta->path, ovni, "loom");
	if (!name || json_get_s32(meta->path, ovni, "index", &index))
		return -EINVAL;
	meta->loom = system_loom(&emu->sys, name);
	meta->cpu = meta->loom ? emu_cpu_find(meta->loom, index) : NULL;
	if (meta->cpu)
		return 0;
	msg_error("%s: no loom \"%s\" has a CPU with index %d", meta->path, name, index);
	return -ENOENT;
}

int emu_meta_load(struct emu *emu, struct emu_meta *meta, struct json_object *unknown)
{
	struct json_object *root = json_load(meta->path);
	int ret;

	if (!root)
		return -EINVAL;
	ret = meta_stream(emu, meta, root, unknown);
	json_object_put(root);
	return ret;
}

int emu_meta_load_cpu(struct emu *emu, struct emu_meta *meta)
{
	struct json_object *root = json_load(meta->path);
	int ret;

	if (!root)
		return -EINVAL;
	ret = meta_cpu_stream(emu, meta, root);
	json_object_put(root);
	return ret;
}

/* Keys of marks and of their labels are numbers written as strings. */
static int meta_number(const struct emu_meta *meta, const char *text, s64 *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	if (!errno && end != text && !*end)
		return 0;
	msg_error("%s: mark: \"%s\" is not a number", meta->path, text);
	return -EINVAL;
}

static int meta_mark_labels(struct emu *emu, const struct emu_meta *meta, s32 type,
			    struct json_object *mark)
{
	struct json_object *labels;
	const char *text;
	s64 value;

	if (!json_object_object_get_ex(mark, "labels", &labels))
		return 0;
	labels = json_get_object(meta->path, mark, "labels");
	if (!labels)
		return -EINVAL;
	json_object_object_foreach(labels, key, val) {
		(void)val;
		if (meta_number(meta, key, &value))
			return -EINVAL;
		text = json_get_string(meta->path, labels, key);
		if (!text)
			return -EINVAL;
		if (emu_mark_label(emu, type, value, text))
			return meta_refused(emu, meta);
	}
	return 0;
}

/* The activity of one of ovnik's marks, which upstream ignores. */
static int meta_mark_activity(struct emu *emu, const struct emu_meta *meta, s32 type,
			      struct json_object *mark)
{
	struct json_object *activity;
	const char *key;

	if (!json_object_object_get_ex(mark, "ovnik", &activity))
		return 0;
	key = json_get_string(meta->path, mark, "ovnik");
	if (!key)
		return -EINVAL;
	return emu_mark_activity(emu, type, key) ? meta_refused(emu, meta) : 0;
}

static int meta_mark(struct emu *emu, const struct emu_meta *meta, const char *key,
		     struct json_object *mark)
{
	enum emu_mark_kind kind = EMU_MARK_SINGLE;
	const char *title, *name;
	s64 type;

	if (meta_number(meta, key, &type))
		return -EINVAL;
	if (type != (s32)type || !json_object_is_type(mark, json_type_object)) {
		msg_error("%s: mark \"%s\" is not declared correctly", meta->path, key);
		return -EINVAL;
	}
	title = json_get_string(meta->path, mark, "title");
	name = title ? json_get_string(meta->path, mark, "chan_type") : NULL;
	if (!name)
		return -EINVAL;
	if (!strcmp(name, "stack")) {
		kind = EMU_MARK_STACK;
	} else if (strcmp(name, "single")) {
		msg_error("%s: mark \"%s\": chan_type \"%s\" is neither single nor stack",
			  meta->path, key, name);
		return -EINVAL;
	}
	if (emu_mark_add(emu, type, title, kind))
		return meta_refused(emu, meta);
	if (meta_mark_activity(emu, meta, type, mark))
		return -EINVAL;
	return meta_mark_labels(emu, meta, type, mark);
}

int emu_meta_marks(struct emu *emu, const struct emu_meta *meta)
{
	int ret;

	if (!meta->mark)
		return 0;
	json_object_object_foreach(meta->mark, key, val) {
		ret = meta_mark(emu, meta, key, val);
		if (ret)
			return ret;
	}
	return 0;
}

void emu_meta_free(struct emu_meta *meta)
{
	json_object_put(meta->mark);
	free(meta->path);
	memset(meta, 0, sizeof(*meta));
}
