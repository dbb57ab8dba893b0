// SPDX-License-Identifier: GPL-2.0-only
/* Time namespaces. */
#include <stdio.h>
#include <string.h>

#include "util/timens.h"

s64 timens_shift(void)
{
	FILE *file = fopen("/proc/self/timens_offsets", "re");
	long long seconds, ns;
	char name[32];
	s64 shift = 0;

	if (!file)
		return 0;
	while (fscanf(file, "%31s %lld %lld", name, &seconds, &ns) == 3) {
		if (!strcmp(name, "monotonic"))
			shift = seconds * 1000000000LL + ns;
	}
	fclose(file);
	return shift;
}
