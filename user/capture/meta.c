// SPDX-License-Identifier: GPL-2.0-only
/* meta.json: a capture's description of itself. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "capture/meta.h"
#include "capture/meta_crc.h"
#include "capture/meta_json.h"
#include "util/compare.h"
#include "util/json.h"
#include "util/json_compat.h"
#include "util/msg.h"

#define NS_KHZ	1000000		/* rate of a clock that counts ns */
#define KHZ_MIN	4000		/* less is more ns a tick than can be converted */
#define KHZ_MAX	100000000

#define TEXT_OF(limit)	AS_TEXT(limit)
#define AS_TEXT(text)	#text
#define REC_MAX_TEXT	"4224"

_Static_assert(OVNIK_REC_MAX == 4224, "REC_MAX_TEXT is another number");

static const char *read_field(struct json_object *obj, struct event_meta_field *field)
{
	u64 offset = get_u64(obj, "offset");
	u64 size = get_u64(obj, "size");

	if (!json_object_is_type(obj, json_type_object))
		return "a field is not an object";
	if (offset > OVNIK_REC_MAX || size > OVNIK_REC_MAX)
		return "a field lies outside any record, which has " REC_MAX_TEXT " bytes at most";
	field->offset = offset;
	field->size = size;
	get_string(obj, "name", field->name, sizeof(field->name));
	get_string(obj, "type", field->type, sizeof(field->type));
	get_string(obj, "unit", field->unit, sizeof(field->unit));
	/* A string's size depends on the record; this field is ignored. */
	if (!strcmp(field->type, "str"))
		field->size = 0;
	return field->name[0] ? NULL : "a field has no name";
}

static const char *read_event(struct json_object *obj, struct event_meta *ev)
{
	struct json_object *fields;
	size_t i;

	memset(ev, 0, sizeof(*ev));
	if (!json_object_is_type(obj, json_type_object))
		return "an event is not an object";
	fields = get_of(obj, "fields", json_type_array);
	if (!fields || json_object_array_length(fields) > EVENT_FIELDS_MAX)
		return "an event has no fields, or more than " TEXT_OF(EVENT_FIELDS_MAX);
	if (get_u64(obj, "number") >= EVENT_NUMBERS || get_u64(obj, "size") > OVNIK_REC_MAX)
		return "an event's number is not below " TEXT_OF(EVENT_NUMBERS)
		       ", or its record has more than " REC_MAX_TEXT " bytes";
	get_string(obj, "name", ev->name, sizeof(ev->name));
	ev->number = get_u64(obj, "number");
	ev->size = get_u64(obj, "size");
	ev->nr_fields = json_object_array_length(fields);
	for (i = 0; i < ev->nr_fields; i++) {
		const char *why = read_field(json_object_array_get_idx(fields, i), &ev->fields[i]);

		if (why)
			return why;
	}
	return ev->name[0] ? NULL : "an event has no name";
}

/* Older recorders, and BPF on some kernels, put down who ran there. */
static bool names_wakers(const struct event_meta *ev)
{
	unsigned int i;

	if (strcmp(ev->name, event_name(OVNIK_EV_sched_wakeup)))
		return false;
	for (i = 0; i < ev->nr_fields; i++) {
		if (!strcmp(ev->fields[i].name, "waker_tid"))
			return !strcmp(ev->fields[i].unit, "waker");
	}
	return false;
}

static const char *read_events(struct json_object *root, struct meta *meta)
{
	struct json_object *events = get_of(root, "events", json_type_array);
	struct event_meta ev;
	const char *why;
	size_t i;

	if (!events)
		return "it has no events";
	memset(&meta->layouts, 0, sizeof(meta->layouts));
	for (i = 0; i < json_object_array_length(events); i++) {
		why = read_event(json_object_array_get_idx(events, i), &ev);
		if (why)
			return why;
		if (event_layouts_add(&meta->layouts, &ev, &why))
			return why;
		meta->wakers |= names_wakers(&ev);
	}
	return NULL;
}

