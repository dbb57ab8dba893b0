/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_META_H
#define OVNIK_EMU_META_H

#include "util/types.h"

struct emu;
struct emu_cpu;
struct emu_loom;
struct emu_thread;
struct json_object;

/**
 * struct emu_meta - Contents of stream.json or cpu.json.
 * @path: file name, for messages
 * @trace: directory of its trace
 * @apps: applications of the traces before this one: their numbers go on
 * @thread: owner of the stream, NULL for another part
 * @cpu: owner of the stream if it is a CPU's, else NULL
 * @loom: its loom
 * @mark: declarations of user marks or NULL
 */
struct emu_meta {
	char *path;
	const char *trace;
	s32 apps;
	struct emu_thread *thread;
	struct emu_cpu *cpu;
	struct emu_loom *loom;
	struct json_object *mark;
};

/**
 * emu_meta_load() - Read a stream.json and add what it describes.
 * @emu: emulator, not frozen
 * @meta: to fill in; @path, @trace and @apps are set
 * @unknown: object with the unknown models already warned about
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check emu_meta_load(struct emu *emu, struct emu_meta *meta,
			       struct json_object *unknown);

/**
 * emu_meta_load_cpu() - Read a cpu.json.
 * @emu: emulator, to which everything was added
 * @meta: to fill in; @path is set
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check emu_meta_load_cpu(struct emu *emu, struct emu_meta *meta);

/**
 * emu_meta_marks() - Declare the user marks of a stream.
 * @emu: emulator, not frozen
 * @meta: loaded metadata
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check emu_meta_marks(struct emu *emu, const struct emu_meta *meta);

/**
 * emu_meta_free() - Free what was loaded.
 * @meta: metadata
 */
void emu_meta_free(struct emu_meta *meta);

#endif /* OVNIK_EMU_META_H */
