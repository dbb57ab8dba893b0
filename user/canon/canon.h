/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CANON_CANON_H
#define OVNIK_CANON_CANON_H

#include "canon/space.h"
#include "refs/format.h"
#include "util/hash.h"
#include "util/idmap.h"
#include "world/world.h"

/*
 * Canonical pages: each page that exists has one number, wherever and however often it is mapped,
 * so that a reference to memory can be counted where it belongs. They follow from the records
 * alone: who maps which file, who shares what since which fork, who got a copy, what is gone.
 *
 *	- A page of a file, of shared memory or of a System V segment is one page, in the page cache
 *	  or not, in any address space.
 *	- An anonymous page begins with its first reference, and ends when it is unmapped. A fork
 *	  shares it; a COW break gives the writer one of its own.
 *	- The kernel's memory is numbered by its virtual address; where that is the linear mapping
 *	  of a frame with a file's page or a process's, it is this page.
 *
 * Which frame a process has, and where the linear mapping begins, is in no record, but in the log.
 * A page that begins in a frame takes over the number that the kernel's references gave to that
 * frame before: the kernel clears and copies pages by its linear mapping.
 */

/**
 * enum canon_kind - What a canonical page is.
 * @CANON_ANON: anonymous memory
 * @CANON_FILE: of a file, shared memory or a System V segment
 * @CANON_SPECIAL: what the kernel maps for everyone: vdso, vvar
 * @CANON_KERNEL: of the kernel, by virtual address
 * @CANON_FRAME: of the kernel, in its linear mapping of frames
 */
enum canon_kind {
	CANON_ANON,
	CANON_FILE,
	CANON_SPECIAL,
	CANON_KERNEL,
	CANON_FRAME,
	CANON_NR_KINDS,
};

/**
 * struct canon_file - A file with canonical pages.
 * @node: in canon.files
 * @nr: number, from 0
 * @dev: device
 * @generation: of the inode
 * @ino: inode
 * @shm: a System V segment: its generation is not always recorded
 * @copied: a process had a copy of one of its pages
 * @pages: page of the file, plus 1, to canonical page
 * @path: as it was opened or mapped first; NULL: not known
 */
struct canon_file {
	struct hash_node node;
	u32 nr;
	u32 dev;
	u32 generation;
	u64 ino;
	bool shm;
	bool copied;
	struct idmap pages;
	char *path;
};

/**
 * struct canon_page - A canonical page.
 * @kind: enum canon_kind
 * @file: number of its file
 * @space: number of the address space in which it began
 * @page: of the file; else virtual page or frame
 * @frame: that it has, plus 1; 0: not known
 * @users: entries of address spaces
 */
struct canon_page {
	u32 kind;
	u32 file;
	u64 space;
	u64 page;
	u64 frame;
	u64 users;
};

#define CANON_SEEN	4096	/* pages whose frame was in the log lately */

/**
 * struct canon_seen - A page had a frame.
 * @cr3: address space
 * @page: virtual
 * @frame: the frame
 * @turn: of the canonical pages, so that it is still true
 */
struct canon_seen {
	u64 cr3;
	u64 page;
	u64 frame;
	u64 turn;
};

/**
 * struct canon_stats - What could not be decided by records.
 * @spaces: address spaces in which user memory is referenced before a record names them
 * @unmapped: pages at addresses where nothing was mapped
 * @unrecorded: pages of private mappings that were written without a recorded COW break
 */
struct canon_stats {
	u64 spaces;
	u64 unmapped;
	u64 unrecorded;
};

/**
 * struct canon - The canonical pages of a machine.
 * @w: its tasks and address spaces
 * @spaces: address spaces by the number of their record
 * @by_pgd: address spaces by page directory frame, plus 1
 * @nodes: every &struct canon_space, linked
 * @kernel: the kernel's
 * @old: pages of address spaces that were there before the capture: see canon_space.old
 * @special: what the kernel maps for everyone
 * @frames: frame of a file or process, plus 1, to canonical page
 * @kernel_frames: other frames, plus 1, to canonical page
 * @files: &struct canon_file by device and inode
 * @file_list: the same by number
 * @room_files: of @file_list
 * @pages: the canonical pages, by number
 * @nr: how many, with number 0, which is none
 * @room: of @pages
 * @linear: page where the kernel's linear mapping of frame 0 is; 0: not known
 * @maybe: it may be this; 0: none seen
 * @cr3: address space of the last reference
 * @space: the same
 * @near: pages referenced lately
 * @seen: their frames
 * @turn: grows when an address space changes
 * @fresh_frame: of the user's page that is referenced, plus 1; 0: not known
 * @stats: what could not be decided
 * @no_memory: there was none: pages are wrong from then on
 */
struct canon {
	struct world *w;
	struct idmap spaces;
	struct idmap by_pgd;
	struct canon_space *nodes;
	struct canon_space kernel;
	struct idmap old;
	struct idmap special;
	struct idmap frames;
	struct idmap kernel_frames;
	struct hash_table files;
	struct canon_file **file_list;
	u32 room_files;
	struct canon_page *pages;
	u64 nr;
	u64 room;
	u64 linear;
	u64 maybe;
	u64 cr3;
	struct canon_space *space;
	struct canon_near near[CANON_NEAR];
	struct canon_seen seen[CANON_SEEN];
	u64 turn;
	u64 fresh_frame;
	struct canon_stats stats;
	bool no_memory;
};

/**
 * canon_init() - Begin without pages, and attach to the world.
 * @c: is set; call canon_destroy() in any case
 * @w: the world, which must outlive @c
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int canon_init(struct canon *c, struct world *w) __must_check;

/**
 * canon_destroy() - Free all.
 * @c: as canon_init() left it, or zeroed
 */
void canon_destroy(struct canon *c);

/**
 * canon_frame() - The log says which frame a page has, before it is referenced.
 * @c: canonical pages
 * @cr3: address space
 * @page: virtual address >> 12, 36 bits
 * @frame: physical address >> 12
 *
 * For the kernel's linear mapping.
 */
void canon_frame(struct canon *c, u64 cr3, u64 page, u64 frame);

u64 canon_slow(struct canon *c, u64 cr3, u64 address, bool store);

/**
 * canon_page() - The canonical page of a reference.
 * @c: canonical pages, fed up to its time
 * @cr3: address space
 * @address: virtual
 * @store: it is a store
 *
 * Return: its number; 0 without memory, see @c->no_memory.
 */
static inline u64 canon_page(struct canon *c, u64 cr3, u64 address, bool store)
{
	u64 page = address >> REFS_PAGE_SHIFT;
	const struct canon_near *near = &c->near[page % CANON_NEAR];

	/* The kernel's pages are the same in all address spaces. */
	if (likely(near->page == page && (near->cr3 == cr3 || address >> 63) &&
		   !(store && near->entry & CANON_PRIVATE)))
		return near->entry & ~CANON_PRIVATE;
	return canon_slow(c, cr3, address, store);
}

#endif /* OVNIK_CANON_CANON_H */
