// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload - do one thing many times and print how many instructions it took
 *
 * For a guest with "-icount shift=0": the TSC advances by one with each instruction
 * and, while the CPU is idle, by one per nanosecond. So instructions = TSC ticks -
 * idle time. Only the rounds are in the window; files are read before and after it.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define MAX_COUNTERS	32
#define PAGE		4096
#define PATH		"directory/file"

/*
 * A number in a file: the first one, or the first one after a word. Adjacent counters
 * of the same file are read at the same moment.
 */
struct counter {
	const char *name;
	const char *file;
	const char *key;
	int fd;
};

/* What a round causes, by the names of the event table, to compare with the records. */
struct fact {
	const char *event;
	const long *per_round;
};

struct workload {
	const char *name;
	const char *what;
	void (*prepare)(long rounds);	/* or NULL */
	void (*run)(long rounds);
	void (*finish)(void);		/* or NULL */
	int in_child;			/* a child runs, its parent waits */
	struct fact does[4];
};

static struct counter counters[MAX_COUNTERS] = {
	/* One line per CPU; the first CPU, where everything happens, comes first. */
	{ "idle", "/proc/timer_list", ".idle_sleeptime", -1 },
	{ "forks", "/proc/stat", "processes", -1 },
	{ "switches", "/proc/stat", "ctxt", -1 },
};

#define IDLE		(&counters[0])
#define FORKS		(&counters[1])
#define SWITCHES	(&counters[2])

static int nr_counters = 3;
static char file_buffer[1 << 18];
/* Reading counters reads files, which may be recorded, too. */
static uint64_t nr_reads;

static uint64_t now(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high));
	return (uint64_t)high << 32 | low;
}

static void read_once(const struct counter *counter, size_t *len)
{
	ssize_t ret = pread(counter->fd, file_buffer + *len, sizeof(file_buffer) - 1 - *len, *len);

	nr_reads++;
	if (ret <= 0)
		errx(1, "%s: cannot be read", counter->file);
	*len += ret;
}

static int has_number(const struct counter *counter, uint64_t *value)
{
	const char *p = file_buffer;

	if (counter->key) {
		size_t len = strlen(counter->key);

		do {
			p = strstr(p, counter->key);
			if (!p)
				return 0;
			p += len;
		} while (*p != ' ' && *p != '\t' && *p != ':');
		p += strspn(p, " \t:");
	}
	*value = strtoull(p, NULL, 10);
	/* Not at the end of the text that was read. */
	return p[strspn(p, "0123456789")];
}

/* Reads a file for its first counter and those after it; returns how many there are. */
static int read_file(const struct counter *counter, uint64_t *values)
{
	size_t len = 0;
	int i;

	for (i = 0; counter + i < counters + nr_counters; i++) {
		if (strcmp(counter[i].file, counter->file))
			break;
		while (!len || !has_number(&counter[i], &values[i])) {
			read_once(counter, &len);
			file_buffer[len] = '\0';
		}
	}
	return i;
}

static void open_counters(void)
{
	int i;

	for (i = 0; i < nr_counters; i++) {
		counters[i].fd = open(counters[i].file, O_RDONLY | O_CLOEXEC);
		if (counters[i].fd < 0)
			err(1, "%s", counters[i].file);
	}
}

/* W1: two threads pass a word back and forth; each pass is a switch. */

static atomic_int turn;
static pthread_t partner;

