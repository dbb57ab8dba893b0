// SPDX-License-Identifier: GPL-2.0-only
/* Processes that work at the same time, and report in order: see workers.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/workers.h"
#include "util/msg.h"

/**
 * struct worker - A process.
 * @pid: its number; 0: it was not begun
 * @log: its messages; -1: they go to stderr at once
 * @ended: it has ended
 * @status: its exit status, or -1
 * @signal: that ended it; 0: none
 */
struct worker {
	pid_t pid;
	int log;
	bool ended;
	int status;
	int signal;
};

/* The signals for which the stage's thread waits, which is not in the child. */
static void become_child(const struct worker *one, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have ended before. */
	if (getppid() != parent)
		_exit(1);
	if (one->log >= 0)
		dup2(one->log, STDERR_FILENO);
}

static void end(const struct workers *w, struct worker *all, unsigned int i, int status)
{
	all[i].ended = true;
	all[i].status = status;
	w->ended(w->data, i, status);
}

/* Where there is only one at a time, messages can be seen as they come. */
static void begin(const struct workers *w, struct worker *all, unsigned int i)
{
	const pid_t parent = getpid();
	struct worker *one = &all[i];

	one->log = w->at_once > 1 ? memfd_create("messages", MFD_CLOEXEC) : -1;
	fflush(NULL);
	one->pid = fork();
	if (!one->pid) {
		become_child(one, parent);
		_exit(w->work(w->data, i));
	}
	if (one->pid > 0)
		return;
	msg_error("cannot start a process: errno %d", errno);
	one->pid = 0;
	end(w, all, i, -1);
}

static void reap(const struct workers *w, struct worker *all, unsigned int begun)
{
	unsigned int i;
	int status;
	pid_t pid;

	do {
		pid = waitpid(-1, &status, 0);
	} while (pid < 0 && errno == EINTR);
	for (i = 0; i < begun; i++) {
		/* Without any child nothing is left to wait for. */
		if (all[i].ended || (pid > 0 && all[i].pid != pid))
			continue;
		if (pid > 0 && WIFSIGNALED(status))
			all[i].signal = WTERMSIG(status);
		end(w, all, i, pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	}
}

static void put_messages(const struct worker *one)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	while (one->log >= 0 && (n = pread(one->log, text, sizeof(text), at)) > 0) {
		fwrite(text, 1, n, stderr);
		at += n;
	}
	if (one->log >= 0)
		close(one->log);
	if (one->signal)
		msg_error("the process of this capture was ended by signal %d", one->signal);
}

static unsigned int running(const struct worker *all, unsigned int begun)
{
	unsigned int i, n = 0;

	for (i = 0; i < begun; i++)
		n += !all[i].ended;
	return n;
}

int workers_run(const struct workers *w)
{
	struct worker *all = calloc(w->nr, sizeof(*all));
	unsigned int i, begun = 0;

	if (!all)
		return msg_no_memory();
	for (i = 0; i < w->nr; i++) {
		while (i >= begun || !all[i].ended) {
			while (begun < w->nr && running(all, begun) < w->at_once) {
				begin(w, all, begun);
				begun++;
			}
			if (running(all, begun))
				reap(w, all, begun);
		}
		put_messages(&all[i]);
		w->done(w->data, i, all[i].status);
	}
	free(all);
	return 0;
}
