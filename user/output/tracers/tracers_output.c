// SPDX-License-Identifier: GPL-2.0-only
/* Tracers as an output: their answers go to stdout. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "output/tracers/tracers.h"
#include "util/msg.h"
#include "world/inventory.h"

#define OPT_TRACER	256
#define OPT_LIST	257
#define OPT_JSON	258

/* Name of a node's host. */
struct node {
	char name[sizeof(((struct meta *)0)->host)];
};

/**
 * struct tracers_output - The tracers of a run.
 * @json: answers are JSON
 * @several: there are captures of several nodes
 * @nodes: those that were begun
 * @nr: length of @nodes
 * @finished: how many of them are complete
 * @tracers: the tracers
 */
struct tracers_output {
	bool json;
	bool several;
	struct node *nodes;
	u32 nr;
	u32 finished;
	struct tracers tracers;
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
		argp_error(state, "--json without a question: a command, all of which have it (--help lists them), or --tracer");
}

static void check_several(struct output_use *use, const struct argp_state *state)
{
	struct tracers_output *o = use->data;
	const char *what = tracers_of_one(&o->tracers);

	if (what)
		argp_error(state, "several captures: tracer \"%s\" takes a single capture", what);
	o->several = true;
}

static int add_node(struct tracers_output *o, const struct capture *cap)
{
	struct node *grown;
	u32 i;

	for (i = 0; i < o->nr; i++) {
		if (strcmp(o->nodes[i].name, cap->meta.host))
			continue;
		msg_error("%s: was recorded on host \"%s\", as was an earlier capture: a table takes one capture of each node",
			  cap->dir, cap->meta.host);
		return -EEXIST;
	}
	grown = realloc(o->nodes, (o->nr + 1) * sizeof(*grown));
	if (!grown)
		return msg_no_memory();
	o->nodes = grown;
	strcpy(o->nodes[o->nr++].name, cap->meta.host);
	return 0;
}

static bool has_task(const struct inventory *inv, u32 pid, u32 tid)
{
	u32 i;

	for (i = 0; i < inv->nr_threads; i++) {
		const struct inventory_thread *th = &inv->threads[i];

		if ((!pid || th->pid == pid) && (!tid || th->tid == tid))
			return true;
	}
	return false;
}

/* Return: the process or thread that a filter is about and that is not there; 0: none. */
static u32 absent(const struct filter *f, const struct inventory *inv, const char **what)
{
	*what = "process";
	if (f->tree && !has_task(inv, f->tree, 0))
		return f->tree;
	if (f->pid && !has_task(inv, f->pid, 0))
		return f->pid;
	*what = "thread";
	return f->tid && !has_task(inv, f->pid, f->tid) ? f->tid : 0;
}

/*
 * A mistyped number would give the same empty answer as an idle process. Where other tracers have
 * something to do, their answers are not withheld: tracers_answer() warns of the empty one.
 */
static int check_tasks(const struct tracers_output *o, const struct output_env *env)
{
	const char *what;
	unsigned int i;

	for (i = 0; i < o->tracers.nr; i++) {
		if (!absent(&o->tracers.list[i].filter, env->inventory, &what))
			return 0;
	}
	for (i = 0; i < o->tracers.nr; i++) {
		u32 nr = absent(&o->tracers.list[i].filter, env->inventory, &what);

		msg_error("%s: there is no such %s in %s: %u", env->cap->dir, what,
			  env->cap->narrow ? "the part that is read" : "the capture", nr);
	}
	return -ESRCH;
}

static int open_tracers(void *data, const struct output_env *env)
{
	struct tracers_output *o = data;
	struct capture *cap = env->cap;
	int ret = o->several ? add_node(o, cap) : check_tasks(o, env);
	struct tracer_run run = {
		.capture = cap->dir,
		.host = cap->meta.host,
		.clock = cap->clock.source == CLOCK_SOURCE_TSC ? "TSC" : "CLOCK_MONOTONIC",
		.begin = clock_ns(&cap->clock, cap->begin),
		.end = clock_ns(&cap->clock, cap->end),
		.real = output_real_begin(env),
		.node = o->several && !ret ? o->nr - 1 : 0,
		.several = o->several,
		.command = cap->meta.command,
	};

	return ret ? ret : tracers_open(&o->tracers, &run);
}

static u32 kinds_of(const void *data)
{
	const struct tracers_output *o = data;

	return tracers_kinds(&o->tracers);
}

static int attach_tasks(void *data, const struct output_env *env)
{
	const struct meta *meta = &env->cap->meta;
	struct tracers_output *o = data;

	if (tracers_name_wakers(&o->tracers) && meta->valid && !meta->wakers)
		msg_warn("%s: it does not name wakers: each answer (req_in) is attributed to the thread that ran there",
			 env->cap->dir);
	return tracers_attach(&o->tracers, tasks_hooks(env->tasks));
}

static int write_answers(struct tracers_output *o)
{
	struct tracer_answer *to = answer_create(o->json);
	int ret;

	if (!to) {
		msg_error("no memory");
		return -ENOMEM;
	}
	ret = tracers_answer(&o->tracers, to);
	if (!ret) {
		ret = answer_write(to, stdout);
		if (ret)
			msg_error("answers cannot be written: %s", strerror(-ret));
	}
	/* A tracer's file must not be visible before its answer. */
	if (!ret)
		ret = tracers_keep(&o->tracers);
	answer_destroy(to);
	return ret;
}

static int finish(void *data, const struct output_env *env)
{
	struct tracers_output *o = data;

	(void)env;
	o->finished++;
	return o->several ? 0 : write_answers(o);
}

static int compare(void *data, bool failed)
{
	struct tracers_output *o = data;
	int ret = 0;

	/* What there is of it cannot be taken back. */
	if (!failed && o->finished < o->nr) {
		msg_error("a capture failed on the way: there are no answers, and no files");
		ret = -EIO;
	}
	if (!failed && !ret)
		ret = write_answers(o);
	tracers_destroy(&o->tracers);
	free(o->nodes);
	o->nodes = NULL;
	return ret;
}

/* With several captures the tracers are for the next one, until compare(). */
static void close_output(void *data)
{
	struct tracers_output *o = data;

	if (o->several)
		tracers_next(&o->tracers);
	else
		tracers_destroy(&o->tracers);
}

DEFINE_OUTPUT(tracers) = {
	.name = "tracers",
	.sentence = "answers to the questions of --tracer, on stdout",
	.flags = OUTPUT_INVENTORY | OUTPUT_SEVERAL,
	.size = sizeof(struct tracers_output),
	.options = options,
	.parse = parse,
	.check = check,
	.check_several = check_several,
	.kinds_of = kinds_of,
	.open = open_tracers,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.compare = compare,
	.close = close_output,
};
