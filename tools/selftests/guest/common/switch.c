// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "switch.h"

/* system() does not copy our address space. */
void switch_capture(const char *where, const char *value)
{
	char command[512];
	int fd;

	if (*where == '!') {
		snprintf(command, sizeof(command), "%s %s", where + 1, value);
		/* A caller that ignores its children does not get the status. */
		if (system(command) && errno != ECHILD)
			errx(1, "%s", command);
		return;
	}
	fd = open(where, O_WRONLY);
	if (fd < 0 || write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		err(1, "%s", where);
	close(fd);
}
