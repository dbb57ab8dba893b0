// SPDX-License-Identifier: GPL-2.0-only
/* The test of the checker itself: records are altered, one at a time. */

#include "pagecheck.h"

struct mutation {
	const char *name;
	void (*alter)(struct event *event, struct ovnik_page_add *file,
		      struct ovnik_buffer_add *buffer);
};

#define ALTER(name, file_change, buffer_change)					\
static void alter_##name(struct event *event, struct ovnik_page_add *file,	\
			 struct ovnik_buffer_add *buffer)			\
{										\
	(void)file;								\
	(void)buffer;								\
	if (event->kind <= OVNIK_EV_page_remove)				\
		file_change;							\
	else									\
		buffer_change;							\
}

ALTER(order, file->order ^= 1, buffer->order ^= 1)
ALTER(dev, file->dev ^= 1, buffer->dev ^= 1)
ALTER(ino, file->ino ^= 1, buffer->pfn ^= 1)
ALTER(generation, file->generation ^= 1, buffer->pfn ^= 1)
ALTER(offset, file->offset ^= 1 << 30, buffer->offset ^= 1 << 30)
ALTER(pfn, file->pfn ^= 1 << 20, buffer->pfn ^= 1 << 20)
ALTER(kind, event->kind ^= 1, event->kind ^= 1)
ALTER(loss, event->kind = OVNIK_EV_anchor, event->kind = OVNIK_EV_anchor)

static const struct mutation mutations[] = {
	{ "order", alter_order },
	{ "dev", alter_dev },
	{ "ino", alter_ino },
	{ "generation", alter_generation },
	{ "offset", alter_offset },
	{ "pfn", alter_pfn },
	{ "kind", alter_kind },
	{ "loss", alter_loss },
};

#define NR_MUTATIONS	(sizeof(mutations) / sizeof(*mutations))

/* The numbers of adding and removing differ in their last bit. */
_Static_assert((OVNIK_EV_page_add ^ 1) == OVNIK_EV_page_remove, "kind");
_Static_assert((OVNIK_EV_buffer_add ^ 1) == OVNIK_EV_buffer_remove, "kind");

static bool is_noticed(struct events *events, size_t at, const struct mutation *mutation)
{
	struct event before = events->event[at];
	union {
		struct ovnik_page_add file;
		struct ovnik_buffer_add buffer;
	} copy = {};
	bool noticed;

	memcpy(&copy, before.record, before.kind <= OVNIK_EV_page_remove ? sizeof(copy.file) :
	       sizeof(copy.buffer));
	events->event[at].record = &copy;
	mutation->alter(&events->event[at], &copy.file, &copy.buffer);
	quiet = true;
	noticed = !check(events);
	quiet = false;
	events->event[at] = before;
	if (!noticed)
		printf("# not noticed: another %s in %s at %llu\n", mutation->name,
		       kind_name(before.kind), before.tsc);
	return noticed;
}

static bool is_place(const struct event *event, unsigned int kind)
{
	unsigned int order;

	return event->kind == kind && is_tested(page_of(event, &order).dev);
}

bool all_noticed(struct events *events)
{
	unsigned int kind, mutation, done = 0;
	bool all = true;

	for (kind = OVNIK_EV_page_add; kind <= OVNIK_EV_buffer_remove; kind++) {
		size_t nr = 0, seen = 0, i;

		for (i = 0; i < events->nr; i++)
			nr += is_place(&events->event[i], kind);
		for (i = 0; i < events->nr; i++) {
			if (!is_place(&events->event[i], kind))
				continue;
			seen++;
			if (seen != 1 && seen != nr / 2 + 1 && seen != nr)
				continue;
			for (mutation = 0; mutation < NR_MUTATIONS; mutation++, done++)
				all = is_noticed(events, i, &mutations[mutation]) && all;
		}
		all = all && nr;
	}
	printf("# %u mutations\n", done);
	return all;
}
