// SPDX-License-Identifier: GPL-2.0-only
/* In place of database.c where SQLite was missing: says so. */
#include <errno.h>

#include "output/tracers/builtin/builtin.h"

static int database_parse(void *data, const char *args)
{
	(void)data;
	(void)args;
	tracer_report_error("this ovnik-decode was built without SQLite; csv and jsonl write the same tasks");
	return -EINVAL;
}

DEFINE_TRACER(database) = {
	.abi = TRACER_ABI,
	.name = "database",
	.sentence = "not in this build: SQLite was missing",
	.flags = TRACER_WHOLE,
	.size = sizeof(char),
	.parse = database_parse,
};
