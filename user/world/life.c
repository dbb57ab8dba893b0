// SPDX-License-Identifier: GPL-2.0-only
/* The live tasks, by number, and how they appear, change and end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "world/records.h"
#include "world/task.h"
#include "world/world_priv.h"

int task_table_init(struct task_table *t)
{
	memset(t, 0, sizeof(*t));
	/* Its unused pages are never touched. */
	t->tasks = calloc(TASK_TID_MAX + 1, sizeof(*t->tasks));
	t->ended = calloc(TASK_TID_MAX / 64 + 1, sizeof(*t->ended));
	return t->tasks && t->ended ? 0 : -ENOMEM;
}

void task_table_destroy(struct task_table *t)
{
	struct world_task *task, *next;

	for (task = t->tasks ? task_next(t, NULL) : NULL; task; task = next) {
		next = task_next(t, task);
		free(task);
	}
	free(t->tasks);
	free(t->ended);
	t->tasks = NULL;
	t->ended = NULL;
}

void task_insert(struct task_table *t, struct world_task *task)
{
	t->tasks[task->tid] = task;
	t->used[task->tid / TASK_WORD] |= 1ULL << task->tid / TASK_BLOCK % 64;
	t->ended[task->tid / 64] &= ~(1ULL << task->tid % 64);
	if (t->known)
		known_add(t->known, task->tid);
}

struct world_task *task_new(struct task_table *t, u32 tid)
{
	struct world_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->tid = tid;
	task->id = t->next_id++;
	task->cpu = -1;
	task_insert(t, task);
	return task;
}

void task_remove(struct task_table *t, const struct world_task *task, u64 tsc)
{
	t->tasks[task->tid] = NULL;
	if (t->known)
		known_del(t->known, task->tid, tsc);
}

/* The first number from @tid on whose block a task has had; beyond TASK_TID_MAX: there is none. */
static u32 next_used(const struct task_table *t, u32 tid)
{
	u64 bits = t->used[tid / TASK_WORD] >> tid / TASK_BLOCK % 64;
	u32 word = tid / TASK_WORD;

	if (bits & 1)
		return tid;
	if (bits)
		return (tid / TASK_BLOCK + __builtin_ctzll(bits)) * TASK_BLOCK;
	while (++word < ARRAY_SIZE(t->used)) {
		if (t->used[word])
			return word * TASK_WORD + __builtin_ctzll(t->used[word]) * TASK_BLOCK;
	}
	return TASK_TID_MAX + 1;
}

/* Numbers go up to millions, with few in use: blocks without any are not touched. */
struct world_task *task_next(const struct task_table *t, const struct world_task *task)
{
	u32 tid = task ? task->tid + 1 : 0;

	for (; tid <= TASK_TID_MAX; tid++) {
		if (!(tid % TASK_BLOCK))
			tid = next_used(t, tid);
		if (tid <= TASK_TID_MAX && t->tasks[tid])
			return t->tasks[tid];
	}
	return NULL;
}

static bool in_filter(const struct world *w, u32 tgid)
{
	unsigned int i;

	for (i = 0; i < w->nr_filter; i++) {
		if (w->filter[i] == tgid)
			return true;
	}
	return false;
}

static void learn_process(struct world *w, struct world_task *task, u32 tgid)
{
	if (task->told || !tgid || tgid > TASK_TID_MAX)
		return;
	task->told = tgid;
	if (w->filtered && in_filter(w, tgid))
		task->told_member = true;
	task->member |= task->told_member;
	if (!task->tgid)
		task->tgid = tgid;
}

static void make_member(struct world_task *task)
{
	task->member = true;
	task->told_member = true;
}

static void set_comm(struct world_task *task, const char *comm)
{
	memcpy(task->comm, comm, sizeof(task->comm));
	task->comm[sizeof(task->comm) - 1] = '\0';
}

/* Of a task that lives when the capture begins, only a later record may name the process. */
static void know_process(struct world *w, struct world_task *task)
{
	u32 tgid = task->id < w->nr_pids ? w->pids[task->id] : 0;

	/* A task whose process nothing names counts as a leader. */
	if (tgid != task->tid)
		task->tgid = tgid;
	if (w->filtered && in_filter(w, tgid))
		task->member = true;
}

static int make(struct world *w, u32 tid, struct world_task **task)
{
	*task = task_new(&w->tasks, tid);
	if (!*task)
		return -ENOMEM;
	(*task)->birth = w->tsc;
	know_process(w, *task);
	return 0;
}

