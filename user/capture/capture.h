/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_CAPTURE_H
#define OVNIK_CAPTURE_CAPTURE_H

#include <ovnik.h>

#include "capture/clock.h"
#include "capture/meta.h"
#include "capture/subbuf.h"
#include "util/types.h"

/**
 * enum gap_cause - Why records are missing.
 * @GAP_LOST: the kernel had no room for them
 * @GAP_DAMAGED: bytes in the file have changed since they were written
 * @GAP_MISSING: sub-buffers or the end of the file are not there
 * @GAP_OVERWRITTEN: newer ones replaced them, as overwrite mode intends
 */
enum gap_cause {
	GAP_LOST	= 1 << 0,
	GAP_DAMAGED	= 1 << 1,
	GAP_MISSING	= 1 << 2,
	GAP_OVERWRITTEN	= 1 << 3,
};

#define GAP_CAUSES_TEXT	48	/* bytes that capture_gap_causes() may write */

/**
 * struct capture_gap - An interval of a CPU's time in which records are missing.
 * @cpu: the CPU; the first one, if the gap is in the statedump
 * @dump: it is in dump.ovk: of no CPU
 * @from: TSC of the last known moment before it
 * @to: TSC of the first known moment after it
 * @causes: enum gap_cause
 * @exact: @lost is complete; otherwise an unknown number more is missing
 * @lost: per event, by our number
 * @other: records of unknown events
 */
struct capture_gap {
	u32 cpu;
	bool dump;
	u64 from;
	u64 to;
	u32 causes;
	bool exact;
	u64 lost[OVNIK_NR_EVENTS];
	u64 other;
};

/**
 * enum item_kind - What a capture is read as.
 * @ITEM_RECORD: a record; data is struct ovnik_<event> in our layout
 * @ITEM_OPEN: a sub-buffer begins; data is struct ovnik_subbuf
 * @ITEM_GAP_BEGIN: records are missing from here; data is struct capture_gap
 * @ITEM_GAP_END: up to here; data is the same struct capture_gap
 * @ITEM_ELSEWHERE: a switch on a CPU that is left out; data is struct ovnik_sched_switch
 * @ITEM_SWITCHING: the first switch of all, if its tasks are left out; no data
 * @ITEM_END: nothing more on this CPU
 */
enum item_kind {
	ITEM_RECORD,
	ITEM_OPEN,
	ITEM_GAP_BEGIN,
	ITEM_GAP_END,
	ITEM_ELSEWHERE,
	ITEM_SWITCHING,
	ITEM_END,
};

/**
 * struct capture_item - One item read from a capture.
 * @tsc: when
 * @data: see enum item_kind; valid until the next item of this CPU
 * @cpu: index of the CPU in the capture's files
 * @kind: enum item_kind
 * @event: our number, of a record
 */
struct capture_item {
	u64 tsc;
	const void *data;
	u32 cpu;
	u8 kind;
	u8 event;
};

/**
 * struct capture_stats - What one pass over a capture found.
 * @records: per event, by our number
 * @unknown: records of unknown events
 * @lost: per event: missing in all gaps
 * @lost_other: the same for unknown events
 * @gaps: gaps
 * @causes: enum gap_cause of all gaps
 * @inexact: gaps in which more may be missing than is counted
 * @damages: damaged places in files
 * @subbufs: sub-buffers read
 */
struct capture_stats {
	u64 records[OVNIK_NR_EVENTS];
	u64 unknown;
	u64 lost[OVNIK_NR_EVENTS];
	u64 lost_other;
	u64 gaps;
	u32 causes;
	u64 inexact;
	u64 damages;
	u64 subbufs;
};

struct cursor;

#define CAPTURE_VAGUE	128

