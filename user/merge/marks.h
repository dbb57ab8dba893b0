/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_MARKS_H
#define OVNIK_MERGE_MARKS_H

#include "output/ovni/translate.h"
#include "trace/format.h"
#include "util/hash.h"

/*
 * The marks of a merged trace, for outputs other than ovni: what begins and ends in which
 * thread, with the texts that the application gave. Marks that it does not declare are left
 * out, and so are the kernel's activities, which are marks in the same trace. Functions of XRay
 * logs are marks, too.
 *
 * A mark is a stack of values, or a single one. A thread that ends, ends all of its own.
 */

#define MARKS_UNNAMED	4096	/* values without a text that are told apart */

/**
 * struct marks_label - A value of a mark.
 * @node: in the table
 * @type: number of the mark
 * @value: the value
 * @user: of who is told; 0 at first
 * @text: its text; of a value that has none, the number
 */
struct marks_label {
	struct hash_node node;
	u32 type;
	s64 value;
	u64 user;
	char text[];
};

/**
 * struct marks_type - A mark that the application declares.
 * @title: its title; NULL: it is not declared
 * @functions: it shows functions of a program
 * @others: stands for the values that are not told apart; NULL: there are none
 */
struct marks_type {
	char *title;
	bool functions;
	struct marks_label *others;
};

/**
 * struct marks_track - A mark of a thread.
 * @next: another one of the thread
 * @thread: index of the thread in the inventory
 * @type: number of the mark
 * @depth: how many values it has
 * @room: entries allocated at @values
 * @since: when the innermost value became that, ns
 * @user: of who is told; 0 at first
 * @values: outermost first
 */
struct marks_track {
	struct marks_track *next;
	u32 thread;
	u32 type;
	u32 depth;
	u32 room;
	u64 since;
	u64 user;
	struct marks_label **values;
};

/**
 * struct marks_change - A value begins or ends.
 * @ns: when
 * @track: of whom; as it was before
 * @type: of that mark
 * @label: the value
 * @begins: it begins; otherwise it ends, and is the innermost one
 */
struct marks_change {
	u64 ns;
	struct marks_track *track;
	const struct marks_type *type;
	struct marks_label *label;
	bool begins;
};

/* Return: 0, a negative errno. */
typedef int (*marks_fn)(void *data, const struct marks_change *change);

/**
 * struct marks - The marks of a merged trace.
 * @types: by number
 * @labels: struct marks_label
 * @nr_unnamed: how many of them have no text
 * @tracks: of each thread of the inventory, the first one
 * @inventory: the inventory
 * @fn: is told of changes
 * @data: for @fn
 */
struct marks {
	struct marks_type types[OVNI_MARK_TYPES];
	struct hash_table labels;
	u32 nr_unnamed;
	struct marks_track **tracks;
	const struct inventory *inventory;
	marks_fn fn;
	void *data;
};

/**
 * marks_attach() - Report the marks of what is merged.
 * @m: zeroed; is set; call marks_free() in any case
 * @t: the translation; nothing is attached if nothing is merged
 * @loom: name of the captured host's loom
 * @fn: is told of each change; the times of a thread never go back
 * @data: for @fn
 *
 * Context: Before world_begin().
 * Return: 0, a negative errno (reported, except -ENOMEM).
 */
int marks_attach(struct marks *m, struct ovni_translate *t, const char *loom, marks_fn fn,
		 void *data) __must_check;

/**
 * marks_finish() - End what has not ended.
 * @m: the marks, or zeroed
 * @ns: end of the capture; a mark that changed later ends where it did
 *
 * Context: After the pass.
 * Return: 0, a negative errno.
 */
int marks_finish(struct marks *m, u64 ns) __must_check;

/**
 * marks_free() - Free everything.
 * @m: as marks_attach() left it, or zeroed
 *
 * Context: Not from a hook.
 */
void marks_free(struct marks *m);

#endif /* OVNIK_MERGE_MARKS_H */
