// SPDX-License-Identifier: GPL-2.0-only
/* A capture and a log of references, read in the order of time. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "merge.h"
#include "refs/machine.h"
#include "util/file.h"
#include "util/hex.h"
#include "util/msg.h"

#define PAGE_BYTES	(1U << REFS_PAGE_SHIFT)
#define LENGTH_MAX	8	/* bytes, as in Laplace: longer ones come in pieces */

#define STATUS_OK	0	/* as ovnik-decode's */
#define STATUS_FAILED	1
#define STATUS_DAMAGED	3
#define STATUS_LOST	4

static void give_lines(void *data, const char *from, const char *end)
{
	tasks_lines(data, from, end);
}

/* The lines of a record are the tasks', too: one may have more than fit into the buffer. */
static void feed_tasks(struct merging *m)
{
	struct file *lines = &m->laplace.files[0].out;

	lines->seen = lines->len;
	lines->data = &m->tasks;
	lines->on_flush = give_lines;
	m->error = world_feed(&m->w, m->item);
	lines->on_flush = NULL;
	give_lines(&m->tasks, lines->buf + lines->seen, lines->buf + lines->len);
}

static void feed(struct merging *m)
{
	if (m->job->forms & MERGE_PROCESSES)
		feed_tasks(m);
	else
		m->error = world_feed(&m->w, m->item);
	if (!m->error)
		m->error = m->w.hooks.error;
	if (!m->error)
		m->error = merge_next(&m->items, &m->item);
}

static void put_basic(struct merging *m, u64 page)
{
	char *to = file_room(&m->basic);

	*to++ = 'R';
	*to++ = ' ';
	to = hex_put(to, page);
	*to++ = '\n';
	file_done(&m->basic, to);
}

/* As ovnik-refs --to-text --wide has it. */
static void put_raw(struct merging *m, const struct refs_ref *ref)
{
	static const char letters[] = "IRW";
	struct file *o = &m->laplace.files[0].out;
	char *to = file_room(o);

	*to++ = letters[ref->kind];
	*to++ = ' ';
	to = hex_put(to, ref->time);
	*to++ = ' ';
	to = hex_put(to, ref->length);
	*to++ = ' ';
	to = hex_put(to, ref->cr3 >> REFS_PAGE_SHIFT);
	*to++ = ' ';
	to = hex_put(to, ref->address);
	*to++ = '\n';
	file_done(o, to);
}

static bool needs_pages(const struct merging *m)
{
	return m->job->forms & (MERGE_BASIC | MERGE_PROCESSES | MERGE_STAT);
}

/* A reference to one page. Those before --from tell which pages are shared later. */
static void take_one(struct merging *m, const struct refs_ref *ref)
{
	u64 page;

	if (unlikely(ref->time < m->from)) {
		canon_page(&m->canon, ref->cr3, ref->address, ref->kind == REFS_STORE);
		return;
	}
	m->nr++;
	if (m->job->forms & MERGE_INTERLEAVE)
		put_raw(m, ref);
	if (!needs_pages(m))
		return;
	page = canon_page(&m->canon, ref->cr3, ref->address, ref->kind == REFS_STORE);
	if (m->job->forms & MERGE_BASIC)
		put_basic(m, page);
	if (m->job->forms & MERGE_PROCESSES)
		tasks_ref(&m->tasks, ref, page);
	if (m->job->forms & MERGE_STAT)
		stat_ref(&m->stat, ref, page, m->w.cpus[0].running);
}

/* One that crosses the border of a page is one of each page. */
static void take_piece(struct merging *m, const struct refs_ref *ref)
{
	u32 left = PAGE_BYTES - (ref->address & (PAGE_BYTES - 1));
	struct refs_ref part = *ref;

	if (likely(ref->length <= left)) {
		take_one(m, ref);
		return;
	}
	part.length = left;
	take_one(m, &part);
	part.address += left;
	part.length = ref->length - left;
	take_one(m, &part);
}

