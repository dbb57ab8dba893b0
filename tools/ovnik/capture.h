/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_CAPTURE_H
#define OVNIK_TOOL_CAPTURE_H

#include "control.h"
#include "reader.h"
#include "system.h"

#define MAX_ANCHORS	2

/* meta.json while it is being written. */
#define META_NEW	"meta.json.new"

/**
 * struct capture - A capture directory that is being written.
 * @dir:      its path
 * @dir_fd:   the same, open
 * @readers:  one a CPU, in the order in which they came
 * @nr:	      how many
 * @online:   list of the CPUs on line when that was last looked at
 * @command:  argv of the program that was run, or NULL
 * @anchors:  pairs of clock readings, at the start and at the end
 * @nr_anchors: how many are set
 * @overwrite: the ring keeps the newest events
 * @stopped:  nothing was recorded any more when it was read
 * @rest:     somebody may have taken sub-buffers before: they are not missed
 * @recorded: events in it; set by capture_describe()
 * @lost:     events that are not in it; set by capture_describe()
 * @missed:   runs of probes that did not take place; set by capture_describe()
 */
struct capture {
	const char *dir;
	int dir_fd;
	struct reader *readers;
	int nr;
	char online[CPUS_TEXT];
	char **command;
	struct clock_pair anchors[MAX_ANCHORS];
	int nr_anchors;
	bool overwrite;
	bool stopped;
	bool rest;
	u64 recorded;
	u64 lost;
	u64 missed;
};

int capture_open(struct capture *capture);
int capture_create(struct capture *capture, const char *dir);
void capture_close(struct capture *capture);
int capture_follow(struct capture *capture);
int capture_complete(struct capture *capture);
int capture_anchor(struct capture *capture);
int capture_describe(struct capture *capture);
int capture_report(const struct capture *capture);

#endif /* OVNIK_TOOL_CAPTURE_H */
