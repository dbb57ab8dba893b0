/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_CAPTURE_H
#define GUEST_CAPTURE_H

/*
 * Reading cpuN.ovk as strictly as the record ABI is written: whatever is not as
 * ovnik.h says ends the program.
 */

#include "event.h"

/**
 * struct block - A sub-buffer as it was found.
 * @head:	its header, in the map of the file
 * @lost:	after it
 * @count:	after that
 */
struct block {
	const struct ovnik_subbuf *head;
	const __u64 *lost;
	const __u32 *count;
};

/**
 * struct capture - A file.
 * @cpu:    as in its name
 * @path:   its name
 * @events: all that is not written by the ring itself
 * @block:  its sub-buffers
 */
struct capture {
	unsigned int cpu;
	const char *path;
	struct events events;
	struct block *block;
	size_t nr_blocks;
	size_t room;
};

/**
 * text_of() - The text of a record.
 * @rec: of a type that is known
 *
 * Return: NULL for a type that has none.
 */
const char *text_of(const struct ovnik_record *rec);

/**
 * load_capture() - Read a file of a capture; what is not as ovnik.h says ends the program.
 * @path: of the file
 *
 * Return: what is in it.
 */
struct capture *load_capture(const char *path);

#endif /* GUEST_CAPTURE_H */
