// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture.h"

__attribute__((noreturn, format(printf, 3, 4)))
static void bad(const struct capture *cap, const void *where, const char *format, ...)
{
	const struct block *last = &cap->block[cap->nr_blocks - 1];
	va_list args;

	printf("# %s: sub-buffer %zu (seq %llu), offset %td: ", cap->path, cap->nr_blocks - 1,
	       last->head->seq, (const char *)where - (const char *)last->head);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

/* Where the text of each kind begins; 0 for a kind that has none. */
#define TEXT_u16(ev, name)
#define TEXT_u32(ev, name)
#define TEXT_u64(ev, name)
#define TEXT_comm(ev, name)
#define TEXT_str(ev, name)		+ offsetof(struct ovnik_##ev, name)
#define TEXT_FIELD(ev, type, name, unit) TEXT_##type(ev, name)
#define TEXT_AT(nr, ev, family, changes, letter, mcv, sentence, hook, misses, fields) \
	[nr] = 0 fields,

static const size_t text_at[] = { OVNIK_EVENT_TABLE(TEXT_AT, TEXT_FIELD) };

const char *text_of(const struct ovnik_record *rec)
{
	return text_at[rec->type] ? (const char *)rec + text_at[rec->type] : NULL;
}

static size_t record_length(const struct capture *cap, const struct ovnik_record *rec)
{
	if (rec->words)
		return rec->words * OVNIK_REC_ALIGN;
	if (!text_at[rec->type])
		bad(cap, rec, "length 0 for type %u", rec->type);
	return (ovnik_record_size(rec) + 7U) & ~7U;
}

/* Fixed lengths are those of the table; a str ends with its only NUL, then zeros. */
static void check_length(const struct capture *cap, const struct ovnik_record *rec)
{
#define LENGTH(nr, name, ...) [nr] = sizeof(struct ovnik_##name),
	static const size_t lengths[] = { OVNIK_EVENT_TABLE(LENGTH, OVNIK_NO_FIELD) };
	size_t size = ovnik_record_size(rec), i;
	const char *bytes = (const void *)rec;

	if (!text_at[rec->type]) {
		if (rec->words * 8U != lengths[rec->type])
			bad(cap, rec, "type %u has %u words", rec->type, rec->words);
		return;
	}
	if (rec->words)
		bad(cap, rec, "type %u has %u words and a text", rec->type, rec->words);
	if (size <= text_at[rec->type] || size > OVNIK_REC_MAX)
		bad(cap, rec, "size %u", rec->size);
	if (rec->size & OVNIK_REC_AGAIN) {
		if (size != text_at[rec->type] + sizeof(__u32))
			bad(cap, rec, "size %zu of a record without text", size);
	} else if (strnlen(text_of(rec), size - text_at[rec->type]) + 1 !=
		   size - text_at[rec->type]) {
		bad(cap, rec, "the text ends before or after its size");
	}
	for (i = size; i < record_length(cap, rec); i++) {
		if (bytes[i])
			bad(cap, rec, "padding is not 0");
	}
}

/*
 * A record whose text is that of another one, as if it had that itself. @of_block says where
 * records of the block begin.
 */
static const struct ovnik_record *with_text(const struct capture *cap,
					    const struct ovnik_record *rec, const bool *of_block)
{
	size_t at = text_at[rec->type], offset;
	const struct ovnik_record *other;
	struct ovnik_record *whole;
	__u32 back;

	if (rec->words || !(rec->size & OVNIK_REC_AGAIN))
		return rec;
	memcpy(&back, (const char *)rec + at, sizeof(back));
	offset = (const char *)rec - (const char *)cap->block[cap->nr_blocks - 1].head;
	if (!back || back > offset || back % OVNIK_REC_ALIGN ||
	    !of_block[(offset - back) / OVNIK_REC_ALIGN])
		bad(cap, rec, "no record %u bytes before", back);
	other = (const void *)((const char *)rec - back);
	if (!text_at[other->type] || other->size & OVNIK_REC_AGAIN)
		bad(cap, rec, "no text %u bytes before", back);
	whole = calloc(1, at + strlen(text_of(other)) + OVNIK_REC_ALIGN);
	if (!whole)
		err(1, NULL);
	memcpy(whole, rec, at);
	strcpy((char *)whole + at, text_of(other));
	whole->size = at + strlen(text_of(other)) + 1;
	return whole;
}

static const char *check_comm(const struct capture *cap, const char *comm)
{
	if (strnlen(comm, OVNIK_COMM_LEN) == OVNIK_COMM_LEN)
		bad(cap, comm, "a name without end");
	return comm;
}

static void fill_sched(struct event *event, const void *rec)
{
	const struct ovnik_sched_switch *sw = rec;
	const struct ovnik_sched_wakeup *wakeup = rec;
	const struct ovnik_sched_migrate *migrate = rec;

	switch (event->kind) {
	case OVNIK_EV_sched_switch:
		event->a = sw->prev_tid;
		event->b = sw->next_tid;
		event->c = sw->prev_state;
		break;
	case OVNIK_EV_sched_wakeup:
	case OVNIK_EV_sched_wakeup_new:	/* the same fields */
		event->a = wakeup->tid;
		event->b = wakeup->waker_tid;
		event->c = wakeup->cpu;
		break;
	case OVNIK_EV_sched_migrate:
		event->a = migrate->tid;
		event->b = migrate->dest_cpu;
		event->c = migrate->orig_cpu;
		break;
	}
}

static void fill_task(const struct capture *cap, struct event *event, const void *rec)
{
	const struct ovnik_task_fork *fork = rec;
	const struct ovnik_task_exec *exec = rec;
	const struct ovnik_task_exit *task_exit = rec;
	const struct ovnik_task_comm *comm = rec;
	const struct ovnik_task_mm *mm = rec;
	const struct ovnik_cpu_hotplug *hotplug = rec;

	switch (event->kind) {
	case OVNIK_EV_task_fork:
		event->a = fork->parent_tid;
		event->b = fork->child_tid;
		event->text = check_comm(cap, fork->child_comm);
		break;
	case OVNIK_EV_task_exec:
		event->a = exec->tid;
		event->b = exec->old_tid;
		event->text = exec->filename;
		break;
	case OVNIK_EV_task_exit:
		event->a = task_exit->tid;
		break;
	case OVNIK_EV_task_comm:
		event->a = comm->tid;
		event->text = check_comm(cap, comm->comm);
		break;
	case OVNIK_EV_task_mm:
		event->a = mm->tid;
		event->b = mm->reason;
		break;
	case OVNIK_EV_cpu_hotplug:
		event->a = hotplug->cpu;
		event->b = hotplug->online;
		break;
	}
}

/* What ovnik writes when it saves a sub-buffer; the kernel leaves it 0. */
static __u32 crc_of(const struct ovnik_subbuf *sb)
{
	struct ovnik_subbuf head = *sb;

	head.crc = 0;
	return crc32(crc32(0, (const void *)&head, sizeof(head)), (const void *)(sb + 1),
		     sb->used - sizeof(head));
}

static void check_header(const struct capture *cap, size_t left)
{
	const struct ovnik_subbuf *sb = cap->block[cap->nr_blocks - 1].head;
	const struct ovnik_subbuf *before = sb;

	if (left < OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS) || left < sb->used)
		bad(cap, sb, "cut off: %zu bytes are left", left);
	if (sb->magic != OVNIK_SUBBUF_MAGIC || sb->version != OVNIK_FORMAT_VERSION)
		bad(cap, sb, "magic %#llx, version %u", sb->magic, sb->version);
	if (sb->nr_events != OVNIK_NR_EVENTS ||
	    sb->header_size != OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS))
		bad(cap, sb, "%u events, header of %u bytes", sb->nr_events, sb->header_size);
	if (sb->cpu != cap->cpu && !is_dump(cap->path))
		bad(cap, sb, "of CPU %u", sb->cpu);
	if (sb->used < sb->header_size || sb->used > sb->size || sb->used % OVNIK_REC_ALIGN)
		bad(cap, sb, "used %u of %u", sb->used, sb->size);
	if (sb->committed != sb->used)
		bad(cap, sb, "committed %u, used %u", sb->committed, sb->used);
	if (sb->reserved || sb->crc != (sb->flags & OVNIK_SB_CRC ? crc_of(sb) : 0))
		bad(cap, sb, "crc is wrong, or reserved is not 0");
	if (sb->tsc_end < sb->tsc)
		bad(cap, sb, "ends before it begins");
	if (cap->nr_blocks == 1)
		return;
	before = cap->block[cap->nr_blocks - 2].head;
	if (sb->session != before->session || sb->size != before->size ||
	    sb->flags != before->flags)
		bad(cap, sb, "session, size or flags changed");
	if (sb->seq <= before->seq)
		bad(cap, sb, "seq %llu after %llu", sb->seq, before->seq);
	if (sb->tsc < before->tsc_end)
		bad(cap, sb, "opened before the last one was closed");
	if (sb->ns < before->ns)
		bad(cap, sb, "CLOCK_MONOTONIC went back");
}

