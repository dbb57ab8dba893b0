/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_ASSEMBLE_H
#define OVNIK_OUTPUT_XRAY_ASSEMBLE_H

#include "capture/capture.h"
#include "output/xray/writer.h"

/*
 * Writes the logs from the kept records of each thread. If two threads of a process had the same
 * number, one after the other, they are one thread in the log, because llvm-xray identifies
 * threads by number.
 *
 * llvm-xray sorts the buffers of a thread wrongly if there are more than 16, and "account" rejects
 * records that are older than the first record of the thread it reads first. So in version 5,
 * where buffers may have any size, a thread has one buffer; in version 1, where all buffers have
 * the same size, at most 16. Each thread begins with a custom event at the TSC at which the
 * capture begins.
 */

#define ASSEMBLE_BUFFERS_MAX	16
#define ASSEMBLE_FIRST_EVENT	"capture begins  "	/* a multiple of 8 */

/**
 * assemble_logs() - Write the logs.
 * @x: the writer; its threads are sorted
 * @cap: the capture
 * @split: write a log for each process, xray.pidN.fdr, instead of one, xray.fdr
 *
 * Context: Any.
 * Return: 0; the error of writing (reported).
 */
int assemble_logs(struct xray_writer *x, struct capture *cap, bool split) __must_check;

#endif /* OVNIK_OUTPUT_XRAY_ASSEMBLE_H */
