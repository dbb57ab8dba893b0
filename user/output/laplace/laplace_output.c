// SPDX-License-Identifier: GPL-2.0-only
/* Laplace's trace as an output: its options, files, beginning and end. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/laplace/laplace.h"
#include "output/output.h"
#include "util/msg.h"
#include "util/text.h"

#define OPT_SPLIT	256

static const struct argp_option options[] = {
	{ "laplace-split", OPT_SPLIT, "HOW", 0,
	  "Write a Laplace trace for each CPU; HOW is: cpu", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct laplace *l = use->data;

	if (key != OPT_SPLIT)
		return ARGP_ERR_UNKNOWN;
	if (strcmp(arg, "cpu"))
		argp_error(state, "Laplace traces are split by cpu, not by \"%s\"", arg);
	l->split = true;
	return 0;
}

static bool owns(const char *name)
{
	return !strcmp(name, "laplace.txt") || !strcmp(name, "laplace.txt.lost") ||
	       text_is_numbered(name, "laplace.cpu", ".txt");
}

/* @nr: of the CPU; -1: for all */
static int open_file(struct laplace *l, struct laplace_file *file, const char *dir, int nr)
{
	char path[PATH_MAX];

	if (nr < 0)
		snprintf(path, sizeof(path), "%s/laplace.txt", dir);
	else
		snprintf(path, sizeof(path), "%s/laplace.cpu%d.txt", dir, nr);
	return file_open(&file->out, path, l->error);
}

/* The CPUs are sorted by number; there may be none. */
static int open_files(struct laplace *l, const struct world *w, const char *dir)
{
	u32 last = w->nr_cpus ? w->cpus[w->nr_cpus - 1].nr : 0;
	unsigned int i, nr = l->split && w->nr_cpus ? w->nr_cpus : 1;
	int ret = 0;

	l->files = calloc(nr, sizeof(*l->files));
	l->by_cpu = calloc((size_t)last + 1, sizeof(struct laplace_file *));
	if (!l->files || !l->by_cpu)
		return -ENOMEM;
	for (i = 0; i < w->nr_cpus; i++)
		l->by_cpu[w->cpus[i].nr] = &l->files[nr > 1 ? i : 0];
	for (i = 0; i < nr && !ret; i++) {
		l->nr_files++;
		ret = open_file(l, &l->files[i], dir,
				l->split && w->nr_cpus ? (int)w->cpus[i].nr : -1);
	}
	return ret;
}

/*
 * With a trace per CPU, events of one CPU are in its trace only; changes of tasks, address spaces,
 * page cache and files, which concern all CPUs, are in every trace.
 */
static int attach(void *data, const struct output_env *env)
{
	struct laplace *l = data;
	int ret;

	l->lost.fd = -1;
	l->error = &env->world->hooks.error;
	if (asprintf(&l->lost_path, "%s/laplace.txt.lost", env->out) < 0) {
		l->lost_path = NULL;
		return -ENOMEM;
	}
	ret = open_files(l, env->world, env->out);
	if (ret)
		return ret;
	/* A file left by an earlier run would look as if this one had lost events. */
	if (remove(l->lost_path) && errno != ENOENT)
		return report_error(l->lost_path, "cannot remove", errno);
	return laplace_attach_hooks(l, env->world);
}

/* Only a complete trace gets the end marker. */
static void end_trace(struct laplace_file *file)
{
	char *p = file_room(&file->out);

	*p++ = 'c';
	*p++ = '\n';
	file_done(&file->out, p);
}

static int finish(void *data, const struct output_env *env)
{
	struct laplace *l = data;
	int ret = 0, error;
	unsigned int i;

	if (l->unplaced)
		msg_info("Laplace: %llu change%s of address spaces without a known task left out",
			 l->unplaced, l->unplaced == 1 ? "" : "s");
	for (i = 0; i < l->nr_files; i++) {
		if (!capture_damages(env->cap) && !l->files[i].incomplete)
			end_trace(&l->files[i]);
		error = file_close(&l->files[i].out);
		ret = ret ? ret : error;
	}
	error = file_close(&l->lost);
	return ret ? ret : error;
}

static void close_output(void *data)
{
	struct laplace *l = data;
	unsigned int i;

	for (i = 0; i < l->nr_files; i++)
		file_close(&l->files[i].out);
	file_close(&l->lost);
	free(l->files);
	free(l->by_cpu);
	free(l->lost_path);
	memset(l, 0, sizeof(*l));
}

DEFINE_OUTPUT(laplace) = {
	.name = "laplace",
	.sentence = "a raw kernel trace as Laplace writes it: laplace.txt",
	.flags = OUTPUT_FILES | OUTPUT_DEFAULT,
	.size = sizeof(struct laplace),
	.options = options,
	.parse = parse,
	.owns = owns,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
