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
