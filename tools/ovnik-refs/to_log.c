// SPDX-License-Identifier: GPL-2.0-only
/*
 * Laplace's binary references to a log like those of QEMU's plugin.
 *
 * Fetches that follow each other in time and place become code, with the accesses between them.
 * In a trace without fetches, the accesses of one time become those of an instruction that is
 * not given out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refs.h"
#include "refs/encode.h"
#include "util/hash.h"
#include "util/msg.h"

#define INSNS		32		/* of one code */
#define INSN_ACCESSES_MAX	(REFS_ACCESSES_MAX >> 1)
#define CODES		(1U << 20)	/* then all are forgotten */
#define TIME_MAX	(1ULL << (REFS_WORD_SHIFT - 1))	/* so that differences fit */
#define WORDS		4096

struct known_code {
	struct hash_node node;
	struct refs_code code;
};

/* What has been read, and is not with the encoder yet. */
struct run {
	u64 address;		/* of the first instruction */
	u64 next;		/* behind the last one */
	u64 time;		/* of the last one */
	u32 space;
	u32 nr;			/* instructions */
	u8 lengths[INSNS];
	u32 nr_accesses;
	u64 accesses[INSN_ACCESSES_MAX];	/* as words */
};

struct refs_to_log {
	struct refs_encoder *encoder;
	int fd;
	struct hash_table codes;
	bool begun;
	bool fetches;
	u64 now;		/* of what the encoder gets next */
	u32 space;
	u64 state;		/* how the code before has ended, as in REFS_WORD_CODE */
	struct run run;
	const char *reason;	/* why a reference was refused */
	int error;
	u32 nr_words;
	u64 words[WORDS];
};

static void flush_words(struct refs_to_log *l)
{
	if (!l->error)
		l->error = refs_encode(l->encoder, l->words, l->nr_words);
	l->nr_words = 0;
}

static void put(struct refs_to_log *l, u64 word)
{
	if (l->nr_words == WORDS)
		flush_words(l);
	l->words[l->nr_words++] = word;
}

static bool is_code(const struct refs_code *code, const struct run *run)
{
	return code->address == run->address && code->nr == run->nr &&
	       !memcmp(code->lengths, run->lengths, run->nr);
}

static u64 hash_run(const struct hash_table *codes, const struct run *run)
{
	u64 lengths = run->nr;
	u32 i;

	for (i = 0; i < run->nr; i++)
		lengths = lengths * 31 + run->lengths[i];
	return hash_of(codes, run->address, lengths);
}

static void free_code(struct hash_node *node)
{
	free(container_of(node, struct known_code, node));
}

/* Returns NULL without memory. */
static struct refs_code *find_code(struct refs_to_log *l)
{
	const struct run *run = &l->run;
	u64 hash = hash_run(&l->codes, run);
	struct hash_node *node;
	struct known_code *known;

	for (node = hash_first(&l->codes, hash); node; node = hash_next(node)) {
		known = container_of(node, struct known_code, node);
		if (is_code(&known->code, run))
			return &known->code;
	}
	known = calloc(1, sizeof(*known) + run->nr);
	if (!known)
		return NULL;
	known->code.address = run->address;
	known->code.now = run->address;
	known->code.nr = run->nr;
	memcpy(known->code.lengths, run->lengths, run->nr);
	hash_add(&l->codes, &known->node, hash);
	return &known->code;
}

static void start(struct refs_to_log *l)
{
	put(l, refs_word(REFS_WORD_CONTROL, REFS_WORD_START));
	put(l, refs_word(REFS_WORD_TSC, l->now));
	put(l, refs_word(REFS_WORD_CR3, (u64)l->space << REFS_PAGE_SHIFT));
}

static void stop(struct refs_to_log *l)
{
	put(l, refs_word(REFS_WORD_CONTROL, REFS_WORD_STOP | l->state));
	l->state = 0;
	flush_words(l);
}

/* The memory for codes is bounded, whatever the input has. */
static void forget_codes(struct refs_to_log *l)
{
	stop(l);
	hash_destroy(&l->codes, free_code);
	if (hash_init(&l->codes))
		l->error = -ENOMEM;
	start(l);
}

