// SPDX-License-Identifier: GPL-2.0-only
/* Adding and finding looms, CPUs, processes and threads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/core.h"
#include "emu/system.h"

/* Make room for one more pointer; the room is a power of two. */
static void *array_grow(void *array, u32 n)
{
	if (n & (n - 1))
		return array;
	return realloc(array, (n ? 2 * (size_t)n : 1) * sizeof(void *));
}

static struct emu_cpu *cpu_new(struct emu_loom *loom, s32 index, s32 phyid)
{
	struct emu_cpu *cpu = calloc(1, sizeof(*cpu));

	if (!cpu)
		return NULL;
	cpu->loom = loom;
	cpu->index = index;
	cpu->phyid = phyid;
	return cpu;
}

static void cpu_free(struct emu_cpu *cpu)
{
	int i;

	if (!cpu)
		return;
	for (i = 0; i < CPU_NR_CORE; i++)
		chan_free(&cpu->chan[i]);
	free(cpu->model_chan);
	free(cpu->busy);
	free(cpu->out);
	free(cpu);
}

static void thread_free(struct emu_thread *th)
{
	free(th->chan);
	free(th->busy);
	free(th->out);
	free(th->name);
	free(th);
}

static void proc_free(struct emu_proc *proc)
{
	u32 i;

	for (i = 0; i < proc->nthreads; i++)
		thread_free(proc->threads[i]);
	free(proc->threads);
	free(proc->name);
	free(proc);
}

static void loom_free(struct emu_loom *loom)
{
	u32 i;

	for (i = 0; i < loom->nprocs; i++)
		proc_free(loom->procs[i]);
	for (i = 0; i < loom->ncpus; i++)
		cpu_free(loom->cpus[i]);
	cpu_free(loom->vcpu);
	idmap_free(&loom->by_index);
	idmap_free(&loom->by_phyid);
	idmap_free(&loom->by_pid);
	idmap_free(&loom->by_tid);
	idmap_free(&loom->by_pid_tid);
	free(loom->procs);
	free(loom->cpus);
	free(loom->node_name);
	free(loom->name);
	free(loom);
}

int system_init(struct system *sys)
{
	memset(sys, 0, sizeof(*sys));
	return hash_init(&sys->by_name);
}

void system_free(struct system *sys)
{
	u32 i;

	for (i = 0; i < sys->nlooms; i++)
		loom_free(sys->looms[i]);
	hash_destroy(&sys->by_name, NULL);
	free(sys->looms);
	free(sys->threads);
	free(sys->cpus);
	memset(sys, 0, sizeof(*sys));
}

static struct emu_loom *loom_find(const struct system *sys, const char *name, u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&sys->by_name, hash); node; node = hash_next(node)) {
		struct emu_loom *loom = container_of(node, struct emu_loom, node);

		if (!strcmp(loom->name, name))
			return loom;
	}
	return NULL;
}

static struct emu_loom *loom_new(struct emu *emu, const char *name)
{
	struct emu_loom *loom = calloc(1, sizeof(*loom));

	if (!loom)
		return NULL;
	loom->emu = emu;
	loom->min_rank = -1;
	loom->name = strdup(name);
	loom->vcpu = cpu_new(loom, EMU_VCPU, -1);
	if (loom->name && loom->vcpu)
		return loom;
	loom_free(loom);
	return NULL;
}

struct emu_loom *system_loom(const struct system *sys, const char *name)
{
	return loom_find(sys, name, hash_text(&sys->by_name, name));
}

struct emu_loom *emu_loom_add(struct emu *emu, const char *name)
{
	struct system *sys = &emu->sys;
	u64 hash = hash_text(&sys->by_name, name);
	struct emu_loom *loom;
	void *grown;

	loom = loom_find(sys, name, hash);
	if (loom)
		return loom;
	if (emu->sorted) {
		emu_fail(emu, -EINVAL, "loom %s is added too late", name);
		return NULL;
	}
	loom = loom_new(emu, name);
	if (!loom)
		goto err;
	grown = array_grow(sys->looms, sys->nlooms);
	if (!grown) {
		loom_free(loom);
		goto err;
	}
	sys->looms = grown;
	sys->looms[sys->nlooms++] = loom;
	hash_add(&sys->by_name, &loom->node, hash);
	return loom;

err:
	emu_fail(emu, -ENOMEM, "out of memory");
	return NULL;
}

/* A CPU may have number 0, which is not a valid key. */
static u64 cpu_key(s32 number)
{
	return (u64)(u32)number + 1;
}

int emu_cpu_add(struct emu_loom *loom, s32 index, s32 phyid)
{
	struct emu_cpu *cpu = idmap_ptr(&loom->by_index, cpu_key(index));
	void *grown;

	if (cpu && cpu->phyid == phyid)
		return 0;
	if (cpu)
		return emu_fail(loom->emu, -EINVAL, "loom %s: CPU index %d has phyid %d and %d",
				loom->name, index, cpu->phyid, phyid);
	if (index < 0 || phyid < 0)
		return emu_fail(loom->emu, -EINVAL, "loom %s: CPU index %d, phyid %d: negative",
				loom->name, index, phyid);
	cpu = idmap_ptr(&loom->by_phyid, cpu_key(phyid));
	if (cpu)
		return emu_fail(loom->emu, -EINVAL, "loom %s: CPU phyid %d has index %d and %d",
				loom->name, phyid, cpu->index, index);
	if (loom->emu->sorted)
		return emu_fail(loom->emu, -EINVAL, "CPU %d is added too late", index);
	cpu = cpu_new(loom, index, phyid);
	if (!cpu)
		goto err;
	grown = array_grow(loom->cpus, loom->ncpus);
	if (!grown) {
		cpu_free(cpu);
		goto err;
	}
	loom->cpus = grown;
	loom->cpus[loom->ncpus++] = cpu;
	if (idmap_set(&loom->by_index, cpu_key(index), cpu))
		goto err;
	if (idmap_set(&loom->by_phyid, cpu_key(phyid), cpu))
		goto err;
	return 0;

err:
	return emu_fail(loom->emu, -ENOMEM, "out of memory");
}

