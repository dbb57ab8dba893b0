// SPDX-License-Identifier: GPL-2.0-only
/*
 * Laplace's raw kernel trace: a letter, the raw TSC, and what happened, all
 * numbers in hex. What cannot be said in it, losses, goes to a file beside it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laplace/hex.h"
#include "laplace/laplace.h"
#include "util/msg.h"

/* The upper half of the TSC changes every second or so: it is kept as text. */
static void keep_high(struct laplace *l, u32 high)
{
	l->high = (u64)high + 1;
	l->high_len = hex_put32(l->high_text, high) - l->high_text;
}

static inline char *begin(struct laplace *l, char letter, u64 tsc)
{
	char *p = output_room(&l->out);

	*p++ = letter;
	*p++ = ' ';
	if (unlikely(!(tsc >> 32)))
		return hex_put(p, tsc);
	if (unlikely((tsc >> 32) + 1 != l->high))
		keep_high(l, tsc >> 32);
	memcpy(p, l->high_text, sizeof(l->high_text));
	return hex_put8(p + l->high_len, tsc);
}

static inline char *field32(char *p, u32 value)
{
	*p++ = ' ';
	return hex_put32(p, value);
}

static inline char *field(char *p, u64 value)
{
	*p++ = ' ';
	return hex_put(p, value);
}

static inline void end(struct output *o, char *p)
{
	*p++ = '\n';
	output_done(o, p);
}

/* The rest of a line is a name, so a name must not end it. */
static char *name(char *p, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *c;

	*p++ = ' ';
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c >= ' ' && *c != '\\' && *c != 0x7f) {
			*p++ = *c;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = digits[*c >> 4];
		*p++ = digits[*c & 15];
	}
	return p;
}

static void on_switch(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_sched_switch *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, 's', it->tsc);

	end(&l->out, field32(p, rec->next_tid));
}

static void on_fork(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_fork *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, 'F', it->tsc);

	p = field32(p, rec->parent_tid);
	end(&l->out, field32(p, rec->child_tid));
}

static void on_exit_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exit *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, 'T', it->tsc);

	end(&l->out, field32(p, rec->tid));
}

static void on_exec(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exec *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, 'X', it->tsc);

	p = field32(p, rec->tid);
	p = field(p, rec->ino);
	p = field32(p, rec->dev_major);
	p = field32(p, rec->dev_minor);
	end(&l->out, name(p, rec->filename));
}

static void put_assign(struct laplace *l, u64 tsc, u32 tid, u64 pgd)
{
	char *p = begin(l, 'A', tsc);

	p = field32(p, tid);
	end(&l->out, field(p, pgd));
}

static void on_mm(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_mm *rec = it->rec;

	put_assign(data, it->tsc, rec->tid, rec->pgd);
}

/* What existed before the capture has an address space, too; said once. */
static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_task *rec = it->rec;

	if (it->moved)
		put_assign(data, it->tsc, rec->tid, rec->pgd);
}

static void on_mm_exit(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_mm_exit *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, 'u', it->tsc);

	end(&l->out, field(p, rec->pgd));
}

static char *put_causes(char *p, u32 causes)
{
	const char *sep = "";

	if (causes & GAP_LOST) {
		p += sprintf(p, "lost");
		sep = ",";
	}
	if (causes & GAP_DAMAGED) {
		p += sprintf(p, "%sdamaged", sep);
		sep = ",";
	}
	if (causes & GAP_MISSING)
		p += sprintf(p, "%smissing", sep);
	return p;
}

/* cpu from to causes event=n... [unknown=?]; numbers as in the trace: hex. */
static void on_gap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct capture_gap *gap = it->gap;
	struct laplace *l = data;
	unsigned int i;
	char *p;

	if (!l->lost.path && output_open(&l->lost, l->lost_path)) {
		hook_fail(ctx->domain, l->lost.error ? l->lost.error : -ENOMEM);
		return;
	}
	if (l->lost.error)
		return;
	p = output_room(&l->lost);
	p += sprintf(p, "%x %llx %llx ", gap->cpu, gap->from, gap->to);
	p = put_causes(p, gap->causes);
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i])
			p += sprintf(p, " %s=%llx", event_name(i), gap->lost[i]);
	}
	if (gap->other)
		p += sprintf(p, " other=%llx", gap->other);
	if (!gap->exact)
		p += sprintf(p, " unknown=?");
	end(&l->lost, p);
	l->gaps++;
}

static int attach_all(struct laplace *l, struct world *w)
{
	static const struct {
		enum world_position position;
		hook_fn fn;
	} hooks[] = {
		{ WORLD_SCHED_SWITCH, on_switch },
		{ WORLD_TASK_NEW, on_fork },
		{ WORLD_TASK_EXIT, on_exit_begin },
		{ WORLD_TASK_EXEC, on_exec },
		{ WORLD_MM_ASSIGN, on_mm },
		{ WORLD_TASK_DUMP, on_dump },
		{ WORLD_MM_EXIT, on_mm_exit },
		{ WORLD_GAP_BEGIN, on_gap },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(hooks) && !ret; i++)
		ret = hook_attach(&w->hooks, hooks[i].position, hooks[i].fn, l);
	return ret;
}

int laplace_attach(struct laplace *l, struct world *w, const char *path)
{
	int ret;

	memset(l, 0, sizeof(*l));
	l->out.fd = -1;
	l->lost.fd = -1;
	if (asprintf(&l->lost_path, "%s.lost", path) < 0) {
		l->lost_path = NULL;
		return -ENOMEM;
	}
	ret = output_open(&l->out, path);
	if (ret)
		return ret;
	/* One of an earlier run would accuse this one. */
	if (remove(l->lost_path) && errno != ENOENT) {
		msg_error("%s: cannot remove: %s", l->lost_path, strerror(errno));
		return -errno;
	}
	return attach_all(l, w);
}

int laplace_finish(struct laplace *l, bool complete)
{
	int ret, ret_lost;

	if (complete) {
		char *p = output_room(&l->out);

		*p++ = 'c';
		end(&l->out, p);
	}
	ret = output_close(&l->out);
	ret_lost = output_close(&l->lost);
	return ret ? ret : ret_lost;
}

void laplace_close(struct laplace *l)
{
	output_close(&l->out);
	output_close(&l->lost);
	free(l->lost_path);
	l->lost_path = NULL;
}
