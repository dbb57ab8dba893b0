/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_RECORD_H
#define OVNIK_TOOL_RECORD_H

#include "control.h"

/**
 * struct record_options - What "ovnik record" is told.
 * @settings: what to record
 * @dir:      the capture directory
 * @command:  argv of a program to run, or NULL
 * @follow:   record only that program and its future children
 * @duration: ms after which to stop; 0: whenever a signal comes or the program ends
 * @strict:   losses are a status of their own
 */
struct record_options {
	struct settings settings;
	const char *dir;
	char **command;
	bool follow;
	u64 duration;
	bool strict;
};

int record(const struct record_options *options);
int snapshot(const char *dir, bool strict, bool ended);

#endif /* OVNIK_TOOL_RECORD_H */
