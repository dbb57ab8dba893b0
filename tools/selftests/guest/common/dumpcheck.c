// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture.h"
#include "dumpcheck.h"

#define DIR_TEXT	64

/* What /proc says of a descriptor, as a record would. */
struct held {
	__u32 fd;
	__u32 flags;
	__u64 offset;
	__u64 ino;
	__u32 dev;
	char path[PATH_MAX + 1];
};

/* What has no name is not recorded: memory, pipes; nor what cannot be used. */
static bool is_named(const struct held *held)
{
	return held->path[0] == '/' && strncmp(held->path, "/memfd:", 7) &&
	       !(held->flags & O_PATH);
}

static void read_info(const char *dir, const char *fd, struct held *held)
{
	char path[PATH_MAX], line[256];
	unsigned long long number;
	FILE *file;

	snprintf(path, sizeof(path), "%s/fdinfo/%s", dir, fd);
	file = fopen(path, "r");
	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "pos: %llu", &number) == 1)
			held->offset = number;
		if (sscanf(line, "flags: %llo", &number) == 1)
			held->flags = number & ~O_CLOEXEC;
	}
	fclose(file);
}

static void read_held(const char *dir, const char *fd, struct held *held)
{
	char path[PATH_MAX];
	struct stat st;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/fd/%s", dir, fd);
	len = readlink(path, held->path, PATH_MAX);
	if (len < 0 || stat(path, &st))
		err(1, "%s", path);
	held->path[len] = '\0';
	held->fd = strtoul(fd, NULL, 10);
	held->dev = major(st.st_dev) << 20 | minor(st.st_dev);
	held->ino = st.st_ino;
	read_info(dir, fd, held);
}

static bool same_held(const struct held *held, const struct ovnik_dump_file *file)
{
	return file->fd == held->fd && file->flags == held->flags && file->dev == held->dev &&
	       file->ino == held->ino && file->offset == held->offset &&
	       !strcmp(file->path, held->path);
}

/* Return: how many records there are of a descriptor; *same if one of them is right. */
static unsigned int find_dump(const struct events *events, __u32 pid, const struct held *held,
			      bool *same)
{
	unsigned int nr = 0;
	size_t i;

	*same = false;
	for (i = 0; i < events->nr; i++) {
		const struct ovnik_dump_file *file = events->event[i].record;

		if (events->event[i].kind != OVNIK_EV_dump_file || file->tid != pid ||
		    file->fd != held->fd)
			continue;
		nr++;
		*same = same_held(held, file);
		if (!*same)
			printf("# record: fd %u flags %#x dev %#x ino %llu pos %llu %s\n",
			       file->fd, file->flags, file->dev, file->ino, file->offset,
			       file->path);
	}
	return nr;
}

static bool check_held(const struct events *events, __u32 pid, const struct held *held,
		       unsigned int *named)
{
	bool same, good;
	unsigned int nr = find_dump(events, pid, held, &same);

	if (is_named(held)) {
		++*named;
		good = nr == 1 && same;
	} else {
		good = !nr;
	}
	if (!good)
		printf("# %u records of fd %u flags %#x dev %#x ino %llu pos %llu %s\n", nr,
		       held->fd, held->flags, held->dev, held->ino, held->offset, held->path);
	return good;
}

static unsigned int count_dump(const struct events *events, __u32 pid)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		const struct ovnik_dump_file *file = events->event[i].record;

		nr += events->event[i].kind == OVNIK_EV_dump_file && file->tid == pid;
	}
	return nr;
}

/* /proc/PID/fd is empty if the first thread has ended: that of the last one. */
static void find_thread(__u32 pid, char dir[DIR_TEXT])
{
	unsigned long last = 0, tid;
	struct dirent *entry;
	DIR *threads;

	snprintf(dir, DIR_TEXT, "/proc/%u/task", pid);
	threads = opendir(dir);
	if (!threads)
		err(1, "%s", dir);
	while ((entry = readdir(threads))) {
		tid = strtoul(entry->d_name, NULL, 10);
		last = tid > last ? tid : last;
	}
	closedir(threads);
	snprintf(dir, DIR_TEXT, "/proc/%u/task/%lu", pid, last);
}

bool same_dump(const struct events *events, const char *pid)
{
	__u32 tid = strtoul(pid, NULL, 10);
	unsigned int named = 0, recorded = count_dump(events, tid);
	char dir[DIR_TEXT], path[PATH_MAX];
	struct dirent *entry;
	bool good = true;
	DIR *fds;

	find_thread(tid, dir);
	snprintf(path, sizeof(path), "%s/fd", dir);
	fds = opendir(path);
	if (!fds)
		err(1, "%s", path);
	while ((entry = readdir(fds))) {
		struct held held = {};

		if (*entry->d_name == '.')
			continue;
		read_held(dir, entry->d_name, &held);
		good = check_held(events, tid, &held, &named) && good;
	}
	closedir(fds);
	printf("# %u descriptors with a name, %u recorded\n", named, recorded);
	return good && named && named == recorded;
}
