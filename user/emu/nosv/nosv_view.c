// SPDX-License-Identifier: GPL-2.0-only
/* Paraver's views of hardware counters, named after the counters of the trace. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/cfg.h"
#include "emu/nosv/nosv_model.h"
#include "util/out.h"

#define NAME_MAX_SHOWN 200

/* Text of a view, with @NAME@ and @TYPE@ to replace. */
#define TEMPLATE(trace)							\
	extern const char nosv_view_##trace[];				\
	asm(".pushsection .rodata\n"					\
	    "nosv_view_" #trace ":\n"					\
	    ".incbin \"cfg/" #trace "/nosv/hwc.cfg.in\"\n"		\
	    ".byte 0\n"						\
	    ".popsection\n");

TEMPLATE(thread)
TEMPLATE(cpu)

/* The name becomes part of a file name and of a quoted text. */
static void safe_name(char name[NAME_MAX_SHOWN + 1], const char *label)
{
	u32 i;

	for (i = 0; label[i] && i < NAME_MAX_SHOWN; i++)
		name[i] = isalnum((u8)label[i]) || strchr("_-.:", label[i]) ? label[i] : '_';
	name[i] = '\0';
}

static void fill(struct out *out, const char *text, const char *name, u32 type)
{
	const char *at;

	while ((at = strchr(text, '@'))) {
		fwrite(text, 1, at - text, out->f);
		if (!strncmp(at, "@NAME@", 6))
			fputs(name, out->f);
		else
			fprintf(out->f, "%u", type);
		text = at + 6;
	}
	fputs(text, out->f);
}

static int view(const struct emu *emu, const char *trace, const char *text,
		const struct nosv_counter *counter)
{
	char name[NAME_MAX_SHOWN + 1], path[NAME_MAX_SHOWN + 64];
	struct out out;
	int ret;

	safe_name(name, counter->label);
	snprintf(path, sizeof(path), "cfg/%s/nosv/" CFG_COUNTER_PREFIX "%s.cfg", trace, name);
	ret = cfg_open(emu, &out, path);
	if (ret)
		return ret;
	fill(&out, text, name, counter->spec.type);
	return out_close(&out);
}

int nosv_views(const struct emu *emu)
{
	const struct nosv_data *data = emu->run[MODEL_ID_NOSV].priv;
	int ret = 0;
	u32 i;

	for (i = 0; data && i < data->ncounters && !ret; i++) {
		ret = view(emu, "thread", nosv_view_thread, &data->counter[i]);
		if (!ret)
			ret = view(emu, "cpu", nosv_view_cpu, &data->counter[i]);
	}
	return ret;
}