static void take(const struct refs_ref *ref, void *data)
{
	struct merging *m = data;
	struct refs_ref piece;
	u32 left;

	if (unlikely(ref->time < m->begin || ref->time > m->to))
		return;
	while (unlikely(m->item && m->item->tsc <= ref->time) && !m->error)
		feed(m);
	if (unlikely(m->error))
		return;
	if (likely(ref->length <= LENGTH_MAX)) {
		take_piece(m, ref);
		return;
	}
	piece = *ref;
	for (left = ref->length; left; left -= piece.length, piece.address += piece.length) {
		piece.length = left < LENGTH_MAX ? left : LENGTH_MAX;
		take_piece(m, &piece);
	}
}

static void take_page(const struct refs_page *page, void *data)
{
	struct merging *m = data;

	canon_frame(&m->canon, page->cr3, page->page, page->frame);
}

/* The first failure of any part. */
static int error_of(const struct merging *m)
{
	if (m->error)
		return m->error;
	if (m->canon.no_memory || m->stat.no_memory)
		return msg_no_memory();
	return m->basic.error ? m->basic.error : m->tasks.error;
}

/* A log may have been switched on at other times, too. */
static bool is_wanted(const struct merging *m)
{
	return m->refs.block.end >= m->begin && m->refs.block.begin <= m->to;
}

static int read_refs(struct merging *m)
{
	const struct refs_sink sink = { .ref = take, .page = take_page, .data = m };
	int ret, error;

	while ((ret = refs_next(&m->refs)) > 0) {
		if (!is_wanted(m))
			continue;
		ret = refs_load(&m->refs);
		if (ret > 0)
			ret = refs_expand(&m->refs, &sink);
		error = ret < 0 ? ret : error_of(m);
		if (error)
			return error;
	}
	return ret;
}

/* Records behind the last reference. */
static int read_rest(struct merging *m)
{
	while (m->item && !m->error)
		feed(m);
	if (!m->error)
		m->error = world_end(&m->w, m->cap.end);
	return error_of(m);
}

/* A log of another run would give a merge that is wrong. */
static int check_time(const struct merging *m)
{
	if (m->nr || m->refs.damage)
		return m->nr ? 0 : m->refs.damage;
	msg_error("%s: has no reference from TSC %llx to %llx, the time in which %s was recorded",
		  m->refs.path, m->from, m->to, m->cap.dir);
	return -ENODATA;
}

static int read_all(struct merging *m)
{
	int ret = merge_open(&m->items, &m->cap);

	if (!ret) {
		world_begin(&m->w, m->cap.begin);
		ret = merge_next(&m->items, &m->item);
	}
	if (!ret)
		ret = read_refs(m);
	if (!ret)
		ret = check_time(m);
	if (!ret)
		ret = read_rest(m);
	merge_close(&m->items);
	return ret;
}

static int open_inputs(struct merging *m)
{
	int ret = capture_open(&m->cap, m->job->capture);

	if (!ret)
		ret = refs_check_machine(&m->cap);
	if (ret)
		return ret;
	if (m->cap.nr_files != 1) {
		msg_error("%s: was recorded on %u CPUs, but references are logged on one: record both in one guest (tools/vm/run --refs)",
			  m->cap.dir, m->cap.nr_files);
		return -EINVAL;
	}
	m->from = m->job->from > m->cap.begin ? m->job->from : m->cap.begin;
	m->to = m->job->to < m->cap.end ? m->job->to : m->cap.end;
	m->begin = needs_pages(m) ? m->cap.begin : m->from;
	return refs_open(&m->refs, m->job->refs);
}

/* Files of an earlier merge would stay between those of this one. */
static int check_out(const char *out, const char *capture)
{
	static const char *const names[] = {
		"basic.txt", "kernel.txt", "laplace.txt", "pages.txt", "processes", "stat.txt",
		"references.csv", "working-set.csv", "miss-ratio.csv", "miss-ratio.svg",
	};
	char path[PATH_MAX];
	unsigned int i;

	if (file_is_same(out, capture)) {
		msg_error("%s: is the capture to read: name another directory for the outputs",
			  out);
		return -EINVAL;
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", out, names[i]);
		if (!access(path, F_OK)) {
			msg_error("%s: is there already", path);
			return -EEXIST;
		}
	}
	return 0;
}

