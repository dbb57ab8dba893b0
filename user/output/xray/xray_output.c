// SPDX-License-Identifier: GPL-2.0-only
/* FDR logs of XRay as an output: their options, beginning and end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "output/xray/assemble.h"
#include "output/xray/elf.h"
#include "output/xray/writer.h"
#include "util/msg.h"
#include "util/text.h"
#include "xray/format.h"

#define OPT_SPLIT	256
#define OPT_VERSION	257

static const struct argp_option options[] = {
	{ "xray-split", OPT_SPLIT, "HOW", 0,
	  "Write an XRay log for each process; HOW is: process", 0 },
	{ "xray-version", OPT_VERSION, "N", 0,
	  "Version of XRay logs: 5, as clang writes them (the default), or 1, as documented", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct xray_writer *x = use->data;

	switch (key) {
	case OPT_SPLIT:
		if (strcmp(arg, "process"))
			argp_error(state, "XRay logs are split by process, not by \"%s\"", arg);
		x->split = true;
		return 0;
	case OPT_VERSION:
		if (strcmp(arg, "1") && strcmp(arg, "5"))
			argp_error(state, "XRay logs are written in version 1 or 5, not \"%s\"",
				   arg);
		x->version = arg[0] - '0';
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
	struct xray_writer *x = data;
	int ret;

	x->world = env->world;
	x->stacks.version = x->version ? x->version : XRAY_VERSION_MAX;
	ret = spill_init(&x->stacks.spill, env->out, XRAY_WRITER_BYTES);
	if (ret)
		return ret;
	x->texts = malloc(OVNIK_NR_EVENTS * sizeof(*x->texts));
	/* The kernel allocates a page of it when a number in that page is used. */
	x->ended = calloc(TASK_TID_MAX + 1, sizeof(*x->ended));
	if (!x->texts || !x->ended)
		return -ENOMEM;
	record_text_init(x->texts);
	return xray_attach_hooks(x);
}

/* Without a thread there is no log. */
static int finish(void *data, const struct output_env *env)
{
	struct xray_writer *x = data;
	int ret;

	if (x->unplaced)
		msg_info("XRay: events without a known thread, left out: %llu", x->unplaced);
	if (!x->nr_threads) {
		msg_warn("%s: no task is known: there is nothing to write for XRay",
			 env->cap->dir);
		return 0;
	}
	ret = assemble_logs(x, env->cap, x->split);
	return ret ? ret : elf_write_map(env->out);
}

static void close_output(void *data)
{
	struct xray_writer *x = data;
	u32 i;

	if (!x->world)
		return;
	spill_destroy(&x->stacks.spill);
	for (i = 0; i < x->nr_threads; i++)
		free(x->threads[i]);
	free(x->threads);
	free(x->of_task);
	free(x->ended);
	free(x->texts);
	free(x->stacks.doubts);
	memset(x, 0, sizeof(*x));
}

DEFINE_OUTPUT(xray) = {
	.name = "xray",
	.sentence = "XRay logs (flight data recorder) and their names: xray.fdr, xray.elf",
	.flags = OUTPUT_FILES,
	.size = sizeof(struct xray_writer),
	.options = options,
	.parse = parse,
	.owns = owns,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
