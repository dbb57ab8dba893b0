// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture and a log of memory references, to ovnik-merge's outputs.
 *
 * The input has the capture in capture/, and refs. The first option chooses the forms, the next
 * ones a part of the time. What is written has as many references as were read.
 */
#include <string.h>

#include "edit.h"
#include "heap.h"
#include "memfs.h"
#include "ovnik-merge/merge.h"
#include "target.h"

#define IN	MEMFS_ROOT "/in"
#define OUT	MEMFS_ROOT "/out"
#define STATUS_FAILED	1

enum choice { FORMS, FROM, TO, DISK };

/* What failed leaves no output. */
static void none_left(const char *path, bool is_dir)
{
	must(is_dir, path);
}

static u64 lines_of(const char *path)
{
	const u8 *at, *end;
	u64 lines = 0;
	size_t len;

	at = memfs_get(path, &len);
	must(at || !len, "an output that was asked for is there");
	for (end = at + len; at < end; at++)
		lines += *at == '\n';
	return lines;
}

/* Each reference is a line of basic.txt, and one of laplace.txt that begins with its kind. */
static u64 references_of(const char *path)
{
	u64 nr = 0;
	size_t len, i;
	const u8 *text = memfs_get(path, &len);

	for (i = 0; text && i + 1 < len; i++) {
		if ((!i || text[i - 1] == '\n') && strchr("IRW", text[i]) && text[i + 1] == ' ')
			nr++;
	}
	return nr;
}

static void check(const struct merge_job *job, int status)
{
	const u32 both = MERGE_BASIC | MERGE_INTERLEAVE;

	must(status == 0 || status == 1 || status == 3 || status == 4, "the status is documented");
	must_say(status);
	if (status == STATUS_FAILED)
		memfs_each(OUT, none_left);
	else if ((job->forms & both) == both)
		must(lines_of(OUT "/basic.txt") == references_of(OUT "/laplace.txt"),
		     "both outputs have the same references");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct merge_job job = {
		.capture = IN "/capture", .refs = IN "/refs", .out = OUT, .to = ~0ULL,
	};
	u8 opt[PACK_OPTIONS] = { 0 };

	memcpy(opt, data, len < sizeof(opt) ? len : sizeof(opt));
	memfs_reset();
	memfs_put_dir(IN);
	pack_mount(data, len, IN);
	job.forms = opt[FORMS] % 16 ?: MERGE_BASIC | MERGE_INTERLEAVE;
	/* In microseconds of the seeds, which begin then. */
	if (opt[FROM])
		job.from = 1000000000ULL + 2000ULL * opt[FROM];
	if (opt[TO])
		job.to = job.from + 2000ULL * opt[TO];
	if (opt[DISK] & 1)
		memfs_limit((len | 1) + (256ULL << opt[DISK] / 2 % 16));
	check(&job, merge_run(&job));
	heap_check();
	return 0;
}

static void edit_meta(struct part *part)
{
	edit_description(part, 0);
}

static void edit_ovk(struct part *part)
{
	edit_capture(part, NULL);
	edit_capture_mend(part);
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t len, size_t room, unsigned int seed)
{
	static const struct target_edit edits[] = {
		{ "meta.json", edit_meta }, { ".ovk", edit_ovk }, { "refs", edit_refs },
		{ NULL, NULL },
	};

	return target_mutate(edits, data, len, room, seed);
}
