// SPDX-License-Identifier: GPL-2.0-only
/* An ovni trace, to the emulator and its timelines. The input is the trace's directory. */
#include <string.h>

#include "edit.h"
#include "emu/emu.h"
#include "heap.h"
#include "kept.h"
#include "memfs.h"
#include "target.h"
#include "util/msg.h"

#define TRACE	MEMFS_ROOT "/trace"
#define OUT	MEMFS_ROOT "/out"

static void set_options(struct emu *emu, u8 opt)
{
	if (opt & 1)
		emu_require_all(emu);
	if (opt & 2)
		emu_options(emu, EMU_SHOW_ERRORS);
	if (opt & 4)
		emu_options(emu, EMU_BREAKDOWN);
	if (opt & 8)
		emu_options(emu, EMU_LINT);
	if (opt & 16)
		emu_options(emu, EMU_STRICT);
	if (opt & 32)
		emu_options(emu, EMU_COMPRESS);
	kept_views = opt & 64;
}

static bool emulate(u8 opt)
{
	struct emu *emu = emu_create();
	const char *dir = TRACE;
	struct emu_trace *tr;
	bool good = false;

	must(emu, "there is memory");
	set_options(emu, opt);
	must(!mkdir(OUT, 0777), "there is a directory for the outputs");
	tr = emu_trace_open(emu, &dir, 1, NULL);
	if (tr && emu_freeze(emu, OUT)) {
		msg_error("%s", emu_reason(emu));
	} else if (tr) {
		good = !emu_trace_play(tr);
		if (emu_finish(emu) && good) {
			msg_error("%s", emu_reason(emu));
			good = false;
		}
	}
	emu_trace_close(tr);
	emu_destroy(emu);
	return good;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	bool good;

	memfs_reset();
	pack_mount(data, len, TRACE);
	good = emulate(len ? data[0] : 0);
	must_say(!good);
	heap_check();
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t len, size_t room, unsigned int seed)
{
	static const struct target_edit edits[] = {
		{ ".json", edit_json }, { "stream.obs", edit_stream },
		{ "cpu.events", edit_stream }, { NULL, NULL },
	};

	return target_mutate(edits, data, len, room, seed);
}
