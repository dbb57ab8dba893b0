// SPDX-License-Identifier: GPL-2.0-only
/*
 * dump-tasks - print what is reported of tasks, a line each; exit 1 if it is not consistent
 *
 *	dump-tasks CAPTURE [KINDS]
 *	dump-tasks -c CAPTURE [KINDS]
 *
 * KINDS: a bit for each kind, as a number. -c: count the tasks only, and check nothing,
 * to see what the builder costs; without it if KINDS is 0.
 */
#include "tasklog.h"

#include "util/msg.h"

static u64 counts[TASKS_NR_KINDS];
static u64 marks;

static void count(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;

	(void)data;
	counts[task->kind]++;
}

static void count_mark(void *data, const struct hook_ctx *ctx)
{
	(void)data;
	(void)ctx;
	marks++;
}

static int attach_counts(struct tasks *tasks)
{
	struct hookable *hooks = tasks_hooks(tasks);
	int ret = hook_attach(hooks, TASKS_AT_START, count_mark, NULL);

	if (!ret)
		ret = hook_attach(hooks, TASKS_AT_END, count, NULL);
	if (!ret)
		ret = hook_attach(hooks, TASKS_AT_TAG, count_mark, NULL);
	return ret ? ret : hook_attach(hooks, TASKS_AT_MILESTONE, count_mark, NULL);
}

static int count_all(const char *dir, u32 kinds)
{
	struct tasks *tasks = NULL;
	struct replay r;
	u32 i;
	int ret;

	ret = replay_open(&r, dir);
	if (!ret && kinds)
		tasks = tasks_create(&r.world, kinds);
	if (!ret && kinds)
		ret = tasks ? attach_counts(tasks) : -ENOMEM;
	if (!ret)
		ret = replay_until(&r, ~0ULL);
	if (!ret)
		ret = world_end(&r.world, r.cap.end);
	for (i = 0; i < TASKS_NR_KINDS; i++)
		printf("%s %llu\n", tasks_kind_names[i], counts[i]);
	tasks_destroy(tasks);
	replay_close(&r);
	return ret;
}

static int list_all(const char *dir, u32 kinds)
{
	struct tasklog log = { .lines = stdout };
	int ret = tasklog_capture(&log, dir, kinds | TASKS_MEMORY);

	if (log.nr_wrong)
		fprintf(stderr, "%llu things are wrong, first: %s\n", log.nr_wrong, log.wrong);
	ret = ret || log.nr_wrong;
	tasklog_free(&log);
	return ret;
}

int main(int argc, char **argv)
{
	bool quick = argc > 1 && !strcmp(argv[1], "-c");
	u32 kinds = argc > 2 + quick ? strtoul(argv[2 + quick], NULL, 0) : TASKS_ALL;

	msg_init(argv[0]);
	if (argc < 2 + quick)
		return 2;
	return (quick ? count_all : list_all)(argv[1 + quick], kinds) != 0;
}
