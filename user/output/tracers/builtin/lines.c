// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file with one line per task: CSV or JSON lines. Times are ns since the capture's begin. What
 * tells apart the nodes of a table over several comes last in a line, and is the same in all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/args.h"
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/newfile.h"
#include "output/tracers/builtin/notes.h"
#include "output/tracers/builtin/text.h"
#include "util/decimal.h"

/**
 * struct lines - A file of lines.
 * @file: the file, which has a temporary name until it is complete
 * @f: the same
 * @begin: of the capture
 * @tasks: lines
 * @last: what ends each line: the node
 * @notes: files of tags, milestones and losses
 */
struct lines {
	struct newfile file;
	FILE *f;
	u64 begin;
	u64 tasks;
	char *last;
	struct notes notes;
};

static int lines_parse(void *data, const char *args)
{
#define NOTES_KEY(id, key, ...) { .name = key, .text = &l->notes.file[NOTES_##id].path },
	struct lines *l = data;
	const struct args_key keys[] = {
		{ .name = "file", .text = &l->file.path }, NOTES_TABLES(NOTES_KEY)
	};
	int ret = args_parse(args, keys, ARRAY_SIZE(keys)) ?: newfile_check(&l->file, "file");
	unsigned int i;

	for (i = 0; !ret && i < NOTES_NR; i++) {
		if (l->notes.file[i].path)
			ret = newfile_check(&l->notes.file[i], keys[1 + i].name);
	}
	return ret;
}

static u32 lines_notes(const void *data)
{
	const struct lines *l = data;

	return (l->notes.file[NOTES_TAGS].path ? TRACER_TAGS : 0) |
	       (l->notes.file[NOTES_MILESTONES].path ? TRACER_MILESTONES : 0);
}

/* What is written to it becomes @l->last. */
static FILE *begin_node(struct lines *l, const struct tracer_run *run, size_t *size)
{
	l->begin = run->begin;
	l->notes.begin = run->begin;
	free(l->last);
	l->last = NULL;
	return open_memstream(&l->last, size);
}

static int open_files(struct lines *l, const char *heads)
{
	int ret;

	l->notes.last = l->last;
	/* Another node's lines go on in the same files. */
	if (l->f)
		return 0;
	ret = newfile_open(&l->file);
	if (ret)
		return ret;
	l->f = fdopen(l->file.fd, "w");
	if (!l->f)
		return -errno;
	l->file.fd = -1;
	fputs(heads, l->f);
	return notes_open(&l->notes);
}

static int csv_init(void *data, const struct tracer_run *run)
{
	struct lines *l = data;
	size_t size;
	FILE *last = begin_node(l, run, &size);

	if (!last)
		return -ENOMEM;
	fputc(',', last);
	text_csv(last, run->host);
	fputc(',', last);
	if (run->real)
		fprintf(last, "%llu", run->real);
	fputc('\n', last);
	if (fclose(last))
		return -ENOMEM;
	return open_files(l, "id,parent,kind,what,where,start_ns,end_ns,early,open,doubt,either,pid,"
			  "tid,cpu,bytes,result,device,inode,generation,process,thread,node,"
			  "begin_real_ns\n");
}

static int jsonl_init(void *data, const struct tracer_run *run)
{
	struct lines *l = data;
	size_t size;
	FILE *last = begin_node(l, run, &size);

	if (!last)
		return -ENOMEM;
	fputs(",\"node\":", last);
	text_json(last, run->host);
	if (run->real)
		fprintf(last, ",\"begin_real_ns\":%llu}\n", run->real);
	else
		fputs(",\"begin_real_ns\":null}\n", last);
	if (fclose(last))
		return -ENOMEM;
	l->notes.json = true;
	return open_files(l, "");
}

static s64 since(const struct lines *l, u64 time)
{
	return (s64)(time - l->begin);
}

static int write_error(struct lines *l)
{
	int error = errno ? errno : EIO;

	tracer_report_error("%s: %s", l->file.path, strerror(error));
	return -error;
}

/* Numbers of a line, put together before they are written: printf() takes ten times as long. */
#define NUMBERS_MAX	(16 * (DECIMAL_MAX + 1))

static char *put_number(char *to, u64 value, char end)
{
	to = decimal_put(to, value);
	*to = end;
	return to + 1;
}

static char *put_signed(char *to, s64 value, char end)
{
	to = decimal_put_signed(to, value);
	*to = end;
	return to + 1;
}

static char *put_flag(char *to, bool is)
{
	*to++ = is ? '1' : '0';
	*to++ = ',';
	return to;
}

static void csv_numbers(const struct lines *l, const struct trace_task *t)
{
	char numbers[NUMBERS_MAX], *to = numbers;

	*to++ = ',';
	to = put_signed(to, since(l, t->start), ',');
	to = put_signed(to, since(l, t->end), ',');
	to = put_flag(to, t->flags & TRACE_EARLY);
	to = put_flag(to, t->flags & TRACE_OPEN);
	to = put_flag(to, t->flags & TRACE_UNCERTAIN);
	to = put_flag(to, t->flags & TRACE_EITHER);
	to = put_number(to, t->pid, ',');
	to = put_number(to, t->tid, ',');
	to = put_number(to, t->cpu, ',');
	to = put_number(to, t->bytes, ',');
	to = put_signed(to, t->result, ',');
	to = put_number(to, t->file.dev >> 20, ':');
	to = put_number(to, t->file.dev & 0xfffff, ',');
	to = put_number(to, t->file.ino, ',');
	to = put_number(to, t->file.generation, ',');
	to = put_number(to, t->tgid_task, ',');
	to = decimal_put(to, t->thread_task);
	fwrite_unlocked(numbers, 1, to - numbers, l->f);
}

