/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_ASSEMBLE_H
#define OVNIK_OUTPUT_XRAY_ASSEMBLE_H

#include "capture/capture.h"
#include "output/xray/writer.h"

/*
 * From what was kept of each thread to logs. Two lives of one number in one process are
 * one thread, for llvm-xray knows threads by number only.
 *
 * llvm-xray orders the buffers of a thread by a faulty comparison if there are more than
 * 16, and "account" refuses what comes before the first record of the thread that it
 * happens to look at first. So in version 5, where buffers may be of any size, a thread
 * has one buffer; in version 1, where all have the same size, at most 16; and each thread
 * begins with a custom event at the TSC at which the capture begins.
 */

#define ASSEMBLE_BUFFERS_MAX	16
#define ASSEMBLE_FIRST_EVENT	"capture begins  "	/* a multiple of 8 */

/**
 * assemble_logs() - Write the logs.
 * @x: the writer; its threads are put in order
 * @cap: the capture
 * @split: a log for each process: xray.pidN.fdr; else one: xray.fdr
 *
 * Context: Any.
 * Return: 0; what writing gave (reported).
 */
int assemble_logs(struct xray_writer *x, struct capture *cap, bool split) __must_check;

#endif /* OVNIK_OUTPUT_XRAY_ASSEMBLE_H */
