// SPDX-License-Identifier: GPL-2.0-only
/* The signals that end a program: see ending.h. */
#include "util/ending.h"
#include "util/types.h"

void ending_signals(sigset_t *set)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	u32 i;

	sigemptyset(set);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler == SIG_DFL)
			sigaddset(set, signals[i]);
	}
}