static int csv_end(void *data, const struct trace_task *t)
{
	char numbers[NUMBERS_MAX], *to = numbers;
	struct lines *l = data;

	l->tasks++;
	to = put_number(to, t->id, ',');
	to = put_number(to, t->parent, ',');
	fwrite_unlocked(numbers, 1, to - numbers, l->f);
	fputs_unlocked(tasks_kind_names[t->kind], l->f);
	putc_unlocked(',', l->f);
	text_csv(l->f, t->what);
	putc_unlocked(',', l->f);
	text_csv(l->f, t->where);
	csv_numbers(l, t);
	fputs_unlocked(l->last, l->f);
	return ferror_unlocked(l->f) ? write_error(l) : 0;
}

static const char *boolean(u16 flags, u16 flag)
{
	return flags & flag ? "true" : "false";
}

static int jsonl_end(void *data, const struct trace_task *t)
{
	struct lines *l = data;

	l->tasks++;
	fprintf(l->f, "{\"id\":%llu,\"parent\":%llu,\"kind\":\"%s\",\"what\":", t->id, t->parent,
		tasks_kind_names[t->kind]);
	text_json(l->f, t->what);
	fputs(",\"where\":", l->f);
	text_json(l->f, t->where);
	fprintf(l->f, ",\"start_ns\":%lld,\"end_ns\":%lld,\"early\":%s,\"open\":%s,\"doubt\":%s,\"either\":%s,",
		since(l, t->start), since(l, t->end), boolean(t->flags, TRACE_EARLY),
		boolean(t->flags, TRACE_OPEN), boolean(t->flags, TRACE_UNCERTAIN),
		boolean(t->flags, TRACE_EITHER));
	fprintf(l->f, "\"pid\":%u,\"tid\":%u,\"cpu\":%u,\"bytes\":%llu,\"result\":%lld,", t->pid,
		t->tid, t->cpu, t->bytes, t->result);
	fprintf(l->f, "\"device\":\"%u:%u\",\"inode\":%llu,\"generation\":%u,",
		t->file.dev >> 20, t->file.dev & 0xfffff, t->file.ino, t->file.generation);
	fprintf(l->f, "\"process\":%llu,\"thread\":%llu", t->tgid_task, t->thread_task);
	fputs(l->last, l->f);
	return ferror(l->f) ? write_error(l) : 0;
}

static int lines_tag(void *data, const struct trace_tag *tag)
{
	struct lines *l = data;

	return notes_tag(&l->notes, tag);
}

static int lines_milestone(void *data, const struct trace_milestone *milestone)
{
	struct lines *l = data;

	return notes_milestone(&l->notes, milestone);
}

static int lines_loss(void *data, const struct trace_loss *loss)
{
	struct lines *l = data;

	return l->notes.f[NOTES_LOSSES] ? notes_loss(&l->notes, loss) : 0;
}

static int lines_answer(void *data, struct tracer_answer *to)
{
	struct lines *l = data;
	FILE *f = l->f;

	l->f = NULL;
	if (fclose(f))
		return write_error(l);
	answer_text(to, "file", l->file.path);
	answer_u64(to, "tasks", l->tasks);
	return notes_answer(&l->notes, to);
}

static int lines_keep(void *data)
{
	struct lines *l = data;

	return newfile_keep(&l->file) ?: notes_keep(&l->notes);
}

static void lines_destroy(void *data)
{
	struct lines *l = data;

	if (l->f)
		fclose(l->f);
	newfile_close(&l->file);
	notes_close(&l->notes);
	free(l->last);
}

DEFINE_TRACER(csv) = {
	.abi = TRACER_ABI,
	.name = "csv",
	.sentence = "each task a line of CSV: file=PATH; also tags=PATH, milestones=PATH, losses=PATH",
	.flags = TRACER_WHOLE | TRACER_NODES,
	.size = sizeof(struct lines),
	.parse = lines_parse,
	.init = csv_init,
	.end = csv_end,
	.tag = lines_tag,
	.milestone = lines_milestone,
	.loss = lines_loss,
	.answer = lines_answer,
	.keep = lines_keep,
	.destroy = lines_destroy,
	.notes = lines_notes,
};

DEFINE_TRACER(jsonl) = {
	.abi = TRACER_ABI,
	.name = "jsonl",
	.sentence = "each task a line of JSON: file=PATH; also tags=PATH, milestones=PATH, losses=PATH",
	.flags = TRACER_WHOLE | TRACER_NODES,
	.size = sizeof(struct lines),
	.parse = lines_parse,
	.init = jsonl_init,
	.end = jsonl_end,
	.tag = lines_tag,
	.milestone = lines_milestone,
	.loss = lines_loss,
	.answer = lines_answer,
	.keep = lines_keep,
	.destroy = lines_destroy,
	.notes = lines_notes,
};
