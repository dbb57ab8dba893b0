/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_COVERLOAD_WAY_H
#define GUEST_COVERLOAD_WAY_H

/*
 * Ways by which a program reads, writes, maps, faults, forks and waits, each done once, in a
 * process of its own. It knows nothing of what is recorded.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PAGE	4096
#define PAGES	4

/**
 * struct way - A way to do it.
 * @name:    of it, for the manual; no other way has it
 * @act:     does it, once
 * @prepare: what must be there before; NULL for none
 * @waits:   only what the scheduler does with the process is of interest
 * @makes:   tasks that it makes are of interest, too; io_uring makes them at any time
 *
 * A row without @act is a heading.
 */
struct way {
	const char *name;
	void (*act)(void);
	void (*prepare)(void);
	bool waits;
	bool makes;
};

#define HEADING(text)			{ .name = text }
#define WAY(text, fn)			{ .name = text, .act = fn }
#define PREPARED(text, fn, before)	{ .name = text, .act = fn, .prepare = before }
#define MAKE(text, fn, before) \
	{ .name = text, .act = fn, .prepare = before, .makes = true }
#define WAIT(text, fn, before) \
	{ .name = text, .act = fn, .prepare = before, .waits = true }

/**
 * struct scene - What each way finds.
 * @dir:   where files may be made, on a disk
 * @tmp:   likewise, on a tmpfs
 * @disk:  a block device with a page at byte 0 that nobody else reads
 * @path:  of a file in @dir
 * @file:  it, open; it has PAGES pages, which are cached and on the disk
 * @other: another file, likewise
 * @page:  PAGES pages of anonymous memory, which have been written to
 * @pipe:  both ends; empty
 * @pair:  two sockets
 */
struct scene {
	const char *dir;
	const char *tmp;
	const char *disk;
	char path[256];
	int file;
	int other;
	char *page;
	int pipe[2];
	int pair[2];
};

extern struct scene scene;

extern const struct way ways_to_read[], ways_to_write[], ways_to_name[], ways_to_cache[],
			ways_to_map[], ways_to_fault[], ways_to_make_tasks[], ways_to_wait[];

/**
 * done() - A way was gone.
 * @ok: it worked. If not, the process ends. Where errno is EOPNOTSUPP, this kernel does not have
 *	the way, and that is printed; any other errno is an error.
 */
void done(bool ok);

/**
 * watch() - It is this file that matters, not scene.file.
 * @fd: the file, or block device
 */
void watch(int fd);

/**
 * new_file() - Make a file of PAGES pages, which are cached and on the disk.
 * @dir:  where
 * @name: its name
 *
 * Return: its descriptor.
 */
int new_file(const char *dir, const char *name);

/**
 * drop() - Take a file's pages out of the page cache.
 * @fd: it
 */
void drop(int fd);

/**
 * new_memory() - Map anonymous memory.
 * @pages: of it; nothing is written there
 *
 * Return: it.
 */
char *new_memory(size_t pages);

/**
 * new_child() - A process that shares all memory with this one, to be copied on write.
 *
 * It dies with its parent.
 *
 * Return: 0 in it.
 */
pid_t new_child(void);

/**
 * sharer() - new_child() that does nothing.
 *
 * Return: its number.
 */
pid_t sharer(void);

/**
 * when_asleep() - A child that does something as soon as its parent sleeps, and then nothing.
 * @wake: what it does
 *
 * Return: its number.
 */
pid_t when_asleep(void (*wake)(void));

#endif /* GUEST_COVERLOAD_WAY_H */
