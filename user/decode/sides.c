// SPDX-License-Identifier: GPL-2.0-only
/* Captures of two sides: see sides.h. */
#include "decode/sides.h"

static enum decode_status decode_side(const struct decode_options *opt,
				      const struct captures *side, u32 nr)
{
	enum decode_status status = DECODE_OK;
	unsigned int i;

	for (i = 0; status != DECODE_FAILED && i < side->nr; i++) {
		struct decode_options one = *opt;

		one.capture = side->path[i];
		one.side = nr;
		status = decode_worse(status, decode_run(&one));
	}
	return status;
}

enum decode_status sides_run(const struct decode_options *opt, const struct captures *sides)
{
	enum decode_status status = DECODE_OK;
	u32 i;

	for (i = 0; status != DECODE_FAILED && i < SIDES; i++)
		status = decode_worse(status, decode_side(opt, &sides[i], i));
	return outputs_compare(opt->outputs, status == DECODE_FAILED) ? DECODE_FAILED : status;
}
