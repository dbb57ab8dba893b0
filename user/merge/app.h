/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_APP_H
#define OVNIK_MERGE_APP_H

#include "capture/capture.h"
#include "world/inventory.h"
#include "xray/log.h"
#include "xray/names.h"
#include "merge/labels.h"
#include "merge/who.h"

/*
 * From FDR logs of programs to an ovni trace that can be merged with a capture: one
 * stream per thread, with only marks.
 *
 *	OM[, OM] 91	a function is entered or left; see stack.h for what is missing
 *	OM= 92		a custom event; the value identifies its text
 *
 * Clocks are those of the capture: TSC and its conversion, so the events of program and
 * kernel are in TSC order. A clock that would go back within a thread is set to that of
 * the event before.
 *
 * A damaged delta shifts all that follows in its buffer. Records that are noticeably off
 * are left out, and the open functions are left there.
 *
 * Where records of a thread may be missing, it is unknown which functions it left: all
 * are left there. A damaged log does not say whose records are missing, so one damaged
 * place has this effect at each end of a buffer.
 */

#define XRAY_MARK_EVENT		92	/* custom events; functions: OVNI_MARK_FUNCTION */
#define XRAY_TITLE_EVENT	"XRay custom event"
#define XRAY_FAR_NS		(3600ULL * 1000000000)	/* from the capture, at most */
#define XRAY_SLACK_PER_SEC	10000	/* CPUs' clocks are no more than 0.1 ms apart */
#define XRAY_OBJECT_STEP	(1U << 24)	/* numbers of functions per shared object */
#define XRAY_BINARY_STEP	(2ULL * (XRAY_FUNCTION_MAX + 1))

/**
 * struct xray_binary - A binary that wrote logs.
 * @path: its file name; NULL: not known
 * @dev: its device
 * @ino: its inode
 * @names: its functions
 *
 * Values of functions are their numbers plus XRAY_BINARY_STEP per binary; 0, which marks
 * cannot have, becomes XRAY_FUNCTION_MAX + 1.
 *
 * If shared objects are instrumented, too (LLVM 20, -fxray-shared), the numbers of the program
 * begin at 1, those of its first object at XRAY_OBJECT_STEP + 1, and so on.
 */
struct xray_binary {
	char *path;
	u64 dev;
	u64 ino;
	struct xray_names names;
};

/**
 * struct xray_app_log - A log to merge.
 * @log: the log
 * @binary: index of its binary
 * @pid: a process of its threads, 0: none is known
 * @low: smallest TSC
 * @high: largest
 * @calls: functions entered
 * @events: custom events
 * @threads: threads
 * @known: how many of them the capture has
 * @foreign: calls of functions that are not in its binary
 */
struct xray_app_log {
	struct xray_log log;
	u32 binary;
	u32 pid;
	u64 low;
	u64 high;
	u64 calls;
	u64 events;
	u32 threads;
	u32 known;
	u64 foreign;
};

/**
 * struct xray_part - A thread's part of a log.
 * @pid: its process
 * @tid: its number
 * @tsc: TSC of its first buffer
 * @log: index of the log
 * @thread: index of the thread in the log
 */
struct xray_part {
	u32 pid;
	u32 tid;
	u64 tsc;
	u32 log;
	u32 thread;
};

/**
 * struct xray_app_stats - How the records of all logs were handled.
 * @unentered: exits of functions that were not entered
 * @unleft: functions that were entered, and not left
 * @folded: calls too deep to be shown
 * @crowded: calls left out because of too many different functions
 * @typed: typed events
 * @back: records whose clock went back
 * @far: records of impossible times
 * @nobody: threads with impossible numbers
 * @twice: buffers that overlap others of the same thread, left out
 * @unnamed: functions that the binary has but does not name, in each thread's labels
 */
struct xray_app_stats {
	u64 unentered;
	u64 unleft;
	u64 folded;
	u64 crowded;
	u64 typed;
	u64 back;
	u64 far;
	u64 nobody;
	u64 twice;
	u64 unnamed;
};

/**
 * struct xray_app - The logs to merge.
 * @cap: the capture
 * @ops: finds names; NULL: no names
 * @logs: the logs
 * @nr_logs: length of @logs
 * @binaries: the binaries that wrote them
 * @nr_binaries: length of @binaries
 * @nr_objects: how many of them, from a log's own, are that program and its shared objects
 * @parts: the threads of all logs, by process, thread and time
 * @nr_parts: length of @parts
 * @tids: threads whose process the logs do not say
 * @who: what the capture knows about processes
 * @labels: of custom events
 * @damaged: a log is damaged
 * @stats: how the records were handled
 */
struct xray_app {
	struct capture *cap;
	const struct xray_names_ops *ops;
	struct xray_app_log *logs;
	u32 nr_logs;
	struct xray_binary *binaries;
	u32 nr_binaries;
	u32 nr_objects;
	struct xray_part *parts;
	u32 nr_parts;
	u32 *tids;
	struct xray_who who;
	struct xray_labels labels;
	bool damaged;
	struct xray_app_stats stats;
};

/**
 * xray_app_open() - Open logs.
 * @app: zeroed, but for @app->ops; call xray_app_close() in any case
 * @cap: the capture, opened
 * @paths: file names of the logs; must outlive @app
 * @nr: how many
 * @maps: file names of the binary that wrote them and of its shared objects, in order
 * @nr_maps: how many; 0: the capture names the binary
 *
 * Context: Any; nothing is written.
 * Return: 0, a negative errno (reported).
 */
int xray_app_open(struct xray_app *app, struct capture *cap, const char *const *paths, u32 nr,
		  const char *const *maps, u32 nr_maps) __must_check;

/**
 * xray_app_write() - Write an ovni trace of the logs.
 * @app: after its @who was fed the capture
 * @inventory: inventory of the capture's tasks, whose clock is final
 * @dir: an empty directory
 * @host: name of the captured host
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int xray_app_write(struct xray_app *app, const struct inventory *inventory, const char *dir,
		   const char *host) __must_check;

/**
 * xray_app_close() - Close the logs.
 * @app: in any state, or zeroed
 *
 * Context: Any.
 */
void xray_app_close(struct xray_app *app);

/**
 * xray_stream_write() - Write the stream of a thread. Only xray_app_write() uses it.
 * @app: the logs
 * @parts: the thread's parts
 * @nr: length of @parts
 * @dir: directory of the trace
 * @host: name of the captured host
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int xray_stream_write(struct xray_app *app, const struct xray_part *parts, u32 nr,
		      const char *dir, const char *host) __must_check;

#endif /* OVNIK_MERGE_APP_H */
