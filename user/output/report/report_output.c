// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report as an output: a command of its own, which prints it on stdout; and what it says of
 * the whole capture and of the machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "output/report/nodes.h"
#include "output/report/phases.h"
#include "output/report/report.h"
#include "sums/table.h"
#include "util/msg.h"
#include "util/options.h"
#include "util/suggest.h"
#include "world/inventory.h"
#include "world/pages.h"

u64 report_lost(const struct capture_stats *stats)
{
	u64 sum = stats->lost_other;
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		report_add(&sum, stats->lost[i]);
	return sum;
}

static void write_clock(const struct capture *cap, struct tracer_answer *to)
{
	const struct clock_residual *res = &cap->clock.residual;

	answer_text(to, "clock", cap->clock.source == CLOCK_SOURCE_TSC ? "TSC" :
		    "CLOCK_MONOTONIC");
	if (cap->clock.source == CLOCK_SOURCE_TSC && cap->clock.tsc_khz)
		answer_u64(to, "clock kHz", cap->clock.tsc_khz);
	if (cap->untrusted)
		answer_text(to, "clock trusted", "no: times may be wrong");
	if (!res->anchors && !res->rejected)
		return;
	answer_u64(to, "clock anchors", res->anchors);
	answer_u64(to, "clock anchors rejected", res->rejected);
	answer_ns(to, "clock residual rms", clock_rms(res));
	answer_ns(to, "clock residual beyond an anchor", res->max_ns);
}

/* Two of their files may be one row of the report. */
static void write_uncertain(const struct capture *cap, struct tracer_answer *to)
{
	if (cap->meta.uncertain[0])
		answer_text(to, "files not told apart on", cap->meta.uncertain);
}

void report_write_scope(const struct capture *cap, struct tracer_answer *to)
{
	char text[META_FILTER];
	const char *recorded = meta_filter(&cap->meta, text);

	if (cap->vague[0])
		answer_text(to, "times", cap->vague);
	if (cap->where)
		answer_text(to, "only on", cap->where);
	if (cap->who)
		answer_text(to, "only", cap->who);
	else if (recorded)
		answer_text(to, "recorded only", recorded);
	if (cap->meta.lack[0])
		answer_text(to, "not all recorded", cap->meta.lack);
	/* Who reads a count of pages takes them to be of the usual size. */
	if (meta_page_size(&cap->meta) != META_PAGE_MIN)
		answer_bytes(to, "page size", meta_page_size(&cap->meta));
}

/* Only meta.json says what was lost after the last record of a CPU. */
static void write_lost_all(const struct report *r, const struct capture *cap,
			   struct tracer_answer *to)
{
	u64 lost = report_lost(&cap->stats);
	char text[64];

	if (cap->meta.valid || r->opt.json)
		answer_u64(to, "events lost", lost);
	if (cap->meta.valid)
		return;
	snprintf(text, sizeof(text), "%llu, and not known how many at the end", lost);
	if (r->opt.json)
		answer_text(to, "events lost at the end", "not known");
	else
		answer_text(to, "events lost", text);
}

void report_write_missing(const struct report *r, const struct facts *facts,
			  struct tracer_answer *to)
{
	const struct capture *cap = facts->cap;

	write_lost_all(r, cap, to);
	if (cap->stats.gaps)
		answer_u64(to, "gaps", cap->stats.gaps);
	if (cap->stats.inexact)
		answer_u64(to, "gaps that lost more than was counted", cap->stats.inexact);
	if (capture_damages(cap))
		answer_u64(to, "damaged places", capture_damages(cap));
	if (cap->meta.missed)
		answer_u64(to, "BPF probes that did not run", cap->meta.missed);
	if (r->uncertain)
		answer_u64(to, "calls and faults without an end", r->uncertain);
}

/* Write what the capture contains; the summary has some of it. */
static void report_write_capture(const struct report *r, const struct facts *facts,
				 struct tracer_answer *to)
{
	const struct capture *cap = facts->cap;

