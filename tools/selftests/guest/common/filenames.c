// SPDX-License-Identifier: GPL-2.0-only
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "fileact.h"
#include "fileactor.h"
#include "filenames.h"

#define NOBODY		65534

#define NR_ODD_NAMES	(sizeof(odd_names) / sizeof(*odd_names))

static const char * const odd_names[] = {
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

/* Opening. */

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

/* Truncated after it was opened, and by the same call. */
static void open_truncated(void)
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

static void act_opens(void)
{
	open_odd_names();
	open_relative();
	open_made();
	open_others();
	open_failures();
	open_truncated();
	open_deep();
}

static void act_jail(void)
{
	int outside;

	outside = open_at(AT_FDCWD, tested.root, O_RDONLY | O_DIRECTORY, tested.root);
	must(!chroot(in_root("jail")) && !chdir("/"), "chroot");
	open_close(AT_FDCWD, "/inside", O_RDONLY, "/inside");
	open_close(AT_FDCWD, "/", O_RDONLY, "/");
	open_close(outside, "name", O_RDONLY, NULL);
	close_file(outside);
}

static void act_nobody(void)
{
	must(!setgid(NOBODY) && !setuid(NOBODY), "setuid");
	must_fail(in_root("secret"), O_RDONLY, EACCES);
	must_fail(in_root("new"), O_RDONLY | O_CREAT, EACCES);
}

/* Where there is no O_DIRECT, this comes to light when the file is open already. */
static void act_no_direct(void)
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

/* Closing. */

static void close_copies(void)
{
	int fd = open_file(in_root("name"), O_RDWR), copy = dup(fd), other, third;
	struct log_entry *entry;

	close(fd);
	third = fcntl(copy, F_DUPFD_CLOEXEC, 20);
	close(copy);
	close_file(third);
	fd = open_file(in_root("name"), O_RDONLY);
	other = open_file(in_root("name"), O_WRONLY | O_APPEND);
	/* The flags may change meanwhile. */
	fcntl(other, F_SETFL, O_NONBLOCK);
	entry = expect_close(other);
	must(dup2(fd, other) == other, "dup2");
	entry->end = now();
	close(fd);
	close_file(other);
}

static void close_mapped(void)
{
	int fd = open_file(in_root("name"), O_RDWR);
	struct log_entry *entry;
	void *map;

	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED, "mmap");
	entry = expect_close(fd);
	close(fd);
	entry->begin = now();
	munmap(map, 4096);
	entry->end = now();
}

/* A file on its way through a socket that nobody will read. */
static void close_in_flight(void)
{
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct log_entry *entry;
	int pair[2], fd;

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	fd = open_file(in_root("name"), O_RDONLY);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	must_be(sendmsg(pair[0], &msg, 0), 1, "sendmsg");
	entry = expect_close(fd);
	close(fd);
	close(pair[0]);
	entry->begin = now();
	close(pair[1]);
	entry->end = now();
}

static int handed_down;

/* The others have done what was to be done before. */
static void give_turn(void)
{
	__atomic_store_n(&filelog->turn, 1, __ATOMIC_SEQ_CST);
}

static void wait_turn(void)
{
	while (!__atomic_exchange_n(&filelog->turn, 0, __ATOMIC_SEQ_CST))
		usleep(1000);
}

static void act_child_last(void)
{
	struct log_entry *entry = expect_close(handed_down);

	wait_turn();
	entry->begin = now();
	close(handed_down);
	entry->end = now();
}

static void act_child_first(void)
{
	close(handed_down);
}

/* It ends with the file open, which its parent has not any more. */
static void act_child_exit(void)
{
	expect_close(handed_down);
	wait_turn();
}

static void act_child_killed(void)
{
	expect_close(handed_down);
	wait_turn();
	raise(SIGKILL);
}

