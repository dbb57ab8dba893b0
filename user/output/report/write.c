// SPDX-License-Identifier: GPL-2.0-only
/* The report, written. */
#include <errno.h>
#include <stdio.h>

#include "output/report/report_priv.h"
#include "output/report/table.h"
#include "util/msg.h"

static int answer(struct report *r, const struct facts *facts, struct tracer_answer *to)
{
	int ret;

	answer_open(to, "report", facts->cap->dir);
	report_write_capture(r, facts, to);
	if (r->opt.json)
		report_write_lacking(facts, to);
	ret = report_write_processes(r, facts, to);
	if (!ret)
		ret = report_write_files(r, facts, to);
	report_write_losses(r, facts, to);
	return ret ? ret : answer_close(to);
}

int report_write(struct report *r, const struct facts *facts)
{
	struct tracer_answer *to = answer_create(r->opt.json);
	int ret = -ENOMEM;

	report_queue_finish(r);
	if (to)
		ret = answer(r, facts, to);
	if (!ret)
		ret = answer_write(to, stdout);
	if (ret)
		msg_error(ret == -ENOMEM ? "no memory" : "the report cannot be written");
	answer_destroy(to);
	return ret;
}
