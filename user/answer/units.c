// SPDX-License-Identifier: GPL-2.0-only
/* Times and sizes as text: see units.h. */
#include <stdio.h>

#include "answer/units.h"

/**
 * struct unit - A unit.
 * @name: its name
 * @size: in the smallest one
 * @parts: how many are shown of one: 1, or a power of ten
 * @digits: of a part
 */
static const struct unit {
	const char *name;
	u64 size;
	unsigned int parts;
	int digits;
} times[] = {
	{ "ns", 1, 1, 0 }, { "us", 1000, 1000, 3 }, { "ms", 1000000, 1000, 3 },
	{ "s", 1000000000, 1000000, 6 },
}, sizes[] = {
	{ "B", 1, 1, 0 }, { "KiB", 1ULL << 10, 10, 1 }, { "MiB", 1ULL << 20, 1000, 3 },
	{ "GiB", 1ULL << 30, 1000, 3 }, { "TiB", 1ULL << 40, 1000, 3 },
	{ "PiB", 1ULL << 50, 1000, 3 }, { "EiB", 1ULL << 60, 1000, 3 },
};

static const struct unit *units_of(enum unit_kind kind, unsigned int *nr)
{
	*nr = kind == UNIT_TIME ? ARRAY_SIZE(times) : ARRAY_SIZE(sizes);
	return kind == UNIT_TIME ? times : sizes;
}

unsigned int unit_of(enum unit_kind kind, u64 value)
{
	unsigned int nr, i = 0;
	const struct unit *units = units_of(kind, &nr);

	while (i + 1 < nr && value >= units[i + 1].size)
		i++;
	return i;
}

const char *unit_put(enum unit_kind kind, unsigned int unit, u64 value, char text[UNIT_TEXT])
{
	unsigned int nr;
	const struct unit *u = &units_of(kind, &nr)[unit];
	u64 part = (u64)((__uint128_t)(value % u->size) * u->parts / u->size);
	bool too_small = value && value < u->size && !part;

	if (!value || u->parts == 1)
		snprintf(text, UNIT_TEXT, "%llu %s", value / u->size, u->name);
	else
		snprintf(text, UNIT_TEXT, "%s%llu.%0*llu %s", too_small ? "<" : "",
			 value / u->size, u->digits, too_small ? 1 : part, u->name);
	return text;
}
