// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory references into blocks.
 *
 * What code does is a template: its instructions, and which of them access memory. The encoder
 * writes which template comes next, if it is not the one that came next before, and how far
 * each address is from the one of the same access before. Both are forgotten at the beginning
 * of a block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "refs/block.h"
#include "refs/encode.h"

#define STREAM_FULL	(REFS_STREAM_MAX - (2U << 20))	/* then the block ends */
#define HALT_ROOM	(1U << 20)	/* for what comes before the guest reads its TSC again */
#define BLOCK_REFS	(8U << 20)	/* a block has about so many references */

/* What code did once. */
struct refs_template {
	struct refs_template *next;	/* that came after it the last time */
	struct refs_template *other;	/* of the same code */
	u64 address;
	u32 number;
	u32 started;
	u32 nr;				/* accesses */
	u32 fault;			/* the last instruction did not end */
	u32 kinds[REFS_NR_KINDS];
	u16 *shapes;
	u64 *last;			/* address of each access */
};

struct refs_encoder {
	struct refs_blocks blocks;
	u32 options;
	u64 now;			/* time */
	u64 skipped;			/* time that is not in the file yet */
	u64 skip;			/* the same, behind the code */
	bool on;
	bool timed;			/* the guest's TSC is known */
	u64 cr3;
	u64 next_cr3;			/* behind the code */
	u64 tsc;			/* that was read behind the code; 0: none */
	u64 at;				/* address of the next code; 0: where it was */
	bool halted;			/* behind the code */
	bool changed;			/* something of what is behind the code */
	bool out;			/* what is executed is not of the tree */
	bool next_out;			/* behind the code */
	u32 halt;			/* where its time goes in REFS_TIMES, plus 1; 0: none */
	u32 run;
	u64 page;			/* the virtual one whose physical one is the next word */
	bool has_page;
	u64 last_page[2];
	struct refs_code *code;		/* that is executed */
	struct refs_template *before;
	u32 templates;
	u32 nr;				/* accesses */
	u64 accesses[REFS_ACCESSES_MAX];
};

static void put_number(struct refs_encoder *e, enum refs_stream stream, u64 value)
{
	struct refs_out *out = &e->blocks.out[stream];

	out->len = (u32)(refs_put(out->data + out->len, value) - out->data);
}

static void put_op(struct refs_encoder *e, enum refs_op op, u64 value)
{
	put_number(e, REFS_OPS, value << 2 | op);
}

static void end_run(struct refs_encoder *e)
{
	if (e->run)
		put_op(e, REFS_RUN, e->run);
	e->run = 0;
}

static void put_event(struct refs_encoder *e, enum refs_event event)
{
	end_run(e);
	put_op(e, REFS_EVENT, event);
}

/* Returns where the time is, plus 1. */
static u32 put_time(struct refs_encoder *e, u64 jump)
{
	struct refs_out *out = &e->blocks.out[REFS_TIMES];

	put_event(e, REFS_EV_TIME);
	memcpy(out->data + out->len, &jump, sizeof(jump));
	out->len += sizeof(jump);
	return out->len - (u32)sizeof(jump) + 1;
}

static void put_page(struct refs_encoder *e, u64 frame)
{
	put_event(e, REFS_EV_PAGE);
	put_number(e, REFS_EVENTS, refs_zigzag((s64)(e->page - e->last_page[0])));
	put_number(e, REFS_EVENTS, refs_zigzag((s64)(frame - e->last_page[1])));
	e->last_page[0] = e->page;
	e->last_page[1] = frame;
}

static void end_block(struct refs_encoder *e)
{
	end_run(e);
	refs_blocks_end(&e->blocks, e->now, e->cr3, e->timed ? 0 : REFS_NO_TIME);
	e->before = NULL;
	e->templates = 0;
	e->skipped = 0;
	memset(e->last_page, 0, sizeof(e->last_page));
}

static bool is_full(const struct refs_encoder *e)
{
	const u64 *refs = e->blocks.head.refs;
	const struct refs_out *out = e->blocks.out;
	/* The time of a halt becomes known later. */
	u32 full = STREAM_FULL + (e->halt ? HALT_ROOM : 0);
	u32 left = (full - out[REFS_OPS].len) | (full - out[REFS_ADDRESSES].len) |
		   (full - out[REFS_TEMPLATES].len) | (full - out[REFS_TIMES].len) |
		   (full - out[REFS_EVENTS].len);

	/* A stream that has too much has less than nothing left. */
	if (left >> 31)
		return true;
	return refs[REFS_FETCH] + refs[REFS_LOAD] > BLOCK_REFS << !!e->halt;
}

