/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_PAGELOG_H
#define GUEST_PAGELOG_H

/* What pageload finds in the page cache, and pagecheck reads. */

#include <linux/types.h>

/**
 * enum check_flags - What is to be known of a look at the page cache.
 * @CHECK_BUFFER:  of a block device
 * @CHECK_ANY_GEN: the file system does not report the inode's generation
 * @CHECK_PART:	   there may be more pages than mincore() says: it does not report
 *		   those that a file system has read by blocks
 */
enum check_flags {
	CHECK_BUFFER	= 1 << 0,
	CHECK_ANY_GEN	= 1 << 1,
	CHECK_PART	= 1 << 2,
};

/**
 * struct page_check - What the page cache had of a file.
 * @begin:  TSC; from then to @end nothing has changed
 * @end:    TSC
 * @ino:    of the file
 * @dev:    of the file; of the device itself with CHECK_BUFFER
 * @generation: of the file
 * @flags:  enum check_flags
 * @nr:	    pages that were looked at: all of the file, and some after its end
 * @label:  what had been done
 *
 * After it, for each page: its frame, NO_FRAME if it was not there, or ANY_FRAME
 * if it is unknown, because it is after the end of the file.
 */
struct page_check {
	__u64 begin;
	__u64 end;
	__u64 ino;
	__u32 dev;
	__u32 generation;
	__u32 flags;
	__u32 nr;
	char label[48];
};

#define NO_FRAME	(~0ULL)
#define ANY_FRAME	(~0ULL - 1)

#endif /* GUEST_PAGELOG_H */
