// SPDX-License-Identifier: GPL-2.0-only
/* Libraries that would open files by themselves, and what is drawn: see memfs.h. */
#include <errno.h>
#include <libelf.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memfs_priv.h"

#define WRAP(type, name, args)				\
	type __real_##name args;			\
	type __wrap_##name args;			\
	type __wrap_##name args

static char database[MEMFS_PATH_MAX];

/* The database is in SQLite's memory until it is closed. */
WRAP(int, sqlite3_open_v2, (const char *path, struct sqlite3 **db, int flags, const char *vfs))
{
	if (!memfs_path(-1, path, database))
		return __real_sqlite3_open_v2(path, db, flags, vfs);
	return __real_sqlite3_open_v2(":memory:", db, flags, vfs);
}

static int keep_database(struct sqlite3 *db)
{
	struct memfs_node *node = memfs_find(database);
	sqlite3_int64 size = 0;
	unsigned char *data = node ? sqlite3_serialize(db, "main", &size, 0) : NULL;
	int ret = data && memfs_resize(node, size) ? SQLITE_FULL : SQLITE_OK;

	if (data && !ret)
		memcpy(node->data, data, size);
	sqlite3_free(data);
	return ret;
}

WRAP(int, sqlite3_close, (struct sqlite3 *db))
{
	int kept = db ? keep_database(db) : SQLITE_OK;

	return __real_sqlite3_close(db) ?: kept;
}

WRAP(const char *, sqlite3_db_filename, (struct sqlite3 *db, const char *name))
{
	(void)db;
	(void)name;
	return database;
}

/* libelf writes where nobody reads. */
WRAP(struct Elf *, elf_begin, (int fd, Elf_Cmd cmd, struct Elf *ref))
{
	static int sink = -1;

	if (!memfs_file(fd))
		return __real_elf_begin(fd, cmd, ref);
	if (sink < 0)
		sink = memfd_create("elf", MFD_CLOEXEC);
	return __real_elf_begin(sink, cmd, ref);
}

/* What is found must be found again. */
WRAP(ssize_t, getrandom, (void *buf, size_t len, unsigned int flags))
{
	(void)flags;
	memset(buf, 0x5b, len);
	return len;
}

WRAP(int, flock, (int fd, int op))
{
	return memfs_file(fd) ? 0 : __real_flock(fd, op);
}

/* The limits are the fuzzer's. */
WRAP(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *limit))
{
	(void)resource;
	(void)limit;
	return 0;
}
