/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_NARROW_NARROW_H
#define OVNIK_NARROW_NARROW_H

#include <argp.h>

#include "capture/merge.h"
#include "narrow/state.h"

struct inventory;

/*
 * A part of a capture: some time, some processes, some CPUs. What is read is what a capture would
 * contain that was recorded in that time with that filter, so that each output is right without
 * knowing of it: first a statedump of what exists when the time begins, then the records.
 *
 * Of the CPUs that are left out, the records that change tasks, memory and names are read, and who
 * runs there, which the world tells apart (WORLD_ELSEWHERE_IN, _OUT).
 *
 * One pass reads the capture up to the end of that time: for the state when it begins, without what
 * the state does not need, and then for the clock and the processes. The passes after it read that
 * time only.
 */

/**
 * enum narrow_origin - What a time counts from.
 * @NARROW_UNSET: it is not given
 * @NARROW_BEGIN: the capture's beginning
 * @NARROW_END: its end
 * @NARROW_WALL: 1970, CLOCK_REALTIME
 * @NARROW_DAY: midnight of the day on which the capture began, local time
 */
enum narrow_origin {
	NARROW_UNSET,
	NARROW_BEGIN,
	NARROW_END,
	NARROW_WALL,
	NARROW_DAY,
};

/**
 * struct narrow_time - A time as the user gives it.
 * @origin: what it counts from
 * @ns: nanoseconds from there
 */
struct narrow_time {
	enum narrow_origin origin;
	s64 ns;
};

/**
 * struct narrow_pick - Processes that the user wants.
 * @pid: this one; 0: those named @comm
 * @tree: and its children, and theirs
 * @comm: last name of a thread of theirs; not empty
 */
struct narrow_pick {
	u32 pid;
	bool tree;
	const char *comm;
};

/**
 * narrow_is_named() - Is that the name that the user wants?
 * @pick: what the user wants
 * @comm: last name of a task
 *
 * Return: true if it is; the kernel keeps the first 15 bytes of a name.
 */
bool narrow_is_named(const struct narrow_pick *pick, const char *comm);

/**
 * struct narrow_cpus - CPUs that the user wants.
 * @first: from this one
 * @last: to this one
 */
struct narrow_cpus {
	u32 first;
	u32 last;
};

/**
 * struct narrow_options - What part of a capture is wanted.
 * @from: its beginning
 * @to: its end
 * @picks: which processes; none: all
 * @nr_picks: length of @picks
 * @cpus: which CPUs; none: all
 * @nr_cpus: length of @cpus
 */
struct narrow_options {
	struct narrow_time from;
	struct narrow_time to;
	struct narrow_pick *picks;
	unsigned int nr_picks;
	struct narrow_cpus *cpus;
	unsigned int nr_cpus;
};

/**
 * narrow_report_lack() - Report that none of the processes that the user wants is there.
 * @opt: which ones
 * @nameless: how many processes have no name
 * @inv: names that may have been meant; NULL: not known
 * @dir: of the capture
 */
void narrow_report_lack(const struct narrow_options *opt, u32 nameless,
			const struct inventory *inv, const char *dir);

/* The options of the command line; their input is &struct narrow_options. */
extern const struct argp narrow_argp;

/* The same of a question about some processes, which reads all of them. */
extern const struct argp narrow_about_argp;

/**
 * narrow_is_time() - May this be a time, and not the name of an output?
 * @arg: argument of --to
 *
 * Return: true if it may.
 */
bool narrow_is_time(const char *arg);

/**
 * narrow_parse_to() - --to was given in place of --until: warns; exits if it is no time.
 * @opt: the options
 * @arg: argument of --to
 * @state: of argp
 */
void narrow_parse_to(struct narrow_options *opt, const char *arg, const struct argp_state *state);

/**
 * narrow_cuts() - Is some time or CPU left out?
 * @opt: the options
 *
 * Return: false if at most processes are.
 */
bool narrow_cuts(const struct narrow_options *opt);

