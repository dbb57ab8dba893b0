/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_ENDING_H
#define OVNIK_UTIL_ENDING_H

#include <signal.h>

/**
 * ending_signals() - The signals by which a user would end this program.
 * @set: gets them: SIGINT, SIGTERM and SIGHUP, but not those that are ignored, as by nohup(1), or
 *	 handled
 *
 * Context: Any.
 */
void ending_signals(sigset_t *set);

#endif /* OVNIK_UTIL_ENDING_H */
