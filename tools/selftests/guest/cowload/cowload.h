/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_COWLOAD_H
#define GUEST_COWLOAD_H

/* What the parts of cowload share: pages that are written, and children that share them. */

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#define PAGE		4096UL
#define REGION		(2UL << 20)	/* one huge page */
#define PAGES		24U		/* that are written, of a region */
#define STEP		21U		/* so many apart: what a fault maps around does not meet */

extern int log_fd, zero;
/* Huge pages: any number of copies will do. */
extern bool huge;
extern unsigned int regions;

/**
 * struct target - Where is written, and what is there before.
 * @pid:     whose memory
 * @tid:     who writes; 0 if it may be one of several
 * @pagemap: of that memory
 * @kind:    of the copy, if there is one: enum ovnik_cow_kind; 0 if there must not be
 */
struct target {
	pid_t pid;
	pid_t tid;
	int pagemap;
	unsigned int kind;
};

typedef void (*writer)(const struct target *target, char *at);
typedef unsigned int (*task)(char *base);

/**
 * struct child - A process that does something, reports that, and waits for its end.
 * @pid: its PID
 * @done: its result comes from here
 * @release: it ends when this is closed
 * @result: what it reported
 */
struct child {
	pid_t pid;
	int done;
	int release;
	unsigned int result;
};

/**
 * say() - Write a line to the log, whole even if several processes write at once.
 * @format: as of printf()
 */
__attribute__((format(printf, 1, 2)))
void say(const char *format, ...);

/**
 * frame_in() - Read the entry of a page.
 * @pagemap: of the process
 * @at: the page
 */
__u64 frame_in(int pagemap, const void *at);

/**
 * open_pagemap() - Open the page map of a process.
 * @pid: the process
 */
int open_pagemap(pid_t pid);

/**
 * own_memory() - Make a target of the memory of this thread; close its @pagemap at the end.
 * @kind: of the copies
 */
struct target own_memory(unsigned int kind);

/**
 * note_write() - Log a copy, if a write made one.
 * @target: what was written
 * @at: the page
 * @before: its entry before the write
 * @from: TSC before the write
 *
 * Return: whether it was a copy.
 */
bool note_write(const struct target *target, const char *at, __u64 before, __u64 from);

/**
 * write_byte() - Write by an instruction.
 * @target: the memory
 * @at: the page
 */
void write_byte(const struct target *target, char *at);

/**
 * write_by_read() - Write by read(): the kernel writes, and faults in its mode.
 * @target: the memory
 * @at: the page
 */
void write_by_read(const struct target *target, char *at);

/**
 * write_by_other() - Write to the memory of another process.
 * @target: the memory
 * @at: the page
 */
void write_by_other(const struct target *target, char *at);

/**
 * write_by_ptrace() - Write to the memory of a process that is traced.
 * @target: the memory
 * @at: the page
 */
void write_by_ptrace(const struct target *target, char *at);

/**
 * write_pages() - Write pages of a region, and log the copies.
 * @target: the memory
 * @base: of the region
 * @first: number of the first page
 * @step: to the next one
 * @how: by what
 *
 * Return: copies made.
 */
unsigned int write_pages(const struct target *target, char *base, unsigned int first,
			 unsigned int step, writer how);

/**
 * read_pages() - Read all pages of a region.
 * @base: of the region
 */
void read_pages(const char *base);

/**
 * expect() - Print how many copies were made; exit if it is the wrong number.
 * @what: a description
 * @copies: how many
 * @expected: how many they must be
 */
void expect(const char *what, unsigned int copies, unsigned int expected);

/**
 * write_own() - Write pages of this process, and log the copies.
 * @base: of the region
 * @kind: of the copies; 0: there must be none
 * @how: by what
 *
 * Return: copies made.
 */
unsigned int write_own(char *base, unsigned int kind, writer how);

/**
 * region_at() - Where is a region?
 * @number: of the region
 */
char *region_at(unsigned int number);

/**
 * map_region() - Map the next region.
 * @flags: of mmap()
 * @fd: of mmap()
 */
char *map_region(int flags, int fd);

/**
 * filled_region() - Map the next region, with every page present.
 */
char *filled_region(void);

/**
 * start_child() - Fork a child, and wait until it reports its result.
 * @child: is set
 * @does: what it does; NULL: nothing
 * @base: for @does
 */
void start_child(struct child *child, task does, char *base);

/**
 * end_child() - End a child.
 * @child: from start_child()
 */
void end_child(struct child *child);

#endif /* GUEST_COWLOAD_H */
