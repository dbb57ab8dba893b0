/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILELOAD_ACTOR_H
#define GUEST_FILELOAD_ACTOR_H

/* The processes of fileload, and the files that they share. */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * struct tested - The arguments of fileload, and what it found out about the file system.
 * @root:	  where it is mounted
 * @bound:	  a directory that its "real" is bound to
 * @self:	  the program
 * @direct_io:	  it is on a disk and has O_DIRECT
 * @opens_direct: it lets files be opened so; tmpfs does since 6.6
 */
struct tested {
	char root[PATH_MAX];
	char bound[PATH_MAX];
	char self[PATH_MAX];
	bool direct_io;
	bool opens_direct;
};

extern struct tested tested;

/**
 * under() - Path of a name in a directory.
 * @dir: the directory
 * @name: the name
 *
 * Return: it, good until this was called for NR_PATHS more.
 */
const char *under(const char *dir, const char *name);

/**
 * in_root() - Path of a name in the root of the file system under test.
 * @name: the name
 *
 * Return: as under().
 */
const char *in_root(const char *name);

/**
 * make_file() - Make a file before the capture, so that there is no event of it.
 * @name: its name
 * @len: its length
 */
void make_file(const char *name, size_t len);

/**
 * start_actor() - Start a process.
 * @act: what it does
 *
 * Return: its number.
 */
pid_t start_actor(void (*act)(void));

/**
 * wait_for() - Wait for the end of a process, which must be a good one.
 * @pid: its number
 * @who: what it is called
 */
void wait_for(pid_t pid, const char *who);

/**
 * run_actor() - Start a process, and wait for its end.
 * @act: what it does
 * @who: what it is called
 */
void run_actor(void (*act)(void), const char *who);

#endif /* GUEST_FILELOAD_ACTOR_H */
