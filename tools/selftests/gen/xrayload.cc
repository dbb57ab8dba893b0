// SPDX-License-Identifier: GPL-2.0-only
/*
 * xrayload - a program whose functions XRay records, and that knows what it did
 *
 *	xrayload DIR [THREADS [ROUNDS]]
 *
 * Writes DIR/log, an FDR log in which nothing is lost, and DIR/truth.txt, what the program
 * itself counted, a line each:
 *
 *	call TID FUNCTION-ID COUNT NAME		how often a thread called a function
 *	event TID COUNT				its custom events: "event 0 of TID" and so on
 *	argument TID COUNT			arguments of a function: TID * 2^20, and so on
 *	did TID NAME BEGIN END COUNT		what a function is named after: between these,
 *						ns of CLOCK_MONOTONIC, it does that COUNT times
 *	threads, rounds and pages N		of the run
 *
 * Only what is in namespace load is recorded. Functions named after what the kernel does for
 * them do nothing else. Needs clang-14, -O1 -fxray-instrument
 * -fxray-instruction-threshold=1. __xray_typedevent() is not called: it crashes there.
 */
#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define UNSEEN		[[clang::xray_never_instrument]]
#define SEEN		[[clang::xray_always_instrument, gnu::noinline]]

#define THREADS_MAX	64
#define DEPTH		6	/* of the recursion */
#define TAILS		50
#define EVENTS		40
#define ARGUMENTS	60
#define PAGES		64
#define PAGE		4096
#define SPINS		3
#define SPIN_NS		20000000	/* of CPU time: some slices */
#define SLEEPS		3
#define SLEEP_NS	200000000	/* an emulated CPU stands still for half of that at most */
#define READS		16
#define DEEDS_MAX	(SLEEPS + SPINS + 2)
#define BUFFER_SIZE	4096

/* One row a function: how it is counted, called and named. */
#define FUNCTIONS(row) \
	row(work, void (*)(unsigned int)) \
	row(leaf, unsigned int (*)(unsigned int)) \
	row(recurse, unsigned int (*)(unsigned int)) \
	row(tail_first, unsigned int (*)(unsigned int)) \
	row(tail_last, unsigned int (*)(unsigned int)) \
	row(marks, void (*)()) \
	row(argued, unsigned int (*)(uint64_t)) \
	row(sleeps, void (*)()) \
	row(spins, void (*)()) \
	row(touches_pages, void (*)()) \
	row(reads_file, void (*)())

enum function {
#define ROW(name, type) NR_##name,
	FUNCTIONS(ROW)
#undef ROW
	NR_FUNCTIONS,
};

struct deed {
	const char *name;
	int64_t begin;
	int64_t end;
	unsigned int count;
};

struct thread {
	pthread_t handle;
	pid_t tid;
	unsigned int rounds;
	uint64_t calls[NR_FUNCTIONS];
	uint64_t events;
	uint64_t arguments;
	struct deed deeds[DEEDS_MAX];
	unsigned int nr_deeds;
};

static struct thread threads[THREADS_MAX];
static pthread_barrier_t barrier;
static thread_local struct thread *self;
static volatile unsigned int sink;

[[noreturn]] UNSEEN static void die(const char *what)
{
	fprintf(stderr, "xrayload: %s: %s\n", what, strerror(errno));
	exit(1);
}

#define COUNT(name)	(self->calls[NR_##name]++)

UNSEEN static int64_t monotonic_ns()
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* What was begun is done. */
UNSEEN static void did(const char *name, int64_t begin, unsigned int count)
{
	self->deeds[self->nr_deeds++] = { name, begin, monotonic_ns(), count };
}

