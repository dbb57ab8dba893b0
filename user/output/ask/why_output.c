// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of some processes went, as an output: a command that prints it on stdout. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "narrow/narrow.h"
#include "output/ask/why.h"
#include "output/report/report.h"
#include "trace/activity.h"
#include "util/msg.h"
#include "world/inventory.h"
#include "world/world.h"

#define ABOUT		128	/* bytes of a text */
#define ABOUT_NAMED	3	/* processes that are named */

/* struct meta, @wakers */
#define WAKERS_UNSURE	"whoever ran where it ended: the capture does not name the waker"

static void write_part(const struct why *why, const char *what, const struct report_times *times,
		       struct tracer_answer *to)
{
	if (!times->nr)
		return;
	answer_row(to);
	why_write_times(to, times);
	answer_share(to, "share", times->ns, why->life.ns);
	answer_text(to, "what", what);
}

static void write_parts(const struct why *why, struct tracer_answer *to)
{
	unsigned int i;

	report_begin(to, "where the time went", "time,share,times,longest,what");
	write_part(why, "running", &why->run, to);
	for (i = 0; i < TASKS_NR_WAITS; i++)
		write_part(why, tasks_wait_texts[i], &why->waits[i], to);
	write_part(why, "not known", &why->unknown, to);
	report_end(to);
}

static void write_chain(const struct why *why, const struct why_wait *wait,
			struct tracer_answer *to)
{
	const char *reason = tasks_wait_texts[wait->code];
	u64 at = wait->start + wait->ns, ns = wait->ns;
	u16 flags = wait->flags;
	u32 i;

	for (i = 0; ; i++) {
		const struct why_step *step = &wait->steps[i];

		answer_row(to);
		answer_u64(to, "step", i + 1);
		answer_ns(to, "time", ns);
		answer_ns(to, "until", at - why->begin);
		answer_text(to, "begun", flags & TRACE_EARLY ? "before" : "seen");
		answer_text(to, "reason", reason);
		answer_u64(to, "tid", i ? step[-1].tid : wait->tid);
		answer_text(to, "waited", why_who(i ? step[-1].process : wait->process, 0));
		if (i >= wait->nr) {
			answer_text(to, "ended by", wait->more ? "(further steps)" :
				    why_places[i ? WHY_NOBODY : why_ender(wait)]);
			return;
		}
		answer_text(to, "ended by", why_who(step->process, step->place));
		if (!step->process || step->code == TASKS_NR_WAITS)
			return;
		reason = tasks_wait_texts[step->code];
		flags = step->flags;
		ns = step->ns;
		at = step->ended;
	}
}

static void write_longest(const struct why *why, struct tracer_answer *to)
{
	unsigned int i;

	report_begin(to, "longest waits and the wakeups behind them",
		     "step,time,until,begun,reason,tid,waited,ended by");
	for (i = 0; i < why->nr_longest; i++)
		write_chain(why, &why->longest[i], to);
	report_end(to);
}

static void write_faults(const struct why *why, const struct facts *facts,
			 struct tracer_answer *to)
{
	static const char *const texts[WHY_FAULTS] = {
#define FAULT_TEXT(name, number, label) [number] = label,
		OVNI_FAULT_TABLE(FAULT_TEXT)
#undef FAULT_TEXT
	};
	const char *missing = report_lacks(facts, NEEDS_FAULTS);
	unsigned int i;

	if (missing && !why->json) {
		report_not_there(to, "page faults", missing);
		return;
	}
	report_begin(to, "page faults", "time,times,longest,access");
	for (i = 0; i < WHY_FAULTS; i++) {
		if (!why->faults[i].nr)
			continue;
		answer_row(to);
		why_write_times(to, &why->faults[i]);
		answer_text(to, "access", texts[i] ? texts[i] : TASKS_FAULT_UNKNOWN);
	}
	report_end(to);
}