static void read_counts(struct json_object *obj, struct meta_cpu *cpu)
{
	struct json_object *events = get_of(obj, "events", json_type_object);
	unsigned int i;

	for (i = 1; events && i < OVNIK_NR_EVENTS; i++) {
		struct json_object *ev;

		if (!event_table[i].name)
			continue;
		ev = get_of(events, event_table[i].name, json_type_object);
		if (!ev)
			continue;
		cpu->counts[i].recorded = get_u64(ev, "recorded");
		cpu->counts[i].lost = get_u64(ev, "lost");
	}
}

static const char *read_cpu(struct json_object *obj, struct meta_cpu *cpu)
{
	if (!json_object_is_type(obj, json_type_object))
		return "a CPU is not an object";
	if (get_u64(obj, "cpu") >= META_CPUS_MAX)
		return "a CPU's number is not below " TEXT_OF(META_CPUS_MAX);
	cpu->cpu = get_u64(obj, "cpu");
	cpu->bytes = get_u64(obj, "bytes");
	cpu->subbufs = get_u64(obj, "subbufs");
	cpu->first = get_u64(obj, "first");
	get_string(obj, "file", cpu->file, sizeof(cpu->file));
	if (!cpu->file[0] || strchr(cpu->file, '/'))
		return "a CPU's file has no name, or one with a directory";
	read_counts(obj, cpu);
	return NULL;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct meta_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int compare_files(const void *a, const void *b)
{
	const struct meta_cpu *const *x = a, *const *y = b;

	return strcmp((*x)->file, (*y)->file);
}

/* Each CPU's memory and files are paid for with a file of its own. */
static const char *check_files(const struct meta *meta)
{
	const struct meta_cpu **sorted = calloc(meta->nr_cpus, sizeof(*sorted));
	const char *why = NULL;
	unsigned int i;

	if (!sorted)
		return "no memory for its CPUs";
	for (i = 0; i < meta->nr_cpus; i++)
		sorted[i] = &meta->cpus[i];
	qsort(sorted, meta->nr_cpus, sizeof(*sorted), compare_files);
	for (i = 1; i < meta->nr_cpus; i++) {
		if (!strcmp(sorted[i]->file, sorted[i - 1]->file))
			why = "two CPUs have the same file";
	}
	free(sorted);
	return why;
}

static const char *read_cpus(struct json_object *root, struct meta *meta)
{
	struct json_object *cpus = get_of(root, "cpus", json_type_array);
	size_t i, nr = cpus ? json_object_array_length(cpus) : 0;

	if (!nr || nr > META_CPUS_MAX)
		return "it has no CPUs, or more than " TEXT_OF(META_CPUS_MAX);
	meta->cpus = calloc(nr, sizeof(*meta->cpus));
	if (!meta->cpus)
		return "no memory for its CPUs";
	for (i = 0; i < nr; i++) {
		const char *why = read_cpu(json_object_array_get_idx(cpus, i), &meta->cpus[i]);

		if (why)
			return why;
	}
	meta->nr_cpus = nr;
	qsort(meta->cpus, nr, sizeof(*meta->cpus), compare_cpus);
	for (i = 1; i < nr; i++) {
		if (meta->cpus[i].cpu == meta->cpus[i - 1].cpu)
			return "two CPUs have the same number";
	}
	return check_files(meta);
}

static const char *read_anchors(struct json_object *clock, struct meta *meta)
{
	struct json_object *anchors = get_of(clock, "anchors", json_type_array);
	size_t i, nr = anchors ? json_object_array_length(anchors) : 0;

	if (!nr)
		return NULL;
	meta->anchors = calloc(nr, sizeof(*meta->anchors));
	if (!meta->anchors)
		return "no memory for its anchors";
	for (i = 0; i < nr; i++) {
		struct json_object *obj = json_object_array_get_idx(anchors, i);
		struct clock_anchor *anchor = &meta->anchors[i];

		if (!json_object_is_type(obj, json_type_object))
			return "an anchor is not an object";
		anchor->tsc = get_u64(obj, "tsc");
		anchor->ns = get_u64(obj, "ns");
		anchor->width = get_u64(obj, "width");
	}
	meta->nr_anchors = nr;
	return NULL;
}

/* Which clock the stamps count; stamps of an unknown clock are useless. */
static int read_source(struct json_object *root, struct meta *meta, const char *path)
{
	static const char * const names[] = {
		[CLOCK_SOURCE_TSC] = "tsc",
		[CLOCK_SOURCE_MONOTONIC] = "monotonic",
	};
	struct json_object *clock = get_of(root, "clock", json_type_object), *val;
	unsigned int i;

	if (!clock || !json_object_object_get_ex(clock, "source", &val))
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (json_object_is_type(val, json_type_string) &&
		    !strcmp(json_object_get_string(val), names[i])) {
			meta->source = i;
			return 0;
		}
	}
	msg_error("%s: the capture's clock is %.64s, this ovnik-decode knows tsc and monotonic",
		  path, json_object_to_json_string(val));
	return -EPROTO;
}

