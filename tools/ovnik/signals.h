/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_SIGNALS_H
#define OVNIK_TOOL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct signals - The signals that stop the program, blocked until that is safe.
 * @set:    the signals
 * @before: signals that were blocked before; a child gets these back
 * @pipe:   original handler of SIGPIPE, for a child
 * @xfsz:   original handler of SIGXFSZ, for a child
 */
struct signals {
	sigset_t set;
	sigset_t before;
	void (*pipe)(int signo);
	void (*xfsz)(int signo);
};

void signals_block(struct signals *signals);
void signals_restore(const struct signals *signals);
bool signals_pending(const struct signals *signals);
bool signals_any_pending(void);
int signals_open(const struct signals *signals);

#endif /* OVNIK_TOOL_SIGNALS_H */
