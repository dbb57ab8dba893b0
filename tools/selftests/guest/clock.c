// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock - are our times CLOCK_MONOTONIC's?
 *
 *	clock run FILE			sleep in several ways, and note when
 *	clock check FILE cpuN.ovk...	compare with what was captured meanwhile
 *	clock now			print CLOCK_MONOTONIC
 *
 * The workload reads CLOCK_MONOTONIC before and after each call that makes it
 * sleep: a bracket. Whenever it has left the CPU by its own will, that moment and
 * the one of its return must lie in one of its brackets.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "common/capture.h"

#define BRACKETS	600		/* per task */
#define NSEC		1000000000ULL
#define WINDOW		(NSEC / 5)	/* of each, the best anchor is kept */
#define MULT_MIN	(1 << 22)	/* of the TSC's clocksource, see clocks_calc_mult_shift() */

struct bracket {
	__u32 tid;
	__u32 pad;
	__u64 before;
	__u64 behind;
};

#define MIN(a, b)	((a) < (b) ? (a) : (b))
#define MAX(a, b)	((a) > (b) ? (a) : (b))
#define NEVER		1e18

static int out;

static __u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * NSEC + time.tv_nsec;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "sched_setaffinity");
}

/* Without I/O before the end, for that would be a sleep outside of brackets. */
static void note_brackets(void (*sleep_once)(void *arg), void *arg)
{
	static __thread struct bracket brackets[BRACKETS];
	__u32 tid = gettid();
	unsigned int i;

	memset(brackets, 1, sizeof(brackets));
	for (i = 0; i < BRACKETS; i++) {
		brackets[i].tid = tid;
		brackets[i].before = now();
		sleep_once(arg);
		brackets[i].behind = now();
	}
	if (write(out, brackets, sizeof(brackets)) != sizeof(brackets))
		err(1, "write");
}

static void sleep_nap(void *unused)
{
	struct timespec time = { .tv_nsec = 200000 };

	(void)unused;
	nanosleep(&time, NULL);
}

/* Hand over by a pipe, and wait for it to come back. */
static void sleep_pipe(void *arg)
{
	int *ends = arg;
	char byte = 0;

	if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
		err(1, "pipe");
}

struct turn {
	unsigned int *now;
	unsigned int mine;
};

static void wait_for_turn(struct turn *turn)
{
	while (__atomic_load_n(turn->now, __ATOMIC_SEQ_CST) != turn->mine)
		syscall(SYS_futex, turn->now, FUTEX_WAIT, !turn->mine, NULL, NULL, 0);
}

static void sleep_futex(void *arg)
{
	struct turn *turn = arg;

	__atomic_store_n(turn->now, !turn->mine, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, turn->now, FUTEX_WAKE, 1, NULL, NULL, 0);
	wait_for_turn(turn);
}

/* If it gave away a turn that it never had, it would end one turn before the first. */
static void *second_thread(void *arg)
{
	pin(1);
	wait_for_turn(arg);
	note_brackets(sleep_futex, arg);
	return NULL;
}

