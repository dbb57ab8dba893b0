// SPDX-License-Identifier: GPL-2.0-only
/* FDR logs of XRay as an output. */
#include <string.h>

#include "output/output.h"
#include "output/xray/elf.h"
#include "output/xray/writer.h"
#include "util/text.h"
#include "xray/format.h"

#define OPT_SPLIT	256
#define OPT_VERSION	257

struct xray_output {
	bool split;
	u16 version;
	struct xray_writer writer;
};

static const struct argp_option options[] = {
	{ "xray-split", OPT_SPLIT, "HOW", 0,
	  "Write an XRay log for each process; HOW is: process", 0 },
	{ "xray-version", OPT_VERSION, "N", 0,
	  "Version of XRay logs: 5 as clang has it (the default), or 1 as documented", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct xray_output *o = use->data;

	switch (key) {
	case OPT_SPLIT:
		if (strcmp(arg, "process"))
			argp_error(state, "XRay logs are split by process, not by \"%s\"", arg);
		o->split = true;
		return 0;
	case OPT_VERSION:
		if (strcmp(arg, "1") && strcmp(arg, "5"))
			argp_error(state, "XRay logs are written in version 1 or 5, not \"%s\"",
				   arg);
		o->version = arg[0] - '0';
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static bool owns(const char *name)
{
	return !strcmp(name, "xray.fdr") || !strcmp(name, ELF_MAP_NAME) ||
	       text_is_numbered(name, "xray.pid", ".fdr");
}

static int attach(void *data, const struct output_env *env)
{
	struct xray_output *o = data;

	return xray_writer_attach(&o->writer, env->world, env->out,
				  o->version ? o->version : XRAY_VERSION_MAX);
}

static int finish(void *data, const struct output_env *env)
{
	struct xray_output *o = data;

	return xray_writer_finish(&o->writer, env->cap, o->split);
}

static void close_output(void *data)
{
	struct xray_output *o = data;

	xray_writer_close(&o->writer);
}

const struct output xray_output = {
	.name = "xray",
	.sentence = "XRay logs (flight data recorder) and their names: xray.fdr, xray.elf",
	.flags = OUTPUT_FILES,
	.size = sizeof(struct xray_output),
	.options = options,
	.parse = parse,
	.owns = owns,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
