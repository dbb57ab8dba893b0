/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

/* What the parts of workload share. */

#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define MAX_COUNTERS	32

/**
 * struct counter - A number in a file: the first one, or the first one after a word.
 * @name: what is printed
 * @file: path
 * @key: the word, or NULL
 * @fd: of @file
 *
 * Adjacent counters of the same file are read at the same moment.
 */
struct counter {
	const char *name;
	const char *file;
	const char *key;
	int fd;
};

/**
 * struct fact - What a round causes, to compare with the records.
 * @event: name in the event table
 * @per_round: how many
 */
struct fact {
	const char *event;
	const long *per_round;
};

/**
 * struct workload - Something that is done many times.
 * @name: W1 and so on
 * @what: what it is
 * @prepare: before the window, or NULL
 * @run: so many rounds
 * @finish: after the window, or NULL
 * @in_child: a child runs, its parent waits
 * @is_warm: takes so long that the caller warms up, once for all tracers
 * @does: what a round causes
 */
struct workload {
	const char *name;
	const char *what;
	void (*prepare)(long rounds);
	void (*run)(long rounds);
	void (*finish)(void);
	int in_child;
	int is_warm;
	struct fact does[4];
};

extern struct counter counters[MAX_COUNTERS];
extern int nr_counters;

/* Of WC, in compile.c. */
void compile_prepare(long rounds);
void compile_run(long rounds);
void compile_finish(void);

/* NULL at the end. */
extern const struct workload workloads[];

/**
 * add_counter() - Add a counter.
 * @text: NAME=FILE or NAME=FILE:WORD; is changed
 */
void add_counter(char *text);

/**
 * open_counters() - Open the files of all counters.
 */
void open_counters(void);

/**
 * read_counters() - Read all counters at one moment.
 * @values: is set
 *
 * Return: how many reads had been made at the last attempt: these may be recorded, too.
 */
uint64_t read_counters(uint64_t *values);

#endif /* BENCH_WORKLOAD_H */
