// SPDX-License-Identifier: GPL-2.0-only
/* The channel emulator, fed with a trace that was written. */
#include <errno.h>

#include "output/prv/draw.h"
#include "emu/emu.h"
#include "util/msg.h"

static int complain(const struct emu *emu)
{
	msg_error("emulator: %s", emu_reason(emu));
	return -EINVAL;
}

static int draw(struct emu *emu, struct emu_trace *tr, const char *outdir)
{
	int ret;

	ret = emu_freeze(emu, outdir);
	if (ret)
		return complain(emu);
	ret = emu_trace_play(tr);
	if (emu_finish(emu) && !ret)
		ret = complain(emu);
	return ret;
}

int draw_trace(const char *trace, const struct decode_options *opt)
{
	struct emu *emu = emu_create();
	struct emu_trace *tr;
	int ret = -EINVAL;

	if (!emu)
		return msg_no_memory();
	if (opt->compress)
		emu_compress(emu);
	tr = emu_trace_open(emu, trace, NULL);
	if (tr)
		ret = draw(emu, tr, opt->out);
	if (ret)
		msg_error("%s: what was merged is refused by the emulator; --to ovni keeps it",
			  opt->merge);
	emu_trace_close(tr);
	emu_destroy(emu);
	return ret;
}
