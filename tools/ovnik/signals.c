// SPDX-License-Identifier: GPL-2.0-only
/* The signals with which a user stops the program. */
#include <stddef.h>
#include <sys/signalfd.h>

#include "signals.h"

static bool is_ignored(int signo)
{
	struct sigaction action;

	return !sigaction(signo, NULL, &action) && action.sa_handler == SIG_IGN;
}

/**
 * signals_block() - Block them, so that none ends this program.
 * @signals: is filled in
 */
void signals_block(struct signals *signals)
{
	sigemptyset(&signals->set);
	sigaddset(&signals->set, SIGINT);
	sigaddset(&signals->set, SIGTERM);
	sigaddset(&signals->set, SIGQUIT);
	/* Leave SIGHUP ignored under nohup(1); SIGINT must work even if "&" ignored it. */
	if (!is_ignored(SIGHUP))
		sigaddset(&signals->set, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals->set, &signals->before);
	/* A closed stderr or a file size limit must not kill this program. */
	signals->pipe = signal(SIGPIPE, SIG_IGN);
	signals->xfsz = signal(SIGXFSZ, SIG_IGN);
}

/**
 * signals_restore() - Restore the original signal settings, in a child.
 * @signals: blocked
 */
void signals_restore(const struct signals *signals)
{
	signal(SIGPIPE, signals->pipe);
	signal(SIGXFSZ, signals->xfsz);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

/**
 * signals_pending() - Is a signal pending?
 * @signals: blocked
 *
 * Return: true if one has come and was not read.
 */
bool signals_pending(const struct signals *signals)
{
	sigset_t pending;

	sigpending(&pending);
	sigandset(&pending, &pending, &signals->set);
	return !sigisemptyset(&pending);
}

/**
 * signals_any_pending() - Is a signal pending with which a user stops the program?
 *
 * Return: true if one has come while it was blocked and was not read.
 */
bool signals_any_pending(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGQUIT) || sigismember(&pending, SIGHUP);
}

/**
 * signals_open() - Open a signalfd for them and SIGCHLD.
 * @signals: blocked
 *
 * Return: a signalfd that the caller closes; -1 with errno set.
 */
int signals_open(const struct signals *signals)
{
	sigset_t set = signals->set;

	/* An ignored SIGCHLD would not arrive. */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}
