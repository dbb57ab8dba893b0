// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of some processes went, as an output: a command that prints it on stdout. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/ask/why.h"
#include "output/report/table.h"
#include "util/msg.h"
#include "world/world.h"

#define ROWS	10	/* of a table; JSON has all */

static const char *const places[WHY_NR_PLACES] = {
	[WHY_NOBODY] = "not known",
	[WHY_INTERRUPT] = "(an interrupt)",
	[WHY_CACHE] = "(pages were read)",
};

static void write_times(struct tracer_answer *to, const struct report_times *times)
{
	answer_ns(to, "time", times->ns);
	answer_u64(to, "times", times->nr);
	answer_ns(to, "longest", times->longest);
}

static void write_part(const struct why *why, const char *what, const struct report_times *times,
		       struct tracer_answer *to)
{
	if (!times->nr)
		return;
	answer_row(to);
	write_times(to, times);
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

/* Things of @map, sorted; NULL: no memory. */
static void **sorted(const struct idmap *map, int (*compare)(const void *a, const void *b))
{
	void **list = calloc(map->nr + 1, sizeof(*list));
	struct idmap_slot *slot = NULL;
	size_t n = 0;

	if (!list)
		return NULL;
	while ((slot = idmap_next(map, slot)))
		list[n++] = slot->ptr;
	qsort(list, n, sizeof(*list), compare);
	return list;
}

static int compare_u64(u64 a, u64 b)
{
	return a < b ? 1 : -(a > b);
}

static int compare_processes(const void *a, const void *b)
{
	const struct why_process *p = *(struct why_process *const *)a;
	const struct why_process *q = *(struct why_process *const *)b;

	return compare_u64(p->before.ns, q->before.ns) ?: compare_u64(q->pid, p->pid);
}

static u32 pid_of(const struct why_process *p)
{
	return p ? p->pid : 0;
}

static int compare_causes(const void *a, const void *b)
{
	const struct why_cause *c = *(struct why_cause *const *)a;
	const struct why_cause *d = *(struct why_cause *const *)b;

	return compare_u64(c->times.ns, d->times.ns) ?: compare_u64(d->code, c->code) ?:
	       compare_u64(pid_of(d->process), pid_of(c->process));
}

static u64 queue_time(const struct why *why)
{
	u64 ns = 0;
	unsigned int i;

	for (i = 0; i <= TASKS_WAIT_QUEUE_LAST; i++)
		report_add(&ns, why->waits[i].ns);
	return ns;
}

static int write_before(const struct why *why, struct tracer_answer *to)
{
	struct why_process **list = (struct why_process **)sorted(&why->processes,
								  compare_processes);
	u64 left = queue_time(why);
	u32 i;

	if (!list)
		return -ENOMEM;
	report_begin(to, "waits for a CPU and who had it", "time,times,longest,pid,who");
	for (i = 0; i < why->processes.nr && list[i]->before.nr; i++) {
		left -= list[i]->before.ns;
		if (!why->json && i >= ROWS)
			continue;
		answer_row(to);
		write_times(to, &list[i]->before);
		answer_u64(to, "pid", list[i]->pid);
		answer_text(to, "who", list[i]->name);
	}
	if (left) {
		answer_row(to);
		answer_ns(to, "time", left);
		answer_text(to, "who", "nobody, or not known");
	}
	report_end(to);
	free(list);
	return 0;
}

static void write_who(struct tracer_answer *to, const struct why_process *p, unsigned int place)
{
	if (p)
		answer_u64(to, "pid", p->pid);
	answer_text(to, "who", p ? p->name : places[place]);
}

static int write_causes(const struct why *why, struct tracer_answer *to)
{
	struct why_cause **list = (struct why_cause **)sorted(&why->causes, compare_causes);
	u32 i;

	if (!list)
		return -ENOMEM;
	report_begin(to, "other waits and who ended them", "time,times,longest,reason,pid,who");
	for (i = 0; i < why->causes.nr && (why->json || i < ROWS); i++) {
		answer_row(to);
		write_times(to, &list[i]->times);
		answer_text(to, "reason", tasks_wait_texts[list[i]->code]);
		write_who(to, list[i]->process, list[i]->place);
	}
	report_end(to);
	free(list);
	return 0;
}

static void write_chain(const struct why *why, const struct why_wait *wait,
			struct tracer_answer *to)
{
	const char *reason = tasks_wait_texts[wait->code];
	u64 at = wait->start + wait->ns, ns = wait->ns;
	u32 i;

