// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page: style, script and markup are parts of the program; the data are JSON, and the texts
 * of all lanes one after the other, in base64.
 */
#include <ovnik_version.h>
#include <string.h>

#include "output/html/page.h"
#include "sums/table.h"
#include "util/utf8.h"

/* The assembler includes the files; paths are relative to the top of the sources. */
#define PAGE_PART(name, file)						\
	extern const char page_##name[];				\
	asm(".pushsection .rodata\n"					\
	    "page_" #name ":\n"						\
	    ".incbin \"user/output/html/" file "\"\n"			\
	    ".byte 0\n"							\
	    ".popsection\n")

PAGE_PART(style, "style.css");
PAGE_PART(body, "body.html");
PAGE_PART(data, "data.js");
PAGE_PART(rows, "rows.js");
PAGE_PART(draw, "draw.js");
PAGE_PART(overview, "overview.js");
PAGE_PART(panel, "panel.js");
PAGE_PART(memory, "memory.js");
PAGE_PART(ui, "ui.js");

/* Nothing is loaded, whatever the page contains. */
#define HEAD								\
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"	\
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "	\
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"	\
	"<meta name=\"viewport\" content=\"width=device-width\">\n"	\
	"<link rel=\"icon\" href=\"data:,\">\n<title>ovnik</title>\n<style>\n"

/*
 * A string of JSON that is safe in a page. Bytes that are no characters become lone surrogates:
 * other names remain other ones.
 */
static void put_string(FILE *f, const char *text)
{
	unsigned int len;

	fputc('"', f);
	for (; *text; text += len ? len : 1) {
		len = utf8_len(text);
		if (len && !utf8_shown(text))
			fprintf(f, "\\u%04x", utf8_code(text));
		else if (!len)
			fprintf(f, "\\udc%02x", (u8)*text);
		else if (strchr("\"\\<>&", *text))
			fprintf(f, "\\u%04x", (u8)*text);
		else
			fwrite(text, 1, len, f);
	}
	fputc('"', f);
}

/* JSON that is safe in a page: "<" is in strings only. */
static void put_json(FILE *f, const char *json)
{
	for (; *json; json++) {
		if (*json == '<')
			fputs("\\u003c", f);
		else
			fputc(*json, f);
	}
}

static void put_sums(FILE *f, const u64 *sums)
{
	u32 i;

	for (i = 0; i < TIMELINE_NR_SUMS; i++)
		fprintf(f, ",%llu", sums[i]);
}

/* Where a lane is among the bytes that follow; @at: after the lane before. */
static void put_lane(FILE *f, const struct lane *lane, u64 *at)
{
	u64 len = lane ? lane->len : 0;

	fprintf(f, ",%llu,%llu", *at, len);
	*at += len;
}

static u64 since(const struct timeline *tl, u64 ns)
{
	return (ns ? ns : tl->end) - tl->begin;
}

static void put_threads(FILE *f, const struct timeline *tl, u64 *at)
{
	const struct timeline_process *p;
	const struct timeline_thread *th;
	const char *sep = "";

	fputs("],\"processes\":[", f);
	STAILQ_FOREACH(p, &tl->processes, next) {
		fprintf(f, "%s\n[%u,%llu,%llu,", sep, p->pid, since(tl, p->start),
			since(tl, p->end));
		put_string(f, p->name);
		fputs(timeline_shows(tl, p) ? "]" : ",1]", f);
		sep = ",";
	}
	fputs("],\"threads\":[", f);
	sep = "";
	STAILQ_FOREACH(th, &tl->threads, next) {
		fprintf(f, "%s\n[%u,%u,%llu,%llu,", sep, th->process ? th->process->nr : 0,
			th->tid, since(tl, th->start), since(tl, th->end));
		put_string(f, th->name);
		put_sums(f, th->sums);
		put_lane(f, th->states, at);
		put_lane(f, th->calls, at);
		put_lane(f, th->faults, at);
		fputc(']', f);
		sep = ",";
	}
}

static void put_programs(FILE *f, const struct timeline *tl)
{
	const struct timeline_program *p;
	const char *sep = "";

	fputs("],\"programs\":[", f);
	STAILQ_FOREACH(p, &tl->programs, next) {
		fprintf(f, "%s\n", sep);
		put_string(f, p->name);
		sep = ",";
	}
}

