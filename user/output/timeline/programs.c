// SPDX-License-Identifier: GPL-2.0-only
/* Programs, of threads that are summed up on a CPU: see timeline.h. */
#include <stdlib.h>
#include <string.h>

#include "output/timeline/timeline.h"

static struct timeline_program *find(const struct timeline *tl, const char *name, u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&tl->by_name, hash); node; node = hash_next(node)) {
		struct timeline_program *p = container_of(node, struct timeline_program, node);

		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

static struct timeline_program *add(struct timeline *tl, const char *name, u64 hash)
{
	struct timeline_program *p;

	if (tl->nr_programs == TIMELINE_PROGRAMS)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	memcpy(p->name, name, strnlen(name, sizeof(p->name) - 1));
	p->nr = tl->nr_programs++;
	STAILQ_INSERT_TAIL(&tl->programs, p, next);
	hash_add(&tl->by_name, &p->node, hash);
	return p;
}

/* By the name that the process has now. Return: the key of its program; 0: of the others. */
u64 timeline_program_of(void *data, u64 thread)
{
	struct timeline *tl = data;
	const struct timeline_thread *th = idmap_ptr(&tl->by_nr, thread);
	struct timeline_program *program;
	struct timeline_process *p;
	u64 hash;

	if (!th || !th->process)
		return 0;
	p = th->process;
	if (!p->program) {
		hash = hash_text(&tl->by_name, p->name);
		program = find(tl, p->name, hash);
		if (!program)
			program = add(tl, p->name, hash);
		p->program = program ? LANE_GROUP + program->nr : 0;
	}
	return p->program;
}

void timeline_free_programs(struct timeline *tl)
{
	struct timeline_program *p;

	while ((p = STAILQ_FIRST(&tl->programs))) {
		STAILQ_REMOVE_HEAD(&tl->programs, next);
		free(p);
	}
	hash_destroy(&tl->by_name, NULL);
	idmap_free(&tl->by_nr);
}
