/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_DB_PAGES_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_DB_PAGES_H

#include "util/types.h"

/*
 * Pages of an SQLite database (https://www.sqlite.org/fileformat2.html) that are behind those which
 * SQLite has written: the trees of tables whose rows are known in the order of their keys. A tree
 * is made from left to right, each page once, and its pages are full.
 */

#define DB_PAGE		4096	/* bytes of a page */
#define DB_LEVELS	8	/* of a tree: more rows than a file can have */

/**
 * struct db_pages - The pages.
 * @fd: the file, which SQLite has closed
 * @next: number of the next page
 * @buf: pages that are not written yet
 * @len: their bytes
 */
struct db_pages {
	int fd;
	u32 next;
	u8 *buf;
	size_t len;
};

/**
 * struct db_level - The page of a level that is being made.
 * @page: its bytes
 * @nr: cells in it
 * @top: where the last of them begins
 * @waits: there is a child that is not in it: the next one decides where it goes
 * @child: number of that page
 * @key: the largest one in it
 * @last: the child of the last cell
 * @last_key: the largest one in it
 */
struct db_level {
	u8 page[DB_PAGE];
	u32 nr;
	u32 top;
	bool waits;
	u32 child;
	s64 key;
	u32 last;
	s64 last_key;
};

/**
 * struct db_tree - The tree of a table.
 * @to: where it goes
 * @root: number of its first page, empty so far
 * @key: of the last row
 * @levels: leaves first
 */
struct db_tree {
	struct db_pages *to;
	u32 root;
	s64 key;
	struct db_level levels[DB_LEVELS];
};

/**
 * db_pages_begin() - Begin behind the last page.
 * @p: is set; call db_pages_end() in any case
 * @fd: the file, open for reading and writing
 *
 * Return: 0, a negative errno.
 */
int db_pages_begin(struct db_pages *p, int fd) __must_check;

/**
 * db_pages_end() - Write what is left, and how many pages there are; free all.
 * @p: the pages
 * @failed: free only
 *
 * Return: 0, a negative errno.
 */
int db_pages_end(struct db_pages *p, bool failed) __must_check;

/**
 * db_tree_begin() - Begin the tree of a table.
 * @t: is set
 * @to: where it goes
 * @root: its page in SQLite's table of contents; the table is empty
 */
void db_tree_begin(struct db_tree *t, struct db_pages *to, u32 root);

/**
 * db_tree_add() - Add a row.
 * @t: the tree
 * @key: larger than that of the row before, and than 0
 * @row: the row as a record
 * @len: its bytes
 *
 * Return: 0, -EINVAL if the key is not larger, a negative errno.
 */
int db_tree_add(struct db_tree *t, s64 key, const u8 *row, size_t len) __must_check;

/**
 * db_tree_end() - Complete the tree.
 * @t: the tree
 *
 * Return: 0, a negative errno.
 */
int db_tree_end(struct db_tree *t) __must_check;

/**
 * db_put_varint() - Write a number as SQLite does, in 1 to 9 bytes.
 * @to: room for 9 bytes
 * @value: the number
 *
 * Return: the place behind it.
 */
u8 *db_put_varint(u8 *to, u64 value);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_DB_PAGES_H */