	if (r->opt.json) {
		answer_text(to, "host", cap->meta.host);
		answer_ns(to, "length", r->end - r->begin);
		answer_ns(to, "begin", r->begin);
		answer_u64(to, "number of CPUs", r->nr_cpus);
		answer_u64(to, "events", capture_records(cap));
		report_known_write(&r->known, true, to);
	}
	if (report_shows(r, REPORT_PART_losses))
		report_write_missing(r, facts, to);
	if (r->opt.json)
		report_write_scope(cap, to);
	write_uncertain(cap, to);
	if (report_shows(r, REPORT_PART_clock))
		write_clock(cap, to);
}

static const struct report_column cpu_columns[] = {
#define COL(name, field, form, needs) \
	{ name, offsetof(struct report_cpu, field), FORM_##form, NEEDS_##needs }
	COL("cpu", nr, U32, NOTHING),
	COL("busy", sum.cpu.ns, NS, SWITCHES),
	COL("share busy", sum.cpu.ns, SHARE, SWITCHES),
	COL("runs", sum.cpu.nr, U64, SWITCHES),
	COL("longest run", sum.cpu.longest, NS, SWITCHES),
	COL("gaps", gaps, U64, NOTHING),
	COL("blind", blind, NS, NOTHING),
	COL("share blind", blind, SHARE, NOTHING),
};

static void write_cpus(const struct report *r, const struct facts *facts,
		       struct tracer_answer *to)
{
	struct report_table t = {
		.to = to, .facts = facts, .columns = cpu_columns,
		.nr = ARRAY_SIZE(cpu_columns), .whole = r->end - r->begin,
	};
	u32 i;

	report_table_begin(&t, "CPUs", "", "");
	for (i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].elsewhere)
			continue;
		answer_row(to);
		t.partial = r->known.cpus[i].missing;
		report_cells(&t, &r->cpus[i]);
	}
	report_end(to);
}

static void write_lost(const struct report *r, const struct report_cpu *cpu, const char *event,
		       u64 lost, struct tracer_answer *to)
{
	char causes[GAP_CAUSES_TEXT];

	if (!lost)
		return;
	answer_row(to);
	if (cpu == &r->dump)
		answer_text(to, "cpu", "statedump");
	else
		answer_u64(to, "cpu", cpu->nr);
	answer_text(to, "event", event);
	answer_u64(to, "lost", lost);
	answer_text(to, "why", capture_gap_causes(causes, cpu->causes, ", "));
}

/* Write what is missing, and how good the clock is. */
static void report_write_losses(const struct report *r, const struct facts *facts,
				struct tracer_answer *to)
{
	u32 i, ev;

	if (report_shows(r, REPORT_PART_cpus))
		write_cpus(r, facts, to);
	if (!facts->cap->stats.gaps || !report_shows(r, REPORT_PART_losses))
		return;
	report_begin(to, "events lost by CPU", "cpu,event,lost,why");
	for (i = 0; i <= r->nr_cpus; i++) {
		const struct report_cpu *cpu = i < r->nr_cpus ? &r->cpus[i] : &r->dump;

		if (!cpu->gaps)
			continue;
		for (ev = 1; ev < OVNIK_NR_EVENTS; ev++)
			write_lost(r, cpu, event_name(ev), cpu->lost[ev], to);
		write_lost(r, cpu, "of unknown kinds", cpu->other, to);
	}
	report_end(to);
}

/*
 * What is not a task, or not worth keeping until its end: the begin and end of the
 * capture, gaps, pages of the caches.
 */

static void on_pages(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	u64 pages = world_pages(it);
	struct report *r = data;

	switch (ctx->position) {
	case WORLD_PAGE_ADD:
		r->pages.added += pages;
		break;
	case WORLD_PAGE_REMOVE:
		r->pages.removed += pages;
		break;
	case WORLD_BUFFER_ADD:
		r->buffers.added += pages;
		break;
	default:
		r->buffers.removed += pages;
	}
}