/**
 * narrow_wanted() - Is a part of the capture wanted?
 * @opt: the options
 *
 * Return: false if all of it is.
 */
bool narrow_wanted(const struct narrow_options *opt);

/**
 * narrow_say() - Say in words which processes and CPUs are wanted.
 * @opt: the options
 * @cap: its @who, @where and @asked are set, if they are wanted
 *
 * CPUs that the capture does not have are in the words, and warned of.
 *
 * Return: 0; -ENOMEM (reported).
 */
int narrow_say(const struct narrow_options *opt, struct capture *cap) __must_check;

/**
 * enum narrow_picked - A process of the capture.
 * @NARROW_PICKED: it is wanted
 * @NARROW_LIVES: it lives at some time of the part
 */
enum narrow_picked {
	NARROW_PICKED	= 1 << 0,
	NARROW_LIVES	= 1 << 1,
};

/**
 * struct narrow - A part of a capture.
 * @opt: which
 * @cap: the capture
 * @from: when it begins, TSC
 * @to: when it ends, TSC
 * @state: what exists at @from
 * @at: the capture's cursors, at @from
 * @switched: a switch was recorded before @from
 * @first_switch: TSC of the first one that was read; ~0: none
 * @gaps: of each file: the gap at @from
 * @reached: @from has been reached
 * @picked: per process: enum narrow_picked
 * @parents: per process: its parent, 0 if not known
 * @owners: with @picked, per number of a task: process of the first task of the part that has it
 * @last_pid: the highest number of a process
 * @nameless: how many processes have no name at their end
 * @pids: the processes that are wanted, in order
 * @nr_pids: length of @pids
 * @shadow: in a pass: the world of all records, with @picked
 * @open: in a pass, of each file: the gap in it that has not ended
 * @next: in a pass: next item of the state
 * @ending: in a pass: next file whose gap ends with the time
 * @item: in a pass: an item that no cursor has
 * @stats: in a pass: what was read
 */
struct narrow {
	const struct narrow_options *opt;
	struct capture *cap;
	u64 from;
	u64 to;
	struct state state;
	struct merge at;
	bool switched;
	u64 first_switch;
	struct capture_gap *gaps;
	bool reached;
	u8 *picked;
	u32 *parents;
	u32 *owners;
	u32 last_pid;
	u32 nameless;
	u32 *pids;
	u32 nr_pids;
	struct world shadow;
	struct capture_gap *open;
	u32 next;
	u32 ending;
	struct capture_item item;
	struct capture_stats stats;
};

/**
 * narrow_prepare() - Read the capture for the state when the part begins.
 * @n: is set; call narrow_destroy() in any case
 * @opt: which part; must outlive @n
 * @cap: the capture; its begin, its end, and its filter become those of the part
 *
 * Context: No pass may be running.
 * Return: 0; -ERANGE if no such time or process is in the capture (reported); -ENOMEM, or another
 * negative errno.
 */
int narrow_prepare(struct narrow *n, const struct narrow_options *opt,
		   struct capture *cap) __must_check;

/**
 * narrow_destroy() - Free a part.
 * @n: as narrow_prepare() left it, or zeroed
 */
void narrow_destroy(struct narrow *n);

/**
 * narrow_begin() - Begin a pass.
 * @n: the part
 * @m: is set, for narrow_next(); call merge_close() in any case
 *
 * Context: After capture_begin_pass().
 * Return: 0, -ENOMEM.
 */
int narrow_begin(struct narrow *n, struct merge *m) __must_check;

/**
 * narrow_next() - Take the next item of the part, as merge_next() does.
 * @n: the part
 * @m: the pass
 * @item: set to the item; NULL at the end, where the capture's statistics become those of
 *	  the part
 *
 * Return: 0, -ENOMEM.
 */
int narrow_next(struct narrow *n, struct merge *m, const struct capture_item **item) __must_check;

#endif /* OVNIK_NARROW_NARROW_H */
