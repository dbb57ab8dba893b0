// SPDX-License-Identifier: GPL-2.0-only
/* Merging the CPUs' items by TSC, with a loser tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/merge.h"

/* Insert each leaf in turn; a node not yet reached makes the cursor wait. */
static void build(struct merge *m)
{
	unsigned int i, node;

	for (node = 0; node < m->nr; node++)
		m->tree[node].index = ~0ULL;
	for (i = 0; i < m->nr; i++) {
		struct merge_key key = merge_key_of(&m->cursors[i]);

		for (node = (i + m->nr) / 2; node; node /= 2) {
			struct merge_key other = m->tree[node];

			if (other.index == ~0ULL) {
				m->tree[node] = key;
				break;
			}
			if (merge_before(&other, &key)) {
				m->tree[node] = key;
				key = other;
			}
		}
		if (!node)
			m->tree[0] = key;
	}
}

int merge_open(struct merge *m, struct capture *cap)
{
	unsigned int i;
	int ret;

	memset(m, 0, sizeof(*m));
	m->ahead = cap->next;
	m->cursors = calloc(cap->nr_files, sizeof(*m->cursors));
	m->tree = calloc(cap->nr_files, sizeof(*m->tree));
	if (!m->cursors || !m->tree)
		return -ENOMEM;
	for (i = 0; i < cap->nr_files; i++) {
		m->nr++;
		ret = cursor_open(&m->cursors[i], cap, &cap->files[i]);
		if (!ret)
			ret = merge_advance(m, &m->cursors[i]);
		if (ret)
			return ret;
	}
	build(m);
	return 0;
}

/* Where a pointer into one cursor's memory points in its copy. */
static const void *moved(const struct cursor *to, const struct cursor *from, const void *p)
{
	const u8 *at = p;

	if (at >= (const u8 *)from && at < (const u8 *)(from + 1))
		return (const u8 *)to + (at - (const u8 *)from);
	if (at >= from->scratch && at < from->scratch + CURSOR_SCRATCH)
		return to->scratch + (at - from->scratch);
	return from->buf && at >= from->buf && at <= from->buf + from->buf_size ?
	       to->buf + (at - from->buf) : p;
}

static int copy_cursor(struct cursor *to, const struct cursor *from)
{
	unsigned int i;

	*to = *from;
	to->scratch = malloc(CURSOR_SCRATCH);
	to->buf = from->buf ? malloc(from->buf_size) : NULL;
	to->texts = from->texts ? malloc(from->texts_size) : NULL;
	if (!to->scratch || (from->buf && !to->buf) || (from->texts && !to->texts))
		return -ENOMEM;
	memcpy(to->scratch, from->scratch, CURSOR_SCRATCH);
	if (from->buf)
		memcpy(to->buf, from->buf, from->buf_size);
	if (from->texts)
		memcpy(to->texts, from->texts, from->texts_size);
	to->item.data = moved(to, from, from->item.data);
	to->pos = moved(to, from, from->pos);
	to->end = moved(to, from, from->end);
	for (i = 0; i < from->nr_pending; i++)
		to->pending[i].data = moved(to, from, from->pending[i].data);
	return 0;
}

int merge_copy(struct merge *to, const struct merge *from)
{
	size_t nr = from->nr;
	int ret = 0;

	memset(to, 0, sizeof(*to));
	to->ahead = from->ahead;
	to->cursors = calloc(nr, sizeof(*to->cursors));
	to->tree = calloc(nr, sizeof(*to->tree));
	if (!to->cursors || !to->tree)
		return -ENOMEM;
	memcpy(to->tree, from->tree, nr * sizeof(*to->tree));
	while (to->nr < nr && !ret) {
		ret = copy_cursor(&to->cursors[to->nr], &from->cursors[to->nr]);
		to->nr++;
	}
	return ret;
}

void merge_close(struct merge *m)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		cursor_close(&m->cursors[i]);
	free(m->cursors);
	free(m->tree);
	m->cursors = NULL;
	m->tree = NULL;
	m->nr = 0;
}