/* Whoever divides by a wrong one gets wrong pages everywhere. */
static int read_page_size(struct json_object *root, struct meta *meta, const char *path)
{
	u64 size = get_u64(root, "page_size");
	struct json_object *val;

	if (!json_object_object_get_ex(root, "page_size", &val))
		return 0;
	if (size >= META_PAGE_MIN && size <= META_PAGE_MAX && !(size & (size - 1))) {
		meta->page_size = size;
		return 0;
	}
	msg_error("%s: the capture's page_size is %.64s, this ovnik-decode knows powers of two from %u to %u",
		  path, json_object_to_json_string(val), META_PAGE_MIN, META_PAGE_MAX);
	return -EPROTO;
}

static const char *read_clock(struct json_object *root, struct meta *meta)
{
	struct json_object *clock = get_of(root, "clock", json_type_object);
	const char *why;

	if (!clock)
		return NULL;
	meta->tsc_khz = get_u64(clock, "tsc_khz");
	if (meta->source == CLOCK_SOURCE_MONOTONIC) {
		if (meta->tsc_khz && meta->tsc_khz != NS_KHZ)
			return "its clock counts ns, but has another rate";
		meta->tsc_khz = NS_KHZ;
	}
	if (meta->tsc_khz && (meta->tsc_khz < KHZ_MIN || meta->tsc_khz > KHZ_MAX))
		return "its clock's rate is not from " TEXT_OF(KHZ_MIN) " to " TEXT_OF(KHZ_MAX)
		       " kHz";
	meta->has_trusted = json_object_object_get_ex(clock, "trusted", NULL);
	meta->trusted = get_bool(clock, "trusted");
	why = read_anchors(clock, meta);
	return why ? why : meta_walls_read(clock, &meta->walls, &meta->nr_walls);
}

static const char *read_filter(struct json_object *root, struct meta *meta)
{
	struct json_object *filter = get_of(root, "filter", json_type_object);
	struct json_object *pids = filter ? get_of(filter, "pids", json_type_array) : NULL;
	size_t i, nr = pids ? json_object_array_length(pids) : 0;

	if (!nr)
		return NULL;
	if (nr > META_PIDS_MAX)
		return "more than " TEXT_OF(META_PIDS_MAX) " processes are in its filter";
	meta->pids = calloc(nr, sizeof(*meta->pids));
	if (!meta->pids)
		return "no memory for its filter";
	for (i = 0; i < nr; i++)
		meta->pids[i] = json_to_u64(json_object_array_get_idx(pids, i));
	meta->nr_pids = nr;
	qsort(meta->pids, nr, sizeof(*meta->pids), compare_u32s);
	meta->children = get_bool(filter, "children");
	return NULL;
}

static void read_missed(struct json_object *root, struct meta *meta)
{
	struct json_object *missed = get_of(root, "missed", json_type_array);
	size_t i, nr = missed ? json_object_array_length(missed) : 0;

	for (i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(missed, i);

		if (json_object_is_type(one, json_type_object))
			meta->missed += get_u64(one, "runs");
	}
}

/**
 * struct text_list - Entries in one text, which has room for some.
 * @text: the text
 * @size: bytes of it
 * @len: bytes in use
 */
struct text_list {
	char *text;
	size_t size;
	size_t len;
};

/* Behind the entries may be how many more there are. */
#define LIST_MORE " and 18446744073709551615 others"

