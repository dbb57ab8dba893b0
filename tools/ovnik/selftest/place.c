// SPDX-License-Identifier: GPL-2.0-only
/* Where a selftest makes its files: on a disk, and on tmpfs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "place.h"

#define MINOR_BITS	20

/* More than all files have together. */
#define ROOM		(256 << 10)

/* File systems whose page cache is the common one, and whose files are what stat() says. */
static const char *const on_disk[] = { "ext2", "ext3", "ext4", "xfs", "f2fs", NULL };
static const char *const in_memory[] = { "tmpfs", NULL };

/**
 * act_dev() - Number of a device in a record.
 * @dev: of stat()
 *
 * Return: it, unit dev.
 */
u32 act_dev(dev_t dev)
{
	return major(dev) << MINOR_BITS | minor(dev);
}

/* 9p and the like tell statfs() the type of another machine's file system: ask the mount. */
static bool is_on(const char *path, const char *const *types)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *dash, type[32];
	unsigned int major, minor;
	bool found = false;
	size_t size = 0;
	struct stat st;

	if (!mounts)
		return false;
	if (stat(path, &st)) {
		fclose(mounts);
		return false;
	}
	while (!found && getline(&line, &size, mounts) > 0) {
		dash = strstr(line, " - ");
		if (!dash || sscanf(line, "%*d %*d %u:%u", &major, &minor) != 2 ||
		    makedev(major, minor) != st.st_dev || sscanf(dash, " - %31s", type) != 1)
			continue;
		for (const char *const *one = types; *one; one++)
			found |= !strcmp(*one, type);
	}
	free(line);
	fclose(mounts);
	return found;
}

/**
 * act_plain() - Is a file's st_dev and st_ino what the kernel has of it?
 * @path: of the file
 *
 * On btrfs and overlayfs they are others, elsewhere perhaps.
 *
 * Return: true if it is.
 */
bool act_plain(const char *path)
{
	return is_on(path, on_disk) || is_on(path, in_memory);
}

/* With DAX there is no page cache. */
static bool has_page_cache(int fd)
{
	struct statx st;

	return !statx(fd, "", AT_EMPTY_PATH, 0, &st) && !(st.stx_attributes & STATX_ATTR_DAX);
}

/* Return: true if there is a page of a file, and room for more. */
static bool open_file(struct act_place *place)
{
	static const char page[PAGE];
	struct statvfs fs;

	snprintf(place->path, sizeof(place->path), "%s/mapped", place->dir);
	place->file = open(place->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (place->file < 0 || fstatvfs(place->file, &fs) || fs.f_bavail * fs.f_frsize < ROOM ||
	    !has_page_cache(place->file))
		return false;
	if (write(place->file, page, PAGE) != PAGE || lseek(place->file, 9, SEEK_SET) != 9)
		return false;
	place->map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, place->file, 0);
	if (place->map == MAP_FAILED)
		place->map = NULL;
	return place->map;
}

static void remove_place(struct act_place *place)
{
	/* What a child that was killed may have left. */
	static const char *const names[] = {
		"mapped", "from", "to", "to.new", "requests", "cached",
	};
	char path[PATH_MAX + 16];
	unsigned int i;

	if (!*place->dir)
		return;
	if (place->map)
		munmap(place->map, PAGE);
	if (place->file >= 0)
		close(place->file);
	place->map = NULL;
	place->file = -1;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", place->dir, names[i]);
		unlink(path);
	}
	rmdir(place->dir);
}

/* In the first of these directories that is on such a file system. */
static void make(struct act_place *place, const char *const *in, const char *const *types)
{
	char real[PATH_MAX];

	place->file = -1;
	for (; *in; in++) {
		if (!is_on(*in, types) || !realpath(*in, real) ||
		    strlen(real) + sizeof("/ovnik-selftest.XXXXXX") > sizeof(place->dir))
			continue;
		snprintf(place->dir, sizeof(place->dir), "%.4000s/ovnik-selftest.XXXXXX", real);
		if (!mkdtemp(place->dir))
			continue;
		if (open_file(place))
			return;
		remove_place(place);
	}
	*place->dir = '\0';
}

/* The device of a file system, where that is a partition or a disk. */
static void find_device(const char *dir, char *device, size_t size)
{
	char link[64], target[PATH_MAX] = "";
	struct stat st;

	if (stat(dir, &st))
		return;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	if (readlink(link, target, sizeof(target) - 1) > 0)
		snprintf(device, size, "/dev/%.40s", strrchr(target, '/') + 1);
}

/**
 * place_make() - Make directories for a selftest's files.
 * @act: is set
 */
void place_make(struct act *act)
{
	const char *tmp = getenv("TMPDIR");
	const char *const disk[] = { tmp ?: "/var/tmp", "/var/tmp", "/tmp", "/var/lib", NULL };
	const char *const memory[] = { "/run", "/dev/shm", "/tmp", NULL };

	memset(act, 0, sizeof(*act));
	make(&act->disk, disk, on_disk);
	make(&act->memory, memory, in_memory);
	if (*act->disk.dir)
		find_device(act->disk.dir, act->device, sizeof(act->device));
}

/**
 * place_remove() - Remove what place_make() has made.
 * @act: as place_make() has set it
 */
void place_remove(struct act *act)
{
	remove_place(&act->disk);
	remove_place(&act->memory);
}
