// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapload - change address spaces at random; stop now and then, and save them
 *
 *	mapload [-s SEED] [-n CALLS] [-c CHECKPOINTS] [-e ENABLE] [-d DUMP] DIR
 *
 * A dozen threads in some processes call what changes mappings, most of them in
 * an arena that a process' threads fight for; the first thread of each also forks,
 * makes other processes, execs itself, or ends. After some time, 1 is written to
 * the file ENABLE, which starts the capture in the midst of it; half way through, to
 * the file DUMP, for another statedump. Either may be a command (common/switch.h).
 *
 * At a checkpoint nobody moves, and DIR/maps gets every process' /proc/PID/maps,
 * each after a line "@ CHECKPOINT PID WHO BEFORE AFTER BYTES": WHO is "load" for
 * those that were stopped and "other" for the rest of the machine; the times are
 * those of stamp.h. The last checkpoint is when all processes of the load are gone.
 */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/futex.h>
#include <linux/types.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/stamp.h"
#include "common/switch.h"

#define PAGE		4096UL
#define HUGE_PAGE	(2UL << 20)
#define CONTROL_AT	0x200000000000UL
#define ARENA_AT	0x100000000000UL
#define ARENA_PAGES	1024U
#define HUGE_AT		0x180000000000UL
#define HUGE_PAGES	4U
#define RANGE_PAGES	32U	/* the longest that is touched at once */
#define FILE_PAGES	128U
#define HEAP_PAGES	64U
#define SEGMENTS	4U
#define SEGMENT_STEP	16U	/* segments are attached at multiples of so many pages */
#define SLOTS		8U	/* processes at a time */
#define PROCESSES	4U	/* at the start */
#define RACERS		2U	/* threads of a process, besides its first */
#define OWN		6U	/* mappings at a place of the kernel's choice, a thread */
#define WARM_UP		2000U	/* calls before the capture starts */
#define PATIENCE	120	/* seconds for everybody to stop */

enum state {
	FREE,
	STARTING,	/* its parent has taken the slot */
	LIVE,
	LEAVING,	/* it ends */
};

/**
 * struct slot - A process of the load.
 * @state:   enum state
 * @pid:     of it
 * @threads: that have to stop
 * @arrived: have stopped, at this checkpoint and, by turns, at the next
 */
struct slot {
	__u32 state;
	pid_t pid;
	__u32 threads;
	__u32 arrived[2];
};

#define OPERATIONS(OP)	\
	OP(map, 28)	\
	OP(map_anywhere, 6)	\
	OP(unmap, 10)	\
	OP(unmap_own, 4)	\
	OP(protect, 16)	\
	OP(protect_own, 3)	\
	OP(remap, 12)	\
	OP(remap_grow, 4)	\
	OP(remap_own, 3)	\
	OP(brk, 8)	\
	OP(advise, 8)	\
	OP(attach, 4)	\
	OP(detach, 4)	\
	OP(remap_file, 3)	\
	OP(touch, 10)	\
	OP(lock, 2)	\
	OP(huge, 2)

/* Of the first thread of a process only. */
#define LIVES(OP)	\
	OP(fork, 40)	\
	OP(spawn, 20)	\
	OP(exec, 20)	\
	OP(leave, 30)	\
	OP(deepen, 30)	\
	OP(personality, 10)

#define OP_NUMBER(name, weight)	OP_##name,
enum operation {
	OPERATIONS(OP_NUMBER)
	LIVES(OP_NUMBER)
	NR_OPERATIONS
};

/**
 * struct control - Shared by all, at CONTROL_AT, in the file DIR/control.
 * @phase:	odd: everybody stops; a futex
 * @controller:	without it the others end
 * @made:	processes so far, for each to be different
 * @taken:	how often a slot was taken
 * @seed:	of the whole run
 * @segment:	System V segments
 * @slot:	the processes
 * @done:	calls that succeeded
 * @failed:	and that did not
 */
