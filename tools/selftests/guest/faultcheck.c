// SPDX-License-Identifier: GPL-2.0-only
/*
 * faultcheck - compare the records of page faults with the kernel's counts and ftrace
 *
 *	faultcheck [-m] INSTANCE CPUS LOG cpuN.ovk...
 *
 * Of each thread of faultload: the faults are those of ftrace, one by one, the same
 * address, instruction and error code; and between the times of a line of the log,
 * those that ended as minor and major ones are as many as the kernel has counted,
 * and the failed ones as many as signals came. Of every task: no end without a
 * begin, and a fault in user mode without an end is one that was given up for a
 * signal, or the task's last.
 *
 * With -m, records are altered one by one, and the difference must be found.
 */

#include "fault.h"
#include "common/ftrace.h"
#include "common/merge.h"
#include "common/mutate.h"

#define MAX_TIDS	0x400000U
#define MUTATIONS	16
#define USER_END	(1ULL << 63)	/* addresses below are a user's */

/**
 * struct fault - A page fault, of ours or of ftrace.
 * @tsc:     when
 * @tid:     whose
 * @address: where
 * @ip:	     instruction
 * @error:   of the processor
 */
struct fault {
	__u64 tsc;
	__u32 tid;
	__u64 address;
	__u64 ip;
	__u64 error;
};

struct faults {
	struct fault *fault;
	size_t nr;
	size_t room;
};

/* A line of the log. */
struct window {
	__u32 tid;
	__u64 from;
	__u64 to;
	unsigned int minor;
	unsigned int major;
	unsigned int failed;
	unsigned int flags;
	char name[64];
};

static struct window *windows;
static size_t nr_windows, room_windows;
static struct events all;
static struct faults theirs;
static bool quiet;
/* Of each task: so many windows. */
static unsigned char *of_load;

static void load_windows(const char *path)
{
	FILE *file = fopen(path, "r");
	struct window window;

	if (!file)
		err(1, "%s", path);
	while (fscanf(file, "%u %llu %llu %u %u %u %u %63[^\n]", &window.tid, &window.from,
		      &window.to, &window.minor, &window.major, &window.failed, &window.flags,
		      window.name) == 8) {
		windows = grow(windows, nr_windows, &room_windows, sizeof(*windows));
		windows[nr_windows++] = window;
		of_load[window.tid % MAX_TIDS] = 1;
	}
	fclose(file);
	if (!nr_windows)
		errx(1, "%s: empty", path);
}

/* ftrace's: which events, and where their fields are, the same for both. */
static int ids[2];
static int address_at, ip_at, error_at;

static void add_fault(struct faults *faults, const struct fault *fault)
{
	faults->fault = grow(faults->fault, faults->nr, &faults->room, sizeof(*fault));
	faults->fault[faults->nr++] = *fault;
}

static void take_fault(void *arg, const char *data, __u64 tsc)
{
	struct fault fault = { .tsc = tsc, .tid = field_u32(data, 4) };
	unsigned short id;

	memcpy(&id, data, sizeof(id));
	if (id != ids[0] && id != ids[1])
		return;
	memcpy(&fault.address, data + address_at, sizeof(fault.address));
	memcpy(&fault.ip, data + ip_at, sizeof(fault.ip));
	memcpy(&fault.error, data + error_at, sizeof(fault.error));
	if (id == ids[1] && fault.address >= USER_END)
		return;
	if (of_load[fault.tid % MAX_TIDS])
		add_fault(arg, &fault);
}

