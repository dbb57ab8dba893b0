/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_READER_H
#define OVNIK_TOOL_READER_H

#include <pthread.h>

#include "util/types.h"

#include "ovnik.h"

struct reader;

/**
 * struct source - Where sub-buffers come from.
 * @open:     the ring of reader->cpu
 * @map:      it, for @next
 * @close:    undo @open and @map, also after a failure
 * @next:     the oldest sub-buffer that is complete, or NULL; may set an error
 * @release:  give back what @next returned
 * @wait:     for data, but not for long; false if no capture runs
 * @has_data: is there a sub-buffer to be copied?
 * @copy:     take the oldest sub-buffer of a ring that need not be mapped, also in
 *	      overwrite mode; 1, 0 at the end, or a negative errno
 */
struct source {
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
 * struct reader - Brings the sub-buffers of one CPU into its file.
 * @source:  of the back end
 * @cpu:     the CPU
 * @path:    of the file
 * @in:	     data file of the module, or map of a ring
 * @out:     file in the capture directory
 * @control: page shared with the module, in discard mode
 * @data:    map of the sub-buffers
 * @size:    bytes of @data
 * @copy:    sub-buffer made of what the probes wrote (bpf)
 * @next:    number of the sub-buffer to be copied next, in overwrite mode (bpf)
 * @end:     number of the sub-buffer before which to stop copying
 * @begun:   that is set: copying has begun
 * @overwritten: per event: recorded, but not in the ring any more (bpf)
 * @thread:  runs reader_main()
 * @running: the thread was started
 * @started: the capture has been started
 * @stop:    the capture has stopped: bring what is left and end
 * @ended:   eventfd by which the thread ends the recording
 * @session: number of the capture; 0: that of the first sub-buffer
 * @error:   why it ended early or never began, negative errno; 0 if it did not
 * @first:   number of the first sub-buffer written to @out
 * @subbufs: written to @out
 * @bytes:   written to @out
 * @count:   per event: records written to @out
 * @lost:    per event: lost[] of the last sub-buffer written
 */
struct reader {
	const struct source *source;
	unsigned int cpu;
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
};

int reader_open(struct reader *reader, unsigned int cpu);
int reader_create(struct reader *reader, const char *dir, int dir_fd);
void reader_close(struct reader *reader);
int reader_map(struct reader *reader);
int reader_start(struct reader *reader, int ended);
void reader_finish(struct reader *reader);
bool reader_has_data(const struct reader *reader);
int reader_copy_all(struct reader *reader);

#endif /* OVNIK_TOOL_READER_H */
