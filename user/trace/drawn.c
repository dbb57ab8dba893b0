// SPDX-License-Identifier: GPL-2.0-only
/* Names of output files. */
#include <string.h>

#include "trace/drawn.h"

static const char *skip_base(const char *name)
{
	static const char *const base[] = {
		"thread", "cpu", "nosv-breakdown", "nanos6-breakdown", "openmp-breakdown",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(base); i++) {
		if (!strncmp(name, base[i], strlen(base[i])))
			return name + strlen(base[i]);
	}
	return NULL;
}

static bool is_suffix(const char *name)
{
	static const char *const suffix[] = { ".prv", ".prv.gz", ".pcf", ".row" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(suffix); i++) {
		if (!strcmp(name, suffix[i]))
			return true;
	}
	return false;
}

bool ovni_is_drawn(const char *name)
{
	name = skip_base(name);
	if (!name)
		return false;
	/* Part 1 has no number, and numbers have no leading zero. */
	if (name[0] == '-' && name[1] >= '1' && name[1] <= '9' && strcspn(name, ".") <= 11) {
		if (name[1] == '1' && name[2] == '.')
			return false;
		name++;
		name += strspn(name, "0123456789");
	}
	return is_suffix(name);
}
