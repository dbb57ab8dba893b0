/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_HEAP_H
#define OVNIK_UTIL_HEAP_H

#include <stddef.h>

/*
 * Binary heaps in arrays: the first one by some order is at the top, which is at[0].
 *
 * HEAP(name, type, before, put) makes two functions for heaps of @type:
 *
 *	name_rise(at, i, new)		place i is free: put @new there or above
 *	name_sink(at, nr, i, new)	place i of @nr is free: put @new there or below
 *
 * before(a, b) says whether a belongs above b. put(at, i, what) sets at[i] to what, and
 * may note that it is there.
 */
#define HEAP(name, type, before, put)						\
static void name##_rise(typeof(type) *at, size_t i, type what)			\
{										\
	size_t parent;								\
										\
	for (; i; i = parent) {							\
		parent = (i - 1) / 2;						\
		if (!(before)(what, at[parent]))				\
			break;							\
		put(at, i, at[parent]);						\
	}									\
	put(at, i, what);							\
}										\
										\
static void name##_sink(typeof(type) *at, size_t nr, size_t i, type what)	\
{										\
	size_t child;								\
										\
	for (child = 2 * i + 1; child < nr; child = 2 * i + 1) {		\
		child += child + 1 < nr && (before)(at[child + 1], at[child]);	\
		if (!(before)(at[child], what))					\
			break;							\
		put(at, i, at[child]);						\
		i = child;							\
	}									\
	put(at, i, what);							\
}

/* put() of heaps that do not record where an element is. */
#define HEAP_PUT(at, i, what)	((at)[i] = (what))

#endif /* OVNIK_UTIL_HEAP_H */
