/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_PERFETTO_PERFETTO_H
#define OVNIK_OUTPUT_PERFETTO_PERFETTO_H

#include "merge/marks.h"
#include "output/output.h"
#include "output/perfetto/bundle.h"
#include "tasks/tasks.h"
#include "util/hash.h"
#include "util/idmap.h"

/*
 * Perfetto's trace format. What its own recorder gets from the kernel is written as that
 * recorder writes it: switches, wakeups, and what happens to tasks. All else is on tracks, which
 * have a number each.
 */

/* Why a task leaves a CPU, if that is not known: parked and idle, which no kernel says. */
#define PERFETTO_STATE_UNKNOWN	(OVNIK_STATE_PARKED | OVNIK_STATE_IDLE)

/**
 * struct perfetto_cpu - A CPU.
 * @bundle: its events
 * @known: a switch was written
 * @away: the task has left, and it is not known who came
 * @state: why
 * @last: who runs, as written
 * @prev: who left, at @ns, if that is in the record
 * @ns: when
 */
struct perfetto_cpu {
	struct bundle bundle;
	bool known;
	bool away;
	u32 state;
	u32 last;
	u32 prev;
	u64 ns;
};

/**
 * struct perfetto_process - A process, as long as it is there.
 * @id: number of its task
 * @pid: its PID
 * @parent: its parent's, when it appeared; 0: not known
 * @written: it is in the process tree, or its fork is in the trace
 * @named: its name was known when it appeared
 * @counted: its mapped memory has a track
 */
struct perfetto_process {
	u64 id;
	u32 pid;
	u32 parent;
	bool written;
	bool named;
	bool counted;
};

/**
 * struct perfetto_file - A file that was opened.
 * @node: in the table
 * @id: which
 * @iid: number of its path among the texts; 0: it is not there
 * @path: its path
 */
struct perfetto_file {
	struct hash_node node;
	struct trace_file id;
	u64 iid;
	char *path;
};

/**
 * enum perfetto_cache - What the page cache has pages of; the report tells them apart, too.
 * @PERFETTO_CACHE_FILES: files
 * @PERFETTO_CACHE_DEVICES: block devices
 */
enum perfetto_cache {
	PERFETTO_CACHE_FILES,
	PERFETTO_CACHE_DEVICES,
	PERFETTO_NR_CACHES
};

/**
 * struct perfetto_count - A counter of the page cache.
 * @tracked: it has a track
 * @bytes: that came less those that left
 */
struct perfetto_count {
	bool tracked;
	s64 bytes;
};

/**
 * struct perfetto - The output.
 * @gzip: compress the trace
 * @nodes: how many there are in it
 * @failed: the first error, of a trace of several parts
 * @trace: the trace
 * @head: fields that all packets with an event on a track have
 * @head_len: bytes of them
 * @world: what it is made of
 * @cpus: by index in the world; NULL: left out
 * @now: index of the CPU of the last event
 * @forked: the last task that was made
 * @forked_ns: when
 * @dead: the last task that ended
 * @dead_ns: when
 * @processes: struct perfetto_process by PID
 * @pids: PIDs, by number of the process's task
 * @tracks: which tracks a thread has, by number of its task
 * @thread: number of the task of a thread that has one
 * @uuid: the last track
 * @uuid_text: as a field of an event
 * @uuid_len: bytes of it
 * @what: the last name, by category
 * @iid: its number
 * @strays: numbers of tasks on a PERFETTO_TRACK_STRAY that go on
 * @names: of slices: their numbers by the text's address
 * @files: struct perfetto_file
 * @iids: texts and names so far
 * @losses: CPUs that have a track of losses, by index; the last is the statedump
 * @caches: by enum perfetto_cache
 * @marks: of a merged application
 * @mark_tracks: how many tracks there are for them
 */
struct perfetto {
	bool gzip;
	u32 nodes;
	int failed;
	struct perfetto_trace trace;
	u8 head[16];
	u32 head_len;
	struct world *world;
	struct perfetto_cpu **cpus;
	u32 now;
	u32 forked;
	u64 forked_ns;
	u32 dead;
	u64 dead_ns;
	struct idmap processes;
	struct idmap pids;
	struct idmap tracks;
	u64 thread;
	u64 uuid;
	u8 uuid_text[16];
	u32 uuid_len;
	const char *what[CATEGORY_WAIT + 1];
	u64 iid[CATEGORY_WAIT + 1];
	struct idmap strays;
	struct idmap names;
	struct hash_table files;
	u64 iids;
	bool *losses;
	struct perfetto_count caches[PERFETTO_NR_CACHES];
	struct marks marks;
	u64 mark_tracks;
};

