/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_TASK_TYPE_H
#define OVNIK_EMU_TASK_TYPE_H

#include <sys/queue.h>

#include "emu/model.h"
#include "util/hash.h"
#include "util/types.h"

/*
 * Types of tasks, shared by the models of runtimes with tasks. A type belongs to a
 * process and has a number there. The value in the output depends on its label only, so
 * that a label has the same colour in every process and every trace.
 */

/**
 * struct task_type - A type of task.
 * @link: in the order in which they were declared
 * @node: in the table of its process
 * @id: its number
 * @gid: its value in the output
 * @label: its label
 */
struct task_type {
	STAILQ_ENTRY(task_type) link;
	struct hash_node node;
	u32 id;
	u32 gid;
	char label[];
};

/**
 * task_type_gid() - The value of a label in the output.
 * @label: text, not necessarily NUL-terminated
 * @len: its length
 */
u32 task_type_gid(const char *label, size_t len);

/**
 * task_type_create() - The event that declares a type: jumbo, u32 number and label.
 * @emu: emulator
 * @th: thread whose event it is
 * @ev: event with at least four bytes
 * @model: MODEL_ID_*
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check task_type_create(struct emu *emu, struct emu_thread *th,
				  const struct ovni_ev *ev, enum model_id model);

/**
 * task_type_find() - Find a type of a process.
 * @emu: emulator
 * @proc: process
 * @model: MODEL_ID_*
 * @id: its number
 *
 * Return: the type, or NULL with the reason in @emu.
 */
const struct task_type *task_type_find(struct emu *emu, const struct emu_proc *proc,
				       enum model_id model, u32 id);

/**
 * task_type_label() - Give the values of a channel the labels of all types.
 * @emu: emulator at its end
 * @model: MODEL_ID_*
 * @chan: index of the channel among those of the model
 *
 * Return: 0, or a negative errno with the reason in @emu, such as two labels with the
 * same value.
 */
int __must_check task_type_label(struct emu *emu, enum model_id model, u32 chan);

#endif /* OVNIK_EMU_TASK_TYPE_H */
