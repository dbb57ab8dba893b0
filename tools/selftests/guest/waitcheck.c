// SPDX-License-Identifier: GPL-2.0-only
/*
 * waitcheck - is it true for how long threads are shown waiting for a CPU?
 *
 *	waitcheck [-m] CAPTURE OUT LOG
 *
 * Decodes CAPTURE to OUT and holds type 313 of OUT/thread.prv against LOG, which is
 * waitload's: what the kernel itself has counted. At each moment as many threads wait
 * as the CPUs' rows (type 314) say. -m: what is wrong must be noticed, too.
 */

#define _GNU_SOURCE	/* nftw() */
#include <err.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "trace/format.h"
#include "trace/wait.h"
#include "util/msg.h"

#define ROWS_MAX	4096
#define STEPS_MAX	1000000
#define PATH_LEN	4096
#define KINDS_MAX	16

/*
 * The kernel does not read its clock again when a wakeup has just asked for a switch
 * (rq_clock_skip_update()): for the kernel, the thread that comes has not waited, and the
 * one that leaves waits since the wakeup. We see the switch itself, some 70 microseconds
 * later in an emulated guest, or as late as the host likes where another CPU must be
 * interrupted first. So kinds of processes may differ by that much for each wait, but the
 * sum of all may not: one's loss is the other's gain. An idle CPU gains nothing, though. So where
 * more is shown for a kind than that, it may be as much as its processes say at most: whatever
 * the host does, they have not waited while they slept.
 */
#define SLACK_KIND	25	/* percent */
#define SLACK_WAIT	100000	/* ns */
#define SLACK_ALL	8
#define SLACK_NS	50000000ULL
/* More for the only one of its kind: what it gains another kind loses. */
#define SLACK_ALONE	500000000ULL

/**
 * struct step - A row has another value.
 * @row:   from 1
 * @type:  enum of wait.h
 * @value: what it has
 * @ns:	   CLOCK_MONOTONIC
 */
struct step {
	u32 row;
	u32 type;
	s64 value;
	u64 ns;
};

static struct step *steps;
static size_t nr_steps;
static u32 tid_of_row[ROWS_MAX];
static u64 base = ~0ULL;

/* A mutation changes what is read. */
static u32 skipped;		/* waits for that reason are not there */
static bool halved;		/* waits are half as long */

static int look_at_stream(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct ovni_ev_header head;
	FILE *f;

	(void)st;
	if (type != FTW_F || strcmp(path + ftw->base, OVNI_STREAM_OBS))
		return 0;
	f = fopen(path, "r");
	if (!f || fseek(f, sizeof(struct ovni_stream_header), SEEK_SET) ||
	    fread(&head, sizeof(head), 1, f) != 1)
		err(1, "%s", path);
	fclose(f);
	if (head.clock < base)
		base = head.clock;
	return 0;
}

static void read_rows(const char *path)
{
	char line[256];
	FILE *f = fopen(path, "r");
	u32 row = 0;

	if (!f)
		err(1, "%s", path);
	while (row < ROWS_MAX - 1 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "TH %*u.%u", &tid_of_row[row + 1]) == 1)
			row++;
	}
	fclose(f);
}

static void read_steps(const char *path, u32 type)
{
	unsigned long long ns;
	struct step step = {};
	long long value;
	char line[256];
	FILE *f = fopen(path, "r");

	if (!f)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "2:0:1:1:%u:%llu:%u:%lld", &step.row, &ns, &step.type,
			   &value) != 4 || step.type != type)
			continue;
		if (nr_steps == STEPS_MAX)
			errx(1, "%s: too much", path);
		step.ns = base + ns;
		step.value = value;
		steps[nr_steps++] = step;
	}
	fclose(f);
}

static bool is_wait(const struct step *step)
{
	return step->type == OVNI_WAIT_PRV_TYPE && step->value && step->value != skipped;
}

