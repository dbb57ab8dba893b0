/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OUTPUT_H
#define OVNIK_OUTPUT_OUTPUT_H

#include <argp.h>

#include "world/facts.h"

/*
 * What a capture can be converted to. An output is a directory with DEFINE_OUTPUT(NAME) in it, and
 * a row in OUTPUT_TABLE; the decoder knows nothing else about it.
 */

#define OUTPUTS_MAX	32

struct inventory;
struct narrow_options;
struct ovni_translate;
struct output_use;
struct stage;
struct tasks;
struct timeline;

/**
 * enum output_flags - What an output needs, and how it is requested.
 * @OUTPUT_FILES: it writes into the output directory; requested by --to
 * @OUTPUT_DEFAULT: it is made if nothing else is requested
 * @OUTPUT_INVENTORY: it needs a first pass: all tasks, and times in ns
 * @OUTPUT_EVENTS: it needs ovni events, and the inventory for them; left out if no task
 *		   is known
 * @OUTPUT_MERGES: what is merged is in it
 * @OUTPUT_PLAYS: it shows merged data only if the merged trace is written as well
 * @OUTPUT_COMMAND: it is a command of the program's, in place of all others and of the
 *		    summary
 * @OUTPUT_NODES: it can be made of the captures of several nodes
 * @OUTPUT_PARTS: of several nodes it is made of parts: each capture is decoded once more for it,
 *		  when the offsets are known
 * @OUTPUT_SIDES: such a command, which compares two groups of captures
 * @OUTPUT_SEVERAL: it also takes the captures of several nodes, one after the other: a command, or
 *		    what is on stdout
 * @OUTPUT_ABOUT: such a command, about the processes of --pid and --comm; it gets all of them
 * @OUTPUT_FIRST: who has it looks at it first: always proposed
 * @OUTPUT_NAMES: it needs the inventory with names of tasks and parents of processes
 * @OUTPUT_TIMELINE: it draws the timeline, which is the same for all that draw it
 */
enum output_flags {
	OUTPUT_FILES		= 1 << 0,
	OUTPUT_DEFAULT		= 1 << 1,
	OUTPUT_INVENTORY	= 1 << 2,
	OUTPUT_EVENTS		= 1 << 3 | OUTPUT_INVENTORY,
	OUTPUT_MERGES		= 1 << 4,
	OUTPUT_COMMAND		= 1 << 5,
	OUTPUT_ABOUT		= 1 << 6,
	OUTPUT_NODES		= 1 << 7,
	OUTPUT_SIDES		= 1 << 8,
	OUTPUT_SEVERAL		= 1 << 9,
	OUTPUT_PLAYS		= 1 << 10,
	OUTPUT_PARTS		= 1 << 11 | OUTPUT_NODES,
	OUTPUT_NAMES		= 1 << 12 | OUTPUT_INVENTORY,
	OUTPUT_FIRST		= 1 << 13,
	OUTPUT_TIMELINE		= 1 << 14 | OUTPUT_INVENTORY,
};

/**
 * struct output_env - What an output works with.
 * @cap: the capture
 * @out: the output directory; NULL without OUTPUT_FILES
 * @inventory: inventory of the capture's tasks; with OUTPUT_INVENTORY
 * @activities: enum ovni_activity that may occur, a bit each; with OUTPUT_INVENTORY
 * @about: the processes of --pid and --comm; with OUTPUT_ABOUT
 * @loom: name of the captured host's loom
 * @apps: number of the last application of other nodes
 * @side: which side the capture is on; with OUTPUT_SIDES
 * @several: there are captures of other nodes, too; with OUTPUT_SEVERAL
 * @node: number of the node, from 0; with OUTPUT_PARTS
 * @nodes: how many there are; 0: it is not of several
 * @shift: to be added to its times, ns
 * @wall: CLOCK_REALTIME less its times, by a table of offsets, ns; NULL: the capture tells it
 * @world: of the last pass; from attach() on
 * @events: ovni events; from attach() on, with OUTPUT_EVENTS, and with OUTPUT_MERGES if something
 *	    is merged
 * @tasks: what happened, as tasks: of all kinds that any output of the run needs; from
 *	   attach_tasks() on
 * @timeline: rows and lanes, for finish(); with OUTPUT_TIMELINE
 * @facts: of the last pass; for finish()
 */