/* The records of the last block. */
static void read_records(struct capture *cap)
{
	const struct block *block = &cap->block[cap->nr_blocks - 1];
	const struct ovnik_subbuf *sb = block->head;
	const char *at = (const char *)sb + sb->header_size;
	const char *end = (const char *)sb + sb->used;
	__u64 base = sb->tsc, last = sb->tsc;
	__u32 count[OVNIK_NR_EVENTS] = {};
	bool *begins = calloc(sb->used / OVNIK_REC_ALIGN, sizeof(*begins));

	if (!begins)
		err(1, NULL);
	while (at < end) {
		const struct ovnik_record *rec = (const void *)at;
		struct event *event;
		__u64 tsc = base + rec->delta;

		if (!rec->type || rec->type >= OVNIK_NR_EVENTS)
			bad(cap, rec, "type %u", rec->type);
		if (record_length(cap, rec) > (size_t)(end - at))
			bad(cap, rec, "type %u reaches over the end", rec->type);
		check_length(cap, rec);
		count[rec->type]++;
		begins[(at - (const char *)sb) / OVNIK_REC_ALIGN] = true;
		at += record_length(cap, rec);
		if (rec->type == OVNIK_EV_anchor) {
			base = ((const struct ovnik_anchor *)rec)->tsc;
			if (base < last)
				bad(cap, rec, "the anchor goes back");
			last = base;
			continue;
		}
		if (tsc < last || tsc > sb->tsc_end)
			bad(cap, rec, "time %llu after %llu, end %llu", tsc, last, sb->tsc_end);
		last = tsc;
		event = add_event(&cap->events);
		event->tsc = tsc;
		event->place = rec;
		rec = with_text(cap, rec, begins);
		event->again = rec != event->place;
		event->kind = rec->type;
		event->block = cap->nr_blocks - 1;
		event->record = rec;
		fill_sched(event, rec);
		fill_task(cap, event, rec);
	}
	free(begins);
	if (memcmp(count, block->count, sizeof(count)))
		bad(cap, sb, "count[] is not what is there");
}

static void read_blocks(struct capture *cap, const char *data, size_t size)
{
	size_t at = 0;

	while (at < size) {
		struct block *block;

		cap->block = grow(cap->block, cap->nr_blocks, &cap->room, sizeof(*block));
		block = &cap->block[cap->nr_blocks++];
		block->head = (const void *)(data + at);
		block->lost = block->head->lost;
		block->count = (const void *)(block->lost + OVNIK_NR_EVENTS);
		check_header(cap, size - at);
		read_records(cap);
		at += block->head->used;
	}
}

struct capture *load_capture(const char *path)
{
	struct capture *cap = calloc(1, sizeof(*cap));
	struct stat st;
	void *data;
	int fd;

	if (!cap)
		err(1, "no memory");
	cap->path = path;
	cap->cpu = is_dump(path) ? 0 : cpu_of_name(path);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	if (st.st_size) {
		data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED)
			err(1, "%s", path);
		read_blocks(cap, data, st.st_size);
	}
	close(fd);
	return cap;
}
