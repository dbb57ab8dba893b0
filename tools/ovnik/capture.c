// SPDX-License-Identifier: GPL-2.0-only
/* The capture directory: cpuN.ovk of every CPU, and meta.json by meta.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "util/msg.h"

static bool of_a_capture(const char *name)
{
	size_t len = strlen(name);

	return !strcmp(name, "meta.json") ||
	       (len > 7 && !strncmp(name, "cpu", 3) && !strcmp(name + len - 4, ".ovk"));
}

/* An older capture must not be mixed up with this one. */
static int remove_old(const char *dir)
{
	struct dirent *entry;
	DIR *stream = opendir(dir);
	int ret = 0;

	if (!stream) {
		msg_error("%s: %s", dir, strerror(errno));
		return -errno;
	}
	while (!ret && (entry = readdir(stream))) {
		if (of_a_capture(entry->d_name) && unlinkat(dirfd(stream), entry->d_name, 0)) {
			ret = -errno;
			msg_error("%s/%s: %s", dir, entry->d_name, strerror(errno));
		}
	}
	closedir(stream);
	return ret;
}

/**
 * capture_open() - Make the directory, and open every CPU's files.
 * @capture: is filled in; capture_close() undoes it, also after a failure
 * @dir:     path of the directory; a capture in it is replaced
 *
 * Return: 0; a negative errno, which has been reported.
 */
int capture_open(struct capture *capture, const char *dir)
{
	unsigned int *cpus;
	int i, nr, ret;

	memset(capture, 0, sizeof(*capture));
	capture->dir = dir;
	if (mkdir(dir, 0700) && errno != EEXIST) {
		msg_error("%s: %s", dir, strerror(errno));
		return -errno;
	}
	ret = remove_old(dir);
	if (ret)
		return ret;
	nr = control_present_cpus(&cpus);
	if (nr < 0)
		return nr;
	capture->readers = calloc(nr, sizeof(*capture->readers));
	if (!capture->readers)
		ret = -ENOMEM;
	for (i = 0; !ret && i < nr; i++) {
		capture->nr = i + 1;
		ret = reader_open(&capture->readers[i], dir, cpus[i]);
	}
	free(cpus);
	return ret;
}

/**
 * capture_close() - Close every file.
 * @capture: no reader's thread runs
 */
void capture_close(struct capture *capture)
{
	int i;

	for (i = 0; i < capture->nr; i++)
		reader_close(&capture->readers[i]);
	free(capture->readers);
}

/**
 * capture_anchor() - Take a pair of clock readings for meta.json.
 * @capture: opened
 *
 * Return: 0; a negative errno, which has been reported.
 */
int capture_anchor(struct capture *capture)
{
	int ret = control_clock(&capture->anchors[capture->nr_anchors]);

	if (!ret)
		capture->nr_anchors++;
	return ret;
}

/**
 * capture_report() - Tell the user what is in the capture.
 * @capture: described
 *
 * Return: the exit status that tells losses.
 */
int capture_report(const struct capture *capture)
{
	u64 bytes = 0;
	int i;

	for (i = 0; i < capture->nr; i++)
		bytes += capture->readers[i].bytes;
	msg_info("%s: %llu events, %.1f MiB, %llu lost", capture->dir, capture->recorded,
		 bytes / 1048576.0, capture->lost);
	if (!capture->lost)
		return EXIT_OK;
	msg_warn("events were lost: a larger buffer (-b), fewer events (-e) or processes (-p) would help");
	return EXIT_LOST;
}
