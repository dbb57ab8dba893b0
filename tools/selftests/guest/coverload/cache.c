// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "way.h"

static int fd;
static char *mapped;

static void drop_file(void)
{
	drop(scene.file);
}

static void by_read(void)
{
	done(pread(scene.file, scene.page, PAGE, 0) == PAGE);
}

static void by_readahead(void)
{
	done(!readahead(scene.file, 0, PAGE));
}

static void by_willneed(void)
{
	done(!posix_fadvise(scene.file, 0, PAGE, POSIX_FADV_WILLNEED));
}

static void map_dropped(void)
{
	drop(scene.file);
	mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, scene.file, 0);
	done(mapped != MAP_FAILED);
}

static void by_fault(void)
{
	(void)*(volatile char *)mapped;
}

static void by_madvise(void)
{
	done(!madvise(mapped, PAGE, MADV_WILLNEED));
}

static void by_append(void)
{
	done(pwrite(scene.file, scene.page, PAGE, PAGES * PAGE) == PAGE);
}

static void direct_dropped(void)
{
	drop(scene.file);
	fd = open(scene.path, O_RDONLY | O_DIRECT);
	done(fd >= 0);
}

static void direct_cached(void)
{
	fd = open(scene.path, O_WRONLY | O_DIRECT);
	done(fd >= 0);
}

static void read_direct(void)
{
	done(pread(fd, scene.page, PAGE, 0) == PAGE);
}

static void write_direct(void)
{
	done(pwrite(fd, scene.page, PAGE, 0) == PAGE);
}

static void by_dontneed(void)
{
	done(!posix_fadvise(scene.file, 0, 0, POSIX_FADV_DONTNEED));
}

static void open_drop(void)
{
	fd = open("/proc/sys/vm/drop_caches", O_WRONLY);
	done(fd >= 0);
}

static void by_drop(void)
{
	done(write(fd, "1", 1) == 1);
}

static void by_truncate(void)
{
	done(!ftruncate(scene.file, PAGE));
}

static void punch(int file)
{
	done(!fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE));
}

static void punch_file(void)
{
	punch(scene.file);
}

static void punch_tmp(void)
{
	punch(fd);
}

static void close_file(void)
{
	done(!close(scene.file));
}

static void by_unlink(void)
{
	done(!unlink(scene.path));
}

static void open_tmp(void)
{
	fd = new_file(scene.tmp, "cache");
	watch(fd);
}

static void append_tmp(void)
{
	done(pwrite(fd, scene.page, PAGE, PAGES * PAGE) == PAGE);
}

static void allocate_tmp(void)
{
	done(!fallocate(fd, 0, PAGES * PAGE, PAGE));
}

static void map_tmp(void)
{
	open_tmp();
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	done(mapped != MAP_FAILED);
}

static void by_remove(void)
{
	done(!madvise(mapped, PAGE, MADV_REMOVE));
}

static void map_memfd(void)
{
	fd = memfd_create("memory", 0);
	done(fd >= 0 && !ftruncate(fd, PAGE));
	watch(fd);
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	done(mapped != MAP_FAILED);
}

static void write_shared(void)
{
	*(volatile char *)mapped = 1;
}

static void open_disk(void)
{
	fd = open(scene.disk, O_RDWR);
	done(fd >= 0 && !ioctl(fd, BLKFLSBUF));
	watch(fd);
}

static void read_disk(void)
{
	done(pread(fd, scene.page, PAGE, 0) == PAGE);
}

static void fill_disk(void)
{
	open_disk();
	read_disk();
}

static void flush_disk(void)
{
	done(!ioctl(fd, BLKFLSBUF));
}

const struct way ways_to_cache[] = {
	HEADING("Bring pages into the page cache"),
	PREPARED("read of a page that is not cached", by_read, drop_file),
	PREPARED("readahead", by_readahead, drop_file),
	PREPARED("posix_fadvise (POSIX_FADV_WILLNEED)", by_willneed, drop_file),
	PREPARED("fault on a page of a file that is not cached", by_fault, map_dropped),
	PREPARED("madvise (MADV_WILLNEED)", by_madvise, map_dropped),
	WAY("write past the end of a file", by_append),
	PREPARED("read with O_DIRECT of a page that is not cached", read_direct, direct_dropped),
	PREPARED("write past the end of a file of tmpfs", append_tmp, open_tmp),
	PREPARED("fallocate of tmpfs", allocate_tmp, open_tmp),
	PREPARED("write to a new page of a memfd, MAP_SHARED", write_shared, map_memfd),
	PREPARED("read of a block device's page that is not cached", read_disk, open_disk),
	HEADING("Take pages out of the page cache"),
	WAY("posix_fadvise (POSIX_FADV_DONTNEED)", by_dontneed),
	PREPARED("write to /proc/sys/vm/drop_caches", by_drop, open_drop),
	WAY("ftruncate that shortens", by_truncate),
	WAY("fallocate (FALLOC_FL_PUNCH_HOLE)", punch_file),
	PREPARED("fallocate (FALLOC_FL_PUNCH_HOLE) of tmpfs", punch_tmp, open_tmp),
	PREPARED("madvise (MADV_REMOVE)", by_remove, map_tmp),
	PREPARED("write with O_DIRECT to pages that are cached", write_direct, direct_cached),
	PREPARED("unlink of a file whose pages are cached", by_unlink, close_file),
	PREPARED("ioctl (BLKFLSBUF) of a block device", flush_disk, fill_disk),
	{ },
};
