// SPDX-License-Identifier: GPL-2.0-only
/* The capture directory: cpuN.ovk for each CPU; meta.c writes meta.json. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "dir.h"
#include "recording.h"
#include "text.h"
#include "util/msg.h"
#include "util/shell.h"

/* ", 12.345 s" */
#define LENGTH_TEXT	32
#define LOST_TEXT	64

static int open_reader(struct recording *recording, unsigned int cpu, bool dump)
{
	struct reader *reader = &recording->readers[recording->nr++];

	reader->error = reader_open(reader, cpu, dump);
	return reader->error;
}

/*
 * Room for every possible CPU and the statedump: threads hold pointers to their readers.
 * The statedump gets the number after the last CPU's.
 */
static int alloc_readers(struct recording *recording, unsigned int *dump)
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
	recording->readers = calloc(nr + 1, sizeof(*recording->readers));
	return recording->readers ? 0 : -ENOMEM;
}

/* CPUs that are offline get a ring when they come online. */
static int open_online(struct recording *recording)
{
	unsigned int *cpus;
	int i, nr, ret;

	ret = cpus_list("online", recording->online);
	if (ret)
		return ret;
	nr = cpus_parse(recording->online, &cpus);
	if (nr < 0)
		return nr;
	for (i = 0; !ret && i < nr; i++)
		ret = open_reader(recording, cpus[i], false);
	free(cpus);
	return ret;
}

static int read_mode(struct recording *recording)
{
	char mode[CONTROL_TEXT];
	int ret = backend->read("mode", mode);

	recording->overwrite = !ret && !strcmp(mode, "overwrite");
	return ret;
}

/**
 * recording_open() - Open the rings of the CPUs that are online, and the statedump.
 * @recording: is filled in; recording_close() undoes it, also after a failure
 *
 * Return: 0; a negative errno, which has been reported.
 */
int recording_open(struct recording *recording)
{
	unsigned int dump;
	int ret;

	memset(recording, 0, sizeof(*recording));
	recording->dir_fd = -1;
	recording->meta_fd = -1;
	mounts_open(&recording->mounts);
	ret = read_mode(recording);
	if (!ret)
		ret = alloc_readers(recording, &dump);
	if (!ret)
		ret = open_online(recording);
	if (!ret && recording->overwrite && backend->source->dump_apart)
		ret = open_reader(recording, dump, true);
	return ret;
}

/**
 * recording_create() - Create the directory and a file for each reader.
 * @recording: opened, which fails if another program is recording
 * @dir:     path of the directory; a capture in it is kept as DIR.old
 *
 * Return: 0; a negative errno, which has been reported.
 */
int recording_create(struct recording *recording, const char *dir)
{
	int i, ret;

	recording->dir = dir;
	recording->dir_fd = dir_open(dir);
	if (recording->dir_fd < 0)
		return recording->dir_fd;
	ret = recording_reserve(recording);
	for (i = 0; !ret && i < recording->nr; i++)
		ret = reader_create(&recording->readers[i], dir, recording->dir_fd);
	return ret;
}

static bool has_reader(const struct recording *recording, unsigned int cpu)
{
	int i;

	for (i = 0; i < recording->nr; i++) {
		if (recording->readers[i].cpu == cpu)
			return true;
	}
	return false;
}

/* A reader whose ring cannot be opened stays, with an empty file: its events are lost. */
static int add_reader(struct recording *recording, unsigned int cpu)
{
	struct reader *reader = &recording->readers[recording->nr];
	int ret, error = 0;

	ret = open_reader(recording, cpu, false);
	if (recording->dir_fd >= 0)
		error = reader_create(reader, recording->dir, recording->dir_fd);
	reader->error = ret ? ret : error;
	return reader->error;
}

