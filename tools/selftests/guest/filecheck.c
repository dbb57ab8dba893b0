// SPDX-License-Identifier: GPL-2.0-only
/*
 * filecheck - are the records of files what fileload has done?
 *
 *	filecheck [-m] [-w DIR] LOG FILE...
 *	filecheck -d PID FILE...
 *
 * Every record of an actor's, and every one about the file system under test, must
 * be what the log says, with all its fields, within the time that the log gives;
 * and for everything in the log there must be one. What a task does comes in the
 * order in which it does it; what others may do for it (closing, deleting, and what
 * aio and io_uring have completed) comes within its time. The bytes of a process
 * are those of its /proc/PID/io. With -m, records are altered, which must be
 * noticed. In DIR are ftrace's counts of system calls by task, see files.sh.
 *
 * With -d, the statedump's records of a process that is still there must be its
 * /proc/PID/fd and /proc/PID/fdinfo.
 */

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <sys/sysmacros.h>

#include "common/dumpcheck.h"
#include "common/filelog.h"
#include "common/hist.h"
#include "common/merge.h"

#define TIDS		0x400000
#define NR_OPS		(OVNIK_OP_URING + 1)

/**
 * struct item - What a record says, or should say.
 * @begin:  its time; not before
 * @end:    its time; not after
 * @ino:    of the file
 * @offset: first byte
 * @result: bytes, or length
 * @kind:   enum ovnik_event
 * @tid:    who
 * @op:	    enum ovnik_file_op
 * @dev:    of the file
 * @generation: of the file
 * @mode:   flags of the open file, or of the rename
 * @loose:  enum log_flags
 * @order:  position in what it comes from
 * @text:   path
 * @match:  what it was found to be the same as
 */
struct item {
	__u64 begin;
	__u64 end;
	__u64 ino;
	__u64 offset;
	__s64 result;
	__u32 kind;
	__u32 tid;
	__u32 op;
	__u32 dev;
	__u32 generation;
	__u32 mode;
	__u32 loose;
	size_t order;
	const char *text;
	const struct item *match;
};

struct items {
	struct item *item;
	size_t nr;
	size_t room;
};

static struct filelog *filelog;
static bool *actors;
static bool quiet;

static struct item *add_item(struct items *items)
{
	struct item *item;

	items->item = grow(items->item, items->nr, &items->room, sizeof(*item));
	item = &items->item[items->nr++];
	memset(item, 0, sizeof(*item));
	item->order = items->nr;
	return item;
}

static void print_item(const char *whose, const struct item *item)
{
	if (quiet)
		return;
	if (!item) {
		printf("# %-6s nothing\n", whose);
		return;
	}
	printf("# %-6s %s tid %u op %u dev %#x ino %llu gen %u offset %llu result %lld mode %#x",
	       whose, kind_name(item->kind), item->tid, item->op, item->dev, item->ino,
	       item->generation, item->offset, item->result, item->mode);
	printf(" loose %#x, %llu..%llu %s\n", item->loose, item->begin, item->end,
	       item->text ? item->text : "");
}

/* From the records. */

static void take_io(struct item *item, const struct ovnik_file_read *io)
{
	item->op = io->op;
	item->tid = io->tid;
	item->dev = io->dev;
	item->ino = io->ino;
	item->offset = io->offset;
	item->generation = io->generation;
	item->result = (__s32)io->result;
}

static void take_name(struct item *item, const struct event *event)
{
	const struct ovnik_file_open *open = event->record;
	const struct ovnik_file_rename *rename = event->record;
	const struct ovnik_file_close *close = event->record;

	switch (event->kind) {
	case OVNIK_EV_file_open:
	case OVNIK_EV_file_rename:	/* the same fields */
		item->tid = open->tid;
		item->dev = open->dev;
		item->ino = open->ino;
		item->generation = open->generation;
		item->mode = open->flags;
		item->text = event->kind == OVNIK_EV_file_open ? open->path : rename->path;
		break;
	case OVNIK_EV_file_close:
		item->tid = close->tid;
		item->dev = close->dev;
		item->ino = close->ino;
		item->generation = close->generation;
		item->mode = close->flags;
		break;
	}
}

