// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture, to every output, the report, the tracers and the database.
 *
 * The input has meta.json and cpuN.ovk. Its options choose the outputs and how they are
 * written. An output must be whole or not there, and an XRay log must be readable.
 */
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "edit.h"
#include "heap.h"
#include "memfs.h"
#include "target.h"
#include "xray/log.h"

#define CAPTURE	MEMFS_ROOT "/capture"
#define OUT	MEMFS_ROOT "/out"

enum choice { OUTPUTS, DETAILS, TRACERS, TRACERS2, REPORT, DISK };

static const char *const tracers[] = {
	"busy,kind=run|call,min=2us", "total,tree=1001", "average,from=10us,what=r*",
	"tags,max=1ms", "concurrency,where=*run", "top,by=what,rows=3", "top,by=tid",
	"unfinished,rows=2", "chain,tid=1001,steps=3", "total", "top,by=where",
	"chain,tid=100,steps=9", "busy",
};

static void add_tracers(struct outputs *outs, const u8 *opt)
{
	unsigned int chosen = opt[TRACERS] | opt[TRACERS2] << 8, i;

	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		if (chosen & 1U << i)
			target_set(outs, "tracers", "tracer", tracers[i]);
	}
	if (chosen & 1U << 15)
		target_set(outs, "tracers", "tracer", "database,file=" MEMFS_ROOT "/db");
	if (chosen & 1U << 14)
		target_set(outs, "tracers", "tracer", "csv,file=" MEMFS_ROOT "/csv");
	if (chosen & 1U << 13)
		target_set(outs, "tracers", "tracer", "jsonl,file=" MEMFS_ROOT "/jsonl");
	if (opt[DETAILS] & 0x80 && chosen)
		target_set(outs, "tracers", "json", NULL);
}

static void add_details(struct outputs *outs, const u8 *opt)
{
	target_set(outs, "xray", "xray-version", opt[DETAILS] & 1 ? "5" : "1");
	if (opt[DETAILS] & 8)
		target_set(outs, "xray", "xray-split", "process");
	if (opt[DETAILS] & 16)
		target_set(outs, "laplace", "laplace-split", "cpu");
	if (opt[DETAILS] & 32)
		target_set(outs, "prv", "gzip", NULL);
}

static void add_report(struct outputs *outs, const u8 *opt)
{
	char rows[8];

	snprintf(rows, sizeof(rows), "%u", 1 + opt[REPORT] / 2 % 16);
	target_set(outs, "report", "top", rows);
	if (opt[REPORT] & 1)
		target_set(outs, "report", "json", NULL);
	outputs_find(outs, "report")->wanted = true;
}

/* The first six bits: outputs with files. The command is alone. */
static bool add_outputs(struct outputs *outs, const u8 *opt)
{
	unsigned int i, bit = 0;
	bool files = false;

	must(!outputs_init(outs, output_table), "there is memory");
	for (i = 0; i < outs->nr; i++) {
		if (!(outs->uses[i].output->flags & OUTPUT_FILES))
			continue;
		outs->uses[i].wanted = opt[OUTPUTS] & 1U << bit++;
		files |= outs->uses[i].wanted;
	}
	if (!files && !opt[TRACERS] && !opt[TRACERS2]) {
		add_report(outs, opt);
		return false;
	}
	add_details(outs, opt);
	add_tracers(outs, opt);
	return files;
}

/* What failed leaves no output. */
static void none_left(const char *path, bool is_dir)
{
	must(is_dir, path);
}

/* Our own reader has the right to find nothing wrong. */
static void check_log(const char *path, bool is_dir)
{
	size_t len = strlen(path);
	struct xray_cursor c;
	struct xray_log log;
	u32 i;
	int ret;

	if (is_dir || len < 4 || strcmp(path + len - 4, ".fdr"))
		return;
	ret = xray_log_open(&log, path);
	must(!ret && !log.breaks, "a log that was written is sound");
	for (i = 0; i < log.nr_threads; i++) {
		ret = xray_cursor_open(&c, &log, i);
		while (!ret && (ret = xray_cursor_next(&c)) > 0)
			ret = 0;
		must(!ret, "a log that was written can be read");
		xray_cursor_close(&c);
	}
	xray_log_close(&log);
}

