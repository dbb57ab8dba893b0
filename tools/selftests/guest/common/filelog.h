/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILELOG_H
#define GUEST_FILELOG_H

/* What fileload writes down of all it does, and filecheck reads. */

#include <linux/types.h>

enum log_kind {
	LOG_OPEN = 1,
	LOG_CLOSE,
	LOG_READ,
	LOG_WRITE,
	LOG_DELETE,
	LOG_TRUNCATE,
	LOG_RENAME,
	LOG_SILENT,	/* a system call that is to leave no record */
	LOG_SUMS,	/* bytes read and written, as /proc/PID/io has them */
};

/**
 * enum log_flags - What else is to be known of an entry.
 * @LOG_JOINED:	  the second half of the system call before it
 * @LOG_ASYNC:	  aio, io_uring: comes when it comes, and has no file_begin
 * @LOG_ANY_TID:  the actor in the record cannot be foreseen
 * @LOG_ANY_PATH: what the path looks like cannot be foreseen
 * @LOG_ANY_GEN:  the file system does not report the inode's generation
 * @LOG_ANY_SIZE: the file system makes up the size
 * @LOG_ANY_MODE: the flags of the open file cannot be foreseen
 * @LOG_COMPAT:	  a system call of 32 bits: ftrace does not see it
 */
enum log_flags {
	LOG_JOINED	= 1 << 0,
	LOG_ASYNC	= 1 << 1,
	LOG_ANY_TID	= 1 << 2,
	LOG_ANY_PATH	= 1 << 3,
	LOG_ANY_GEN	= 1 << 4,
	LOG_ANY_SIZE	= 1 << 5,
	LOG_ANY_MODE	= 1 << 6,
	LOG_COMPAT	= 1 << 7,
};

#define LOG_LOOSE	(LOG_ANY_TID | LOG_ANY_PATH | LOG_ANY_GEN | LOG_ANY_SIZE | LOG_ANY_MODE)

/**
 * struct log_entry - Something that was done.
 * @begin:  TSC before
 * @end:    TSC after it; ~0 if the process ended with it
 * @ino:    of the file
 * @offset: first byte; LOG_SUMS: bytes read
 * @result: bytes or -errno; LOG_DELETE, LOG_TRUNCATE: length; LOG_SUMS: bytes written
 * @kind:   enum log_kind
 * @flags:  enum log_flags
 * @tid:    who
 * @tgid:   its process
 * @op:	    enum ovnik_file_op
 * @dev:    of the file, as in a record
 * @generation: of the file
 * @mode:   flags of the open file, or of the rename
 * @text:   where the path begins in the text
 */
struct log_entry {
	__u64 begin;
	__u64 end;
	__u64 ino;
	__u64 offset;
	__s64 result;
	__u32 kind;
	__u32 flags;
	__u32 tid;
	__u32 tgid;
	__u32 op;
	__u32 dev;
	__u32 generation;
	__u32 mode;
	__u32 text;
	__u32 reserved;
};

#define LOG_ENTRIES	20000
#define LOG_TEXT	(1 << 20)

/**
 * struct filelog - All of them, in the order in which they ended for each task.
 * @nr:	       entries
 * @text_used: bytes of text
 * @dev:       device of the file system under test: all that happens there is here
 * @turn:      of one actor, given by another
 * @entry:     the entries
 * @text:      paths, NUL-terminated; the first is the empty one
 */
struct filelog {
	__u32 nr;
	__u32 text_used;
	__u32 dev;
	__u32 turn;
	struct log_entry entry[LOG_ENTRIES];
	char text[LOG_TEXT];
};

#endif /* GUEST_FILELOG_H */