static void close_shared(void)
{
	pid_t pid;
	int status;

	handed_down = open_file(in_root("name"), O_RDONLY);
	run_actor(act_child_first, "child");
	close_file(handed_down);
	handed_down = open_file(in_root("name"), O_RDONLY);
	pid = start_actor(act_child_last);
	close(handed_down);
	give_turn();
	wait_for(pid, "child");
	handed_down = open_file(in_root("name"), O_RDONLY);
	pid = start_actor(act_child_exit);
	close(handed_down);
	give_turn();
	wait_for(pid, "child");
	handed_down = open_file(in_root("name"), O_RDONLY);
	pid = start_actor(act_child_killed);
	close(handed_down);
	give_turn();
	must(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "killed");
}

/* One file goes with the exec, one with the exit, and so does the program itself. */
static void act_exec(void)
{
	struct identity id = identify_at(AT_FDCWD, in_root("program"), 0);
	struct log_entry *entry;
	int stays, goes;

	goes = open_file(in_root("name"), O_RDONLY | O_CLOEXEC);
	stays = open_file(in_root("name"), O_RDWR);
	expect_close(goes);
	expect_close(stays);
	entry = note(LOG_CLOSE, &id, now());
	entry->end = ~0ULL;
	entry->flags |= LOG_ANY_MODE;
	entry = note(LOG_OPEN, &id, now());
	entry->end = ~0ULL;
	entry->flags |= LOG_ANY_MODE;
	entry->text = add_text(in_root("program"));
	execl(in_root("program"), "program", "end", NULL);
	err(1, "exec");
}

static void act_closes(void)
{
	close_copies();
	close_mapped();
	close_in_flight();
	close_shared();
	run_actor(act_exec, "exec");
}

/* Deleting. */

static int new_file(const char *name, size_t len)
{
	int fd = open_file(in_root(name), O_RDWR | O_CREAT | O_EXCL);
	char *data = calloc(1, len);

	must_be(write_file(fd, data, len), len, "write");
	free(data);
	return fd;
}

static void new_closed(const char *name, size_t len)
{
	close_file(new_file(name, len));
}

/* With this name goes the file, nobody has it open. */
static void delete_name(const char *name, int flags)
{
	struct identity id = identify_at(AT_FDCWD, in_root(name), 0);
	struct log_entry *entry = expect_delete(&id);

	must(!unlinkat(AT_FDCWD, in_root(name), flags), name);
	entry->end = now();
}

/* Its name has gone: now with the last user the file goes, too. */
static void close_deleted(int fd)
{
	struct identity id = identify(fd);
	struct log_entry *entry = expect_delete(&id);

	close_file(fd);
	entry->end = now();
}

static void delete_open(void)
{
	struct identity id;
	struct log_entry *entry;
	char path[PATH_MAX];
	int fd = new_file("victim", 5000), again;

	must(!unlink(in_root("victim")), "unlink");
	snprintf(path, sizeof(path), "self/fd/%d", fd);
	again = open_at(proc_fd, path, O_RDONLY, in_root("victim (deleted)"));
	close_file(again);
	must_be(write_file(fd, path, 1000), 1000, "write to a deleted file");
	close_deleted(fd);

	/* Held by a descriptor that can do nothing but that. */
	new_closed("victim", 10);
	fd = open(in_root("victim"), O_PATH);
	id = identify(fd);
	must(!unlink(in_root("victim")), "unlink");
	entry = expect_delete(&id);
	close(fd);
	entry->end = now();
}

static void delete_mapped(void)
{
	int fd = new_file("victim", 5000);
	struct log_entry *closes, *deletes;
	struct identity id;
	void *map;

	id = identify(fd);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED, "mmap");
	must(!unlink(in_root("victim")), "unlink");
	closes = expect_close(fd);
	close(fd);
	deletes = expect_delete(&id);
	closes->begin = deletes->begin;
	munmap(map, 4096);
	closes->end = now();
	deletes->end = now();
}

static void delete_links(void)
{
	new_closed("victim", 100);
	must(!link(in_root("victim"), in_root("victim2")), "link");
	must(!unlink(in_root("victim")), "unlink");
	delete_name("victim2", 0);
}

