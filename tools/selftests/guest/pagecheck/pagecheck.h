/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_PAGECHECK_H
#define GUEST_PAGECHECK_H

/* What the parts of pagecheck share. */

#include "../common/event.h"
#include "../pagelog.h"

/**
 * struct page - A page in the page cache.
 * @index:  in the file
 * @ino:    of the file; 0 for a block device's own
 * @dev:    of the file, or the block device
 * @generation: of the file
 * @buffer: a block device's own
 * @pfn:    its frame
 * @next:   of the same bucket
 */
struct page {
	__u64 index;
	__u64 ino;
	__u32 dev;
	__u32 generation;
	bool buffer;
	__u64 pfn;
	struct page *next;
};

/**
 * struct look - What pageload saw of a file.
 * @check: of which file, and when
 * @frames: frame of each page
 */
struct look {
	const struct page_check *check;
	const __u64 *frames;
};

extern struct look *looks;
extern size_t nr_looks;

/* Differences are not shown. */
extern bool quiet;

/**
 * complain() - Show a difference, unless quiet; only the first twenty.
 * @format: as of printf()
 *
 * Return: false.
 */
__attribute__((format(printf, 1, 2)))
bool complain(const char *format, ...);

/**
 * is_tested() - Did pageload look at this device?
 * @dev: the device
 */
bool is_tested(__u32 dev);

/**
 * load_looks() - Read what pageload saw; sets looks.
 * @path: of LOG
 */
void load_looks(const char *path);

/**
 * is_page_event() - Is it an event of the page cache?
 * @kind: enum ovnik_event
 */
bool is_page_event(unsigned int kind);

/**
 * is_add() - Does it add a page?
 * @kind: enum ovnik_event
 */
bool is_add(unsigned int kind);

/**
 * page_of() - Return the page of a record.
 * @event: the record
 * @order: is set
 */
struct page page_of(const struct event *event, unsigned int *order);

/**
 * is_page() - Are these the same page?
 * @page: one
 * @key: the other
 * @any_generation: the file system has no generations
 */
bool is_page(const struct page *page, const struct page *key, bool any_generation);

/**
 * key_of() - Return the file of a look, as a page.
 * @check: the file
 */
struct page key_of(const struct page_check *check);

/**
 * apply() - Do to the cache what a record says.
 * @event: the record
 *
 * Return: false if the cache has it otherwise.
 */
bool apply(const struct event *event);

/**
 * same_look() - Is the cache what pageload saw?
 * @look: what it saw
 */
bool same_look(const struct look *look);

/**
 * nothing_left() - Is the cache empty of what pageload looked at?
 */
bool nothing_left(void);

/**
 * empty_cache() - Begin with an empty cache.
 */
void empty_cache(void);

/**
 * check() - Apply all records, and compare with all looks.
 * @events: the records
 */
bool check(const struct events *events);

/**
 * all_noticed() - Test the checker: is each altered record noticed?
 * @events: the records; the same at the end
 */
bool all_noticed(struct events *events);

#endif /* GUEST_PAGECHECK_H */
