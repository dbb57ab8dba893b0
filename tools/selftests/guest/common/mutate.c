// SPDX-License-Identifier: GPL-2.0-only
#include "mutate.h"

static bool is_noticed(const struct mutation_test *test, const struct mutation *mutation,
		       struct event *event)
{
	struct event kept = *event;
	char copy[OVNIK_REC_MAX];
	__u32 value;
	bool same;

	memcpy(copy, event->record, ((const struct ovnik_record *)event->record)->words * 8);
	memcpy(&value, copy + mutation->at, sizeof(value));
	value ^= mutation->bit;
	memcpy(copy + mutation->at, &value, sizeof(value));
	event->record = copy;
	if (!mutation->bit)
		event->kind = 0;
	same = test->run();
	*event = kept;
	return !same;
}

static bool all_noticed(const struct mutation_test *test, const struct mutation *mutation,
			struct events *all)
{
	size_t i, nr = 0, tried = 0;
	bool noticed = true;

	for (i = 0; i < all->nr && tried < test->most; i++) {
		struct event *event = &all->event[i];

		if (event->kind != mutation->kind || !test->matters(mutation, event) ||
		    nr++ % test->step)
			continue;
		tried++;
		if (is_noticed(test, mutation, event))
			continue;
		printf("# not noticed: %s\n", mutation->name);
		noticed = false;
	}
	return noticed && tried;
}

bool mutations_noticed(const struct mutation_test *test, struct events *all)
{
	bool noticed = true;
	size_t i;

	for (i = 0; i < test->nr; i++)
		noticed = all_noticed(test, &test->mutations[i], all) && noticed;
	return noticed;
}