static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report *r = data;

	r->forked |= r->command && it->other->tgid == r->command &&
		     it->task->tgid != r->command;
}

static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_cpu *cpu = report_cpu_of(data, it->cpu);

	if (cpu)
		cpu->gap = it->ns;
}

static void add_gap(struct report_cpu *cpu, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	u32 i;

	if (!cpu->lost)
		cpu->lost = calloc(OVNIK_NR_EVENTS, sizeof(*cpu->lost));
	if (!cpu->lost) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	cpu->gaps++;
	cpu->inexact += !it->gap->exact;
	cpu->causes |= it->gap->causes;
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		report_add(&cpu->lost[i], it->gap->lost[i]);
	report_add(&cpu->other, it->gap->other);
}

static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_cpu *cpu = report_cpu_of(data, it->cpu);

	if (!cpu)
		return;
	report_add(&cpu->blind, it->ns - cpu->gap);
	add_gap(cpu, ctx);
}

static void on_dump_gap(void *data, const struct hook_ctx *ctx)
{
	struct report *r = data;

	add_gap(&r->dump, ctx);
}

static void on_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report *r = data;

	r->begin = it->ns;
}

static void on_capture_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report *r = data;

	r->end = it->ns;
}

/* Attach to the world for what tasks do not contain. */
static int report_attach_machine(struct report *r)
{
	static const struct hook_use hooks[] = {
		{ WORLD_CAPTURE_BEGIN, on_begin },
		{ WORLD_CAPTURE_END, on_capture_end },
		{ WORLD_TASK_NEW, on_new },
		{ WORLD_GAP_BEGIN, on_gap_begin },
		{ WORLD_GAP_END, on_gap_end },
		{ WORLD_DUMP_GAP, on_dump_gap },
		{ WORLD_PAGE_ADD, on_pages },
		{ WORLD_PAGE_REMOVE, on_pages },
		{ WORLD_BUFFER_ADD, on_pages },
		{ WORLD_BUFFER_REMOVE, on_pages },
	};

	return report_known_attach(&r->known, r->world) ?:
	       hook_attach_all(&r->world->hooks, hooks, ARRAY_SIZE(hooks), r);
}

#define OPT_JSON	256
#define OPT_TOP		257
#define OPT_TABLES	258
#define OPT_ALL		259
#define OPT_SELF	260
#define OPT_NO_SELF	261
#define OPT_ROWS	262

#define REPORT_ROWS	10	/* of a table, by default */
#define REPORT_ROWS_MAX	10000
#define JSON_WAITS	100	/* unless the user asks for more */

#define TABLE_NAME(name) #name " "
#define TABLE_BEHIND(name) ", " #name

static const struct argp_option options[] = {
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all processes and files", 0 },
	{ "tables", OPT_TABLES, "LIST", 0, "Also these tables: " REPORT_TABLES(TABLE_NAME), 0 },
	{ "all", OPT_ALL, NULL, 0, "Also all tables", 0 },
	{ "rows", OPT_ROWS, "N", 0, "Rows of a table; 10 by default. Alone, all tables", 0 },
	{ "top", OPT_TOP, "N", OPTION_HIDDEN, NULL, 0 },
	{ "no-self", OPT_NO_SELF, NULL, 0, REPORT_NO_SELF, 0 },
	{ "self", OPT_SELF, NULL, 0, REPORT_SELF, 0 },
	{ 0 }
};

unsigned int report_parse_rows(const char *option, const char *arg,
			       const struct argp_state *state)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !n || n > REPORT_ROWS_MAX)
		argp_error(state, "--%s: \"%s\" is not a number from 1 to %u", option,
			   arg, REPORT_ROWS_MAX);
	return n;
}

static const char *const part_names[] = {
#define PART_NAME(name) [REPORT_PART_##name] = #name,
	REPORT_TABLES(PART_NAME)
#undef PART_NAME
};