struct control {
	__u32 phase;
	pid_t controller;
	__u32 made;
	__u32 taken;
	__u32 seed;
	int segment[SEGMENTS];
	struct slot slot[SLOTS];
	__u64 done[NR_OPERATIONS];
	__u64 failed[NR_OPERATIONS];
};

static struct control *control;
static const char *dir;
static char self[256];
extern char **environ;

/* Of this process. */
static struct slot *slot;
static int file_rw, file_ro, zero;
static unsigned long heap;

/**
 * struct worker - A thread.
 * @random: state of its generator
 * @first:  of its process
 * @own:    what it has mapped where the kernel chose: nobody else may touch that, for
 *	    when it is gone something of the C library's may be there
 */
struct worker {
	__u64 random;
	bool first;
	struct {
		unsigned long at;
		unsigned long len;
	} own[OWN];
};

static struct worker workers[RACERS + 1];

/* xorshift64* */
static unsigned int pick(struct worker *w, unsigned int n)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (w->random * 0x2545f4914f6cdd1dULL >> 33) % n;
}

static void seed_worker(struct worker *w, unsigned int number, unsigned int thread)
{
	w->random = (((__u64)control->seed << 32 | number) + 1) * 0x9e3779b97f4a7c15ULL + thread;
	pick(w, 1);
	pick(w, 1);
}

static long futex(__u32 *word, int op, __u32 value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, op, value, limit, NULL, 0);
}

/* Some pages of the arena. */
static unsigned long arena(struct worker *w, unsigned long *len)
{
	unsigned int page = pick(w, ARENA_PAGES), pages = 1 + pick(w, pick(w, 2) ? RANGE_PAGES : 4);

	if (pages > ARENA_PAGES - page)
		pages = ARENA_PAGES - page;
	*len = pages * PAGE;
	return ARENA_AT + page * PAGE;
}

static bool in_arena(unsigned long at)
{
	return at >= ARENA_AT && at < ARENA_AT + ARENA_PAGES * PAGE;
}

/* Every combination; PROT_READ is 1, PROT_WRITE 2, PROT_EXEC 4. */
static int protection(struct worker *w)
{
	return pick(w, 2) ? PROT_READ | PROT_WRITE : (int)pick(w, 8);
}

static long map(struct worker *w, unsigned long at, unsigned long len, int how)
{
	const struct {
		int flags;
		int fd;
	} kinds[] = {
		{ MAP_PRIVATE | MAP_ANONYMOUS, -1 },
		{ MAP_PRIVATE | MAP_ANONYMOUS, -1 },
		{ MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1 },
		{ MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1 },
		{ MAP_SHARED | MAP_ANONYMOUS, -1 },
		{ MAP_PRIVATE, file_rw },
		{ MAP_PRIVATE, file_ro },
		{ MAP_SHARED, file_rw },
		{ MAP_SHARED, file_ro },
		{ MAP_PRIVATE, zero },
		{ MAP_SHARED, zero },
	};
	unsigned int kind = pick(w, sizeof(kinds) / sizeof(*kinds));
	unsigned long offset = pick(w, FILE_PAGES) * PAGE;

	/* A stack that grows must not meet what is not ours. */
	if (!how && kinds[kind].flags & MAP_GROWSDOWN)
		kind = 0;
	return syscall(SYS_mmap, at, len, protection(w), kinds[kind].flags | how,
		       kinds[kind].fd, kinds[kind].fd < 0 ? 0 : offset);
}

static long do_map(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return map(w, at, len, pick(w, 8) ? MAP_FIXED : MAP_FIXED_NOREPLACE);
}

/* Something new of our own, in place of something old. */
static void own(struct worker *w, unsigned long at, unsigned long len)
{
	unsigned int i = pick(w, OWN);

	if (w->own[i].len)
		syscall(SYS_munmap, w->own[i].at, w->own[i].len);
	w->own[i].at = at;
	w->own[i].len = len;
}