/* Give the run to the encoder. @fault: its last instruction took no time */
static void end_run(struct refs_to_log *l, bool fault)
{
	struct run *run = &l->run;
	struct refs_code *code;
	u32 i;

	if (!run->nr)
		return;
	if (l->codes.nr >= CODES)
		forget_codes(l);
	code = find_code(l);
	if (!code) {
		l->error = -ENOMEM;
		return;
	}
	put(l, (u64)code | l->state);
	for (i = 0; i < run->nr_accesses; i++)
		put(l, run->accesses[i]);
	l->state = (u64)(run->nr - 1) << REFS_WORD_INDEX | (fault ? REFS_WORD_FAULT : 0);
	l->now = run->time + !fault;
	run->nr = 0;
	run->nr_accesses = 0;
}

/* An instruction begins a new run. */
static void begin_run(struct refs_to_log *l, const struct refs_wide *ref, u64 address)
{
	struct run *run = &l->run;

	end_run(l, ref->timestamp == run->time);
	if (!l->begun) {
		l->begun = true;
		l->now = ref->timestamp;
		l->space = ref->space;
		start(l);
	}
	if (l->space != ref->space)
		put(l, refs_word(REFS_WORD_CR3, (u64)ref->space << REFS_PAGE_SHIFT));
	if (l->now != ref->timestamp)
		put(l, refs_word(REFS_WORD_SKIP, ref->timestamp - l->now));
	l->now = ref->timestamp;
	l->space = ref->space;
	run->space = ref->space;
	run->address = address;
	run->next = address;
}

static void add_insn(struct refs_to_log *l, const struct refs_wide *ref, u64 address, u8 length)
{
	struct run *run = &l->run;

	if (!run->nr || run->nr == INSNS || run->nr_accesses > INSN_ACCESSES_MAX / 2 ||
	    ref->timestamp != run->time + 1 || address != run->next || ref->space != run->space)
		begin_run(l, ref, address);
	run->lengths[run->nr++] = length;
	run->next = address + length;
	run->time = ref->timestamp;
}

static bool has_accesses(const struct run *run, u32 insn)
{
	u64 first = refs_word(REFS_WORD_ACCESS, (u64)insn << (48 + REFS_SHAPE_INSN));

	return run->nr_accesses && run->accesses[run->nr_accesses - 1] >= first;
}

/* Instructions of more than REFS_LENGTH_MAX bytes are several fetches. */
static bool is_piece(const struct run *run, const struct refs_wide *ref)
{
	return run->nr && run->lengths[run->nr - 1] == REFS_LENGTH_MAX &&
	       ref->timestamp == run->time && ref->address == run->next &&
	       ref->space == run->space && !has_accesses(run, run->nr - 1);
}

static bool add_fetch(struct refs_to_log *l, const struct refs_wide *ref)
{
	struct run *run = &l->run;

	if (l->begun && !l->fetches) {
		l->reason = "a fetch, in a trace that has begun without fetches";
		return false;
	}
	l->fetches = true;
	if (is_piece(run, ref)) {
		run->lengths[run->nr - 1] += ref->length;
		run->next += ref->length;
	} else {
		add_insn(l, ref, ref->address, ref->length);
	}
	return true;
}

/* An instruction that nobody has seen, in the kernel or not. */
static void add_hidden(struct refs_to_log *l, const struct refs_wide *ref)
{
	const struct run *run = &l->run;

	if (run->nr && run->time == ref->timestamp && run->space == ref->space)
		return;
	add_insn(l, ref, ref->address & 1ULL << 63, 0);
}

