// SPDX-License-Identifier: GPL-2.0-only
/*
 * File systems whose files have another identity for the kernel's probes than for stat().
 *
 * Records have the device of the file system and the inode number. btrfs numbers the inodes
 * of each subvolume separately, and gives each a device of its own in stat(). So do the
 * layers of overlayfs. A snapshot of bcachefs or ceph has the numbers of what it was made from.
 * mountinfo shows the device that is in the records. Containers have mounts of their own: each
 * mount namespace of a process has a mountinfo, too.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json-c/json.h>

#include "mounts.h"
#include "util/msg.h"
#include "util/types.h"

/* The room of meta.json is limited, and a machine may have thousands of containers. */
#define MOUNTS_MAX	128

static bool uncertain(const char *type)
{
	return !strcmp(type, "btrfs") || !strcmp(type, "overlay") || !strcmp(type, "bcachefs") ||
	       !strcmp(type, "ceph");
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
	char dev[32], type[32], mount[201];
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(rest, " - %31s", type) != 1 || !uncertain(type))
		return;
	if (sscanf(line, "%*s %*s %31s %*s %200s", dev, mount) == 2 && !is_known(mounts->list, dev))
		add_mount(mounts, dev, type, mount);
}

static void look_into(struct mounts *mounts, FILE *in)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, in) > 0)
		look_at(mounts, line);
	free(line);
}

/**
 * struct spaces - Mount namespaces that were looked into.
 * @list: their numbers
 * @nr:   how many
 */
struct spaces {
	ino_t *list;
	size_t nr;
};

/* Returns false for one that was seen, or that cannot be remembered. */
static bool is_new(struct spaces *seen, ino_t number)
{
	ino_t *list;
	size_t i;

	for (i = 0; i < seen->nr; i++) {
		if (seen->list[i] == number)
			return false;
	}
	list = reallocarray(seen->list, seen->nr + 1, sizeof(*list));
	if (!list)
		return false;
	seen->list = list;
	seen->list[seen->nr++] = number;
	return true;
}

/* A process may end meanwhile, and a task of the kernel has no namespace. */
static void look_at_process(struct mounts *mounts, struct spaces *seen, const char *pid)
{
	char path[NAME_MAX + 32];
	struct stat st;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	if (stat(path, &st) || !is_new(seen, st.st_ino))
		return;
	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	in = fopen(path, "re");
	if (!in)
		return;
	look_into(mounts, in);
	fclose(in);
}

static void look_everywhere(struct mounts *mounts)
{
	struct spaces seen = { NULL, 0 };
	struct dirent *entry;
	DIR *dir;

	mounts_look(mounts);
	dir = opendir("/proc");
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			look_at_process(mounts, &seen, entry->d_name);
	}
	closedir(dir);
	free(seen.list);
}

/**
 * mounts_open() - Find the file systems that are mounted now, in any mount namespace.
 * @mounts: is filled in; without /proc there are none
 */
void mounts_open(struct mounts *mounts)
{
	mounts->list = json_object_new_array();
	mounts->full = false;
	mounts->in = fopen("/proc/self/mountinfo", "re");
	look_everywhere(mounts);
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
 * mounts_look() - Find more file systems: those that this process sees mounted now.
 * @mounts: open; what was found before stays
 */
void mounts_look(struct mounts *mounts)
{
	if (!mounts->in)
		return;
	rewind(mounts->in);
	look_into(mounts, mounts->in);
}

/**
 * mounts_describe() - Add the list "uncertain_files" to meta.json, after another look.
 * @mounts: open
 * @meta:   root of it
 *
 * It has the file systems that were found, at most MOUNTS_MAX. Without any, nothing is added.
 */
void mounts_describe(struct mounts *mounts, struct json_object *meta)
{
	look_everywhere(mounts);
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