/* The task that exchanges numbers next with the one that has @tid. */
static struct world_task *next_exchange(const struct world *w, const struct world_rename *list,
					u32 tid)
{
	u32 low = 0, high = w->nr_renames;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		const struct world_rename *at = &list[mid];

		if (at->tid < tid || (at->tid == tid && at->tsc < w->tsc))
			low = mid + 1;
		else
			high = mid;
	}
	if (low == w->nr_renames || list[low].tid != tid)
		return NULL;
	return task_find(&w->tasks, list[low].other);
}

struct world_task *world_heir(const struct world *w, u32 tid)
{
	return next_exchange(w, w->renames, tid);
}

struct world_task *world_leader(const struct world *w, u32 tid)
{
	return next_exchange(w, w->renames_by_old, tid);
}

/*
 * exec by a thread that is not the leader: it takes the leader's number, and the
 * leader, which has ended, gets the thread's.
 */
static void exchange(struct world *w, struct world_cpu *cpu, struct world_task *task, u32 tid)
{
	struct world_task *leader = task_find(&w->tasks, tid);
	struct world_item it = world_note(w, task->cpu < 0 ? cpu : &w->cpus[task->cpu], task);

	learn_process(w, task, tid);
	it.tid = task->tid;
	it.other = leader;
	task_remove(&w->tasks, task, w->tsc);
	task->start = 0;
	if (leader) {
		learn_process(w, leader, tid);
		task_remove(&w->tasks, leader, w->tsc);
		task->start = leader->start;
		leader->start = 0;
		leader->tid = task->tid;
		task_insert(&w->tasks, leader);
	}
	task->was = task->tid;
	task->tid = tid;
	task_insert(&w->tasks, task);
	world_notify(w, WORLD_TASK_NUMBER, &it);
}

/* A number that nobody has: the thread that has taken it, if its leader has ended; or NULL. */
static struct world_task *take_number(struct world *w, struct world_cpu *cpu, u32 tid)
{
	struct world_task *task = task_ended(&w->tasks, tid) ? world_heir(w, tid) : NULL;

	if (task)
		exchange(w, cpu, task, tid);
	return task;
}

bool world_took_number(struct world *w, struct world_cpu *cpu, u32 tid)
{
	struct world_task *task = cpu->running;

	if (!cpu->sure || !tid || task->told != tid || !task_ended(&w->tasks, tid))
		return false;
	exchange(w, cpu, task, tid);
	return true;
}

/* Is it a leader that has begun to end? By its number: another one may have it again. */
static bool is_ending(const struct world_task *task, u32 tgid)
{
	return task && task->exiting && task->tid == tgid && task->told == tgid;
}

/* As world_took_number(), by a record that an ending leader does not make. */
static void took_early(struct world *w, struct world_cpu *cpu, u32 tid)
{
	struct world_task *task = cpu->running, *leader = task_find(&w->tasks, tid);

	if (!is_ending(leader, tid))
		return;
	/* Without the switches between, one cannot tell who that was. */
	if (w->tasks.known)
		w->tasks.known->clash = true;
	if (task && cpu->sure && task != leader && task->told == tid)
		exchange(w, cpu, task, tid);
}

bool world_gave_number(const struct world *w, const struct world_cpu *cpu, u32 tid)
{
	const struct world_task *task = cpu->running, *thread = task_find(&w->tasks, tid);

	return cpu->sure && thread && thread != task && !thread->exiting &&
	       thread->told == task->told && is_ending(task, task->told);
}

/* Nothing says that somebody new has it; without the switches one cannot tell: maybe a thread. */
static void note_reuse(struct world *w, u32 tid)
{
	if (w->tasks.known && task_ended(&w->tasks, tid))
		w->tasks.known->clash = true;
}

static int look(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	struct world_item it;
	int ret;

	*task = tid ? task_find(&w->tasks, tid) : &cpu->idle;
	if (likely(*task))
		return 0;
	if (tid > TASK_TID_MAX) {
		w->stats.impossible++;
		return 0;
	}
	*task = take_number(w, cpu, tid);
	if (*task)
		return 0;
	ret = make(w, tid, task);
	if (ret)
		return ret;
	it = world_note(w, cpu, *task);
	world_notify(w, WORLD_TASK_FOUND, &it);
	return 0;
}

int world_task_look(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	note_reuse(w, tid);
	return look(w, cpu, tid, task);
}

