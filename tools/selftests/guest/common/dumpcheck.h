/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_DUMPCHECK_H
#define GUEST_DUMPCHECK_H

/* The part of filecheck about the statedump's open files. */

#include "event.h"

/**
 * same_dump() - Are the statedump's open files those that /proc has of a process?
 * @events: of the capture
 * @pid: of the process
 */
bool same_dump(const struct events *events, const char *pid);

#endif /* GUEST_DUMPCHECK_H */
