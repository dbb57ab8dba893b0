/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_WRITER_H
#define OVNIK_OUTPUT_OVNI_WRITER_H

#include "output/ovni/translate.h"

struct json_object;

#define OVNI_LOOM_MAX		160	/* bytes of the name of our looms */
#define OVNI_WRITER_FDS		256
#define OVNI_WRITER_BYTES	(64U << 20)	/* in all buffers */
#define OVNI_WRITER_CHUNK	(64U << 10)	/* of one stream, then it is written out */

/**
 * struct ovni_stream_out - One stream that is being written.
 * @buf: bytes not written out yet
 * @len: bytes of it
 * @room: bytes allocated
 * @fd: index in the writer's open files, -1 if it is not open
 * @created: its directory and file are there
 * @described: so are its metadata
 */
struct ovni_stream_out {
	u8 *buf;
	u32 len;
	u32 room;
	s32 fd;
	bool created;
	bool described;
};

/**
 * struct ovni_open_file - A stream that is open.
 * @fd: file descriptor
 * @stream: which one
 */
struct ovni_open_file {
	int fd;
	u32 stream;
};

#define OVNI_BEGIN_BYTES	32	/* at most, at the beginning of a stream */

/**
 * struct ovni_joined - Another trace, merged into the one that is written.
 * @name: what it is, for messages
 * @first: clock of its first event
 * @app_id: per process of the inventory
 * @rank: per process, -1: none
 * @nranks: per process
 * @can_breakdown: our threads can have the metadata that nosv needs of every thread
 * @describe: sets @root to the metadata of a thread that has its own and returns 1, or 0
 *	for the others, or a negative errno (reported)
 * @finish: after the pass: passes its remaining events to the hooks
 * @write_rest: after @finish, before any metadata: writes its streams that do not belong
 *	to threads of the inventory below the trace's directory @out; @begin is the clock of
 *	the first event of all
 * @data: for the functions
 */
struct ovni_joined {
	const char *name;
	u64 first;
	u32 *app_id;
	s32 *rank;
	s32 *nranks;
	bool can_breakdown;
	int (*describe)(void *data, u32 thread, const char *loom, struct json_object **root);
	int (*finish)(void *data);
	int (*write_rest)(void *data, const char *out, const char *loom, u64 begin);
	void *data;
};

/**
 * struct ovni_writer - Writer of a trace in ovni's format, version 3.
 * @translate: where the events come from
 * @inventory: inventory of the capture's tasks
 * @world: for the numbers of the CPUs
 * @joined: gives applications and ranks; NULL: processes are counted
 * @apps: from the number after this one
 * @path: directory of the loom, for messages
 * @loom: name of the loom
 * @dir: file descriptor of the loom's directory
 * @streams: per thread of the inventory, then per CPU
 * @nr_streams: length of @streams
 * @files: streams that are open
 * @nr_files: length of @files
 * @next_file: which of them is closed next
 * @buffered: bytes allocated for buffers
 * @next_dropped: whose buffer is written and freed next when they are too large
 * @has_thread: the stream of a thread was created
 * @began: an event was written
 * @first_clock: clock of the first event of all
 * @meta: metadata of the last thread described, to be changed for the next; NULL: none
 * @meta_shape: which optional members it has
 * @error: negative errno of the first thing that failed (reported)
 * @bytes: written to streams
 */
struct ovni_writer {
	struct ovni_translate *translate;
	const struct inventory *inventory;
	const struct world *world;
	const struct ovni_joined *joined;
	u32 apps;
	char *path;
	const char *loom;
	int dir;
	struct ovni_stream_out *streams;
	u32 nr_streams;
	struct ovni_open_file files[OVNI_WRITER_FDS];
	unsigned int nr_files;
	unsigned int next_file;
	u64 buffered;
	u32 next_dropped;
	bool has_thread;
	bool began;
	u64 first_clock;
	struct json_object *meta;
	u32 meta_shape;
	int error;
	u64 bytes;
};

/**
 * ovni_writer_is_cpu() - Is it the stream of a CPU?
 * @wr: the writer
 * @stream: which one
 *
 * Context: Any.
 * Return: true; false: that of a thread.
 */
static inline bool ovni_writer_is_cpu(const struct ovni_writer *wr, u32 stream)
{
	return stream >= wr->inventory->nr_threads;
}

/**
 * ovni_writer_attach() - Write a translation's events as an ovni trace.
 * @wr: is set; call ovni_writer_close() in any case
 * @t: the translation
 * @w: its world
 * @path: directory of the loom, for messages
 * @dir: file descriptor of it; it must be empty, and stays open
 * @loom: name of the loom; must outlive @wr
 * @apps: number of the last application of other looms
 *
 * One thread, whose metadata list the CPUs, gets them in ovni_writer_finish() only, so that an
 * interrupted trace is not taken for a complete one.
 *
 * Context: Before world_begin().
 * Return: 0; -ENOMEM.
 */
int ovni_writer_attach(struct ovni_writer *wr, struct ovni_translate *t, const struct world *w,
		       const char *path, int dir, const char *loom, u32 apps) __must_check;

/**
 * ovni_writer_begin() - Make the beginning of a stream.
 * @to: OVNI_BEGIN_BYTES
 * @since: clock of the first event of the trace
 * @clock: clock of the stream's own
 *
 * The header. Upstream refuses a stream whose first event comes an hour after those of
 * the others, so a late stream has two dummy events after it.
 *
 * Context: Any.
 * Return: how many bytes.
 */
u32 ovni_writer_begin(u8 *to, u64 since, u64 clock);

/**
 * ovni_writer_finish() - Write out everything, then the metadata that are not there yet.
 * @wr: after world_end()
 *
 * Context: Any.
 * Return: 0; the error of writing (reported).
 */
int ovni_writer_finish(struct ovni_writer *wr) __must_check;

/**
 * ovni_writer_close() - Free a writer.
 * @wr: as ovni_writer_attach() left it, or zeroed
 *
 * Context: Any.
 */
void ovni_writer_close(struct ovni_writer *wr);

/**
 * ovni_loom_name() - Make a loom's name from a host's.
 * @to: is set
 * @size: bytes at @to
 * @host: any text
 *
 * Context: Any.
 */
void ovni_loom_name(char *to, size_t size, const char *host);

#endif /* OVNIK_OUTPUT_OVNI_WRITER_H */