/* Tints, and the programs that have one of their own. */
static void put_tints(FILE *f, const struct timeline *tl)
{
	u32 i;

	fputs("],\"tints\":[", f);
	for (i = 0; i < TIMELINE_TINTS; i++)
		fprintf(f, "%s\"%s\"", i ? "," : "", timeline_tints[i]);
	fputs("],\"tinted\":[", f);
	for (i = 0; i < TIMELINE_TINTS - 1 && tl->tinted[i]; i++) {
		fputs(i ? "," : "", f);
		put_string(f, tl->tinted[i]);
	}
}

static void put_files(FILE *f, const struct timeline *tl, u64 *at)
{
	const struct timeline_file *file;
	const char *sep = "";

	fputs("],\"files\":[", f);
	STAILQ_FOREACH(file, &tl->files, next) {
		fprintf(f, "%s\n[", sep);
		if (file->path)
			put_string(f, file->path);
		else if (file == tl->others)
			fputs("\"(other files)\"", f);
		else
			fprintf(f, "\"inode %llu of device %u:%u\"", file->id.ino,
				file->id.dev >> 20, file->id.dev & 0xfffff);
		put_lane(f, file->uses, at);
		fprintf(f, ",%llu]", file->bytes);
		sep = ",";
	}
}

static void put_marks(FILE *f, const struct timeline *tl, u64 *at)
{
	const struct timeline_mark *mark;
	const char *sep = "";
	u32 i;

	fputs("],\"values\":[", f);
	for (i = 0; i < tl->nr_values; i++) {
		fputs(i ? ",\n" : "\n", f);
		put_string(f, tl->values[i]->text);
	}
	fputs("],\"marks\":[", f);
	STAILQ_FOREACH(mark, &tl->mark_rows, next) {
		fprintf(f, "%s\n[%u,", sep, mark->thread ? mark->thread->nr : 0);
		put_string(f, mark->type->title);
		fprintf(f, ",%llu", mark->ns);
		put_lane(f, mark->lane, at);
		fputc(']', f);
		sep = ",";
	}
}

static void put_losses(FILE *f, const struct timeline *tl)
{
	const struct timeline_loss *loss;
	const char *sep = "";

	fprintf(f, "],\"nr_losses\":%u,\"losses\":[", tl->nr_losses);
	STAILQ_FOREACH(loss, &tl->losses, next) {
		fprintf(f, "%s[%u,%llu,%llu,%llu]", sep, loss->cpu, since(tl, loss->start),
			since(tl, loss->end), loss->lost);
		sep = ",";
	}
}

/* Those that are left out have no rows. */
static void put_cpus(FILE *f, const struct timeline *tl, u64 *at)
{
	const char *sep = "";
	u32 i;

	fprintf(f, ",\"nr_cpus\":%u,\"cpus\":[", tl->world->nr_cpus);
	for (i = 0; i < tl->world->nr_cpus; i++) {
		if (tl->world->cpus[i].elsewhere)
			continue;
		fprintf(f, "%s[%u,%llu", sep, tl->world->cpus[i].nr, tl->busy[i]);
		put_lane(f, tl->cpus[i], at);
		fputc(']', f);
		sep = ",";
	}
}

/* Columns of the report's tables of programs and processes. */
static void put_measures(FILE *f)
{
	const char *sep = "";
	u32 i;

	fputs("],\"measures\":[", f);
	for (i = 0; i < SUMS_NR_MEASURES; i++) {
		const struct measure *m = &sums_measures[i];

		if (!(m->in & IN_PAGE))
			continue;
		fprintf(f, "%s[\"%s\",\"%s\",%d,\"%s\"]", sep, m->column.name, m->key,
			m->column.form == FORM_NS, m->meaning);
		sep = ",";
	}
}

