/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_RECORDING_H
#define OVNIK_TOOL_RECORDING_H

#include "control.h"
#include "reader.h"
#include "mounts.h"
#include "system.h"
#include "wall.h"

#define MAX_ANCHORS	2

/* Name of meta.json while it is being written. */
#define META_NEW	"meta.json.new"

/**
 * struct recording - A capture directory that is being written.
 * @dir:      its path
 * @dir_fd:   file descriptor of the directory
 * @meta_fd:  file descriptor of META_NEW; -1: there is none
 * @readers:  one per CPU, in the order in which they were added; the statedump may have one
 * @nr:	      length of @readers
 * @online:   list of the CPUs that were online at the last look
 * @command:  argv of the program that was run, or NULL
 * @quiet:    show no progress
 * @refs:     memory references are logged, too
 * @anchors:  pairs of clock readings, at the start and at the end
 * @walls:    the time of day then
 * @nr_anchors: length of @anchors and @walls
 * @began:    CLOCK_MONOTONIC when it recorded; 0: it was started before
 * @length:   ns that it recorded; 0: not known
 * @mounts:   file systems whose files records may confuse
 * @overwrite: the ring keeps the newest events
 * @witness:  this process ran while it was recorded
 * @stopped:  recording had stopped when the rings were read
 * @rest:     another program may have read sub-buffers before; they do not count as lost
 * @recorded: events in the capture; set by recording_describe()
 * @lost:     events missing from the capture; set by recording_describe()
 * @dropped:  of these, those that were not overwritten; set by recording_describe()
 * @missed:   missed runs of probes; set by recording_describe()
 */
struct recording {
	const char *dir;
	int dir_fd;
	int meta_fd;
	struct reader *readers;
	int nr;
	char online[CPUS_TEXT];
	char **command;
	bool quiet;
	bool refs;
	struct clock_pair anchors[MAX_ANCHORS];
	struct wall_pair walls[MAX_ANCHORS];
	int nr_anchors;
	u64 began;
	u64 length;
	struct mounts mounts;
	bool overwrite;
	bool witness;
	bool stopped;
	bool rest;
	u64 recorded;
	u64 lost;
	u64 dropped;
	u64 missed;
};

int recording_open(struct recording *recording);
int recording_create(struct recording *recording, const char *dir);
void recording_close(struct recording *recording);
int recording_follow(struct recording *recording);
int recording_complete(struct recording *recording);
int recording_anchor(struct recording *recording);
int recording_reserve(struct recording *recording);
int recording_describe(struct recording *recording);
int recording_report(const struct recording *recording, bool strict);

#endif /* OVNIK_TOOL_RECORDING_H */
