// SPDX-License-Identifier: GPL-2.0-only
/* Why a call failed. */
#include <stdarg.h>
#include <stdio.h>

#include "emu/core.h"

int emu_fail(struct emu *emu, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(emu->reason, sizeof(emu->reason), fmt, ap);
	va_end(ap);
	return err;
}

int emu_chan_fail(struct emu *emu, const struct chan *c, const char *what, s64 v, int err)
{
	return emu_fail(emu, err, "channel %s: cannot %s %lld: %s", c->slot->spec->name,
			what, (long long)v, chan_strerror(err));
}

const char *emu_reason(const struct emu *emu)
{
	return emu->reason;
}
