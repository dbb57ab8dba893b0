// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture, to every output, the report, the tracers and the database.
 *
 * The input has meta.json, cpuN.ovk and dump.ovk. Its options choose one or two outputs, how they
 * are written, and a part of the capture. An output must be whole or not there, and an XRay log
 * must be readable.
 */
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "edit.h"
#include "heap.h"
#include "kept.h"
#include "memfs.h"
#include "target.h"
#include "xray/log.h"

#define CAPTURE	MEMFS_ROOT "/capture"
#define OUT	MEMFS_ROOT "/out"

enum choice { OUTPUT, DETAILS, TRACERS, TRACERS2, REPORT, DISK, NARROW, PICK };

static const char *const tracers[] = {
	"busy,kind=run|call,min=2us", "total,tree=1001", "average,from=10us,what=r*",
	"tags,max=1ms", "concurrency,where=*run", "top,by=what,rows=3", "top,by=tid",
	"unfinished,rows=2", "chain,tid=1001,steps=3", "total", "top,by=where",
	"chain,tid=100,steps=9", "busy",
};

/* One or two: all of them take several times as long, and do not know of each other. */
static void add_tracers(struct outputs *outs, const u8 *opt)
{
	u8 more = opt[TRACERS2];

	target_set(outs, "tracers", "tracer", tracers[opt[TRACERS] % ARRAY_SIZE(tracers)]);
	if (more & 16)
		target_set(outs, "tracers", "tracer", tracers[more % 16 % ARRAY_SIZE(tracers)]);
	if (more & 0x80)
		target_set(outs, "tracers", "tracer", "database,file=" MEMFS_ROOT "/db");
	if (more & 0x40)
		target_set(outs, "tracers", "tracer", "csv,file=" MEMFS_ROOT "/csv");
	if (more & 0x20)
		target_set(outs, "tracers", "tracer", "jsonl,file=" MEMFS_ROOT "/jsonl");
	if (opt[DETAILS] & 0x80)
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
	kept_views = (opt[DETAILS] & 0x46) == 0x46;
}

static void add_command(struct outputs *outs, const struct output_use *use, const u8 *opt)
{
	static const char *const bys[] = { "comm", "reason", "file", "cpu", "process", "thread" };
	const char *name = use->output->name;
	bool sides = use->output->flags & OUTPUT_SIDES;
	unsigned int by = opt[REPORT] / 32;
	char rows[8];

	snprintf(rows, sizeof(rows), "%u", 1 + opt[REPORT] / 2 % 16);
	target_set(outs, name, "rows", rows);
	if (opt[REPORT] & 1)
		target_set(outs, name, "json", NULL);
	/* Processes and threads of two captures are not the same ones. */
	if ((sides && by < 4) || (!strcmp(name, "top") && by < ARRAY_SIZE(bys)))
		target_set(outs, name, "by", bys[by]);
}

/* Return: whether it has files. */
static bool add_output(struct outputs *outs, struct output_use *use, const u8 *opt)
{
	if (!strcmp(use->output->name, "tracers"))
		add_tracers(outs, opt);
	else
		use->wanted = true;
	if (use->output->flags & OUTPUT_COMMAND && use->wanted)
		add_command(outs, use, opt);
	return use->output->flags & OUTPUT_FILES;
}

/* One of the table, seldom two with files: all of them take several times as long, find no more. */
static bool add_outputs(struct outputs *outs, const u8 *opt)
{
	unsigned int other = opt[OUTPUT] / 32, i;
	struct output_use *first, *second;
	bool files;

	must(!outputs_init(outs, output_table), "there is memory");
	for (i = 0; i < outs->nr; i++) {
		if (outs->uses[i].output->parse)
			outputs_parse(&outs->uses[i], ARGP_KEY_INIT, NULL, NULL);
	}
	first = &outs->uses[opt[OUTPUT] % 32 % outs->nr];
	second = &outs->uses[other % outs->nr];
	files = add_output(outs, first, opt);
	if (other && files && second != first && !(second->output->flags & OUTPUT_COMMAND))
		add_output(outs, second, opt);
	if (files)
		add_details(outs, opt);
	return files;
}

