// SPDX-License-Identifier: GPL-2.0-only
/* Stretches of critical chains: see stretch.h. */
#include <stdlib.h>

#include "output/tracers/builtin/stretch.h"

void stretch_put(struct stretch *s)
{
	struct stretch *before;

	for (; s && !--s->users; s = before) {
		before = s->before;
		free(s);
	}
}

/* Copy the last stretches of a chain, for one user only. */
static struct stretch *cut(const struct stretch *s, u64 steps)
{
	struct stretch *first = NULL, **link = &first, *copy = NULL;
	u64 left;

	for (left = steps; left; left--, s = s->before) {
		copy = malloc(sizeof(*copy));
		if (!copy) {
			stretch_put(first);
			return NULL;
		}
		*copy = *s;
		copy->users = 1;
		copy->length = left;
		copy->before = NULL;
		*link = copy;
		link = &copy->before;
	}
	copy->cut = true;
	return first;
}

struct stretch *stretch_end(const struct stretch *now, u64 time, u64 longest, u64 steps)
{
	struct stretch *s = malloc(sizeof(*s)), *shorter;

	if (!s)
		return NULL;
	*s = *now;
	s->users = 1;
	s->to = time;
	s->length = s->before ? s->before->length + 1 : 1;
	if (s->before)
		s->before->users++;
	if (s->length < longest)
		return s;
	shorter = cut(s, steps);
	stretch_put(s);
	return shorter;
}