static long do_map_anywhere(struct worker *w)
{
	unsigned long len = (1 + pick(w, RANGE_PAGES)) * PAGE;
	long at = map(w, 0, len, 0);

	if (at != -1)
		own(w, at, len);
	return at;
}

static long do_unmap(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return syscall(SYS_munmap, at, len - pick(w, PAGE));
}

/* The whole, or the end of it. */
static long do_unmap_own(struct worker *w)
{
	unsigned int i = pick(w, OWN);
	unsigned long keep;

	if (!w->own[i].len)
		return -1;
	keep = pick(w, w->own[i].len / PAGE) * PAGE;
	if (syscall(SYS_munmap, w->own[i].at + keep, w->own[i].len - keep))
		return -1;
	w->own[i].len = keep;
	return 0;
}

/* Where there is a hole, what is before it has changed when the call fails. */
static long do_protect(struct worker *w)
{
	unsigned long len, at = arena(w, &len);
	int grows = pick(w, 10) ? 0 : PROT_GROWSDOWN;

	return syscall(SYS_mprotect, at, len, protection(w) | grows);
}

static long do_protect_own(struct worker *w)
{
	unsigned int i = pick(w, OWN);

	if (!w->own[i].len)
		return -1;
	return syscall(SYS_mprotect, w->own[i].at, w->own[i].len, protection(w));
}

/* It may have been moved out of the arena. */
static long adopt(struct worker *w, long at, unsigned long len)
{
	if (at != -1 && !in_arena(at))
		own(w, at, len);
	return at;
}

static long do_remap(struct worker *w)
{
	unsigned long len, new_len, at = arena(w, &len), to = arena(w, &new_len);

	switch (pick(w, 6)) {
	case 0:
		return syscall(SYS_mremap, at, len, new_len, 0);
	case 1:
		return adopt(w, syscall(SYS_mremap, at, len, new_len, MREMAP_MAYMOVE), new_len);
	case 2:
		return syscall(SYS_mremap, at, len, len, MREMAP_MAYMOVE | MREMAP_DONTUNMAP |
			       MREMAP_FIXED, to);
	case 3:
		return adopt(w, syscall(SYS_mremap, at, len, len,
					MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0), len);
	case 4:
		/* Once more, if it is shared. */
		return syscall(SYS_mremap, at, 0, new_len, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	default:
		return syscall(SYS_mremap, at, len, new_len, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	}
}

/* In place, as far as nobody comes between: of a segment, too, which can close. */
static long do_remap_grow(struct worker *w)
{
	unsigned long len, at = arena(w, &len);
	long got;

	if (len < 2 * PAGE)
		len = 2 * PAGE;
	syscall(SYS_munmap, at, len);
	if (pick(w, 3)) {
		got = map(w, at, PAGE, MAP_FIXED);
		return got == -1 ? -1 : syscall(SYS_mremap, at, PAGE, len, 0);
	}
	got = syscall(SYS_shmat, control->segment[0], at, SHM_REMAP);
	if (got == -1)
		return -1;
	return syscall(SYS_mremap, at, PAGE, 2 * PAGE, 0);
}

static long do_remap_own(struct worker *w)
{
	unsigned long len, to = arena(w, &len);
	unsigned int i = pick(w, OWN);
	long at;

	if (!w->own[i].len)
		return -1;
	at = syscall(SYS_mremap, w->own[i].at, w->own[i].len, len,
		     MREMAP_MAYMOVE | (pick(w, 2) ? MREMAP_FIXED : 0), to);
	if (at == -1)
		return -1;
	w->own[i].at = at;
	w->own[i].len = in_arena(at) ? 0 : len;
	return at;
}

static long do_brk(struct worker *w)
{
	unsigned long end = heap + pick(w, HEAP_PAGES * PAGE);

	return syscall(SYS_brk, end) == (long)end ? 0 : -1;
}

static long do_advise(struct worker *w)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTNEED, MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_DONTFORK,
		MADV_DOFORK, MADV_NOHUGEPAGE, MADV_HUGEPAGE, MADV_FREE,
	};
	unsigned long len, at = arena(w, &len);

	return syscall(SYS_madvise, at, len, advice[pick(w, sizeof(advice) / sizeof(*advice))]);
}