/* Write what the code is, for the first time in the block. */
static void define(struct refs_encoder *e, const struct refs_template *t)
{
	const struct refs_code *code = e->code;
	struct refs_out *out = &e->blocks.out[REFS_TEMPLATES];
	u32 i, before = 0;

	put_number(e, REFS_TEMPLATES, t->address);
	put_number(e, REFS_TEMPLATES, t->started << 1 | t->fault);
	memcpy(out->data + out->len, code->lengths, t->started);
	out->len += t->started;
	put_number(e, REFS_TEMPLATES, t->nr);
	for (i = 0; i < t->nr; i++) {
		/* The instruction as a difference. */
		u32 insn = t->shapes[i] >> REFS_SHAPE_INSN;

		put_number(e, REFS_TEMPLATES, (insn - before) << REFS_SHAPE_INSN |
			   (t->shapes[i] & (REFS_SHAPE_STORE | REFS_SHAPE_SIZE)));
		before = insn;
	}
}

static struct refs_template *make_template(struct refs_encoder *e, u32 started, u32 fault)
{
	struct refs_code *code = e->code;
	struct refs_template *t = refs_blocks_take(&e->blocks, sizeof(*t));
	u32 i;

	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->shapes = refs_blocks_take(&e->blocks, e->nr * sizeof(*t->shapes));
	t->last = refs_blocks_take(&e->blocks, e->nr * sizeof(*t->last));
	if (!t->shapes || !t->last)
		return NULL;
	t->address = code->now;
	t->number = e->templates++;
	t->started = started;
	t->fault = fault;
	t->nr = e->nr;
	t->kinds[REFS_FETCH] = started;
	for (i = 0; i < e->nr; i++) {
		t->shapes[i] = (u16)(e->accesses[i] >> 48 & 0x1fff);
		t->kinds[t->shapes[i] & REFS_SHAPE_STORE ? REFS_STORE : REFS_LOAD]++;
	}
	memset(t->last, 0, t->nr * sizeof(*t->last));
	t->other = code->last;
	code->last = t;
	return t;
}

/* All are compared: there are few, and to stop early would be guessed wrongly. */
static inline bool same_shape(const struct refs_encoder *e, const struct refs_template *t)
{
	u64 other = 0;
	u32 i;

	for (i = 0; i < t->nr; i++)
		other |= (e->accesses[i] >> 48 & 0x1fff) ^ t->shapes[i];
	return !other;
}

static inline bool matches(const struct refs_encoder *e, const struct refs_template *t,
			   u32 started, u32 fault)
{
	return t->started == started && t->nr == e->nr && t->fault == fault &&
	       t->address == e->code->now && same_shape(e, t);
}

/* Find what the code did, or NULL if it never did that. */
static struct refs_template *find_template(struct refs_encoder *e, u32 started, u32 fault)
{
	struct refs_template **link = &e->code->last, *t;

	/* Those of an older block are no longer there. */
	if (e->code->block != e->blocks.number)
		*link = NULL;
	e->code->block = e->blocks.number;
	for (t = *link; t; link = &t->other, t = *link) {
		if (!matches(e, t, started, fault))
			continue;
		/* To the front. */
		*link = t->other;
		t->other = e->code->last;
		e->code->last = t;
		return t;
	}
	return NULL;
}

/*
 * As refs_put() for a number below 2^56, but without a branch, for the length is hard to guess.
 * Eight bytes are written, of which those behind the number are written again.
 */
static inline u8 *put_short(u8 *to, u64 value)
{
	u32 highest = 63 - (u32)__builtin_clzll(value | 1);
	u32 more = highest * 37 >> 8;	/* a seventh */

	/* Two groups of 28 bits, four of 14, eight of 7. */
	value = (value & 0xfffffff) | (value & 0xfffffff0000000) << 4;
	value = (value & 0x3fff00003fff) | (value & 0xfffc0000fffc000) << 2;
	value = (value & 0x7f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
	value |= 0x8080808080808080 & ((1ULL << 8 * more) - 1);
	memcpy(to, &value, sizeof(value));
	return to + more + 1;
}

static inline void put_addresses(struct refs_encoder *e, struct refs_template *t)
{
	struct refs_out *out = &e->blocks.out[REFS_ADDRESSES];
	u8 *to = out->data + out->len;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		u64 address = e->accesses[i] & REFS_WORD_ADDRESS;
		/* The difference of 48 bits, with its sign. */
		s64 delta = (s64)((address - t->last[i]) << 16) >> 16;

		to = put_short(to, refs_zigzag(delta));
		t->last[i] = address;
	}
	out->len = (u32)(to - out->data);
}

