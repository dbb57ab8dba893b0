/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_MM_TREE_H
#define OVNIK_WORLD_MM_TREE_H

#include <ovnik.h>

#include "util/hash.h"
#include "util/types.h"

/*
 * Address spaces, and what is mapped in them. Ranges never overlap. A range that
 * continues its neighbour is merged with it, as in the kernel, so there are about
 * as many as the kernel has. Memory that differs only in its kind is one range,
 * too; its kind is that of the lowest part.
 *
 * A kernel record is about one range. A capture with a record about thousands is
 * damaged or malicious: see MM_PROTECT_MAX.
 */

#define MM_PROTECT_MAX	64	/* ranges that mm_protect() changes */

struct world_task;

/**
 * enum mm_kind - What a range is; enum ovnik_map_kind where it is anonymous.
 * @MM_KIND_UNKNOWN: the capture does not say
 * @MM_KIND_FILE: a file
 * @MM_KIND_SHM: a System V segment, the inode being its id
 */
enum mm_kind {
	MM_KIND_UNKNOWN	= 0,
	MM_KIND_FILE	= 0x100,
	MM_KIND_SHM	= 0x101,
};

/**
 * struct mm_attrs - What is mapped in a range.
 * @offset: byte of the file at its beginning; 0 without a file
 * @ino: inode; a System V segment may have 0
 * @dev: its device; no file if @ino is 0, too
 * @generation: its generation
 * @flags: enum ovnik_vma_flags
 * @kind: enum mm_kind
 */
struct mm_attrs {
	u64 offset;
	u64 ino;
	u32 dev;
	u32 generation;
	u32 flags;
	u32 kind;
};

static inline bool mm_has_file(const struct mm_attrs *what)
{
	return what->ino || what->dev;
}

/**
 * struct mm_vma - A range of an address space.
 * @start: first byte
 * @end: after the last byte
 * @what: what is mapped there
 * @level: in the tree (an AA tree: its depth is always logarithmic)
 * @child: subtrees with lower and higher ranges
 */
struct mm_vma {
	u64 start;
	u64 end;
	struct mm_attrs what;
	u32 level;
	struct mm_vma *child[2];
};

/**
 * struct world_mm - An address space that lives.
 * @node: in the table of those that live
 * @id: its number, never given again
 * @pgd: page directory frame; 0 if not known
 * @bytes: bytes mapped, as far as known
 * @nr_vmas: ranges
 * @root: the ranges
 * @users: the tasks that have it, linked by mm_next; NULL: none is known
 * @nr_users: how many
 * @assigned: a task has or had it
 */
struct world_mm {
	struct hash_node node;
	u64 id;
	u64 pgd;
	u64 bytes;
	u64 nr_vmas;
	struct mm_vma *root;
	struct world_task *users;
	u32 nr_users;
	bool assigned;
};

/**
 * mm_lookup() - Find an address space.
 * @t: the table
 * @id: its number
 *
 * Context: Any.
 * Return: the address space, NULL if it is not known.
 */
struct world_mm *mm_lookup(const struct hash_table *t, u64 id);

/**
 * mm_get() - Find an address space, or make it with nothing known of it.
 * @t: the table
 * @id: its number
 *
 * Context: Any.
 * Return: the address space, NULL without memory.
 */
struct world_mm *mm_get(struct hash_table *t, u64 id);

/**
 * mm_free() - Take an address space out of the table and free it.
 * @t: the table
 * @mm: an address space in it, without users
 *
 * Context: Any.
 */
void mm_free(struct hash_table *t, struct world_mm *mm);

/**
 * mm_free_all() - Free a table with all address spaces in it.
 * @t: the table
 *
 * Context: Any.
 */
void mm_free_all(struct hash_table *t);

/**
 * mm_find() - Find the range at an address, or the next one.
 * @mm: the address space
 * @address: the address
 *
 * Context: Any.
 * Return: the lowest range that ends after @address, NULL if there is none.
 */
const struct mm_vma *mm_find(const struct world_mm *mm, u64 address);

/**
 * mm_map() - Map a range, replacing what was there.
 * @mm: the address space
 * @start: first byte
 * @end: after the last byte; more than @start
 * @what: what
 *
 * Context: Any.
 * Return: 0; -ENOMEM, and less may be mapped than before.
 */
int mm_map(struct world_mm *mm, u64 start, u64 end, const struct mm_attrs *what) __must_check;

/**
 * mm_unmap() - Unmap a range.
 * @mm: the address space
 * @start: first byte
 * @end: after the last byte; more than @start
 *
 * Context: Any.
 * Return: 0; -ENOMEM, and nothing has changed.
 */
int mm_unmap(struct world_mm *mm, u64 start, u64 end) __must_check;

/**
 * mm_protect() - Change the flags of what is mapped in a range; holes stay holes.
 * @mm: the address space
 * @start: first byte
 * @end: after the last byte; more than @start
 * @flags: enum ovnik_vma_flags
 *
 * Changes at most MM_PROTECT_MAX ranges, the lowest ones.
 *
 * Context: Any.
 * Return: 0; -E2BIG if there are more ranges; -ENOMEM, and nothing has changed.
 */
int mm_protect(struct world_mm *mm, u64 start, u64 end, u32 flags) __must_check;

/**
 * mm_clear() - Remove every range of an address space.
 * @mm: the address space
 *
 * Context: Any.
 */
void mm_clear(struct world_mm *mm);

#endif /* OVNIK_WORLD_MM_TREE_H */
