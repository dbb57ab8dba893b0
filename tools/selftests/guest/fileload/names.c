// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <sys/eventfd.h>

#include "../common/fileact.h"
#include "actor.h"
#include "names.h"

const char * const odd_names[NR_ODD_NAMES] = {
	"a blank", " blanks at the ends ", "a\nnew line", "\n", "back\\slash", "\\012", "a\ttab",
	"\x01\x7f", "gr\xc3\xbcn \xe2\x98\x83", "\xff\xfe no utf-8", "gone (deleted)", "\"quoted\"",
	"'", "%s%n", "#1234", "-",
};

static void make_directory(const char *name)
{
	if (mkdir(in_root(name), 0755))
		err(1, "mkdir %s", name);
}

/* The program that is run is on the file system under test: it is opened there. */
static void copy_self(void)
{
	int from = open(tested.self, O_RDONLY);
	int to = open(in_root("program"), O_WRONLY | O_CREAT, 0755);
	char buf[65536];
	ssize_t len;

	while ((len = read(from, buf, sizeof(buf))) > 0)
		must_be(write(to, buf, len), len, "program");
	must(from >= 0 && to >= 0 && !len && !close(from) && !close(to), "program");
}

void make_names(void)
{
	unsigned int i;

	make_directory("odd");
	make_directory("odd dir\n");
	make_directory("jail");
	make_directory("dir");
	make_directory("dir/inner");
	for (i = 0; i < NR_ODD_NAMES; i++)
		make_file(under("odd", odd_names[i]), 1);
	make_file("odd dir\n/file", 10);
	make_file("jail/inside", 10);
	make_file("real/file", 10);
	make_file("name", 4096);
	make_file("secret", 10);
	must(!symlink("dir", in_root("link")), "symlink");
	must(!symlink("../name", in_root("dir/link")), "symlink");
	must(!symlink("loop", in_root("loop")), "symlink");
	must(!mkfifo(in_root("fifo"), 0600), "mkfifo");
	copy_self();
}

/* Renaming. */

static void truncate_open(int fd, __u64 length)
{
	struct identity id = identify(fd);
	__u64 begin = now();

	must(!ftruncate(fd, length), "ftruncate");
	note_truncate(&id, begin, length);
}

static void truncate_name(const char *name, __u64 length)
{
	struct identity id = identify_at(AT_FDCWD, in_root(name), 0);
	__u64 begin = now();

	must(!truncate(in_root(name), length), "truncate");
	note_truncate(&id, begin, length);
}

static void act_truncates(void)
{
	int fd = open_file(in_root("truncate"), O_RDWR), ro;

	truncate_open(fd, 50000);
	truncate_open(fd, 50000);
	truncate_open(fd, 5);
	truncate_open(fd, 1 << 20);
	truncate_name("truncate", 100);
	truncate_name("truncate", 0);
	must(ftruncate(fd, -1) && errno == EINVAL, "ftruncate");
	if (tested.direct_io)	/* tmpfs knows no limit */
		must(ftruncate(fd, LLONG_MAX) && errno == EFBIG, "ftruncate");
	must(truncate(in_root("dir"), 0) && errno == EISDIR, "truncate");
	must(truncate(in_root("none"), 0) && errno == ENOENT, "truncate");
	ro = open_file(in_root("truncate"), O_RDONLY);
	must(ftruncate(ro, 7) && errno == EINVAL, "ftruncate");
	must(!fallocate(fd, 0, 0, 10000), "fallocate");
	must(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 5000), "fallocate");
	close_file(ro);
	close_file(fd);
	open_truncated();
}

void run_names(void)
{
	run_actor(act_opens, "opens");
	run_actor(act_jail, "jail");
	run_actor(act_nobody, "nobody");
	if (!tested.opens_direct)
		run_actor(act_no_direct, "no O_DIRECT");
	run_actor(act_closes, "closes");
	run_actor(act_deletes, "deletes");
	run_actor(act_renames, "renames");
	run_actor(act_truncates, "truncates");
}

void hold(const char *dir)
{
	char data[100] = "";
	int fd, i;

	must(!chdir(dir), "chdir");
	fd = open("held\nfile", O_RDWR | O_CREAT, 0600);
	must_be(write(fd, data, 100), 100, "write");
	lseek(fd, 1234567890123, SEEK_SET);
	must(dup(fd) >= 0, "dup");
	must(open("held\nfile", O_RDONLY | O_CLOEXEC) >= 0, "open");
	must(open(".", O_RDONLY | O_DIRECTORY) >= 0, "open");
	must(open("/dev/null", O_RDWR) >= 0, "open");
	must(open("/proc/self/status", O_RDONLY) >= 0, "open");
	must(open("held\nfile", O_PATH) >= 0, "open");
	must(memfd_create("memory", 0) >= 0, "memfd");
	must(eventfd(0, 0) >= 0, "eventfd");
	fd = open("deleted", O_WRONLY | O_CREAT | O_APPEND, 0600);
	must(fd >= 0 && !unlink("deleted"), "deleted");
	must_be(write(fd, data, 10), 10, "write");
	for (i = 0; i < 300; i++)
		must(open("held\nfile", O_RDONLY) >= 0, "open");
	must_be(dprintf(1, "ready\n"), 6, "stdout");
	pause();
	exit(0);
}

static pthread_t first;

static void *hold_in(void *dir)
{
	pthread_join(first, NULL);
	hold(dir);
	return NULL;
}

void hold_by_thread(char *dir)
{
	pthread_t id;

	first = pthread_self();
	must(!pthread_create(&id, NULL, hold_in, dir), "thread");
	pthread_exit(NULL);
}
