// SPDX-License-Identifier: GPL-2.0-only
/* What the records say, and what the log says. */

#include "filecheck.h"

struct filelog *filelog;
bool *actors;
bool quiet;

struct item *add_item(struct items *items)
{
	struct item *item;

	items->item = grow(items->item, items->nr, &items->room, sizeof(*item));
	item = &items->item[items->nr++];
	memset(item, 0, sizeof(*item));
	item->order = items->nr;
	return item;
}

void print_item(const char *whose, const struct item *item)
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

/* Of an actor, or about the file system under test, which only actors use. */
static bool is_ours(const struct item *item)
{
	return item->dev == filelog->dev || actors[item->tid % TIDS] ||
	       item->op == OVNIK_OP_AIO;
}

void take_records(struct items *items, const struct events *events)
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

void take_log(struct items *items)
{
	__u32 i;

	for (i = 0; i < filelog->nr; i++) {
		if (event_of(filelog->entry[i].kind))
			take_entry(items, &filelog->entry[i]);
	}
}

void load_log(const char *path)
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
