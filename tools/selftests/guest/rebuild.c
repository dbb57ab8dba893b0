// SPDX-License-Identifier: GPL-2.0-only
/*
 * rebuild - what a capture says was mapped, or cached, at some moment
 *
 *	rebuild CAPTURE maps [--at TSC]... [PID...]
 *	rebuild CAPTURE pages [--at TSC]... [DEV INO]
 *
 * TSC is decimal, or hex after 0x. Without --at the moment is the end of the
 * capture; with several, in rising order, each is headed by a line "at TSC". What
 * was recorded at that TSC itself has happened.
 *
 * maps prints what is mapped in the address space of each task named, or of all
 * leaders of processes that have one, ordered by pid and address:
 *
 *	PID START-END PERMS OFFSET MAJOR:MINOR INO
 *
 * with the columns of /proc/PID/maps: all in hex but PID and INO, without leading
 * zeros. Ranges are as long as they can be: one ends where perms, device or inode
 * change, or where the file does not go on. OFFSET is 0 where there is no file, that is
 * INO and the device are 0. The gate page "[vsyscall]" of /proc/PID/maps is mapped in
 * no address space.
 *
 * pages prints the pages that were added to the page cache during the capture and
 * not removed, of one file or of all, ordered:
 *
 *	PAGE			with DEV INO: number of the page in the file
 *	MAJOR:MINOR INO PAGE	without
 *
 * DEV is MAJOR:MINOR in hex as in /proc/PID/maps, INO and PAGE are decimal. Pages of
 * a block device's own cache count as inode 0. What was cached before the capture
 * is not known.
 *
 * Status: 0; 1, the capture cannot be read, or a PID has no address space; 2, usage.
 */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/msg.h"
#include "../fixture/replay.h"

#define MOMENTS_MAX	1024
#define PAGE_SHIFT	12

/* A page in the page cache. */
struct cached {
	u32 dev;
	u64 ino;
	u64 page;
};

static struct replay replay;
static void *pages;		/* a tree of struct cached */
static u64 moments[MOMENTS_MAX];
static unsigned int nr_moments;
static char **args;		/* what is left of the command line */
static int nr_args;

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* maps */

/* Do two ranges look like one in /proc/PID/maps? */
static bool goes_on(const struct mm_vma *a, const struct mm_vma *b)
{
	const u32 perms = OVNIK_VMA_READ | OVNIK_VMA_WRITE | OVNIK_VMA_EXEC | OVNIK_VMA_SHARED;

	return a->end == b->start && !((a->what.flags ^ b->what.flags) & perms) &&
	       a->what.dev == b->what.dev && a->what.ino == b->what.ino &&
	       (!mm_has_file(&a->what) || a->what.offset + (a->end - a->start) == b->what.offset);
}

static void print_range(u32 pid, const struct mm_vma *vma)
{
	const struct mm_attrs *what = &vma->what;

	printf("%u %llx-%llx %c%c%c%c %llx %x:%x %llu\n", pid, vma->start, vma->end,
	       what->flags & OVNIK_VMA_READ ? 'r' : '-', what->flags & OVNIK_VMA_WRITE ? 'w' : '-',
	       what->flags & OVNIK_VMA_EXEC ? 'x' : '-', what->flags & OVNIK_VMA_SHARED ? 's' : 'p',
	       what->offset, OVNIK_DEV_MAJOR(what->dev), OVNIK_DEV_MINOR(what->dev), what->ino);
}

static void print_maps(const struct world_task *task)
{
	const struct mm_vma *vma = mm_find(task->space, 0);
	struct mm_vma range;

	while (vma) {
		range = *vma;
		while ((vma = mm_find(task->space, vma->end)) && goes_on(&range, vma))
			range.end = vma->end;
		print_range(task->tid, &range);
	}
}

static void all_maps(const struct task_table *t)
{
	const struct world_task *task = NULL;

	while ((task = task_next(t, task))) {
		if (task->space && task->tid == task->tgid)
			print_maps(task);
	}
}

static int show_maps(void)
{
	const struct task_table *t = &replay.world.tasks;
	int i;

	if (!nr_args)
		all_maps(t);
	for (i = 0; i < nr_args; i++) {
		const struct world_task *task = task_find(t, strtoul(args[i], NULL, 10));

		if (!task || !task->space) {
			msg_error("task %s has no address space then", args[i]);
			return -ESRCH;
		}
		print_maps(task);
	}
	return 0;
}

/* pages */

static int compare_cached(const void *a, const void *b)
{
	const struct cached *left = a, *right = b;
	int order = compare_u64(left->dev, right->dev);

	if (!order)
		order = compare_u64(left->ino, right->ino);
	return order ? order : compare_u64(left->page, right->page);
}

static int add_page(const struct cached *page)
{
	struct cached *copy = malloc(sizeof(*copy));
	struct cached **found;

	if (!copy)
		return -ENOMEM;
	*copy = *page;
	found = tsearch(copy, &pages, compare_cached);
	if (!found || *found != copy)
		free(copy);
	return found ? 0 : -ENOMEM;
}