/* JSON: which file. */
static const struct report_column file_keys[] = {
#define FILE_COL(name, field, form) \
	{ name, offsetof(struct report_file, field), FORM_##form, NEEDS_NOTHING }
	FILE_COL("path", path, NAME),
	FILE_COL("major", major, U64),
	FILE_COL("minor", minor, U64),
	FILE_COL("inode", id.ino, U64),
	FILE_COL("generation", id.generation, U32),
};

static void write_io(const struct why *why, const struct report_io *io, struct tracer_answer *to)
{
	answer_row(to);
	why_write_times(to, &io->time);
	if (report_known_sum(&why->known, io->read_bytes))
		answer_bytes(to, "read", io->read_bytes);
	if (report_known_sum(&why->known, io->written_bytes))
		answer_bytes(to, "written", io->written_bytes);
}

void why_write_which(const struct why *why, const struct report_file *file,
		     const struct facts *facts, struct tracer_answer *to)
{
	const struct report_table keys = {
		.to = to, .facts = facts, .columns = file_keys, .nr = ARRAY_SIZE(file_keys),
	};

	if (why->json)
		report_cells(&keys, file);
	else
		report_write_path(file, to);
}

static void write_other_files(const struct why *why, struct report_file **list, size_t nr,
			      struct tracer_answer *to)
{
	struct report_io sum = { 0 };
	size_t i;

	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		report_add_io(&sum, &list[i]->io);
	write_io(why, &sum, to);
	why_write_others(to, "file", nr);
}

/* Files that are not told apart. */
static void write_no_files(const struct why *why, struct tracer_answer *to)
{
	if (why->files.nr_others && !why->json) {
		write_io(why, &why->files.others.io, to);
		answer_text(to, "file", REPORT_GIVEN_UP);
	}
	if (why->no_file.time.nr || why->no_file.time.ns) {
		write_io(why, &why->no_file, to);
		answer_text(to, "file", "not known: the end is not recorded");
	}
}

static int write_calls(const struct why *why, const struct facts *facts,
		       struct tracer_answer *to)
{
	const char *missing = report_lacks(facts, NEEDS_IO);
	struct report_file **list;
	size_t nr, shown, i;

	if (missing && !why->json) {
		report_not_there(to, "system calls on files", missing);
		return 0;
	}
	list = report_files_sorted(&why->files, false, &nr);
	if (!list)
		return -ENOMEM;
	report_begin(to, "system calls on files",
		     why->json ? "" : "time,times,longest,read,written,file");
	shown = why->json || nr <= why->rows ? nr : why->rows;
	for (i = 0; i < shown; i++) {
		write_io(why, &list[i]->io, to);
		why_write_which(why, list[i], facts, to);
	}
	write_other_files(why, list + shown, nr - shown, to);
	write_no_files(why, to);
	report_end(to);
	report_write_given_up(&why->files, why->json, facts, to);
	free(list);
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct why_process *const *x = a, *const *y = b;

	return (*x)->pid < (*y)->pid ? -1 : (*x)->pid > (*y)->pid;
}

/* Return: those that were asked for, why->asked, by number; NULL without memory. */
static const struct why_process **asked_of(const struct why *why)
{
	const struct why_process **list = calloc(why->asked + 1, sizeof(*list));
	struct idmap_slot *slot = NULL;
	size_t nr = 0;

	while (list && (slot = idmap_next(&why->processes, slot))) {
		const struct why_process *p = slot->ptr;

		if (p->asked)
			list[nr++] = p;
	}
	if (list)
		qsort(list, nr, sizeof(*list), by_pid);
	return list;
}

static void write_all_asked(const struct why *why, const struct why_process **list,
			    struct tracer_answer *to)
{
	u64 i;

	answer_table(to, "about", "");
	for (i = 0; i < why->asked; i++) {
		answer_row(to);
		answer_u64(to, "pid", list[i]->pid);
		answer_text(to, "process", list[i]->name);
	}
	answer_table_end(to);
}

static void write_first_asked(const struct why *why, const struct why_process **list,
			      struct tracer_answer *to)
{
	char text[ABOUT] = "";
	size_t len = 0;
	u64 i;

	for (i = 0; i < why->asked && i < ABOUT_NAMED; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s %u", i ? ", " : "",
				why_who(list[i], 0), list[i]->pid);
	if (why->asked > i)
		snprintf(text + len, sizeof(text) - len, ", and %llu more", why->asked - i);
	answer_text(to, "about", text);
}

/* Whom the question is about. */
static int write_about(const struct why *why, struct tracer_answer *to)
{
	const struct why_process **list = asked_of(why);

	if (!list)
		return -ENOMEM;
	if (why->json)
		write_all_asked(why, list, to);
	else
		write_first_asked(why, list, to);
	free(list);
	return 0;
}

static void write_window(const struct why *why, struct capture *cap, struct tracer_answer *to)
{
	u64 length = clock_ns(&cap->clock, cap->end) - why->begin;
	char text[3 * ANSWER_TIME], from[ANSWER_TIME], end[ANSWER_TIME];

	if (why->json) {
		answer_ns(to, "window from", cap->since);
		answer_ns(to, "window to", cap->since + length);
		return;
	}
	snprintf(text, sizeof(text), "%s to %s%s",
		 answer_time_like(cap->since, cap->since + length, from),
		 answer_time(cap->since + length, end),
		 cap->narrow ? " of the capture" : ", all of the capture");
	answer_text(to, "window", text);
}

static int answer(struct why *why, const struct facts *facts, struct tracer_answer *to)
{
	int ret;

	answer_open(to, "why", facts->cap->dir);
	ret = write_about(why, to);
	if (ret)
		return ret;
	write_window(why, facts->cap, to);
	report_write_scope(facts->cap, to);
	answer_u64(to, "processes", why->asked);
	answer_u64(to, "threads", why->threads_asked);
	answer_ns(to, "life of the threads", why->life.ns);
	answer_u64(to, "gaps", facts->cap->stats.gaps);
	answer_u64(to, "damaged places", capture_damages(facts->cap));
	report_known_write(&why->known, why->json, to);
	if (!facts->cap->meta.wakers)
		answer_text(to, "who ended a wait", WAKERS_UNSURE);
	if (why->json)
		report_write_lacking(facts, to);
	write_parts(why, to);
	ret = why_write_before(why, to) ?: why_write_causes(why, to);
	write_longest(why, to);
	write_faults(why, facts, to);
	ret = ret ?: why_write_memory(why, facts, to) ?: write_calls(why, facts, to);
	return ret ? ret : answer_close(to);
}

static u32 nameless(const struct inventory *inv)
{
	u32 i, nr = 0;

	for (i = 0; i < inv->nr_processes; i++)
		nr += !*inv->processes[i].comm;
	return nr;
}

static int finish(void *data, const struct output_env *env)
{
	struct tracer_answer *to;
	struct why *why = data;
	int ret = -ENOMEM;

	if (!why->asked) {
		narrow_report_lack(why->about, nameless(why->inventory), why->inventory,
				   env->facts->cap->dir);
		return -ESRCH;
	}
	to = answer_create(why->json);
	if (to)
		ret = answer(why, env->facts, to);
	if (!ret)
		ret = answer_write(to, stdout);
	if (ret)
		msg_error("the answer cannot be written: %s", strerror(-ret));
	answer_destroy(to);
	return ret;
}

static int attach(void *data, const struct output_env *env)
{
	struct why *why = data;

	why->about = env->about;
	why->inventory = env->inventory;
	if (!why->rows)
		why->rows = WHY_ROWS;
	return why_attach(why, env->world);
}

static int attach_tasks(void *data, const struct output_env *env)
{
	return why_attach_tasks(data, tasks_hooks(env->tasks));
}

#define OPT_JSON	256
#define OPT_ROWS	257

static const struct argp_option options[] = {
	{ "rows", OPT_ROWS, "N", 0, "Rows of a table; 10 by default", 0 },
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all rows", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct why *why = use->data;

	switch (key) {
	case OPT_JSON:
		why->json = true;
		return 0;
	case OPT_ROWS:
		why->rows = report_parse_rows("rows", arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void close_output(void *data)
{
	why_free(data);
}

DEFINE_OUTPUT(why) = {
	.name = "why",
	.sentence = "where the time of some processes went: who had their CPU, who ended their waits, "
		    "page faults, calls on files; on stdout",
	.flags = OUTPUT_NAMES | OUTPUT_COMMAND | OUTPUT_ABOUT,
	.size = sizeof(struct why),
	.options = options,
	.parse = parse,
	.kinds = WHY_KINDS,
	.attach = attach,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.close = close_output,
};
