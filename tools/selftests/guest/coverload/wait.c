// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/uring.h"
#include "way.h"

#define MS	1000000L

static int fd, ends[2], id;
static int *word;
static pid_t child;
static struct ring ring;

static void sleep_ms(void)
{
	struct timespec time = { .tv_nsec = 50 * MS };

	done(!nanosleep(&time, NULL));
}

static void poll_nothing(void)
{
	done(!poll(NULL, 0, 50));
}

static void select_nothing(void)
{
	struct timeval time = { .tv_usec = 50000 };

	done(!select(0, NULL, NULL, NULL, &time));
}

static void set_timer(void)
{
	struct itimerspec time = { .it_value.tv_nsec = MS };

	timerfd_settime(fd, 0, &time, NULL);
}

static void make_timer(void)
{
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	done(fd >= 0);
	when_asleep(set_timer);
}

static void read_number(void)
{
	unsigned long number;

	done(read(fd, &number, sizeof(number)) == sizeof(number));
}

static void wake_futex(void)
{
	*word = 1;
	syscall(SYS_futex, word, FUTEX_WAKE, 1);
}

static void make_futex(void)
{
	word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE,
		    -1, 0);
	done(word != MAP_FAILED);
	when_asleep(wake_futex);
}

static void wait_futex(void)
{
	done(!syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL) || *word);
}

static void write_pipe(void)
{
	done(write(scene.pipe[1], "x", 1) == 1);
}

static void soon_in_pipe(void)
{
	when_asleep(write_pipe);
}

static void read_pipe(void)
{
	done(read(scene.pipe[0], scene.page, 1) == 1);
}

static void empty_pipe(void)
{
	char bytes[PAGE];

	done(read(scene.pipe[0], bytes, PAGE) == PAGE);
}

static void full_pipe(void)
{
	done(fcntl(scene.pipe[1], F_SETPIPE_SZ, PAGE) == PAGE);
	done(write(scene.pipe[1], scene.page, PAGE) == PAGE);
	when_asleep(empty_pipe);
}

static void poll_pipe(void)
{
	struct pollfd poll_it = { .fd = scene.pipe[0], .events = POLLIN };

	done(poll(&poll_it, 1, -1) == 1);
}

static void make_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	fd = epoll_create1(0);
	done(fd >= 0 && !epoll_ctl(fd, EPOLL_CTL_ADD, scene.pipe[0], &event));
	soon_in_pipe();
}

static void wait_epoll(void)
{
	struct epoll_event event;

	done(epoll_wait(fd, &event, 1, -1) == 1);
}

static void write_number(void)
{
	unsigned long number = 1;

	done(write(fd, &number, sizeof(number)) == sizeof(number));
}

static void make_eventfd(void)
{
	fd = eventfd(0, 0);
	done(fd >= 0);
	when_asleep(write_number);
}

static void write_socket(void)
{
	done(write(ends[1], "x", 1) == 1);
}

static void soon_in_socket(void)
{
	ends[0] = scene.pair[0];
	ends[1] = scene.pair[1];
	when_asleep(write_socket);
}

static void read_socket(void)
{
	done(read(ends[0], scene.page, 1) == 1);
}

/* Two ends of a connection of this machine with itself. */
static void connect_tcp(void)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	done(listener >= 0 && !bind(listener, (struct sockaddr *)&at, size) &&
	     !listen(listener, 1) && !getsockname(listener, (struct sockaddr *)&at, &size));
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	done(ends[1] >= 0 && !connect(ends[1], (struct sockaddr *)&at, size));
	ends[0] = accept(listener, NULL, NULL);
	done(ends[0] >= 0);
	when_asleep(write_socket);
}

static void send_signal(void)
{
	kill(getppid(), SIGUSR1);
}

static void block_signal(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGUSR1);
	done(!sigprocmask(SIG_BLOCK, set, NULL));
}

static void soon_a_signal(void)
{
	sigset_t set;

	block_signal(&set);
	when_asleep(send_signal);
}

static void wait_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	done(sigtimedwait(&set, NULL, NULL) == SIGUSR1);
}

static void make_signalfd(void)
{
	sigset_t set;

	block_signal(&set);
	fd = signalfd(-1, &set, 0);
	done(fd >= 0);
	when_asleep(send_signal);
}

static void read_signalfd(void)
{
	struct signalfd_siginfo info;

	done(read(fd, &info, sizeof(info)) == sizeof(info));
}

static void nothing(int signal)
{
	(void)signal;
}

