// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscalls - run a program on a system that is slow, or fails
 *
 *	syscalls slow COMMAND...	each pwritev() and kill() takes 100 ms more
 *	syscalls fail NAME COMMAND...	close() of a file NAME says EIO
 *	syscalls wait NAME COMMAND...	the second pwritev() waits until there is a file NAME
 *
 * Of its first thread only; x86-64.
 */

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOW_US		100000

/**
 * struct how - What is done to the program.
 * @slow:  it is slow
 * @fail:  closing this one fails, or NULL
 * @wait:  this one is waited for, or NULL
 * @writes: how often it has written
 */
struct how {
	bool slow;
	const char *fail;
	const char *wait;
	unsigned int writes;
};

/* Is descriptor @fd of @pid a file called @name? */
static bool is_file(pid_t pid, int fd, const char *name)
{
	char link[64], path[512];
	const char *slash;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	slash = strrchr(path, '/');
	return slash && !strcmp(slash + 1, name);
}

/* A system call begins. Return: it is to fail. */
static bool begin(pid_t pid, struct how *how)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		err(1, "PTRACE_GETREGS");
	if (how->slow && (regs.orig_rax == SYS_pwritev || regs.orig_rax == SYS_kill))
		usleep(SLOW_US);
	how->writes += regs.orig_rax == SYS_pwritev;
	while (how->wait && how->writes == 2 && access(how->wait, F_OK))
		usleep(SLOW_US);
	return how->fail && regs.orig_rax == SYS_close && is_file(pid, regs.rdi, how->fail);
}

static void let_fail(pid_t pid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		err(1, "PTRACE_GETREGS");
	regs.rax = -EIO;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &regs))
		err(1, "PTRACE_SETREGS");
}

static int trace(pid_t pid, struct how *how)
{
	bool inside = false, fails = false;
	int status, signo = 0;

	waitpid(pid, &status, 0);	/* at its exec */
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
		err(1, "PTRACE_SETOPTIONS");
	while (!ptrace(PTRACE_SYSCALL, pid, NULL, signo) && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status)) {
		signo = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
		if (signo)
			continue;
		inside = !inside;
		if (inside)
			fails = begin(pid, how);
		else if (fails)
			let_fail(pid);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";
	struct how how = {
		.slow = !strcmp(what, "slow"),
		.fail = !strcmp(what, "fail") ? argv[2] : NULL,
		.wait = !strcmp(what, "wait") ? argv[2] : NULL,
	};
	char **command = argv + (how.slow ? 2 : 3);
	pid_t pid;

	if (!how.slow && !how.fail && !how.wait)
		errx(2, "usage: syscalls slow COMMAND... | syscalls fail|wait NAME COMMAND...");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	signal(SIGINT, SIG_IGN);	/* ^C is for the other */
	return trace(pid, &how);
}
