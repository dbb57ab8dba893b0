// SPDX-License-Identifier: GPL-2.0-only
/*
 * pageload - change what the page cache holds in every way; look what it holds
 *
 *	pageload LOG disk DIR DEVICE	a file system on a disk, and the disk itself
 *	pageload LOG memory DIR		tmpfs
 *	pageload LOG huge DIR		tmpfs with huge pages
 *	pageload LOG hugetlb DIR	hugetlbfs
 *	pageload LOG device DEVICE	a disk without a file system mounted
 *
 * After each step, what mincore() says and the frames that /proc/self/pagemap has
 * for it are appended to LOG (see pagelog.h).
 */

#include <linux/fs.h>
#include <pthread.h>
#include <sys/ioctl.h>

#include "common/fileact.h"
#include "pagelog.h"

#define PAGE		4096ULL
#define HUGE_PAGE	(2ULL << 20)
#define PATIENCE	500	/* looks before something is taken to change for ever */
#define FILE_LEN	(75 * PAGE + 77)
#define RACES		150

static int log_fd, pagemap;
/* Of the file that is looked at: pages known to be there, if these are huge. */
static unsigned int huge_pages;
static const char *dir, *disk;
static bool on_disk;
static char buf[1 << 20];

static const char *in_dir(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int make(const char *name)
{
	int fd = open(in_dir(name), O_RDWR | O_CREAT, 0600);

	must(fd >= 0, name);
	return fd;
}

/* Does its first queue have requests that were begun and not freed? A loop device has one queue. */
static bool queue_is_busy(const char *name)
{
	char path[128];
	FILE *file;
	bool busy;

	snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/hctx0/busy", name);
	file = fopen(path, "r");
	if (!file)
		return false; /* without debugfs nobody knows */
	busy = fgetc(file) != EOF;
	fclose(file);
	return busy;
}

/*
 * What is being read from the disk is in the page cache, but not yet to be seen. A request that the
 * disk has done is no longer in flight before its pages can be seen.
 */
static bool disk_rests(void)
{
	char path[128], text[64];
	unsigned int reads, writes;
	FILE *file;

	if (!disk)
		return true;
	if (queue_is_busy(disk + strlen("/dev/")))
		return false;
	snprintf(path, sizeof(path), "/sys/block/%s/inflight", disk + strlen("/dev/"));
	file = fopen(path, "r");
	must(file && fgets(text, sizeof(text), file), path);
	fclose(file);
	must(sscanf(text, "%u %u", &reads, &writes) == 2, path);
	return !reads && !writes;
}

/*
 * To look at a page must not bring others in. Of huge pages mincore() only knows
 * which are mapped.
 */
static unsigned char *map_file(int fd, size_t len)
{
	unsigned char *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	unsigned int i;

	must(map != MAP_FAILED && !madvise(map, len, MADV_RANDOM), "mmap");
	for (i = 0; i < 32; i++) {
		if (huge_pages & 1U << i)
			(void)*(volatile unsigned char *)(map + i * HUGE_PAGE);
	}
	return map;
}

static __u64 frame_of(const unsigned char *map)
{
	__u64 entry;

	(void)*(volatile const unsigned char *)map;
	must(pread(pagemap, &entry, 8, (unsigned long)map / PAGE * 8) == 8 && entry >> 63,
	     "pagemap");
	return entry & ((1ULL << 55) - 1);
}

static __u64 frame_at(const unsigned char *map, size_t index, size_t nr_in_file)
{
	return index < nr_in_file ? frame_of(map + index * PAGE) : ANY_FRAME;
}

/* @nr: so many of them are in the file. Return: whether nothing has changed meanwhile. */
static bool look(const unsigned char *map, size_t nr, __u64 *frames, struct page_check *check)
{
	unsigned char *before = calloc(1, check->nr), *after = calloc(1, check->nr);
	size_t len = check->nr * PAGE, i;
	bool same;

	must(before && after, "no memory");
	same = disk_rests();
	check->begin = now();
	must(!mincore((void *)map, len, before), "mincore");
	for (i = 0; i < check->nr; i++)
		frames[i] = before[i] & 1 ? frame_at(map, i, nr) : NO_FRAME;
	must(!mincore((void *)map, len, after), "mincore");
	same = same && disk_rests() && !memcmp(before, after, check->nr);
	check->end = now();
	free(before);
	free(after);
	return same;
}

static void write_check(const struct page_check *check, const __u64 *frames)
{
	must_be(write(log_fd, check, sizeof(*check)), sizeof(*check), "log");
	must_be(write(log_fd, frames, check->nr * 8), check->nr * 8, "log");
}

/* A huge page may extend beyond the end. */
static void look_at_file(int fd, size_t size, struct page_check *check)
{
	size_t len = (size + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
	__u64 *frames = calloc(len / PAGE, sizeof(*frames));
	unsigned char *map;
	int tries = 0;

	must(!!frames, "no memory");
	if (check->flags & CHECK_BUFFER || huge_pages)
		len = size;
	check->nr = len / PAGE;
	map = map_file(fd, len);
	while (!look(map, (size + PAGE - 1) / PAGE, frames, check)) {
		if (++tries == PATIENCE)
			errx(1, "%s: never the same", check->label);
		usleep(20000);
	}
	munmap(map, len);
	write_check(check, frames);
	free(frames);
}

static void check_file(int fd, const char *label)
{
	struct identity id = identify(fd);
	struct page_check check = {
		.ino = id.ino, .dev = id.dev, .generation = id.generation,
		.flags = id.flags & LOG_ANY_GEN ? CHECK_ANY_GEN : 0,
	};

	snprintf(check.label, sizeof(check.label), "%s", label);
	look_at_file(fd, id.size, &check);
}

/* @flags: CHECK_PART with a file system mounted */
static void check_disk(const char *label, int flags)
{
	int fd = open(disk, O_RDONLY);
	struct page_check check = { .flags = CHECK_BUFFER | flags };
	struct stat st;
	__u64 size;

	must(fd >= 0 && !fstat(fd, &st) && !ioctl(fd, BLKGETSIZE64, &size), disk);
	check.dev = kernel_dev(st.st_rdev);
	snprintf(check.label, sizeof(check.label), "disk: %s", label);
	look_at_file(fd, size, &check);
	close(fd);
}

/* Its inode has gone, and all pages with it. */
static void check_gone(const struct identity *id, const char *label)
{
	struct page_check check = {
		.ino = id->ino, .dev = id->dev, .generation = id->generation,
		.begin = now(), .end = now(),
		.flags = id->flags & LOG_ANY_GEN ? CHECK_ANY_GEN : 0,
	};

	snprintf(check.label, sizeof(check.label), "%s", label);
	write_check(&check, NULL);
}

static void check_all(int fd, const char *label)
{
	check_file(fd, label);
	if (disk)
		check_disk(label, CHECK_PART);
}

/* Clean pages that are not mapped are removed, those of tmpfs stay. */
static void drop_caches(int fd)
{
	int drop = open("/proc/sys/vm/drop_caches", O_WRONLY);

	must(!fsync(fd), "fsync");
	sync();
	must(drop >= 0 && write(drop, "3", 1) == 1, "drop_caches");
	close(drop);
}

static void step_write(int fd)
{
	must_be(pwrite(fd, buf, FILE_LEN, 0), FILE_LEN, "write");
	check_all(fd, "written");
	drop_caches(fd);
	check_all(fd, "dropped");
}

static void step_read(int fd)
{
	static const unsigned int pages[] = { 3, 40, 41, 60 };
	size_t i;

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		must_be(pread(fd, buf, 100, pages[i] * PAGE + 5), 100, "read");
	check_all(fd, "read here and there");
	drop_caches(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
	lseek(fd, 0, SEEK_SET);
	for (i = 0; i < 20; i++)
		must_be(read(fd, buf, 3000), 3000, "read");
	check_all(fd, "read in order");
	drop_caches(fd);
}

static void step_map(int fd)
{
	unsigned char *map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	volatile unsigned char sum = 0;

	must(map != MAP_FAILED, "mmap");
	sum += map[20 * PAGE];
	sum += map[70 * PAGE];
	check_all(fd, "read by a mapping");
	must(!ftruncate(fd, 1 << 20), "ftruncate");
	map[100 * PAGE] = 1;
	map[101 * PAGE] = 2;
	map[3 * PAGE] = sum;
	check_all(fd, "written by a mapping");
	/* As when memory runs short; pages of tmpfs have nowhere to go. */
	must(!fsync(fd) && !madvise(map, 80 * PAGE, MADV_PAGEOUT), "MADV_PAGEOUT");
	check_all(fd, "reclaimed");
	munmap(map, 1 << 20);
	must_be(pread(fd, buf, 20000, 150 * PAGE), 20000, "read of a hole");
	check_all(fd, "read of a hole");
	drop_caches(fd);
	check_all(fd, "dropped again");
}

static void step_cut(int fd)
{
	must_be(pwrite(fd, buf, 1 << 20, 0), 1 << 20, "write");
	must(!ftruncate(fd, 200 * PAGE + 10), "ftruncate");
	check_all(fd, "cut off");
	must(!ftruncate(fd, 230 * PAGE), "ftruncate");
	check_all(fd, "longer");
	must(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 10 * PAGE + 5,
			30 * PAGE), "fallocate");
	check_all(fd, "a hole in it");
	if (!on_disk)
		return;
	must(!fallocate(fd, FALLOC_FL_ZERO_RANGE, 50 * PAGE, 5 * PAGE), "fallocate");
	check_all(fd, "zeroed");
	must(!fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 60 * PAGE, 5 * PAGE), "fallocate");
	check_all(fd, "collapsed");
	must(!fallocate(fd, FALLOC_FL_INSERT_RANGE, 60 * PAGE, 5 * PAGE), "fallocate");
	check_all(fd, "stretched");
}

/*
 * With PREEMPT_RT a thread of its own ends what the disk has done. A read waits for it; it brings
 * no more pages.
 */
static void step_advise(int fd)
{
	drop_caches(fd);
	must(!posix_fadvise(fd, 20 * PAGE, 50 * PAGE, POSIX_FADV_WILLNEED), "fadvise");
	must_be(pread(fd, buf, 50 * PAGE, 20 * PAGE), 50 * PAGE, "read of what is wanted");
	check_all(fd, "wanted");
	must(!readahead(fd, 90 * PAGE, 10 * PAGE), "readahead");
	must_be(pread(fd, buf, 10 * PAGE, 90 * PAGE), 10 * PAGE, "read of what is read ahead");
	check_all(fd, "read ahead");
	must(!posix_fadvise(fd, 30 * PAGE, 10 * PAGE, POSIX_FADV_DONTNEED), "fadvise");
	check_all(fd, "not wanted");
}

static void step_direct(int fd)
{
	int direct = open(in_dir("file"), O_RDWR | O_DIRECT);
	void *data = aligned_alloc(PAGE, 4 * PAGE);

	must(direct >= 0 && data, "O_DIRECT");
	must_be(pread(fd, buf, 100 * PAGE, 0), 100 * PAGE, "read");
	memset(data, 1, 4 * PAGE);
	must_be(pwrite(direct, data, 4 * PAGE, 10 * PAGE), 4 * PAGE, "direct write");
	check_all(fd, "written past the cache");
	must_be(pread(direct, data, 4 * PAGE, 50 * PAGE), 4 * PAGE, "direct read");
	check_all(fd, "read past the cache");
	close(direct);
	free(data);
}

static void step_copy(int fd)
{
	int copy = make("copy");
	loff_t from = 5 * PAGE, to = 3 * PAGE + 9;

	must_be(copy_file_range(fd, &from, copy, &to, 20 * PAGE, 0), 20 * PAGE, "copy");
	must(sendfile(copy, fd, &from, 7 * PAGE) > 0, "sendfile");
	check_all(fd, "copied");
	check_all(copy, "the copy");
	drop_caches(copy);
	check_all(copy, "the copy, dropped");
	must(!rename(in_dir("copy"), in_dir("file2")), "rename");
	close(copy);
}

static void *race_to_cut(void *arg)
{
	unsigned int i;
	int fd = *(int *)arg;

	for (i = 0; i < RACES; i++) {
		switch (i % 3) {
		case 0:
			must(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
			break;
		case 1:
			must(!ftruncate(fd, (i % 60) * PAGE), "ftruncate");
			break;
		default:
			must(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					(i % 40) * PAGE, 10 * PAGE), "fallocate");
		}
	}
	return NULL;
}

static void *race_to_fill(void *arg)
{
	static char data[3 * PAGE], sink[20 * PAGE];
	int fd = *(int *)arg;
	unsigned int i;

	for (i = 0; i < RACES; i++) {
		must(pwrite(fd, data, sizeof(data), (i * 7 % 60) * PAGE) > 0, "write");
		must(pread(fd, sink, sizeof(sink), (i * 3 % 60) * PAGE) >= 0, "read");
	}
	return NULL;
}

static void step_race(int fd)
{
	pthread_t cut, fill;

	must(!pthread_create(&cut, NULL, race_to_cut, &fd), "thread");
	must(!pthread_create(&fill, NULL, race_to_fill, &fd), "thread");
	pthread_join(cut, NULL);
	pthread_join(fill, NULL);
	check_all(fd, "after a race");
}

static void step_many(void)
{
	struct identity id;
	char name[32];
	int i, fd;

	for (i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "many%d", i % 10);
		fd = make(name);
		must(pwrite(fd, buf, 1 + i * 1000, 0) > 0, "write");
		if (i >= 10)
			check_file(fd, name);
		id = identify(fd);
		close(fd);
		if (i % 2) {
			must(!unlink(in_dir(name)), "unlink");
			check_gone(&id, name);
		}
	}
}

