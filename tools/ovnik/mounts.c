// SPDX-License-Identifier: GPL-2.0-only
/*
 * File systems whose files have another identity for the kernel's probes than for stat().
 *
 * Records have the device of the file system and the inode number. btrfs numbers the inodes
 * of each subvolume separately, and gives each a device of its own in stat(). So do the
 * layers of overlayfs. mountinfo shows the device that is in the records.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mounts.h"

/* The room of meta.json is limited, and a machine may have thousands of containers. */
#define MOUNTS_MAX	128
#define MOUNT_TEXT	"200"

static bool uncertain(const char *type)
{
	return !strcmp(type, "btrfs") || !strcmp(type, "overlay");
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

static void add_text(struct json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

/* "36 35 0:29 /root /mnt rw,noatime master:1 - btrfs /dev/sda rw" */
static void describe_mount(struct json_object *list, char *line)
{
	char dev[32], type[32], *mount = NULL, *rest = strstr(line, " - ");
	struct json_object *one;

	if (!rest || sscanf(rest, " - %31s", type) != 1 || !uncertain(type))
		return;
	if (json_object_array_length(list) == MOUNTS_MAX)
		return;
	if (sscanf(line, "%*s %*s %31s %*s %" MOUNT_TEXT "ms", dev, &mount) == 2 &&
	    !is_known(list, dev)) {
		one = json_object_new_object();
		json_object_array_add(list, one);
		add_text(one, "dev", dev);
		add_text(one, "type", type);
		add_text(one, "mount", mount);
	}
	free(mount);
}

/**
 * mounts_describe() - Add the list "uncertain_files" to meta.json.
 * @meta: root of it
 *
 * It has the file systems that are mounted now and that this process sees, at most
 * MOUNTS_MAX. Without any, or without /proc, nothing is added.
 */
void mounts_describe(struct json_object *meta)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	struct json_object *list;
	char *line = NULL;
	size_t size = 0;

	if (!in)
		return;
	list = json_object_new_array();
	while (getline(&line, &size, in) > 0)
		describe_mount(list, line);
	free(line);
	fclose(in);
	if (json_object_array_length(list))
		json_object_object_add(meta, "uncertain_files", list);
	else
		json_object_put(list);
}