/* The code has ended: write it. */
static void put_code(struct refs_encoder *e, u32 started, u32 fault)
{
	u64 *refs = e->blocks.head.refs;
	struct refs_template *t;
	bool is_new;

	t = find_template(e, started, fault);
	is_new = !t;
	if (is_new) {
		t = make_template(e, started, fault);
		if (!t) {
			e->blocks.error = -ENOMEM;
			return;
		}
	}
	if (e->skipped)
		put_time(e, e->skipped);
	e->skipped = 0;
	if (is_new) {
		end_run(e);
		put_op(e, REFS_NEW, 0);
		define(e, t);
	} else if (e->before && e->before->next == t) {
		e->run++;
	} else {
		end_run(e);
		put_op(e, REFS_JUMP, t->number);
	}
	put_addresses(e, t);
	if (e->before)
		e->before->next = t;
	e->before = t;
	refs[REFS_FETCH] += t->kinds[REFS_FETCH];
	refs[REFS_LOAD] += t->kinds[REFS_LOAD];
	refs[REFS_STORE] += t->kinds[REFS_STORE];
}

static u64 address_of(const struct refs_code *code, u32 insn)
{
	u64 address = code->now;
	u32 i;

	for (i = 0; i < insn; i++)
		address += code->lengths[i];
	return address;
}

static bool is_left_out(const struct refs_encoder *e)
{
	bool kernel = e->code->now >> 63;

	return e->out || e->options & (kernel ? REFS_NO_KERNEL : REFS_NO_USER);
}

/*
 * The code has ended, because what is at @next is executed. @state: as in REFS_WORD_CODE.
 *
 * An instruction that has begun and is next again was interrupted by the emulator itself. If what
 * follows it is next, the emulator has executed it alone, because it accessed a device. An
 * interrupt may come in between.
 */
static void end_code(struct refs_encoder *e, u64 state, u64 next)
{
	u32 started = (u32)(state >> REFS_WORD_INDEX & (REFS_INSNS_MAX - 1)) + 1;
	u32 fault = started < e->code->nr || (state & REFS_WORD_FAULT);

	if (started > e->code->nr) {
		e->blocks.error = -EPROTO;
		return;
	}
	if (started < e->code->nr && next == address_of(e->code, started - 1)) {
		started--;
		fault = 0;
	} else if (started < e->code->nr &&
		   (state & REFS_WORD_ENDED || next == address_of(e->code, started))) {
		fault = 0;
	}
	while (e->nr && (e->accesses[e->nr - 1] >> (48 + REFS_SHAPE_INSN) & 0x1ff) >= started)
		e->nr--;
	if (is_left_out(e))
		e->skipped += started - fault;
	else if (started)
		put_code(e, started, fault);
	e->now += started - fault;
	e->code = NULL;
	e->nr = 0;
}

/* Within a block, time does not go back: a reader looks for times by blocks. */
static void go_back(struct refs_encoder *e, u64 now)
{
	end_block(e);
	e->now = now;
	e->blocks.head.begin = now;
	e->halt = 0;
}

/* The guest has read its TSC. If it has been idle before, that is why the time is another. */
static void set_time(struct refs_encoder *e)
{
	u64 jump = e->tsc - e->now;
	u64 part;

	if (e->timed && (s64)jump < 0) {
		e->blocks.head.drift -= jump;
		go_back(e, e->tsc);
		return;
	}
	e->now = e->tsc;
	if (!e->timed) {
		e->timed = true;
		e->blocks.head.begin += jump;
	} else if (e->halt) {
		memcpy(&part, e->blocks.out[REFS_TIMES].data + e->halt - 1, sizeof(part));
		part += jump;
		memcpy(e->blocks.out[REFS_TIMES].data + e->halt - 1, &part, sizeof(part));
	} else if (jump) {
		put_time(e, jump);
		e->blocks.head.drift += jump;
	}
	e->halt = 0;
}

/* What happened behind the code. */
static void __attribute__((noinline)) put_changes(struct refs_encoder *e)
{
	e->changed = false;
	if (e->next_cr3 != e->cr3) {
		e->cr3 = e->next_cr3;
		put_event(e, REFS_EV_CR3);
		put_number(e, REFS_EVENTS, e->cr3);
	}
	if (e->tsc)
		set_time(e);
	e->tsc = 0;
	if (e->halted)
		e->halt = put_time(e, 0);
	e->halted = false;
	if ((s64)e->skip < 0) {
		go_back(e, e->now + e->skip);
	} else {
		e->skipped += e->skip;
		e->now += e->skip;
	}
	e->skip = 0;
	e->out = e->next_out;
}

