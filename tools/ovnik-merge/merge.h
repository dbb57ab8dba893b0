/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_MERGE_H
#define OVNIK_MERGE_MERGE_H

#include "canon/canon.h"
#include "capture/merge.h"
#include "output/laplace/laplace.h"
#include "refs/read.h"
#include "stat.h"
#include "tasks.h"
#include "util/stage.h"

/**
 * enum merge_form - What is made of the two traces.
 * @MERGE_BASIC: basic.txt: the canonical page of each reference
 * @MERGE_PROCESSES: a directory a process, a file a task, kernel.txt
 * @MERGE_STAT: stat.txt and others: what is counted
 * @MERGE_INTERLEAVE: laplace.txt: kernel records and references in one order
 */
enum merge_form {
	MERGE_BASIC		= 1 << 0,
	MERGE_PROCESSES		= 1 << 1,
	MERGE_INTERLEAVE	= 1 << 2,
	MERGE_STAT		= 1 << 3,
};

/**
 * struct merge_job - The command line.
 * @capture: directory of the capture
 * @refs: log of references
 * @out: directory for the outputs
 * @forms: enum merge_form
 * @from: first TSC of references
 * @to: last one
 */
struct merge_job {
	const char *capture;
	const char *refs;
	const char *out;
	u32 forms;
	u64 from;
	u64 to;
};

/**
 * struct merging - Two traces that are read together.
 * @job: what is wanted
 * @cap: kernel events
 * @w: what they say
 * @items: of the capture
 * @item: the next one; NULL: there is none
 * @refs: references
 * @canon: their pages
 * @laplace: writes the kernel's records; with forms that have them
 * @basic: the basic merge
 * @processes: those of the capture
 * @tasks: the merge by processes
 * @stat: counts
 * @stage: where files are written
 * @begin: first TSC of references that are read
 * @from: of those that are written
 * @to: last one
 * @nr: references
 * @error: negative errno (reported)
 */
struct merging {
	const struct merge_job *job;
	struct capture cap;
	struct world w;
	struct merge items;
	const struct capture_item *item;
	struct refs_reader refs;
	struct canon canon;
	struct laplace laplace;
	struct file basic;
	struct processes processes;
	struct tasks tasks;
	struct stat stat;
	struct stage stage;
	u64 begin;
	u64 from;
	u64 to;
	u64 nr;
	int error;
};

/**
 * merge_run() - Merge two traces.
 * @job: what is wanted
 *
 * Context: One at a time.
 * Return: the exit status.
 */
int merge_run(const struct merge_job *job) __must_check;

/**
 * merge_write_pages() - Write what each canonical page is: pages.txt.
 * @m: the merge, at its end
 *
 * Return: 0, a negative errno (reported).
 */
int merge_write_pages(const struct merging *m) __must_check;

#endif /* OVNIK_MERGE_MERGE_H */
