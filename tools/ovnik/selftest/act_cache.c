// SPDX-License-Identifier: GPL-2.0-only
/* Bring pages into the page cache and take them out. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <linux/fs.h>
#include <unistd.h>

#include "act.h"

#define PFN_MASK	((1ULL << 55) - 1)

/* The frame of a page that is mapped, 0: not known. */
static u64 frame_of(const char *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	u64 entry = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry), (u64)page / PAGE * sizeof(entry)) != sizeof(entry))
		entry = 0;
	close(fd);
	return entry >> 63 ? entry & PFN_MASK : 0;
}

/* The frame of a file's first page. */
static u64 frame_of_file(int fd)
{
	volatile char *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	u64 frame = 0;

	if (page == MAP_FAILED)
		return 0;
	if (!page[0])
		frame = frame_of((const char *)page);
	munmap((void *)page, PAGE);
	return frame;
}

static ssize_t write_page(int fd)
{
	static const char page[PAGE];

	return write(fd, page, PAGE);
}

static struct expectation frame(u64 value, struct expectation known, struct expectation some)
{
	return value ? known : some;
}

/* Is it in the page cache? Also true if that is not known. */
static bool is_cached(int fd, u64 offset)
{
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, offset);
	unsigned char there = 1;

	if (page == MAP_FAILED)
		return true;
	mincore(page, PAGE, &there);
	munmap(page, PAGE);
	return there & 1;
}

/* Return: false if that cannot be done. */
static bool read_anew(int fd, u64 offset, struct span *removed, struct span *added)
{
	static char page[PAGE];
	ssize_t n;

	if (pread(fd, page, PAGE, offset) != PAGE)
		return false;
	DO(removed, posix_fadvise(fd, offset, PAGE, POSIX_FADV_DONTNEED));
	if (is_cached(fd, offset))
		return false;
	DO(added, n = pread(fd, page, PAGE, offset));
	return n == PAGE;
}

/* @pfn: the frame, 0: not known */
static void expect_added(const struct span *span, const char *what, const struct stat *st, u64 pfn)
{
	EXPECT(page_add, span, what, KEY(page_add, ino, st->st_ino),
	       IS(page_add, dev, act_dev(st->st_dev)), IS(page_add, offset, 0),
	       frame(pfn, (struct expectation)IS(page_add, pfn, pfn),
		     (struct expectation)SOME(page_add, pfn)));
}

static void expect_removed(const struct span *span, const char *what, const struct stat *st,
			   u64 pfn)
{
	EXPECT(page_remove, span, what, KEY(page_remove, ino, st->st_ino),
	       IS(page_remove, dev, act_dev(st->st_dev)), IS(page_remove, offset, 0),
	       frame(pfn, (struct expectation)IS(page_remove, pfn, pfn),
		     (struct expectation)SOME(page_remove, pfn)));
}

static void write_and_cut(int fd, const struct stat *st, const char *of)
{
	struct span added, removed;
	char what[80];
	u64 pfn;
	int ret;

	DO(&added, ret = write_page(fd) != PAGE);
	if (ret) {
		deed_untried(OVNIK_EV_page_add, "%s: %s", of, strerror(errno));
		return;
	}
	pfn = frame_of_file(fd);
	DO(&removed, ret = ftruncate(fd, 0));
	snprintf(what, sizeof(what), "a write to a new page of %s", of);
	expect_added(&added, what, st, pfn);
	snprintf(what, sizeof(what), "ftruncate() of %s", of);
	if (!ret)
		expect_removed(&removed, what, st, pfn);
}

static void read_from_disk(int fd, const struct stat *st, const char *of)
{
	struct span added, removed;
	char what[80];

	if (pwrite(fd, "", 1, PAGE - 1) != 1 || fsync(fd) || !read_anew(fd, 0, &removed, &added)) {
		deed_untried(OVNIK_EV_page_add, "no page of %s can be read anew", of);
		return;
	}
	snprintf(what, sizeof(what), "a page of %s is given up", of);
	expect_removed(&removed, what, st, 0);
	snprintf(what, sizeof(what), "a page of %s is read", of);
	expect_added(&added, what, st, frame_of_file(fd));
}

/**
 * act_cache() - Write a page of a new file, cut the file, and read what is on a disk.
 * @place: where
 * @of:    what that is, for sentences
 * @disk:  it is on one
 */
void act_cache(const struct act_place *place, const char *of, bool disk)
{
	char path[PATH_MAX + 16];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/cached", place->dir);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st)) {
		deed_untried(OVNIK_EV_page_add, "%s: %s", path, strerror(errno));
		return;
	}
	write_and_cut(fd, &st, of);
	if (disk)
		read_from_disk(fd, &st, of);
	close(fd);
	unlink(path);
}

/*
 * The file system keeps some of its pages in memory, which cannot be given up: one of these
 * places is seldom such a page, all of them never.
 */
static bool read_somewhere(int fd, u64 *offset, struct span *removed, struct span *added)
{
	u64 bytes = 0;
	int part;

	if (ioctl(fd, BLKGETSIZE64, &bytes))
		return false;
	for (part = 17; part < 32; part += 2) {
		*offset = bytes / 32 * part / PAGE * PAGE;
		if (read_anew(fd, *offset, removed, added))
			return true;
	}
	return false;
}

/**
 * act_device() - Read a page of a block device.
 * @path: its path; "": there is none
 */
void act_device(const char *path)
{
	struct span removed, added;
	struct stat st;
	u64 offset;
	int fd;

	fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &st)) {
		deed_untried(OVNIK_EV_buffer_add, "no block device can be read");
		return;
	}
	/* It is read page by page, and not ahead. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	if (read_somewhere(fd, &offset, &removed, &added)) {
		EXPECT(buffer_remove, &removed, "a page of a block device is given up",
		       KEY(buffer_remove, dev, act_dev(st.st_rdev)),
		       KEY(buffer_remove, offset, offset), SOME(buffer_remove, pfn));
		EXPECT(buffer_add, &added, "a page of a block device is read",
		       KEY(buffer_add, dev, act_dev(st.st_rdev)),
		       KEY(buffer_add, offset, offset), SOME(buffer_add, pfn));
	} else {
		deed_untried(OVNIK_EV_buffer_add, "%s: no page can be read anew", path);
	}
	close(fd);
}
