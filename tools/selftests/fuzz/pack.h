/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_PACK_H
#define OVNIK_SELFTESTS_FUZZ_PACK_H

/*
 * A fuzzer's input: options, and files. In bytes:
 *
 *	u8 opt[PACK_OPTIONS], then for each file: u8 length of its name, name, u32 length, data
 *
 * Any bytes are an input: a length that is too large is what is left.
 */
#include <stddef.h>

#include "util/types.h"

#define PACK_OPTIONS	8
#define PACK_PARTS	16
#define PACK_NAME	96
#define PACK_ROOM	(128 << 10)	/* bytes that a file can have while it is changed */

/**
 * struct part - A file.
 * @name: its path, without a slash in front
 * @data: PACK_ROOM bytes
 * @len: bytes of @data
 */
struct part {
	char name[PACK_NAME + 1];
	u8 *data;
	u32 len;
};

/**
 * struct pack - An input, taken apart.
 * @opt: options; each target has a meaning of its own for them
 * @parts: the files
 * @nr: length of @parts
 */
struct pack {
	u8 opt[PACK_OPTIONS];
	struct part parts[PACK_PARTS];
	unsigned int nr;
};

/* Take an input apart; the same one each time: the one before is gone. */
struct pack *pack_read(const u8 *data, size_t len);

/* Take an input apart as @pack, which is kept. */
void pack_read_into(struct pack *pack, const u8 *data, size_t len);

/* Put it together. Return: its bytes, at most @room. */
size_t pack_write(const struct pack *pack, u8 *data, size_t room);

/* Another file, NULL: there are too many. */
struct part *pack_add(struct pack *pack, const char *name);

void pack_remove(struct pack *pack, unsigned int i);

/* Put the files of an input below @dir of memfs.h, without changing any. */
void pack_mount(const u8 *data, size_t len, const char *dir);

#endif /* OVNIK_SELFTESTS_FUZZ_PACK_H */