static long do_attach(struct worker *w)
{
	unsigned int number = pick(w, SEGMENTS);
	unsigned long at = ARENA_AT + pick(w, ARENA_PAGES / SEGMENT_STEP) * SEGMENT_STEP * PAGE;
	int flags = pick(w, 3) ? 0 : SHM_RDONLY;
	long got;

	if (pick(w, 4))
		return syscall(SYS_shmat, control->segment[number], at, flags | SHM_REMAP);
	got = syscall(SYS_shmat, control->segment[number], 0, flags);
	if (got != -1)
		own(w, got, (number + 1) * PAGE);
	return got;
}

static long do_detach(struct worker *w)
{
	return syscall(SYS_shmdt, ARENA_AT +
		       pick(w, ARENA_PAGES / SEGMENT_STEP) * SEGMENT_STEP * PAGE);
}

/* Other pages of what is mapped there: of a segment, too, if the dice say so. */
static long do_remap_file(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	if (!pick(w, 3)) {
		syscall(SYS_shmat, control->segment[SEGMENTS - 1], at, SHM_REMAP);
		return syscall(SYS_remap_file_pages, at, PAGE, 0, 1 + pick(w, SEGMENTS - 1), 0);
	}
	return syscall(SYS_remap_file_pages, at, len, 0, pick(w, FILE_PAGES), 0);
}

/* By the kernel, which gets an error where we would get a signal. A stack grows. */
static long do_touch(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return read(zero, (void *)at, pick(w, 2) ? 1 : len);
}

static long do_lock(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return syscall(pick(w, 2) ? SYS_mlock : SYS_munlock, at, len);
}

static long do_huge(struct worker *w)
{
	unsigned long at = HUGE_AT + pick(w, HUGE_PAGES) * HUGE_PAGE;

	switch (pick(w, 3)) {
	case 0:
		return syscall(SYS_munmap, at, HUGE_PAGE);
	case 1:
		return syscall(SYS_mprotect, at, HUGE_PAGE, protection(w));
	default:
		return syscall(SYS_mmap, at, (1 + pick(w, 2)) * HUGE_PAGE, protection(w),
			       MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE | MAP_FIXED |
			       (pick(w, 2) ? MAP_PRIVATE : MAP_SHARED), -1, 0);
	}
}

/* Return: a slot for a new process, or NULL. */
static struct slot *take_slot(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		__u32 state = FREE;

		if (__atomic_compare_exchange_n(&control->slot[i].state, &state, STARTING, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			__atomic_fetch_add(&control->taken, 1, __ATOMIC_SEQ_CST);
			return &control->slot[i];
		}
	}
	return NULL;
}

static void set_state(struct slot *s, __u32 state)
{
	__atomic_store_n(&s->state, state, __ATOMIC_SEQ_CST);
}

static void *work(void *arg);

static pthread_t start_thread(struct worker *w)
{
	pthread_attr_t attr;
	pthread_t id;

	__atomic_fetch_add(&slot->threads, 1, __ATOMIC_SEQ_CST);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	if (pthread_create(&id, &attr, work, w))
		errx(1, "pthread_create");
	pthread_attr_destroy(&attr);
	return id;
}

/* The process is new, or has a new image; its first thread runs. */
static void live_in(struct slot *mine)
{
	unsigned int i, number = __atomic_fetch_add(&control->made, 1, __ATOMIC_SEQ_CST);

	slot = mine;
	slot->pid = getpid();
	slot->threads = 1;
	slot->arrived[0] = 0;
	slot->arrived[1] = 0;
	set_state(slot, LIVE);
	workers[0].first = true;
	for (i = 0; i <= RACERS; i++)
		seed_worker(&workers[i], number, i);
	for (i = 1; i <= RACERS; i++)
		start_thread(&workers[i]);
}

