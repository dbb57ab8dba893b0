// SPDX-License-Identifier: GPL-2.0-only
/* Outputs in a run: see output.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "tasks/tasks.h"
#include "util/msg.h"
#include "util/out.h"
#include "util/shell.h"

#define NAMES_MAX	256

void outputs_exit_listed(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		msg_error("the list cannot be written: %s", strerror(errno));
		exit(EXIT_FAILURE);
	}
	exit(EXIT_SUCCESS);
}

/* The file itself, or compressed. NULL: it is not there, or there is no memory. */
static char *find_shown(const struct output *output, const char *dir)
{
	char *path = out_path(dir, output->shows), *packed = NULL, *word;

	if (!path || asprintf(&packed, "%s.gz", path) < 0)
		packed = NULL;
	if (path && !access(path, F_OK))
		word = shell_word(path);
	else
		word = packed && !access(packed, F_OK) ? shell_word(packed) : NULL;
	free(path);
	free(packed);
	return word;
}

static bool propose(const struct output *output, const char *dir)
{
	char *word = output->shows ? find_shown(output, dir) : NULL;

	if (!word)
		return false;
	msg_info("next: %s %s%s", output->before, word, output->after ? output->after : "");
	free(word);
	return true;
}

/* What is looked at first, and the last that has been made, if it is behind that in the table. */
static void propose_all(const struct outputs *outs, const char *dir)
{
	bool proposed = false;
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (use->wanted && use->output->flags & OUTPUT_FIRST)
			proposed |= propose(use->output, dir);
	}
	while (i--) {
		const struct output_use *use = &outs->uses[i];
		bool first = use->output->flags & OUTPUT_FIRST;

		if (use->wanted && ((first && proposed) || (!first && propose(use->output, dir))))
			return;
	}
}

void outputs_report(const struct outputs *outs, const char *dir)
{
	char names[NAMES_MAX] = "";
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < outs->nr && len < sizeof(names); i++) {
		const struct output_use *use = &outs->uses[i];

		if (use->wanted && use->output->flags & OUTPUT_FILES)
			len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					use->output->name);
	}
	msg_info("%s: has the outputs: %s", dir, names);
	propose_all(outs, dir);
}

int outputs_init(struct outputs *outs, const struct output *const *table)
{
	memset(outs, 0, sizeof(*outs));
	for (; *table && outs->nr < OUTPUTS_MAX; table++) {
		struct output_use *use = &outs->uses[outs->nr];

		use->output = *table;
		use->data = calloc(1, use->output->size);
		if (!use->data)
			return msg_no_memory();
		outs->nr++;
	}
	return 0;
}

void outputs_destroy(struct outputs *outs)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++)
		free(outs->uses[i].data);
	outs->nr = 0;
}

struct output_use *outputs_find(struct outputs *outs, const char *name)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		if (!strcmp(outs->uses[i].output->name, name))
			return &outs->uses[i];
	}
	return NULL;
}

/* NULL: one of argp's own keys, such as ARGP_KEY_END. */
static const char *option_of(const struct output *output, int key)
{
	const struct argp_option *option;

	for (option = output->options; option->name || option->doc; option++) {
		if (option->name && option->key == key)
			return option->name;
	}
	return NULL;
}

error_t outputs_parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	error_t ret = use->output->parse(use, key, arg, state);

	if (!ret && !use->option)
		use->option = option_of(use->output, key);
	return ret;
}

bool outputs_need(const struct outputs *outs, u32 flags)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		if (outs->uses[i].wanted && (outs->uses[i].output->flags & flags) == flags)
			return true;
	}
	return false;
}

/* Names of places are made if anyone asks for them. */
u32 outputs_kinds(const struct outputs *outs)
{
	u32 kinds = 0, nowhere = TASKS_NOWHERE, one;
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (!use->wanted)
			continue;
		one = use->output->kinds_of ? use->output->kinds_of(use->data) : use->output->kinds;
		kinds |= one;
		if (one)
			nowhere &= one;
	}
	return kinds ? (kinds & (TASKS_ALL | TASKS_MEMORY)) | nowhere : 0;
}

int outputs_open(struct outputs *outs, const struct output_env *env)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < outs->nr && !ret; i++) {
		struct output_use *use = &outs->uses[i];

		if (use->wanted && use->output->open)
			ret = use->output->open(use->data, env);
	}
	return ret;
}

int outputs_attach(struct outputs *outs, const struct output_env *env)
{
	const u32 events = OUTPUT_EVENTS & ~OUTPUT_INVENTORY;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < outs->nr && !ret; i++) {
		struct output_use *use = &outs->uses[i];

		if (!use->wanted || (use->output->flags & events && !env->events))
			continue;
		use->attached = true;
		if (use->output->attach)
			ret = use->output->attach(use->data, env);
	}
	return ret;
}

int outputs_attach_tasks(struct outputs *outs, const struct output_env *env)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < outs->nr && !ret; i++) {
		struct output_use *use = &outs->uses[i];

		if (use->attached && use->output->attach_tasks)
			ret = use->output->attach_tasks(use->data, env);
	}
	return ret;
}

int outputs_finish(struct outputs *outs, const struct output_env *env)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < outs->nr && !ret; i++) {
		struct output_use *use = &outs->uses[i];

		if (use->attached)
			ret = use->output->finish(use->data, env);
	}
	return ret;
}

void outputs_close(struct outputs *outs)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++)
		outs->uses[i].output->close(outs->uses[i].data);
}

u64 output_real_begin(const struct output_env *env)
{
	struct capture *cap = env->cap;

	if (env->wall)
		return clock_ns(&cap->clock, cap->begin) + *env->wall;
	return cap->meta.nr_walls ? cap->began + cap->since : 0;
}

int outputs_compare(struct outputs *outs, bool failed)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (use->wanted && use->output->compare)
			ret = use->output->compare(use->data, failed);
	}
	return ret;
}