/* The code is written, and nothing of the next one. */
static void between(struct refs_encoder *e)
{
	if (unlikely(e->changed))
		put_changes(e);
	if (likely(!is_full(e)))
		return;
	e->halt = 0;
	end_block(e);
}

static void next_code(struct refs_encoder *e, u64 word)
{
	struct refs_code *code = (struct refs_code *)(word & REFS_WORD_ADDRESS);

	if (e->at)
		code->now = e->at;
	e->at = 0;
	if (e->code)
		end_code(e, word, code->now);
	between(e);
	e->code = code;
}

static void control(struct refs_encoder *e, u64 word)
{
	switch ((enum refs_control)(word & 0xff)) {
	case REFS_WORD_START:
		e->on = true;
		e->timed = false;
		e->next_out = false;
		return;
	case REFS_WORD_HALT:
		e->halted = true;
		return;
	case REFS_WORD_IN:
	case REFS_WORD_OUT:
		e->next_out = (word & 0xff) == REFS_WORD_OUT;
		return;
	case REFS_WORD_STOP:
		if (e->code)
			end_code(e, word, 0);
		between(e);
		e->halt = 0;
		end_block(e);
		e->on = false;
		return;
	}
}

static inline s64 extend(u64 word)
{
	return (s64)(word << 16) >> 16;
}

/* All but code and accesses, which are most. */
static void __attribute__((noinline)) encode_rare(struct refs_encoder *e, u64 word)
{
	u64 value = word & ~(~0ULL << REFS_WORD_SHIFT);

	e->changed = true;
	switch ((enum refs_word)(word >> REFS_WORD_SHIFT)) {
	case REFS_WORD_CODE:
	case REFS_WORD_ACCESS:
		/* More than there is room for. */
		e->blocks.error = -E2BIG;
		return;
	case REFS_WORD_AT:
		e->at = (u64)extend(value);
		return;
	case REFS_WORD_CR3:
		e->next_cr3 = value;
		return;
	case REFS_WORD_TSC:
		e->tsc = value;
		return;
	case REFS_WORD_PAGE:
		e->page = value;
		e->has_page = true;
		return;
	case REFS_WORD_CONTROL:
		control(e, word);
		return;
	case REFS_WORD_SKIP:
		e->skip = (u64)((s64)(value << (64 - REFS_WORD_SHIFT)) >> (64 - REFS_WORD_SHIFT));
		return;
	}
}

static inline enum refs_word kind_of(u64 word)
{
	return word >> REFS_WORD_SHIFT;
}

/* Returns how many there were. */
static inline size_t take_accesses(struct refs_encoder *e, const u64 *words, size_t nr)
{
	u64 *to = e->accesses + e->nr;
	size_t i;

	if (nr > REFS_ACCESSES_MAX - e->nr)
		nr = REFS_ACCESSES_MAX - e->nr;
	for (i = 0; i < nr && kind_of(words[i]) == REFS_WORD_ACCESS; i++)
		to[i] = words[i];
	e->nr += (u32)i;
	return i;
}

static void encode_word(struct refs_encoder *e, u64 word)
{
	const u64 start = refs_word(REFS_WORD_CONTROL, REFS_WORD_START);

	if (unlikely(e->has_page)) {
		e->has_page = false;
		if (e->on)
			put_page(e, word);
	} else if (unlikely(!e->on) && word != start && kind_of(word) != REFS_WORD_PAGE) {
		return;
	} else if (likely(kind_of(word) == REFS_WORD_CODE)) {
		next_code(e, word);
	} else {
		encode_rare(e, word);
	}
}

int refs_encode(struct refs_encoder *e, const u64 *words, size_t nr)
{
	size_t i = 0;

	while (!e->blocks.error) {
		if (likely(e->on && !e->has_page))
			i += take_accesses(e, words + i, nr - i);
		if (i == nr)
			break;
		encode_word(e, words[i++]);
	}
	return e->blocks.error;
}

struct refs_encoder *refs_encoder_open(int fd, u32 options, u32 every)
{
	struct refs_encoder *e = calloc(1, sizeof(*e));

	int ret;

	if (!e)
		return NULL;
	e->options = options;
	if (!refs_blocks_open(&e->blocks, fd, options, every))
		return e;
	ret = refs_blocks_close(&e->blocks);
	free(e);
	errno = -ret;
	return NULL;
}

int refs_encoder_close(struct refs_encoder *e)
{
	int ret;

	end_block(e);
	ret = refs_blocks_close(&e->blocks);
	free(e);
	return ret;
}