static void step_delete(int fd)
{
	struct identity id = identify(fd);

	must_be(pwrite(fd, buf, 10 * PAGE, 0), 10 * PAGE, "write");
	must(!unlink(in_dir("file")), "unlink");
	check_all(fd, "without a name");
	must_be(pwrite(fd, buf, 100, 20 * PAGE), 100, "write");
	check_all(fd, "written without a name");
	close(fd);
	check_gone(&id, "deleted");
}

static void run_files(void)
{
	int fd = make("file");

	step_write(fd);
	step_read(fd);
	step_map(fd);
	step_cut(fd);
	if (on_disk) {
		step_advise(fd);
		step_direct(fd);
	}
	step_copy(fd);
	step_race(fd);
	step_many();
	step_delete(fd);
	if (disk)
		check_disk("at the end", CHECK_PART);
}

/* Huge pages are split when a part of them goes. */
static void run_huge(void)
{
	int fd = make("file"), i;
	struct identity id;

	for (i = 0; i < 4; i++)
		must_be(pwrite(fd, buf, 1 << 20, (loff_t)i << 20), 1 << 20, "write");
	must_be(pwrite(fd, buf, 100000, 4 << 20), 100000, "write");
	check_file(fd, "huge");
	must(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (1 << 20) + 5,
			10 * PAGE), "fallocate");
	check_file(fd, "huge, with a hole");
	must(!ftruncate(fd, (3 << 20) - 100), "ftruncate");
	check_file(fd, "huge, cut off");
	must_be(pwrite(fd, buf, 100000, 7 << 20), 100000, "write");
	check_file(fd, "huge, longer");
	step_race(fd);
	id = identify(fd);
	must(!unlink(in_dir("file")), "unlink");
	close(fd);
	check_gone(&id, "huge, deleted");
}

