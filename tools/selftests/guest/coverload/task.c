// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/uring.h"
#include "way.h"

#define STACK	(8 * PAGE)

static char *stack;
static int fd;
static pid_t child;
static struct ring ring;

static void end(pid_t pid)
{
	done(pid > 0 && waitpid(pid, NULL, __WALL) == pid);
}

static void by_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	end(pid);
}

static void by_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	end(pid);
}

static void make_stack(void)
{
	stack = new_memory(STACK / PAGE);
	memset(stack, 1, STACK);
}

static int leave(void *unused)
{
	(void)unused;
	syscall(SYS_exit, 0);
	return 0;
}

static void by_clone_thread(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM;
	pid_t tid = clone(leave, stack + STACK, flags, NULL);

	done(tid > 0);
	/* Its number is there until all of its exit is over. */
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		usleep(500);
}

static void by_clone_vm(void)
{
	end(clone(leave, stack + STACK, CLONE_VM | SIGCHLD, NULL));
}

static void by_clone3(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid = syscall(SYS_clone3, &args, sizeof(args));

	if (!pid)
		_exit(0);
	end(pid);
}

static void open_ring(void)
{
	ring_open(&ring);
}

static void ask_worker(void)
{
	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_NOP, .flags = IOSQE_ASYNC }) == 0);
}

static void poll_queue(void)
{
	ring_open_polled(&ring);
	done(true);
}

static void new_program(void)
{
	child = new_child();
	if (child)
		return;
	raise(SIGSTOP);
	execl("/bin/busybox", "busybox", "true", NULL);
	_exit(127);
}

static void stopped_program(void)
{
	new_program();
	done(waitpid(child, NULL, WUNTRACED) == child);
}

static void go_on(void)
{
	kill(child, SIGCONT);
	end(child);
}

static void by_prctl(void)
{
	done(!prctl(PR_SET_NAME, "renamed"));
}

static void open_comm(void)
{
	fd = open("/proc/self/comm", O_WRONLY);
	done(fd >= 0);
}

static void by_proc(void)
{
	done(write(fd, "renamed", 7) == 7);
}

static void to_be_killed(void)
{
	child = sharer();
}

static void by_kill(void)
{
	kill(child, SIGKILL);
	end(child);
}

static void by_unshare(void)
{
	done(!unshare(CLONE_NEWUTS));
}

const struct way ways_to_make_tasks[] = {
	HEADING("Make and end tasks"),
	MAKE("fork, exit", by_fork, NULL),
	MAKE("vfork, exit", by_vfork, NULL),
	MAKE("clone3, exit", by_clone3, NULL),
	MAKE("clone (CLONE_VM), exit", by_clone_vm, make_stack),
	MAKE("clone (CLONE_THREAD), exit", by_clone_thread, make_stack),
	MAKE("io_uring's first worker", ask_worker, open_ring),
	MAKE("io_uring_setup (IORING_SETUP_SQPOLL), until its thread sleeps", poll_queue, NULL),
	MAKE("execve of a static program, exit_group", go_on, stopped_program),
	MAKE("death by a signal", by_kill, to_be_killed),
	MAKE("prctl (PR_SET_NAME)", by_prctl, NULL),
	MAKE("write to /proc/PID/comm", by_proc, open_comm),
	MAKE("unshare (CLONE_NEWUTS)", by_unshare, NULL),
	{ },
};