	for (i = 0; ; i++) {
		const struct why_step *step = &wait->steps[i];

		answer_row(to);
		answer_u64(to, "step", i + 1);
		if (reason) {
			answer_ns(to, "time", ns);
			answer_ns(to, "until", at - why->begin);
		}
		answer_text(to, "reason", reason);
		answer_u64(to, "tid", i ? step[-1].tid : wait->tid);
		answer_text(to, "waited", i ? step[-1].process->name : wait->process->name);
		if (i >= wait->nr) {
			answer_text(to, "ended by", reason ? places[WHY_NOBODY] : NULL);
			return;
		}
		answer_text(to, "ended by", step->process ? step->process->name :
			    places[step->place]);
		if (!step->process || step->code == TASKS_NR_WAITS)
			return;
		reason = tasks_wait_texts[step->code];
		ns = step->ns;
		at = step->ended;
	}
}

static void write_longest(const struct why *why, struct tracer_answer *to)
{
	unsigned int i;

	report_begin(to, "longest waits and the wakeups behind them",
		     "step,time,until,reason,tid,waited,ended by");
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
		write_times(to, &why->faults[i]);
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

static void write_io(struct tracer_answer *to, const struct report_io *io)
{
	answer_row(to);
	write_times(to, &io->time);
	answer_bytes(to, "read", io->read_bytes);
	answer_bytes(to, "written", io->written_bytes);
}

static void write_file(const struct why *why, const struct report_file *file,
		       const struct facts *facts, struct tracer_answer *to)
{
	const struct report_table keys = {
		.to = to, .facts = facts, .columns = file_keys, .nr = ARRAY_SIZE(file_keys),
	};

	write_io(to, &file->io);
	if (why->json)
		report_cells(&keys, file);
	else
		report_write_path(file, to);
}

/* Files that are not told apart. */
static void write_no_files(const struct why *why, struct tracer_answer *to)
{
	if (why->files.nr_others && !why->json) {
		write_io(to, &why->files.others.io);
		answer_text(to, "file", REPORT_GIVEN_UP);
	}
	if (why->no_file.time.nr) {
		write_io(to, &why->no_file);
		answer_text(to, "file", "not known: the end is not recorded");
	}
}

static int write_calls(const struct why *why, const struct facts *facts,
		       struct tracer_answer *to)
{
	const char *missing = report_lacks(facts, NEEDS_IO);
	struct report_file **list;
	size_t nr, i;

	if (missing && !why->json) {
		report_not_there(to, "system calls on files", missing);
		return 0;
	}
	list = report_files_sorted(&why->files, false, &nr);
	if (!list)
		return -ENOMEM;
	report_begin(to, "system calls on files",
		     why->json ? "" : "time,times,longest,read,written,file");
	for (i = 0; i < nr && (why->json || i < ROWS); i++)
		write_file(why, list[i], facts, to);
	write_no_files(why, to);
	report_end(to);
	report_write_given_up(&why->files, why->json, facts, to);
	free(list);
	return 0;
}

static int answer(struct why *why, const struct facts *facts, struct tracer_answer *to)
{
	int ret;

	answer_open(to, "why", facts->cap->dir);
	answer_u64(to, "processes", why->asked);
	answer_u64(to, "threads", why->threads_asked);
	answer_ns(to, "life of the threads", why->life.ns);
	answer_u64(to, "gaps", facts->cap->stats.gaps);
	answer_u64(to, "damaged places", capture_damages(facts->cap));
	if (why->json)
		report_write_lacking(facts, to);
	write_parts(why, to);
	ret = write_before(why, to) ?: write_causes(why, to);
	write_longest(why, to);
	write_faults(why, facts, to);
	ret = ret ?: write_calls(why, facts, to);
	return ret ? ret : answer_close(to);
}

static int finish(void *data, const struct output_env *env)
{
	struct tracer_answer *to;
	struct why *why = data;
	int ret = -ENOMEM;

	if (!why->asked) {
		msg_error("the capture has no such process at that time");
		return -ESRCH;
	}
	to = answer_create(why->json);
	if (to)
		ret = answer(why, env->facts, to);
	if (!ret)
		ret = answer_write(to, stdout);
	if (ret)
		msg_error(ret == -ENOMEM ? "no memory" : "the answer cannot be written");
	answer_destroy(to);
	return ret;
}

static int attach(void *data, const struct output_env *env)
{
	struct why *why = data;

	why->about = env->about;
	why->inventory = env->inventory;
	return why_attach(why, env->world);
}

#define OPT_JSON	256

static const struct argp_option options[] = {
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all rows", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct why *why = use->data;

	(void)arg;
	(void)state;
	if (key != OPT_JSON)
		return ARGP_ERR_UNKNOWN;
	why->json = true;
	return 0;
}

static void close_output(void *data)
{
	why_free(data);
}

DEFINE_OUTPUT(why) = {
	.name = "why",
	.sentence = "where the time of some processes went: who had their CPU, who ended their "
		    "waits, faults, files; on stdout",
	.flags = OUTPUT_INVENTORY | OUTPUT_COMMAND | OUTPUT_ABOUT,
	.size = sizeof(struct why),
	.options = options,
	.parse = parse,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
