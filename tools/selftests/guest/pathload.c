// SPDX-License-Identifier: GPL-2.0-only
/*
 * pathload - open files whose paths change
 *
 *	pathload DIR ROUNDS
 *
 * Each is opened twice. Between that directories and files are renamed, exchanged, deleted and made
 * again with the same and with other names, linked, mounted elsewhere and seen from other roots. It
 * prints the path of each in the order of the opens, as the kernel says it in /proc/self/fd.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int proc;

static void must(int ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
}

static void say(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "%d", fd);
	len = readlinkat(proc, link, path, sizeof(path) - 1);
	must(len, link);
	path[len] = '\0';
	puts(path);
}

/* Twice: the second time its path is known. */
static void look_from(int dir, const char *path)
{
	int i, fd;

	for (i = 0; i < 2; i++) {
		fd = openat(dir, path, O_RDONLY);
		must(fd, path);
		say(fd);
		close(fd);
	}
}

static void look(const char *path)
{
	look_from(AT_FDCWD, path);
}

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0644);

	must(fd, path);
	say(fd);
	close(fd);
}

static void renamed(void)
{
	must(mkdir("a", 0755), "a");
	make("a/file");
	look("a/file");
	must(rename("a", "b"), "a to b");
	look("b/file");
	must(rename("b/file", "b/another"), "file");
	look("b/another");
	must(rename("b", "a"), "b to a");
	must(rename("a/another", "a/file"), "file");
	look("a/file");
}

/* What was deleted is free after a grace period of RCU, which this waits for. */
static void wait_until_free(void)
{
	int i;

	for (i = 0; i < 2; i++)
		must(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0), "membarrier");
}

/* The kernel makes dentries of the new ones where those of the old ones were. */
static void made_again(int round)
{
	char dir[32], file[48];
	int i;

	for (i = 0; i < 4; i++) {
		snprintf(dir, sizeof(dir), "dir%c%d", 'a' + i, i & 1 ? round : 0);
		snprintf(file, sizeof(file), "%s/file", dir);
		must(mkdir(dir, 0755), dir);
		make(file);
		look(file);
		must(unlink(file), file);
		must(rmdir(dir), dir);
		wait_until_free();
	}
}

/* Only time has passed, or another file was renamed: the path is what it was. */
static void the_same(void)
{
	look("a/file");
	wait_until_free();
	look("a/file");
	make("a/other");
	look("a/file");
	must(rename("a/other", "a/othes"), "another file");
	look("a/file");
	must(unlink("a/othes"), "a/othes");
}

/* One letter differs, in a word, behind the last one or at an end of it, or the length. */
static void named(void)
{
	static const char *const names[] = {
		"a/x", "a/y", "a/xy", "a/x", "a/1234567", "a/1234568", "a/12345678", "a/02345678",
		"a/02345679", "a/023456790", "a/023456791", "a/023456790", "a/0234567901234567",
		"a/0234567901234568", "a/0234567911234568", "a/0234567911234568-------------------x",
		"a/0234567911234568-------------------y", "a/0234567911234568------------------z-",
		"a/0234567911234568-------------------------------------------------------x",
		"a/0234567911234568-------------------------------------------------------y",
		"a/1234567911234568-------------------------------------------------------y",
	};
	const char *name = names[0];
	size_t i;

	make(name);
	look(name);
	for (i = 1; i < sizeof(names) / sizeof(*names); i++) {
		must(rename(name, names[i]), name);
		name = names[i];
		look(name);
	}
	must(unlink(name), name);
}

static void exchange(const char *one, const char *other)
{
	must(renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE), one);
}

static void look_at_all(void)
{
	look("a/file");
	look("e/file");
	look("e/fils");
}

