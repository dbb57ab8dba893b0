/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_SWITCH_H
#define GUEST_SWITCH_H

/* For the programs that start and stop the capture that they are recorded in. */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Write @value to the file @where; or, if @where begins with "!", run the command
 * behind it with @value as one more word, and wait for its end. system() does not
 * copy our address space.
 */
static inline void switch_capture(const char *where, const char *value)
{
	char command[512];
	int fd;

	if (*where == '!') {
		snprintf(command, sizeof(command), "%s %s", where + 1, value);
		/* A caller that does not care for its children is not told the status. */
		if (system(command) && errno != ECHILD)
			errx(1, "%s", command);
		return;
	}
	fd = open(where, O_WRONLY);
	if (fd < 0 || write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		err(1, "%s", where);
	close(fd);
}

#endif /* GUEST_SWITCH_H */