/* Add readers for the CPUs of @list that have none; @matches may be NULL. */
static int add_readers(struct recording *recording, const char *list,
		       bool (*matches)(unsigned int cpu))
{
	unsigned int *cpus;
	int i, nr, ret = 0;

	nr = cpus_parse(list, &cpus);
	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++) {
		int error = 0;

		if (!has_reader(recording, cpus[i]) && (!matches || matches(cpus[i])))
			error = add_reader(recording, cpus[i]);
		ret = ret ? ret : error;
	}
	free(cpus);
	return ret;
}

/**
 * recording_follow() - Add readers for CPUs that have come online.
 * @recording: opened; new readers are appended
 *
 * Return: 0; a negative errno, which has been reported; some may have been added.
 */
int recording_follow(struct recording *recording)
{
	char list[CPUS_TEXT];
	int ret = cpus_list("online", list);

	if (ret || !strcmp(list, recording->online))
		return ret;
	strcpy(recording->online, list);
	return add_readers(recording, list, NULL);
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
 * recording_complete() - Add readers for offline CPUs that have recorded events.
 * @recording: opened; new readers are appended
 *
 * Return: 0; a negative errno, which has been reported; some may have been added.
 */
int recording_complete(struct recording *recording)
{
	char list[CPUS_TEXT];

	return cpus_list("possible", list) ?:
	       add_readers(recording, list, has_counted);
}

/**
 * recording_close() - Close all files.
 * @recording: the capture; no reader's thread runs
 */
void recording_close(struct recording *recording)
{
	int i;

	for (i = 0; i < recording->nr; i++)
		reader_close(&recording->readers[i]);
	free(recording->readers);
	mounts_close(&recording->mounts);
	if (recording->meta_fd >= 0) {
		close(recording->meta_fd);
		unlinkat(recording->dir_fd, META_NEW, 0);
	}
	if (recording->dir_fd >= 0)
		close(recording->dir_fd);
}

/**
 * recording_anchor() - Take pairs of clock readings for meta.json.
 * @recording: opened
 *
 * Return: 0; a negative errno, which has been reported.
 */
int recording_anchor(struct recording *recording)
{
	int ret = control_clock(&recording->anchors[recording->nr_anchors]);

	if (!ret)
		wall_read(&recording->walls[recording->nr_anchors++]);
	return ret;
}

/* That of a snapshot is not known: the oldest events may be overwritten. */
static const char *length_text(const struct recording *recording, char text[LENGTH_TEXT])
{
	*text = '\0';
	if (recording->length)
		snprintf(text, LENGTH_TEXT, ", %.3f s", recording->length / 1e9);
	return text;
}

static const char *lost_text(const struct recording *recording, char text[LOST_TEXT])
{
	u64 dropped = recording->dropped < recording->lost ? recording->dropped : recording->lost;

	if (recording->overwrite)
		snprintf(text, LOST_TEXT, "%llu overwritten, %llu lost", recording->lost - dropped,
			 dropped);
	else
		snprintf(text, LOST_TEXT, "%llu lost", recording->lost);
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
 * recording_report() - Print a summary of the capture, and what to do next.
 * @recording: described
 * @strict:  losses are a status of their own
 *
 * Return: the exit status.
 */
int recording_report(const struct recording *recording, bool strict)
{
	char size[SIZE_TEXT], length[LENGTH_TEXT], lost[LOST_TEXT];
	bool lacks = recording->lost || recording->missed;
	u64 bytes = 0;
	int i;

	for (i = 0; i < recording->nr; i++)
		bytes += recording->readers[i].bytes;
	msg_info("%s: %llu events, %s, %s%s", recording->dir, recording->recorded,
		 size_text(bytes, size), lost_text(recording, lost),
		 length_text(recording, length));
	/* A flight recorder is meant to overwrite. */
	if (recording->lost && !recording->overwrite)
		msg_warn("events were lost: try a larger buffer (-b), fewer events (-e) or fewer processes (-p)");
	report_next(recording->dir);
	return strict && lacks ? EXIT_LOST : EXIT_OK;
}