/* How long a row's waits are within a time, and how many they are. */
static u64 waited(u32 tid, u64 from, u64 to, u32 *count)
{
	u64 since = 0, sum = 0;
	bool waits = false;
	size_t i;

	*count = 0;
	for (i = 0; i < nr_steps; i++) {
		const struct step *step = &steps[i];

		if (step->type != OVNI_WAIT_PRV_TYPE || tid_of_row[step->row % ROWS_MAX] != tid)
			continue;
		if (waits && step->ns > since && since < to && step->ns > from) {
			sum += ((step->ns < to ? step->ns : to) -
				(since > from ? since : from)) >> halved;
			++*count;
		}
		waits = is_wait(step);
		since = step->ns;
	}
	return sum;
}

static bool is_near(u64 ours, u64 theirs, u64 slack)
{
	slack += SLACK_NS;
	return ours <= theirs + slack && theirs <= ours + slack;
}

/**
 * struct kind - All processes of a kind, together.
 * @name:   as in the log
 * @nr:	    how many
 * @count:  waits
 * @ours:   how long they are
 * @theirs: what the kernel has counted
 * @most:   as long as they can have waited; 0: unknown
 */
struct kind {
	char name[32];
	u32 nr;
	u32 count;
	u64 ours;
	u64 theirs;
	u64 most;
};

static struct kind *find_kind(struct kind *kinds, const char *name)
{
	while (kinds->nr && strcmp(kinds->name, name))
		kinds++;
	snprintf(kinds->name, sizeof(kinds->name), "%s", name);
	return kinds;
}

static void read_log(const char *path, struct kind *kinds, u32 room)
{
	unsigned long long from, to, theirs, most;
	FILE *f = fopen(path, "r");
	struct kind *kind;
	char name[32];
	u32 tid, count;

	if (!f)
		err(1, "%s", path);
	while (fscanf(f, "%u %llu %llu %llu %llu %31s", &tid, &from, &to, &theirs, &most,
		      name) == 6) {
		kind = find_kind(kinds, name);
		if (kind == kinds + room - 1)
			errx(1, "%s: too many kinds", path);
		kind->nr++;
		kind->ours += waited(tid, from, to, &count);
		kind->theirs += theirs;
		kind->most += most;
		kind->count += count;
	}
	fclose(f);
}

static bool compare_kind(const struct kind *kind, u64 slack, bool quiet)
{
	bool near = is_near(kind->ours, kind->theirs, slack) ||
		    (kind->ours > kind->theirs && kind->ours <= kind->most);

	if (!quiet)
		printf("# %s%u %s: shown %llu us in %u waits, counted %llu us\n",
		       near ? "" : "WRONG: ", kind->nr, kind->name, kind->ours / 1000,
		       kind->count, kind->theirs / 1000);
	return near;
}

static u64 slack_of(const struct kind *kind)
{
	return kind->theirs * SLACK_KIND / 100 + (u64)kind->count * SLACK_WAIT +
	       (kind->nr == 1 ? SLACK_ALONE : 0);
}

/* Of the last comparison. */
static struct kind all;

/* Return: how many sums, of the kinds and of all, are not what is shown. */
static unsigned int compare(const char *path, bool quiet)
{
	struct kind kinds[KINDS_MAX] = {};
	unsigned int wrong = 0, i;
	u64 unseen = 0;

	all = (struct kind){ .name = "of all kinds" };
	read_log(path, kinds, KINDS_MAX);
	for (i = 0; kinds[i].nr; i++) {
		wrong += !compare_kind(&kinds[i], slack_of(&kinds[i]), quiet);
		all.nr += kinds[i].nr;
		all.count += kinds[i].count;
		all.ours += kinds[i].ours;
		all.theirs += kinds[i].theirs;
		if (kinds[i].most && kinds[i].ours > kinds[i].theirs)
			unseen += kinds[i].ours - kinds[i].theirs;
	}
	return wrong + !compare_kind(&all, all.theirs * SLACK_ALL / 100 + unseen, quiet) + !i;
}