static void put_data(FILE *f, const struct output_env *env)
{
	const struct timeline *tl = env->timeline;
	u64 at = 0;
	u32 i;

	fputs("{\"version\":", f);
	put_string(f, OVNIK_VERSION);
	fputs(",\"host\":", f);
	put_string(f, env->cap->meta.host);
	fputs(",\"kernel\":", f);
	put_string(f, env->cap->meta.kernel);
	fputs(",\"backend\":", f);
	put_string(f, env->cap->meta.backend);
	fputs(",\"command\":", f);
	put_string(f, env->cap->meta.command);
	fputs(",\"part\":", f);
	put_string(f, tl->part);
	fprintf(f, ",\"filtered\":%s", tl->world->filtered ? "true" : "false");
	fprintf(f, ",\"began\":\"%llu\",\"since\":%llu", env->cap->began, env->cap->since);
	fprintf(f, ",\"begin\":\"%llu\",\"length\":%llu,\"width\":%llu,\"pages\":[0",
		tl->begin, tl->end - tl->begin, tl->lanes.width);
	put_lane(f, tl->pages, &at);
	fputs("],\"waits\":[", f);
	for (i = 0; i < TASKS_NR_WAITS; i++)
		fprintf(f, "%s\"%s\"", i ? "," : "", tasks_wait_texts[i]);
	fputs("],\"memory\":[", f);
	for (i = 0; i < TRACE_NR_MEMORY; i++)
		fprintf(f, "%s\"%s\"", i ? "," : "", tasks_memory_texts[i]);
	fprintf(f, "],\"wakers\":%s", env->cap->meta.wakers ? "true" : "false");
	put_cpus(f, tl, &at);
	put_threads(f, tl, &at);
	put_programs(f, tl);
	put_tints(f, tl);
	put_files(f, tl, &at);
	put_marks(f, tl, &at);
	put_losses(f, tl);
	put_measures(f);
	fputs("]}", f);
}

/**
 * struct base64 - Bytes on their way to a page.
 * @f: where to
 * @bits: those that are not written yet
 * @nr: how many bytes that is
 */
struct base64 {
	FILE *f;
	u32 bits;
	u32 nr;
};

static void put_bytes(struct base64 *b, const u8 *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	int shift;

	while (len--) {
		b->bits = b->bits << 8 | *bytes++;
		if (++b->nr < 3)
			continue;
		for (shift = 18; shift >= 0; shift -= 6)
			putc_unlocked(digits[b->bits >> shift & 63], b->f);
		b->bits = 0;
		b->nr = 0;
	}
}

static void put_lanes(FILE *f, const struct timeline *tl)
{
	static const u8 zeroes[2];
	const struct timeline_thread *th;
	const struct timeline_file *file;
	const struct timeline_mark *mark;
	struct base64 b = { .f = f };
	u32 i;

#define PUT(lane) put_bytes(&b, (lane) ? (lane)->text : NULL, (lane) ? (lane)->len : 0)
	PUT(tl->pages);
	for (i = 0; i < tl->world->nr_cpus; i++) {
		if (!tl->world->cpus[i].elsewhere)
			PUT(tl->cpus[i]);
	}
	STAILQ_FOREACH(th, &tl->threads, next) {
		PUT(th->states);
		PUT(th->calls);
		PUT(th->faults);
	}
	STAILQ_FOREACH(file, &tl->files, next)
		PUT(file->uses);
	STAILQ_FOREACH(mark, &tl->mark_rows, next)
		PUT(mark->lane);
	put_bytes(&b, zeroes, b.nr ? 3 - b.nr : 0);
}

static void put_memory(FILE *f, const struct page_memory *memory)
{
	fputs("{\"curves\":", f);
	put_string(f, memory->curves ? memory->curves : "");
	fputs(",\"sets\":", f);
	put_string(f, memory->sets ? memory->sets : "");
	fprintf(f, ",\"cut\":%s}", memory->cut ? "true" : "false");
}

void page_write(FILE *f, const struct output_env *env, const char *report,
		const struct page_memory *memory)
{
	fprintf(f, "%s%s</style>\n</head>\n%s", HEAD, page_style, page_body);
	fputs("<script id=\"data\" type=\"application/json\">", f);
	put_data(f, env);
	fputs("</script>\n<script id=\"report\" type=\"application/json\">", f);
	put_json(f, report);
	fputs("</script>\n<script id=\"memory\" type=\"application/json\">", f);
	put_memory(f, memory);
	fputs("</script>\n<script id=\"lanes\" type=\"text/plain\">", f);
	put_lanes(f, env->timeline);
	fputs("</script>\n<script>\n(() => {\n", f);
	fprintf(f, "%s%s%s%s%s%s%s", page_data, page_rows, page_draw, page_overview, page_panel,
		page_memory, page_ui);
	fputs("})();\n</script>\n</body>\n</html>\n", f);
}
