/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_MUTATE_H
#define GUEST_MUTATE_H

/* The test of a checker itself: records are altered, one at a time, and it must notice. */

#include <stddef.h>

#include "event.h"

/**
 * struct mutation - A change of one bit of a record, or its loss.
 * @kind: enum ovnik_event
 * @at:	  offset of the field
 * @bit:  of the field; 0: the record is gone
 * @name: what is printed if it is not noticed
 */
struct mutation {
	unsigned int kind;
	unsigned int at;
	__u32 bit;
	const char *name;
};

#define MUTATE_FIELD(kind, field, bit) \
	{ OVNIK_EV_##kind, offsetof(struct ovnik_##kind, field), bit, #kind "." #field }
#define MUTATE_LOSS(kind) \
	{ OVNIK_EV_##kind, 0, 0, #kind " is gone" }

/**
 * struct mutation_test - The test of a checker.
 * @mutations: all of them
 * @nr:	       length of @mutations
 * @step:      one in so many records is altered
 * @most:      so many at most, for each mutation
 * @matters:   must the checker notice if this record is altered so?
 * @run:       the checker; false: a difference
 */
struct mutation_test {
	const struct mutation *mutations;
	size_t nr;
	size_t step;
	size_t most;
	bool (*matters)(const struct mutation *mutation, const struct event *event);
	bool (*run)(void);
};

/**
 * mutations_noticed() - Is each mutation noticed, and was each tried?
 * @test: the test
 * @all: the records that @run checks; the same at the end
 */
bool mutations_noticed(const struct mutation_test *test, struct events *all);

#endif /* GUEST_MUTATE_H */
