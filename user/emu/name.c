// SPDX-License-Identifier: GPL-2.0-only
/* Names of output files. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emu/name.h"
#include "trace/drawn.h"
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

int emu_names_clear(const struct below *dir)
{
	struct dirent *de;
	int ret = 0;
	DIR *d;

	d = below_read(dir->fd);
	if (!d)
		return report_error(dir->path, "cannot open directory", errno);
	while (!ret && (de = readdir(d))) {
		if (ovni_is_drawn(de->d_name) && unlinkat(dir->fd, de->d_name, 0))
			ret = below_report(dir, de->d_name, "cannot replace", errno);
	}
	closedir(d);
	return ret;
}
