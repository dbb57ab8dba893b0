// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture with a trace of an application, or with XRay logs, to ovni and Paraver.
 *
 * The input has the capture in capture/, and a trace in app/ or logs NAME.fdr. A trace that
 * is written must be sorted.
 */
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "edit.h"
#include "heap.h"
#include "memfs.h"
#include "merge/source.h"
#include "target.h"
#include "trace/stream.h"

#define IN	MEMFS_ROOT "/in"
#define OUT	MEMFS_ROOT "/out"
#define LOGS	4

static char logs[LOGS][MEMFS_PATH_MAX];
static unsigned int nr_logs;

static bool ends(const char *text, const char *with)
{
	size_t a = strlen(text), b = strlen(with);

	return a >= b && !strcmp(text + a - b, with);
}

static void note_log(const char *path, bool is_dir)
{
	if (!is_dir && ends(path, ".fdr") && nr_logs < LOGS)
		strcpy(logs[nr_logs++], path);
}

/* The reader of streams refuses clocks that go back. */
static void check_sorted(const char *path, bool is_dir)
{
	struct ovni_stream s;
	int ret;

	if (is_dir || !ends(path, "/" OVNI_STREAM_OBS))
		return;
	ret = ovni_stream_open(&s, path, 0);
	while (!ret && (ret = ovni_stream_next(&s)) > 0)
		ret = 0;
	ovni_stream_close(&s);
	must(!ret, "a trace that was written can be read");
}

/* What failed leaves no output. */
static void none_left(const char *path, bool is_dir)
{
	must(is_dir, path);
}

static void add_sources(struct source *source)
{
	unsigned int i;

	nr_logs = 0;
	memfs_each(IN, note_log);
	if (!nr_logs)
		must(!source_add(source, IN "/app"), "there is memory");
	for (i = 0; i < nr_logs; i++)
		must(!source_add(source, logs[i]), "there is memory");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct source source = { .kind = NULL };
	enum decode_status status;
	struct outputs outs;

	memfs_reset();
	memfs_put_dir(IN);
	memfs_put_dir(IN "/app");
	pack_mount(data, len, IN);
	must(!outputs_init(&outs, output_table), "there is memory");
	outputs_find(&outs, "ovni")->wanted = true;
	outputs_find(&outs, "prv")->wanted = len && data[0] & 1;
	add_sources(&source);
	status = decode_run(&(struct decode_options){
		.capture = IN "/capture", .out = OUT, .outputs = &outs, .source = &source,
	});
	outputs_destroy(&outs);
	must_say(status != DECODE_OK);
	memfs_each(OUT, status == DECODE_FAILED ? none_left : check_sorted);
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
		{ "meta.json", edit_meta }, { ".json", edit_json },
		{ "stream.obs", edit_stream }, { "cpu.events", edit_stream }, { ".ovk", edit_ovk },
		{ ".fdr", edit_log }, { NULL, NULL },
	};

	return target_mutate(edits, data, len, room, seed);
}
