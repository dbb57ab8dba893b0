/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_NARROW_PICK_H
#define OVNIK_NARROW_PICK_H

#include "narrow/narrow.h"
#include "world/sight.h"

/* Events of what somebody does that change no task, memory or name. */
#define PICK_PASSING									\
	(EV_BIT(cow_break) | EV_BIT(page_fault) | EV_BIT(page_fault_end) |		\
	 EV_BIT(page_add) | EV_BIT(page_remove) | EV_BIT(buffer_add) |			\
	 EV_BIT(buffer_remove) | EV_BIT(file_begin) | EV_BIT(file_read) |		\
	 EV_BIT(file_write) | EV_BIT(file_delete) | EV_BIT(file_truncate))

/* Private to user/narrow: the processes of a part. */

/**
 * pick_prepare() - Make room for what is known of each process and task.
 * @n: the part; narrow_destroy() frees it
 *
 * Return: 0, -ENOMEM.
 */
int pick_prepare(struct narrow *n) __must_check;

/**
 * pick_watch() - Find the wanted processes, and each process's parent, while a world is fed.
 * @n: the part
 * @w: the world
 *
 * Return: 0, -ENOMEM.
 */
int pick_watch(struct narrow *n, struct world *w) __must_check;

/**
 * pick_living() - The part begins.
 * @n: the part
 * @w: the world at its beginning
 */
void pick_living(struct narrow *n, const struct world *w);

/**
 * pick_named() - The part ends: pick the processes whose threads have that name now.
 * @n: the part
 * @w: the world at its end
 */
void pick_named(struct narrow *n, const struct world *w);

/**
 * pick_finish() - All of the capture was read: make the list of processes the capture's filter.
 * @n: the part
 *
 * Return: 0; -ERANGE if no process is wanted (reported); -ENOMEM.
 */
int pick_finish(struct narrow *n) __must_check;

/**
 * pick_wants() - Would a recorder with that filter record it?
 * @n: the part, with its shadow as it was before @item
 * @item: the item
 *
 * Return: true if it would, or if it describes what existed before.
 */
bool pick_wants(const struct narrow *n, const struct capture_item *item);

/**
 * pick_cpus() - Mark the CPUs of the capture that are left out.
 * @n: the part
 *
 * Return: 0; -ERANGE if no CPU is wanted (reported).
 */
int pick_cpus(const struct narrow *n);

/**
 * pick_elsewhere() - Make of an item of a CPU that is left out what the part has of it.
 * @item: the item; a switch becomes ITEM_ELSEWHERE
 *
 * What a CPU does to tasks, memory and names is of interest to the others, too.
 *
 * Return: false if nothing.
 */
bool pick_elsewhere(struct capture_item *item);

#endif /* OVNIK_NARROW_PICK_H */
