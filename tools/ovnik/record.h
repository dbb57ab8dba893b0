/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_RECORD_H
#define OVNIK_TOOL_RECORD_H

#include "control.h"

/**
 * struct record_options - What "ovnik record" is told.
 * @settings: what to record
 * @dir:      the capture directory
 * @command:  argv of a program to run, or NULL
 * @work:     what to do in a child instead, or NULL; returns its exit status
 * @follow:   record only that program and its future children
 * @duration: ms after which to stop; 0: whenever a signal comes or the program ends
 * @strict:   losses are a status of their own
 * @untested: whether all is recorded on this kernel is not tested before
 * @lacks:    is set to the events that the back end cannot record, as unsupported(); NULL
 * @quiet:    say nothing unless something fails
 */
struct record_options {
	struct settings settings;
	const char *dir;
	char **command;
	int (*work)(void);
	bool follow;
	u64 duration;
	bool strict;
	bool untested;
	u64 *lacks;
	bool quiet;
};

int record(const struct record_options *options);
int snapshot(const char *dir, bool strict, bool ended);

#endif /* OVNIK_TOOL_RECORD_H */
