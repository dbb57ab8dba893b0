// SPDX-License-Identifier: GPL-2.0-only
/* The signals by which a user ends what is being done. */
#include <stddef.h>
#include <sys/signalfd.h>

#include "signals.h"

static bool is_ignored(int signo)
{
	struct sigaction action;

	return !sigaction(signo, NULL, &action) && action.sa_handler == SIG_IGN;
}

/**
 * signals_block() - Let none of them end this program from here on.
 * @signals: is filled in
 */
void signals_block(struct signals *signals)
{
	sigemptyset(&signals->set);
	sigaddset(&signals->set, SIGINT);
	sigaddset(&signals->set, SIGTERM);
	sigaddset(&signals->set, SIGQUIT);
	/* nohup(1). A script's "&" has SIGINT ignored, and it is to end that all the same. */
	if (!is_ignored(SIGHUP))
		sigaddset(&signals->set, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals->set, &signals->before);
	/* A reader of our messages that goes, or a limit, is no reason to die. */
	signals->pipe = signal(SIGPIPE, SIG_IGN);
	signals->xfsz = signal(SIGXFSZ, SIG_IGN);
}

/**
 * signals_restore() - In a child: as this program found them.
 * @signals: blocked
 */
void signals_restore(const struct signals *signals)
{
	signal(SIGPIPE, signals->pipe);
	signal(SIGXFSZ, signals->xfsz);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

/**
 * signals_pending() - Has one come?
 * @signals: blocked
 *
 * Return: true if one has, and was not read.
 */
bool signals_pending(const struct signals *signals)
{
	sigset_t pending;

	sigpending(&pending);
	sigandset(&pending, &pending, &signals->set);
	return !sigisemptyset(&pending);
}

/**
 * signals_open() - Read them from now on, and SIGCHLD.
 * @signals: blocked
 *
 * Return: a signalfd, the caller's; -1, and errno is set.
 */
int signals_open(const struct signals *signals)
{
	sigset_t set = signals->set;

	/* Who ignores it is not told. */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}
