// SPDX-License-Identifier: GPL-2.0-only
/* Programs' logs, made an ovni trace that can be merged: see logs.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "merge/logs.h"
#include "output/ovni/tree.h"
#include "util/msg.h"

static int make_dir(struct logs *logs, const char *out)
{
	char path[PATH_MAX];
	int ret;

	if (snprintf(path, sizeof(path), "%s/.xray", out) >= (int)sizeof(path)) {
		msg_error("%s: %s", out, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	/* That of a run that was killed. */
	ret = tree_remove(path);
	if (ret)
		return ret;
	if (mkdir(path, 0700))
		return report_error(path, "cannot make it", errno);
	memcpy(logs->dir, path, sizeof(path));
	return 0;
}

int logs_to_trace(struct logs *logs, struct merge_trace *tr, const struct census *census,
		  const char *out, const char *loom)
{
	int ret;

	ret = make_dir(logs, out);
	if (!ret)
		ret = xray_app_write(&logs->app, census, logs->dir, loom);
	if (!ret)
		ret = merge_trace_open(tr, logs->dir, loom, NULL);
	tr->log = true;
	return ret;
}

void logs_close(struct logs *logs)
{
	xray_app_close(&logs->app);
	if (logs->dir[0] && tree_remove(logs->dir))
		msg_warn("%s: may be removed", logs->dir);
	logs->dir[0] = '\0';
}
