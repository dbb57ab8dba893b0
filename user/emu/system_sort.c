// SPDX-License-Identifier: GPL-2.0-only
/* Sorts looms, CPUs, processes and threads, and assigns rows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/core.h"
#include "emu/system.h"
#include "util/msg.h"

static int cmp_s32(s32 a, s32 b)
{
	return (a > b) - (a < b);
}

static int cmp_loom_rank(const void *a, const void *b)
{
	const struct emu_loom *x = *(struct emu_loom * const *)a;
	const struct emu_loom *y = *(struct emu_loom * const *)b;

	return cmp_s32(x->min_rank, y->min_rank);
}

static int cmp_loom_name(const void *a, const void *b)
{
	const struct emu_loom *x = *(struct emu_loom * const *)a;
	const struct emu_loom *y = *(struct emu_loom * const *)b;

	return strcmp(x->name, y->name);
}

static int cmp_proc_rank(const void *a, const void *b)
{
	const struct emu_proc *x = *(struct emu_proc * const *)a;
	const struct emu_proc *y = *(struct emu_proc * const *)b;

	return cmp_s32(x->rank, y->rank);
}

static int cmp_proc_pid(const void *a, const void *b)
{
	const struct emu_proc *x = *(struct emu_proc * const *)a;
	const struct emu_proc *y = *(struct emu_proc * const *)b;

	return cmp_s32(x->pid, y->pid);
}

static int cmp_thread(const void *a, const void *b)
{
	const struct emu_thread *x = *(struct emu_thread * const *)a;
	const struct emu_thread *y = *(struct emu_thread * const *)b;

	return cmp_s32(x->tid, y->tid);
}

static int cmp_cpu_phyid(const void *a, const void *b)
{
	const struct emu_cpu *x = *(struct emu_cpu * const *)a;
	const struct emu_cpu *y = *(struct emu_cpu * const *)b;

	return cmp_s32(x->phyid, y->phyid);
}

static int cmp_cpu_index(const void *a, const void *b)
{
	const struct emu_cpu *x = *(struct emu_cpu * const *)a;
	const struct emu_cpu *y = *(struct emu_cpu * const *)b;

	return cmp_s32(x->index, y->index);
}

static void sort(void *array, u32 n, int (*cmp)(const void *a, const void *b))
{
	if (n > 1)
		qsort(array, n, sizeof(void *), cmp);
}

static int loom_check(struct emu *emu, struct emu_loom *loom)
{
	u32 nranks = 0;
	u32 i;

	for (i = 0; i < loom->nprocs; i++) {
		struct emu_proc *proc = loom->procs[i];

		if (!proc->app_id)
			return emu_fail(emu, -EINVAL, "process %d has no app_id", proc->pid);
		if (proc->rank < 0)
			continue;
		nranks++;
		if (loom->min_rank < 0 || proc->rank < loom->min_rank)
			loom->min_rank = proc->rank;
	}
	if (nranks && nranks != loom->nprocs)
		return emu_fail(emu, -EINVAL, "loom %s: %u of %u processes have no rank",
				loom->name, loom->nprocs - nranks, loom->nprocs);
	if (!loom->ncpus)
		return emu_fail(emu, -EINVAL, "loom %s has no CPUs (ovni.loom_cpus)", loom->name);
	return 0;
}

static int loom_sort(struct emu *emu, struct emu_loom *loom)
{
	u32 i, j;

	sort(loom->procs, loom->nprocs, loom->min_rank >= 0 ? cmp_proc_rank : cmp_proc_pid);
	for (i = 0; i < loom->nprocs; i++) {
		struct emu_proc *proc = loom->procs[i];

		sort(proc->threads, proc->nthreads, cmp_thread);
		for (j = 0; j < proc->nthreads; j++) {
			struct emu_thread *th = proc->threads[j];
			struct idmap_slot *slot = idmap_put(&loom->by_tid, (u32)th->tid);

			if (!slot)
				return emu_fail(emu, -ENOMEM, "out of memory");
			/* OAr uses the first process that has the tid. */
			if (!slot->ptr)
				slot->ptr = th;
		}
	}
	sort(loom->cpus, loom->ncpus, cmp_cpu_index);
	for (i = 0; i < loom->ncpus; i++) {
		if (loom->cpus[i]->index != (s32)i)
			return emu_fail(emu, -EINVAL, "loom %s has %u CPUs but none with index %u",
					loom->name, loom->ncpus, i);
	}
	return 0;
}