static void run_futex(void)
{
	static unsigned int turn;
	struct turn first = { &turn, 0 }, second = { &turn, 1 };
	pthread_t thread;

	pin(0);
	pthread_create(&thread, NULL, second_thread, &second);
	note_brackets(sleep_futex, &first);
	/* The other still waits for its last turn. */
	__atomic_store_n(&turn, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	pthread_join(thread, NULL);
}

static void run_pipe(int cpu, int read_end, int write_end)
{
	int ends[2] = { read_end, write_end };

	pin(cpu);
	note_brackets(sleep_pipe, ends);
}

static void run_nap(int cpu)
{
	pin(cpu);
	note_brackets(sleep_nap, NULL);
}

static int run(const char *path)
{
	int to[2], fro[2], i, status, bad_status = 0;

	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	if (out < 0 || pipe(to) || pipe(fro))
		err(1, "%s", path);
	for (i = 0; i < 5; i++) {
		if (fork())
			continue;
		switch (i) {
		case 0:
			run_pipe(0, fro[0], to[1]);
			break;
		case 1:
			run_pipe(1, to[0], fro[1]);
			break;
		case 2:
			run_nap(0);
			break;
		case 3:
			run_nap(1);
			break;
		case 4:
			run_futex();
			break;
		}
		_exit(0);
	}
	while (wait(&status) > 0)
		bad_status |= status;
	return bad_status != 0;
}

/**
 * struct anchor - What one of our clock pairs says.
 * @tsc:   the middle of the two TSC reads
 * @ns:	   CLOCK_MONOTONIC
 * @width: ticks between the two
 */
struct anchor {
	double tsc;
	double ns;
	double width;
};

static struct anchor *anchors, *best;
static size_t nr_anchors, anchors_room, nr_best;
static double origin_tsc, origin_ns;	/* doubles are exact for some days from there */

static void add_anchor(const struct ovnik_subbuf *sb)
{
	struct anchor *anchor;

	if (!nr_anchors) {
		origin_tsc = sb->tsc;
		origin_ns = sb->ns;
	}
	anchors = grow(anchors, nr_anchors, &anchors_room, sizeof(*anchors));
	anchor = &anchors[nr_anchors++];
	anchor->tsc = (double)(long long)(sb->tsc - (__u64)origin_tsc) + sb->width / 2.0;
	anchor->ns = (double)(long long)(sb->ns - (__u64)origin_ns);
	anchor->width = sb->width;
}

static int by_tsc(const void *a, const void *b)
{
	const struct anchor *x = a, *y = b;

	return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

/* A host that takes the CPU away within a pair makes it a wide one. */
static void choose_anchors(void)
{
	size_t i;

	qsort(anchors, nr_anchors, sizeof(*anchors), by_tsc);
	best = calloc(nr_anchors, sizeof(*best));
	if (!best)
		err(1, "no memory");
	for (i = 0; i < nr_anchors; i++) {
		struct anchor *last = nr_best ? &best[nr_best - 1] : NULL;

		if (!last || (long)(anchors[i].ns / WINDOW) != (long)(last->ns / WINDOW))
			best[nr_best++] = anchors[i];
		else if (anchors[i].width < last->width)
			*last = anchors[i];
	}
	if (nr_best < 2)
		errx(1, "only %zu anchors", nr_anchors);
}

/* Along the line between the anchors before and after, or the nearest two. */
static double to_ns(double tsc)
{
	const struct anchor *a, *b;
	size_t i = 1;

	while (i + 1 < nr_best && best[i].tsc < tsc)
		i++;
	a = &best[i - 1];
	b = &best[i];
	return a->ns + (tsc - a->tsc) * (b->ns - a->ns) / (b->tsc - a->tsc);
}

/*
 * How far a time may be off, in ns: half of the wider one of the anchors in use, and
 * one, for CLOCK_MONOTONIC is read in whole ns. (If it is the clock of the stamps, too,
 * the width of all anchors is 0.) Between two anchors, the kernel changes the clock's rate by
 * one part of its multiplier to and fro, at ticks: those are late if the host is busy.
 */
static double uncertainty(void)
{
	double widest = 0, gap = 0, rate = (best[nr_best - 1].ns - best[0].ns) /
				  (best[nr_best - 1].tsc - best[0].tsc);
	size_t i;

	for (i = 0; i < nr_best; i++)
		widest = MAX(widest, best[i].width);
	for (i = 1; i < nr_best; i++)
		gap = MAX(gap, best[i].ns - best[i - 1].ns);
	return widest * rate / 2 + gap / MULT_MIN + 1;
}

/* All the other anchors, which were not chosen, must agree, too. */
static bool anchors_agree(void)
{
	double worst = 0;
	size_t i;

	for (i = 0; i < nr_anchors; i++) {
		double off = __builtin_fabs(anchors[i].ns - to_ns(anchors[i].tsc));
		double half = __builtin_fabs(to_ns(anchors[i].tsc + anchors[i].width / 2) -
				   to_ns(anchors[i].tsc));

		if (off > half + uncertainty()) {
			printf("# an anchor is off by %.0f ns, its half width is %.0f ns, times +-%.0f ns\n",
			       off, half, uncertainty());
			return false;
		}
		if (anchors[i].width < 10000)
			worst = MAX(worst, off);
	}
	printf("# residual of %zu anchors: %.0f ns at most, times +-%.0f ns\n", nr_anchors, worst,
	       uncertainty());
	return true;
}

static struct bracket *brackets;
static size_t nr_brackets;

static void load_brackets(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	nr_brackets = st.st_size / sizeof(*brackets);
	brackets = malloc(st.st_size);
	if (!brackets || read(fd, brackets, st.st_size) != st.st_size)
		err(1, "%s", path);
	close(fd);
}

/* The first and the last stamp of a task: what it does outside is not our business. */
static bool is_under_test(__u32 tid, double ns)
{
	double first = NEVER, last = -NEVER;
	size_t i;

	for (i = 0; i < nr_brackets; i++) {
		if (brackets[i].tid != tid)
			continue;
		first = MIN(first, brackets[i].before - origin_ns);
		last = MAX(last, brackets[i].behind - origin_ns);
	}
	return ns >= first && ns <= last;
}

static double tightest_before = NEVER, tightest_behind = NEVER;
static size_t nr_switches;

/* @left and @back: when the task left the CPU by its own will, and came back. */
static bool in_bracket(__u32 tid, double left, double back)
{
	double slack = uncertainty();
	size_t i;

	for (i = 0; i < nr_brackets; i++) {
		double before = brackets[i].before - origin_ns;
		double behind = brackets[i].behind - origin_ns;

		if (brackets[i].tid != tid || left < before - slack || left > behind + slack)
			continue;
		if (back > behind + slack)
			break;
		tightest_before = MIN(tightest_before, left - before);
		tightest_behind = MIN(tightest_behind, behind - back);
		nr_switches++;
		return true;
	}
	printf("# task %u left at %.0f and came back at %.0f: in none of its brackets\n", tid,
	       left, back);
	return false;
}

static bool has_brackets(__u32 tid)
{
	size_t i;

	for (i = 0; i < nr_brackets; i++) {
		if (brackets[i].tid == tid)
			return true;
	}
	return false;
}

/* The tasks are pinned: they come back to where they left. */
static bool check_switches(const struct capture *cap)
{
	size_t i, next;

	for (i = 0; i < cap->events.nr; i++) {
		const struct event *event = &cap->events.event[i];
		double left, back;

		if (event->kind != OVNIK_EV_sched_switch || !event->c ||
		    event->c == OVNIK_STATE_PREEMPTED || !has_brackets(event->a))
			continue;
		for (next = i + 1; next < cap->events.nr; next++) {
			if (cap->events.event[next].kind == OVNIK_EV_sched_switch &&
			    cap->events.event[next].b == event->a)
				break;
		}
		if (next == cap->events.nr)
			continue;
		left = to_ns((double)(long long)(event->tsc - (__u64)origin_tsc));
		back = to_ns((double)(long long)(cap->events.event[next].tsc -
						 (__u64)origin_tsc));
		if (is_under_test(event->a, left) && !in_bracket(event->a, left, back))
			return false;
	}
	return true;
}

static int check(const char *path, char **files)
{
	struct capture *caps[MAX_CPUS];
	size_t nr = 0, i, block;
	bool ok = true;

	load_brackets(path);
	for (; *files; files++) {
		caps[nr] = load_capture(*files);
		for (block = 0; block < caps[nr]->nr_blocks; block++)
			add_anchor(caps[nr]->block[block].head);
		nr++;
	}
	choose_anchors();
	ok = anchors_agree();
	for (i = 0; i < nr; i++)
		ok = check_switches(caps[i]) && ok;
	printf("# %zu switches in %zu brackets; the tightest: %.0f ns before, %.0f ns after\n",
	       nr_switches, nr_brackets, tightest_before, tightest_behind);
	if (nr_switches < nr_brackets / 2) {
		printf("# not enough switches\n");
		return 1;
	}
	return !ok;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "now"))
		return printf("%llu\n", now()) < 0;
	if (argc == 3 && !strcmp(argv[1], "run"))
		return run(argv[2]);
	if (argc >= 4 && !strcmp(argv[1], "check"))
		return check(argv[2], &argv[3]);
	errx(2, "usage: clock run FILE | clock check FILE cpuN.ovk... | clock now");
}
