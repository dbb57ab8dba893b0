// SPDX-License-Identifier: GPL-2.0-only
/* A file with one line per task: CSV or JSON lines. Times are ns since the capture's begin. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/newfile.h"
#include "util/utf8.h"

/**
 * struct lines - A file of lines.
 * @file: the file, which has a temporary name until it is complete
 * @f: the same
 * @begin: of the capture
 * @tasks: lines
 */
struct lines {
	struct newfile file;
	FILE *f;
	u64 begin;
	u64 tasks;
};

static int lines_parse(void *data, const char *args)
{
	struct lines *l = data;

	return newfile_parse(&l->file, args);
}

static int lines_init(void *data, const struct tracer_run *run)
{
	struct lines *l = data;
	int ret = newfile_open(&l->file);

	l->begin = run->begin;
	if (ret)
		return ret;
	l->f = fdopen(l->file.fd, "w");
	if (!l->f)
		return -errno;
	l->file.fd = -1;
	return 0;
}

static int csv_init(void *data, const struct tracer_run *run)
{
	struct lines *l = data;
	int ret = lines_init(data, run);

	if (ret)
		return ret;
	fprintf(l->f, "id,parent,kind,what,where,start_ns,end_ns,early,open,doubt,either,");
	fprintf(l->f, "pid,tid,cpu,bytes,result,device,inode,generation\n");
	return 0;
}

static s64 since(const struct lines *l, u64 time)
{
	return (s64)(time - l->begin);
}

/*
 * Paths can contain any bytes, but the files are UTF-8. What a spreadsheet would take for a
 * formula is marked as text.
 */
static void csv_text(FILE *f, const char *text)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

	fputs(quote, f);
	if (*text && strchr("=+-@\t\r", *text))
		fputc('\'', f);
	while (*text) {
		if (*text == '"')
			fputc('"', f);
		text += utf8_put(f, text);
	}
	fputs(quote, f);
}

static int write_error(struct lines *l)
{
	int error = errno ? errno : EIO;

	tracer_report_error("%s: %s", l->file.path, strerror(error));
	return -error;
}

static int csv_end(void *data, const struct trace_task *t)
{
	struct lines *l = data;

	l->tasks++;
	fprintf(l->f, "%llu,%llu,%s,", t->id, t->parent, tasks_kind_names[t->kind]);
	csv_text(l->f, t->what);
	fputc(',', l->f);
	csv_text(l->f, t->where);
	fprintf(l->f, ",%lld,%lld,%d,%d,%d,%d,", since(l, t->start), since(l, t->end),
		!!(t->flags & TRACE_EARLY), !!(t->flags & TRACE_OPEN),
		!!(t->flags & TRACE_UNCERTAIN), !!(t->flags & TRACE_EITHER));
	fprintf(l->f, "%u,%u,%u,%llu,%lld,%u:%u,%llu,%u\n", t->pid, t->tid, t->cpu, t->bytes,
		t->result, t->file.dev >> 20, t->file.dev & 0xfffff, t->file.ino,
		t->file.generation);
	return ferror(l->f) ? write_error(l) : 0;
}

static void json_text(FILE *f, const char *text)
{
	fputc('"', f);
	while (*text) {
		unsigned int len = utf8_len(text);

		if (len && !utf8_shown(text)) {
			fprintf(f, "\\u%04x", utf8_code(text));
			text += len;
			continue;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		text += utf8_put(f, text);
	}
	fputc('"', f);
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
	json_text(l->f, t->what);
	fputs(",\"where\":", l->f);
	json_text(l->f, t->where);
	fprintf(l->f, ",\"start_ns\":%lld,\"end_ns\":%lld,\"early\":%s,\"open\":%s,\"doubt\":%s,\"either\":%s,",
		since(l, t->start), since(l, t->end), boolean(t->flags, TRACE_EARLY),
		boolean(t->flags, TRACE_OPEN), boolean(t->flags, TRACE_UNCERTAIN),
		boolean(t->flags, TRACE_EITHER));
	fprintf(l->f, "\"pid\":%u,\"tid\":%u,\"cpu\":%u,\"bytes\":%llu,\"result\":%lld,", t->pid,
		t->tid, t->cpu, t->bytes, t->result);
	fprintf(l->f, "\"device\":\"%u:%u\",\"inode\":%llu,\"generation\":%u}\n",
		t->file.dev >> 20, t->file.dev & 0xfffff, t->file.ino, t->file.generation);
	return ferror(l->f) ? write_error(l) : 0;
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
	return 0;
}

static int lines_keep(void *data)
{
	struct lines *l = data;

	return newfile_keep(&l->file);
}

static void lines_destroy(void *data)
{
	struct lines *l = data;

	if (l->f)
		fclose(l->f);
	newfile_close(&l->file);
}

DEFINE_TRACER(csv) = {
	.abi = TRACER_ABI,
	.name = "csv",
	.sentence = "each task a line of CSV: file=PATH",
	.flags = TRACER_WHOLE,
	.size = sizeof(struct lines),
	.parse = lines_parse,
	.init = csv_init,
	.end = csv_end,
	.answer = lines_answer,
	.keep = lines_keep,
	.destroy = lines_destroy,
};

DEFINE_TRACER(jsonl) = {
	.abi = TRACER_ABI,
	.name = "jsonl",
	.sentence = "each task a line of JSON: file=PATH",
	.flags = TRACER_WHOLE,
	.size = sizeof(struct lines),
	.parse = lines_parse,
	.init = lines_init,
	.end = jsonl_end,
	.answer = lines_answer,
	.keep = lines_keep,
	.destroy = lines_destroy,
};
