// SPDX-License-Identifier: GPL-2.0-only
/*
 * metacheck DIR - is a capture's meta.json whole, and right about its files?
 *
 * Prints how many events it says are recorded, and how many lost, and when CLOCK_MONOTONIC was 0,
 * ns of CLOCK_REALTIME: by its first and by its last time of day.
 */
#include <err.h>
#include <stdio.h>
#include <sys/stat.h>

#include "capture/meta.h"

/* The host may stop the CPU between the two; another clock is 5000 s off. */
#define NEAR	60000000000ULL

/* One with each anchor, right after it. */
static void check_walls(const struct meta *meta)
{
	unsigned int i;

	if (!meta->nr_walls || meta->nr_walls != meta->nr_anchors)
		errx(1, "%u times of day, %u anchors", meta->nr_walls, meta->nr_anchors);
	for (i = 0; i < meta->nr_walls; i++) {
		const struct meta_wall *wall = &meta->walls[i];

		if (wall->monotonic - meta->anchors[i].ns > NEAR)
			errx(1, "a time of day is at %llu, its anchor at %llu", wall->monotonic,
			     meta->anchors[i].ns);
		if (wall->width > 1000000)
			errx(1, "a time of day is uncertain by %llu", wall->width);
	}
}

static u64 boot_of(const struct meta_wall *wall)
{
	return wall->realtime - wall->monotonic - wall->width / 2;
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
	printf("%llu %llu %llu %llu\n", recorded, lost, boot_of(&meta.walls[0]),
	       boot_of(&meta.walls[meta.nr_walls - 1]));
	meta_free(&meta);
	return 0;
}
