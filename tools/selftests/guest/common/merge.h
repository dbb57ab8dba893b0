/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_MERGE_H
#define GUEST_MERGE_H

/*
 * All CPUs' records as one sequence. What changes one thing on two CPUs does so
 * under a lock and is stamped while that is held, so the order in time is the
 * order in which it changed.
 */

#include "capture.h"

/**
 * load_merged() - Read all CPUs' records; ends the program if any was lost, or if there is none.
 * @all: they are added to these
 * @paths: of the files; ends with NULL
 */
void load_merged(struct events *all, char **paths);

/* The same where some may be lost. */
void load_incomplete(struct events *all, char **paths);

#endif /* GUEST_MERGE_H */