static void check(enum decode_status status, bool files)
{
	must(status != DECODE_USAGE && status <= DECODE_LOST, "the status is documented");
	/* A command says what is missing in its answer. */
	must_say(status == DECODE_FAILED);
	if (status == DECODE_FAILED)
		memfs_each(OUT, none_left);
	else if (files)
		memfs_each(OUT, check_log);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	u8 opt[PACK_OPTIONS] = { 0 };
	enum decode_status status;
	struct outputs outs;
	bool files;

	memcpy(opt, data, len < sizeof(opt) ? len : sizeof(opt));
	memfs_reset();
	pack_mount(data, len, CAPTURE);
	if (opt[DISK] & 1)
		memfs_limit((len | 1) + (256ULL << opt[DISK] / 2 % 16));
	files = add_outputs(&outs, opt);
	status = decode_run(&(struct decode_options){
		.capture = CAPTURE, .out = files ? OUT : NULL, .outputs = &outs,
	});
	outputs_destroy(&outs);
	check(status, files);
	heap_check();
	return 0;
}

static bool is_ovk(const struct part *part)
{
	return strstr(part->name, ".ovk");
}

static struct part *find(struct pack *pack, bool ovk)
{
	unsigned int i, from = draw(pack->nr);

	for (i = 0; i < pack->nr; i++) {
		struct part *part = &pack->parts[(from + i) % pack->nr];

		if (is_ovk(part) == ovk)
			return part;
	}
	return NULL;
}

/* A description and the records that it is of are changed together. */
static void edit_event(struct part *meta, struct part *file)
{
	unsigned int type = edit_some_type(file);
	u32 n;

	for (n = 1 + draw(3); n; n--)
		edit_description(meta, type);
	for (n = 1 + draw(3); n; n--)
		edit_record_of(file, type);
}

static void edit(struct pack *pack)
{
	struct part *file = find(pack, true), *meta = find(pack, false);
	u32 n = 1 + draw(4);

	if (file && meta && !draw(4)) {
		edit_event(meta, file);
		n = 0;
	}
	while (n--) {
		u32 what = draw(8);

		if (meta && what == 0)
			edit_json(meta);
		else if (meta && what < 3)
			edit_description(meta, 0);
		else if (file)
			edit_capture(file, find(pack, true));
	}
	if (file && draw(32))
		edit_capture_mend(file);
}

/* One output is faster than all, and mostly as good. */
static void choose(u8 *opt)
{
	u32 one = draw(4);

	if (one)
		memset(opt, 0, PACK_OPTIONS);
	if (one < 3)
		opt[OUTPUTS] = 1U << draw(6);
	else
		opt[TRACERS + draw(2)] = 1U << draw(8);
	opt[DETAILS] = draw(256);
	opt[REPORT] = draw(256);
	opt[DISK] = draw(16) ? 0 : draw(256);
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t len, size_t room, unsigned int seed)
{
	static const struct target_edit edits[] = { { NULL, NULL } };
	struct pack *pack = pack_read(data, len);

	draw_seed(seed);
	if (!pack->nr)
		return target_mutate(edits, data, len, room, seed);
	if (!draw(64))
		return target_mutate(edits, data, len, room, seed);
	if (draw(12))
		edit(pack);
	else
		choose(pack->opt);
	return pack_write(pack, data, room);
}

/* The files of one with some of the other's. */
size_t LLVMFuzzerCustomCrossOver(const u8 *a, size_t len_a, const u8 *b, size_t len_b, u8 *to,
				 size_t room, unsigned int seed)
{
	struct pack *pack = pack_read(a, len_a);
	static struct pack other;
	unsigned int i;

	draw_seed(seed);
	pack_read_into(&other, b, len_b);
	for (i = 0; i < pack->nr && i < other.nr; i++) {
		if (draw(2))
			edit_replace(&pack->parts[i], 0, pack->parts[i].len, other.parts[i].data,
				     other.parts[i].len);
	}
	if (draw(2))
		memcpy(pack->opt, other.opt, sizeof(pack->opt));
	return pack_write(pack, to, room);
}
