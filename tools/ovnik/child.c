// SPDX-License-Identifier: GPL-2.0-only
/* The program that "ovnik record" runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "util/msg.h"

/* Runs in the child. */
static void __attribute__((noreturn)) child_main(int wait_fd, int error_fd, char **command,
						 int (*work)(void), pid_t recorder,
						 const struct signals *signals)
{
	char byte;
	int error;

	signals_restore(signals);
	if (read(wait_fd, &byte, 1) != 1)
		_exit(127);	/* the recorder gave up: do not run anything */
	if (work) {
		/* It has copies of what the recorder has open, the lock among them. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(getppid() == recorder ? work() : 127);
	}
	execvp(command[0], command);
	error = errno;
	if (write(error_fd, &error, sizeof(error)) < 0)
		msg_error("%s: %s", command[0], strerror(error));
	_exit(127);
}

/**
 * child_prepare() - Fork, so that the filter can have the PID; child_go() starts the program.
 * @child:   is filled in
 * @command: argv of the program
 * @work:    what the process does instead of it; NULL: it runs the program
 * @signals: what the program gets back
 *
 * Return: 0; a negative errno, which has been reported.
 */
int child_prepare(struct child *child, char **command, int (*work)(void),
		  const struct signals *signals)
{
	pid_t recorder = getpid();
	int go_fds[2], error_fds[2];

	if (pipe2(go_fds, O_CLOEXEC) || pipe2(error_fds, O_CLOEXEC | O_NONBLOCK)) {
		msg_error("pipe: %s", strerror(errno));
		return -errno;
	}
	child->pid = fork();
	if (child->pid < 0) {
		msg_error("fork: %s", strerror(errno));
		return -errno;
	}
	if (!child->pid) {
		close(go_fds[1]);
		child_main(go_fds[0], error_fds[1], command, work, recorder, signals);
	}
	close(go_fds[0]);
	close(error_fds[1]);
	child->go = go_fds[1];
	child->not_started = error_fds[0];
	return 0;
}

/**
 * child_go() - Start the program.
 * @child: prepared
 *
 * One that a signal has ended meanwhile is one that has ended: child_ended().
 *
 * Return: 0; a negative errno, which has been reported.
 */
int child_go(struct child *child)
{
	int ret = write(child->go, "", 1) == 1 || errno == EPIPE ? 0 : -errno;

	if (ret)
		msg_error("cannot start the command: %s", strerror(-ret));
	close(child->go);
	return ret;
}

/* Report it if the program could not be started; nothing else is then reported. */
static bool child_not_started(struct child *child, const char *command)
{
	int error;

	if (read(child->not_started, &error, sizeof(error)) != sizeof(error))
		return false;
	msg_error("cannot run %s: %s", command, strerror(error));
	child->error = -error;
	return true;
}

/**
 * child_ended() - Has the program ended? Other children are ignored.
 * @child:   the status is set, or the error
 * @command: its name, for messages
 *
 * Return: true if it has.
 */
bool child_ended(struct child *child, const char *command)
{
	int status;

	if (!child->pid || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return false;
	child->pid = 0;
	if (child_not_started(child, command))
		return true;
	if (WIFSIGNALED(status)) {
		msg_info("the command was killed by signal %d", WTERMSIG(status));
		if (!child->signaled)
			child->status = 128 + WTERMSIG(status);
	} else if (WEXITSTATUS(status)) {
		msg_info("the command ended with status %d", WEXITSTATUS(status));
		child->status = WEXITSTATUS(status);
	}
	return true;
}

/* The terminal sends the signal of a key to the whole process group. */
static bool has_signal(const struct child *child, const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_KERNEL && info->ssi_signo != SIGHUP &&
	       getpgid(child->pid) == getpgrp();
}

/**
 * child_signal() - Pass a signal on to the program, unless it has it.
 * @child: it runs
 * @info:  the signal
 */
void child_signal(struct child *child, const struct signalfd_siginfo *info)
{
	if (!has_signal(child, info))
		kill(child->pid, info->ssi_signo);
	child->signaled = true;
}

/**
 * child_terminate() - Tell the program to end, as if the signal had come from outside.
 * @child: it runs
 */
void child_terminate(struct child *child)
{
	kill(child->pid, SIGTERM);
	child->signaled = true;
}
