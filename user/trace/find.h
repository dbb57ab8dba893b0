/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_FIND_H
#define OVNIK_TRACE_FIND_H

#include "util/types.h"

/**
 * struct ovni_paths - Streams of a trace.
 * @path: directories relative to the trace, in byte order
 * @n: how many
 */
struct ovni_paths {
	char **path;
	u32 n;
};

/**
 * ovni_find_streams() - Find the directories that hold streams.
 * @threads: set to those with a stream.json
 * @cpus: set to those with a cpu.json
 * @dir: trace directory
 *
 * Symbolic links are followed, but no directory is visited twice.
 *
 * Return: 0, -ENOENT without any stream.json, or another negative errno; reported on stderr.
 */
int __must_check ovni_find_streams(struct ovni_paths *threads, struct ovni_paths *cpus,
				   const char *dir);

/**
 * ovni_paths_free() - Free what was found.
 * @paths: streams
 */
void ovni_paths_free(struct ovni_paths *paths);

#endif /* OVNIK_TRACE_FIND_H */
