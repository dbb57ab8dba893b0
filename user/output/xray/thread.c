// SPDX-License-Identifier: GPL-2.0-only
/* The call stacks of threads: see thread.h. */
#include <errno.h>
#include <stdlib.h>

#include "output/xray/thread.h"

/*
 * The most that one change can write: a CPU, a jump of time, three exits and two entries; twice,
 * if an unknown period has to be written first.
 */
#define CHANGE_MAX	(2 * (2 * XRAY_METADATA_SIZE + 5 * XRAY_FUNCTION_SIZE))

static inline u8 *end_of(const struct xray_life *t)
{
	return t->out.buf + t->out.len;
}

static inline void written(struct xray_life *t, const u8 *end)
{
	t->out.len = end - t->out.buf;
}

static inline u8 *enter(struct xray_life *t, u8 *p, u8 function, u64 tsc)
{
	return function ? fdr_put_function(p, XRAY_ENTER, function, &t->base, tsc) : p;
}

static inline u8 *leave(struct xray_life *t, u8 *p, u8 *function, u64 tsc)
{
	if (*function)
		p = fdr_put_function(p, XRAY_EXIT, *function, &t->base, tsc);
	*function = XRAY_NO_FUNCTION;
	return p;
}

static u8 *leave_calls(struct xray_life *t, u8 *p, u64 tsc)
{
	p = leave(t, p, &t->fault, tsc);
	return leave(t, p, &t->call, tsc);
}

static inline u8 *enter_leaf(struct xray_life *t, u8 *p, u8 leaf, u64 tsc)
{
	t->leaf = leaf;
	return enter(t, p, leaf, tsc);
}

/* Reserve room for the records of a change, and @more bytes; NULL: out of memory. */
static inline u8 *begin(struct xray_stacks *s, struct xray_life *t, u32 more, u16 cpu, u64 tsc)
{
	u8 *p;

	if (unlikely(!spill_reserve(&s->spill, &t->out, CHANGE_MAX + more)))
		return NULL;
	p = end_of(t);
	if (unlikely(t->cpu != cpu)) {
		t->cpu = cpu;
		t->base = tsc;
		p = fdr_put_cpu(p, cpu, tsc);
	}
	return p;
}

void xray_life_begin(struct xray_stacks *s, struct xray_life *t, u8 leaf, u16 cpu, u64 tsc)
{
	u8 *p;

	if (!spill_reserve(&s->spill, &t->out, CHANGE_MAX))
		return;
	t->cpu = cpu;
	t->base = tsc;
	p = fdr_put_cpu(end_of(t), cpu, tsc);
	written(t, enter_leaf(t, p, leaf, tsc));
}

void xray_life_leaf(struct xray_stacks *s, struct xray_life *t, u8 leaf, u16 cpu, u64 tsc)
{
	u8 *p = begin(s, t, 0, cpu, tsc);

	if (unlikely(!p))
		return;
	if (likely(t->leaf != leaf && t->leaf)) {
		/* The common case: its state is kept in registers. */
		u64 base = t->base;

		p = fdr_put_function(p, XRAY_EXIT, t->leaf, &base, tsc);
		p = fdr_put_function(p, XRAY_ENTER, leaf, &base, tsc);
		t->base = base;
		t->leaf = leaf;
	}
	written(t, p);
}

/* The leaf after a function was entered or left. A thread that was off the CPU must have run. */
static inline u8 after(const struct xray_life *t)
{
	return xray_runs(t) ? XRAY_CONTINUED : XRAY_OFFCPU_LOST;
}

void xray_life_call(struct xray_stacks *s, struct xray_life *t, u8 call, u16 cpu, u64 tsc)
{
	u8 *p = begin(s, t, 0, cpu, tsc);
	u8 leaf = after(t);

	if (unlikely(!p))
		return;
	p = leave(t, p, &t->leaf, tsc);
	p = leave_calls(t, p, tsc);
	t->call = call;
	p = enter(t, p, call, tsc);
	written(t, enter_leaf(t, p, leaf, tsc));
}

void xray_life_fault(struct xray_stacks *s, struct xray_life *t, u8 fault, u16 cpu, u64 tsc)
{
	u8 *p = begin(s, t, 0, cpu, tsc);
	u8 leaf = after(t);

	if (unlikely(!p))
		return;
	p = leave(t, p, &t->leaf, tsc);
	p = leave(t, p, &t->fault, tsc);
	t->fault = fault;
	p = enter(t, p, fault, tsc);
	written(t, enter_leaf(t, p, leaf, tsc));
}

void xray_life_event(struct xray_stacks *s, struct xray_life *t, char *end, u16 cpu, u64 tsc)
{
	u32 size = end - s->text;
	u8 *p;

	/* Readers take the padding of a version 1 buffer for records of 8 bytes. */
	for (; s->version < XRAY_VERSION_MAX && size % XRAY_FUNCTION_SIZE; size++)
		s->text[size] = ' ';
	p = begin(s, t, size, cpu, tsc);
	if (unlikely(!p))
		return;
	if (s->largest < XRAY_METADATA_SIZE + size)
		s->largest = XRAY_METADATA_SIZE + size;
	p = fdr_put_custom(p, s->version, size, &t->base, tsc);
	memcpy(p, s->text, size);
	written(t, p + size);
}

void xray_life_end(struct xray_stacks *s, struct xray_life *t, u16 cpu, u64 tsc)
{
	u8 *p;

	if (!t->leaf)
		return;
	p = begin(s, t, 0, cpu, tsc);
	if (!p)
		return;
	p = leave(t, p, &t->leaf, tsc);
	written(t, leave_calls(t, p, tsc));
}