struct output_env {
	struct capture *cap;
	const char *out;
	const struct inventory *inventory;
	u32 activities;
	const struct narrow_options *about;
	const char *loom;
	u32 apps;
	u32 side;
	bool several;
	u32 node;
	u32 nodes;
	s64 shift;
	const s64 *wall;
	struct world *world;
	struct ovni_translate *events;
	struct tasks *tasks;
	const struct timeline *timeline;
	const struct facts *facts;
};

/**
 * struct output - An output.
 * @name: as in --to, or of the command
 * @sentence: what it is
 * @flags: enum output_flags
 * @shows: the file or directory that one looks at, in the output directory; NULL: none is named
 * @before: what to do with it, in front of its name; a program
 * @after: and behind it; NULL: nothing
 * @size: bytes of its context, which is all zero at first
 * @options: of its own, or NULL; keys above 255 need not differ from those of others
 * @parse: an option, as argp has it; 0 or ARGP_ERR_UNKNOWN
 * @check: refuses options by argp_error(); NULL: those of an output that is not asked for
 *	   are refused
 * @check_several: with OUTPUT_SEVERAL: there are several captures; refuses options that are of one
 * @kinds: kinds of tasks that it needs, as of tasks_create(), with those of a timeline that it
 *	   draws; it ignores others; 0: none
 * @kinds_of: the same, if that depends on its options
 * @owns: does that file in the output directory belong to this output?
 * @can_clear: can its other files, such as directories, be removed from where @stage belongs? NULL:
 *	       it has none
 * @clear: removes them, whichever run wrote them
 * @open: begins; the last function that can fail before anything is written
 * @attach: attaches to the world or to the events: of a record it learns before the tasks do
 * @attach_tasks: attaches to the tasks, or to the world: of a record it learns after the tasks do
 * @finish: ends, after the pass
 * @nodes: makes it in @out of the ovni trace of several nodes; in place of open, attach
 *	   and finish. NULL: the trace is all
 * @part: adds what finish() wrote into a directory to it in @out; with OUTPUT_PARTS, in place of
 *	  nodes; NULL: all were added
 * @compare: ends after all captures, each of which was attached, finished and closed; @failed: only
 *	     frees. With OUTPUT_SIDES or OUTPUT_SEVERAL
 * @close: frees what is in the context; also without any of the others before
 *
 * All but @name, @sentence, @finish and @close may be missing. Functions return
 * 0 or a negative errno; all errors but -ENOMEM are reported.
 */
struct output {
	const char *name;
	const char *sentence;
	u32 flags;
	const char *shows;
	const char *before;
	const char *after;
	size_t size;
	const struct argp_option *options;
	error_t (*parse)(struct output_use *use, int key, const char *arg,
			 struct argp_state *state);
	void (*check)(const struct output_use *use, const struct argp_state *state);
	void (*check_several)(struct output_use *use, const struct argp_state *state);
	u32 kinds;
	u32 (*kinds_of)(const void *data);
	bool (*owns)(const char *name);
	int (*can_clear)(const struct stage *stage);
	int (*clear)(const struct stage *stage);
	int (*open)(void *data, const struct output_env *env);
	int (*attach)(void *data, const struct output_env *env);
	int (*attach_tasks)(void *data, const struct output_env *env);
	int (*finish)(void *data, const struct output_env *env);
	int (*nodes)(void *data, const char *out, const char *trace);
	int (*part)(void *data, const char *out, const char *dir);
	int (*compare)(void *data, bool failed);
	void (*close)(void *data);
};

/* All outputs, in the order in which they are attached and finished. */
#define OUTPUT_TABLE(row)	\
	row(ovni)		\
	row(laplace)		\
	row(prv)		\
	row(xray)		\
	row(html)		\
	row(svg)		\
	row(perfetto)		\
	row(tracers)		\
	row(report)		\
	row(top)		\
	row(why)		\
	row(pagecache)		\
	row(diff)

#define OUTPUT_DECLARE(name)	extern const struct output name##_output;
OUTPUT_TABLE(OUTPUT_DECLARE)