/* @left: entries that are not in it yet. Return: false if there is no room. */
static bool list_add(struct text_list *list, const char *entry, const char *between, size_t left)
{
	size_t room = list->size - list->len;

	between = list->len ? between : "";
	if (strlen(between) + strlen(entry) + sizeof(LIST_MORE) > room) {
		snprintf(list->text + list->len, room, " and %zu other%s", left,
			 left == 1 ? "" : "s");
		return false;
	}
	list->len += snprintf(list->text + list->len, room, "%s%s", between, entry);
	return true;
}

static void read_uncertain(struct json_object *root, struct meta *meta)
{
	struct json_object *list = get_of(root, "uncertain_files", json_type_array);
	size_t i, nr = list ? json_object_array_length(list) : 0;
	struct text_list to = { .text = meta->uncertain, .size = sizeof(meta->uncertain) };

	for (i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		char type[32] = "", dev[32] = "", text[80];

		if (!json_object_is_type(one, json_type_object))
			continue;
		get_string(one, "type", type, sizeof(type));
		get_string(one, "dev", dev, sizeof(dev));
		snprintf(text, sizeof(text), "%s (%s)", type, dev);
		if (!list_add(&to, text, ", ", nr - i))
			break;
	}
}

/* "mremap, mprotect (the reason)" */
static void lack_text(struct json_object *one, char *text, size_t size)
{
	struct json_object *names = get_of(one, "events", json_type_array);
	size_t i, nr = names ? json_object_array_length(names) : 0;
	struct text_list to = { .text = text, .size = size };
	char reason[512] = "";

	for (i = 0; i < nr; i++) {
		struct json_object *name = json_object_array_get_idx(names, i);

		if (json_object_is_type(name, json_type_string) &&
		    !list_add(&to, json_object_get_string(name), ", ", nr - i))
			break;
	}
	get_string(one, "reason", reason, sizeof(reason));
	to.len = strlen(text);
	if (to.len && *reason)
		snprintf(text + to.len, size - to.len, " (%s)", reason);
}

/* The sentence about a private capture is first: it always has room. */
static void add_private(struct json_object *root, struct text_list *to, size_t left)
{
	struct json_object *private = get_of(root, "private", json_type_object);
	char text[200];

	if (!private)
		return;
	snprintf(text, sizeof(text),
		 "addresses and mappings of processes that are not of user %llu, and all frames (record --private)",
		 get_u64(private, "owner"));
	list_add(to, text, "", left);
}

static void read_lack(struct json_object *root, struct meta *meta)
{
	struct json_object *list = get_of(root, "lack", json_type_array);
	struct text_list to = { .text = meta->lack, .size = sizeof(meta->lack) };
	size_t i, nr = list ? json_object_array_length(list) : 0;

	add_private(root, &to, nr + 1);

	for (i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		char text[1000] = "";

		if (!json_object_is_type(one, json_type_object))
			continue;
		lack_text(one, text, sizeof(text));
		if (*text && !list_add(&to, text, "; ", nr - i))
			break;
	}
}

static void read_command(struct json_object *root, struct meta *meta)
{
	struct json_object *words = get_of(root, "command", json_type_array);
	size_t i, nr = words ? json_object_array_length(words) : 0;
	size_t len = 0, size = sizeof(meta->command);

	for (i = 0; i < nr && len < size; i++) {
		struct json_object *word = json_object_array_get_idx(words, i);

		if (json_object_is_type(word, json_type_string))
			len += snprintf(meta->command + len, size - len, "%s%s", len ? " " : "",
					json_object_get_string(word));
	}
}

static void read_recorder(struct json_object *root, struct meta *meta)
{
	struct json_object *recorder = get_of(root, "recorder", json_type_object);
	u64 pid = recorder ? get_u64(recorder, "pid") : 0;

	meta->recorder = pid <= INT_MAX ? pid : 0;
}

static const char *read_root(struct json_object *root, struct meta *meta)
{
	const char *why;
	char mode[16] = "";

	get_string(root, "host", meta->host, sizeof(meta->host));
	get_string(root, "kernel", meta->kernel, sizeof(meta->kernel));
	get_string(root, "machine", meta->machine, sizeof(meta->machine));
	get_string(root, "backend", meta->backend, sizeof(meta->backend));
	get_string(root, "mode", mode, sizeof(mode));
	read_command(root, meta);
	read_recorder(root, meta);
	meta->session = get_u64(root, "session");
	meta->overwrite = !strcmp(mode, "overwrite");
	read_missed(root, meta);
	read_uncertain(root, meta);
	read_lack(root, meta);
	why = read_clock(root, meta);
	if (!why)
		why = read_filter(root, meta);
	if (!why)
		why = read_cpus(root, meta);
	return why ? why : read_events(root, meta);
}