static bool add_access(struct refs_to_log *l, const struct refs_wide *ref)
{
	struct run *run = &l->run;
	u64 address = ref->address;
	u32 size, left;

	if (!l->fetches)
		add_hidden(l, ref);
	if (run->time != ref->timestamp || run->space != ref->space || !run->nr) {
		l->reason = "an access without its instruction before it";
		return false;
	}
	if (run->nr_accesses + (u32)__builtin_popcount(ref->length) > INSN_ACCESSES_MAX) {
		l->reason = "too many accesses of one instruction";
		return false;
	}
	/* 7 bytes are 4, 2 and 1. */
	for (left = ref->length; left; left -= 1U << size, address += 1U << size) {
		size = 31 - (u32)__builtin_clz(left);
		run->accesses[run->nr_accesses++] =
			refs_word(REFS_WORD_ACCESS, (address & REFS_WORD_ADDRESS) |
				  (u64)(size | (ref->type == 'W' ? REFS_SHAPE_STORE : 0) |
					(run->nr - 1) << REFS_SHAPE_INSN) << 48);
	}
	return true;
}

static bool add(struct refs_to_log *l, const struct refs_wide *ref)
{
	if (ref->timestamp >= TIME_MAX) {
		l->reason = "the time has more than 60 bits";
		return false;
	}
	if ((u64)((s64)(ref->address << 16) >> 16) != ref->address) {
		l->reason = "the address has more than 48 bits";
		return false;
	}
	return ref->type == 'I' ? add_fetch(l, ref) : add_access(l, ref);
}

static struct refs_wide widen(const void *from, bool wide)
{
	const struct refs_narrow *ref = from;
	struct refs_wide to;

	if (wide) {
		memcpy(&to, from, sizeof(to));
		return to;
	}
	return (struct refs_wide){
		.type = (u8)(ref->type - 'a' + 'A'), .timestamp = ref->timestamp,
		.length = ref->length, .space = ref->space, .address = ref->address,
	};
}

/**
 * refs_to_log_open() - Begin a log.
 * @fd: an empty file
 *
 * Context: Any.
 * Return: what refs_to_log_add() takes; NULL without memory (reported).
 */
struct refs_to_log *refs_to_log_open(int fd)
{
	struct refs_to_log *l = calloc(1, sizeof(*l));

	if (!l || hash_init(&l->codes)) {
		msg_no_memory();
		free(l);
		return NULL;
	}
	l->fd = fd;
	return l;
}

/* Only now it is known whether there are fetches. */
static bool open_encoder(struct refs_to_log *l, u8 first_type)
{
	u32 options = first_type == 'I' ? 0 : REFS_NO_FETCHES;

	l->encoder = refs_encoder_open(l->fd, options, 1);
	if (!l->encoder)
		l->error = -errno;
	return l->encoder;
}

/**
 * refs_to_log_add() - Add references until one is incomplete or not valid.
 * @l: log
 * @from: the first reference
 * @end: end of the input
 * @wide: whether the references are wide
 * @reason: is set if a reference is valid, but no log can have it
 *
 * Context: Any.
 * Return: where it stopped.
 */
const char *refs_to_log_add(struct refs_to_log *l, const char *from, const char *end, bool wide,
			    const char **reason)
{
	const size_t size = refs_size(wide);
	struct refs_wide ref;

	for (; (size_t)(end - from) >= size && !l->error; from += size) {
		if (!refs_is_valid(from, wide))
			break;
		ref = widen(from, wide);
		if ((!l->encoder && !open_encoder(l, ref.type)) || !add(l, &ref))
			break;
	}
	*reason = l->reason;
	return from;
}

/**
 * refs_to_log_error() - Can the log still be written?
 * @l: log
 *
 * Context: Any.
 * Return: 0, or the negative errno of the first failure.
 */
int refs_to_log_error(const struct refs_to_log *l)
{
	return l->error;
}

/**
 * refs_to_log_close() - End the log, and free everything.
 * @l: log; NULL is allowed
 *
 * Context: Any.
 * Return: 0, or the negative errno of the first failure.
 */
int refs_to_log_close(struct refs_to_log *l)
{
	int ret;

	if (!l)
		return 0;
	if (!l->encoder)
		open_encoder(l, 'I');
	end_run(l, false);
	if (l->begun)
		stop(l);
	ret = l->encoder ? refs_encoder_close(l->encoder) : 0;
	if (!l->error)
		l->error = ret;
	ret = l->error;
	hash_destroy(&l->codes, free_code);
	free(l);
	return ret;
}