namespace load {

SEEN unsigned int leaf(unsigned int n)
{
	COUNT(leaf);
	return n * 2654435761U;
}

SEEN unsigned int recurse(unsigned int depth)
{
	COUNT(recurse);
	return depth ? recurse(depth - 1) + depth : 0;
}

SEEN unsigned int tail_last(unsigned int n)
{
	COUNT(tail_last);
	return n ^ 1;
}

SEEN unsigned int tail_first(unsigned int n)
{
	COUNT(tail_first);
	[[clang::musttail]] return tail_last(n);
}

[[clang::xray_log_args(1)]] SEEN unsigned int argued(uint64_t n)
{
	COUNT(argued);
	self->arguments++;
	return n;
}

/* Of a function that is not recorded, there is no event either. */
SEEN void marks()
{
	char text[32];
	int len = snprintf(text, sizeof(text), "event %u of %d", (unsigned int)self->events++,
			   self->tid);

	COUNT(marks);
	__xray_customevent(text, len);
}

SEEN void sleeps()
{
	const struct timespec time = { 0, SLEEP_NS };

	int64_t begin = monotonic_ns();

	COUNT(sleeps);
	nanosleep(&time, nullptr);
	did("load::sleeps", begin, 1);
}

/* In user mode most of the time: the clock is asked rarely. */
SEEN void spins()
{
	int64_t ns, since = monotonic_ns();
	struct timespec now, begin;

	COUNT(spins);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (unsigned int i = 0; i < 100000; i++)
			sink = i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		ns = (now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec;
	} while (ns < SPIN_NS);
	did("load::spins", since, 1);
}

SEEN void touches_pages()
{
	char *pages = (char *)mmap(nullptr, PAGES * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int64_t begin;

	COUNT(touches_pages);
	if (pages == MAP_FAILED)
		die("mmap");
	madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	begin = monotonic_ns();
	for (unsigned int i = 0; i < PAGES; i++)
		pages[i * PAGE] = 1;
	did("load::touches_pages", begin, PAGES);
	munmap(pages, PAGES * PAGE);
}

SEEN void reads_file()
{
	char buf[4096];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int64_t begin = monotonic_ns();

	COUNT(reads_file);
	if (fd < 0)
		die("/proc/self/exe");
	for (unsigned int i = 0; i < READS; i++) {
		if (read(fd, buf, sizeof(buf)) <= 0)
			die("/proc/self/exe");
	}
	did("load::reads_file", begin, READS);
	close(fd);
}

SEEN void work(unsigned int rounds)
{
	COUNT(work);
	for (unsigned int i = 0; i < rounds; i++)
		sink = leaf(i);
}

} // namespace load

UNSEEN static void pin(bool on)
{
	static cpu_set_t before;
	cpu_set_t first;
	int cpu = 0;

	if (!on) {
		sched_setaffinity(0, sizeof(before), &before);
		return;
	}
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		sched_getaffinity(0, sizeof(before), &before);
	pthread_barrier_wait(&barrier);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&first);
	CPU_SET(cpu, &first);
	sched_setaffinity(0, sizeof(first), &first);
	pthread_barrier_wait(&barrier);
}

UNSEEN static void *run(void *arg)
{
	unsigned int i;

	self = (struct thread *)arg;
	self->tid = syscall(SYS_gettid);
	load::work(self->rounds);
	for (i = 0; i < EVENTS; i++) {
		load::marks();
		sink = load::recurse(DEPTH);
	}
	for (i = 0; i < TAILS; i++)
		sink = load::tail_first(i);
	for (i = 0; i < ARGUMENTS; i++)
		sink = load::argued(((uint64_t)self->tid << 20) + i);
	for (i = 0; i < SLEEPS; i++)
		load::sleeps();
	load::touches_pages();
	load::reads_file();
	/* All on one CPU, so that they drive each other off it. */
	pin(true);
	for (i = 0; i < SPINS; i++)
		load::spins();
	pin(false);
	return nullptr;
}

UNSEEN static int32_t function_id(uintptr_t address)
{
	for (size_t id = 1; id <= __xray_max_function_id(); id++) {
		if (__xray_function_address(id) == address)
			return id;
	}
	errno = ENOENT;
	die("function without an id");
}