int world_current_look(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	if (!cpu->running || !world_took_number(w, cpu, tid))
		return world_task_look(w, cpu, tid, task);
	*task = cpu->running;
	return 0;
}

/* Whoever runs has no part in this: no pass has to see the switches for it. */
int world_dumped_get(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	*task = task_ended(&w->tasks, tid) ? world_heir(w, tid) : NULL;
	return *task ? 0 : look(w, cpu, tid, task);
}

void world_task_die(struct world *w, struct world_cpu *cpu, struct world_task *task)
{
	struct world_item it = world_note(w, cpu, task);

	/* Without the switches between, one cannot tell whether it is its leader that ends. */
	if (w->tasks.known && !task->exiting && task->tid != task->told &&
	    is_ending(task_find(&w->tasks, task->told), task->told))
		w->tasks.known->clash = true;
	world_notify(w, WORLD_TASK_DEAD, &it);
	world_mm_leave(w, task);
	task_remove(&w->tasks, task, w->tsc);
	task_note_end(&w->tasks, task->tid);
	free(task);
}

/* Another task has its number now: its end was not recorded. */
static void replace(struct world *w, struct world_cpu *cpu, struct world_task *task)
{
	if (!w->filtered || task->member)
		w->stats.replaced++;
	world_off_cpu(w, task, WORLD_STATE_UNKNOWN);
	world_task_die(w, cpu, task);
}

static int inherit(struct world *w, struct world_task *child, const struct world_task *parent,
		   const struct ovnik_task_fork *rec)
{
	bool thread = rec->parent_tgid == rec->child_tgid;

	learn_process(w, child, rec->child_tgid);
	child->start = rec->child_start;
	child->kthread = rec->flags & OVNIK_TASK_KTHREAD;
	set_comm(child, rec->child_comm);
	if (thread || w->filter_children) {
		child->member |= parent->member;
		child->told_member |= parent->told_member;
	}
	/* If it does not share its parent's, a task_mm record comes next. */
	if (child->mm)
		return 0;
	return world_mm_join(w, child, parent->mm, parent->pgd);
}

int world_task_fork(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_fork *rec = it->rec;
	struct world_task *child;
	int ret;

	if (!rec->child_tid || rec->child_tid > TASK_TID_MAX) {
		w->stats.impossible++;
		return 0;
	}
	ret = world_task_get(w, cpu, rec->parent_tid, &it->other);
	if (ret || !it->other)
		return ret;
	if (rec->parent_tid)
		learn_process(w, it->other, rec->parent_tgid);
	child = task_find(&w->tasks, rec->child_tid);
	/* The statedump may have recorded it before its fork. */
	if (child && (child == it->other || child->start != rec->child_start)) {
		if (child == it->other)
			it->other = &cpu->idle;
		replace(w, cpu, child);
		child = NULL;
	}
	it->fresh = !child;
	if (!child) {
		ret = make(w, rec->child_tid, &child);
		if (ret)
			return ret;
	}
	ret = inherit(w, child, it->other, rec);
	if (ret)
		return ret;
	it->task = child;
	world_notify(w, WORLD_TASK_NEW, it);
	return 0;
}

/*
 * Without a pass before, the exec's own record is the first to say so. The leader has ended. What
 * has its number and is on this CPU, or on none without having begun to end, is the thread, which
 * a record has named before, or a leader whose end was lost. Return: the thread, if it goes on.
 */
static struct world_task *end_made_up(struct world *w, struct world_cpu *cpu,
				      struct world_task *task, struct world_task *leader)
{
	if (leader == cpu->running) {
		world_off_cpu(w, task, WORLD_STATE_UNKNOWN);
		world_task_die(w, cpu, task);
		return NULL;
	}
	if (leader->cpu < 0 && !leader->exiting)
		world_task_die(w, cpu, leader);
	return task;
}

/* The exec's own record: the last time to notice. */
static void note_exchange(struct world *w, struct world_cpu *cpu, u32 old_tid, u32 tid)
{
	struct world_task *task = task_find(&w->tasks, old_tid);
	struct world_task *leader = task_find(&w->tasks, tid);

	if (!task || !tid || tid > TASK_TID_MAX || old_tid == tid ||
	    (leader && leader->was == old_tid))
		return;
	if (leader && !w->nr_renames)
		task = end_made_up(w, cpu, task, leader);
	if (task)
		exchange(w, cpu, task, tid);
}

