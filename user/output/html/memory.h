/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_HTML_MEMORY_H
#define OVNIK_OUTPUT_HTML_MEMORY_H

#include "util/types.h"

/**
 * struct page_memory - What ovnik-merge --stat has counted.
 * @curves: text of miss-ratio.csv, or of its beginning; NULL: nothing was counted
 * @sets: text of working-set.csv
 * @cut: @curves lacks processes, because there are too many for a page
 */
struct page_memory {
	char *curves;
	char *sets;
	bool cut;
};

/**
 * page_memory_read() - Read the files.
 * @m: is set; call page_memory_free() in any case
 * @dir: where ovnik-merge --stat has written them
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int page_memory_read(struct page_memory *m, const char *dir) __must_check;

/**
 * page_memory_free() - Free the texts.
 * @m: as page_memory_read() left it, or zeroed
 *
 * Context: Any.
 */
void page_memory_free(struct page_memory *m);

#endif /* OVNIK_OUTPUT_HTML_MEMORY_H */
