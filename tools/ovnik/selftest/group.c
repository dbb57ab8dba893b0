// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cgroup for the processes of a selftest: limits of the user's own do not change what they do,
 * and all of them end with it. Where there can be none, they do without.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "group.h"

#define ROOT		"/sys/fs/cgroup"
#define REMOVE_LOOKS	100
#define REMOVE_LOOK_US	10000

static char group[128];

static void write_to(const char *name, const char *text)
{
	char path[sizeof(group) + 32];
	int fd;

	if (!*group)
		return;
	snprintf(path, sizeof(path), "%s/%s", group, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Without it, the process stays where it is. */
	if (write(fd, text, strlen(text)) < 0)
		*group = '\0';
	close(fd);
}

/**
 * group_make() - Make the cgroup.
 */
void group_make(void)
{
	struct statfs fs;

	*group = '\0';
	if (statfs(ROOT, &fs) || (unsigned int)fs.f_type != CGROUP2_SUPER_MAGIC)
		return;
	snprintf(group, sizeof(group), ROOT "/ovnik-selftest.%d", getpid());
	if (mkdir(group, 0755))
		*group = '\0';
}

/**
 * group_enter() - Move the calling process into it.
 */
void group_enter(void)
{
	write_to("cgroup.procs", "0");
}

/**
 * group_remove() - End what runs in it, and remove it.
 */
void group_remove(void)
{
	char path[sizeof(group)];
	int i;

	if (!*group)
		return;
	strcpy(path, group);
	write_to("cgroup.kill", "1");
	/* A process leaves it some time after it has ended. */
	for (i = 0; i < REMOVE_LOOKS && rmdir(path); i++)
		usleep(REMOVE_LOOK_US);
	*group = '\0';
}
