/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_DEED_H
#define OVNIK_SELFTEST_DEED_H

#include <stdbool.h>
#include <stddef.h>
#include <x86intrin.h>

#include "ovnik.h"
#include "system.h"
#include "util/types.h"

#define DEEDS_MAX	128
#define DEED_FIELDS	12
#define DEED_TEXT	512
#define UNTRIED_MAX	16

/**
 * enum expected - What a field of a record must be.
 * @EXPECT_NOTHING: no field: ends a list
 * @EXPECT_KEY: a value; a record with another one is of something else
 * @EXPECT_VALUE: a value
 * @EXPECT_SOME: not 0
 * @EXPECT_MM: the number of an address space, the same wherever that is meant
 * @EXPECT_TEXT: deed_text()
 * @EXPECT_TEXT_END: ends with deed_text()
 */
enum expected {
	EXPECT_NOTHING,
	EXPECT_KEY,
	EXPECT_VALUE,
	EXPECT_SOME,
	EXPECT_MM,
	EXPECT_TEXT,
	EXPECT_TEXT_END,
};

/**
 * enum deed_mm - The address spaces that are meant.
 * @MM_OWN: of the child that does it all
 * @MM_FORKED: of the process that it forks
 * @MM_EXECED: of the image that it runs
 * @NR_MMS: how many there are
 */
enum deed_mm {
	MM_OWN,
	MM_FORKED,
	MM_EXECED,
	NR_MMS,
};

/**
 * struct expectation - What a field of a record must be.
 * @name: its name
 * @offset: its place in struct ovnik_<event>
 * @size: its bytes
 * @how: enum expected
 * @value: for that
 */
struct expectation {
	const char *name;
	u16 offset;
	u8 size;
	u8 how;
	u64 value;
};

#define EXPECTATION(ev, field, how, value) \
	{ #field, offsetof(struct ovnik_##ev, field), \
	  sizeof(((struct ovnik_##ev *)NULL)->field), how, (u64)(value) }
#define TEXT_EXPECTATION(ev, field, how) \
	{ #field, offsetof(struct ovnik_##ev, field), 0, how, 0 }

#define KEY(ev, field, value)	EXPECTATION(ev, field, EXPECT_KEY, value)
#define IS(ev, field, value)	EXPECTATION(ev, field, EXPECT_VALUE, value)
#define SOME(ev, field)		EXPECTATION(ev, field, EXPECT_SOME, 0)
#define MM(ev, field, which)	EXPECTATION(ev, field, EXPECT_MM, which)
#define TEXT(ev, field)		TEXT_EXPECTATION(ev, field, EXPECT_TEXT)
#define TEXT_END(ev, field)	TEXT_EXPECTATION(ev, field, EXPECT_TEXT_END)

/**
 * struct span - When something was done, by each clock that records may have.
 * @begin: TSC before it
 * @end: TSC after it
 * @begin_ns: CLOCK_MONOTONIC before it
 * @end_ns: likewise, after it
 */
struct span {
	u64 begin;
	u64 end;
	u64 begin_ns;
	u64 end_ns;
};

/**
 * struct deed - Something that was done, and the record that there must be of it.
 * @what: what was done, in words
 * @event: number of the event
 * @several: there may be more than one record of it
 * @span: when
 * @fields: what the record must say, up to one that is EXPECT_NOTHING
 * @text: for EXPECT_TEXT and EXPECT_TEXT_END
 */
struct deed {
	char what[80];
	u8 event;
	bool several;
	struct span span;
	struct expectation fields[DEED_FIELDS + 1];
	char text[DEED_TEXT];
};

/**
 * struct untried - An event, or a way to it, that cannot be tried here.
 * @event: its number
 * @why: why not
 */
struct untried {
	u8 event;
	char why[120];
};

/**
 * struct deeds - All that was done; memory that the processes of a selftest share.
 * @done: the child has come to its end
 * @full: something had no room
 * @nr: length of @deed
 * @nr_untried: length of @untried
 * @tid: of a thread that has not the time to say it otherwise
 * @deed: in the order in which it was done
 * @untried: what was not
 */
struct deeds {
	bool done;
	bool full;
	u32 nr;
	u32 nr_untried;
	u32 tid;
	struct deed deed[DEEDS_MAX];
	struct untried untried[UNTRIED_MAX];
};

extern struct deeds *deeds;

int deeds_begin(void);
void deeds_end(void);
struct deed *deed_add(unsigned int event, const struct span *span, const char *what,
		      const struct expectation *fields);
void deed_text(struct deed *deed, const char *text);
void deed_untried(unsigned int event, const char *format, ...) __printf_like(2, 3);

/* A record that there must be: EXPECT(munmap, &span, "munmap()", KEY(munmap, tid, 12), ...) */
#define EXPECT(ev, span, what, ...) \
	deed_add(OVNIK_EV_##ev, span, what, \
		 (const struct expectation[]){ __VA_ARGS__, { .how = EXPECT_NOTHING } })

/* Not before what is done before it, nor after what is done after it. */
static inline u64 deed_tsc(void)
{
	u64 tsc;

	_mm_mfence();
	_mm_lfence();
	tsc = __rdtsc();
	_mm_lfence();
	return tsc;
}

/* Do something, and note when. */
#define DO(span, what) do {					\
	(span)->begin_ns = system_clock_ns(CLOCK_MONOTONIC);	\
	(span)->begin = deed_tsc();				\
	what;							\
	(span)->end = deed_tsc();				\
	(span)->end_ns = system_clock_ns(CLOCK_MONOTONIC);	\
} while (0)

#endif /* OVNIK_SELFTEST_DEED_H */
