/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_SYSTEM_H
#define OVNIK_EMU_SYSTEM_H

#include "emu/chan.h"
#include "emu/model_id.h"
#include "util/hash.h"
#include "util/idmap.h"
#include "util/types.h"

/*
 * The emulated system: looms (nodes) with CPUs and processes, processes with
 * threads. Everything is added first, then system_sort() assigns rows.
 */

#define EMU_VCPU (-1)	/* index of the virtual CPU of every loom */

struct emu;

/**
 * enum thread_state - Execution state of a thread, also the values of PRV type 4.
 */
enum thread_state {
	TH_UNKNOWN,
	TH_RUNNING,
	TH_PAUSED,
	TH_DEAD,
	TH_COOLING,
	TH_WARMING,
	TH_NR_STATES,
};

/**
 * enum cpu_set_id - The sets of threads a CPU keeps.
 * @SET_RUNNING: threads in state Running
 * @SET_ACTIVE: threads in state Running, Cooling or Warming
 */
enum cpu_set_id {
	SET_RUNNING,
	SET_ACTIVE,
	NR_CPU_SETS,
};

/* Channels every thread has, before those of the models. */
enum thread_chan {
	THREAD_CPU,
	THREAD_STATE,
	THREAD_TID,
	THREAD_NR_CORE,
};

/* Channels every CPU has; the last two select the followed thread. */
enum cpu_chan {
	CPU_TID,
	CPU_PID,
	CPU_NRUNNING,
	CPU_TH_RUNNING,
	CPU_TH_ACTIVE,
	CPU_NR_CORE,
};

/**
 * struct emu_thread - A thread.
 * @tid: its number
 * @row: position in thread.prv, from 0
 * @state: execution state
 * @out_of_cpu: between KCO and KCI
 * @set: bit per CPU set it is in
 * @proc: its process
 * @cpu: the CPU it is assigned to, or NULL
 * @prev: neighbours in the CPU's sets
 * @next: neighbours in the CPU's sets
 * @chan: its channels: THREAD_NR_CORE, then those of the models
 * @out: what its row shows in thread.prv, by channel
 * @busy: bitmap of the models' channels, without those that are null on their row
 * @priv: data of the models
 * @name: its name, or NULL
 */
struct emu_thread {
	s32 tid;
	u32 row;
	u8 state;
	bool out_of_cpu;
	u8 set;
	struct emu_proc *proc;
	struct emu_cpu *cpu;
	struct emu_thread *prev[NR_CPU_SETS];
	struct emu_thread *next[NR_CPU_SETS];
	struct chan *chan;
	struct prv_out *out;
	u64 *busy;
	void *priv[EMU_NR_MODELS];
	char *name;
};

/**
 * struct cpu_set - Some of the threads of a CPU.
 * @first: any of them
 * @n: how many there are
 */
struct cpu_set {
	struct emu_thread *first;
	u32 n;
};

/**
 * struct emu_cpu - A CPU.
 * @index: number within the loom, EMU_VCPU for the virtual CPU
 * @phyid: the operating system's number, -1 for the virtual CPU
 * @row: position in cpu.prv, from 0
 * @loom: the loom it belongs to
 * @set: its threads
 * @followed: the one running thread, or NULL; as last written to the channels
 * @chan: its core channels
 * @model_chan: its channels of models
 * @out: what its row shows in cpu.prv: CPU_NR_CORE, then the models' channels of threads,
 *	then @model_chan
 * @busy: bitmap of the models' channels of threads whose row does not show null
 * @name: row name
 */
struct emu_cpu {
	s32 index;
	s32 phyid;
	u32 row;
	struct emu_loom *loom;
	struct cpu_set set[NR_CPU_SETS];
	struct emu_thread *followed;
	struct chan chan[CPU_NR_CORE];
	struct chan *model_chan;
	struct prv_out *out;
	u64 *busy;
	char name[32];
};

/**
 * struct emu_proc - A process.
 * @pid: its number
 * @app_id: number of the application, 0 until it is set
 * @rank: MPI rank, -1 for none
 * @nranks: how many ranks there are
 * @loom: where it runs
 * @threads: its threads
 * @nthreads: how many
 * @priv: data of the models
 * @name: its name, or NULL
 */
