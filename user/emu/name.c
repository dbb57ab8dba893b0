// SPDX-License-Identifier: GPL-2.0-only
/* Names of the files that are drawn. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emu/name.h"
#include "util/msg.h"

const char *const emu_prv_base[NR_PRV] = {
	[PRV_THREAD] = "thread",
	[PRV_CPU] = "cpu",
};

const char *emu_name(char *name, const char *base, u32 part, const char *suffix)
{
	if (part)
		snprintf(name, EMU_NAME_MAX, "%s-%u%s", base, part + 1, suffix);
	else
		snprintf(name, EMU_NAME_MAX, "%s%s", base, suffix);
	return name;
}

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

bool emu_name_is_drawn(const char *name)
{
	name = skip_base(name);
	if (!name)
		return false;
	/* Part 1 has no number, and none begins with 0. */
	if (name[0] == '-' && name[1] >= '1' && name[1] <= '9' && strcspn(name, ".") <= 11) {
		if (name[1] == '1' && name[2] == '.')
			return false;
		name++;
		name += strspn(name, "0123456789");
	}
	return is_suffix(name);
}

int emu_names_clear(const char *dir)
{
	struct dirent *de;
	int ret = 0;
	DIR *d;

	d = opendir(dir);
	if (!d) {
		ret = -errno;
		msg_error("%s: cannot open directory: %s", dir, strerror(errno));
		return ret;
	}
	while (!ret && (de = readdir(d))) {
		if (!emu_name_is_drawn(de->d_name) || !unlinkat(dirfd(d), de->d_name, 0))
			continue;
		ret = -errno;
		msg_error("%s/%s: cannot replace: %s", dir, de->d_name, strerror(errno));
	}
	closedir(d);
	return ret;
}
