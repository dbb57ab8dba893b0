// SPDX-License-Identifier: GPL-2.0-only
/* The capture directory: cpuN.ovk for each CPU; meta.c writes meta.json. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "capture.h"
#include "dir.h"
#include "text.h"
#include "util/msg.h"
#include "util/shell.h"

/* ", 12.345 s" */
#define LENGTH_TEXT	32
#define LOST_TEXT	64

static int open_reader(struct capture *capture, unsigned int cpu, bool dump)
{
	struct reader *reader = &capture->readers[capture->nr++];

	reader->error = reader_open(reader, cpu, dump);
	return reader->error;
}

/*
 * Room for every possible CPU and the statedump: threads hold pointers to their readers.
 * The statedump gets the number after the last CPU's.
 */
static int alloc_readers(struct capture *capture, unsigned int *dump)
{
	char list[CPUS_TEXT];
	unsigned int *cpus;
	int nr, ret;

	ret = cpus_list("possible", list);
	if (ret)
		return ret;
	nr = cpus_parse(list, &cpus);
	if (nr < 0)
		return nr;
	*dump = nr ? cpus[nr - 1] + 1 : 0;
	free(cpus);
	capture->readers = calloc(nr + 1, sizeof(*capture->readers));
	return capture->readers ? 0 : -ENOMEM;
}

/* CPUs that are offline get a ring when they come online. */
static int open_online(struct capture *capture)
{
	unsigned int *cpus;
	int i, nr, ret;

	ret = cpus_list("online", capture->online);
	if (ret)
		return ret;
	nr = cpus_parse(capture->online, &cpus);
	if (nr < 0)
		return nr;
	for (i = 0; !ret && i < nr; i++)
		ret = open_reader(capture, cpus[i], false);
	free(cpus);
	return ret;
}

static int read_mode(struct capture *capture)
{
	char mode[CONTROL_TEXT];
	int ret = backend->read("mode", mode);

	capture->overwrite = !ret && !strcmp(mode, "overwrite");
	return ret;
}

/**
 * capture_open() - Open the rings of the CPUs that are online, and the statedump.
 * @capture: is filled in; capture_close() undoes it, also after a failure
 *
 * Return: 0; a negative errno, which has been reported.
 */
int capture_open(struct capture *capture)
{
	unsigned int dump;
	int ret;

	memset(capture, 0, sizeof(*capture));
	capture->dir_fd = -1;
	capture->meta_fd = -1;
	mounts_open(&capture->mounts);
	ret = read_mode(capture);
	if (!ret)
		ret = alloc_readers(capture, &dump);
	if (!ret)
		ret = open_online(capture);
	if (!ret && capture->overwrite && backend->source->dump_apart)
		ret = open_reader(capture, dump, true);
	return ret;
}

/**
 * capture_create() - Create the directory and a file for each reader.
 * @capture: opened, which fails if another program is recording
 * @dir:     path of the directory; a capture in it is kept as DIR.old
 *
 * Return: 0; a negative errno, which has been reported.
 */
int capture_create(struct capture *capture, const char *dir)
{
	int i, ret;

	capture->dir = dir;
	capture->dir_fd = dir_open(dir);
	if (capture->dir_fd < 0)
		return capture->dir_fd;
	ret = capture_reserve(capture);
	for (i = 0; !ret && i < capture->nr; i++)
		ret = reader_create(&capture->readers[i], dir, capture->dir_fd);
	return ret;
}

static bool has_reader(const struct capture *capture, unsigned int cpu)
{
	int i;

	for (i = 0; i < capture->nr; i++) {
		if (capture->readers[i].cpu == cpu)
			return true;
	}
	return false;
}

/* A reader whose ring cannot be opened stays, with an empty file: its events are lost. */
static int add_reader(struct capture *capture, unsigned int cpu)
{
	struct reader *reader = &capture->readers[capture->nr];
	int ret, error = 0;

	ret = open_reader(capture, cpu, false);
	if (capture->dir_fd >= 0)
		error = reader_create(reader, capture->dir, capture->dir_fd);
	reader->error = ret ? ret : error;
	return reader->error;
}

