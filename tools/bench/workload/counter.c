// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of the kernel that are read before and after the rounds. */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

#define FORKS		(&counters[1])
#define SWITCHES	(&counters[2])

struct counter counters[MAX_COUNTERS] = {
	/* When it began to be idle; the first CPU, where everything happens, comes first. */
	{ "idle", "/proc/timer_list", ".idle_entrytime", -1 },
	{ "forks", "/proc/stat", "processes", -1 },
	{ "switches", "/proc/stat", "ctxt", -1 },
};

int nr_counters = 3;

static char file_buffer[1 << 18];
/* Reading counters reads files, which may be recorded, too. */
static uint64_t nr_reads;

static void read_once(const struct counter *counter, size_t *len)
{
	ssize_t ret = pread(counter->fd, file_buffer + *len, sizeof(file_buffer) - 1 - *len, *len);

	nr_reads++;
	if (ret <= 0)
		errx(1, "%s: cannot be read", counter->file);
	*len += ret;
}

static int has_number(const struct counter *counter, uint64_t *value)
{
	const char *p = file_buffer;

	if (counter->key) {
		size_t len = strlen(counter->key);

		do {
			p = strstr(p, counter->key);
			if (!p)
				return 0;
			p += len;
		} while (*p != ' ' && *p != '\t' && *p != ':');
		p += strspn(p, " \t:");
	}
	*value = strtoull(p, NULL, 10);
	/* Not at the end of the text that was read. */
	return p[strspn(p, "0123456789")];
}

/* Reads a file for its first counter and those after it; returns how many there are. */
static int read_file(const struct counter *counter, uint64_t *values)
{
	size_t len = 0;
	int i;

	for (i = 0; counter + i < counters + nr_counters; i++) {
		if (strcmp(counter[i].file, counter->file))
			break;
		while (!len || !has_number(&counter[i], &values[i])) {
			read_once(counter, &len);
			file_buffer[len] = '\0';
		}
	}
	return i;
}

void open_counters(void)
{
	int i;

	for (i = 0; i < nr_counters; i++) {
		counters[i].fd = open(counters[i].file, O_RDONLY | O_CLOEXEC);
		if (counters[i].fd < 0)
			err(1, "%s", counters[i].file);
	}
}

/*
 * Read them all at one moment: repeat if a kernel thread ran in between. That is outside
 * the window and does not change the result. Returns how many reads had been made at
 * the last attempt.
 */
uint64_t read_counters(uint64_t *values)
{
	uint64_t forks_and_switches[2], reads;
	int i;

	do {
		for (i = 0; i < nr_counters; )
			i += read_file(&counters[i], &values[i]);
		reads = nr_reads;
		read_file(FORKS, forks_and_switches);
	} while (forks_and_switches[1] != values[SWITCHES - counters]);
	return reads;
}

void add_counter(char *text)
{
	struct counter *counter = &counters[nr_counters];
	char *file = strchr(text, '=');
	char *key;

	if (!file || nr_counters == MAX_COUNTERS)
		errx(2, "%s: not a counter, or too many", text);
	*file++ = '\0';
	key = strchr(file, ':');
	if (key)
		*key++ = '\0';
	counter->name = text;
	counter->file = file;
	counter->key = key;
	nr_counters++;
}