static void delete_unnamed(void)
{
	char path[64];
	int fd;

	fd = open_file(tested.root, O_RDWR | O_TMPFILE);
	must_be(write_file(fd, path, 10), 10, "write");
	close_deleted(fd);
	fd = open_file(tested.root, O_RDWR | O_TMPFILE);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	must(!linkat(AT_FDCWD, path, AT_FDCWD, in_root("named"), AT_SYMLINK_FOLLOW), "linkat");
	close_file(fd);
	delete_name("named", 0);
}

/* Whoever has it open last need not be who has deleted it. */
static void act_holder(void)
{
	struct identity id = identify(handed_down);

	expect_close(handed_down);
	wait_turn();
	expect_delete(&id);
}

static void delete_held(void)
{
	pid_t pid;

	handed_down = new_file("victim", 300);
	pid = start_actor(act_holder);
	must(!unlink(in_root("victim")), "unlink");
	close(handed_down);
	give_turn();
	wait_for(pid, "holder");
}

static void delete_others(void)
{
	must(!mkdir(in_root("victim"), 0700), "mkdir");
	delete_name("victim", AT_REMOVEDIR);
	must(!symlink("nowhere", in_root("victim")), "symlink");
	delete_name("victim", 0);
	must(!mkfifo(in_root("victim"), 0600), "mkfifo");
	delete_name("victim", 0);
}

static void act_deletes(void)
{
	new_closed("victim", 12345);
	delete_name("victim", 0);
	new_closed("victim", 1);
	delete_name("victim", 0);
	delete_open();
	delete_mapped();
	delete_links();
	delete_unnamed();
	delete_held();
	delete_others();
}

/* Renaming. */

/* The path is reported from the root of the file system. */
static void note_rename(const struct identity *id, __u64 begin, const char *name, int flags)
{
	struct log_entry *entry = note(LOG_RENAME, id, begin);

	entry->mode = flags;
	entry->text = add_text(under("", name));
}

static void rename_flags(const char *from, const char *to, int flags)
{
	struct identity id = identify_at(AT_FDCWD, in_root(from), 0), other;
	__u64 begin;

	if (flags & RENAME_EXCHANGE)
		other = identify_at(AT_FDCWD, in_root(to), 0);
	begin = now();
	must(!renameat2(AT_FDCWD, in_root(from), AT_FDCWD, in_root(to), flags), from);
	note_rename(&id, begin, to, flags);
	if (flags & RENAME_EXCHANGE)
		note_rename(&other, begin, from, flags);
}

static void rename_failures(void)
{
	must(renameat2(AT_FDCWD, in_root("name"), AT_FDCWD, in_root("dir/there"),
		       RENAME_NOREPLACE), "rename");
	must(rename(in_root("none"), in_root("dir/there")), "rename");
	must(rename(in_root("dir"), in_root("dir/inner/dir")), "rename");
	/* Two names of one file: nothing happens. */
	must(!link(in_root("name"), in_root("same")), "link");
	must(!rename(in_root("name"), in_root("same")), "rename");
}

static void rename_over(void)
{
	struct log_entry *entry;
	struct identity id;
	int fd;

	new_closed("over", 700);
	new_closed("mover", 10);
	id = identify_at(AT_FDCWD, in_root("over"), 0);
	entry = expect_delete(&id);
	rename_flags("mover", "over", 0);
	entry->end = now();

	fd = open_file(in_root("over"), O_RDWR);
	new_closed("mover", 20);
	rename_flags("mover", "over", 0);
	close_deleted(fd);
}

static void act_renames(void)
{
	new_closed("old", 10);
	rename_flags("old", "new", 0);
	rename_flags("new", "dir/there", RENAME_NOREPLACE);
	rename_flags("dir/inner", "moved\ndir", 0);
	rename_flags("moved\ndir", "dir/inner", 0);
	new_closed("a", 10);
	rename_flags("a", "dir/there", RENAME_EXCHANGE);
	rename_flags("a", "dir", RENAME_EXCHANGE);
	rename_flags("a", "dir", RENAME_EXCHANGE);
	rename_failures();
	rename_over();
}

/* Truncating. */

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