static void take_inode(struct item *item, const struct event *event)
{
	const struct ovnik_file_delete *delete = event->record;
	const struct ovnik_file_truncate *truncate = event->record;

	switch (event->kind) {
	case OVNIK_EV_file_delete:
		item->dev = delete->dev;
		item->ino = delete->ino;
		item->generation = delete->generation;
		item->result = delete->length;
		break;
	case OVNIK_EV_file_truncate:
		item->tid = truncate->tid;
		item->dev = truncate->dev;
		item->ino = truncate->ino;
		item->generation = truncate->generation;
		item->result = truncate->length;
		break;
	}
}

static bool is_file_event(unsigned int kind)
{
	return kind >= OVNIK_EV_file_open && kind <= OVNIK_EV_file_rename;
}

static struct item item_of(const struct event *event)
{
	struct item item = { .kind = event->kind, .begin = event->tsc, .end = event->tsc };
	const struct ovnik_file_begin *begin = event->record;

	if (event->kind == OVNIK_EV_file_begin) {
		item.tid = begin->tid;
		item.op = begin->op;
	} else if (event->kind == OVNIK_EV_file_read || event->kind == OVNIK_EV_file_write) {
		take_io(&item, event->record);	/* the same fields */
	}
	take_name(&item, event);
	take_inode(&item, event);
	return item;
}

/* Whose task is not known, or whose file is: then nobody else would do it. */
static bool is_ours(const struct item *item)
{
	return item->dev == filelog->dev || actors[item->tid % TIDS] ||
	       item->op == OVNIK_OP_AIO;
}

static void take_records(struct items *items, const struct events *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		struct item item, *new;

		if (!is_file_event(events->event[i].kind))
			continue;
		item = item_of(&events->event[i]);
		if (!is_ours(&item))
			continue;
		new = add_item(items);
		item.order = i;
		*new = item;
	}
}

/* From the log. */

static unsigned int event_of(unsigned int kind)
{
	static const unsigned int events[] = {
		[LOG_OPEN] = OVNIK_EV_file_open,
		[LOG_CLOSE] = OVNIK_EV_file_close,
		[LOG_READ] = OVNIK_EV_file_read,
		[LOG_WRITE] = OVNIK_EV_file_write,
		[LOG_DELETE] = OVNIK_EV_file_delete,
		[LOG_TRUNCATE] = OVNIK_EV_file_truncate,
		[LOG_RENAME] = OVNIK_EV_file_rename,
		[LOG_SILENT] = 0,
		[LOG_SUMS] = 0,
	};

	return events[kind];
}

static bool has_begin(const struct log_entry *entry)
{
	return (entry->kind == LOG_READ || entry->kind == LOG_WRITE) &&
	       !(entry->flags & (LOG_JOINED | LOG_ASYNC));
}

static void take_entry(struct items *items, const struct log_entry *entry)
{
	struct item *item;

	if (has_begin(entry)) {
		item = add_item(items);
		item->kind = OVNIK_EV_file_begin;
		item->begin = entry->begin;
		item->end = entry->end;
		item->tid = entry->tid;
		item->op = entry->op;
	}
	item = add_item(items);
	item->kind = event_of(entry->kind);
	item->begin = entry->begin;
	item->end = entry->end;
	item->ino = entry->ino;
	item->offset = entry->offset;
	item->result = entry->result;
	item->tid = entry->kind == LOG_DELETE ? 0 : entry->tid;
	item->op = entry->op;
	item->dev = entry->dev;
	item->generation = entry->generation;
	item->mode = entry->mode;
	item->loose = entry->flags;
	if (entry->kind == LOG_OPEN || entry->kind == LOG_RENAME)
		item->text = filelog->text + entry->text;
}

