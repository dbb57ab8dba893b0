// SPDX-License-Identifier: GPL-2.0-only
/*
 * metacheck DIR - is a capture's meta.json whole, and right about its files?
 *
 * Prints how many events it says are recorded, and how many lost.
 */
#include <err.h>
#include <stdio.h>
#include <sys/stat.h>

#include "capture/meta.h"

/* One with each anchor, right after it; the clocks are not set meanwhile. */
static void check_walls(const struct meta *meta)
{
	u64 since = 0;
	unsigned int i;

	if (!meta->nr_walls || meta->nr_walls != meta->nr_anchors)
		errx(1, "%u times of day, %u anchors", meta->nr_walls, meta->nr_anchors);
	for (i = 0; i < meta->nr_walls; i++) {
		const struct meta_wall *wall = &meta->walls[i];
		u64 boot = wall->realtime - wall->monotonic;

		if (wall->monotonic - meta->anchors[i].ns > 1000000000)
			errx(1, "a time of day is at %llu, its anchor at %llu", wall->monotonic,
			     meta->anchors[i].ns);
		if (wall->width > 1000000 || (i && boot - since + 2000000 > 4000000))
			errx(1, "time of day %u: boot %llu after %llu, width %llu", i, boot, since,
			     wall->width);
		since = boot;
	}
}

int main(int argc, char **argv)
{
	u64 recorded = 0, lost = 0;
	struct meta meta;
	unsigned int i, j;
	char path[4096];
	struct stat st;

	if (argc != 2)
		errx(2, "usage: metacheck DIR");
	if (meta_load(&meta, argv[1]) || !meta.valid || meta.changed)
		errx(1, "%s: no valid meta.json", argv[1]);
	check_walls(&meta);
	for (i = 0; i < meta.nr_cpus; i++) {
		const struct meta_cpu *cpu = &meta.cpus[i];

		snprintf(path, sizeof(path), "%s/%s", argv[1], cpu->file);
		if (stat(path, &st) || (u64)st.st_size != cpu->bytes)
			errx(1, "%s: meta.json says it has %llu bytes", path, cpu->bytes);
		for (j = 0; j < OVNIK_NR_EVENTS; j++) {
			recorded += cpu->counts[j].recorded;
			lost += cpu->counts[j].lost;
		}
	}
	printf("%llu %llu\n", recorded, lost);
	meta_free(&meta);
	return 0;
}
