// SPDX-License-Identifier: GPL-2.0-only
/* Make a tracer from its specification: see tracers.h. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/args.h"
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/tracers_priv.h"
#include "util/suggest.h"

#define SYMBOL	"ovnik_tracer"

#define BUILTIN_ROW(name)	&tracer_##name,

static const struct tracer_class *const builtin[] = {
	BUILTIN_TRACERS(BUILTIN_ROW)
};

void tracers_list(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(builtin); i++)
		printf("%-14s %s\n", builtin[i]->name, builtin[i]->sentence);
}

static const struct tracer_class *find_builtin(const char *name)
{
	struct suggestion near = { .word = name };
	unsigned int i;
	char text[64];

	for (i = 0; i < ARRAY_SIZE(builtin); i++) {
		if (!strcmp(builtin[i]->name, name))
			return builtin[i];
		suggest_offer(&near, builtin[i]->name);
	}
	tracer_report_error("there is no tracer of this name; --list-tracers lists them%s",
			    suggest_text(&near, text, sizeof(text)));
	return NULL;
}

static bool is_object(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 3 && !strcmp(name + len - 3, ".so"));
}

static bool check_abi(u32 abi)
{
	if (abi == TRACER_ABI)
		return true;
	tracer_report_error("made for version %u of tracer.h, not for %u: compile it anew", abi,
			    TRACER_ABI);
	return false;
}

/* One made for another version may need functions that are gone: do not look for them yet. */
static void report_not_loaded(const char *path)
{
	const char *error = dlerror();
	char *why = strdup(error ? error : "");
	void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	const struct tracer_class *class = lib ? dlsym(lib, SYMBOL) : NULL;

	if (!class || check_abi(class->abi))
		tracer_report_error("cannot be loaded: %s", why ? why : "no memory");
	if (lib)
		dlclose(lib);
	free(why);
}

/* Without a slash, dlopen() would look for it elsewhere. */
static void *open_object(const char *name)
{
	void *lib;
	char *path;

	if (asprintf(&path, "%s%s", strchr(name, '/') ? "" : "./", name) < 0)
		return NULL;
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		report_not_loaded(path);
	free(path);
	return lib;
}

static const struct tracer_class *find_in_object(void *lib)
{
	const struct tracer_class *class = dlsym(lib, SYMBOL);

	if (!class) {
		tracer_report_error("no tracer: it does not define %s", SYMBOL);
		return NULL;
	}
	if (!check_abi(class->abi))
		return NULL;
	if (!class->name || !class->sentence) {
		tracer_report_error("no tracer: %s has no name or no sentence", SYMBOL);
		return NULL;
	}
	return class;
}

/* Is @key one of the words of @list, which have commas between? */
static bool has_word(const char *list, const char *key)
{
	size_t len = strlen(key), n;

	for (; list && *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == len && !strncmp(list, key, len))
			return true;
	}
	return false;
}

/* Return: 1 if it was the filter's. */
static int add_to_filter(struct tracer *tr, const char *key, const char *value)
{
	int ret = filter_add(&tr->filter, key, value);

	if (ret <= 0 || !(tr->class->flags & TRACER_UNFILTERED))
		return ret;
	tracer_report_error("takes no filter, but \"%s\" is one", key);
	return -EINVAL;
}

/* Arguments that are not the filter's stay, with their commas. */
static int sort_part(struct tracer *tr, char *part, char *args)
{
	char *copy = strdup(part), *value;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	if (!*part) {
		tracer_report_error("an argument is missing after a comma");
		free(copy);
		return -EINVAL;
	}
	value = args_split(copy);
	if (value && !has_word(tr->class->keys, copy))
		ret = add_to_filter(tr, copy, value);
	free(copy);
	if (ret)
		return ret < 0 ? ret : 0;
	if (*args)
		strcat(args, ",");
	strcat(args, part);
	return 0;
}

/* Is the key of @part one of those before it? They are consecutive strings. */
static int check_twice(const char *first, const char *part)
{
	size_t len = strcspn(part, "=");

	for (; first < part; first += strlen(first) + 1) {
		if (strcspn(first, "=") != len || strncmp(first, part, len) != 0)
			continue;
		tracer_report_error("\"%.*s\" is there twice", (int)len, part);
		return -EINVAL;
	}
	return 0;
}

/* @args gets what is the tracer's. */
static int sort_args(struct tracer *tr, char *rest, char *args)
{
	u32 all = tr->filter.kinds;
	char *first = rest, *part;
	int ret = 0;

	if (tr->class->kinds)
		tr->filter.kinds = tr->class->kinds & all;
	while (!ret && args_next(&rest, &part)) {
		ret = sort_part(tr, part, args);
		if (!ret)
			ret = check_twice(first, part);
	}
	return ret ? ret : filter_check(&tr->filter);
}

static int parse_args(struct tracer *tr, const char *args)
{
	if (tr->class->parse)
		return tr->class->parse(tr->data, args);
	/* It has no keys: whatever there is, is none of a filter's. */
	return args_parse(args, NULL, 0);
}

/* Until it is complete, a tracer is not in the list. */
static int add(struct tracers *ts, struct tracer *tr, char *rest)
{
	char *args = calloc(1, rest ? strlen(rest) + 1 : 1);
	int ret = -ENOMEM;

	filter_init(&tr->filter);
	tr->data = calloc(1, tr->class->size ? tr->class->size : 1);
	if (args && tr->data)
		ret = sort_args(tr, rest, args);
	if (!ret)
		ret = parse_args(tr, args);
	free(args);
	if (!ret) {
		ts->list[ts->nr++] = *tr;
		return 0;
	}
	if (tr->data && tr->class->destroy)
		tr->class->destroy(tr->data);
	free(tr->data);
	filter_destroy(&tr->filter);
	return ret;
}

static int add_named(struct tracers *ts, struct tracer *tr, char *rest)
{
	char *name;
	int ret;

	args_next(&rest, &name);
	if (!tr->class && is_object(name)) {
		tr->lib = open_object(name);
		tr->class = tr->lib ? find_in_object(tr->lib) : NULL;
	} else if (!tr->class) {
		tr->class = find_builtin(name);
	}
	ret = tr->class ? add(ts, tr, rest) : -ENOENT;
	if (ret && tr->lib)
		dlclose(tr->lib);
	return ret;
}

int tracers_add_class(struct tracers *ts, const struct tracer_class *class, const char *spec)
{
	struct tracer tr = { .class = class };
	char *copy;
	int ret = -ENOMEM;

	tracer_set_current(spec);
	if (ts->nr == TRACERS_MAX) {
		tracer_report_error("there are %u tracers, and no room for more", ts->nr);
		return -EINVAL;
	}
	copy = strdup(spec);
	tr.spec = strdup(spec);
	if (copy && tr.spec)
		ret = add_named(ts, &tr, copy);
	tracer_result(spec, ret);
	if (ret)
		free(tr.spec);
	free(copy);
	tracer_set_current(NULL);
	return ret;
}

int tracers_add(struct tracers *ts, const char *spec)
{
	return tracers_add_class(ts, NULL, spec);
}