static void take_log(struct items *items)
{
	__u32 i;

	for (i = 0; i < filelog->nr; i++) {
		if (event_of(filelog->entry[i].kind))
			take_entry(items, &filelog->entry[i]);
	}
}

static void load_log(const char *path)
{
	FILE *file = fopen(path, "r");
	__u32 i;

	filelog = malloc(sizeof(*filelog));
	actors = calloc(TIDS, sizeof(*actors));
	if (!file || !filelog || !actors || fread(filelog, sizeof(*filelog), 1, file) != 1)
		err(1, "%s", path);
	fclose(file);
	for (i = 0; i < filelog->nr; i++)
		actors[filelog->entry[i].tid % TIDS] = true;
}

/* Comparing. */

static bool same_identity(const struct item *want, const struct item *got)
{
	return want->kind == got->kind && want->op == got->op && want->ino == got->ino &&
	       want->dev == got->dev &&
	       (want->loose & LOG_ANY_TID || want->tid == got->tid) &&
	       (want->loose & LOG_ANY_GEN || want->generation == got->generation);
}

static bool same_text(const struct item *want, const struct item *got)
{
	if (!want->text || !got->text)
		return want->text == got->text;
	return want->loose & LOG_ANY_PATH || !strcmp(want->text, got->text);
}

static bool same(const struct item *want, const struct item *got)
{
	return same_identity(want, got) && want->offset == got->offset &&
	       (want->loose & LOG_ANY_SIZE || want->result == got->result) &&
	       (want->loose & LOG_ANY_MODE || want->mode == got->mode) &&
	       same_text(want, got) && got->begin >= want->begin && got->end <= want->end;
}

static bool is_free(const struct item *item)
{
	return item->kind == OVNIK_EV_file_close || item->kind == OVNIK_EV_file_delete ||
	       item->op == OVNIK_OP_AIO || item->op == OVNIK_OP_URING;
}