/* The tracks, and which number is theirs. */
enum perfetto_track {
	PERFETTO_TRACK_THREAD = 1,	/* id: of the thread's task */
	PERFETTO_TRACK_STRAY,		/* likewise, as long as its process is not known */
	PERFETTO_TRACK_PROCESS,		/* id: of the process's task */
	PERFETTO_TRACK_MAPPED,		/* likewise */
	PERFETTO_TRACK_LOSSES,		/* id: number of the CPU, TRACE_NO_CPU */
	PERFETTO_TRACK_CACHED,		/* id: enum perfetto_cache */
	PERFETTO_TRACK_MARK,		/* id: counts them */
};

/**
 * perfetto_uuid() - The number of a track.
 * @o: the output
 * @id: as enum perfetto_track says
 * @kind: enum perfetto_track
 *
 * Context: Any.
 * Return: a number that no other track has, nor one of another node.
 */
static inline u64 perfetto_uuid(const struct perfetto *o, u64 id, u32 kind)
{
	return (id * o->nodes + o->trace.machine) << 3 | kind;
}

/**
 * perfetto_begin() - Prepare packets with an event on a track.
 * @o: the output; its trace is open
 *
 * Context: Any.
 */
void perfetto_begin(struct perfetto *o);

/**
 * perfetto_event() - A packet with an event on a track begins.
 * @o: the output
 * @ns: when
 *
 * Context: No other packet is being made.
 * Return: where the packet's own field goes; see trace_end().
 */
u8 *perfetto_event(struct perfetto *o, u64 ns);

/**
 * perfetto_intern() - A text gets a number, which later packets use.
 * @p: where, in a packet with an event on a track
 * @field: what the text is for
 * @iid: the number
 * @text: the text
 *
 * Context: Any.
 * Return: where the packet's next field goes.
 */
u8 *perfetto_intern(u8 *p, u32 field, u64 iid, const char *text);

/**
 * perfetto_attach_sched() - Attach what is written of switches and tasks.
 * @o: the output
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int perfetto_attach_sched(struct perfetto *o) __must_check;

/**
 * perfetto_free_task() - A task is gone: another one may get its number.
 * @o: the output
 * @ns: when
 * @tid: its number
 *
 * Context: Any.
 */
void perfetto_free_task(struct perfetto *o, u64 ns, u32 tid);

/**
 * perfetto_io_wait() - A task sleeps for input or output.
 * @o: the output
 * @ns: since when
 * @tid: its number
 *
 * Context: Any.
 */
void perfetto_io_wait(struct perfetto *o, u64 ns, u32 tid);

/**
 * perfetto_name_task() - A task has a name.
 * @o: the output
 * @ns: when
 * @tid: its number
 * @comm: its name
 *
 * Context: Any.
 */
void perfetto_name_task(struct perfetto *o, u64 ns, u32 tid, const char *comm);

/**
 * perfetto_end_sched() - The capture has ended: all events of CPUs are written.
 * @o: the output
 *
 * Context: Any.
 */
void perfetto_end_sched(struct perfetto *o);

/**
 * perfetto_attach_tracks() - Attach what is written on tracks.
 * @o: the output
 * @tasks: what happens
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int perfetto_attach_tracks(struct perfetto *o, struct hookable *tasks) __must_check;

/**
 * perfetto_free_tracks() - Free what is known of tracks.
 * @o: the output, which may be zeroed
 *
 * Context: Any.
 */
void perfetto_free_tracks(struct perfetto *o);

/**
 * perfetto_attach_counters() - Attach counters.
 * @o: the output
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int perfetto_attach_counters(struct perfetto *o) __must_check;

/**
 * perfetto_attach_marks() - Attach what a merged application says.
 * @o: the output
 * @env: what it works with
 *
 * Context: Any.
 * Return: 0, a negative errno (reported, except -ENOMEM).
 */
int perfetto_attach_marks(struct perfetto *o, const struct output_env *env) __must_check;

#endif /* OVNIK_OUTPUT_PERFETTO_PERFETTO_H */
