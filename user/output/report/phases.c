// SPDX-License-Identifier: GPL-2.0-only
/* The phases of an application: see phases.h. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "merge/marks.h"
#include "output/report/phases.h"
#include "sums/table.h"
#include "util/idmap.h"

/**
 * struct stack - When the values of a mark of a thread began, outermost first.
 * @next: of another mark or thread
 * @room: entries allocated at @since
 * @since: when
 */
struct stack {
	struct stack *next;
	u32 room;
	u64 *since;
};

struct report_phases {
	struct marks marks;
	struct report_phase *list;	/* by the number that a label has */
	u32 nr;
	struct idmap spans;		/* time of a thread in a phase, by both */
	struct stack *stacks;
};

static struct stack *stack_of(struct report_phases *p, struct marks_track *track)
{
	struct stack *stack = (void *)(uintptr_t)track->user;
	u64 *grown;

	if (!stack) {
		stack = calloc(1, sizeof(*stack));
		if (!stack)
			return NULL;
		stack->next = p->stacks;
		p->stacks = stack;
		track->user = (uintptr_t)stack;
	}
	if (track->depth < stack->room)
		return stack;
	grown = realloc(stack->since, 2 * (track->depth + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	stack->since = grown;
	stack->room = 2 * (track->depth + 1);
	return stack;
}

/* Return: number of the phase, from 1; 0: no memory. */
static u64 number(struct report_phases *p, const struct marks_change *c)
{
	struct report_phase *grown, *phase;

	if (c->label->user)
		return c->label->user;
	if (!(p->nr & (p->nr - 1))) {
		grown = realloc(p->list, (p->nr ? 2 * p->nr : 1) * sizeof(*grown));
		if (!grown)
			return 0;
		p->list = grown;
	}
	phase = &p->list[p->nr++];
	*phase = (struct report_phase){
		.mark = c->type->title, .name = c->label->text, .least = ~0ULL,
	};
	c->label->user = p->nr;
	return p->nr;
}

/* Is the thread in that phase already, but for the innermost @inner values? */
static bool is_within(const struct marks_track *track, const struct marks_label *label, u32 inner)
{
	u32 i;

	for (i = 0; i + inner < track->depth; i++) {
		if (track->values[i] == label)
			return true;
	}
	return false;
}

static int on_change(void *data, const struct marks_change *c)
{
	struct report_phases *p = data;
	struct marks_track *track = c->track;
	struct stack *stack;
	struct idmap_slot *slot;
	u64 nr;

	if (c->type->functions || is_within(track, c->label, !c->begins))
		return 0;
	nr = number(p, c);
	stack = stack_of(p, track);
	if (!nr || !stack)
		return -ENOMEM;
	if (c->begins) {
		stack->since[track->depth] = c->ns;
		p->list[nr - 1].times++;
		return 0;
	}
	slot = idmap_put(&p->spans, nr << 32 | track->thread);
	if (!slot)
		return -ENOMEM;
	slot->bits += c->ns - stack->since[track->depth - 1];
	return 0;
}

int report_phases_attach(struct report_phases **p, const struct output_env *env)
{
	*p = calloc(1, sizeof(**p));
	if (!*p)
		return -ENOMEM;
	return marks_attach(&(*p)->marks, env->events, env->loom, on_change, *p);
}

int report_phases_finish(struct report_phases *p, u64 end, struct report_phase **phases, u32 *nr)
{
	struct idmap_slot *slot = NULL;
	struct report_phase *phase;
	int ret = marks_finish(&p->marks, end);

	if (ret)
		return ret;
	while ((slot = idmap_next(&p->spans, slot))) {
		phase = &p->list[(slot->key >> 32) - 1];
		phase->threads++;
		phase->ns += slot->bits;
		if (slot->bits < phase->least)
			phase->least = slot->bits;
		if (slot->bits > phase->most)
			phase->most = slot->bits;
	}
	*phases = p->list;
	*nr = p->nr;
	return 0;
}

/* The one of most time first; of equals, the one that began first. */
static int by_time(const void *a, const void *b)
{
	const struct report_phase *x = *(struct report_phase *const *)a;
	const struct report_phase *y = *(struct report_phase *const *)b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

void report_phase_write(const struct report_phase *phase, struct tracer_answer *to)
{
	answer_text(to, "mark", phase->mark);
	answer_text(to, "phase", phase->name);
	answer_u64(to, "times", phase->times);
	answer_u64(to, "threads", phase->threads);
	answer_ns(to, "average", phase->ns / phase->threads);
	answer_ns(to, "least", phase->least);
	answer_ns(to, "most", phase->most);
	if (phase->most)
		answer_share(to, "balance", phase->ns / phase->threads, phase->most);
}

int report_phases_write(struct report_phase *phases, u32 nr, unsigned int rows,
			struct tracer_answer *to)
{
	struct report_phase **list = calloc(nr + 1, sizeof(*list));
	u32 i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		list[i] = &phases[i];
	if (nr)
		qsort(list, nr, sizeof(*list), by_time);
	report_begin(to, "phases", REPORT_PHASE_COLUMNS);
	for (i = 0; i < nr && i < rows; i++) {
		answer_row(to);
		report_phase_write(list[i], to);
	}
	report_end(to);
	free(list);
	return 0;
}

void report_phases_free(struct report_phases *p)
{
	struct stack *stack;

	if (!p)
		return;
	while ((stack = p->stacks)) {
		p->stacks = stack->next;
		free(stack->since);
		free(stack);
	}
	marks_free(&p->marks);
	idmap_free(&p->spans);
	free(p->list);
	free(p);
}
