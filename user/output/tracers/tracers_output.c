// SPDX-License-Identifier: GPL-2.0-only
/* Tracers as an output: their answers go to stdout. */
#include <errno.h>
#include <stdlib.h>

#include "output/output.h"
#include "output/tracers/tracers.h"
#include "util/msg.h"

#define OPT_TRACER	256
#define OPT_LIST	257
#define OPT_JSON	258

struct tracers_output {
	bool json;
	struct tracers tracers;
	struct tasks *tasks;
};

static const struct argp_option options[] = {
	{ "tracer", OPT_TRACER, "NAME[,KEY=VALUE]...", 0,
	  "Answer a question; can be given more than once. NAME is a tracer, or the path of a "
	  "shared object that is one", 0 },
	{ "json", OPT_JSON, NULL, 0, "Answers as JSON", 0 },
	{ "list-tracers", OPT_LIST, NULL, 0, "List the tracers and exit", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct tracers_output *o = use->data;

	(void)state;
	switch (key) {
	case OPT_TRACER:
		if (tracers_add(&o->tracers, arg))
			exit(argp_err_exit_status);
		use->wanted = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_LIST:
		tracers_list();
		outputs_exit_listed();
	}
	return ARGP_ERR_UNKNOWN;
}

static void check(const struct output_use *use, const struct argp_state *state)
{
	const struct tracers_output *o = use->data;

	if (o->json && !use->wanted)
		argp_error(state, "--json without a question (--tracer)");
}

static int open_tracers(void *data, const struct output_env *env)
{
	struct tracers_output *o = data;
	struct capture *cap = env->cap;
	struct tracer_run run = {
		.capture = cap->dir,
		.host = cap->meta.host,
		.clock = cap->clock.source == CLOCK_SOURCE_TSC ? "TSC" : "CLOCK_MONOTONIC",
		.begin = clock_ns(&cap->clock, cap->begin),
		.end = clock_ns(&cap->clock, cap->end),
	};

	return tracers_open(&o->tracers, &run);
}

static int attach(void *data, const struct output_env *env)
{
	const struct meta *meta = &env->cap->meta;
	struct tracers_output *o = data;
	u32 kinds = tracers_kinds(&o->tracers);

	if (kinds >> TASKS_REQ_IN & 1 && meta->valid && !meta->wakers)
		msg_warn("%s: it does not name who woke a thread: an answer (req_in) is of whoever ran there",
			 env->cap->dir);
	o->tasks = tasks_create(env->world, kinds);
	if (!o->tasks)
		return -ENOMEM;
	return tracers_attach(&o->tracers, tasks_hooks(o->tasks));
}

static int finish(void *data, const struct output_env *env)
{
	struct tracers_output *o = data;
	struct tracer_answer *to = answer_create(o->json);
	int ret;

	(void)env;
	if (!to) {
		msg_error("no memory");
		return -ENOMEM;
	}
	ret = tracers_answer(&o->tracers, to);
	if (!ret) {
		ret = answer_write(to, stdout);
		if (ret)
			msg_error("answers cannot be written");
	}
	/* A tracer's file must not be visible before its answer. */
	if (!ret)
		ret = tracers_keep(&o->tracers);
	answer_destroy(to);
	return ret;
}

static void close_output(void *data)
{
	struct tracers_output *o = data;

	tasks_destroy(o->tasks);
	o->tasks = NULL;
	tracers_destroy(&o->tracers);
}

DEFINE_OUTPUT(tracers) = {
	.name = "tracers",
	.sentence = "answers to the questions of --tracer, on stdout",
	.flags = OUTPUT_INVENTORY,
	.size = sizeof(struct tracers_output),
	.options = options,
	.parse = parse,
	.check = check,
	.open = open_tracers,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