/* Keep nothing that was read only in part, but that there was a checksum. */
static void set_defaults(struct meta *meta)
{
	bool sealed = meta->sealed;

	meta_free(meta);
	memset(meta, 0, offsetof(struct meta, layouts));
	meta->sealed = sealed;
	snprintf(meta->host, sizeof(meta->host), "unknown");
	event_layouts_builtin(&meta->layouts);
}

/* Its first and last members say that there is a checksum: older recorders wrote neither. */
static void check_crc(struct json_object *root, struct meta *meta, const char *path,
		      const char *text, size_t len)
{
	char kind[16] = "";

	meta->sealed = json_object_object_get_ex(root, META_CHECKSUM, NULL) ||
		       json_object_object_get_ex(root, META_CRC, NULL);
	if (!meta->sealed)
		return;
	get_string(root, META_CHECKSUM, kind, sizeof(kind));
	meta->changed = strcmp(kind, META_CHECKSUM_KIND) || !meta_crc_right(text, len);
	if (meta->changed)
		msg_warn("%s: its checksum is wrong: it was changed after the recording. It is used as it is. If you changed it, remove the lines \"checksum\" and \"crc\"",
			 path);
}

/* An older recorder knew fewer events; but a name may be damaged, too. */
static void warn_of_lack(const struct meta *meta, const char *path)
{
	char names[256];

	if (event_layouts_lack(&meta->layouts, names, sizeof(names)))
		msg_warn("%s: it does not describe %s, so the results leave them out", path, names);
}

static int use_root(struct json_object *root, struct meta *meta, const char *path)
{
	u64 version = get_u64(root, "format_version");
	const char *why;
	int ret;

	if (version > OVNIK_FORMAT_VERSION) {
		msg_error("%s: the capture has format version %llu, this ovnik-decode knows versions up to %u",
			  path, version, OVNIK_FORMAT_VERSION);
		return -EPROTO;
	}
	ret = read_source(root, meta, path);
	if (!ret)
		ret = read_page_size(root, meta, path);
	if (ret)
		return ret;
	snprintf(meta->host, sizeof(meta->host), "unknown");
	why = version ? read_root(root, meta) : "it has no format_version";
	if (why) {
		msg_warn("%s: %s; going on without it", path, why);
		set_defaults(meta);
		return 0;
	}
	meta->valid = true;
	warn_of_lack(meta, path);
	return 0;
}

int meta_load(struct meta *meta, const char *dir)
{
	struct json_object *root = NULL;
	char path[PATH_MAX], why[JSON_WHY], *text;
	size_t len = 0;
	int ret = 0;

	/* The layouts are large, and cleared by who reads them. */
	memset(meta, 0, offsetof(struct meta, layouts));
	snprintf(path, sizeof(path), "%s/" META_FILE, dir);
	text = json_file_text(path, META_MAX_BYTES, &len, why);
	if (text)
		root = json_parse(text, len, false, why);
	if (root) {
		check_crc(root, meta, path, text, len);
		ret = use_root(root, meta, path);
	} else {
		set_defaults(meta);
		meta->missing = access(path, F_OK) && errno == ENOENT;
		if (!meta->missing)
			msg_warn("%s: %s; going on without it", path, why);
	}
	json_object_put(root);
	free(text);
	return ret;
}

const char *meta_filter(const struct meta *meta, char text[META_FILTER])
{
	bool one = meta->nr_pids == 1;

	if (!meta->nr_pids)
		return NULL;
	snprintf(text, META_FILTER, "%u process%s%s", meta->nr_pids, one ? "" : "es",
		 !meta->children ? "" : one ? " and its descendants" : " and their descendants");
	return text;
}

void meta_free(struct meta *meta)
{
	free(meta->cpus);
	free(meta->pids);
	free(meta->anchors);
	free(meta->walls);
	meta->cpus = NULL;
	meta->pids = NULL;
	meta->anchors = NULL;
	meta->walls = NULL;
}