/* Begins the definition of an output; does not compile without its row above. */
#define DEFINE_OUTPUT(name)						\
	_Static_assert(sizeof(name##_output), "in OUTPUT_TABLE");	\
	const struct output name##_output

/* The same; NULL at the end. */
extern const struct output *const output_table[];

/**
 * struct output_use - An output in a run.
 * @output: which one
 * @data: its context
 * @wanted: it is requested
 * @attached: it is attached
 * @option: the first of its options that was given; NULL: none
 */
struct output_use {
	const struct output *output;
	void *data;
	bool wanted;
	bool attached;
	const char *option;
};

/**
 * struct outputs - The outputs that a run can have.
 * @uses: the outputs, in the order of the table
 * @nr: length of @uses
 */
struct outputs {
	struct output_use uses[OUTPUTS_MAX];
	unsigned int nr;
};

/**
 * outputs_exit_listed() - Exit after a list was printed on stdout; with 1 if writing failed.
 */
__attribute__((noreturn)) void outputs_exit_listed(void);

/**
 * outputs_report() - Say what was made, where, and how to look at it.
 * @outs: the outputs
 * @dir: where those with OUTPUT_FILES are
 *
 * Proposed are those made with OUTPUT_FIRST, and the last of the table that has been made.
 *
 * Context: After the run.
 */
void outputs_report(const struct outputs *outs, const char *dir);

/**
 * outputs_init() - Initialise the outputs, none of them requested.
 * @outs: is set; call outputs_destroy() in any case
 * @table: the outputs; NULL at the end
 *
 * Return: 0, -ENOMEM (reported).
 */
int outputs_init(struct outputs *outs, const struct output *const *table) __must_check;

/**
 * outputs_destroy() - Free the contexts.
 * @outs: as outputs_init() left it, or zeroed; closed
 */
void outputs_destroy(struct outputs *outs);

/**
 * outputs_find() - Find an output by its name.
 * @outs: the outputs
 * @name: the name
 *
 * Return: the output; NULL if there is none.
 */
struct output_use *outputs_find(struct outputs *outs, const char *name);

/**
 * outputs_parse() - Parse an option of an output, as argp; exits if the argument is wrong.
 * @use: the output
 * @key: of the option, or one of argp's own
 * @arg: its argument
 * @state: of argp; NULL: outside of it
 *
 * Return: 0, ARGP_ERR_UNKNOWN.
 */
error_t outputs_parse(struct output_use *use, int key, const char *arg,
		      struct argp_state *state);

/**
 * outputs_need() - Does any requested output have these flags?
 * @outs: the outputs
 * @flags: enum output_flags, all of them
 *
 * Return: true, false.
 */
bool outputs_need(const struct outputs *outs, u32 flags);

/**
 * outputs_kinds() - Which tasks do the requested outputs need?
 * @outs: the outputs
 *
 * Return: kinds, as of tasks_create(); 0: none needs any.
 */
u32 outputs_kinds(const struct outputs *outs);

/*
 * Call the function of that name of each requested output: open before anything is written, attach
 * before the tasks are made, attach_tasks before world_begin(), finish after world_end(), close
 * before the tasks and the world are destroyed.
 */
int outputs_open(struct outputs *outs, const struct output_env *env) __must_check;
int outputs_attach(struct outputs *outs, const struct output_env *env) __must_check;
int outputs_attach_tasks(struct outputs *outs, const struct output_env *env) __must_check;
int outputs_finish(struct outputs *outs, const struct output_env *env) __must_check;
void outputs_close(struct outputs *outs);

/**
 * output_real_begin() - What time of day is it when the capture begins?
 * @env: with a capture
 *
 * Return: CLOCK_REALTIME in ns; 0: the capture does not tell.
 */
u64 output_real_begin(const struct output_env *env);

/**
 * outputs_compare() - Call compare() of each requested output.
 * @outs: the outputs
 * @failed: a capture could not be decoded
 *
 * Context: After outputs_close() for the last capture.
 * Return: 0, a negative errno (reported).
 */
int outputs_compare(struct outputs *outs, bool failed) __must_check;

#endif /* OVNIK_OUTPUT_OUTPUT_H */