/* Those that come in the order of their task first, by task and order. */
static int by_task(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int free_x = is_free(x), free_y = is_free(y);

	if (free_x != free_y)
		return free_x - free_y;
	if (!free_x && x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t sort_items(struct items *items)
{
	size_t i;

	if (items->nr)
		qsort(items->item, items->nr, sizeof(*items->item), by_task);
	for (i = 0; i < items->nr && !is_free(&items->item[i]); i++)
		;
	return i;
}

/* Return: whether the first @nr_want and @nr_got are the same, one by one. */
static bool same_order(struct items *want, size_t nr_want, struct items *got, size_t nr_got)
{
	size_t i;

	for (i = 0; i < nr_want || i < nr_got; i++) {
		struct item *w = i < nr_want ? &want->item[i] : NULL;
		struct item *g = i < nr_got ? &got->item[i] : NULL;

		if (w && g && same(w, g)) {
			g->match = w;
			continue;
		}
		if (i)
			print_item("before", &want->item[i - 1]);
		print_item("done", w);
		print_item("record", g);
		return false;
	}
	return true;
}

/* The others: to each of one its own of the others. */
static bool same_free(struct items *want, size_t w, struct items *got, size_t first)
{
	bool all = true;
	size_t g;

	for (; w < want->nr; w++) {
		for (g = first; g < got->nr; g++) {
			if (!got->item[g].match && same(&want->item[w], &got->item[g]))
				break;
		}
		if (g == got->nr) {
			print_item("done", &want->item[w]);
			all = false;
		} else {
			got->item[g].match = &want->item[w];
		}
	}
	for (g = first; g < got->nr; g++) {
		if (!got->item[g].match) {
			print_item("record", &got->item[g]);
			all = false;
		}
	}
	return all;
}

static bool same_items(struct items *want, struct items *got)
{
	size_t nr_want = sort_items(want), nr_got = sort_items(got);
	bool ordered = same_order(want, nr_want, got, nr_got);

	return same_free(want, nr_want, got, nr_got) && ordered;
}

/* A process' bytes until it looked into /proc/PID/io. */
static bool same_sums(const struct items *got, const struct log_entry *sums)
{
	__u64 reads = 0, writes = 0;
	bool *mine = calloc(TIDS, sizeof(*mine));
	size_t i;

	if (!mine)
		err(1, "no memory");
	for (i = 0; i < filelog->nr; i++) {
		if (filelog->entry[i].tgid == sums->tgid)
			mine[filelog->entry[i].tid % TIDS] = true;
	}
	for (i = 0; i < got->nr; i++) {
		const struct item *item = &got->item[i];

		if (!mine[item->tid % TIDS] || item->begin >= sums->begin || item->result < 0)
			continue;
		if (item->kind == OVNIK_EV_file_read)
			reads += item->result;
		if (item->kind == OVNIK_EV_file_write)
			writes += item->result;
	}
	free(mine);
	if (reads == sums->offset && writes == (__u64)sums->result)
		return true;
	if (!quiet)
		printf("# process %u: %llu read, %llu written; /proc/PID/io: %llu, %lld\n",
		       sums->tgid, reads, writes, sums->offset, sums->result);
	return false;
}

static bool all_sums(const struct items *got)
{
	bool all = true;
	__u32 i, nr = 0;

	for (i = 0; i < filelog->nr; i++) {
		if (filelog->entry[i].kind != LOG_SUMS)
			continue;
		nr++;
		if (!same_sums(got, &filelog->entry[i]))
			all = false;
	}
	return all && nr;
}

static int by_inode(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	if (x->generation != y->generation)
		return x->generation < y->generation ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Never more closed than opened, and in the end as many; no use after a deletion. */
static bool opens_pair(const struct items *got)
{
	struct items copy = {};
	const struct item *last = NULL;
	int open = 0;
	bool good = true;
	size_t i;

	for (i = 0; i < got->nr; i++) {
		if (got->item[i].dev == filelog->dev)
			*add_item(&copy) = got->item[i];
	}
	qsort(copy.item, copy.nr, sizeof(*copy.item), by_inode);
	for (i = 0; i <= copy.nr; i++) {
		const struct item *item = i < copy.nr ? &copy.item[i] : NULL;

		if (last && (!item || item->ino != last->ino ||
			     item->generation != last->generation)) {
			good = good && !open;
			open = 0;
			last = NULL;
		}
		if (!item)
			break;
		open += item->kind == OVNIK_EV_file_open;
		open -= item->kind == OVNIK_EV_file_close;
		if (open < 0 || (last && last->kind == OVNIK_EV_file_delete))
			good = false;
		if (!good) {
			print_item("unpaired", item);
			break;
		}
		last = item;
	}
	free(copy.item);
	return good;
}

static bool check(const struct events *events, struct items *want, struct items *got)
{
	bool good;

	got->nr = 0;
	take_records(got, events);
	good = same_items(want, got);
	good = all_sums(got) && good;
	return opens_pair(got) && good;
}

static void summary(const struct items *got)
{
	size_t nr[OVNIK_NR_EVENTS] = {}, i;
	unsigned int kind;

	for (i = 0; i < got->nr; i++)
		nr[got->item[i].kind]++;
	printf("#");
	for (kind = OVNIK_EV_file_open; kind <= OVNIK_EV_file_rename; kind++)
		printf(" %s %zu", kind_name(kind), nr[kind]);
	printf("\n");
}

/*
 * The checker's own test. Each field of some records of each kind is altered, in
 * a copy; only of those that the log knows completely.
 */

struct field {
	unsigned int kind;
	size_t at;
	size_t size;
	const char *name;
};

#define SIZE_u16	2
#define SIZE_u32	4
#define SIZE_u64	8
#define SIZE_comm	1
#define SIZE_str	1
#define FIELD_ROW(ev, type, name, unit) \
	{ OVNIK_EV_##ev, offsetof(struct ovnik_##ev, name), SIZE_##type, #name },
#define EVENT_ROWS(nr, name, family, letter, mcv, sentence, hook, misses, fields) fields

static const struct field fields[] = { OVNIK_EVENT_TABLE(EVENT_ROWS, FIELD_ROW) };

#define NR_FIELDS	(sizeof(fields) / sizeof(*fields))

static bool is_noticed(const struct events *events, struct items *want)
{
	struct items got = {};
	bool noticed;

	quiet = true;
	noticed = !check(events, want, &got);
	quiet = false;
	free(got.item);
	return noticed;
}

static size_t record_size(const struct ovnik_record *rec)
{
	return rec->words ? rec->words * OVNIK_REC_ALIGN : rec->size;
}

/* The last bit of a field. */
static bool field_noticed(struct events *events, struct items *want, size_t at,
			  const struct field *field)
{
	struct event before = events->event[at];
	char copy[OVNIK_REC_MAX];
	bool noticed;

	memcpy(copy, before.record, record_size(before.record));
	copy[field->at] ^= 1;
	events->event[at].record = copy;
	noticed = is_noticed(events, want);
	events->event[at] = before;
	if (!noticed)
		printf("# nobody notices another %s in %s\n", field->name,
		       kind_name(field->kind));
	return noticed;
}

static bool loss_noticed(struct events *events, struct items *want, size_t at)
{
	struct event before = events->event[at];
	bool noticed;

	events->event[at].kind = OVNIK_EV_anchor;
	noticed = is_noticed(events, want);
	events->event[at] = before;
	events->event[at].tsc = 0;
	noticed = is_noticed(events, want) && noticed;
	events->event[at] = before;
	if (!noticed)
		printf("# nobody notices that a %s is not there, or at a wrong time\n",
		       kind_name(before.kind));
	return noticed;
}

static bool double_noticed(struct events *events, struct items *want, size_t at)
{
	bool noticed;

	*add_event(events) = events->event[at];
	noticed = is_noticed(events, want);
	events->nr--;
	if (!noticed)
		printf("# nobody notices a second %s\n", kind_name(events->event[at].kind));
	return noticed;
}

static bool place_noticed(struct events *events, struct items *want, size_t at, unsigned int *done)
{
	bool all = loss_noticed(events, want, at) && double_noticed(events, want, at);
	const struct field *field;

	*done += 3;
	for (field = fields; field < fields + NR_FIELDS; field++) {
		if (field->kind != events->event[at].kind || !strcmp(field->name, "size"))
			continue;
		++*done;
		if (!field_noticed(events, want, at, field))
			all = false;
	}
	return all;
}

static bool is_strict(const struct item *got, unsigned int kind)
{
	return got->kind == kind && got->match && !(got->match->loose & LOG_LOOSE) &&
	       (!got->text || *got->text);
}

/* The first, the middle and the last one of a kind. */
static bool kind_noticed(struct events *events, struct items *want, const struct items *got,
			 unsigned int kind, unsigned int *done)
{
	size_t nr = 0, seen = 0, i;
	bool all = true;

	for (i = 0; i < got->nr; i++)
		nr += is_strict(&got->item[i], kind);
	for (i = 0; i < got->nr; i++) {
		if (!is_strict(&got->item[i], kind))
			continue;
		if (!seen || seen == nr / 2 || seen + 1 == nr)
			all = place_noticed(events, want, got->item[i].order, done) && all;
		seen++;
	}
	if (!nr)
		printf("# there is no %s to alter\n", kind_name(kind));
	return all && nr;
}

static bool all_noticed(struct events *events, struct items *want, const struct items *got)
{
	unsigned int kind, done = 0;
	bool all = true;

	for (kind = OVNIK_EV_file_open; kind <= OVNIK_EV_file_rename; kind++)
		all = kind_noticed(events, want, got, kind, &done) && all;
	printf("# %u mutations\n", done);
	return all;
}

/* ftrace's counts. */

struct call_name {
	enum ovnik_file_op op;
	const char *name;
};

static const struct call_name call_names[] = {
	{ OVNIK_OP_READ, "read" },
	{ OVNIK_OP_WRITE, "write" },
	{ OVNIK_OP_PREAD, "pread64" },
	{ OVNIK_OP_PWRITE, "pwrite64" },
	{ OVNIK_OP_READV, "readv" },
	{ OVNIK_OP_WRITEV, "writev" },
	{ OVNIK_OP_PREADV, "preadv" },
	{ OVNIK_OP_PREADV, "preadv2" },
	{ OVNIK_OP_PWRITEV, "pwritev" },
	{ OVNIK_OP_PWRITEV, "pwritev2" },
	{ OVNIK_OP_SENDFILE, "sendfile64" },
	{ OVNIK_OP_SPLICE, "splice" },
	{ OVNIK_OP_COPY, "copy_file_range" },
};

/* How often a task has made a call, by what it is to leave. */
struct counts {
	long of[NR_OPS];
};

static void count_trace(const char *dir, struct counts *counts)
{
	const struct call_name *call;
	struct hist_line line;

	for (call = call_names; call < call_names + sizeof(call_names) / sizeof(*call); call++) {
		FILE *file = open_hist(dir, call->name);

		while (read_hist(file, "common_pid", NULL, &line))
			counts[line.key[0] % TIDS].of[call->op] += line.hits;
		fclose(file);
	}
}

static bool same_counts(const char *dir, const struct items *got)
{
	struct counts *counts = calloc(TIDS, sizeof(*counts));
	long calls = 0;
	bool good = true;
	__u32 tid, op;
	size_t i;

	if (!counts)
		err(1, "no memory");
	count_trace(dir, counts);
	for (tid = 0; tid < TIDS; tid++) {
		for (op = 0; op < NR_OPS && actors[tid]; op++)
			calls += counts[tid].of[op];
	}
	for (i = 0; i < got->nr; i++) {
		if (got->item[i].kind == OVNIK_EV_file_begin)
			counts[got->item[i].tid % TIDS].of[got->item[i].op]--;
	}
	for (i = 0; i < filelog->nr; i++) {
		const struct log_entry *entry = &filelog->entry[i];

		if (entry->kind == LOG_SILENT)
			counts[entry->tid % TIDS].of[entry->op]--;
		if (entry->flags & LOG_COMPAT)
			counts[entry->tid % TIDS].of[entry->op]++;
	}
	for (tid = 0; tid < TIDS; tid++) {
		for (op = 0; op < NR_OPS && actors[tid]; op++) {
			if (!counts[tid].of[op])
				continue;
			printf("# task %u, op %u: ftrace has %ld more\n", tid, op,
			       counts[tid].of[op]);
			good = false;
		}
	}
	printf("# %ld system calls in ftrace's counts\n", calls);
	free(counts);
	return good && calls;
}

static bool parse_options(int argc, char **argv, bool *mutate, const char **witness,
			  const char **pid)
{
	int opt;

	while ((opt = getopt(argc, argv, "mw:d:")) != -1) {
		switch (opt) {
		case 'm':
			*mutate = true;
			break;
		case 'w':
			*witness = optarg;
			break;
		case 'd':
			*pid = optarg;
			break;
		default:
			return false;
		}
	}
	return argc - optind > !*pid;
}

int main(int argc, char **argv)
{
	const char *witness = NULL, *pid = NULL;
	struct items want = {}, got = {};
	struct events events = {};
	bool mutate = false, good;

	if (!parse_options(argc, argv, &mutate, &witness, &pid))
		errx(2, "usage: filecheck [-m] [-w DIR] LOG FILE... or -d PID FILE...");
	if (pid) {
		load_merged(&events, argv + optind);
		return !same_dump(&events, pid);
	}
	load_log(argv[optind]);
	load_merged(&events, argv + optind + 1);
	take_log(&want);
	good = check(&events, &want, &got);
	summary(&got);
	if (witness)
		good = same_counts(witness, &got) && good;
	if (good && mutate)
		good = all_noticed(&events, &want, &got);
	return !good;
}
