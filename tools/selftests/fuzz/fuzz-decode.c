// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-decode - decode damaged captures, in one process
 *
 *	fuzz-decode CAPTURE WORKDIR CASES SEED
 *
 * Each case is a copy of the capture with some bytes flipped, overwritten,
 * inserted, removed, moved or cut off. The decoder must come to an end with a
 * status that it documents, and must not call a sound-looking remainder a
 * failure. Crashes are the sanitizers' to find: WORKDIR/cap is the case then.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"
#include "util/msg.h"
#include "fuzzfile.h"

#define FILES_MAX	16

static struct fuzz_file seeds[FILES_MAX];
static unsigned int nr_files;
static FILE *said;

static void read_seeds(const char *dir)
{
	struct dirent *entry;
	DIR *d = opendir(dir);
	char path[8192];

	if (!d)
		die(dir);
	while ((entry = readdir(d)) && nr_files < FILES_MAX) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		fuzz_read(&seeds[nr_files++], path, entry->d_name);
	}
	closedir(d);
}

static const u64 values[] = {
	0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, ~0ULL,
	OVNIK_SUBBUF_MAGIC, 1ULL << 63, 0xfff8, 0x1000, 65536,
};

static void insert_twice(struct fuzz_file *f, size_t at, size_t n)
{
	f->data = realloc(f->data, f->len + n + 1);
	memmove(f->data + at + n, f->data + at, f->len - at);
	f->len += n;
}

static const struct fuzz_style style = {
	.values = values, .nr_values = ARRAY_SIZE(values), .cut = 4, .other = insert_twice,
};

/* Somewhere, but headers more often than they are large. */
static size_t place(const struct fuzz_file *f)
{
	size_t at = draw(f->len);
	u64 magic = OVNIK_SUBBUF_MAGIC;
	u8 *head;

	if (draw(2))
		return at;
	head = memmem(f->data + at, f->len - at, &magic, sizeof(magic));
	return head ? (size_t)(head - f->data) + draw(300) : at;
}

static void mutate(struct fuzz_file *f)
{
	size_t at = f->len ? place(f) : 0, n = 1 + draw(draw(4) ? 16 : 5000);

	if (at < f->len)
		fuzz_damage(f, &style, at, n);
}

static void make_case(const char *dir)
{
	unsigned int victim = draw(nr_files), i, n;

	for (i = 0; i < nr_files; i++) {
		struct fuzz_file copy = fuzz_copy(&seeds[i]);

		/* meta.json is one file, but not half of what there is. */
		n = i == victim || !draw(8) ? 1 + draw(6) : 0;
		while (n--)
			mutate(&copy);
		fuzz_write(&copy, dir);
	}
}

/* What was reported since the last case. */
static bool reported(const char *path, const char *text)
{
	char buf[65536];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		die(path);
	buf[n] = '\0';
	return strstr(buf, text);
}

static void set(struct outputs *outs, const char *name, const char *option, const char *arg)
{
	struct output_use *use = outputs_find(outs, name);
	const struct argp_option *o = use->output->options;

	while (o->name && strcmp(o->name, option))
		o++;
	if (!o->name || outputs_parse(use, o->key, arg, NULL))
		die(option);
}

/* Every third case; the outputs stay what they are by it. */
static void add_tracers(struct outputs *outs, const char *db)
{
	static const char *const specs[] = {
		"busy,kind=run|call,min=2us", "total,tree=1001", "average,from=10us,what=r*",
		"tags,max=1ms", "concurrency,where=*run", "top,by=what,rows=3", "top,by=tid",
		"unfinished,rows=2", "chain,tid=1001,steps=3",
	};
	char spec[4096 + 64];
	unsigned int i;

	if (draw(3))
		return;
	snprintf(spec, sizeof(spec), "database,file=%s", db);
	unlink(db);
	set(outs, "tracers", "tracer", spec);
	for (i = 0; i < ARRAY_SIZE(specs); i++)
		set(outs, "tracers", "tracer", specs[i]);
}

static void add_report(struct outputs *outs)
{
	char rows[8];

	snprintf(rows, sizeof(rows), "%u", 1 + (unsigned int)draw(10));
	set(outs, "report", "rows", rows);
	if (draw(2))
		set(outs, "report", "json", NULL);
	outputs_find(outs, "report")->wanted = !draw(3);
}

static void add_outputs(struct outputs *outs, const char *db)
{
	unsigned int i;

	if (outputs_init(outs, output_table))
		die("outputs_init");
	for (i = 0; i < outs->nr; i++)
		outs->uses[i].wanted = outs->uses[i].output->flags & OUTPUT_FILES;
	set(outs, "xray", "xray-version", draw(2) ? "5" : "1");
	if (!draw(4))
		set(outs, "xray", "xray-split", "process");
	if (!draw(4))
		set(outs, "laplace", "laplace-split", "cpu");
	add_tracers(outs, db);
	add_report(outs);
}

static bool run_case(u64 number, const char *cap, const char *out, const char *log)
{
	struct outputs outs;
	const struct decode_options opt = { .capture = cap, .out = out, .outputs = &outs };
	enum decode_status status;
	char db[4096 + 8];

	if (ftruncate(STDERR_FILENO, 0))
		die("ftruncate");
	snprintf(db, sizeof(db), "%s.db", out);
	add_outputs(&outs, db);
	alarm(SECONDS_A_CASE);
	status = decode_run(&opt);
	outputs_destroy(&outs);
	alarm(0);
	if (status == DECODE_OK || status == DECODE_DAMAGED || status == DECODE_LOST)
		return true;
	if (status == DECODE_FAILED &&
	    (reported(log, "format version") || reported(log, "not one record") ||
	     reported(log, "the capture's clock is") ||
	     reported(log, "the capture's page_size is")))
		return true;
	fprintf(said, "# case %llu: status %d\n", number, status);
	return false;
}

int main(int argc, char **argv)
{
	char cap[4096], out[4096], log[4096];
	u64 i, cases, bad = 0;

	if (argc < 5)
		return 2;
	cases = strtoull(argv[3], NULL, 0);
	snprintf(cap, sizeof(cap), "%s/cap", argv[2]);
	snprintf(out, sizeof(out), "%s/out", argv[2]);
	snprintf(log, sizeof(log), "%s/log", argv[2]);
	mkdir(cap, 0777);
	read_seeds(argv[1]);
	if (!freopen(log, "a", stderr))
		die(log);
	/* Answers of tracers go to stdout. */
	said = fdopen(dup(STDOUT_FILENO), "w");
	if (!said || !freopen("/dev/null", "w", stdout))
		die("stdout");
	for (i = 0; i < cases && !bad; i++) {
		fuzz_begin(argv[4], i);
		make_case(cap);
		bad += !run_case(i, cap, out, log);
	}
	fprintf(said, "# %llu cases\n", i);
	fclose(said);
	return bad > 0;
}
