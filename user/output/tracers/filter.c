// SPDX-License-Identifier: GPL-2.0-only
/* Which tasks a tracer gets: see filter.h. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <wctype.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/args.h"
#include "output/tracers/filter.h"
#include "output/tracers/tracer.h"
#include "util/suggest.h"

#define NO_LIMIT	((u64)-1)

void filter_init(struct filter *f)
{
	*f = (struct filter){
		.kinds = TASKS_ALL, .to = NO_LIMIT, .max = NO_LIMIT,
	};
}

void filter_destroy(struct filter *f)
{
	free(f->what);
	free(f->where);
	free(f->places);
	idmap_free(&f->family);
}

static u32 kind_of(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < TASKS_NR_KINDS; i++) {
		if (strlen(tasks_kind_names[i]) == len && !strncmp(tasks_kind_names[i], name, len))
			return 1U << i;
	}
	return 0;
}

bool filter_takes_all_kinds(const struct filter *f)
{
	return f->kinds == TASKS_ALL;
}

static void report_kind(const char *list, const char *name, int len)
{
	char all[256], word[32], near[64];
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < TASKS_NR_KINDS && at < sizeof(all); i++)
		at += snprintf(all + at, sizeof(all) - at, " %s", tasks_kind_names[i]);
	snprintf(word, sizeof(word), "%.*s", len, name);
	tracer_report_error("kind=%s: \"%.*s\" is no kind of task; there are:%s%s", list, len, name,
			    all, suggest_from(word, tasks_kind_names, TASKS_NR_KINDS, near,
					      sizeof(near)));
}

static int add_kinds(struct filter *f, const char *list)
{
	const char *name = list, *end;
	u32 one;

	f->kinds = 0;
	do {
		end = name + strcspn(name, "|");
		one = kind_of(name, end - name);
		if (!one) {
			report_kind(list, name, end - name);
			return -EINVAL;
		}
		f->kinds |= one;
		name = end + 1;
	} while (*end);
	return 0;
}

/* Of "[:NAME:]"; fnmatch() matches nothing if there is no such class. */
static bool is_class(const char *name, size_t len)
{
	char class[16];

	if (len >= sizeof(class))
		return false;
	memcpy(class, name, len);
	class[len] = '\0';
	return wctype(class);
}

/* The end of a bracket expression; NULL: it has none, or a class that does not exist. */
static const char *bracket_end(const char *p)
{
	char close[] = " ]";
	const char *end;

	p += p[1] == '!' || p[1] == '^' ? 2 : 1;
	if (*p == ']')
		p++;
	for (; *p && *p != ']'; p++) {
		if (*p == '\\' && p[1]) {
			p++;
		} else if (*p == '[' && p[1] && strchr(":.=", p[1])) {
			close[0] = p[1];
			end = strstr(p + 2, close);
			if (end && p[1] == ':' && !is_class(p + 2, end - p - 2))
				return NULL;
			p = end ? end + 1 : p;
		}
	}
	return *p ? p : NULL;
}

/* fnmatch() takes an unclosed "[" literally, or never matches. */
static bool is_pattern(const char *p)
{
	while (p && *p) {
		if (*p == '\\')
			p++;
		else if (*p == '[')
			p = bracket_end(p);
		if (!p || !*p)
			return false;
		p++;
	}
	return true;
}

static int add_pattern(const char *key, char **pattern, const char *value)
{
	if (!*value || !is_pattern(value)) {
		tracer_report_error("%s=%s: no pattern, as fnmatch(3) has them", key, value);
		return -EINVAL;
	}
	free(*pattern);
	*pattern = strdup(value);
	return *pattern ? 0 : -ENOMEM;
}

static int add_id(const char *key, u32 *id, const char *value)
{
	u64 number;

	if (args_u64(value, 0xffffffff, &number) || !number) {
		tracer_report_error("%s=%s: not a number of a process or thread", key, value);
		return -EINVAL;
	}
	*id = number;
	return 0;
}

static int add_time(const char *key, u64 *ns, const char *value)
{
	if (!args_ns(value, ns))
		return 0;
	tracer_report_error("%s=%s: not a time with a unit, such as 1.5ms", key, value);
	return -EINVAL;
}

static int add_what(struct filter *f, const char *value)
{
	f->what_is_text = !strpbrk(value, "*?[\\");
	return add_pattern("what", &f->what, value);
}

static int add_condition(struct filter *f, const char *key, const char *value)
{
	if (!strcmp(key, "kind"))
		return add_kinds(f, value);
	if (!strcmp(key, "what"))
		return add_what(f, value);
	if (!strcmp(key, "where"))
		return add_pattern(key, &f->where, value);
	if (!strcmp(key, "pid"))
		return add_id(key, &f->pid, value);
	if (!strcmp(key, "tid"))
		return add_id(key, &f->tid, value);
	if (!strcmp(key, "tree"))
		return add_id(key, &f->tree, value);
	if (!strcmp(key, "from"))
		return add_time(key, &f->from, value);
	if (!strcmp(key, "to"))
		return add_time(key, &f->to, value);
	if (!strcmp(key, "min"))
		return add_time(key, &f->min, value);
	if (!strcmp(key, "max"))
		return add_time(key, &f->max, value);
	return 1;
}

