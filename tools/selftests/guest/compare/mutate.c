// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test of the comparer itself. Each mutation is made to a copy at the first, the
 * middle and the last record of a kind, and must be noticed.
 */

#include "compare.h"

static void mutate_drop(struct events *events, size_t at)
{
	memmove(&events->event[at], &events->event[at + 1],
		(events->nr - at - 1) * sizeof(*events->event));
	events->nr--;
}

static void mutate_double(struct events *events, size_t at)
{
	struct event copy = events->event[at];

	add_event(events);
	memmove(&events->event[at + 1], &events->event[at],
		(events->nr - at - 1) * sizeof(copy));
	events->event[at] = copy;
}

static void mutate_a(struct events *events, size_t at)
{
	events->event[at].a ^= 1;
}

static void mutate_b(struct events *events, size_t at)
{
	events->event[at].b ^= 1;
}

static void mutate_c(struct events *events, size_t at)
{
	events->event[at].c ^= 1;
}

static void mutate_text(struct events *events, size_t at)
{
	events->event[at].text = "altered";
}

static void mutate_kind(struct events *events, size_t at)
{
	unsigned int kind = events->event[at].kind;

	events->event[at].kind = kind == OVNIK_EV_mm_exit ? OVNIK_EV_task_exit : kind + 1;
}

/* With the next one of its sequence that differs. */
static void mutate_swap(struct events *events, size_t at)
{
	struct event copy = events->event[at];
	size_t next;

	for (next = at + 1; next < events->nr; next++) {
		struct event *other = &events->event[next];

		if (!in_lane(other, lane_of(copy.kind)) || same(other, &copy))
			continue;
		events->event[at] = *other;
		events->event[next] = copy;
		return;
	}
	mutate_drop(events, at);
}

/* The other sequences are as they were. */
static bool is_noticed(const struct capture *cap, const struct stats *stats, size_t at,
		       void (*mutate)(struct events *events, size_t at))
{
	unsigned int lane = lane_of(cap->events.event[at].kind), other;
	struct capture copy = *cap;
	bool noticed;

	copy.events.room = cap->events.nr + 1;
	copy.events.event = malloc(copy.events.room * sizeof(struct event));
	if (!copy.events.event)
		err(1, "no memory");
	memcpy(copy.events.event, cap->events.event, cap->events.nr * sizeof(struct event));
	mutate(&copy.events, at);
	other = at < copy.events.nr ? lane_of(copy.events.event[at].kind) : lane;
	noticed = !same_sequence(&copy, stats, lane) ||
		  (other != lane && !same_sequence(&copy, stats, other));
	free(copy.events.event);
	return noticed;
}

/*
 * What lies where the ring may have been on or off can be there or not, and what was
 * under way just then. Return: where the certain ones begin.
 */
static size_t find_certain(const struct capture *cap, unsigned int lane, size_t *end)
{
	struct walk walk = { .cap = cap, .lane = lane };
	size_t first = cap->events.nr, last = 0, i;
	bool skip;

	*end = cap->events.nr;
	if (!by_bpf && lane == OVNIK_EV_sched_switch)
		return 0;
	take_lane(&walk);
	for (i = 0; i < walk.nr && walk.truth[i]->tsc < start.begin;)
		i++;
	skip = i && under_way_at_start(&walk, i - 1);
	for (i = 0; i < cap->events.nr; i++) {
		const struct event *event = &cap->events.event[i];

		if (!in_lane(event, lane) || event->tsc <= start.end ||
		    event->tsc >= stop.begin || under_way_at_stop(&walk, event))
			continue;
		if (skip) {
			skip = false;
			continue;
		}
		if (first == cap->events.nr)
			first = i;
		last = i + 1;
	}
	*end = last - (last && by_bpf && lane == OVNIK_EV_sched_switch);
	free(walk.truth);
	return first;
}

/* Where the first, the middle and the last record of a kind are; how many of these. */
static unsigned int find_places(const struct capture *cap, unsigned int kind, size_t *places)
{
	size_t i, nr = 0, seen = 0, end, begin = find_certain(cap, lane_of(kind), &end);

	for (i = begin; i < end; i++)
		nr += cap->events.event[i].kind == kind;
	for (i = begin; i < end; i++) {
		if (cap->events.event[i].kind != kind)
			continue;
		if (!seen)
			places[0] = i;
		if (seen == nr / 2)
			places[1] = i;
		if (++seen == nr)
			places[2] = i;
	}
	return nr ? 3 : 0;
}

bool all_noticed(const char *path, const char *stats_dir)
{
	static void (*const mutations[])(struct events *events, size_t at) = {
		mutate_drop, mutate_double, mutate_a, mutate_b, mutate_c, mutate_text,
		mutate_kind, mutate_swap,
	};
	const size_t nr = sizeof(mutations) / sizeof(*mutations);
	struct capture *cap = load_capture(path);
	unsigned int kind, place, nr_places, done = 0;
	struct stats stats = {};
	size_t places[3], i;

	load_stats(stats_dir, cap->cpu, &stats);
	quiet = true;
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		nr_places = is_compared(kind) ? find_places(cap, kind, places) : 0;
		for (place = 0; place < nr_places; place++) {
			for (i = 0; i < nr; i++, done++) {
				if (is_noticed(cap, &stats, places[place], mutations[i]))
					continue;
				printf("# CPU %u: mutation %zu of a %s is not noticed\n",
				       cap->cpu, i, kind_name(kind));
				return false;
			}
		}
	}
	quiet = false;
	printf("# CPU %u: %u mutations noticed\n", cap->cpu, done);
	return done || !cap->events.nr;	/* the CPU may have been off line */
}