static void count(unsigned int op, bool done)
{
	__atomic_fetch_add(done ? &control->done[op] : &control->failed[op], 1,
			   __ATOMIC_RELAXED);
}

/* The child goes on with what its parent had mapped. */
static long do_fork(struct worker *w)
{
	struct slot *child = take_slot();
	pid_t pid;

	(void)w;
	if (!child)
		return -1;
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		memset(&workers[1], 0, sizeof(workers[1]) * RACERS);
		live_in(child);
	}
	return 0;
}

static void image_arguments(char *number, char **argv, const struct slot *whose)
{
	snprintf(number, 24, "%zd", whose - control->slot);
	argv[0] = "mapload";
	argv[1] = "image";
	argv[2] = number;
	argv[3] = (char *)dir;
	argv[4] = NULL;
}

/* By vfork(): until its exec the child is in our address space. */
static long do_spawn(struct worker *w)
{
	struct slot *child = take_slot();
	char number[24], *argv[5];
	pid_t pid;

	(void)w;
	if (!child)
		return -1;
	image_arguments(number, argv, child);
	if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
		errx(1, "no spawn");
	return 0;
}

static long do_exec(struct worker *w)
{
	char number[24], *argv[5];

	(void)w;
	set_state(slot, STARTING);
	count(OP_exec, true);
	image_arguments(number, argv, slot);
	execv(self, argv);
	err(1, "%s", self);
}

/* Not the last ones. */
static long do_leave(struct worker *w)
{
	unsigned int i, live = 0;

	(void)w;
	for (i = 0; i < SLOTS; i++)
		live += control->slot[i].state == LIVE;
	if (live < PROCESSES)
		return -1;
	set_state(slot, LEAVING);
	count(OP_leave, true);
	_exit(0);
}

/* Each time deeper, up to some limit, and the stack grows. */
static long do_deepen(struct worker *w)
{
	volatile char *page = __builtin_alloca((1 + pick(w, 60)) * PAGE);

	*page = 1;
	return *page - 1;
}

static long do_personality(struct worker *w)
{
	return personality(pick(w, 2) ? READ_IMPLIES_EXEC : 0);
}

struct choice {
	long (*call)(struct worker *w);
	unsigned int weight;
};

#define OP_CHOICE(name, weight)	[OP_##name] = { do_##name, weight },
static const struct choice choices[] = {
	OPERATIONS(OP_CHOICE)
	LIVES(OP_CHOICE)
};

static unsigned int choose(struct worker *w, unsigned int from, unsigned int to)
{
	unsigned int i, total = 0, at;

	for (i = from; i < to; i++)
		total += choices[i].weight;
	at = pick(w, total);
	for (i = from; at >= choices[i].weight; i++)
		at -= choices[i].weight;
	return i;
}

static void call_something(struct worker *w)
{
	unsigned int op;

	if (w->first && !pick(w, 40))
		op = choose(w, OP_fork, NR_OPERATIONS);
	else
		op = choose(w, 0, OP_fork);
	count(op, choices[op].call(w) != -1);
}

/* If a checkpoint is on: arrive, and wait for its end. */
static void stop_if_told(void)
{
	__u32 phase = __atomic_load_n(&control->phase, __ATOMIC_SEQ_CST);

	if (!(phase & 1))
		return;
	__atomic_fetch_add(&slot->arrived[phase >> 1 & 1], 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&control->phase, __ATOMIC_SEQ_CST) == phase)
		futex(&control->phase, FUTEX_WAIT, phase, NULL);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	for (i = 0;; i++) {
		stop_if_told();
		call_something(w);
		if (i % 64 == 0 && kill(control->controller, 0))
			_exit(0);
	}
	return NULL;
}