static int by_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* After each instant, the sum of the CPUs' rows is the number of threads that wait. */
static bool rows_agree(void)
{
	s64 *on_row = calloc(2 * ROWS_MAX, sizeof(*on_row)), threads = 0, cpus = 0;
	bool agree = true;
	size_t i;

	if (!on_row)
		err(1, "no memory");
	for (i = 0; i < nr_steps && agree; i++) {
		const struct step *step = &steps[i];
		bool of_cpu = step->type == OVNI_WAITING_PRV_TYPE;
		s64 *last = &on_row[2 * (step->row % ROWS_MAX) + of_cpu];
		s64 value = of_cpu ? step->value : step->value != 0;

		*(of_cpu ? &cpus : &threads) += value - *last;
		*last = value;
		if (i + 1 < nr_steps && steps[i + 1].ns == step->ns)
			continue;
		agree = threads == cpus;
		if (!agree)
			printf("# at %llu %lld threads wait, by the CPUs' rows %lld\n", step->ns,
			       threads, cpus);
	}
	free(on_row);
	return agree;
}

/*
 * Half of all is too little, and so is all but one of these reasons, unless there are few waits
 * for it: how many there are of each is up to the scheduler, and on a busy host to that.
 */
static bool mutations_noticed(const char *log)
{
	static const u32 reasons[] = { OVNI_WAIT_WOKEN, OVNI_WAIT_YIELDED };
	bool noticed = true;
	u64 whole, few;
	u32 i;

	compare(log, true);
	whole = all.ours;
	few = 2 * (all.theirs * SLACK_ALL / 100 + SLACK_NS);
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		skipped = reasons[i];
		if (compare(log, true))
			continue;
		printf("# waits for reason %u could be missing: %llu us of %llu\n", skipped,
		       (whole - all.ours) / 1000, whole / 1000);
		noticed = noticed && whole - all.ours < few;
	}
	skipped = 0;
	halved = true;
	if (!compare(log, true)) {
		printf("# waits could be half as long\n");
		noticed = false;
	}
	return noticed;
}

static void decode(const char *capture, const char *out)
{
	static const struct output *const table[] = { &ovni_output, &prv_output, NULL };
	struct outputs outs;
	const struct decode_options opt = { .capture = capture, .out = out, .outputs = &outs };

	if (outputs_init(&outs, table))
		err(1, "no memory");
	outs.uses[0].wanted = true;
	outs.uses[1].wanted = true;
	if (decode_run(&opt) != DECODE_OK)
		errx(1, "%s: cannot be decoded, or is not complete", capture);
}

int main(int argc, char **argv)
{
	bool mutate = argc == 5 && !strcmp(argv[1], "-m");
	char path[PATH_LEN];
	const char *out, *log;

	msg_init(argv[0]);
	if (argc != 4 + mutate)
		errx(2, "usage: waitcheck [-m] CAPTURE OUT LOG");
	out = argv[2 + mutate];
	log = argv[3 + mutate];
	decode(argv[1 + mutate], out);
	steps = calloc(STEPS_MAX, sizeof(*steps));
	if (!steps)
		err(1, "no memory");
	snprintf(path, sizeof(path), "%s/ovni", out);
	if (nftw(path, look_at_stream, 16, FTW_PHYS))
		err(1, "%s", path);
	snprintf(path, sizeof(path), "%s/thread.row", out);
	read_rows(path);
	snprintf(path, sizeof(path), "%s/thread.prv", out);
	read_steps(path, OVNI_WAIT_PRV_TYPE);
	snprintf(path, sizeof(path), "%s/cpu.prv", out);
	read_steps(path, OVNI_WAITING_PRV_TYPE);
	qsort(steps, nr_steps, sizeof(*steps), by_time);
	return compare(log, false) || !rows_agree() || (mutate && !mutations_noticed(log));
}