static int by_task_and_time(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

static void load_trace(const char *dir, unsigned int nr_cpus)
{
	char text[FORMAT_MAX];
	unsigned int cpu;

	ids[0] = read_format(dir, "exceptions/page_fault_user", text);
	ids[1] = read_format(dir, "exceptions/page_fault_kernel", text);
	address_at = field_offset(text, "address", NULL);
	ip_at = field_offset(text, "ip", NULL);
	error_at = field_offset(text, "error_code", NULL);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		walk_trace(dir, cpu, take_fault, &theirs);
	qsort(theirs.fault, theirs.nr, sizeof(*theirs.fault), by_task_and_time);
}

/* From a task's first window to its last: @which is its place in both. */
static bool in_windows(const struct fault *fault)
{
	__u64 first = ~0ULL, last = 0;
	size_t i;

	for (i = 0; i < nr_windows; i++) {
		if (windows[i].tid != fault->tid)
			continue;
		first = windows[i].from < first ? windows[i].from : first;
		last = windows[i].to > last ? windows[i].to : last;
	}
	return fault->tsc >= first && fault->tsc <= last;
}

static bool complain(const char *what, const struct fault *ours, const struct fault *other)
{
	const struct fault *fault = ours ? ours : other;

	if (quiet)
		return false;
	printf("# %s: task %u at %llu, address %llx, ip %llx, error %llx\n", what, fault->tid,
	       fault->tsc, fault->address, fault->ip, fault->error);
	if (ours && other)
		printf("#   ftrace: at %llu, address %llx, ip %llx, error %llx\n", other->tsc,
		       other->address, other->ip, other->error);
	return false;
}

static void collect_ours(struct faults *ours)
{
	size_t i;

	for (i = 0; i < all.nr; i++) {
		const struct ovnik_page_fault *rec = all.event[i].record;
		struct fault fault = { .tsc = all.event[i].tsc };

		if (all.event[i].kind != OVNIK_EV_page_fault || !of_load[rec->tid % MAX_TIDS])
			continue;
		fault.tid = rec->tid;
		fault.address = rec->address;
		fault.ip = rec->ip;
		fault.error = rec->error;
		add_fault(ours, &fault);
	}
	if (ours->nr)
		qsort(ours->fault, ours->nr, sizeof(*ours->fault), by_task_and_time);
}

/* For a fault in the kernel, ftrace reports where in the kernel; we report the program's. */
static bool same_ip(const struct fault *ours, const struct fault *other)
{
	return ours->error & OVNIK_FAULT_USER ? ours->ip == other->ip : !(ours->ip >> 47);
}

/* One by one, between windows too. */
static bool same_as_ftrace(unsigned int *nr)
{
	struct faults ours = {};
	size_t i = 0, j = 0;
	bool same = true;

	collect_ours(&ours);
	for (*nr = 0; same; (*nr)++) {
		while (i < ours.nr && !in_windows(&ours.fault[i]))
			i++;
		while (j < theirs.nr && !in_windows(&theirs.fault[j]))
			j++;
		if (i == ours.nr && j == theirs.nr)
			break;
		if (i == ours.nr || j == theirs.nr) {
			same = complain("seen by one only", i < ours.nr ? &ours.fault[i] : NULL,
					j < theirs.nr ? &theirs.fault[j] : NULL);
		} else if (ours.fault[i].tid != theirs.fault[j].tid ||
			   ours.fault[i].address != theirs.fault[j].address ||
			   !same_ip(&ours.fault[i], &theirs.fault[j]) ||
			   ours.fault[i].error != theirs.fault[j].error) {
			same = complain("difference", &ours.fault[i], &theirs.fault[j]);
		}
		i++;
		j++;
	}
	free(ours.fault);
	return same;
}

/**
 * struct tally - The faults of a window.
 * @begun:   that began
 * @ended:   by enum ovnik_fault_result
 * @user:    without an end, in user mode
 * @kernel:  the same in the kernel
 */
struct tally {
	unsigned int begun;
	unsigned int ended[3];
	unsigned int user;
	unsigned int kernel;
};

static void note_open(struct tally *tally, const struct event *open)
{
	const struct ovnik_page_fault *rec = open->record;

	if (rec->error & OVNIK_FAULT_USER)
		tally->user++;
	else
		tally->kernel++;
}

static void count_window(const struct window *window, struct tally *tally)
{
	const struct event *open = NULL;
	size_t i;

	for (i = 0; i < all.nr && all.event[i].tsc <= window->to; i++) {
		const struct ovnik_page_fault *fault = all.event[i].record;
		const struct ovnik_page_fault_end *end = all.event[i].record;

		if (all.event[i].tsc < window->from)
			continue;
		if (all.event[i].kind == OVNIK_EV_page_fault && fault->tid == window->tid) {
			if (open)
				note_open(tally, open);
			open = &all.event[i];
			tally->begun++;
		} else if (all.event[i].kind == OVNIK_EV_page_fault_end &&
			   end->tid == window->tid) {
			tally->ended[end->result % 3]++;
			open = NULL;
		}
	}
	if (open)
		note_open(tally, open);
}

static bool is_right(const struct window *window, const struct tally *tally)
{
	unsigned int ends = tally->ended[0] + tally->ended[1] + tally->ended[2];

	if (window->flags & FAULT_NONE)
		return !tally->begun && !ends;
	if (window->flags & FAULT_UNSEEN)
		return !tally->begun && !ends && window->minor;
	if (tally->ended[OVNIK_FAULT_MINOR] != window->minor ||
	    tally->ended[OVNIK_FAULT_MAJOR] != window->major ||
	    tally->ended[OVNIK_FAULT_FAILED] != window->failed)
		return false;
	if (tally->begun != ends + tally->user + tally->kernel)
		return false;
	if (window->flags & FAULT_IN_VAIN && !tally->kernel)
		return false;
	return (window->flags & FAULT_AGAIN || !tally->user) &&
	       (window->flags & FAULT_IN_VAIN || !tally->kernel);
}

static bool same_as_counted(void)
{
	bool same = true;
	size_t i;

	for (i = 0; i < nr_windows; i++) {
		struct window *window = &windows[i];
		struct tally tally = {};
		bool right;

		count_window(window, &tally);
		right = is_right(window, &tally);
		same = same && right;
		if (quiet)
			continue;
		printf("# %s%-32s minor %u, major %u, failed %u; recorded: %u, ", right ? "" : "NOT ",
		       window->name, window->minor, window->major, window->failed, tally.begun);
		printf("ended %u %u %u, no end %u %u\n", tally.ended[0], tally.ended[1],
		       tally.ended[2], tally.user, tally.kernel);
	}
	return same;
}

/* Of every task there is: what begins ends, if there is no reason that it does not. */
static bool ends_have_begins(void)
{
	const struct event **open = calloc(MAX_TIDS, sizeof(*open));
	unsigned int nr = 0, user = 0, kernel = 0;
	bool right = true;
	size_t i;

	if (!open)
		err(1, "no memory");
	for (i = 0; i < all.nr && right; i++) {
		const struct event *event = &all.event[i];
		const struct ovnik_page_fault *fault = event->record;
		const struct ovnik_page_fault_end *end = event->record;
		const struct ovnik_page_fault *before;

		if (event->kind == OVNIK_EV_page_fault) {
			before = open[fault->tid % MAX_TIDS] ?
				open[fault->tid % MAX_TIDS]->record : NULL;
			user += before && before->error & OVNIK_FAULT_USER;
			kernel += before && !(before->error & OVNIK_FAULT_USER);
			open[fault->tid % MAX_TIDS] = event;
			nr++;
		} else if (event->kind == OVNIK_EV_page_fault_end) {
			/* It began before the capture. */
			right = open[end->tid % MAX_TIDS] || event->tsc < windows[0].from;
			open[end->tid % MAX_TIDS] = NULL;
		}
		if (!right && !quiet)
			printf("# task %u: an end without a begin at %llu\n", end->tid,
			       event->tsc);
	}
	free(open);
	if (!quiet)
		printf("# %u page faults; without an end: %u in user mode, %u in the kernel\n",
		       nr, user, kernel);
	return right;
}

static bool run(void)
{
	unsigned int nr;
	bool same = same_as_ftrace(&nr);

	if (!quiet)
		printf("# %u page faults compared with ftrace's\n", nr);
	same = same_as_counted() && same;
	return ends_have_begins() && same;
}

static const struct mutation mutations[] = {
	MUTATE_FIELD(page_fault, address, 0x1000),
	MUTATE_FIELD(page_fault, ip, 1),
	MUTATE_FIELD(page_fault, tid, 1),
	MUTATE_LOSS(page_fault),
	MUTATE_FIELD(page_fault_end, tid, 1),
	MUTATE_LOSS(page_fault_end),
};

/* Where in the kernel a fault was is not recorded, so it cannot be noticed. */
static bool is_checked(const struct mutation *mutation, const struct event *event)
{
	const struct ovnik_page_fault *fault = event->record;

	return event->kind != OVNIK_EV_page_fault || fault->error & OVNIK_FAULT_USER ||
	       mutation->at != offsetof(struct ovnik_page_fault, ip);
}

static bool in_some_window(const struct event *event)
{
	const struct ovnik_page_fault *fault = event->record;
	const struct ovnik_page_fault_end *end = event->record;
	__u32 tid = event->kind == OVNIK_EV_page_fault ? fault->tid : end->tid;
	size_t i;

	for (i = 0; i < nr_windows; i++) {
		if (windows[i].tid == tid && event->tsc >= windows[i].from &&
		    event->tsc <= windows[i].to)
			return true;
	}
	return false;
}

static bool matters(const struct mutation *mutation, const struct event *event)
{
	return is_checked(mutation, event) && in_some_window(event);
}

static const struct mutation_test mutation_test = {
	.mutations = mutations, .nr = sizeof(mutations) / sizeof(*mutations),
	.step = 61, .most = MUTATIONS, .matters = matters, .run = run,
};

int main(int argc, char **argv)
{
	bool mutate = argc > 1 && !strcmp(argv[1], "-m");

	argv += 1 + mutate;
	if (argc < 5 + mutate)
		errx(2, "usage: faultcheck [-m] INSTANCE CPUS LOG cpuN.ovk...");
	of_load = calloc(MAX_TIDS, 1);
	if (!of_load)
		err(1, "no memory");
	load_windows(argv[2]);
	load_trace(argv[0], strtoul(argv[1], NULL, 10));
	load_merged(&all, argv + 3);
	if (!run())
		return 1;
	quiet = true;
	return mutate && !mutations_noticed(&mutation_test, &all);
}