static void run_hugetlb(void)
{
	int fd = make("file");
	struct identity id;
	unsigned char *map;

	must(!ftruncate(fd, 3 * HUGE_PAGE), "ftruncate");
	map = mmap(NULL, 3 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED, "mmap");
	map[5] = 1;
	map[2 * HUGE_PAGE + 5] = 1;
	munmap(map, 3 * HUGE_PAGE);
	huge_pages = 1 << 0 | 1 << 2;
	check_file(fd, "hugetlb");
	must(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, HUGE_PAGE),
	     "fallocate");
	huge_pages = 1 << 2;
	check_file(fd, "hugetlb, with a hole");
	id = identify(fd);
	must(!unlink(in_dir("file")), "unlink");
	close(fd);
	check_gone(&id, "hugetlb, deleted");
}

/* Held open, lest all go at each look. */
static void run_device(void)
{
	int fd = open(disk, O_RDWR), i;

	must(fd >= 0, disk);
	check_disk("untouched", 0);
	for (i = 0; i < 30; i++)
		must_be(pread(fd, buf, 5000, i * 3000), 5000, "read");
	check_disk("read", 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	must_be(pread(fd, buf, 10, 5000 * PAGE), 10, "read");
	check_disk("read somewhere", 0);
	must_be(pwrite(fd, buf, 50000, 16000 * PAGE + 100), 50000, "write");
	check_disk("written", 0);
	must(!posix_fadvise(fd, 0, 5 * PAGE, POSIX_FADV_DONTNEED), "fadvise");
	check_disk("not wanted", 0);
	must(!ioctl(fd, BLKFLSBUF), "BLKFLSBUF");
	check_disk("flushed", 0);
	must_be(pread(fd, buf, 10, 0), 10, "read");
	close(fd);
	check_disk("closed", 0);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		errx(2, "usage: pageload LOG disk|memory|huge|hugetlb|device DIR [DEVICE]");
	log_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	must(log_fd >= 0 && pagemap >= 0, "log, pagemap");
	dir = argv[3];
	disk = argv[4];
	if (!strcmp(argv[2], "disk")) {
		on_disk = true;
		run_files();
	} else if (!strcmp(argv[2], "memory")) {
		run_files();
	} else if (!strcmp(argv[2], "huge")) {
		run_huge();
	} else if (!strcmp(argv[2], "hugetlb")) {
		run_hugetlb();
	} else {
		disk = argv[3];
		run_device();
	}
	return 0;
}