static void soon_interrupted(void)
{
	signal(SIGUSR1, nothing);
	when_asleep(send_signal);
}

static void wait_any(void)
{
	done(pause() < 0);
}

static void leave(void)
{
	_exit(0);
}

static void child_ends(void)
{
	child = when_asleep(leave);
}

static void wait_child(void)
{
	done(waitpid(child, NULL, 0) == child);
}

static void by_vfork(void)
{
	struct timespec time = { .tv_nsec = 5 * MS };

	child = vfork();
	if (!child) {
		nanosleep(&time, NULL);
		_exit(0);
	}
	done(child > 0);
}

static void go_on(void)
{
	kill(getppid(), SIGCONT);
}

static void soon_continued(void)
{
	when_asleep(go_on);
}

static void stop(void)
{
	done(!raise(SIGSTOP));
}

/* The lock is of the open file, which the child still has. */
static void unlock(void)
{
	done(!flock(scene.file, LOCK_UN));
}

static void lock_first(void)
{
	done(!flock(scene.file, LOCK_EX));
	when_asleep(unlock);
	close(scene.file);
	fd = open(scene.path, O_RDWR);
	done(fd >= 0);
}

static void lock(void)
{
	done(!flock(fd, LOCK_EX));
}

static void add_to_semaphore(void)
{
	struct sembuf up = { .sem_op = 1 };

	done(!semop(id, &up, 1));
}

static void make_semaphore(void)
{
	id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	done(id >= 0);
	when_asleep(add_to_semaphore);
}

static void wait_semaphore(void)
{
	struct sembuf down = { .sem_op = -1 };

	done(!semop(id, &down, 1) && !semctl(id, 0, IPC_RMID));
}

struct message {
	long type;
	char text[1];
};

static void send_message(void)
{
	struct message message = { .type = 1 };

	done(!msgsnd(id, &message, 1, 0));
}

static void make_queue(void)
{
	id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	done(id >= 0);
	when_asleep(send_message);
}

static void wait_message(void)
{
	struct message message;

	done(msgrcv(id, &message, 1, 0, 0) == 1 && !msgctl(id, IPC_RMID, NULL));
}

static void open_ring(void)
{
	ring_open(&ring);
}

static void ring_timeout(void)
{
	static struct __kernel_timespec time = { .tv_nsec = 5 * MS };

	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_TIMEOUT, .len = 1, .addr = (unsigned long)&time }) == -ETIME);
}

static void ring_on_pipe(void)
{
	ring_open(&ring);
	soon_in_pipe();
}

static void read_by_ring(void)
{
	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = scene.pipe[0], .len = 1,
		.addr = (unsigned long)scene.page }) == 1);
}

static void on_other_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	done(!sched_setaffinity(0, sizeof(set), &set));
}

const struct way ways_to_wait[] = {
	HEADING("Wait, and be woken"),
	WAIT("nanosleep", sleep_ms, NULL),
	WAIT("poll that times out", poll_nothing, NULL),
	WAIT("select that times out", select_nothing, NULL),
	WAIT("read of a timerfd", read_number, make_timer),
	WAIT("io_uring (IORING_OP_TIMEOUT)", ring_timeout, open_ring),
	WAIT("futex", wait_futex, make_futex),
	WAIT("read of an empty pipe", read_pipe, soon_in_pipe),
	WAIT("write to a full pipe", write_pipe, full_pipe),
	WAIT("poll", poll_pipe, soon_in_pipe),
	WAIT("epoll_wait", wait_epoll, make_epoll),
	WAIT("io_uring (IORING_OP_READ) of an empty pipe", read_by_ring, ring_on_pipe),
	WAIT("read of an eventfd", read_number, make_eventfd),
	WAIT("read of a socket (AF_UNIX)", read_socket, soon_in_socket),
	WAIT("read of a socket (TCP, loopback)", read_socket, connect_tcp),
	WAIT("sigtimedwait", wait_signal, soon_a_signal),
	WAIT("read of a signalfd", read_signalfd, make_signalfd),
	WAIT("pause", wait_any, soon_interrupted),
	WAIT("SIGSTOP and SIGCONT", stop, soon_continued),
	WAIT("waitpid", wait_child, child_ends),
	WAIT("vfork", by_vfork, NULL),
	WAIT("flock", lock, lock_first),
	WAIT("semop", wait_semaphore, make_semaphore),
	WAIT("msgrcv", wait_message, make_queue),
	WAIT("sched_setaffinity", on_other_cpu, NULL),
	{ },
};
