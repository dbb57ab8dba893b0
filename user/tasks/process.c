// SPDX-License-Identifier: GPL-2.0-only
/* Processes. Their files and mappings end before them. */
#include <errno.h>
#include <stdlib.h>

#include "tasks/space.h"
#include "tasks/tasks_priv.h"

/* The process is about to go. */
static void leave_process(struct tasks *t, struct tasks_file *file)
{
	if (!file->process)
		return;
	hash_del(&t->process_files, &file->by_process);
	LIST_REMOVE(file, of_process);
	file->process = NULL;
}

void tasks_file_end(struct tasks *t, struct tasks_file *file, u64 ns, u16 flags)
{
	leave_process(t, file);
	hash_del(&t->files, &file->by_inode);
	LIST_REMOVE(file, link);
	tasks_end(t, &file->task, ns, flags);
	free(file);
}

static void leave_files(struct tasks *t, struct tasks_process *process, u64 ns)
{
	struct tasks_file *file;

	while ((file = LIST_FIRST(&process->files))) {
		if (file->uncertain)
			tasks_file_end(t, file, file->uncertain, TRACE_UNCERTAIN);
		else if (file->dumped)
			tasks_file_end(t, file, ns, 0);
		else
			leave_process(t, file);
	}
}

void tasks_mappings_leave(struct tasks *t, struct tasks_process *process, u64 mm, u64 ns)
{
	struct tasks_mapping *mapping = LIST_FIRST(&process->mappings), *next;

	for (; mapping; mapping = next) {
		struct tasks_space *space = mapping->space;

		next = LIST_NEXT(mapping, of_process);
		if (space->map.id == mm)
			continue;
		if (mapping->uncertain)
			tasks_mapping_end(t, mapping, mapping->uncertain, TRACE_UNCERTAIN);
		else
			tasks_mapping_end(t, mapping, ns, 0);
		tasks_space_settle(t, space);
	}
}

struct tasks_process *tasks_process_begin(struct tasks *t, u32 pid, const char *comm, u64 parent,
					  u16 flags, const struct world_item *it)
{
	struct tasks_process *process = calloc(1, sizeof(*process));

	if (!process) {
		tasks_fail(t, -ENOMEM);
		return NULL;
	}
	process->task.start = it->ns;
	process->task.parent = t->kinds & KIND_BIT(PROCESS) ? parent : 0;
	process->task.kind = TASKS_PROCESS;
	process->task.flags = flags;
	process->task.cpu = it->cpu;
	process->task.pid = pid;
	process->task.what = process->name;
	process->task.tgid_task = t->next_id + 1;
	tasks_set_name(process->name, comm);
	LIST_INIT(&process->threads);
	LIST_INSERT_HEAD(&t->processes, process, link);
	t->slots[pid].process = process;
	tasks_place(t, &process->task, TASKS_PROCESS, pid, 0);
	tasks_start(t, &process->task);
	return process;
}

void tasks_process_end(struct tasks *t, struct tasks_process *process, u64 ns, u16 flags)
{
	leave_files(t, process, ns);
	tasks_mappings_leave(t, process, 0, ns);
	tasks_end(t, &process->task, ns, flags);
	LIST_REMOVE(process, link);
	t->slots[process->task.pid].process = NULL;
	free(process);
}
