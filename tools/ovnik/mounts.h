/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_MOUNTS_H
#define OVNIK_TOOL_MOUNTS_H

#include <stdbool.h>
#include <stdio.h>

struct json_object;

/**
 * struct mounts - The file systems, seen while recording, whose files records may confuse.
 * @in:   mountinfo of this process; NULL: there is none
 * @list: what was found
 * @full: more than fit were found
 */
struct mounts {
	FILE *in;
	struct json_object *list;
	bool full;
};

void mounts_open(struct mounts *mounts);
int mounts_fd(const struct mounts *mounts);
void mounts_look(struct mounts *mounts);
void mounts_describe(struct mounts *mounts, struct json_object *meta);
void mounts_close(struct mounts *mounts);

#endif /* OVNIK_TOOL_MOUNTS_H */
