// SPDX-License-Identifier: GPL-2.0-only
/*
 * faultload - cause page faults, and say how many
 *
 *	faultload DIR FILE
 *
 * FILE is to be on a block device, for its pages to be read from there. DIR/log gets a
 * line for each thing tried:
 *
 *	TID FROM TO MINOR MAJOR FAILED FLAGS NAME
 *
 * the two times in TSC; the faults between them that the kernel has counted for the
 * thread (getrusage()), those that ended in a signal; and a sum of enum fault_flags.
 */

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "fault.h"
#include "common/stamp.h"

#define PAGE		4096UL
#define PAGES		64U
#define STEP		32U	/* so many apart, of a file: no fault maps two of them */
#define TOUCHERS	4U
#define FILE_SIZE	(PAGES * STEP * PAGE)

static int log_fd, zero, file;
static volatile unsigned int failed;
static sigjmp_buf escape;
static const char *what;

/**
 * struct window - From here to there.
 * @usage:  of the thread at its begin
 * @failed: at its begin
 * @from:   TSC at its begin
 */
struct window {
	struct rusage usage;
	unsigned int failed;
	unsigned long long from;
};

static __attribute__((noinline)) unsigned int sink(unsigned int depth)
{
	volatile char page[PAGE];

	page[0] = depth;
	return depth ? sink(depth - 1) + page[0] : 0;
}

static void begin(struct window *window, const char *name)
{
	what = name;
	window->failed = failed;
	/* So that nothing here, nor in end(), is the first to touch a page of the stack. */
	sink(2);
	getrusage(RUSAGE_THREAD, &window->usage);
	getrusage(RUSAGE_THREAD, &window->usage);
	window->from = stamp_now();
}

static void end(const struct window *window, unsigned int flags)
{
	unsigned long long to = stamp_now();
	struct rusage usage;
	char line[256];
	int len;

	getrusage(RUSAGE_THREAD, &usage);
	len = snprintf(line, sizeof(line), "%ld %llu %llu %ld %ld %u %u %s\n",
		       syscall(SYS_gettid), window->from, to,
		       usage.ru_minflt - window->usage.ru_minflt,
		       usage.ru_majflt - window->usage.ru_majflt, failed - window->failed, flags,
		       what);
	if (write(log_fd, line, len) != len)
		err(1, "log");
}

static char *map(size_t size, int protection, int flags, int fd)
{
	char *at = mmap(NULL, size, protection, flags, fd, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	madvise(at, size, MADV_NOHUGEPAGE);
	return at;
}

static char *anonymous(int protection)
{
	return map(PAGES * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void write_each(char *at, size_t step)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		*(volatile char *)(at + i * step) = 1;
}

static void read_each(const char *at, size_t step)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		*(const volatile char *)(at + i * step);
}

static void first_touches(void)
{
	char *at = anonymous(PROT_READ | PROT_WRITE);
	struct window window;

	begin(&window, "first touches");
	write_each(at, PAGE);
	end(&window, 0);
	at = anonymous(PROT_READ | PROT_WRITE);
	begin(&window, "the zero page, then a page");
	read_each(at, PAGE);
	write_each(at, PAGE);
	end(&window, 0);
}

static void huge_page(void)
{
	char *at = map(4UL << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct window window;

	madvise(at, 4UL << 20, MADV_HUGEPAGE);
	begin(&window, "a huge page");
	memset(at, 1, 4UL << 20);
	end(&window, 0);
}

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	sync();
	if (fd < 0 || write(fd, "3\n", 2) != 2)
		err(1, "drop_caches");
	close(fd);
}

static char *map_file(void)
{
	char *at = map(FILE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file);

	madvise(at, FILE_SIZE, MADV_RANDOM);
	return at;
}

static void from_disk(void)
{
	struct window window;
	char *at = map_file();

	drop_caches();
	begin(&window, "read from a disk");
	read_each(at, STEP * PAGE);
	end(&window, 0);
	munmap(at, FILE_SIZE);
	at = map_file();
	begin(&window, "in the page cache");
	read_each(at, STEP * PAGE);
	end(&window, 0);
	begin(&window, "copied from the page cache");
	write_each(at, STEP * PAGE);
	end(&window, 0);
	munmap(at, FILE_SIZE);
}

static volatile unsigned int ticks;

static void tick(int signal)
{
	(void)signal;
	ticks++;
}

/* A signal comes while a page is read: the fault is given up, and comes again. */
static void from_disk_disturbed(void)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } }, none = {};
	struct window window;
	char *at = map_file();

	signal(SIGALRM, tick);
	drop_caches();
	setitimer(ITIMER_REAL, &timer, NULL);
	begin(&window, "read from a disk, with signals");
	read_each(at, STEP * PAGE);
	end(&window, FAULT_AGAIN);
	setitimer(ITIMER_REAL, &none, NULL);
	munmap(at, FILE_SIZE);
}

static void note_failure(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	failed += info->si_code > 0 && info->si_code != SI_KERNEL;
	siglongjmp(escape, 1);
}