static void remove_page(const struct cached *page)
{
	struct cached **found = tfind(page, &pages, compare_cached);
	struct cached *gone;

	if (!found)
		return;
	gone = *found;
	tdelete(page, &pages, compare_cached);
	free(gone);
}

static void change(const struct hook_ctx *ctx, bool add, u32 dev, u64 ino, u64 offset, u16 order)
{
	struct cached page = { .dev = dev, .ino = ino, .page = offset >> PAGE_SHIFT };
	u64 end = page.page + (1ULL << order);

	for (; page.page < end; page.page++) {
		if (!add)
			remove_page(&page);
		else if (add_page(&page))
			hook_fail(ctx->domain, -ENOMEM);
	}
}

static void on_page_add(void *data, const struct hook_ctx *ctx)
{
	const struct ovnik_page_add *rec = ((const struct world_item *)ctx->item)->rec;

	(void)data;
	change(ctx, true, rec->dev, rec->ino, rec->offset, rec->order);
}

static void on_page_remove(void *data, const struct hook_ctx *ctx)
{
	const struct ovnik_page_remove *rec = ((const struct world_item *)ctx->item)->rec;

	(void)data;
	change(ctx, false, rec->dev, rec->ino, rec->offset, rec->order);
}

static void on_buffer_add(void *data, const struct hook_ctx *ctx)
{
	const struct ovnik_buffer_add *rec = ((const struct world_item *)ctx->item)->rec;

	(void)data;
	change(ctx, true, rec->dev, 0, rec->offset, rec->order);
}

static void on_buffer_remove(void *data, const struct hook_ctx *ctx)
{
	const struct ovnik_buffer_remove *rec = ((const struct world_item *)ctx->item)->rec;

	(void)data;
	change(ctx, false, rec->dev, 0, rec->offset, rec->order);
}

static int keep_pages(void)
{
	struct hookable *hooks = &replay.world.hooks;
	int ret = hook_attach(hooks, WORLD_PAGE_ADD, on_page_add, NULL);

	if (!ret)
		ret = hook_attach(hooks, WORLD_PAGE_REMOVE, on_page_remove, NULL);
	if (!ret)
		ret = hook_attach(hooks, WORLD_BUFFER_ADD, on_buffer_add, NULL);
	if (!ret)
		ret = hook_attach(hooks, WORLD_BUFFER_REMOVE, on_buffer_remove, NULL);
	return ret;
}

static void print_page(const void *node, VISIT visit, int depth)
{
	const struct cached *page = *(const struct cached * const *)node;
	unsigned int major, minor;
	u64 ino;

	(void)depth;
	if (visit != postorder && visit != leaf)
		return;
	if (!nr_args) {
		printf("%x:%x %llu %llu\n", OVNIK_DEV_MAJOR(page->dev), OVNIK_DEV_MINOR(page->dev),
		       page->ino, page->page);
		return;
	}
	ino = strtoull(args[1], NULL, 10);
	if (sscanf(args[0], "%x:%x", &major, &minor) == 2 && page->ino == ino &&
	    OVNIK_DEV_MAJOR(page->dev) == major && OVNIK_DEV_MINOR(page->dev) == minor)
		printf("%llu\n", page->page);
}

static int show_pages(void)
{
	twalk(pages, print_page);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: rebuild CAPTURE maps [--at TSC]... [PID...]\n"
		"       rebuild CAPTURE pages [--at TSC]... [DEV INO]\n");
	return 2;
}

static int run(const char *dir, bool maps)
{
	unsigned int i;
	int ret;

	ret = replay_open(&replay, dir);
	if (!ret && !maps)
		ret = keep_pages();
	for (i = 0; !ret && i < nr_moments; i++) {
		ret = replay_until(&replay, moments[i]);
		if (!ret && moments[i] != ~0ULL)
			printf("at %llu\n", moments[i]);
		if (!ret)
			ret = maps ? show_maps() : show_pages();
	}
	replay_close(&replay);
	tdestroy(pages, free);
	return ret ? 1 : 0;
}

int main(int argc, char **argv)
{
	bool maps;

	msg_init(argv[0]);
	if (argc < 3)
		return usage();
	maps = !strcmp(argv[2], "maps");
	args = argv + 3;
	nr_args = argc - 3;
	while (nr_args >= 2 && !strcmp(args[0], "--at") && nr_moments < MOMENTS_MAX) {
		moments[nr_moments++] = strtoull(args[1], NULL, 0);
		args += 2;
		nr_args -= 2;
	}
	if ((!maps && strcmp(argv[2], "pages")) || (!maps && nr_args && nr_args != 2))
		return usage();
	if (!nr_moments)
		moments[nr_moments++] = ~0ULL;
	return run(argv[1], maps);
}
