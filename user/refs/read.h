/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_READ_H
#define OVNIK_REFS_READ_H

#include "refs/format.h"

/**
 * struct refs_reader - A file of references that is read.
 * @path: for messages
 * @fd: of the file
 * @offset: of this block
 * @next: offset of the next block; 0: there is none
 * @number: of the next block
 * @damage: negative errno if something was damaged, which has been reported
 * @file: its first bytes
 * @block: header of this block
 * @raw: its streams, after refs_load()
 * @room: bytes of @raw
 */
struct refs_reader {
	const char *path;
	int fd;
	u64 offset;
	u64 next;
	u64 number;
	int damage;
	struct refs_file file;
	struct refs_block block;
	u8 *raw;
	size_t room;
};

/**
 * struct refs_ref - A reference.
 * @time: the guest's TSC
 * @address: virtual
 * @cr3: the address space
 * @kind: REFS_FETCH, REFS_LOAD, REFS_STORE
 * @length: bytes
 * @kernel: made by kernel code
 */
struct refs_ref {
	u64 time;
	u64 address;
	u64 cr3;
	enum refs_kind kind;
	u32 length;
	bool kernel;
};

/**
 * struct refs_page - The guest uses a physical page.
 * @time: the guest's TSC
 * @cr3: the address space
 * @page: virtual address >> 12, 36 bits
 * @frame: physical address >> 12
 */
struct refs_page {
	u64 time;
	u64 cr3;
	u64 page;
	u64 frame;
};

/**
 * struct refs_sink - Takes what a block contains.
 * @ref: takes a reference
 * @page: takes a page, before the reference that uses it, perhaps some instructions before; NULL:
 *	  nobody wants them
 * @data: of the caller
 */
struct refs_sink {
	void (*ref)(const struct refs_ref *ref, void *data);
	void (*page)(const struct refs_page *page, void *data);
	void *data;
};

/**
 * refs_open() - Open a file.
 * @r: is set; call refs_close() in any case
 * @path: the file
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int refs_open(struct refs_reader *r, const char *path) __must_check;

/**
 * refs_next() - Go to the next block.
 * @r: reader
 *
 * Context: Any.
 * What is damaged is reported and skipped: see @r->damage.
 *
 * Return: 1; 0 at the end of the file, when @r->block has its totals unless that is damaged;
 * a negative errno (reported).
 */
int refs_next(struct refs_reader *r) __must_check;

/**
 * refs_load() - Read this block.
 * @r: reader
 *
 * Context: Any.
 * Return: 1; 0 if it is damaged, which is reported: see @r->damage; a negative errno (reported).
 */
int refs_load(struct refs_reader *r) __must_check;

/**
 * refs_expand() - Give out each reference of this block.
 * @r: reader, after refs_load()
 * @sink: takes them
 *
 * Context: Any.
 * Return: 1; 0 if the block contradicts itself, which is reported: see @r->damage; -ENOMEM
 * (reported).
 */
int refs_expand(struct refs_reader *r, const struct refs_sink *sink) __must_check;

/**
 * refs_close() - Close a file.
 * @r: as refs_open() left it
 *
 * Context: Any.
 */
void refs_close(struct refs_reader *r);

#endif /* OVNIK_REFS_READ_H */