static int begin(struct merging *m)
{
	u32 forms = m->job->forms;
	char path[PATH_MAX];
	int ret;

	ret = processes_read(&m->processes, &m->cap);
	if (ret)
		return ret;
	capture_begin_pass(&m->cap, true);
	ret = world_init(&m->w, &m->cap);
	m->w.clock = NULL;
	if (!ret)
		ret = processes_attach(&m->processes, &m->w);
	if (!ret)
		ret = canon_init(&m->canon, &m->w);
	if (!ret && forms & (MERGE_PROCESSES | MERGE_INTERLEAVE))
		ret = laplace_attach(&m->laplace, &m->w, m->stage.path);
	if (!ret && forms & MERGE_PROCESSES)
		ret = tasks_begin(&m->tasks, &m->w, &m->processes, m->stage.path);
	if (!ret && forms & MERGE_STAT)
		ret = stat_begin(&m->stat, &m->canon, &m->processes, &m->w, m->from,
				 m->to);
	snprintf(path, sizeof(path), "%s/basic.txt", m->stage.path);
	if (!ret && forms & MERGE_BASIC)
		ret = file_open(&m->basic, path, NULL);
	return ret;
}

static int finish(struct merging *m)
{
	int ret = 0;

	if (m->laplace.nr_files)
		ret = laplace_finish(&m->laplace, &m->cap);
	if (!ret)
		ret = file_close(&m->basic);
	if (!ret)
		ret = tasks_end(&m->tasks);
	if (!ret)
		ret = merge_write_pages(m);
	if (!ret && m->job->forms & MERGE_STAT)
		ret = stat_write(&m->stat, m->stage.path);
	return ret ? ret : stage_commit(&m->stage);
}

static void report(const struct merging *m)
{
	const struct canon_stats *stats = &m->canon.stats;

	msg_info("%llu references, %llu canonical pages", m->nr,
		 m->canon.nr ? m->canon.nr - 1 : 0);
	if (stats->spaces)
		msg_warn("%s: refers to user memory of %llu address spaces that no record names: is it from the same run?",
			 m->refs.path, stats->spaces);
	if (stats->unmapped || stats->unrecorded)
		msg_info("pages where nothing was mapped: %llu; written without a recorded COW break: %llu",
			 stats->unmapped, stats->unrecorded);
	if (m->tasks.nobody)
		msg_info("%llu user references were made while no task is known to run: they are in kernel.txt",
			 m->tasks.nobody);
}

static int status_of(const struct merging *m)
{
	const struct capture *cap = &m->cap;

	if (m->refs.damage || m->canon.stats.spaces || capture_damages(cap) ||
	    cap->stats.causes & (GAP_DAMAGED | GAP_MISSING))
		return STATUS_DAMAGED;
	if (!cap->stats.gaps && !cap->meta.missed)
		return STATUS_OK;
	msg_warn("%s: events are missing: canonical pages may be wrong after the first gap",
		 cap->dir);
	return STATUS_LOST;
}

int merge_run(const struct merge_job *job)
{
	static struct merging m;
	int ret;

	memset(&m, 0, sizeof(m));
	m.job = job;
	m.refs.fd = -1;
	ret = check_out(job->out, job->capture);
	if (!ret)
		ret = open_inputs(&m);
	if (!ret)
		ret = stage_begin(&m.stage, job->out);
	if (!ret)
		ret = stage_made_of(&m.stage, job->capture);
	if (!ret)
		ret = stage_made_of(&m.stage, job->refs);
	if (!ret)
		ret = begin(&m);
	if (!ret)
		ret = read_all(&m);
	if (!ret)
		ret = finish(&m);
	if (ret == -ENOMEM)
		msg_no_memory();
	if (!ret)
		report(&m);
	ret = ret ? STATUS_FAILED : status_of(&m);
	/* After a failure its files need not be whole. */
	tasks_end(&m.tasks);
	stat_end(&m.stat);
	processes_free(&m.processes);
	file_close(&m.basic);
	laplace_close(&m.laplace);
	canon_destroy(&m.canon);
	if (m.w.tasks.tasks)
		world_destroy(&m.w);
	refs_close(&m.refs);
	stage_end(&m.stage);
	capture_close(&m.cap);
	return ret;
}
