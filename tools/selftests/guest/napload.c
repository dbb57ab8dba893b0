// SPDX-License-Identifier: GPL-2.0-only
/*
 * napload - read a byte, and sleep: a capture that starts may see a reading begin, not end, and
 * then the end of the sleep
 *
 *	napload FILE		read from it again and again, in many processes
 *	napload -c CPU.ovk...	check that each reading has its own result
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/capture.h"

#define READERS	500
#define PLACE	0x1234567	/* nobody else reads there */

static void read_and_sleep(const char *path)
{
	const struct timespec nap = { .tv_sec = 2 };
	int fd = open(path, O_RDONLY);
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0)
		err(1, "%s", path);
	for (;;) {
		if (pread(fd, &byte, 1, PLACE) != 1)
			err(1, "pread");
		nanosleep(&nap, NULL);
	}
}

static void load(const char *path)
{
	int i, fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || pwrite(fd, "x", 1, PLACE) != 1)
		err(1, "%s", path);
	close(fd);
	for (i = 0; i < READERS; i++) {
		if (!fork())
			read_and_sleep(path);
		usleep(4000);
	}
	puts("ready");
	fflush(stdout);
	wait(NULL);
}

int main(int argc, char **argv)
{
	unsigned long right = 0, wrong = 0;
	int i;

	if (argc == 2) {
		load(argv[1]);
		return 1;
	}
	for (i = 2; i < argc; i++) {
		const struct capture *cap = load_capture(argv[i]);
		size_t k;

		for (k = 0; k < cap->events.nr; k++) {
			const struct ovnik_file_read *rec = cap->events.event[k].record;

			if (cap->events.event[k].kind != OVNIK_EV_file_read || rec->offset != PLACE)
				continue;
			if (rec->result == 1)
				right++;
			else
				wrong++;
		}
	}
	printf("# %lu readings, %lu with the result of another call\n", right + wrong, wrong);
	return wrong || !right;
}
