// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-merge - merge damaged traces of an application, in one process
 *
 *	fuzz-merge CAPTURE TRACE WORKDIR CASES SEED
 *
 * Each case is a copy of the trace with some bytes of one file flipped, overwritten,
 * inserted, removed or cut off. Either it is merged, or there is an error and no trace.
 * What is merged must be sorted. Crashes are the sanitizers' to find: WORKDIR/app is the
 * case then.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"
#include "merge/source.h"
#include "trace/stream.h"
#include "fuzzfile.h"

#define FILES_MAX	32

static struct fuzz_file seeds[FILES_MAX];
static unsigned int nr_files;
static size_t prefix;
static const char *case_dir;

/* Directories are made at once, for cases to write into. */
static int read_seed(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char copy[4096];

	(void)st;
	(void)ftw;
	if (type == FTW_D) {
		snprintf(copy, sizeof(copy), "%s/%s", case_dir, path + prefix);
		mkdir(copy, 0777);
	}
	if (type == FTW_F && nr_files < FILES_MAX)
		fuzz_read(&seeds[nr_files++], path, path + prefix);
	return 0;
}

static const u64 values[] = {
	0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, ~0ULL, 1ULL << 63, 1ULL << 62,
	0x5b554f00, 0x5d554f00, 0x13, 0x1f, 5000005000, 5000200000,
};

static void change_text(struct fuzz_file *f, size_t at, size_t n)
{
	(void)n;
	f->data[at] = "0123456789{}[]\":,"[draw(17)];
}

static const struct fuzz_style style = {
	.values = values, .nr_values = ARRAY_SIZE(values), .cut = 3, .other = change_text,
};

static void damage(struct fuzz_file *f)
{
	size_t at = draw(f->len);

	fuzz_damage(f, &style, at, 1 + draw(40));
}

static void write_case(void)
{
	unsigned int victim = draw(nr_files), i, n;

	for (i = 0; i < nr_files; i++) {
		struct fuzz_file copy = fuzz_copy(&seeds[i]);

		for (n = i == victim ? 1 + draw(3) : 0; n && copy.len; n--)
			damage(&copy);
		fuzz_write(&copy, case_dir);
	}
}

/* The reader of streams refuses clocks that go back. */
static int check_sorted(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct ovni_stream s;
	int ret;

	(void)st;
	if (type != FTW_F || strcmp(path + ftw->base, OVNI_STREAM_OBS))
		return 0;
	ret = ovni_stream_open(&s, path, 0);
	while (!ret && (ret = ovni_stream_next(&s)) > 0)
		ret = 0;
	ovni_stream_close(&s);
	return ret < 0;
}

/* Of an earlier case there may be a trace, if nothing was touched. */
static bool run_case(u64 number, const char *cap, const char *out, const char *trace,
		     u64 *merged)
{
	struct source source = { .kind = NULL };
	struct outputs outs;
	const struct decode_options opt = {
		.capture = cap, .out = out, .outputs = &outs, .source = &source,
	};
	enum decode_status status;
	struct stat st;
	bool good;

	if (ftruncate(STDERR_FILENO, 0))
		die("ftruncate");
	if (outputs_init(&outs, output_table) || source_add(&source, case_dir))
		die("outputs_init");
	outputs_find(&outs, "ovni")->wanted = true;
	outputs_find(&outs, "prv")->wanted = draw(2);
	alarm(SECONDS_A_CASE);
	status = decode_run(&opt);
	outputs_destroy(&outs);
	alarm(0);
	fflush(stderr);
	if (status == DECODE_OK)
		good = !nftw(trace, check_sorted, 8, FTW_PHYS);
	else
		good = status == DECODE_FAILED && !fstat(STDERR_FILENO, &st) && st.st_size;
	*merged += status == DECODE_OK;
	if (!good)
		printf("# case %llu: status %d\n", number, status);
	return good;
}

int main(int argc, char **argv)
{
	char app[4096], out[4096], log[4096], trace[5000];
	u64 i, cases, merged = 0, bad = 0;

	if (argc < 6)
		return 2;
	cases = strtoull(argv[4], NULL, 0);
	snprintf(app, sizeof(app), "%s/app", argv[3]);
	snprintf(out, sizeof(out), "%s/out", argv[3]);
	snprintf(log, sizeof(log), "%s/log", argv[3]);
	snprintf(trace, sizeof(trace), "%s/ovni", out);
	case_dir = app;
	prefix = strlen(argv[2]);
	if (nftw(argv[2], read_seed, 8, FTW_PHYS) || !nr_files)
		die(argv[2]);
	if (!freopen(log, "a", stderr))
		die(log);
	for (i = 0; i < cases && !bad; i++) {
		fuzz_begin(argv[5], i);
		write_case();
		bad += !run_case(i, argv[1], out, trace, &merged);
	}
	printf("# %llu of %llu were merged\n", merged, i);
	return bad > 0;
}
