/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_HTML_PAGE_H
#define OVNIK_OUTPUT_HTML_PAGE_H

#include <stdio.h>

#include "output/html/memory.h"
#include "output/output.h"
#include "output/timeline/timeline.h"

/**
 * page_write() - Write a page that shows a timeline.
 * @f: where to
 * @env: what the output works with
 * @report: the report, JSON
 * @memory: miss ratio curves and working sets, if there are any
 *
 * Context: After timeline_finish(). What names contain is text in the page, never markup.
 * Errors of writing are those of @f.
 */
void page_write(FILE *f, const struct output_env *env, const char *report,
		const struct page_memory *memory);

#endif /* OVNIK_OUTPUT_HTML_PAGE_H */
