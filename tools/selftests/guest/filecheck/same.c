// SPDX-License-Identifier: GPL-2.0-only
/* Compare what the records say with the log. */

#include "filecheck.h"

static bool same_tid(const struct item *want, const struct item *got)
{
	return want->tid == got->tid || want->loose & LOG_ANY_TID;
}

static bool same_identity(const struct item *want, const struct item *got)
{
	return want->kind == got->kind && want->op == got->op && want->ino == got->ino &&
	       want->dev == got->dev && same_tid(want, got) &&
	       (want->loose & LOG_ANY_GEN || want->generation == got->generation);
}

static bool same_text(const struct item *want, const struct item *got)
{
	if (!want->text || !got->text)
		return want->text == got->text;
	return want->loose & LOG_ANY_PATH || !strcmp(want->text, got->text);
}

static bool same(const struct item *want, const struct item *got)
{
	return same_identity(want, got) && want->offset == got->offset &&
	       (want->loose & LOG_ANY_SIZE || want->result == got->result) &&
	       (want->loose & LOG_ANY_MODE || want->mode == got->mode) &&
	       same_text(want, got) && got->begin >= want->begin && got->end <= want->end;
}

static bool is_free(const struct item *item)
{
	return item->kind == OVNIK_EV_file_close || item->kind == OVNIK_EV_file_delete ||
	       item->op == OVNIK_OP_AIO || item->op == OVNIK_OP_URING;
}

/* Those that come in the order of their task first, by task and order. */
static int by_task(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int free_x = is_free(x), free_y = is_free(y);

	if (free_x != free_y)
		return free_x - free_y;
	if (!free_x && x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t sort_items(struct items *items)
{
	size_t i;

	if (items->nr)
		qsort(items->item, items->nr, sizeof(*items->item), by_task);
	for (i = 0; i < items->nr && !is_free(&items->item[i]); i++)
		;
	return i;
}

/* Return: whether the first @nr_want and @nr_got are the same, one by one. */
static bool same_order(struct items *want, size_t nr_want, struct items *got, size_t nr_got)
{
	size_t i;

	for (i = 0; i < nr_want || i < nr_got; i++) {
		struct item *w = i < nr_want ? &want->item[i] : NULL;
		struct item *g = i < nr_got ? &got->item[i] : NULL;

		if (w && g && same(w, g)) {
			g->match = w;
			continue;
		}
		if (i)
			print_item("before", &want->item[i - 1]);
		print_item("done", w);
		print_item("record", g);
		return false;
	}
	return true;
}

/* The others: to each of one its own of the others. */
static bool same_free(struct items *want, size_t w, struct items *got, size_t first)
{
	bool all = true;
	size_t g;

	for (; w < want->nr; w++) {
		for (g = first; g < got->nr; g++) {
			if (!got->item[g].match && same(&want->item[w], &got->item[g]))
				break;
		}
		if (g == got->nr) {
			print_item("done", &want->item[w]);
			all = false;
		} else {
			got->item[g].match = &want->item[w];
		}
	}
	for (g = first; g < got->nr; g++) {
		if (!got->item[g].match) {
			print_item("record", &got->item[g]);
			all = false;
		}
	}
	return all;
}

bool same_items(struct items *want, struct items *got)
{
	size_t nr_want = sort_items(want), nr_got = sort_items(got);
	bool ordered = same_order(want, nr_want, got, nr_got);

	return same_free(want, nr_want, got, nr_got) && ordered;
}

/* A process' bytes until it looked into /proc/PID/io. */
static bool same_sums(const struct items *got, const struct log_entry *sums)
{
	__u64 reads = 0, writes = 0;
	bool *mine = calloc(TIDS, sizeof(*mine));
	size_t i;

	if (!mine)
		err(1, "no memory");
	for (i = 0; i < filelog->nr; i++) {
		if (filelog->entry[i].tgid == sums->tgid)
			mine[filelog->entry[i].tid % TIDS] = true;
	}
	for (i = 0; i < got->nr; i++) {
		const struct item *item = &got->item[i];

		if (!mine[item->tid % TIDS] || item->begin >= sums->begin || item->result < 0)
			continue;
		if (item->kind == OVNIK_EV_file_read)
			reads += item->result;
		if (item->kind == OVNIK_EV_file_write)
			writes += item->result;
	}
	free(mine);
	if (reads == sums->offset && writes == (__u64)sums->result)
		return true;
	if (!quiet)
		printf("# process %u: %llu read, %llu written; /proc/PID/io: %llu, %lld\n",
		       sums->tgid, reads, writes, sums->offset, sums->result);
	return false;
}

bool all_sums(const struct items *got)
{
	bool all = true;
	__u32 i, nr = 0;

	for (i = 0; i < filelog->nr; i++) {
		if (filelog->entry[i].kind != LOG_SUMS)
			continue;
		nr++;
		if (!same_sums(got, &filelog->entry[i]))
			all = false;
	}
	return all && nr;
}

static int by_inode(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	if (x->generation != y->generation)
		return x->generation < y->generation ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

bool opens_pair(const struct items *got)
{
	struct items copy = {};
	const struct item *last = NULL;
	int open = 0;
	bool good = true;
	size_t i;

	for (i = 0; i < got->nr; i++) {
		if (got->item[i].dev == filelog->dev)
			*add_item(&copy) = got->item[i];
	}
	qsort(copy.item, copy.nr, sizeof(*copy.item), by_inode);
	for (i = 0; i <= copy.nr; i++) {
		const struct item *item = i < copy.nr ? &copy.item[i] : NULL;

		if (last && (!item || item->ino != last->ino ||
			     item->generation != last->generation)) {
			good = good && !open;
			open = 0;
			last = NULL;
		}
		if (!item)
			break;
		open += item->kind == OVNIK_EV_file_open;
		open -= item->kind == OVNIK_EV_file_close;
		if (open < 0 || (last && last->kind == OVNIK_EV_file_delete))
			good = false;
		if (!good) {
			print_item("unpaired", item);
			break;
		}
		last = item;
	}
	free(copy.item);
	return good;
}