static void catch_failures(void)
{
	struct sigaction action = { .sa_sigaction = note_failure,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	static char room[64 << 10];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

static void call_it(char *at)
{
	((void (*)(void))at)();
}

static void write_it(char *at)
{
	*(volatile char *)at = 1;
}

static void read_it(char *at)
{
	*(volatile char *)at;
}

static void send_segv(char *at)
{
	(void)at;
	kill(getpid(), SIGSEGV);
}

/* rt_sigreturn() without a frame: the kernel's own SIGSEGV; the trap is still a page fault. */
static void return_from_none(char *at)
{
	(void)at;
	asm volatile("mov %0, %%rsp\n\tsyscall" : : "r" (-4096L), "a" (SYS_rt_sigreturn) : "memory");
}

/* Does it to each page, which ends in a signal. */
static void fail(const char *name, void (*does)(char *at), char *at, unsigned int flags)
{
	struct window window;
	volatile unsigned int i;

	begin(&window, name);
	for (i = 0; i < PAGES; i++) {
		if (!sigsetjmp(escape, 1))
			does(at + i * PAGE);
	}
	end(&window, flags);
}

static void failures(void)
{
	char *at = anonymous(PROT_READ | PROT_WRITE), *tail;

	catch_failures();
	write_each(at, PAGE);
	fail("no code", call_it, at, 0);
	mprotect(at, PAGES * PAGE, PROT_READ);
	fail("read-only", write_it, at, 0);
	mprotect(at, PAGES * PAGE, PROT_NONE);
	fail("no access", read_it, at, 0);
	munmap(at, PAGES * PAGE);
	fail("nothing there", read_it, at, 0);
	fail("the kernel's", read_it, (char *)0xffff800000000000UL, 0);
	tail = map(FILE_SIZE + PAGES * PAGE, PROT_READ, MAP_PRIVATE, file);
	fail("after the end of a file", read_it, tail + FILE_SIZE, 0);
	munmap(tail, FILE_SIZE + PAGES * PAGE);
}

/* None of these is a page fault. */
static void no_faults(void)
{
	fail("a signal sent by kill()", send_segv, NULL, FAULT_NONE);
	fail("a signal frame that is none", return_from_none, NULL, FAULT_NONE);
	fail("an address that is none", read_it, (char *)0x8000000000000000UL, FAULT_NONE);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
}

static void in_kernel(void)
{
	char *at = anonymous(PROT_READ | PROT_WRITE);
	struct window window;
	unsigned int i;

	begin(&window, "by a system call");
	for (i = 0; i < PAGES; i++) {
		if (read(zero, at + i * PAGE, 1) != 1)
			err(1, "/dev/zero");
	}
	end(&window, 0);
	munmap(at, PAGES * PAGE);
	begin(&window, "by a system call, in vain");
	for (i = 0; i < PAGES; i++) {
		if (read(zero, at + i * PAGE, 1) != -1)
			err(1, "/dev/zero");
	}
	end(&window, FAULT_IN_VAIN);
}

static void by_others(void)
{
	char *at = anonymous(PROT_READ | PROT_WRITE);
	struct window window;

	begin(&window, "by get_user_pages()");
	if (mlock(at, PAGES * PAGE))
		err(1, "mlock");
	end(&window, FAULT_UNSEEN);
	munlock(at, PAGES * PAGE);
}

static void grow_stack(void)
{
	struct window window;

	begin(&window, "a stack that grows");
	sink(200);
	end(&window, 0);
}

static char *common;
static pthread_barrier_t barrier;

/* All touch the same page at the same time. */
static void *touch_common(void *arg)
{
	struct window window;
	unsigned int i;

	(void)arg;
	pthread_barrier_wait(&barrier);
	begin(&window, "threads at the same pages");
	for (i = 0; i < PAGES; i++) {
		pthread_barrier_wait(&barrier);
		*(volatile char *)(common + i * PAGE) = 1;
	}
	end(&window, 0);
	return NULL;
}

static void threads(void)
{
	pthread_t ids[TOUCHERS];
	unsigned int i;

	common = anonymous(PROT_READ | PROT_WRITE);
	pthread_barrier_init(&barrier, NULL, TOUCHERS);
	for (i = 0; i < TOUCHERS; i++) {
		if (pthread_create(&ids[i], NULL, touch_common, NULL))
			errx(1, "pthread_create");
	}
	for (i = 0; i < TOUCHERS; i++)
		pthread_join(ids[i], NULL);
}

static void open_files(const char *dir, const char *data)
{
	static char page[PAGE] = { 1 };
	char path[256];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/log", dir);
	log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	zero = open("/dev/zero", O_RDONLY);
	file = open(data, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (log_fd < 0 || zero < 0 || file < 0)
		err(1, "%s, %s", path, data);
	for (i = 0; i < FILE_SIZE / PAGE; i++) {
		if (write(file, page, PAGE) != (ssize_t)PAGE)
			err(1, "%s", data);
	}
}

int main(int argc, char **argv)
{
	struct window window;

	if (argc != 3)
		errx(2, "usage: faultload DIR FILE");
	open_files(argv[1], argv[2]);
	/* What runs between a window's time and its count must not fault. */
	if (mlockall(MCL_CURRENT))
		err(1, "mlockall");
	begin(&window, "nothing");
	end(&window, 0);
	first_touches();
	huge_page();
	from_disk();
	from_disk_disturbed();
	failures();
	no_faults();
	in_kernel();
	by_others();
	grow_stack();
	threads();
	printf("# %u signals came while pages were read\n", ticks);
	return 0;
}
