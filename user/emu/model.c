// SPDX-License-Identifier: GPL-2.0-only
/* Compiles a model's tables for quick lookup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/model.h"
#include "emu/name.h"
#include "trace/drawn.h"
#include "util/msg.h"

static u32 model_categories(const struct model *model)
{
	bool seen[256] = { false };
	u32 n = 0;
	u32 i;

	for (i = 0; i < model->nevents; i++) {
		u8 c = model->events[i].mcv[1];

		n += !seen[c];
		seen[c] = true;
	}
	return n;
}

static int model_compile_event(struct model_run *run, const struct model_event *ev)
{
	const struct model_event **row;
	u8 c = ev->mcv[1];
	u8 v = ev->mcv[2];
	u32 i;

	if (ev->mcv[0] != run->model->letter)
		return -EINVAL;
	if (!run->cat[c])
		run->cat[c] = run->nrows++;
	row = run->row[run->cat[c]];
	if (v) {
		if (row[v])
			return -EINVAL;
		row[v] = ev;
		return 0;
	}
	for (i = 0; i < 256; i++) {
		if (!row[i])
			row[i] = ev;
	}
	return 0;
}

/* Files not recognized as output would never be removed. */
static int model_check_breakdown(const struct model *model)
{
	char name[EMU_NAME_MAX];

	if (!model->breakdown ||
	    ovni_is_drawn(emu_name(name, model->breakdown->trace, 0, ".prv")))
		return 0;
	msg_error("model %s: %s is missing in user/trace/drawn.c", model->name, name);
	return -EINVAL;
}

int model_compile(struct model_run *run, const struct model *model)
{
	u32 i;
	int ret;

	memset(run, 0, sizeof(*run));
	run->model = model;
	run->breakdown = model->breakdown;
	run->nrows = 1;
	run->row = calloc(1 + model_categories(model), sizeof(*run->row));
	if (!run->row)
		return -ENOMEM;
	for (i = 0; i < model->nevents; i++) {
		ret = model_compile_event(run, &model->events[i]);
		if (ret) {
			msg_error("model %s: event %s has another model's letter, or is listed twice",
				  model->name, model->events[i].mcv);
			return ret;
		}
	}
	return model_check_breakdown(model);
}

void model_run_free(struct model_run *run)
{
	free(run->row);
	free(run->late);
	run->row = NULL;
	run->late = NULL;
}

static int version_number(const char **p, unsigned int *n)
{
	if (**p < '0' || **p > '9')
		return -EINVAL;
	*n = 0;
	while (**p >= '0' && **p <= '9') {
		*n = 10 * *n + (**p - '0');
		if (*n > 1000000)
			return -EINVAL;
		(*p)++;
	}
	return 0;
}

int model_version_check(const struct model *model, const char *version)
{
	const char *p = version;
	unsigned int n[3];
	int i;

	for (i = 0; i < 3; i++) {
		if (i && *p++ != '.')
			return -EINVAL;
		if (version_number(&p, &n[i]))
			return -EINVAL;
	}
	if (*p && *p != '.' && *p != '-')
		return -EINVAL;
	return n[0] == model->major && n[1] <= model->minor ? 0 : -ENOTSUP;
}