int filter_add(struct filter *f, const char *key, const char *value)
{
	int ret = add_condition(f, key, value);

	return ret < 0 ? ret : !ret;
}

int filter_check(const struct filter *f)
{
	if (f->from >= f->to) {
		tracer_report_error("from= is not before to=: the window is empty");
		return -EINVAL;
	}
	if (f->min > f->max) {
		tracer_report_error("min= is more than max=: no task can pass");
		return -EINVAL;
	}
	return 0;
}

static u64 add_capped(u64 a, u64 b)
{
	return a + b < a ? NO_LIMIT : a + b;
}

void filter_begin(struct filter *f, u64 begin)
{
	if (f->from)
		f->from = add_capped(f->from, begin);
	f->to = add_capped(f->to, begin);
	/* The places of another capture have other numbers. */
	free(f->places);
	f->places = NULL;
	f->nr_places = 0;
}

static bool in_family(const struct filter *f, const struct trace_task *task)
{
	return task->pid == f->tree || idmap_get(&f->family, task->tgid_task) ||
	       idmap_get(&f->family, task->id) || idmap_get(&f->family, task->parent);
}

/* A process's parent is a process, or the thread that made it. */
int filter_note(struct filter *f, const struct trace_task *task)
{
	if (!in_family(f, task))
		return 0;
	return idmap_put(&f->family, task->id) ? 0 : -ENOMEM;
}

void filter_forget(struct filter *f, const struct trace_task *task)
{
	struct idmap_slot *slot = idmap_get(&f->family, task->id);

	if (slot)
		idmap_del(&f->family, slot);
}

static int grow_places(struct filter *f, u32 id)
{
	u32 nr = id < 128 ? 256 : 2 * id;
	u8 *places;

	if (id > (u32)-1 / 2)
		return -ENOMEM;
	places = realloc(f->places, nr);
	if (!places)
		return -ENOMEM;
	memset(places + f->nr_places, FILTER_LATER, nr - f->nr_places);
	f->places = places;
	f->nr_places = nr;
	return 0;
}

static int place_matches(struct filter *f, const struct trace_task *task)
{
	u8 *known;

	if (task->where_id >= f->nr_places && grow_places(f, task->where_id))
		return -ENOMEM;
	known = &f->places[task->where_id];
	if (*known == FILTER_LATER)
		*known = fnmatch(f->where, task->where, 0) ? FILTER_NO : FILTER_YES;
	return *known;
}

/*
 * At the window's beginning, a task that is open then is added to a sum at once, even if it later
 * turns out to have ended before: all later tasks would have to wait for that.
 */
static bool is_known_late(const struct filter *f, const struct trace_task *task)
{
	if (f->sums && !f->min && f->max == NO_LIMIT)
		return false;
	return TASKS_ENDS_LATE >> task->kind & 1;
}

static bool what_matches(const struct filter *f, const char *what)
{
	return f->what_is_text ? !strcmp(f->what, what) : !fnmatch(f->what, what, 0);
}

int filter_at_start(struct filter *f, const struct trace_task *task)
{
	int ret;

	if ((f->pid && task->pid != f->pid) || (f->tid && task->tid != f->tid))
		return FILTER_NO;
	if (f->tree && !in_family(f, task))
		return FILTER_NO;
	f->seen = true;
	if (task->start >= f->to)
		return FILTER_NO;
	if (f->where) {
		ret = place_matches(f, task);
		if (ret != FILTER_YES)
			return ret;
	}
	if (f->what && (!task->what[0] || task->kind == TASKS_PROCESS))
		return FILTER_LAST;
	if (f->what && !what_matches(f, task->what))
		return FILTER_NO;
	if (task->start >= f->from && !f->min && f->max == NO_LIMIT)
		return FILTER_YES;
	return is_known_late(f, task) ? FILTER_LAST : FILTER_LATER;
}

u64 filter_deadline(const struct filter *f, u64 start)
{
	u64 lasts, begun;

	if (f->max != NO_LIMIT)
		return add_capped(add_capped(start, f->max), 1);
	lasts = add_capped(start, f->min);
	begun = f->from ? add_capped(f->from, 1) : 0;
	return lasts > begun ? lasts : begun;
}

bool filter_at_end(const struct filter *f, int verdict, const struct trace_task *task)
{
	u64 lasts = task->end > task->start ? task->end - task->start : 0;

	if (verdict == FILTER_LAST && f->what && !what_matches(f, task->what))
		return false;
	return lasts >= f->min && lasts <= f->max &&
	       (task->end > f->from || task->start >= f->from);
}
