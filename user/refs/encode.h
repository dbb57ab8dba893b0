/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_ENCODE_H
#define OVNIK_REFS_ENCODE_H

#include "refs/format.h"

struct refs_template;

/**
 * struct refs_code - Instructions that are executed one after the other.
 * @address: of the first one, when they were first seen
 * @now: the encoder's: the same, when they were last executed
 * @last: the encoder's: the template used last, valid in @block
 * @block: the encoder's: in which the code was last executed
 * @at: the plugin's: as @now
 * @epoch: the plugin's: when it looked at them last
 * @entry: the plugin's: whether exceptions begin here
 * @last_faults: the plugin's: how the last instruction does
 * @nr: instructions
 * @lengths: of each
 */
struct refs_code {
	u64 address;
	u64 now;
	struct refs_template *last;
	u64 block;
	u64 at;
	u64 epoch;
	u16 entry;
	u16 last_faults;
	u32 nr;
	u8 lengths[];
};

/*
 * What the encoder is given: words with a kind in the upper three bits.
 *
 * REFS_WORD_CODE	pointer to struct refs_code (48 bits), index of the instruction that the
 *			code before began last (9 bits), REFS_WORD_FAULT if that did not end,
 *			REFS_WORD_ENDED if it did, though something else than the rest followed
 * REFS_WORD_ACCESS	address (48 bits), its shape (13 bits)
 * REFS_WORD_AT		address of the code that follows, if it has moved
 * REFS_WORD_CR3	value; behind the code
 * REFS_WORD_TSC	value; behind the code
 * REFS_WORD_PAGE	virtual page; the next word is the physical one
 * REFS_WORD_SKIP	ticks that pass behind the code, with their sign
 * REFS_WORD_CONTROL	REFS_WORD_START, REFS_WORD_HALT; REFS_WORD_STOP has an index as code has;
 *			REFS_WORD_OUT: what follows the code is left out, up to REFS_WORD_IN
 */
enum refs_word {
	REFS_WORD_CODE,
	REFS_WORD_ACCESS,
	REFS_WORD_AT,
	REFS_WORD_CR3,
	REFS_WORD_TSC,
	REFS_WORD_PAGE,
	REFS_WORD_CONTROL,
	REFS_WORD_SKIP,
};

enum refs_control {
	REFS_WORD_START,
	REFS_WORD_HALT,
	REFS_WORD_STOP,
	REFS_WORD_IN,
	REFS_WORD_OUT,
};

#define REFS_WORD_SHIFT		61
#define REFS_WORD_ADDRESS	((1ULL << 48) - 1)
#define REFS_WORD_INDEX		48	/* shift; 9 bits */
#define REFS_WORD_FAULT		(1ULL << 57)
#define REFS_WORD_ENDED		(1ULL << 58)

static inline u64 refs_word(enum refs_word kind, u64 value)
{
	/* The guest chooses what some values are. */
	return (u64)kind << REFS_WORD_SHIFT | (value & ~(~0ULL << REFS_WORD_SHIFT));
}

struct refs_encoder;

/**
 * refs_encoder_open() - Begin a file.
 * @fd: of the file, empty
 * @options: REFS_NO_FETCHES, ...
 * @every: keep one block in so many; not 0
 *
 * Context: Any.
 * Return: the encoder; NULL after an error, which errno says.
 */
struct refs_encoder *refs_encoder_open(int fd, u32 options, u32 every);

/**
 * refs_encode() - Add words.
 * @e: encoder
 * @words: what happened
 * @nr: how many
 *
 * Context: Any.
 * Return: 0, or the negative errno of the first failure: nothing was written after it.
 */
int refs_encode(struct refs_encoder *e, const u64 *words, size_t nr);

/**
 * refs_encoder_close() - Write the end of the file; free the encoder.
 * @e: encoder
 *
 * Context: Any.
 * Return: 0, or the negative errno of the first failure.
 */
int refs_encoder_close(struct refs_encoder *e) __must_check;

#endif /* OVNIK_REFS_ENCODE_H */
