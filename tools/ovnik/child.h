/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_CHILD_H
#define OVNIK_TOOL_CHILD_H

#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "signals.h"

/**
 * struct child - The program that is recorded.
 * @pid: its process; 0 if there is none
 * @go:	 pipe; writing a byte starts the program
 * @not_started: pipe; has the errno if the program could not be started
 * @error: negative errno if it could not be started, else 0
 * @status: as a shell has it; 0 if a signal that was passed on has ended it
 * @signaled: a signal was passed on to it
 */
struct child {
	pid_t pid;
	int go;
	int not_started;
	int error;
	int status;
	bool signaled;
};

#define CHILD_NONE	{ .go = -1, .not_started = -1 }

int child_prepare(struct child *child, char **command, int (*work)(void),
		  const struct signals *signals);
int child_go(struct child *child);
bool child_ended(struct child *child, const char *command);
void child_terminate(struct child *child);
void child_signal(struct child *child, const struct signalfd_siginfo *info);

#endif /* OVNIK_TOOL_CHILD_H */