UNSEEN static void write_truth(unsigned int nr)
{
	static const uintptr_t addresses[] = {
#define ROW(name, type) (uintptr_t)(type)load::name,
		FUNCTIONS(ROW)
#undef ROW
	};
	static const char *const names[] = {
#define ROW(name, type) "load::" #name,
		FUNCTIONS(ROW)
#undef ROW
	};
	FILE *f = fopen("truth.txt", "w");

	if (!f)
		die("truth.txt");
	for (struct thread *t = threads; t < threads + nr; t++) {
		for (unsigned int i = 0; i < NR_FUNCTIONS; i++)
			fprintf(f, "call %d %d %lu %s\n", t->tid, function_id(addresses[i]),
				t->calls[i], names[i]);
		fprintf(f, "event %d %lu\nargument %d %lu\n", t->tid, t->events, t->tid,
			t->arguments);
		for (struct deed *d = t->deeds; d < t->deeds + t->nr_deeds; d++)
			fprintf(f, "did %d %s %ld %ld %u\n", t->tid, d->name, d->begin, d->end,
				d->count);
	}
	fprintf(f, "threads %u\nrounds %u\npages %u\n", nr, threads[0].rounds, PAGES);
	if (fclose(f))
		die("truth.txt");
}

/*
 * XRay stamps by CLOCK_REALTIME, and takes CPU 0 for every one, if CPUID promises no
 * invariant TSC, as in QEMU, or if sysfs does not have its frequency. These two replace the
 * runtime's own (-Wl,--wrap), so that it reads the TSC everywhere.
 */
extern "C" UNSEEN bool __wrap__ZN6__xray24probeRequiredCPUFeaturesEv()
{
	return true;
}

extern "C" UNSEEN uint64_t __wrap__ZN6__xray15getTSCFrequencyEv()
{
	int64_t ns = monotonic_ns();
	uint64_t tsc = __builtin_ia32_rdtsc();

	while (monotonic_ns() < ns + 20000000)
		;
	return (__builtin_ia32_rdtsc() - tsc) * 1000000000 / (monotonic_ns() - ns);
}

/* Buffers are reused when there are too few: then the first ones would be lost. */
UNSEEN static void record(unsigned int nr, unsigned int rounds)
{
	unsigned int buffers = nr * (rounds * 16 / (BUFFER_SIZE / 2) + 32);
	char options[128];

	snprintf(options, sizeof(options),
		 "buffer_size=%u:buffer_max=%u:func_duration_threshold_us=0",
		 BUFFER_SIZE, buffers);
	if (__xray_log_select_mode("xray-fdr") != XRAY_REGISTRATION_OK ||
	    __xray_log_init_mode("xray-fdr", options) != XRAY_LOG_INITIALIZED ||
	    __xray_patch() != SUCCESS)
		die("cannot start XRay");
}

/* The runtime has named it. */
UNSEEN static void name_log()
{
	glob_t found;

	if (glob("xray-log.xrayload.*", 0, nullptr, &found) || found.gl_pathc != 1 ||
	    rename(found.gl_pathv[0], "log"))
		die("no log, or several");
	globfree(&found);
}

UNSEEN int main(int argc, char **argv)
{
	unsigned int nr = argc > 2 ? atoi(argv[2]) : 3, rounds = argc > 3 ? atoi(argv[3]) : 6000;

	if (argc < 2 || argc > 4 || !nr || nr > THREADS_MAX || chdir(argv[1])) {
		fprintf(stderr, "usage: xrayload DIR [THREADS [ROUNDS]]\n");
		return 2;
	}
	record(nr, rounds);
	pthread_barrier_init(&barrier, nullptr, nr);
	for (struct thread *t = threads; t < threads + nr; t++) {
		t->rounds = rounds;
		if (pthread_create(&t->handle, nullptr, run, t))
			die("pthread_create");
	}
	for (struct thread *t = threads; t < threads + nr; t++)
		pthread_join(t->handle, nullptr);
	if (__xray_log_finalize() != XRAY_LOG_FINALIZED || __xray_unpatch() != SUCCESS ||
	    __xray_log_flushLog() != XRAY_LOG_FLUSHED)
		die("cannot write the log");
	name_log();
	write_truth(nr);
	return 0;
}