/* A node is called by its host, or by its loom if that is not the host's only one. */
static int loom_name(struct emu *emu, struct emu_loom *loom)
{
	const struct system *sys = &emu->sys;
	size_t len = strcspn(loom->name, ".");
	u32 i;

	if (sys->nlooms == 1 || !sys->named)
		return 0;
	for (i = 0; i < sys->nlooms; i++) {
		if (i != loom->pos && system_same_host(loom, sys->looms[i]))
			len = strlen(loom->name);
	}
	loom->node_name = strndup(loom->name, len);
	return loom->node_name ? 0 : emu_fail(emu, -ENOMEM, "out of memory");
}

static int looms_sort(struct emu *emu)
{
	struct system *sys = &emu->sys;
	u32 ranked = 0;
	u32 i;
	int ret;

	for (i = 0; i < sys->nlooms; i++) {
		ret = loom_check(emu, sys->looms[i]);
		if (ret)
			return ret;
		ranked += sys->looms[i]->min_rank >= 0;
	}
	if (ranked && ranked != sys->nlooms)
		msg_warn("%u of %u looms have no ranks: looms are sorted by name",
			 sys->nlooms - ranked, sys->nlooms);
	sort(sys->looms, sys->nlooms, ranked == sys->nlooms ? cmp_loom_rank : cmp_loom_name);
	for (i = 0; i < sys->nlooms; i++) {
		sys->looms[i]->pos = i;
		ret = loom_name(emu, sys->looms[i]) ?: loom_sort(emu, sys->looms[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int rows_alloc(struct emu *emu)
{
	struct system *sys = &emu->sys;
	u32 i, j;

	for (i = 0; i < sys->nlooms; i++) {
		sys->ncpus += sys->looms[i]->ncpus + 1;
		for (j = 0; j < sys->looms[i]->nprocs; j++)
			sys->nthreads += sys->looms[i]->procs[j]->nthreads;
	}
	if (!sys->nthreads)
		return emu_fail(emu, -EINVAL, "there are no threads");
	sys->cpus = calloc(sys->ncpus, sizeof(*sys->cpus));
	sys->threads = calloc(sys->nthreads, sizeof(*sys->threads));
	if (!sys->cpus || !sys->threads)
		return emu_fail(emu, -ENOMEM, "out of memory");
	return 0;
}

static struct emu_cpu **cpu_rows(const struct emu_loom *loom, struct emu_cpu **at)
{
	u32 i;

	memcpy(at, loom->cpus, loom->ncpus * sizeof(*at));
	sort(at, loom->ncpus, cmp_cpu_phyid);
	at[loom->ncpus] = loom->vcpu;
	for (i = 0; i < loom->ncpus; i++)
		snprintf(at[i]->name, sizeof(at[i]->name), " CPU %u.%d", loom->pos, at[i]->phyid);
	snprintf(loom->vcpu->name, sizeof(loom->vcpu->name), "vCPU %u.*", loom->pos);
	return at + loom->ncpus + 1;
}

static struct emu_thread **thread_rows(const struct emu_loom *loom, struct emu_thread **at)
{
	u32 i;

	for (i = 0; i < loom->nprocs; i++) {
		const struct emu_proc *proc = loom->procs[i];

		if (proc->nthreads)
			memcpy(at, proc->threads, proc->nthreads * sizeof(*at));
		at += proc->nthreads;
	}
	return at;
}

int system_sort(struct emu *emu)
{
	struct system *sys = &emu->sys;
	struct emu_thread **th;
	struct emu_cpu **cpu;
	u32 i;
	int ret;

	ret = looms_sort(emu);
	if (ret)
		return ret;
	ret = rows_alloc(emu);
	if (ret)
		return ret;
	cpu = sys->cpus;
	th = sys->threads;
	for (i = 0; i < sys->nlooms; i++) {
		cpu = cpu_rows(sys->looms[i], cpu);
		th = thread_rows(sys->looms[i], th);
	}
	for (i = 0; i < sys->ncpus; i++)
		sys->cpus[i]->row = i;
	for (i = 0; i < sys->nthreads; i++)
		sys->threads[i]->row = i;
	emu->sorted = true;
	return 0;
}
