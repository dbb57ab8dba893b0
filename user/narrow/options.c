// SPDX-License-Identifier: GPL-2.0-only
/* The options that narrow a capture down. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "narrow/narrow.h"
#include "narrow/when.h"
#include "util/msg.h"
#include "util/options.h"
#include "util/shell.h"

#define OPT_FROM	256
#define OPT_PID		257
#define OPT_COMM	258
#define OPT_TREE	259
#define OPT_CPU		260
#define OPT_UNTIL	261

#define ABSENT	" (not in the capture: "

/* What is read, whatever is asked. */
#define PART								\
	{ "from", OPT_FROM, "TIME", 0,					\
	  "Leave out what was before: seconds since the capture began, or another unit (20ms); " \
	  "-5: 5 s before its end; or a time of day, such as 14:30:00.5", 0 },	\
	{ "until", OPT_UNTIL, "TIME", 0,				\
	  "Leave out what was after; TIME is as in --from", 0 },	\
	{ "cpu", OPT_CPU, "LIST", 0, "Only what happens on these CPUs, such as 0,4-7", 0 }

static const struct argp_option options[] = {
	PART,
	{ "pid", OPT_PID, "PID", 0,
	  "Only this process. Options that name processes can be given more than once", 0 },
	{ "comm", OPT_COMM, "NAME", 0, "Only processes with a thread whose last name is this", 0 },
	{ "tree", OPT_TREE, "PID", 0, "Only this process and its children, and theirs", 0 },
	{ 0 }
};

static const struct argp_option about_options[] = {
	PART,
	{ "pid", OPT_PID, "PID", 0,
	  "Ask about this process; all others are read, too. Options that name processes can be "
	  "given more than once; without one, the question is about the recorded command", 0 },
	{ "comm", OPT_COMM, "NAME", 0,
	  "Ask about the processes with a thread whose last name is this", 0 },
	{ "tree", OPT_TREE, "PID", 0, "Ask about this process and its children, and theirs", 0 },
	{ 0 }
};

bool narrow_is_time(const char *arg)
{
	return *arg && strchr("-@0123456789", *arg);
}

static void parse_until(struct narrow_options *opt, const char *arg, const char *option,
			const struct argp_state *state)
{
	if (when_parse(arg, &opt->to))
		argp_error(state, "%s: \"%s\" is not a time", option, arg);
}

void narrow_parse_to(struct narrow_options *opt, const char *arg, const struct argp_state *state)
{
	parse_until(opt, arg, "--to", state);
	options_warn_old("--to TIME", "--until");
}

static void add_pick(struct narrow_options *opt, const struct narrow_pick *pick,
		     struct argp_state *state)
{
	struct narrow_pick *more;

	more = realloc(opt->picks, (opt->nr_picks + 1) * sizeof(*more));
	if (!more)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "--pid");
	opt->picks = more;
	opt->picks[opt->nr_picks++] = *pick;
}

static void add_pid(struct narrow_options *opt, const char *arg, bool tree,
		    struct argp_state *state)
{
	struct narrow_pick pick = { .tree = tree };
	unsigned long pid;
	char *end;

	errno = 0;
	pid = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || !pid || pid > TASK_TID_MAX)
		argp_error(state, "\"%s\" is not the number of a process%s", arg,
			   strchr(arg, ',') ? ": of several, each has an option of its own" : "");
	pick.pid = pid;
	add_pick(opt, &pick, state);
}

static const char *parse_cpu(const char *text, u32 *cpu)
{
	unsigned long nr;
	char *end;

	errno = 0;
	nr = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno || nr > UINT_MAX)
		return NULL;
	*cpu = nr;
	return end;
}

