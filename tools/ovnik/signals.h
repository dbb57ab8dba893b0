/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_SIGNALS_H
#define OVNIK_TOOL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct signals - Those that end what is being done, blocked until that is safe.
 * @set:    they
 * @before: what was blocked before; a program that is run is to have that
 * @pipe:   what SIGPIPE did before; likewise
 * @xfsz:   what SIGXFSZ did before; likewise
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
int signals_open(const struct signals *signals);

#endif /* OVNIK_TOOL_SIGNALS_H */