struct emu_proc {
	s32 pid;
	s32 app_id;
	s32 rank;
	s32 nranks;
	struct emu_loom *loom;
	struct emu_thread **threads;
	u32 nthreads;
	void *priv[EMU_NR_MODELS];
	char *name;
};

/**
 * struct emu_loom - A node, or a part of one.
 * @emu: the emulator
 * @node: in the table of the system
 * @name: its name
 * @pos: position among the looms, from 0
 * @node_name: for rows and labels; NULL if there is no other loom, or if threads have no names
 *	either, as in traces of upstream; once sorted
 * @min_rank: smallest rank of its processes, -1 if none has one
 * @cpus: its CPUs; by index once they are complete
 * @ncpus: how many, without the virtual one
 * @vcpu: the virtual CPU
 * @procs: its processes
 * @nprocs: how many
 * @trace: directory of the trace that it is in; NULL: of none
 * @offset: what to add to its clocks
 * @synced: its clocks can be compared with those of other nodes
 * @by_index: CPU by index plus one
 * @by_phyid: CPU by number plus one
 * @by_pid: process by pid
 * @by_tid: thread by tid, of the first process that has it; once sorted
 * @by_pid_tid: thread by pid and tid
 */
struct emu_loom {
	struct emu *emu;
	struct hash_node node;
	char *name;
	u32 pos;
	char *node_name;
	s32 min_rank;
	struct emu_cpu **cpus;
	u32 ncpus;
	struct emu_cpu *vcpu;
	struct emu_proc **procs;
	u32 nprocs;
	const char *trace;
	s64 offset;
	bool synced;
	struct idmap by_index;
	struct idmap by_phyid;
	struct idmap by_pid;
	struct idmap by_tid;
	struct idmap by_pid_tid;
};

/**
 * struct system - All looms.
 * @looms: in row order once sorted
 * @nlooms: how many
 * @threads: in row order once sorted
 * @nthreads: how many
 * @cpus: in row order once sorted, the virtual ones included
 * @ncpus: how many
 * @named: a thread or a process has a name
 * @by_name: loom by name
 */
struct system {
	struct emu_loom **looms;
	u32 nlooms;
	struct emu_thread **threads;
	u32 nthreads;
	struct emu_cpu **cpus;
	u32 ncpus;
	bool named;
	struct hash_table by_name;
};

/**
 * system_init() - Make an empty system.
 * @sys: is set
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check system_init(struct system *sys);

/**
 * system_sort() - Check that nothing is missing and assign rows.
 * @emu: emulator
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check system_sort(struct emu *emu);

/**
 * system_free() - Free looms, CPUs, processes and threads.
 * @sys: system, or all zero
 */
void system_free(struct system *sys);

/**
 * system_loom() - Find a loom by its name.
 * @sys: system
 * @name: name
 *
 * Return: the loom or NULL.
 */
struct emu_loom *system_loom(const struct system *sys, const char *name);

/**
 * system_same_host() - Are two looms of one host? They have its name up to the first dot.
 * @a: loom
 * @b: another one
 *
 * Return: true, false.
 */
bool system_same_host(const struct emu_loom *a, const struct emu_loom *b);

/**
 * system_cpu() - Find a CPU by its number within the loom.
 * @loom: loom
 * @index: number, EMU_VCPU for the virtual CPU
 *
 * Return: the CPU or NULL.
 */
struct emu_cpu *system_cpu(const struct emu_loom *loom, s32 index);

/**
 * system_thread() - Find a thread of the loom, first in one process.
 * @proc: the process to prefer
 * @tid: number
 *
 * Return: the thread or NULL.
 */
struct emu_thread *system_thread(const struct emu_proc *proc, s32 tid);

/**
 * system_thread_exact() - Find a thread of a process.
 * @loom: loom
 * @pid: number of the process
 * @tid: number of the thread
 *
 * Return: the thread or NULL.
 */
struct emu_thread *system_thread_exact(const struct emu_loom *loom, s32 pid, s32 tid);

#endif /* OVNIK_EMU_SYSTEM_H */
