// SPDX-License-Identifier: GPL-2.0-only
/* The functions a thread is in: see stack.h. */
#include <stdlib.h>
#include <string.h>

#include "util/msg.h"
#include "merge/stack.h"

#define FIRST_ROOM	64

/* The function's entry; NULL if no function of its page was ever entered. */
static inline u32 *seen_at(const struct xray_seen *seen, u32 function)
{
	u32 *page = seen->page ? seen->page[function / XRAY_SEEN_PAGE] : NULL;

	return page ? &page[function % XRAY_SEEN_PAGE] : NULL;
}

/* Return: 1 if there is a page for it, 0 if there are too many, -ENOMEM. */
static int seen_grow(struct xray_seen *seen, u32 function)
{
	u32 index = function / XRAY_SEEN_PAGE;
	u32 *page;

	if (!seen->page)
		seen->page = calloc(XRAY_SEEN_ROOM, sizeof(*seen->page));
	if (!seen->page)
		return msg_no_memory();
	if (seen->pages == XRAY_SEEN_PAGES)
		return 0;
	page = calloc(XRAY_SEEN_PAGE, sizeof(*page));
	if (!page)
		return msg_no_memory();
	seen->page[index] = page;
	seen->pages++;
	if (index >= seen->end)
		seen->end = index + 1;
	return 1;
}

/* Return: 1 if it has an entry, 0 if there are too many, -ENOMEM. */
static int see(struct xray_seen *seen, u32 function)
{
	u32 *entry = seen_at(seen, function);
	int ret = 1;

	if (likely(entry && *entry))
		return 1;
	if (seen->nr == XRAY_SEEN_MAX)
		return 0;
	if (!entry)
		ret = seen_grow(seen, function);
	if (ret <= 0)
		return ret;
	*seen_at(seen, function) = 1;
	seen->nr++;
	return 1;
}

static int stack_grow(struct xray_stack *s)
{
	u32 room = s->room ? 2 * s->room : FIRST_ROOM;
	u32 *grown;

	grown = realloc(s->function, room * sizeof(*grown));
	if (!grown)
		return msg_no_memory();
	s->function = grown;
	s->room = room;
	return 0;
}

int xray_stack_enter(struct xray_stack *s, u32 function)
{
	int ret;

	if (s->beyond || s->depth == XRAY_STACK_MAX) {
		s->beyond++;
		return 1;
	}
	ret = see(&s->seen, function);
	if (ret <= 0)
		return ret;
	if (s->depth == s->room) {
		ret = stack_grow(s);
		if (ret)
			return ret;
	}
	s->function[s->depth++] = function;
	++*seen_at(&s->seen, function);
	return 1;
}

enum xray_leave xray_stack_leave(struct xray_stack *s, u32 function)
{
	const u32 *entry = seen_at(&s->seen, function);

	if (s->beyond) {
		s->beyond--;
		return XRAY_LEAVE_BEYOND;
	}
	return entry && *entry > 1 ? XRAY_LEAVE_POPS : XRAY_LEAVE_UNKNOWN;
}

u32 xray_stack_pop(struct xray_stack *s)
{
	u32 function = s->function[--s->depth];

	--*seen_at(&s->seen, function);
	return function;
}

bool xray_stack_next(const struct xray_stack *s, u32 *function)
{
	const struct xray_seen *seen = &s->seen;

	while (*function / XRAY_SEEN_PAGE < seen->end) {
		const u32 *page = seen->page[*function / XRAY_SEEN_PAGE];

		if (page && page[*function % XRAY_SEEN_PAGE])
			return true;
		*function += page ? 1 : XRAY_SEEN_PAGE - *function % XRAY_SEEN_PAGE;
	}
	return false;
}

void xray_stack_free(struct xray_stack *s)
{
	u32 i;

	for (i = 0; i < s->seen.end; i++)
		free(s->seen.page[i]);
	free(s->seen.page);
	free(s->function);
	memset(s, 0, sizeof(*s));
}
