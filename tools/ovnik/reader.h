/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_READER_H
#define OVNIK_TOOL_READER_H

#include <pthread.h>

#include "util/types.h"

#include "ovnik.h"

struct reader;

/* The file of the statedump, where it has one of its own. */
#define DUMP_FILE	"dump.ovk"

#define READER_NAME	32	/* bytes of the name of a file */

/**
 * struct source - Functions that read the sub-buffers of a back end.
 * @dump_apart: in overwrite mode the statedump is not in the rings of the CPUs: a reader
 *	      with @dump set reads it
 * @open:     open the ring of reader->cpu
 * @map:      map the ring, for @next
 * @close:    undo @open and @map, also after a failure
 * @next:     return the oldest complete sub-buffer, or NULL; may set an error
 * @release:  give back what @next returned
 * @wait:     wait a short time for data; false if no capture runs
 * @has_data: is there a sub-buffer to copy?
 * @copy:     take the oldest sub-buffer, also in overwrite mode; the ring need not be
 *	      mapped; returns 1, 0 at the end, or a negative errno
 */
struct source {
	bool dump_apart;
	int (*open)(struct reader *reader);
	int (*map)(struct reader *reader);
	void (*close)(struct reader *reader);
	const struct ovnik_subbuf *(*next)(struct reader *reader, int *error);
	void (*release)(struct reader *reader);
	bool (*wait)(struct reader *reader);
	bool (*has_data)(const struct reader *reader);
	int (*copy)(struct reader *reader, struct ovnik_subbuf *sb);
};

/**
 * struct reader - Copies the sub-buffers of one CPU into its file.
 * @source:  functions of the back end
 * @cpu:     the CPU; a number that no CPU has, if @dump
 * @dump:    not of a CPU, but of the statedump
 * @path:    path of the file
 * @in:	     file descriptor of the module's data file, or of the BPF ring
 * @out:     file descriptor of the file in the capture directory
 * @control: page shared with the module, in discard mode
 * @data:    the mapped sub-buffers
 * @size:    bytes of @data
 * @copy:    converted sub-buffer (bpf)
 * @next:    number of the next sub-buffer to copy in overwrite mode (bpf)
 * @end:     number of the sub-buffer before which to stop copying
 * @begun:   copying has begun and @end is set
 * @overwritten: by event: recorded, but no longer in the ring (bpf)
 * @late:    by event: lost since the last sub-buffer that was copied was opened (bpf)
 * @thread:  the thread that runs reader_main()
 * @running: the thread was started
 * @started: the capture has been started
 * @stop:    the capture has stopped: read the rest and end
 * @ended:   eventfd with which the thread ends the recording
 * @session: number of the capture; 0: take it from the first sub-buffer
 * @error:   negative errno of the first failure, or 0
 * @first:   number of the first sub-buffer written to @out
 * @subbufs: sub-buffers written to @out
 * @bytes:   bytes written to @out
 * @count:   by event: records written to @out
 * @lost:    by event: lost[] of the last sub-buffer written
 * @last:    its number
 * @dropped: lost between sub-buffers whose numbers follow: not overwritten
 */
struct reader {
	const struct source *source;
	unsigned int cpu;
	bool dump;
	char *path;
	int in;
	int out;
	volatile struct ovnik_control *control;
	const void *data;
	size_t size;
	struct ovnik_subbuf *copy;
	u64 next;
	u64 end;
	bool begun;
	u64 overwritten[OVNIK_NR_EVENTS];
	u64 late[OVNIK_NR_EVENTS];
	pthread_t thread;
	bool running;
	bool started;
	bool stop;
	int ended;
	u64 session;
	int error;
	u64 first;
	u64 subbufs;
	u64 bytes;
	u64 count[OVNIK_NR_EVENTS];
	u64 lost[OVNIK_NR_EVENTS];
	u64 last;
	u64 dropped;
};

int reader_open(struct reader *reader, unsigned int cpu, bool dump);
const char *reader_file(const struct reader *reader, char name[READER_NAME]);
int reader_create(struct reader *reader, const char *dir, int dir_fd);
void reader_close(struct reader *reader);
int reader_map(struct reader *reader);
int reader_start(struct reader *reader, int ended);
void reader_finish(struct reader *reader);
bool reader_has_data(const struct reader *reader);
int reader_copy_all(struct reader *reader);

#endif /* OVNIK_TOOL_READER_H */
