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
