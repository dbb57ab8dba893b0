/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GEN_MEMORY_H
#define GEN_MEMORY_H

/* What the parts of gen-memory share. */

#include "../capgen.h"

#define CPUS_MAX	16
#define PAGES		192		/* of each address space */
#define BASE		0x7f0000000000ULL
#define PAGE		page_bytes
#define SMALL		4096ULL		/* the least that a page has */
#define DEV		(0xfeU << 20 | 1)
#define SHM_DEV		1U
#define FILES		12
#define FILE_PAGES	32

/**
 * struct page - A page of an address space.
 * @mapped: it is mapped
 * @flags: OVNIK_VMA_*
 * @dev: of its file
 * @ino: of its file; 0: none
 * @offset: in its file
 */
struct page {
	bool mapped;
	u32 flags;
	u32 dev;
	u64 ino;
	u64 offset;
};

/**
 * struct proc - A process.
 * @tid: 0: there is none
 * @mm: its address space
 * @pgd: of @mm
 * @on: the CPU it runs on, plus 1
 * @pages: what is mapped
 */
struct proc {
	u32 tid;
	u64 mm;
	u64 pgd;
	u8 on;
	struct page pages[PAGES];
};

extern struct capgen gen;
/* By CPU: the time of its next record. */
extern u64 now[CPUS_MAX];
extern u64 seed;
extern u64 page_bytes;
/* The page cache. */
extern bool cached[FILES][FILE_PAGES];

#define RECORD(cpu, name)		CAPGEN_RECORD(&gen, cpu, now[cpu]++, name)
#define RECORD_STR(cpu, name, text)	CAPGEN_RECORD_STR(&gen, cpu, now[cpu]++, name, path, text)

/**
 * draw() - Return a random number below @n; 0 if that is 0.
 * @n: the limit
 */
u32 draw(u32 n);

/**
 * address() - Return the address of a page.
 * @page: its number
 */
u64 address(u32 page);

/**
 * path_of() - Return the path of a file, good until the next call.
 * @ino: of the file
 */
const char *path_of(u64 ino);

/**
 * range_end() - Return the page after a range that begins with a mapped page.
 * @p: the process
 * @first: first page
 */
u32 range_end(const struct proc *p, u32 first);

/**
 * set() - Set pages.
 * @p: the process
 * @first: first page
 * @nr: how many
 * @what: all of them; the offset advances
 */
void set(struct proc *p, u32 first, u32 nr, struct page what);

/**
 * map_file() - Map a file.
 * @cpu: runs the process
 * @p: the process
 * @first: first page
 * @nr: how many
 */
void map_file(u32 cpu, struct proc *p, u32 first, u32 nr);

/**
 * map_anon() - Map memory.
 * @cpu: runs the process
 * @p: the process
 * @first: first page
 * @nr: how many
 * @kind: OVNIK_MAP_*
 */
void map_anon(u32 cpu, struct proc *p, u32 first, u32 nr, u16 kind);

/**
 * step_map() - Change a mapping at random.
 * @cpu: runs the process
 * @p: the process
 */
void step_map(u32 cpu, struct proc *p);

/**
 * step_page() - Add to or remove from the page cache at random.
 * @cpu: does it
 */
void step_page(u32 cpu);

/**
 * step_file() - Open, use and close a file at random.
 * @cpu: runs the process
 * @p: the process
 */
void step_file(u32 cpu, const struct proc *p);

#endif /* GEN_MEMORY_H */