static void futex(int op, int value)
{
	syscall(SYS_futex, &turn, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void play(int me, long rounds)
{
	while (rounds--) {
		while (atomic_load(&turn) != me)
			futex(FUTEX_WAIT, !me);
		atomic_store(&turn, !me);
		futex(FUTEX_WAKE, 1);
	}
}

static void *futex_partner(void *rounds)
{
	play(1, (long)rounds);
	return NULL;
}

static void futex_prepare(long rounds)
{
	atomic_store(&turn, 0);
	if (pthread_create(&partner, NULL, futex_partner, (void *)(rounds / 2)))
		errx(1, "no thread");
	/* It goes to sleep in its first wait. */
	usleep(10000);
}

static void futex_run(long rounds)
{
	play(0, rounds / 2);
}

static void partner_join(void)
{
	pthread_join(partner, NULL);
}

/* W1p: the same through two pipes. */

static int ping[2], pong[2];

static void pass(int from, int to, long rounds, int first)
{
	char byte = 0;

	while (rounds--) {
		if (!first && read(from, &byte, 1) != 1)
			err(1, "read");
		if (write(to, &byte, 1) != 1)
			err(1, "write");
		if (first && read(from, &byte, 1) != 1)
			err(1, "read");
	}
}

static void *pipe_partner(void *rounds)
{
	pass(ping[0], pong[1], (long)rounds, 0);
	return NULL;
}

static void pipe_prepare(long rounds)
{
	if (pipe(ping) || pipe(pong))
		err(1, "pipe");
	if (pthread_create(&partner, NULL, pipe_partner, (void *)(rounds / 2)))
		errx(1, "no thread");
	usleep(10000);
}

static void pipe_run(long rounds)
{
	pass(pong[0], ping[1], rounds / 2, 1);
}

static void pipe_finish(void)
{
	partner_join();
	close(ping[0]);
	close(ping[1]);
	close(pong[0]);
	close(pong[1]);
}

/* W2 and W7: processes that end at once; W7's exec before that. */

static char *const nothing[] = { "/proc/self/exe", "nothing", NULL };

static void spawn(long rounds, int exec)
{
	int status;
	pid_t pid;

	while (rounds--) {
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			if (exec)
				execv(nothing[0], nothing);
			_exit(exec);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			errx(1, "a child failed");
	}
}

/* Mappings of this process; the last line, vsyscall, is not one. */
static long nr_vmas;

static void fork_prepare(long rounds)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX];

	(void)rounds;
	if (!maps)
		err(1, "/proc/self/maps");
	nr_vmas = 0;
	while (fgets(line, sizeof(line), maps))
		nr_vmas += !strstr(line, "[vsyscall]");
	fclose(maps);
}

static void fork_run(long rounds)
{
	spawn(rounds, 0);
}

static void exec_run(long rounds)
{
	spawn(rounds, 1);
}

/* W3 and W4: system calls on a file below the working directory. */

static int data_fd = -1;
static char page[PAGE];

static void make_file(long pages)
{
	mkdir("directory", 0755);
	data_fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (data_fd < 0)
		err(1, PATH);
	while (pages--) {
		if (write(data_fd, page, sizeof(page)) != sizeof(page))
			err(1, PATH);
	}
	lseek(data_fd, 0, SEEK_SET);
}

static void remove_file(void)
{
	close(data_fd);
	unlink(PATH);
}

/* The bytes are there already: no page is added. */
static void rw_prepare(long rounds)
{
	make_file(2 * rounds / PAGE + 1);
}

static void rw_run(long rounds)
{
	char byte;

	while (rounds--) {
		if (read(data_fd, &byte, 1) != 1 || write(data_fd, &byte, 1) != 1)
			err(1, PATH);
	}
}

static void open_prepare(long rounds)
{
	(void)rounds;
	make_file(0);
}

static void open_run(long rounds)
{
	int fd;

	while (rounds--) {
		fd = open(PATH, O_RDONLY);
		if (fd < 0)
			err(1, PATH);
		close(fd);
	}
}

/* W5 and W5f: memory is mapped, touched and unmapped; W5f maps a file. */

