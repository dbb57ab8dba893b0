// SPDX-License-Identifier: GPL-2.0-only
/*
 * ovniload - a program that writes an ovni trace of itself, as one with libovni does
 *
 *	ovniload DIR HOST [runtime]
 *
 * Two processes with three threads each, more than there are CPUs: they spin, sleep, move
 * and wait for each other, and write what they do as marks, with "runtime" also in events
 * of nOS-V, OpenMP and MPI. DIR/loom.HOST.PID is made, one for each process.
 *
 * Marks: type 3 is a stack of phases, 4 counts steps, 81 (a number of ovnik's) counts
 * sleeps.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/format.h"
#include "util/types.h"

#define THREADS		3
#define STEPS		400
#define PHASES		3
#define BUFFER		(16 << 10)
#define OLD		4	/* events of a region that is not sorted */

/**
 * struct stream - The stream of a thread.
 * @f: its file
 * @buf: what is not in the file yet
 * @len: bytes of it
 */
struct stream {
	FILE *f;
	unsigned char buf[BUFFER];
	size_t len;
};

static const char *loom_dir, *host;
static bool runtime;
static pthread_barrier_t together;

static void die(const char *what)
{
	fprintf(stderr, "ovniload: %s: %s\n", what, strerror(errno));
	exit(1);
}

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void event_at(struct stream *s, u64 clock, const char *mcv, const void *payload, u32 size)
{
	struct ovni_ev_header head = { .flags = OVNI_EV_SIZE_CODE(size), .clock = clock };

	memcpy(head.mcv, mcv, sizeof(head.mcv));
	memcpy(s->buf + s->len, &head, sizeof(head));
	s->len += sizeof(head);
	if (size)
		memcpy(s->buf + s->len, payload, size);
	s->len += size;
}

static void write_out(struct stream *s)
{
	if (fwrite(s->buf, 1, s->len, s->f) != s->len || fflush(s->f))
		die("write");
	s->len = 0;
}

/* As libovni: when the buffer is full it is written, with events that say so. */
static void event(struct stream *s, const char *mcv, const void *payload, u32 size)
{
	u64 begin, end;

	if (s->len + 256 > sizeof(s->buf)) {
		begin = now();
		write_out(s);
		end = now();
		event_at(s, begin, "OF[", NULL, 0);
		event_at(s, end, "OF]", NULL, 0);
	}
	event_at(s, now(), mcv, payload, size);
}

static void plain(struct stream *s, const char *mcv)
{
	event(s, mcv, NULL, 0);
}

static void mark_at(struct stream *s, u64 clock, const char *mcv, s64 value, s32 type)
{
	unsigned char payload[12];

	memcpy(payload, &value, sizeof(value));
	memcpy(payload + sizeof(value), &type, sizeof(type));
	if (clock)
		event_at(s, clock, mcv, payload, sizeof(payload));
	else
		event(s, mcv, payload, sizeof(payload));
}

static void mark(struct stream *s, const char *mcv, s64 value, s32 type)
{
	mark_at(s, 0, mcv, value, type);
}

static void pair(struct stream *s, const char *mcv, u32 first, u32 second)
{
	u32 payload[] = { first, second };

	event(s, mcv, payload, sizeof(payload));
}

static void jumbo(struct stream *s, const char *mcv, u32 id, const char *label)
{
	struct ovni_ev_header head = {
		.flags = OVNI_EV_JUMBO | OVNI_EV_SIZE_CODE(OVNI_EV_JUMBO_SIZE),
	};
	u32 size = sizeof(id) + strlen(label) + 1;

	memcpy(head.mcv, mcv, sizeof(head.mcv));
	head.clock = now();
	memcpy(s->buf + s->len, &head, sizeof(head));
	memcpy(s->buf + s->len + sizeof(head), &size, sizeof(size));
	memcpy(s->buf + s->len + sizeof(head) + sizeof(size), &id, sizeof(id));
	strcpy((char *)s->buf + s->len + sizeof(head) + sizeof(size) + sizeof(id), label);
	s->len += sizeof(head) + sizeof(size) + size;
}

static void spin(unsigned int us)
{
	u64 end = now() + 1000ULL * us;

	while (now() < end)
		;
}

static void sleep_told(struct stream *s, unsigned int nr)
{
	mark(s, "OM=", nr, 81);
	plain(s, "OHp");
	usleep(700);
	plain(s, "OHr");
}