/* Files and directories change places; a file moves to where the path is longer, and back. */
static void exchanged(void)
{
	must(mkdir("e", 0755), "e");
	must(mkdir("e/e", 0755), "e/e");
	make("e/file");
	make("e/fils");
	look_at_all();
	exchange("e/file", "e/fils");
	look_at_all();
	exchange("a", "e");
	look("a/file");
	look("e/file");
	exchange("a/fils", "e/file");
	look("e/file");
	look("a/fils");
	exchange("a/fils", "e/file");
	exchange("e", "a");
	look_at_all();
	must(rename("e/file", "e/e/file"), "down");
	look("e/e/file");
	must(rename("e/e/file", "file"), "up");
	look("file");
	must(unlink("file"), "file");
	must(unlink("e/fils"), "e/fils");
	must(rmdir("e/e"), "e/e");
	must(rmdir("e"), "e");
}

static void linked(void)
{
	must(link("a/file", "a/link"), "link");
	look("a/file");
	look("a/link");
	look("a/file");
	must(unlink("a/link"), "link");
}

static void deleted(void)
{
	char path[32];
	int fd;

	make("a/gone");
	fd = open("a/gone", O_RDONLY);
	must(fd, "a/gone");
	say(fd);
	must(unlink("a/gone"), "a/gone");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	look(path);
	make("a/gone");
	look("a/gone");
	close(fd);
	must(unlink("a/gone"), "a/gone");
}

/*
 * A directory that becomes a place for mounts counts as renamed, and so does the root of what is
 * mounted there. Here both are places already, in another mount of the file system.
 */
static void prepare_place(void)
{
	must(mkdir("n", 0755), "n");
	must(mkdir("o", 0755), "o");
	must(mount(".", "o", NULL, MS_BIND, NULL), "mount");
	must(mount("a", "o/n", NULL, MS_BIND, NULL), "mount");
	must(mount("n", "o/a", NULL, MS_BIND, NULL), "mount");
}

static void mounted(void)
{
	must(mkdir("m", 0755), "m");
	prepare_place();
	must(mount("a", "m", NULL, MS_BIND, NULL), "mount");
	look("m/file");
	look("a/file");
	look("m/file");
	must(mount("m", "n", NULL, MS_MOVE, NULL), "move");
	look("n/file");
	must(mount("n", "m", NULL, MS_MOVE, NULL), "move back");
	look("m/file");
	must(umount("m"), "umount");
	must(mount("tmpfs", "m", "tmpfs", 0, "size=64k"), "tmpfs");
	make("m/file");
	look("m/file");
	must(umount("m"), "umount");
	must(umount2("o", MNT_DETACH), "umount");
	must(rmdir("o"), "o");
	must(rmdir("m"), "m");
	must(rmdir("n"), "n");
}

/* A process of its own, whose root is another directory, looks at the file in @dir. */
static void from_root(const char *root, int dir)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	must(pid, "fork");
	if (pid) {
		must(waitpid(pid, &status, 0), "wait");
		if (status)
			errx(1, "the process with another root has failed");
		return;
	}
	close(proc);
	proc = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(proc, "/proc/self/fd");
	/* The root of the descriptor's process counts. */
	must(chroot(root), "chroot");
	must(chdir("/"), "/");
	look_from(dir, "file");
	fflush(stdout);
	_exit(0);
}

/* Roots that are the same directory of another mount, and another one of the same mount. */
static void from_roots(void)
{
	int dir = open("a", O_PATH);

	must(dir, "a");
	must(mkdir("m", 0755), "m");
	must(mount("a", "m", NULL, MS_BIND, NULL), "mount");
	from_root("m", dir);
	from_root("a", dir);
	from_root(".", dir);
	must(umount("m"), "umount");
	must(rmdir("m"), "m");
	close(dir);
}

int main(int argc, char **argv)
{
	int i, rounds;
	cpu_set_t cpus;

	if (argc != 3 || chdir(argv[1]))
		errx(2, "usage: pathload DIR ROUNDS");
	rounds = atoi(argv[2]);
	/* Memory is given out again where it was given back. */
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	must(sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity");
	proc = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(proc, "/proc/self/fd");
	renamed();
	for (i = 0; i < rounds; i++) {
		made_again(i);
		the_same();
		named();
		exchanged();
		linked();
		deleted();
		mounted();
		look("a/file");
		from_roots();
		look("a/file");
	}
	return 0;
}
