// SPDX-License-Identifier: GPL-2.0-only
/*
 * oddcheck EXPECTED cpuN.ovk... - are there exactly these records?
 *
 * The first line of the file EXPECTED is the device of all inodes, as in records. Another line is
 * "EVENT FIELD VALUE NUMBER TIDS": so many records of that event have that value there and one of
 * the tids, which commas separate; "-": any.
 */
#include <inttypes.h>

#include "capture/events.h"
#include "common/merge.h"

static struct events all;
static __u64 device;

static __u64 value_of(const void *record, const struct event_field *field)
{
	__u64 value = 0;

	memcpy(&value, (const char *)record + field->offset, field->size);
	return value;
}

static const struct event_field *field_of(unsigned int kind, const char *name)
{
	const struct event_desc *desc = &event_table[kind];
	unsigned int i;

	for (i = 0; i < desc->nr_fields; i++) {
		if (!strcmp(desc->fields[i].name, name))
			return &desc->fields[i];
	}
	errx(2, "%s has no %s", desc->name, name);
}

static bool is_one_of(__u64 tid, const char *tids)
{
	char *end;

	do {
		if (strtoull(tids, &end, 10) == tid)
			return true;
		tids = end + 1;
	} while (*end == ',');
	return false;
}

static unsigned int count(const char *event, const char *name, __u64 value, const char *tids)
{
	unsigned int kind = event_by_name(event, strlen(event)), nr = 0;
	const struct event_field *field;
	size_t i;

	if (!kind)
		errx(2, "there is no event %s", event);
	field = field_of(kind, name);

	for (i = 0; i < all.nr; i++) {
		const void *record = all.event[i].record;

		if (all.event[i].kind != kind || value_of(record, field) != value)
			continue;
		if (!strcmp(name, "ino") && value_of(record, field_of(kind, "dev")) != device)
			continue;
		nr += *tids == '-' || is_one_of(value_of(record, field_of(kind, "tid")), tids);
	}
	return nr;
}

int main(int argc, char **argv)
{
	char event[64], field[64], tids[256];
	unsigned int nr, found, wrong = 0, lines = 0;
	uint64_t value;
	FILE *file;

	if (argc < 3)
		errx(2, "usage: oddcheck EXPECTED cpuN.ovk...");
	file = fopen(argv[1], "r");
	if (!file)
		err(2, "%s", argv[1]);
	if (fscanf(file, "%" SCNu64, &value) != 1)
		errx(2, "%s is empty", argv[1]);
	device = value;
	load_merged(&all, argv + 2);
	while (fscanf(file, "%63s %63s %" SCNu64 " %u %255s", event, field, &value, &nr,
		      tids) == 5) {
		lines++;
		found = count(event, field, value, tids);
		if (found == nr)
			continue;
		printf("%s, %s %#" PRIx64 ", by %s: %u, not %u\n", event, field, value, tids, found,
		       nr);
		wrong++;
	}
	if (!feof(file))
		errx(2, "%s: line %u is none", argv[1], lines + 2);
	printf("%u of %u are right\n", lines - wrong, lines);
	return wrong || !lines;
}