int world_task_exec(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_exec *rec = it->rec;
	int ret;

	if (rec->old_tid)
		note_exchange(w, cpu, rec->old_tid, rec->tid);
	ret = world_task_get(w, cpu, rec->tid, &it->task);
	if (ret || !it->task || !it->task->tid)
		return ret;
	it->task->was = 0;
	make_member(it->task);
	learn_process(w, it->task, rec->tgid);
	if (rec->mm && rec->mm != it->task->mm)
		ret = world_mm_join(w, it->task, rec->mm, 0);
	if (ret)
		return ret;
	world_notify(w, WORLD_TASK_EXEC, it);
	return 0;
}

/* The task a record is about, which is not an idle one. @own: it is that of the task that runs */
static int subject(struct world *w, struct world_cpu *cpu, struct world_item *it, u32 tid, u32 tgid,
		   bool own)
{
	int ret;

	if (!tid) {
		w->stats.impossible++;
		return 0;
	}
	if (own)
		took_early(w, cpu, tid);
	ret = own ? world_current_get(w, cpu, tid, &it->task) :
		    world_task_get(w, cpu, tid, &it->task);
	if (ret || !it->task)
		return ret;
	make_member(it->task);
	learn_process(w, it->task, tgid);
	return 0;
}

int world_task_exit(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_exit *rec = it->rec;
	int ret = subject(w, cpu, it, rec->tid, rec->tgid, true);

	if (ret || !it->task)
		return ret;
	it->task->exiting = true;
	/* It has just given up its address space. */
	world_mm_leave(w, it->task);
	world_notify(w, WORLD_TASK_EXIT, it);
	return 0;
}

/*
 * Does a thread give a name to its leader, which has ended? Maybe: or it has taken the leader's
 * number, and the name is its own, as its next record shows. A zombie needs none.
 */
static bool names_ended(const struct world *w, const struct world_cpu *cpu, u32 tid)
{
	return cpu->running && cpu->sure && cpu->running->told == tid &&
	       task_ended(&w->tasks, tid) && !world_heir(w, tid);
}

int world_task_comm(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_comm *rec = it->rec;
	int ret;

	if (names_ended(w, cpu, rec->tid))
		return 0;
	ret = subject(w, cpu, it, rec->tid, rec->tgid, false);

	if (ret || !it->task)
		return ret;
	set_comm(it->task, rec->comm);
	world_notify(w, WORLD_COMM, it);
	return 0;
}

int world_task_mm(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_mm *rec = it->rec;
	int ret = subject(w, cpu, it, rec->tid, rec->tgid, true);

	if (ret || !it->task)
		return ret;
	it->mm = rec->mm ? mm_lookup(&w->mms, rec->mm) : NULL;
	it->fresh = !it->mm || !it->mm->assigned;
	ret = world_mm_join(w, it->task, rec->mm, rec->pgd);
	if (ret)
		return ret;
	it->task->mm_epoch = w->mm_epoch + 1;
	it->mm = it->task->space;
	world_notify(w, WORLD_MM_ASSIGN, it);
	return 0;
}

static void fill_from_dump(struct world *w, struct world_task *task,
			   const struct ovnik_dump_task *rec)
{
	learn_process(w, task, rec->tgid);
	task->start = rec->start;
	task->kthread = rec->flags & OVNIK_TASK_KTHREAD;
	if (task->cpu < 0)
		task->state = rec->state;
	set_comm(task, rec->comm);
}

int world_dump_task(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_dump_task *rec = it->rec;
	struct world_task *task;
	int ret;

	if (!rec->tid || rec->tid > TASK_TID_MAX) {
		w->stats.impossible++;
		return 0;
	}
	task = task_find(&w->tasks, rec->tid);
	/* A dead task does nothing more that a row could show. */
	if (!task && (rec->state & (OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE))) {
		task_note_end(&w->tasks, rec->tid);
		return 0;
	}
	if (!task)
		task = take_number(w, cpu, rec->tid);
	if (task && task->start && rec->start && task->start != rec->start) {
		replace(w, cpu, task);
		task = NULL;
	}
	it->fresh = !task;
	if (!task) {
		note_reuse(w, rec->tid);
		ret = make(w, rec->tid, &task);
		if (ret)
			return ret;
	}
	it->moved = rec->mm && (task->mm != rec->mm || !task->pgd);
	fill_from_dump(w, task, rec);
	ret = world_mm_join(w, task, rec->mm, rec->pgd);
	if (ret)
		return ret;
	it->task = task;
	world_notify(w, WORLD_TASK_DUMP, it);
	return 0;
}
