// SPDX-License-Identifier: GPL-2.0-only
/* settime SECONDS - set the time of day by so much, exactly */
#include <err.h>
#include <stdlib.h>
#include <sys/timex.h>

int main(int argc, char **argv)
{
	struct timex timex = { .modes = ADJ_SETOFFSET };

	if (argc != 2)
		errx(2, "usage: settime SECONDS");
	timex.time.tv_sec = atol(argv[1]);
	if (adjtimex(&timex) < 0)
		err(1, "adjtimex");
	return 0;
}