/* To another CPU, which the application says as it sees it. */
static void move(struct stream *s, s32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return;
	event(s, "OAs", &cpu, sizeof(cpu));
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* What happened while other events were written: it comes late, and in no order. */
static void tell_late(struct stream *s, const u64 *seen, u32 step)
{
	unsigned int i;

	plain(s, "OU[");
	for (i = 0; i < OLD; i++)
		mark_at(s, seen[(i + 2) % OLD], "OM=", step * 10 + i + 1, 4);
	plain(s, "OU]");
}

static void run_task(struct stream *s, u32 task)
{
	pair(s, "VTx", task, 0);
	plain(s, "PBb");
	spin(50);
	plain(s, "PBB");
	pair(s, "VTe", task, 0);
	plain(s, "MW[");
	sched_yield();
	plain(s, "MW]");
}

static void step(struct stream *s, u32 nr, u32 thread)
{
	u64 seen[OLD];
	u32 i;

	mark(s, "OM[", 1 + nr % PHASES, 3);
	mark(s, "OM=", nr + 1, 4);
	for (i = 0; i < OLD; i++) {
		seen[i] = now();
		spin(20);
	}
	if (nr % 25 == 3)
		tell_late(s, seen, nr);
	mark(s, "OM[", PHASES + 1, 3);
	spin(100 + 50 * thread);
	mark(s, "OM]", PHASES + 1, 3);
	if (runtime) {
		pair(s, "VTc", nr * THREADS + thread + 1, 1);
		run_task(s, nr * THREADS + thread + 1);
	}
	if (nr % 10 == 7)
		sleep_told(s, nr);
	if (nr % 40 == 11)
		move(s, nr / 40 % 2);
	if (nr % 100 == 50)
		pthread_barrier_wait(&together);
	mark(s, "OM]", 1 + nr % PHASES, 3);
}

static void write_json(const char *dir, u32 thread, s32 app)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/stream.json", dir);
	f = fopen(path, "w");
	if (!f)
		die(path);
	fprintf(f, "{ \"version\": 3, \"ovni\": { \"lib\": { \"version\": \"1.14.0\", ");
	fprintf(f, "\"commit\": \"ovniload\" }, \"part\": \"thread\", \"tid\": %d, ",
		(int)syscall(SYS_gettid));
	fprintf(f, "\"pid\": %d, \"loom\": \"%s.%d\", \"app_id\": %d, ", getpid(), host, getpid(),
		app);
	fprintf(f, "\"require\": { \"ovni\": \"1.1.0\"");
	if (runtime)
		fprintf(f, ", \"nosv\": \"2.7.0\", \"openmp\": \"1.2.0\", \"mpi\": \"1.0.0\"");
	fprintf(f, " }, \"finished\": 1");
	if (!thread) {
		fprintf(f, ", \"loom_cpus\": [ { \"index\": 0, \"phyid\": 0 }, ");
		fprintf(f, "{ \"index\": 1, \"phyid\": 1 } ], \"mark\": { ");
		fprintf(f, "\"3\": { \"title\": \"Phase\", \"chan_type\": \"stack\", ");
		fprintf(f, "\"labels\": { \"1\": \"one\", \"4\": \"inner\" } }, ");
		fprintf(f, "\"4\": { \"title\": \"Step\", \"chan_type\": \"single\" }, ");
		fprintf(f, "\"81\": { \"title\": \"Sleeps\", \"chan_type\": \"single\" } }");
	}
	fprintf(f, " } }\n");
	if (fclose(f))
		die(path);
}

static void open_stream(struct stream *s, char *dir, size_t size)
{
	const struct ovni_stream_header header = { "ovni", OVNI_STREAM_VERSION };
	char path[512];

	snprintf(dir, size, "%s/thread.%d", loom_dir, (int)syscall(SYS_gettid));
	if (mkdir(dir, 0777))
		die(dir);
	snprintf(path, sizeof(path), "%s/stream.obs", dir);
	s->f = fopen(path, "w");
	if (!s->f)
		die(path);
	memcpy(s->buf, &header, sizeof(header));
	s->len = sizeof(header);
}

static void *work(void *data)
{
	struct {
		s32 cpu;
		s32 creator;
		u64 tag;
	} birth = { sched_getcpu(), -1, 0 };
	u32 nr, thread = (size_t)data;
	struct stream *s = calloc(1, sizeof(*s));
	char dir[256];

	if (!s)
		die("memory");
	open_stream(s, dir, sizeof(dir));
	event(s, "OHx", &birth, sizeof(birth));
	if (runtime && !thread)
		jumbo(s, "VYc", 1, "step");
	pthread_barrier_wait(&together);
	for (nr = 0; nr < STEPS; nr++)
		step(s, nr, thread);
	plain(s, "OHe");
	write_out(s);
	fclose(s->f);
	write_json(dir, thread, getpid());
	free(s);
	return NULL;
}

static int process(const char *dir)
{
	pthread_t threads[THREADS];
	char loom[256], proc[300];
	size_t i;

	snprintf(loom, sizeof(loom), "%s/loom.%s.%d", dir, host, getpid());
	snprintf(proc, sizeof(proc), "%s/proc.%d", loom, getpid());
	if (mkdir(loom, 0777) || mkdir(proc, 0777))
		die(proc);
	loom_dir = proc;
	pthread_barrier_init(&together, NULL, THREADS);
	for (i = 1; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			die("pthread_create");
	}
	work(NULL);
	for (i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	int status;
	pid_t child;

	if (argc < 3) {
		fprintf(stderr, "usage: ovniload DIR HOST [runtime]\n");
		return 2;
	}
	host = argv[2];
	runtime = argc > 3;
	if (mkdir(argv[1], 0777))
		die(argv[1]);
	child = fork();
	if (child < 0)
		die("fork");
	status = process(argv[1]);
	if (!child)
		return status;
	if (wait(&status) != child || status)
		return 1;
	return 0;
}
