// SPDX-License-Identifier: GPL-2.0-only
/* A block into its references: what encode.c does, backwards. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "refs/read.h"
#include "util/msg.h"

struct in {
	const u8 *at;
	const u8 *end;
	bool bad;
};

struct template {
	u64 address;
	const u8 *lengths;
	u32 started;
	u32 nr;
	u32 first;	/* of its accesses */
	u32 next;	/* template, plus 1 */
	u32 fault;
};

struct access {
	u64 last;
	u32 insn;
	u32 shape;
};

struct expansion {
	struct in in[REFS_NR_STREAMS];
	struct template *templates;
	u32 nr;
	u32 room;
	struct access *accesses;
	u32 nr_accesses;
	u32 room_accesses;
	u32 before;		/* template, plus 1 */
	struct refs_ref ref;
	u64 left[REFS_NR_KINDS];
	bool no_memory;
	u64 page[2];		/* virtual and physical */
	const struct refs_sink *sink;
	bool fetches;		/* are given out */
};

static inline u64 get(struct in *in)
{
	unsigned int shift;
	u64 value = 0;

	for (shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		u8 byte = *in->at++;

		value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	in->bad = true;
	return 0;
}

/* Room for @more of @size; returns false without memory. */
static bool grow(void **at, u32 *room, u32 nr, u64 more, size_t size)
{
	u64 want = nr + more;
	void *new;

	if (want <= *room)
		return true;
	want = want < 4096 ? 4096 : 2 * want;
	new = want >> 32 == 0 ? realloc(*at, want * size) : NULL;
	if (!new)
		return false;
	*at = new;
	*room = (u32)want;
	return true;
}

static bool get_accesses(struct expansion *x, struct template *t)
{
	struct in *in = &x->in[REFS_TEMPLATES];
	u64 insn = 0;
	u32 i;

	if (!grow((void **)&x->accesses, &x->room_accesses, x->nr_accesses, t->nr + 1UL,
		  sizeof(*x->accesses))) {
		x->no_memory = true;
		return false;
	}
	for (i = 0; i < t->nr; i++) {
		u64 value = get(in);

		insn += value >> REFS_SHAPE_INSN;
		if (in->bad || insn >= t->started)
			return false;
		x->accesses[x->nr_accesses++] = (struct access){
			.insn = (u32)insn,
			.shape = value & (REFS_SHAPE_STORE | REFS_SHAPE_SIZE),
		};
	}
	return true;
}

/* An instruction that is not given out may be one that nobody has seen. */
static bool are_lengths(const struct expansion *x, const struct template *t)
{
	return !x->fetches || !memchr(t->lengths, 0, t->started);
}

static bool get_template(struct expansion *x)
{
	struct in *in = &x->in[REFS_TEMPLATES];
	struct template *t;
	u64 state, nr;

	if (!grow((void **)&x->templates, &x->room, x->nr, 1, sizeof(*t))) {
		x->no_memory = true;
		return false;
	}
	t = &x->templates[x->nr];
	memset(t, 0, sizeof(*t));
	t->address = get(in);
	state = get(in);
	if (in->bad || state >> 1 > (u64)(in->end - in->at) || state >> 1 > REFS_INSNS_MAX)
		return false;
	t->started = (u32)(state >> 1);
	t->fault = state & 1;
	t->lengths = in->at;
	in->at += t->started;
	nr = get(in);
	/* Each has a byte. */
	if (!t->started || !are_lengths(x, t))
		return false;
	if (in->bad || nr > REFS_ACCESSES_MAX || nr > (u64)(in->end - in->at))
		return false;
	t->nr = (u32)nr;
	t->first = x->nr_accesses;
	x->nr++;
	return get_accesses(x, t);
}

static inline bool give(struct expansion *x, enum refs_kind kind, u64 address, u32 length)
{
	if (unlikely(!x->left[kind]))
		return false;
	x->left[kind]--;
	x->ref.kind = kind;
	x->ref.address = address;
	x->ref.length = length;
	if (kind != REFS_FETCH || x->fetches)
		x->sink->ref(&x->ref, x->sink->data);
	return true;
}

static inline bool give_access(struct expansion *x, struct access *access)
{
	u64 address = access->last + (u64)refs_unzigzag(get(&x->in[REFS_ADDRESSES]));

	/* 48 bits with their sign. */
	address = (u64)((s64)(address << 16) >> 16);
	access->last = address;
	return give(x, access->shape & REFS_SHAPE_STORE ? REFS_STORE : REFS_LOAD, address,
		    1U << (access->shape & REFS_SHAPE_SIZE));
}

/* Execute a template once. */
static bool execute(struct expansion *x, u32 number)
{
	struct template *t = &x->templates[number];
	struct access *access = x->accesses + t->first, *end = access + t->nr;
	u64 address = t->address;
	u32 i;

	x->ref.kernel = address >> 63;
	for (i = 0; i < t->started; i++) {
		if (!give(x, REFS_FETCH, address, t->lengths[i]))
			return false;
		for (; access < end && access->insn == i; access++)
			if (!give_access(x, access))
				return false;
		address += t->lengths[i];
		x->ref.time++;
	}
	x->ref.time -= t->fault;
	if (x->before)
		x->templates[x->before - 1].next = number + 1;
	x->before = number + 1;
	return !x->in[REFS_ADDRESSES].bad;
}

static bool run(struct expansion *x, u64 count)
{
	for (; count; count--)
		if (!x->before || !x->templates[x->before - 1].next ||
		    !execute(x, x->templates[x->before - 1].next - 1))
			return false;
	return true;
}

static void take_page(struct expansion *x)
{
	x->page[0] += (u64)refs_unzigzag(get(&x->in[REFS_EVENTS]));
	x->page[1] += (u64)refs_unzigzag(get(&x->in[REFS_EVENTS]));
	if (x->sink->page)
		x->sink->page(&(struct refs_page){ .time = x->ref.time, .cr3 = x->ref.cr3,
						   .page = x->page[0], .frame = x->page[1] },
			      x->sink->data);
}

static bool take_event(struct expansion *x, u64 event)
{
	struct in *times = &x->in[REFS_TIMES];
	u64 jump;

	switch (event) {
	case REFS_EV_CR3:
		x->ref.cr3 = get(&x->in[REFS_EVENTS]);
		break;
	case REFS_EV_TIME:
		if (times->end - times->at < (ptrdiff_t)sizeof(jump))
			return false;
		memcpy(&jump, times->at, sizeof(jump));
		/* Backwards, it begins another block. */
		if ((s64)jump < 0)
			return false;
		times->at += sizeof(jump);
		x->ref.time += jump;
		break;
	case REFS_EV_PAGE:
		take_page(x);
		break;
	default:
		return false;
	}
	return !x->in[REFS_EVENTS].bad;
}

static bool expand(struct expansion *x)
{
	struct in *ops = &x->in[REFS_OPS];
	bool ok = true;
	u64 op;

	while (ok && ops->at < ops->end) {
		op = get(ops);
		if (ops->bad)
			return false;
		switch ((enum refs_op)(op & 3)) {
		case REFS_RUN:
			ok = run(x, op >> 2);
			break;
		case REFS_JUMP:
			ok = op >> 2 < x->nr && execute(x, (u32)(op >> 2));
			break;
		case REFS_NEW:
			ok = get_template(x) && execute(x, x->nr - 1);
			break;
		case REFS_EVENT:
			ok = take_event(x, op >> 2);
			break;
		}
	}
	return ok && !x->left[REFS_FETCH] && !x->left[REFS_LOAD] && !x->left[REFS_STORE];
}

int refs_expand(struct refs_reader *r, const struct refs_sink *sink)
{
	struct expansion x = {
		.sink = sink, .fetches = !(r->file.options & REFS_NO_FETCHES),
		.ref = { .time = r->block.begin, .cr3 = r->block.cr3 },
	};
	const u8 *at = r->raw;
	unsigned int i;
	bool ok;

	for (i = 0; i < REFS_NR_STREAMS; i++) {
		x.in[i] = (struct in){ .at = at, .end = at + r->block.streams[i] };
		at += r->block.streams[i];
	}
	memcpy(x.left, r->block.refs, sizeof(x.left));
	ok = expand(&x);
	free(x.templates);
	free(x.accesses);
	if (ok)
		return 1;
	msg_error("%s: offset %llu: %s", r->path, r->offset,
		  x.no_memory ? "no memory" : "the block contradicts itself");
	r->damage = -EINVAL;
	return x.no_memory ? -ENOMEM : 0;
}
