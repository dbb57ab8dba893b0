/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_PRV_PRV_H
#define OVNIK_OUTPUT_PRV_PRV_H

#include "emu/emu.h"
#include "output/ovni/translate.h"

/**
 * struct prv_sink - The channel emulator, fed with a translation's events.
 * @emu: the emulator
 * @threads: its threads, per thread of the census
 * @cpus: its CPUs, per CPU of the world
 */
struct prv_sink {
	struct emu *emu;
	struct emu_thread **threads;
	struct emu_cpu **cpus;
};

/**
 * prv_sink_attach() - Emulate a translation's events.
 * @sink: is set; call prv_sink_close() in any case
 * @t: the translation
 * @w: its world
 * @activities: those that may occur, a bit for each enum ovni_activity
 * @loom: name of the loom
 * @out: directory for the PRV, PCF and ROW files
 * @compress: these are compressed
 *
 * Context: Before world_begin().
 * Return: 0; a negative errno (told).
 */
int prv_sink_attach(struct prv_sink *sink, struct ovni_translate *t, const struct world *w,
		    u32 activities, const char *loom, const char *out,
		    bool compress) __must_check;

/**
 * prv_sink_finish() - Write what is left.
 * @sink: after world_end()
 *
 * Context: Any.
 * Return: 0; a negative errno (told).
 */
int prv_sink_finish(struct prv_sink *sink) __must_check;

/**
 * prv_sink_close() - Free the emulator.
 * @sink: as prv_sink_attach() left it, or zeroed
 *
 * Context: Any.
 */
void prv_sink_close(struct prv_sink *sink);

/**
 * prv_draw() - Emulate a trace that was written with something joined.
 * @trace: directory of the trace
 * @name: what was joined, for messages
 * @out: directory for the PRV, PCF and ROW files
 * @compress: these are compressed
 *
 * Context: Any.
 * Return: 0; a negative errno (told).
 */
int prv_draw(const char *trace, const char *name, const char *out, bool compress) __must_check;

#endif /* OVNIK_OUTPUT_PRV_PRV_H */
