/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_READER_H
#define OVNIK_TOOL_READER_H

#include <pthread.h>

#include "util/types.h"

#include "ovnik.h"

/**
 * struct reader - Brings the sub-buffers of one CPU into its file.
 * @cpu:     the CPU
 * @path:    of the file
 * @in:	     data file of the module
 * @out:     file in the capture directory
 * @control: page shared with the module, in discard mode
 * @data:    map of the sub-buffers, in discard mode
 * @size:    bytes of @data
 * @thread:  runs reader_main()
 * @running: the thread was started
 * @started: the capture has been started
 * @stop:    the capture has stopped: bring what is left and end
 * @ended:   eventfd by which the thread ends the recording
 * @session: number of the capture
 * @error:   why it ended early or never began, negative errno; 0 if it did not
 * @first:   number of the first sub-buffer written to @out
 * @subbufs: written to @out
 * @bytes:   written to @out
 * @count:   per event: records written to @out
 * @lost:    per event: lost[] of the last sub-buffer written
 */
struct reader {
	unsigned int cpu;
	char *path;
	int in;
	int out;
	volatile struct ovnik_control *control;
	const void *data;
	size_t size;
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