struct emu_proc *emu_proc_add(struct emu_loom *loom, s32 pid)
{
	struct emu_proc *proc = idmap_ptr(&loom->by_pid, (u32)pid);
	void *grown;

	if (proc)
		return proc;
	if (pid <= 0 || loom->emu->sorted) {
		emu_fail(loom->emu, -EINVAL, "process %d %s", pid,
			 pid <= 0 ? "is not greater than 0" : "is added too late");
		return NULL;
	}
	proc = calloc(1, sizeof(*proc));
	if (!proc)
		goto err;
	proc->pid = pid;
	proc->rank = -1;
	proc->loom = loom;
	grown = array_grow(loom->procs, loom->nprocs);
	if (!grown) {
		proc_free(proc);
		goto err;
	}
	loom->procs = grown;
	loom->procs[loom->nprocs++] = proc;
	if (idmap_set(&loom->by_pid, (u32)pid, proc))
		goto err;
	return proc;

err:
	emu_fail(loom->emu, -ENOMEM, "out of memory");
	return NULL;
}

int emu_proc_app(struct emu_proc *proc, s32 app_id)
{
	if (app_id <= 0)
		return emu_fail(proc->loom->emu, -EINVAL,
				"process %d: app_id %d is not greater than 0", proc->pid, app_id);
	if (proc->app_id && proc->app_id != app_id)
		return emu_fail(proc->loom->emu, -EINVAL, "process %d has app_id %d and %d",
				proc->pid, proc->app_id, app_id);
	proc->app_id = app_id;
	return 0;
}

int emu_proc_rank(struct emu_proc *proc, s32 rank, s32 nranks)
{
	if (rank < 0 || rank >= nranks)
		return emu_fail(proc->loom->emu, -EINVAL, "process %d: rank %d of %d ranks",
				proc->pid, rank, nranks);
	if (proc->rank >= 0 && (proc->rank != rank || proc->nranks != nranks))
		return emu_fail(proc->loom->emu, -EINVAL,
				"process %d has rank %d of %d and rank %d of %d", proc->pid,
				proc->rank, proc->nranks, rank, nranks);
	proc->rank = rank;
	proc->nranks = nranks;
	return 0;
}

static u64 pid_tid(s32 pid, s32 tid)
{
	return (u64)(u32)pid << 32 | (u32)tid;
}

static int name_set(struct emu *emu, char **name, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return emu_fail(emu, -ENOMEM, "out of memory");
	free(*name);
	*name = copy;
	emu->sys.named = true;
	return 0;
}

int emu_proc_name(struct emu_proc *proc, const char *name)
{
	return name_set(proc->loom->emu, &proc->name, name);
}

int emu_thread_name(struct emu_thread *thread, const char *name)
{
	return name_set(thread->proc->loom->emu, &thread->name, name);
}

struct emu_thread *emu_thread_add(struct emu_proc *proc, s32 tid)
{
	struct emu_loom *loom = proc->loom;
	struct emu_thread *th;
	void *grown;

	if (tid <= 0 || loom->emu->sorted) {
		emu_fail(loom->emu, -EINVAL, "thread %d %s", tid,
			 tid <= 0 ? "is not greater than 0" : "is added too late");
		return NULL;
	}
	if (idmap_ptr(&loom->by_pid_tid, pid_tid(proc->pid, tid))) {
		emu_fail(loom->emu, -EINVAL, "process %d has thread %d twice", proc->pid, tid);
		return NULL;
	}
	th = calloc(1, sizeof(*th));
	if (!th)
		goto err;
	th->tid = tid;
	th->proc = proc;
	grown = array_grow(proc->threads, proc->nthreads);
	if (!grown) {
		thread_free(th);
		goto err;
	}
	proc->threads = grown;
	proc->threads[proc->nthreads++] = th;
	if (idmap_set(&loom->by_pid_tid, pid_tid(proc->pid, tid), th))
		goto err;
	return th;

err:
	emu_fail(loom->emu, -ENOMEM, "out of memory");
	return NULL;
}

struct emu_cpu *emu_cpu_find(const struct emu_loom *loom, s32 index)
{
	return idmap_ptr(&loom->by_index, cpu_key(index));
}

bool system_same_host(const struct emu_loom *a, const struct emu_loom *b)
{
	size_t len = strcspn(a->name, ".");

	return strcspn(b->name, ".") == len && !memcmp(a->name, b->name, len);
}

struct emu_cpu *system_cpu(const struct emu_loom *loom, s32 index)
{
	if (index == EMU_VCPU)
		return loom->vcpu;
	if (index < 0 || (u32)index >= loom->ncpus)
		return NULL;
	return loom->cpus[index];
}

struct emu_thread *system_thread_exact(const struct emu_loom *loom, s32 pid, s32 tid)
{
	return idmap_ptr(&loom->by_pid_tid, pid_tid(pid, tid));
}

struct emu_thread *system_thread(const struct emu_proc *proc, s32 tid)
{
	struct emu_thread *th;

	th = system_thread_exact(proc->loom, proc->pid, tid);
	return th ? th : idmap_ptr(&proc->loom->by_tid, (u32)tid);
}
