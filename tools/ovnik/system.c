// SPDX-License-Identifier: GPL-2.0-only
/* Read /proc and /sys, and clocks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system.h"
#include "util/msg.h"
#include "util/timens.h"

/**
 * system_clock_ns() - Read a clock of the kernel, as it is outside of time namespaces.
 * @id: CLOCK_MONOTONIC or CLOCK_REALTIME
 *
 * Return: ns.
 */
u64 system_clock_ns(clockid_t id)
{
	static bool known;
	static s64 shift;
	struct timespec ts;

	if (!known)
		shift = timens_shift();
	known = true;
	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec - (id == CLOCK_MONOTONIC ? shift : 0);
}

/**
 * system_line() - Read the first line of a file.
 * @path: path of the file
 * @line: is set, without the newline; empty after a failure
 * @size: bytes in @line
 *
 * Return: 0; a negative errno, -ENODATA if the file is empty.
 */
int system_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	int ret = file ? 0 : -errno;

	if (file && !fgets(line, size, file))
		ret = -ENODATA;
	if (file)
		fclose(file);
	if (ret)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return ret;
}

/* Parse a list like "0-3,8" into @cpus, unless that is NULL. Return: number of CPUs. */
static int parse_cpu_list(const char *list, unsigned int *cpus)
{
	int nr = 0;
	char *end;

	while (*list >= '0' && *list <= '9') {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last; first++, nr++) {
			if (cpus)
				cpus[nr] = first;
		}
		list = *end == ',' ? end + 1 : end;
	}
	return nr;
}

/**
 * cpus_list() - Read a list of CPUs.
 * @which: "online" or "possible"
 * @list:  is set, for cpus_parse()
 *
 * Return: 0; a negative errno, which has been reported.
 */
int cpus_list(const char *which, char list[CPUS_TEXT])
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", which);
	ret = system_line(path, list, CPUS_TEXT);
	if (ret)
		msg_error("%s: %s", path, strerror(-ret));
	return ret;
}

/**
 * cpus_parse() - Parse a list of CPUs.
 * @list: the list that cpus_list() read
 * @cpus: is set to an array that the caller frees
 *
 * Return: number of CPUs; -ENOMEM.
 */
int cpus_parse(const char *list, unsigned int **cpus)
{
	int nr = parse_cpu_list(list, NULL);

	*cpus = calloc(nr ? nr : 1, sizeof(**cpus));
	if (!*cpus)
		return -ENOMEM;
	return parse_cpu_list(list, *cpus);
}

/**
 * system_has_global_pids() - Are this process's PIDs those of the initial namespace?
 *
 * Probes see those. That namespace's inode is PROC_PID_INIT_INO.
 *
 * Return: true if they are, as far as known.
 */
bool system_has_global_pids(void)
{
	char text[64] = "";

	return readlink("/proc/self/ns/pid", text, sizeof(text) - 1) < 0 ||
	       !strcmp(text, "pid:[4026531836]");
}