/* Add readers for the CPUs of @list that have none; @matches may be NULL. */
static int add_readers(struct capture *capture, const char *list,
		       bool (*matches)(unsigned int cpu))
{
	unsigned int *cpus;
	int i, nr, ret = 0;

	nr = cpus_parse(list, &cpus);
	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++) {
		int error = 0;

		if (!has_reader(capture, cpus[i]) && (!matches || matches(cpus[i])))
			error = add_reader(capture, cpus[i]);
		ret = ret ? ret : error;
	}
	free(cpus);
	return ret;
}

/**
 * capture_follow() - Add readers for CPUs that have come online.
 * @capture: opened; new readers are appended
 *
 * Return: 0; a negative errno, which has been reported; some may have been added.
 */
int capture_follow(struct capture *capture)
{
	char list[CPUS_TEXT];
	int ret = cpus_list("online", list);

	if (ret || !strcmp(list, capture->online))
		return ret;
	strcpy(capture->online, list);
	return add_readers(capture, list, NULL);
}

static bool has_counted(unsigned int cpu)
{
	struct event_stats stats[OVNIK_NR_EVENTS];
	int i;

	if (control_cpu_stats(cpu, stats))
		return false;
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (stats[i].recorded || stats[i].lost)
			return true;
	}
	return false;
}

/**
 * capture_complete() - Add readers for offline CPUs that have recorded events.
 * @capture: opened; new readers are appended
 *
 * Return: 0; a negative errno, which has been reported; some may have been added.
 */
int capture_complete(struct capture *capture)
{
	char list[CPUS_TEXT];

	return cpus_list("possible", list) ?:
	       add_readers(capture, list, has_counted);
}

/**
 * capture_close() - Close all files.
 * @capture: the capture; no reader's thread runs
 */
void capture_close(struct capture *capture)
{
	int i;

	for (i = 0; i < capture->nr; i++)
		reader_close(&capture->readers[i]);
	free(capture->readers);
	mounts_close(&capture->mounts);
	if (capture->meta_fd >= 0) {
		close(capture->meta_fd);
		unlinkat(capture->dir_fd, META_NEW, 0);
	}
	if (capture->dir_fd >= 0)
		close(capture->dir_fd);
}

/**
 * capture_anchor() - Take pairs of clock readings for meta.json.
 * @capture: opened
 *
 * Return: 0; a negative errno, which has been reported.
 */
int capture_anchor(struct capture *capture)
{
	int ret = control_clock(&capture->anchors[capture->nr_anchors]);

	if (!ret)
		wall_read(&capture->walls[capture->nr_anchors++]);
	return ret;
}

/* That of a snapshot is not known: the oldest events may be overwritten. */
static const char *length_text(const struct capture *capture, char text[LENGTH_TEXT])
{
	*text = '\0';
	if (capture->length)
		snprintf(text, LENGTH_TEXT, ", %.3f s", capture->length / 1e9);
	return text;
}

static const char *lost_text(const struct capture *capture, char text[LOST_TEXT])
{
	u64 dropped = capture->dropped < capture->lost ? capture->dropped : capture->lost;

	if (capture->overwrite)
		snprintf(text, LOST_TEXT, "%llu overwritten, %llu lost", capture->lost - dropped,
			 dropped);
	else
		snprintf(text, LOST_TEXT, "%llu lost", capture->lost);
	return text;
}

static void report_next(const char *dir)
{
	char *program = shell_program("ovnik-decode"), *word = shell_word(dir);

	if (program && word)
		msg_info("next: %s report %s", program, word);
	else
		msg_no_memory();
	free(program);
	free(word);
}

/**
 * capture_report() - Print a summary of the capture, and what to do next.
 * @capture: described
 * @strict:  losses are a status of their own
 *
 * Return: the exit status.
 */
int capture_report(const struct capture *capture, bool strict)
{
	char size[SIZE_TEXT], length[LENGTH_TEXT], lost[LOST_TEXT];
	bool lacks = capture->lost || capture->missed;
	u64 bytes = 0;
	int i;

	for (i = 0; i < capture->nr; i++)
		bytes += capture->readers[i].bytes;
	msg_info("%s: %llu events, %s, %s%s", capture->dir, capture->recorded,
		 size_text(bytes, size), lost_text(capture, lost), length_text(capture, length));
	/* A flight recorder is meant to overwrite. */
	if (capture->lost && !capture->overwrite)
		msg_warn("events were lost: try a larger buffer (-b), fewer events (-e) or fewer processes (-p)");
	report_next(capture->dir);
	return strict && lacks ? EXIT_LOST : EXIT_OK;
}