static void map_control(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/control", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*control)))
		err(1, "%s", path);
	control = mmap((void *)CONTROL_AT, sizeof(*control), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	if (control == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
}

/* For each image. The heap is ours alone: the C library is not to extend it. */
static void prepare_image(void)
{
	char path[256];

	mallopt(M_MMAP_THRESHOLD, 1);
	snprintf(path, sizeof(path), "%s/a file", dir);
	file_rw = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	file_ro = open(path, O_RDONLY | O_CLOEXEC);
	zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	if (file_rw < 0 || file_ro < 0 || zero < 0 || ftruncate(file_rw, FILE_PAGES * PAGE))
		err(1, "%s", path);
	heap = syscall(SYS_brk, 0);
	heap = (heap + PAGE - 1) & ~(PAGE - 1);
}

static int run_image(const char *number)
{
	map_control();
	prepare_image();
	live_in(&control->slot[strtoul(number, NULL, 10)]);
	work(&workers[0]);
	return 1;
}

/* The controller, which is none of the load's processes. */

static int maps_fd;

static void make_segments(void)
{
	unsigned int i;

	for (i = 0; i < SEGMENTS; i++) {
		control->segment[i] = shmget(IPC_PRIVATE, (i + 1) * PAGE, 0600);
		if (control->segment[i] < 0)
			err(1, "shmget");
	}
}

static void start_process(void)
{
	struct slot *child = take_slot();
	pid_t pid;

	if (!child)
		return;
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid)
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	live_in(child);
	work(&workers[0]);
}

static void nap(void)
{
	struct timespec time = { .tv_nsec = 2000000 };

	nanosleep(&time, NULL);
}

static bool gone(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

static __u32 get_state(const struct slot *s)
{
	return __atomic_load_n(&s->state, __ATOMIC_SEQ_CST);
}

/* Slots of those that have ended can be used again. One that is gone says so before. */
static void free_slots(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		struct slot *s = &control->slot[i];
		__u32 state = get_state(s);

		if ((state != LIVE && state != LEAVING) || !gone(s->pid))
			continue;
		if (get_state(s) != LEAVING)
			errx(1, "process %d is gone", s->pid);
		set_state(s, FREE);
	}
}

/* Who is seen to have stopped may have taken a slot that was seen to be free before. */
static bool all_stopped(__u32 phase)
{
	__u32 taken = __atomic_load_n(&control->taken, __ATOMIC_SEQ_CST);
	unsigned int i;

	free_slots();
	for (i = 0; i < SLOTS; i++) {
		const struct slot *s = &control->slot[i];
		__u32 state = get_state(s);
		__u32 arrived = __atomic_load_n(&s->arrived[phase >> 1 & 1], __ATOMIC_SEQ_CST);

		if (state != FREE && (state != LIVE || arrived != s->threads))
			return false;
	}
	return taken == __atomic_load_n(&control->taken, __ATOMIC_SEQ_CST);
}

static void stop_all(void)
{
	__u32 phase = __atomic_add_fetch(&control->phase, 1, __ATOMIC_SEQ_CST);
	time_t limit = time(NULL) + PATIENCE;

	while (!all_stopped(phase)) {
		if (time(NULL) > limit)
			errx(1, "somebody does not stop");
		nap();
	}
}

static void go_on(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		control->slot[i].arrived[((control->phase >> 1) + 1) & 1] = 0;
	__atomic_add_fetch(&control->phase, 1, __ATOMIC_SEQ_CST);
	futex(&control->phase, FUTEX_WAKE, ~0U >> 1, NULL);
}

static bool of_load(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		if (control->slot[i].state == LIVE && control->slot[i].pid == pid)
			return true;
	}
	return pid == getpid();
}

/* Nothing here may change our own mappings. */
static void save_maps_of(unsigned int checkpoint, pid_t pid)
{
	static char text[1 << 20];
	unsigned long long before, after;
	size_t len = 0;
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	before = stamp_now();
	while ((got = read(fd, text + len, sizeof(text) - len)) > 0)
		len += got;
	after = stamp_now();
	close(fd);
	if (!len)	/* a kernel thread, or a zombie */
		return;
	dprintf(maps_fd, "@ %u %d %s %llu %llu %zu\n", checkpoint, pid,
		of_load(pid) ? "load" : "other", before, after, len);
	if (write(maps_fd, text, len) != (ssize_t)len)
		err(1, "%s/maps", dir);
}

