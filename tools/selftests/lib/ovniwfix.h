/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_OVNIWFIX_H
#define OVNIK_SELFTESTS_OVNIWFIX_H

/*
 * What the unit tests of the way from the world to ovni events share: a world with three
 * tasks, which is told what happens, and a log of what comes of it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/ovni/translate.h"
#include "kselftest_harness.h"

#define LOG_MAX	8192
#define NR_TASKS 3

/**
 * struct ovniwfix - The world, and what is told of it.
 * @w: the world
 * @cap: a capture without records
 * @files: its CPUs
 * @census: who is in it
 * @threads: tids 11, 12 and 13
 * @process: theirs
 * @pids: its number, by task
 * @tasks: the tasks
 * @t: what is tested
 * @log: what was told
 * @len: length of @log
 */
struct ovniwfix {
	struct world w;
	struct capture cap;
	struct capture_file files[2];
	struct census census;
	struct census_thread threads[NR_TASKS];
	struct census_process process;
	u32 pids[NR_TASKS];
	struct world_task tasks[NR_TASKS];
	struct ovni_translate t;
	char log[LOG_MAX];
	size_t len;
};

/* Tasks 11, 12, 13 of process 11; CPUs 0 and @cpu. */
static inline int fix_init(struct ovniwfix *f, u32 cpu)
{
	u32 i;
	int ret;

	memset(f, 0, sizeof(*f));
	f->files[1].cpu = cpu;
	f->cap.files = f->files;
	f->cap.nr_files = 2;
	for (i = 0; i < NR_TASKS; i++) {
		f->threads[i].pid = 11;
		f->threads[i].tid = 11 + i;
		f->pids[i] = 11;
		f->tasks[i].id = i;
		f->tasks[i].tid = 11 + i;
		f->tasks[i].tgid = 11;
		f->tasks[i].cpu = -1;
	}
	f->census.nr_tasks = NR_TASKS;
	f->census.pids = f->pids;
	f->census.nr_threads = NR_TASKS;
	f->census.threads = f->threads;
	f->census.nr_processes = 1;
	f->census.processes = &f->process;
	ret = world_init(&f->w, &f->cap);
	return ret ? ret : ovni_translate_attach(&f->t, &f->w, &f->census);
}

static inline void fix_destroy(struct ovniwfix *f)
{
	ovni_translate_destroy(&f->t);
	world_destroy(&f->w);
}

static inline void __printf_like(2, 3) fix_log(struct ovniwfix *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	f->len += vsnprintf(f->log + f->len, LOG_MAX - f->len, fmt, ap);
	va_end(ap);
}

static inline void fix_forget(struct ovniwfix *f)
{
	f->log[0] = '\0';
	f->len = 0;
}

#define TELL(position, when, ...)					\
	hook_invoke(&self->f.w.hooks, position,				\
		    &(struct world_item){ .ns = when, __VA_ARGS__ })

#define EXPECT_TOLD(text)						\
do {									\
	EXPECT_STREQ(text, self->f.log);				\
	fix_forget(&self->f);						\
} while (0)

#endif /* OVNIK_SELFTESTS_OVNIWFIX_H */
