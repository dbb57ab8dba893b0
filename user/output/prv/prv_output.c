// SPDX-License-Identifier: GPL-2.0-only
/* Paraver's traces as an output. */
#include <limits.h>
#include <stdio.h>

#include "emu/cfg.h"
#include "trace/drawn.h"
#include "output/output.h"
#include "output/ovni/writer.h"
#include "output/prv/prv.h"

struct prv_output {
	bool compress;
	struct prv_sink sink;
};

static const struct argp_option options[] = {
	{ "gzip", 'z', NULL, 0,
	  "Compress the timelines: .prv.gz, which Paraver reads, too", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct prv_output *o = use->data;

	(void)arg;
	(void)state;
	if (key != 'z')
		return ARGP_ERR_UNKNOWN;
	o->compress = true;
	return 0;
}

/* The order of events across threads that are joined is known when all are written. */
static int attach(void *data, const struct output_env *env)
{
	struct prv_output *o = data;

	if (env->events->joined)
		return 0;
	return prv_sink_attach(&o->sink, env->events, env->world, env->activities, env->loom,
			       env->out, o->compress);
}

static int finish(void *data, const struct output_env *env)
{
	const struct ovni_joined *joined = env->events->joined;
	struct prv_output *o = data;
	char trace[PATH_MAX];

	if (!joined)
		return prv_sink_finish(&o->sink);
	snprintf(trace, sizeof(trace), "%s/ovni", env->out);
	return prv_draw(trace, joined->name, env->out, o->compress);
}

static void close_output(void *data)
{
	struct prv_output *o = data;

	prv_sink_close(&o->sink);
}

const struct output prv_output = {
	.name = "prv",
	.sentence = "traces for Paraver, and views of them: thread.prv, cpu.prv, cfg/",
	.flags = OUTPUT_FILES | OUTPUT_DEFAULT | OUTPUT_EVENTS,
	.size = sizeof(struct prv_output),
	.options = options,
	.parse = parse,
	.owns = ovni_is_drawn,
	.can_clear = cfg_check,
	.clear = cfg_clear,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
