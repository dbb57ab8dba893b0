// SPDX-License-Identifier: GPL-2.0-only
/*
 * File systems whose files have another identity for the kernel's probes than for stat().
 *
 * Records have the device of the file system and the inode number. btrfs numbers the inodes
 * of each subvolume separately, and gives each a device of its own in stat(). So do the
 * layers of overlayfs. A snapshot of bcachefs has the numbers of what it was made from.
 * mountinfo shows the device that is in the records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "mounts.h"
#include "util/msg.h"
#include "util/types.h"

/* The room of meta.json is limited, and a machine may have thousands of containers. */
#define MOUNTS_MAX	128
#define MOUNT_TEXT	"200"

static bool uncertain(const char *type)
{
	return !strcmp(type, "btrfs") || !strcmp(type, "overlay") || !strcmp(type, "bcachefs");
}

/* A file system may be mounted more than once. */
static bool is_known(struct json_object *list, const char *dev)
{
	size_t i, nr = json_object_array_length(list);

	for (i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!strcmp(json_object_get_string(json_object_object_get(one, "dev")), dev))
			return true;
	}
	return false;
}

static void add_mount(struct mounts *mounts, const char *dev, const char *type, const char *mount)
{
	struct json_object *one;

	if (json_object_array_length(mounts->list) == MOUNTS_MAX) {
		if (!mounts->full)
			msg_info("records may confuse files on more than the %d file systems named",
				 MOUNTS_MAX);
		mounts->full = true;
		return;
	}
	one = json_object_new_object();
	json_object_object_add(one, "dev", json_object_new_string(dev));
	json_object_object_add(one, "type", json_object_new_string(type));
	json_object_object_add(one, "mount", json_object_new_string(mount));
	json_object_array_add(mounts->list, one);
}

/* "36 35 0:29 /root /mnt rw,noatime master:1 - btrfs /dev/sda rw" */
static void look_at(struct mounts *mounts, const char *line)
{
	char dev[32], type[32], *mount = NULL;
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(rest, " - %31s", type) != 1 || !uncertain(type))
		return;
	if (sscanf(line, "%*s %*s %31s %*s %" MOUNT_TEXT "ms", dev, &mount) == 2 &&
	    !is_known(mounts->list, dev))
		add_mount(mounts, dev, type, mount);
	free(mount);
}

/**
 * mounts_open() - Find the file systems that are mounted now and that this process sees.
 * @mounts: is filled in; without /proc there are none
 */
void mounts_open(struct mounts *mounts)
{
	mounts->list = json_object_new_array();
	mounts->full = false;
	mounts->in = fopen("/proc/self/mountinfo", "re");
	mounts_look(mounts);
}

/**
 * mounts_fd() - What to poll() for a change.
 * @mounts: open
 *
 * Return: a file descriptor, which has POLLPRI once after a change; -1: there is none.
 */
int mounts_fd(const struct mounts *mounts)
{
	return mounts->in ? fileno(mounts->in) : -1;
}

/**
 * mounts_look() - Find more file systems: those that are mounted now.
 * @mounts: open; what was found before stays
 */
void mounts_look(struct mounts *mounts)
{
	char *line = NULL;
	size_t size = 0;

	if (!mounts->in)
		return;
	rewind(mounts->in);
	while (getline(&line, &size, mounts->in) > 0)
		look_at(mounts, line);
	free(line);
}

/**
 * mounts_describe() - Add the list "uncertain_files" to meta.json.
 * @mounts: open
 * @meta:   root of it
 *
 * It has the file systems that were found, at most MOUNTS_MAX. Without any, nothing is added.
 */
void mounts_describe(struct mounts *mounts, struct json_object *meta)
{
	mounts_look(mounts);
	if (json_object_array_length(mounts->list))
		json_object_object_add(meta, "uncertain_files", json_object_get(mounts->list));
}

/**
 * mounts_close() - Undo mounts_open().
 * @mounts: open, or all zeros
 */
void mounts_close(struct mounts *mounts)
{
	json_object_put(mounts->list);
	if (mounts->in)
		fclose(mounts->in);
}