/* What the command line would have made of --from, --until, --pid, --tree and --comm. */
static void narrow(struct narrow_options *to, struct narrow_pick *pick, const u8 *opt)
{
	static const s64 times[] = { 0, 1, 20000, 30500, 100000, 260000, 5000000000, 1LL << 62 };
	static const u32 pids[] = { 100, 101, 1001, 1, 4194304 };

	to->from.origin = opt[NARROW] & 3;
	to->from.ns = times[opt[NARROW] / 4 % ARRAY_SIZE(times)];
	to->to.origin = opt[NARROW] / 32 & 3;
	to->to.ns = times[(opt[NARROW] / 4 + opt[PICK]) % ARRAY_SIZE(times)];
	/* Tables by number are walked to their end: slow, so they are rare. */
	if (opt[PICK] % 16 != 15)
		return;
	if (opt[PICK] & 0x80)
		pick->comm = "run";
	else
		pick->pid = pids[opt[NARROW] % ARRAY_SIZE(pids)];
	pick->tree = opt[PICK] & 0x40;
	to->picks = pick;
	to->nr_picks = 1;
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

/* Two sides are the same capture: the second time all of it. */
static enum decode_status decode(struct decode_options *run)
{
	enum decode_status status = decode_run(run);

	if (status != DECODE_FAILED && outputs_need(run->outputs, OUTPUT_SIDES)) {
		memset(&run->narrow, 0, sizeof(run->narrow));
		run->side = 1;
		status = decode_worse(status, decode_run(run));
	}
	if (outputs_compare(run->outputs, status == DECODE_FAILED))
		status = DECODE_FAILED;
	return status;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	u8 opt[PACK_OPTIONS] = { 0 };
	enum decode_status status;
	struct decode_options run = { .capture = CAPTURE };
	struct narrow_pick pick = { 0 };
	struct outputs outs;
	bool files;

	memcpy(opt, data, len < sizeof(opt) ? len : sizeof(opt));
	memfs_reset();
	pack_mount(data, len, CAPTURE);
	if (opt[DISK] & 1)
		memfs_limit((len | 1) + (256ULL << opt[DISK] / 2 % 16));
	files = add_outputs(&outs, opt);
	run.outputs = &outs;
	run.out = files ? OUT : NULL;
	narrow(&run.narrow, &pick, opt);
	status = decode(&run);
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

	switch (draw(4)) {
	case 0:
		n = edit_widen_event(meta, type);
		if (n)
			edit_widen_records(file, type, n);
		return;
	case 1:
		edit_field_twice(meta, type);
		break;
	default:
		for (n = 1 + draw(3); n; n--)
			edit_description(meta, type);
	}
	for (n = 1 + draw(3); n; n--)
		edit_record_of(file, type);
}

/* What is refused is new each time, so most inputs would have it: they test nothing else. */
static void make_valid(struct part *meta, const struct part *file)
{
	const u8 *text;
	size_t len;

	if (kept_is_valid(meta->data, meta->len))
		return;
	text = kept_valid(file->name, &len);
	if (text)
		edit_replace(meta, 0, meta->len, text, len);
}

/* A CPU's file becomes dump.ovk, in meta.json, too. */
static void make_statedump(struct pack *pack)
{
	struct part *file = find(pack, true), *meta = find(pack, false);
	size_t len = strlen(CAPTURE_DUMP_FILE);
	u8 *name;

	if (!file || !meta || pack->nr < 3 || strlen(file->name) != len)
		return;
	name = memmem(meta->data, meta->len, file->name, len);
	if (name)
		memcpy(name, CAPTURE_DUMP_FILE, len);
	strcpy(file->name, CAPTURE_DUMP_FILE);
	if (draw(4))
		edit_to_statedump(file);
}

static void edit(struct pack *pack)
{
	struct part *file = find(pack, true), *meta = find(pack, false);
	u32 n = 1 + draw(4);

	if (file && meta && draw(8))
		make_valid(meta, file);
	if (!draw(64))
		make_statedump(pack);
	if (file && meta && !draw(4)) {
		edit_event(meta, file);
		n = 0;
	}
	while (n--) {
		u32 what = draw(16);

		if (meta && what == 0)
			edit_json(meta);
		else if (meta && what == 1)
			edit_description(meta, 0);
		else if (file)
			edit_capture(file, find(pack, true));
	}
	if (file && draw(32))
		edit_capture_mend(file);
}

static void choose(u8 *opt)
{
	opt[OUTPUT] = draw(draw(8) ? 32 : 256);
	opt[DETAILS] = draw(256);
	opt[REPORT] = draw(256);
	opt[TRACERS] = draw(256);
	opt[TRACERS2] = draw(2) ? draw(256) : 0;
	opt[DISK] = draw(16) ? 0 : draw(256);
	opt[NARROW] = draw(4) ? 0 : draw(256);
	opt[PICK] = draw(8) ? 0 : draw(256);
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
