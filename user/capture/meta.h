/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_META_H
#define OVNIK_CAPTURE_META_H

#include "capture/clock.h"
#include "capture/events.h"
#include "capture/meta_wall.h"
#include "util/types.h"

#define META_FILE	"meta.json"
#define META_MAX_BYTES	(64 << 20)
#define META_CPUS_MAX	65536	/* cpu is u16 in a header */
#define META_PIDS_MAX	4096
#define META_PAGE_MIN	4096U
#define META_PAGE_MAX	65536U

/**
 * struct meta_count - An event's records on a CPU.
 * @recorded: written into the ring
 * @lost: not in this capture
 */
struct meta_count {
	u64 recorded;
	u64 lost;
};

/**
 * struct meta_cpu - meta.json's description of a CPU's file.
 * @cpu: number of the CPU
 * @file: name of the file, without directory
 * @bytes: its length
 * @subbufs: sub-buffers in it
 * @first: number of the first one that can be in it; earlier ones were read before
 * @counts: per event, by our number
 */
struct meta_cpu {
	u32 cpu;
	char file[64];
	u64 bytes;
	u64 subbufs;
	u64 first;
	struct meta_count counts[OVNIK_NR_EVENTS];
};

/**
 * struct meta - meta.json's description of a capture.
 * @valid: it was found and parsed; otherwise only defaults are set
 * @missing: it was not found
 * @sealed: it has a checksum
 * @changed: its checksum is wrong
 * @host: host name, "unknown" by default
 * @kernel: release of the kernel; empty if not known
 * @machine: kind of the machine, as uname(2) says it; empty if not known
 * @page_size: bytes of a page, a power of two; 0: not known. Use meta_page_size()
 * @backend: what recorded it; empty if not known
 * @command: the program that was run, with its arguments; empty: none was; may be cut
 * @recorder: the process that wrote the capture; 0: not known, as before 0.2
 * @session: number of the capture: CLOCK_REALTIME when it began, ns
 * @overwrite: recorded in overwrite mode
 * @source: what the stamps count
 * @tsc_khz: rate of the TSC as the kernel knows it, 0 if not known
 * @trusted: the kernel trusted the TSC
 * @has_trusted: @trusted was given
 * @nr_pids: processes in @pids; 0: no filter
 * @pids: processes that were recorded, ascending
 * @children: their children were recorded, too
 * @missed: runs of BPF programs that the kernel skipped, each at most a few events
 * @uncertain: file systems whose inode numbers are not unique, as text; of many some, and how
 *	       many more
 * @lack: what a private capture leaves out, and events that this kernel does not let the back end
 *	  record, or not all of them, and why, as text; of many some, and how many more
 * @nr_cpus: length of @cpus
 * @cpus: per CPU file
 * @nr_anchors: length of @anchors
 * @anchors: clock anchors
 * @nr_walls: length of @walls
 * @walls: the time of day; 0 before 0.2
 * @wakers: sched_wakeup has who woke; otherwise who ran there
 * @layouts: how to read records
 */
struct meta {
	bool valid;
	bool missing;
	bool sealed;
	bool changed;
	char host[128];
	char kernel[128];
	char machine[32];
	u32 page_size;
	char backend[16];
	char command[256];
	u32 recorder;
	u64 session;
	bool overwrite;
	enum clock_source source;
	u64 tsc_khz;
	bool trusted;
	bool has_trusted;
	unsigned int nr_pids;
	u32 *pids;
	bool children;
	u64 missed;
	char uncertain[256];
	char lack[1024];
	unsigned int nr_cpus;
	struct meta_cpu *cpus;
	unsigned int nr_anchors;
	struct clock_anchor *anchors;
	unsigned int nr_walls;
	struct meta_wall *walls;
	bool wakers;
	struct event_layouts layouts;
};

/**
 * meta_load() - Read a capture's meta.json.
 * @meta: is set; call meta_free() in any case
 * @dir: directory of the capture
 *
 * If the file is missing or invalid, a warning is printed and the defaults are set:
 * @meta->valid is false then.
 *
 * Context: Any.
 * Return: 0, -EPROTO if the capture's format is newer than ours, its clock is unknown or the size
 * of its pages impossible (all reported), -ENOMEM.
 */
int meta_load(struct meta *meta, const char *dir) __must_check;

/**
 * meta_page_size() - How large is a page of the machine?
 * @meta: after meta_load(), or zeroed
 *
 * Return: bytes, a power of two. Captures that do not say it are of x86-64.
 */
static inline u32 meta_page_size(const struct meta *meta)
{
	return meta->page_size ? meta->page_size : META_PAGE_MIN;
}

#define META_FILTER	48	/* bytes of the text */

/**
 * meta_filter() - Say which processes were recorded.
 * @meta: after meta_load()
 * @text: set to "1 process and its descendants", or "2 processes"
 *
 * Context: Any.
 * Return: @text; NULL: all of them.
 */
const char *meta_filter(const struct meta *meta, char text[META_FILTER]);

/**
 * meta_free() - Free what meta_load() allocated.
 * @meta: as meta_load() left it
 *
 * Context: Any.
 */
void meta_free(struct meta *meta);

#endif /* OVNIK_CAPTURE_META_H */
