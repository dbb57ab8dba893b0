/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILEACT_H
#define GUEST_FILEACT_H

/*
 * System calls on files that write down, in memory that all processes of
 * fileload share, what they did. What is to be known of a file beforehand is
 * asked in ways that are no event: fstat, fcntl, readlink, file handles.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "filelog.h"
#include "ovnik.h"
#include "stamp.h"

/* What was done, in memory that all processes share. */
extern struct filelog *filelog;
/* /proc, for those who cannot see it any more. */
extern int proc_fd;

/**
 * struct identity - Of a file, as a record should have it.
 * @ino:	inode number
 * @dev:	device
 * @generation: of the inode
 * @type:	S_IFMT of its mode
 * @size:	of it
 * @flags:	LOG_ANY_GEN if the generation is not known
 */
struct identity {
	__u64 ino;
	__u32 dev;
	__u32 generation;
	__u32 type;
	__u64 size;
	__u32 flags;
};

/**
 * struct io - A system call that reads or writes.
 * @op:	     which
 * @in:	     descriptor that is read, or -1
 * @out:     descriptor that is written, or -1
 * @in_at:   offset given for it, or -1 for none
 * @out_at:  likewise
 * @buf:     memory, for those that have one
 * @len:     bytes asked for
 * @flags:   of preadv2() and pwritev2(); -1 for the call without flags
 * @silent:  it will fail before it comes to the file
 */
struct io {
	enum ovnik_file_op op;
	int in;
	int out;
	loff_t in_at;
	loff_t out_at;
	void *buf;
	size_t len;
	int flags;
	bool silent;
};

#define NR_PARTS	3

/**
 * make_log() - Make the log.
 */
void make_log(void);

/**
 * kernel_dev() - A device as records have it.
 * @dev: as stat() has it
 *
 * Return: its number in the kernel.
 */
__u32 kernel_dev(dev_t dev);

/**
 * identify_at() - What is to be known of a file beforehand.
 * @dir: where
 * @name: its name there
 * @flags: of fstatat()
 *
 * Return: it; ends the program if there is none.
 */
struct identity identify_at(int dir, const char *name, int flags);

/**
 * identify() - What is to be known of an open file beforehand.
 * @fd: it
 *
 * Return: it.
 */
struct identity identify(int fd);

/**
 * now() - What the clock says by which the records are.
 *
 * Return: stamp_now().
 */
__u64 now(void);

/**
 * new_entry() - An entry of the log, by this task.
 * @kind: what it is
 *
 * Return: it.
 */
struct log_entry *new_entry(enum log_kind kind);

/**
 * add_text() - Keep a path.
 * @text: it
 *
 * Return: where it lies in the log.
 */
__u32 add_text(const char *text);

/**
 * note() - Write down what was done with a file, and that it is over.
 * @kind: what was done
 * @id: with which file
 * @begin: since when
 *
 * Return: the entry.
 */
struct log_entry *note(enum log_kind kind, const struct identity *id, __u64 begin);

/**
 * open_flags() - Flags of an open file.
 * @fd: it
 *
 * Return: them.
 */
__u32 open_flags(int fd);

/**
 * counts() - Is this a file that a record of reading or writing is to be made for?
 * @id: the file
 */
bool counts(const struct identity *id);

/**
 * note_open() - Write down that a file was opened.
 * @fd: it
 * @begin: since when
 * @path: as it must be, or NULL if only /proc is to be asked
 *
 * Return: the entry.
 */
struct log_entry *note_open(int fd, __u64 begin, const char *path);

/**
 * open_at() - Open a file that is there, or is made without being emptied; write it down.
 * @dir: where
 * @name: its name there
 * @flags: of openat()
 * @path: see note_open()
 *
 * Return: it.
 */
int open_at(int dir, const char *name, int flags, const char *path);

/**
 * open_file() - open_at() in the current directory.
 * @name: its name
 * @flags: of openat()
 *
 * Return: it.
 */
int open_file(const char *name, int flags);

/**
 * note_truncate() - Write down that a file has another length.
 * @id: the file
 * @begin: since when
 * @length: the length
 */
void note_truncate(const struct identity *id, __u64 begin, __u64 length);

/**
 * expect_close() - Write down that a file is closed: before, because afterwards it cannot be asked.
 * @fd: it
 *
 * Return: the entry, to be given its end.
 */
struct log_entry *expect_close(int fd);

/**
 * close_file() - Close a file that has no other descriptor and no mapping; write it down.
 * @fd: it
 */
void close_file(int fd);

/**
 * expect_delete() - Write down that an inode will vanish with the next call.
 * @id: it
 *
 * Return: the entry, to be given its end.
 */
struct log_entry *expect_delete(const struct identity *id);

/**
 * split() - Divide memory into three parts.
 * @io: has the memory
 * @parts: NR_PARTS, filled
 */
void split(const struct io *io, struct iovec *parts);

/**
 * call_io() - Make a system call that reads or writes.
 * @io: which
 *
 * Return: what it returns.
 */
ssize_t call_io(const struct io *io);

/**
 * note_io() - Write down what a system call will do with one of its files.
 * @io: the call
 * @kind: LOG_READ or LOG_WRITE
 * @fd: the file, or -1
 * @at: offset that is given for it, or -1
 * @id: filled with what the file is
 *
 * Return: the entry, to be given its end; NULL if no record is to come.
 */
struct log_entry *note_io(const struct io *io, enum log_kind kind, int fd, loff_t at,
			  struct identity *id);

/**
 * end_entry() - What a system call has done.
 * @entry: of note_io(); may be NULL
 * @begin: since when
 * @end: until when
 * @result: what it has returned
 */
void end_entry(struct log_entry *entry, __u64 begin, __u64 end, ssize_t result);

/**
 * do_io() - Make a system call that reads or writes, and write it down.
 * @io: which
 *
 * Return: as of the system call, but -errno.
 */
ssize_t do_io(const struct io *io);

/**
 * read_file() - do_io() with read().
 * @fd: the file
 * @buf: memory
 * @len: bytes
 *
 * Return: as do_io().
 */
ssize_t read_file(int fd, void *buf, size_t len);

/**
 * write_file() - do_io() with write().
 * @fd: the file
 * @buf: memory
 * @len: bytes
 *
 * Return: as do_io().
 */
ssize_t write_file(int fd, const void *buf, size_t len);

/**
 * must_be() - End the program unless a number is what it must be.
 * @is: the number
 * @want: what it must be
 * @what: what is said then
 */
void must_be(ssize_t is, ssize_t want, const char *what);

/**
 * must() - End the program, with errno, unless all is well.
 * @ok: is it?
 * @what: what is said then
 */
void must(bool ok, const char *what);

#endif /* GUEST_FILEACT_H */
