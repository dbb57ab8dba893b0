/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_CAPTURE_H
#define OVNIK_TOOL_CAPTURE_H

#include "control.h"
#include "reader.h"
#include "mounts.h"
#include "system.h"
#include "wall.h"

#define MAX_ANCHORS	2

/* Name of meta.json while it is being written. */
#define META_NEW	"meta.json.new"

/**
 * struct capture - A capture directory that is being written.
 * @dir:      its path
 * @dir_fd:   file descriptor of the directory
 * @meta_fd:  file descriptor of META_NEW; -1: there is none
 * @readers:  one per CPU, in the order in which they were added; the statedump may have one
 * @nr:	      length of @readers
 * @online:   list of the CPUs that were online at the last look
 * @command:  argv of the program that was run, or NULL
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
 * @recorded: events in the capture; set by capture_describe()
 * @lost:     events missing from the capture; set by capture_describe()
 * @dropped:  of these, those that were not overwritten; set by capture_describe()
 * @missed:   missed runs of probes; set by capture_describe()
 */
struct capture {
	const char *dir;
	int dir_fd;
	int meta_fd;
	struct reader *readers;
	int nr;
	char online[CPUS_TEXT];
	char **command;
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

int capture_open(struct capture *capture);
int capture_create(struct capture *capture, const char *dir);
void capture_close(struct capture *capture);
int capture_follow(struct capture *capture);
int capture_complete(struct capture *capture);
int capture_anchor(struct capture *capture);
int capture_reserve(struct capture *capture);
int capture_describe(struct capture *capture);
int capture_report(const struct capture *capture, bool strict);

#endif /* OVNIK_TOOL_CAPTURE_H */
