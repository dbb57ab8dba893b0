// SPDX-License-Identifier: GPL-2.0-only
/* Open files in every way. */

#include <sys/wait.h>

#include "../common/fileact.h"
#include "actor.h"
#include "names.h"

#define NOBODY		65534

static void open_close(int dir, const char *name, int flags, const char *path)
{
	close_file(open_at(dir, name, flags, path));
}

static void open_odd_names(void)
{
	unsigned int i;
	int dir;

	dir = open_at(AT_FDCWD, in_root("odd"), O_RDONLY | O_DIRECTORY, in_root("odd"));
	for (i = 0; i < NR_ODD_NAMES; i++)
		open_close(dir, odd_names[i], O_RDWR, in_root(under("odd", odd_names[i])));
	close_file(dir);
}

static void open_relative(void)
{
	must(!chdir(in_root("dir/inner")), "chdir");
	open_close(AT_FDCWD, "../../name", O_RDONLY, in_root("name"));
	open_close(AT_FDCWD, "../link", O_RDONLY, in_root("name"));
	open_close(AT_FDCWD, "..//.//../link/../name", O_RDONLY, in_root("name"));
	open_close(AT_FDCWD, in_root("link/../name"), O_RDONLY, in_root("name"));
	must(!chdir("/"), "chdir");
	open_close(AT_FDCWD, in_root("odd dir\n/file"), O_RDONLY, in_root("odd dir\n/file"));
	open_close(AT_FDCWD, under(tested.bound, "file"), O_RDONLY, under(tested.bound, "file"));
	open_close(AT_FDCWD, in_root("real/file"), O_RDONLY, in_root("real/file"));
}

static void open_made(void)
{
	int fd;

	/* New, and therefore not truncated. */
	fd = open_file(in_root("made"), O_RDWR | O_CREAT | O_TRUNC);
	close_file(fd);
	fd = open_file(in_root("made2"), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC);
	close_file(fd);
}

static void open_others(void)
{
	int fd = memfd_create("memory", 0);

	/* Not to be seen, but what is read and written is. */
	must(fd >= 0, "memfd");
	must_be(write_file(fd, "abc", 3), 3, "memfd");
	close(fd);
	open_close(AT_FDCWD, "/dev/null", O_WRONLY, "/dev/null");
	open_close(AT_FDCWD, in_root("fifo"), O_RDWR, in_root("fifo"));
	open_close(AT_FDCWD, tested.root, O_RDONLY, tested.root);
	fd = open(in_root("name"), O_PATH);
	must(fd >= 0, "O_PATH");
	close(fd);
}

static void must_fail(const char *name, int flags, int error)
{
	int fd = open(name, flags, 0600);

	if (fd >= 0 || errno != error)
		err(1, "open of %s fails in another way", name);
}

static void open_failures(void)
{
	must_fail(in_root("none"), O_RDONLY, ENOENT);
	must_fail(in_root("none/none"), O_RDONLY | O_CREAT, ENOENT);
	must_fail(in_root("name"), O_RDONLY | O_CREAT | O_EXCL, EEXIST);
	must_fail(in_root("name/none"), O_RDONLY, ENOTDIR);
	must_fail(in_root("name"), O_RDONLY | O_DIRECTORY, ENOTDIR);
	must_fail(in_root("dir"), O_WRONLY, EISDIR);
	must_fail(in_root("loop"), O_RDONLY, ELOOP);
	must_fail(in_root("link"), O_RDONLY | O_NOFOLLOW, ELOOP);
	must_fail(in_root("fifo"), O_WRONLY | O_NONBLOCK, ENXIO);
	must_fail(tested.self, O_WRONLY, ETXTBSY);
}

void open_truncated(void)
{
	__u64 begin = now();
	struct identity id;
	int fd;

	fd = open(in_root("truncate"), O_RDWR | O_TRUNC);
	must(fd >= 0, "O_TRUNC");
	note_open(fd, begin, in_root("truncate"));
	id = identify(fd);
	note_truncate(&id, begin, 0);
	close_file(fd);
}

/* Nothing but its own names counts for a path of more than PATH_MAX. */
static void open_deep(void)
{
	char name[256];
	int dir, next, i;

	memset(name, 'n', 255);
	name[255] = '\0';
	dir = open(tested.root, O_PATH);
	for (i = 0; i < 17; i++) {
		must(!mkdirat(dir, name, 0755), "mkdir");
		next = openat(dir, name, O_PATH);
		must(next >= 0, "deep");
		close(dir);
		dir = next;
	}
	open_close(dir, "file", O_RDWR | O_CREAT, NULL);
	close(dir);
}

void act_opens(void)
{
	open_odd_names();
	open_relative();
	open_made();
	open_others();
	open_failures();
	open_truncated();
	open_deep();
}

void act_jail(void)
{
	int outside;

	outside = open_at(AT_FDCWD, tested.root, O_RDONLY | O_DIRECTORY, tested.root);
	must(!chroot(in_root("jail")) && !chdir("/"), "chroot");
	open_close(AT_FDCWD, "/inside", O_RDONLY, "/inside");
	open_close(AT_FDCWD, "/", O_RDONLY, "/");
	open_close(outside, "name", O_RDONLY, NULL);
	close_file(outside);
}

void act_nobody(void)
{
	must(!setgid(NOBODY) && !setuid(NOBODY), "setuid");
	must_fail(in_root("secret"), O_RDONLY, EACCES);
	must_fail(in_root("new"), O_RDONLY | O_CREAT, EACCES);
}

void act_no_direct(void)
{
	struct identity id = identify_at(AT_FDCWD, in_root("name"), 0);
	__u64 begin = now();
	struct log_entry *opens, *closes;

	must_fail(in_root("name"), O_RDONLY | O_DIRECT, EINVAL);
	opens = note(LOG_OPEN, &id, begin);
	opens->text = add_text(in_root("name"));
	opens->flags |= LOG_ANY_MODE;
	closes = note(LOG_CLOSE, &id, begin);
	closes->flags |= LOG_ANY_MODE;
}
