// SPDX-License-Identifier: GPL-2.0-only
/* Compare system calls with the counts of ftrace, see files.sh. */

#include "../common/hist.h"
#include "filecheck.h"

#define NR_OPS		(OVNIK_OP_URING + 1)

struct call_name {
	enum ovnik_file_op op;
	const char *name;
};

static const struct call_name call_names[] = {
	{ OVNIK_OP_READ, "read" },
	{ OVNIK_OP_WRITE, "write" },
	{ OVNIK_OP_PREAD, "pread64" },
	{ OVNIK_OP_PWRITE, "pwrite64" },
	{ OVNIK_OP_READV, "readv" },
	{ OVNIK_OP_WRITEV, "writev" },
	{ OVNIK_OP_PREADV, "preadv" },
	{ OVNIK_OP_PREADV, "preadv2" },
	{ OVNIK_OP_PWRITEV, "pwritev" },
	{ OVNIK_OP_PWRITEV, "pwritev2" },
	{ OVNIK_OP_SENDFILE, "sendfile64" },
	{ OVNIK_OP_SPLICE, "splice" },
	{ OVNIK_OP_COPY, "copy_file_range" },
};

/* How often a task has made a call, by what it is to leave. */
struct counts {
	long of[NR_OPS];
};

static void count_trace(const char *dir, struct counts *counts)
{
	const struct call_name *call;
	struct hist_line line;

	for (call = call_names; call < call_names + sizeof(call_names) / sizeof(*call); call++) {
		FILE *file = open_hist(dir, call->name);

		while (read_hist(file, "common_pid", NULL, &line))
			counts[line.key[0] % TIDS].of[call->op] += line.hits;
		fclose(file);
	}
}

bool same_counts(const char *dir, const struct items *got)
{
	struct counts *counts = calloc(TIDS, sizeof(*counts));
	long calls = 0;
	bool good = true;
	__u32 tid, op;
	size_t i;

	if (!counts)
		err(1, "no memory");
	count_trace(dir, counts);
	for (tid = 0; tid < TIDS; tid++) {
		for (op = 0; op < NR_OPS && actors[tid]; op++)
			calls += counts[tid].of[op];
	}
	for (i = 0; i < got->nr; i++) {
		if (got->item[i].kind == OVNIK_EV_file_begin)
			counts[got->item[i].tid % TIDS].of[got->item[i].op]--;
	}
	for (i = 0; i < filelog->nr; i++) {
		const struct log_entry *entry = &filelog->entry[i];

		if (entry->kind == LOG_SILENT)
			counts[entry->tid % TIDS].of[entry->op]--;
		if (entry->flags & LOG_COMPAT)
			counts[entry->tid % TIDS].of[entry->op]++;
	}
	for (tid = 0; tid < TIDS; tid++) {
		for (op = 0; op < NR_OPS && actors[tid]; op++) {
			if (!counts[tid].of[op])
				continue;
			printf("# task %u, op %u: ftrace has %ld more\n", tid, op,
			       counts[tid].of[op]);
			good = false;
		}
	}
	printf("# %ld system calls in ftrace's counts\n", calls);
	free(counts);
	return good && calls;
}