/**
 * struct capture - A capture directory, opened.
 * @dir: its path
 * @meta: its meta.json
 * @clock: TSC to ns, from every sub-buffer's header
 * @nr_files: length of @files
 * @nr_cpus: how many of them are of a CPU
 * @files: one per CPU, by CPU number; then the statedump, if it has one of its own
 * @session: session number in its sub-buffers
 * @began: CLOCK_REALTIME when the whole begins, ns; 0: not known
 * @begin: TSC of the earliest sub-buffer's beginning
 * @end: TSC of the latest sub-buffer's end; of the stop, if events were dropped after it
 * @has: a bit for each event of which the whole has records, by its sub-buffers' headers
 * @subbufs: sub-buffers found
 * @bytes: bytes of all files
 * @untrusted: the stamps come from a TSC that the kernel did not trust
 * @steady: the stamps' rate is constant, according to the processor
 * @nonstop: they also count in idle states
 * @has_crc: each sub-buffer has a CRC
 * @denied: so many of its files may not be read
 * @vague: how far all its times may be off, as nothing gives the rate of its clock; mostly empty
 * @damaged: something is wrong with the directory or meta.json
 * @narrow: only a part of it is read; @begin, @end and @meta's filter are the part's
 * @since: how long after the whole's beginning the part begins, ns
 * @until: likewise, ends; 0: with the whole
 * @who: the part's processes, in words; NULL: all
 * @where: the part's CPUs, in words; NULL: all
 * @asked: the part's processes, as options of a command line; NULL: all
 * @switched: switches were recorded before @begin
 * @collect: collect the records that are anchors for the next clock_fit()
 * @next: NULL: a pass sees every item; otherwise moves a cursor to the next item that
 *	  matters, see capture/skip.h
 * @skip: @next passes it to its skip function
 * @stats: of the current or last pass
 */
struct capture {
	char *dir;
	struct meta meta;
	struct clock clock;
	unsigned int nr_files;
	unsigned int nr_cpus;
	struct capture_file *files;
	u64 session;
	u64 began;
	u64 begin;
	u64 end;
	u64 has;
	u64 subbufs;
	u64 bytes;
	bool untrusted;
	bool steady;
	bool nonstop;
	bool has_crc;
	unsigned int denied;
	char vague[CAPTURE_VAGUE];
	bool damaged;
	bool narrow;
	u64 since;
	u64 until;
	char *who;
	char *where;
	char *asked;
	bool switched;
	bool collect;
	int (*next)(struct cursor *c);
	void *skip;
	struct capture_stats stats;
};

/**
 * capture_open() - Open a capture directory and learn its clock.
 * @cap: is set; call capture_close() in any case
 * @dir: the directory
 *
 * Reads all sub-buffer headers, but no records.
 *
 * Context: Any.
 * Return: 0; -ENOENT if it is no capture, -EPROTO if its format is newer than
 * ours or its clock unknown, -EACCES and the like if it cannot be read, -ENOMEM. All are reported.
 */
int capture_open(struct capture *cap, const char *dir) __must_check;

/**
 * capture_close() - Close a capture.
 * @cap: as capture_open() left it
 *
 * Context: No pass may be running.
 */
void capture_close(struct capture *cap);

/**
 * capture_begin_pass() - Reset the statistics for another pass.
 * @cap: the capture
 * @again: it is not the first one: count damage without reporting it again, and
 *	   collect no anchors
 *
 * The pass sees every item unless @cap->next is set after this.
 *
 * Context: No pass may be running.
 */
void capture_begin_pass(struct capture *cap, bool again);

/**
 * capture_records() - Records read in the last pass.
 * @cap: the capture
 *
 * Context: Any.
 * Return: how many, including those of unknown events.
 */
u64 capture_records(const struct capture *cap);

/**
 * capture_seconds() - Tell a time as users do.
 * @cap: after capture_open()
 * @tsc: a time
 *
 * Context: One thread at a time: the clock keeps the segment used last.
 * Return: seconds after the capture's beginning; negative before it.
 */
double capture_seconds(const struct capture *cap, u64 tsc);

/**
 * capture_gap_causes() - Name the causes of a gap.
 * @text: is set; GAP_CAUSES_TEXT bytes
 * @causes: enum gap_cause
 * @sep: separator between two of them, at most two bytes
 *
 * Context: Any.
 * Return: @text.
 */
const char *capture_gap_causes(char *text, u32 causes, const char *sep);

/**
 * capture_torn() - Do anchors contradict each other?
 * @cap: the capture
 *
 * Each of them was believed in one pass, but they are too far apart for one clock.
 *
 * Context: Any.
 * Return: true if times of the last pass may be wrong.
 */
static inline bool capture_torn(const struct capture *cap)
{
	return cap->clock.residual.max_ns > CLOCK_WRONG_NS;
}

/**
 * capture_damages() - Damaged places found in the last pass.
 * @cap: the capture
 *
 * Context: Any.
 * Return: how many.
 */
u64 capture_damages(const struct capture *cap);

#endif /* OVNIK_CAPTURE_CAPTURE_H */