static void add_cpus(struct narrow_options *opt, const char *list, struct argp_state *state)
{
	struct narrow_cpus range, *more;
	const char *at = list;

	do {
		at = parse_cpu(at, &range.first);
		range.last = range.first;
		if (at && *at == '-')
			at = parse_cpu(at + 1, &range.last);
		if (!at || (*at && *at != ',') || range.first > range.last)
			argp_error(state, "--cpu: \"%s\" is not a list of CPUs", list);
		more = realloc(opt->cpus, (opt->nr_cpus + 1) * sizeof(*more));
		if (!more)
			argp_failure(state, EXIT_FAILURE, ENOMEM, "--cpu");
		opt->cpus = more;
		opt->cpus[opt->nr_cpus++] = range;
	} while (*at++);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct narrow_options *opt = state->input;
	const struct narrow_pick named = { .comm = arg };

	switch (key) {
	case OPT_FROM:
		if (when_parse(arg, &opt->from))
			argp_error(state, "--from: \"%s\" is not a time", arg);
		return 0;
	case OPT_UNTIL:
		parse_until(opt, arg, "--until", state);
		return 0;
	case OPT_PID:
		add_pid(opt, arg, false, state);
		return 0;
	case OPT_COMM:
		if (!*arg)
			argp_error(state, "--comm: the name is empty");
		add_pick(opt, &named, state);
		return 0;
	case OPT_TREE:
		add_pid(opt, arg, true, state);
		return 0;
	case OPT_CPU:
		add_cpus(opt, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp narrow_argp = { .options = options, .parser = parse };
const struct argp narrow_about_argp = { .options = about_options, .parser = parse };

bool narrow_cuts(const struct narrow_options *opt)
{
	return opt->from.origin || opt->to.origin || opt->nr_cpus;
}

static void say_picks(const struct narrow_options *opt, const struct capture *cap, FILE *f)
{
	unsigned int i;

	(void)cap;
	for (i = 0; i < opt->nr_picks; i++) {
		const struct narrow_pick *pick = &opt->picks[i];

		fputs(i ? ", " : "", f);
		if (pick->comm)
			fputs(pick->comm, f);
		else
			fprintf(f, "PID %u%s", pick->pid, pick->tree ? " and its descendants" : "");
	}
}

/* As words of a shell. */
static void say_asked(const struct narrow_options *opt, const struct capture *cap, FILE *f)
{
	unsigned int i;

	(void)cap;
	for (i = 0; i < opt->nr_picks; i++) {
		const struct narrow_pick *pick = &opt->picks[i];
		char *named, *word = NULL;

		fputs(i ? " --" : "--", f);
		if (!pick->comm) {
			fprintf(f, "%s %u", pick->tree ? "tree" : "pid", pick->pid);
			continue;
		}
		/* An argument of its own must not begin as an option does. */
		if (asprintf(&named, *pick->comm == '-' ? "comm=%s" : "%s", pick->comm) < 0)
			named = NULL;
		if (named)
			word = shell_word(named);
		fprintf(f, "%s%s", *pick->comm == '-' ? "" : "comm ", word ? word : "");
		free(word);
		free(named);
	}
}

static void put_cpus(FILE *f, const char *before, u32 first, u32 last)
{
	fprintf(f, "%s%u", before, first);
	if (last > first)
		fprintf(f, "-%u", last);
}

/* Those of a range that the capture does not have. Return: what is to be written before others. */
static const char *say_absent(const struct narrow_cpus *range, const struct capture *cap,
			      const char *before, FILE *f)
{
	u64 next = range->first;
	unsigned int i;

	for (i = 0; i < cap->nr_cpus && cap->files[i].cpu <= range->last; i++) {
		if (cap->files[i].cpu < next)
			continue;
		if (cap->files[i].cpu > next) {
			put_cpus(f, before, next, cap->files[i].cpu - 1);
			before = ",";
		}
		next = cap->files[i].cpu + 1ULL;
	}
	if (next > range->last)
		return before;
	put_cpus(f, before, next, range->last);
	return ",";
}

/* Without those that are not there, a part would pass for one of all that were asked for. */
static void say_cpus(const struct narrow_options *opt, const struct capture *cap, FILE *f)
{
	bool several = opt->nr_cpus > 1 || opt->cpus[0].last > opt->cpus[0].first;
	const char *absent = ABSENT;
	unsigned int i;

	for (i = 0; i < opt->nr_cpus; i++)
		put_cpus(f, i ? "," : several ? "CPUs " : "CPU ", opt->cpus[i].first,
			 opt->cpus[i].last);
	for (i = 0; i < opt->nr_cpus; i++)
		absent = say_absent(&opt->cpus[i], cap, absent, f);
	fputs(*absent == ',' ? ")" : "", f);
}

static int say(const struct narrow_options *opt, const struct capture *cap, char **text,
	       void (*how)(const struct narrow_options *opt, const struct capture *cap, FILE *f))
{
	size_t len;
	FILE *f = open_memstream(text, &len);

	if (!f)
		return msg_no_memory();
	how(opt, cap, f);
	return fclose(f) ? msg_no_memory() : 0;
}

int narrow_say(const struct narrow_options *opt, struct capture *cap)
{
	int ret = opt->nr_picks ? say(opt, cap, &cap->who, say_picks) ?:
				  say(opt, cap, &cap->asked, say_asked) : 0;

	if (!ret && opt->nr_cpus)
		ret = say(opt, cap, &cap->where, say_cpus);
	if (!ret && cap->where && strstr(cap->where, ABSENT))
		msg_warn("%s: only on %s", cap->dir, cap->where);
	return ret;
}

bool narrow_wanted(const struct narrow_options *opt)
{
	return narrow_cuts(opt) || opt->nr_picks;
}
