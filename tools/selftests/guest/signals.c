// SPDX-License-Identifier: GPL-2.0-only
/*
 * signals - run a program with signals as a shell cannot have them
 *
 *	signals ignore COMMAND...		with SIGCHLD ignored
 *	signals pending NUMBER COMMAND...	with that one blocked, and come already
 *	signals type FILE COMMAND...		on a terminal: ^C comes once FILE is there
 *	signals count FILE			make FILE; print how often SIGINT comes
 */

#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void __attribute__((noreturn)) run(char **command)
{
	execvp(command[0], command);
	err(127, "%s", command[0]);
}

static void __attribute__((noreturn)) run_pending(int signo, char **command)
{
	sigset_t set;

	signal(signo, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(signo);
	run(command);
}

/* Pass on what it prints, until it has ended. */
static void follow(int terminal, const char *file)
{
	struct pollfd pfd = { .fd = terminal, .events = POLLIN };
	bool typed = false;
	char text[512];

	for (;;) {
		ssize_t len;

		poll(&pfd, 1, 100);
		if (!typed && !access(file, F_OK))
			typed = write(terminal, "\003", 1) == 1;
		if (!pfd.revents)
			continue;
		len = read(terminal, text, sizeof(text));
		if (len <= 0 || write(STDOUT_FILENO, text, len) != len)
			return;
	}
}

static int run_typing(const char *file, char **command)
{
	int terminal, status;
	pid_t pid;

	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (pid < 0)
		err(1, "forkpty");
	if (!pid) {
		/* A test in the background has it ignored. */
		signal(SIGINT, SIG_DFL);
		run(command);
	}
	follow(terminal, file);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Until none has come for a second. */
static int count(const char *file)
{
	const struct timespec second = { .tv_sec = 1 };
	sigset_t set;
	int fd, nr;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = creat(file, 0600);
	if (fd < 0)
		err(1, "%s", file);
	close(fd);
	sigwaitinfo(&set, NULL);
	for (nr = 1; sigtimedwait(&set, NULL, &second) == SIGINT; nr++)
		;
	printf("%d\n", nr);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "ignore")) {
		signal(SIGCHLD, SIG_IGN);
		run(argv + 2);
	}
	if (!strcmp(what, "pending") && argc > 3)
		run_pending(atoi(argv[2]), argv + 3);
	if (!strcmp(what, "type") && argc > 3)
		return run_typing(argv[2], argv + 3);
	if (!strcmp(what, "count"))
		return count(argv[2]);
	errx(2, "usage: see the source");
}
