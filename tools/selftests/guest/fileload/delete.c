// SPDX-License-Identifier: GPL-2.0-only
/* Delete and rename files in every way. */

#include "../common/fileact.h"
#include "actor.h"
#include "names.h"

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

/* With this name the file is deleted: it is not open. */
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

/* The process that has it open last need not be the one that deleted it. */
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

void act_deletes(void)
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

void act_renames(void)
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