static void save_maps(unsigned int checkpoint)
{
	const struct dirent *entry;
	DIR *proc = opendir("/proc");

	if (!proc)
		err(1, "/proc");
	while ((entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0)
			save_maps_of(checkpoint, pid);
	}
	closedir(proc);
}

static __u64 calls_done(void)
{
	unsigned int i;
	__u64 sum = 0;

	for (i = 0; i < NR_OPERATIONS; i++)
		sum += __atomic_load_n(&control->done[i], __ATOMIC_RELAXED);
	return sum;
}

static void work_until(__u64 calls)
{
	while (calls_done() < calls) {
		free_slots();
		nap();
	}
}

/* Stopped as they are. */
static void kill_all(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		struct slot *s = &control->slot[i];

		if (s->state != LIVE)
			continue;
		kill(s->pid, SIGKILL);
		while (!gone(s->pid))
			nap();
		set_state(s, FREE);
	}
	for (i = 0; i < SEGMENTS; i++)
		shmctl(control->segment[i], IPC_RMID, NULL);
}

static void report(__u64 before)
{
#define OP_NAME(name, weight)	[OP_##name] = #name,
	static const char * const names[] = { OPERATIONS(OP_NAME) LIVES(OP_NAME) };
	unsigned int i;

	for (i = 0; i < NR_OPERATIONS; i++)
		printf("# %-12s %6llu done %6llu failed\n", names[i], control->done[i],
		       control->failed[i]);
	printf("# %llu calls done, %llu since the capture began, by %u processes and images\n",
	       calls_done(), calls_done() - before, control->made);
}

static void run(unsigned int calls, unsigned int checkpoints, const char *enable,
		const char *dump)
{
	unsigned int i;
	__u64 before;

	for (i = 0; i < PROCESSES; i++)
		start_process();
	work_until(WARM_UP);
	if (enable)
		switch_capture(enable, "1");
	before = calls_done();
	for (i = 0; i < checkpoints; i++) {
		/* The first one at once: nothing but the statedump to go by. */
		work_until(before + (__u64)calls * i / (checkpoints - 1));
		stop_all();
		save_maps(i);
		if (i + 1 == checkpoints)
			kill_all();
		go_on();
		if (i + 1 < checkpoints && i % 2)
			start_process();
		if (dump && i == checkpoints / 2)
			switch_capture(dump, "1");
	}
	save_maps(i);
	report(before);
}

int main(int argc, char **argv)
{
	unsigned int seed = 1, calls = 20000, checkpoints = 8;
	const char *enable = NULL, *dump = NULL;
	char path[256];
	int option;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "/proc/self/exe");
	signal(SIGCHLD, SIG_IGN);
	if (argc == 4 && !strcmp(argv[1], "image")) {
		dir = argv[3];
		return run_image(argv[2]);
	}
	while ((option = getopt(argc, argv, "s:n:c:e:d:")) != -1) {
		switch (option) {
		case 's':
			seed = strtoul(optarg, NULL, 10);
			break;
		case 'n':
			calls = strtoul(optarg, NULL, 10);
			break;
		case 'c':
			checkpoints = strtoul(optarg, NULL, 10);
			break;
		case 'e':
			enable = optarg;
			break;
		case 'd':
			dump = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc || checkpoints < 2)
		errx(2, "usage: mapload [-s SEED] [-n CALLS] [-c CHECKPOINTS] [-e ENABLE] "
		     "[-d DUMP] DIR");
	dir = argv[optind];
	map_control();
	control->seed = seed;
	control->controller = getpid();
	prepare_image();
	make_segments();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	snprintf(path, sizeof(path), "%s/maps", dir);
	maps_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (maps_fd < 0)
		err(1, "%s", path);
	run(calls, checkpoints, enable, dump);
	return 0;
}