static u32 part_of(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < REPORT_NR_PARTS; i++) {
		if (strlen(part_names[i]) == len && !memcmp(part_names[i], name, len))
			break;
	}
	return i;
}

static void refuse_table(const char *list, size_t len, const struct argp_state *state)
{
	static const char names[] = REPORT_TABLES(TABLE_BEHIND);
	char word[64], near[64];

	snprintf(word, sizeof(word), "%.*s", (int)len, list);
	argp_error(state, "--tables: \"%s\" is none of %s%s", word, names + 2,
		   suggest_from(word, part_names, REPORT_NR_PARTS, near, sizeof(near)));
}

static void parse_tables(struct report *r, const char *list, const struct argp_state *state)
{
	for (;; list++) {
		size_t len = strcspn(list, ",");
		u32 part = part_of(list, len);

		if (part == REPORT_NR_PARTS)
			refuse_table(list, len, state);
		r->opt.parts |= 1U << part;
		list += len;
		if (!*list)
			return;
	}
}

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct report *r = use->data;

	switch (key) {
	case OPT_JSON:
		r->opt.json = true;
		r->opt.all = true;
		return 0;
	case OPT_TOP:
		r->opt.rows = report_parse_rows("top", arg, state);
		options_warn_old("--top", "--rows");
		return 0;
	case OPT_ROWS:
		r->opt.rows = report_parse_rows("rows", arg, state);
		return 0;
	case OPT_TABLES:
		parse_tables(r, arg, state);
		r->opt.list = arg;
		return 0;
	case OPT_ALL:
		r->opt.parts = ~0U;
		return 0;
	case OPT_SELF:
	case OPT_NO_SELF:
		r->opt.self = key == OPT_SELF;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

unsigned int report_max_waits(const struct report_options *opt)
{
	return opt->all && opt->rows < JSON_WAITS ? JSON_WAITS : opt->rows;
}

/* Is it the name of a table, and neither a capture nor that of a program? */
static bool is_table(const char *word, const char *before)
{
	return strcmp(before, "--comm") && part_of(word, strlen(word)) < REPORT_NR_PARTS &&
	       access(word, F_OK);
}

/* A table's name may be a word of its own, behind a space. */
static void check_words(const struct report *r, const struct argp_state *state)
{
	int i;

	for (i = 1; r->opt.list && i < state->argc; i++) {
		const char *word = state->argv[i];

		if (strcmp(word, r->opt.list) && is_table(word, state->argv[i - 1]))
			argp_error(state, "\"%s\" is no capture: tables are separated by commas: --tables %s,%s",
				   word, r->opt.list, word);
	}
}

static void check_several(struct output_use *use, const struct argp_state *state)
{
	const struct report *r = use->data;

	check_words(r, state);
	if (r->opt.parts)
		argp_error(state, "several captures: --tables and --all take a single capture");
}

int report_attach(struct report *r, const struct output_env *env)
{
	struct world *w = env->world;
	u32 i;

	if (!r->opt.self)
		recorder_find(&r->recorder, env->cap, env->inventory);
	/* How many rows are asked for is of tables. */
	if (r->opt.rows && !r->opt.parts && !r->several)
		r->opt.parts = ~0U;
	if (!r->opt.rows)
		r->opt.rows = REPORT_ROWS;
	r->max_waits = report_max_waits(&r->opt);
	r->waits = calloc(r->max_waits, sizeof(*r->waits));
	r->cpus = calloc(w->nr_cpus, sizeof(*r->cpus));
	if (!r->waits || !r->cpus || hash_init(&r->files.table))
		return -ENOMEM;
	r->world = w;
	r->filtered = w->filtered;
	r->nr_cpus = w->nr_cpus;
	for (i = 0; i < w->nr_cpus; i++) {
		r->cpus[i].nr = w->cpus[i].nr;
		r->cpus[i].elsewhere = w->cpus[i].elsewhere;
	}
	return report_attach_machine(r);
}

static int attach(void *data, const struct output_env *env)
{
	struct report *r = data;
	int ret;

	r->several = env->several;
	r->command = inventory_command(env->inventory, &env->cap->meta);
	ret = report_attach(r, env);
	return ret || !env->events ? ret : report_phases_attach(&r->marked, env);
}

/* Keep what is known. */
static int attach_tasks(void *data, const struct output_env *env)
{
	return report_attach_tasks(data, tasks_hooks(env->tasks));
}

static int answer(struct report *r, const struct facts *facts, struct tracer_answer *to)
{
	int ret = 0;

	answer_open(to, "report", facts->cap->dir);
	if (!r->opt.json)
		ret = report_write_summary(r, facts, to);
	report_write_capture(r, facts, to);
	if (r->opt.json)
		report_write_lacking(facts, to);
	if (!ret)
		ret = report_write_processes(r, facts, to);
	if (!ret && r->marked)
		ret = report_phases_write(r->phases, r->nr_phases,
					  r->opt.all ? r->nr_phases : r->opt.rows, to);
	if (!ret)
		ret = report_write_files(r, facts, to);
	report_write_losses(r, facts, to);
	return ret ? ret : answer_close(to);
}

int report_write(struct report *r, const struct facts *facts, FILE *f)
{
	struct tracer_answer *to = answer_create(r->opt.json);
	int ret = -ENOMEM;

	report_queue_end(r);
	report_settle(r);
	if (to)
		ret = answer(r, facts, to);
	if (!ret)
		ret = answer_write(to, f);
	if (ret)
		msg_error("the report cannot be written: %s", strerror(-ret));
	answer_destroy(to);
	return ret;
}

static int finish(void *data, const struct output_env *env)
{
	struct report *r = data;
	int ret = 0;

	if (r->marked)
		ret = report_phases_finish(r->marked, r->end, &r->phases, &r->nr_phases);
	if (ret)
		return ret;
	if (!r->several)
		return report_write(r, env->facts, stdout);
	report_queue_end(r);
	report_settle(r);
	return report_nodes_add(&r->nodes, r, env->facts);
}

static int compare(void *data, bool failed)
{
	struct report *r = data;
	int ret = 0;

	if (r->nodes && !failed)
		ret = report_nodes_write(r->nodes, &r->opt, stdout);
	report_nodes_free(r->nodes);
	r->nodes = NULL;
	return ret;
}

void report_free(struct report *r)
{
	struct idmap_slot *slot = NULL;
	u32 i;

	report_phases_free(r->marked);
	while ((slot = idmap_next(&r->processes, slot)))
		free(slot->ptr);
	idmap_free(&r->processes);
	report_files_free(&r->files);
	for (i = 0; i < r->nr_cpus; i++) {
		sums_runs_free(&r->cpus[i].runs);
		free(r->cpus[i].lost);
	}
	free(r->cpus);
	report_known_free(&r->known);
	free(r->dump.lost);
	free(r->waits);
	memset(r, 0, sizeof(*r));
}

/* What was asked for, and the nodes so far, are for the next capture. */
static void close_output(void *data)
{
	struct report *r = data;
	struct report kept = { .opt = r->opt, .nodes = r->nodes };

	report_free(r);
	*r = kept;
}

DEFINE_OUTPUT(report) = {
	.name = "report",
	.sentence = "what happened: who used the CPUs, who waited for what, which files cost "
		    "most, what is missing; on stdout",
	.flags = OUTPUT_NAMES | OUTPUT_COMMAND | OUTPUT_SEVERAL | OUTPUT_MERGES,
	.size = sizeof(struct report),
	.options = options,
	.parse = parse,
	.check_several = check_several,
	.kinds = REPORT_KINDS,
	.attach = attach,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.compare = compare,
	.close = close_output,
};