static void touch_mapping(int prot, int flags, int fd)
{
	volatile char *p = mmap(NULL, PAGE, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	if (prot & PROT_WRITE)
		*p = 1;
	else
		(void)*p;
	munmap((void *)p, PAGE);
}

static void mmap_run(long rounds)
{
	while (rounds--)
		touch_mapping(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void mmap_file_prepare(long rounds)
{
	(void)rounds;
	make_file(1);
}

static void mmap_file_run(long rounds)
{
	while (rounds--)
		touch_mapping(PROT_READ, MAP_SHARED, data_fd);
}

/* W6 and W9: pages of memory are written; W9 writes them for the first time. */

static char *memory;
static size_t memory_size;

static void touch(long pages)
{
	volatile char *p = memory;

	while (pages--) {
		*p = 1;
		p += PAGE;
	}
}

static void memory_prepare(long rounds)
{
	memory_size = rounds * PAGE;
	memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	/* One fault per page. */
	madvise(memory, memory_size, MADV_NOHUGEPAGE);
}

static void cow_prepare(long rounds)
{
	memory_prepare(rounds);
	touch(rounds);
}

static void memory_finish(void)
{
	munmap(memory, memory_size);
}

/* W8: a file's pages are added to the page cache and removed. */

static void cache_run(long rounds)
{
	while (rounds--) {
		if (write(data_fd, page, sizeof(page)) != sizeof(page))
			err(1, PATH);
	}
	if (ftruncate(data_fd, 0))
		err(1, PATH);
}

static const long once = 1, twice = 2;

static const struct workload workloads[] = {
	{
		"W1", "futex ping-pong of two threads",
		.prepare = futex_prepare, .run = futex_run, .finish = partner_join,
	}, {
		"W1p", "pipe ping-pong of two threads",
		.prepare = pipe_prepare, .run = pipe_run, .finish = pipe_finish,
	}, {
		"W2", "fork, exit, wait", .prepare = fork_prepare, .run = fork_run,
		.does = { { "vma_dup", &nr_vmas } },
	}, {
		"W3", "read of 1 byte, write of 1 byte",
		.prepare = rw_prepare, .run = rw_run, .finish = remove_file,
		.does = {
			{ "file_begin", &twice }, { "file_read", &once }, { "file_write", &once },
		},
	}, {
		"W4", "open, close",
		.prepare = open_prepare, .run = open_run, .finish = remove_file,
		.does = { { "file_open", &once }, { "file_close", &once } },
	}, {
		"W5", "mmap, touch, munmap of a page of memory", .run = mmap_run,
		.does = {
			{ "mmap_anon", &once }, { "munmap", &once },
			{ "page_fault", &once }, { "page_fault_end", &once },
		},
	}, {
		"W5f", "mmap, touch, munmap of a page of a file",
		.prepare = mmap_file_prepare, .run = mmap_file_run, .finish = remove_file,
		.does = {
			{ "mmap_file", &once }, { "munmap", &once },
			{ "page_fault", &once }, { "page_fault_end", &once },
		},
	}, {
		"W6", "a child writes to pages that it shares with its parent",
		.prepare = cow_prepare, .run = touch, .finish = memory_finish, .in_child = 1,
		.does = {
			{ "cow_break", &once },
			{ "page_fault", &once }, { "page_fault_end", &once },
		},
	}, {
		"W7", "fork, exec, exit, wait", .run = exec_run,
	}, {
		"W8", "a page of a file is written and truncated",
		.prepare = open_prepare, .run = cache_run, .finish = remove_file,
		.does = {
			{ "page_add", &once }, { "page_remove", &once },
			{ "file_begin", &once }, { "file_write", &once },
		},
	}, {
		"W8t", "the same in tmpfs",
		.prepare = open_prepare, .run = cache_run, .finish = remove_file,
		.does = {
			{ "page_add", &once }, { "page_remove", &once },
			{ "file_begin", &once }, { "file_write", &once },
		},
	}, {
		"W9", "first write to a page of memory",
		.prepare = memory_prepare, .run = touch, .finish = memory_finish,
		.does = { { "page_fault", &once }, { "page_fault_end", &once } },
	},
};

/*
 * Read them all at one moment: repeat if a kernel thread ran in between. That is outside
 * the window and does not change the result. Returns how many reads had been made at
 * the last attempt.
 */
static uint64_t read_counters(uint64_t *values)
{
	uint64_t forks_and_switches[2], reads;
	int i;

	do {
		for (i = 0; i < nr_counters; )
			i += read_file(&counters[i], &values[i]);
		reads = nr_reads;
		read_file(FORKS, forks_and_switches);
	} while (forks_and_switches[1] != values[SWITCHES - counters]);
	return reads;
}

static void print_window(const struct workload *workload, long rounds, uint64_t reads)
{
	const struct fact *fact;

	for (fact = workload->does; fact < workload->does + ARRAY_SIZE(workload->does); fact++) {
		if (fact->event)
			printf(" did_%s=%ld", fact->event, rounds * *fact->per_round);
	}
	printf(" own_reads=%llu\n", (unsigned long long)reads);
	fflush(stdout);
}

static void measure_window(const struct workload *workload, long rounds, int repetition)
{
	uint64_t before[MAX_COUNTERS], after[MAX_COUNTERS];
	uint64_t start, end, reads;
	int i;

	reads = read_counters(before);
	start = now();
	workload->run(rounds);
	end = now();
	reads = read_counters(after) - reads;

	end -= after[IDLE - counters] - before[IDLE - counters];
	printf("workload=%s repetition=%d rounds=%ld insn=%llu", workload->name, repetition,
	       rounds, (unsigned long long)(end - start));
	for (i = 0; i < nr_counters; i++)
		printf(" %s=%llu", counters[i].name, (unsigned long long)(after[i] - before[i]));
	print_window(workload, rounds, reads);
}

static void measure_in_child(const struct workload *workload, long rounds, int repetition)
{
	uint64_t values[MAX_COUNTERS];
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		/* The parent goes to sleep in its wait. */
		usleep(10000);
		/* What this writes to becomes the child's own. */
		read_counters(values);
		measure_window(workload, rounds, repetition);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "a child failed");
}

static void measure(const struct workload *workload, long rounds, int repetition)
{
	if (workload->prepare)
		workload->prepare(rounds);
	if (workload->in_child)
		measure_in_child(workload, rounds, repetition);
	else
		measure_window(workload, rounds, repetition);
	if (workload->finish)
		workload->finish();
}

/* NAME=FILE or NAME=FILE:WORD */
static void add_counter(char *text)
{
	struct counter *counter = &counters[nr_counters];
	char *file = strchr(text, '=');
	char *key;

	if (!file || nr_counters == MAX_COUNTERS)
		errx(2, "%s: not a counter, or too many", text);
	*file++ = '\0';
	key = strchr(file, ':');
	if (key)
		*key++ = '\0';
	counter->name = text;
	counter->file = file;
	counter->key = key;
	nr_counters++;
}

static void usage(void)
{
	size_t i;

	fprintf(stderr, "usage: %s [-r REPETITIONS] [-c NAME=FILE[:WORD]]... WORKLOAD ROUNDS\n\n",
		program_invocation_short_name);
	for (i = 0; i < ARRAY_SIZE(workloads); i++)
		fprintf(stderr, "  %-4s %s\n", workloads[i].name, workloads[i].what);
	exit(2);
}

/* The threads share one CPU even if there are more. */
static void take_first_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_setaffinity");
}

int main(int argc, char **argv)
{
	int option, i, repetitions = 1;
	long rounds;
	size_t w;

	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	while ((option = getopt(argc, argv, "r:c:")) != -1) {
		if (option == 'r')
			repetitions = atoi(optarg);
		else if (option == 'c')
			add_counter(optarg);
		else
			usage();
	}
	if (argc - optind != 2)
		usage();
	rounds = atol(argv[optind + 1]);
	if (rounds <= 0 || repetitions <= 0)
		usage();

	take_first_cpu();
	open_counters();
	for (w = 0; w < ARRAY_SIZE(workloads); w++) {
		if (strcmp(workloads[w].name, argv[optind]))
			continue;
		/* Round 0 warms up; its cost is not counted, but its events are. */
		for (i = 0; i <= repetitions; i++)
			measure(&workloads[w], rounds, i);
		return 0;
	}
	usage();
}
