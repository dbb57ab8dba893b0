// SPDX-License-Identifier: GPL-2.0-only
/* ovni events about threads: OH (execution state) and OA (affinity). */
#include <errno.h>
#include <string.h>

#include "emu/ovni/ovni_model.h"
#include "emu/thread.h"
#include "emu/track.h"

static s32 payload_s32(const struct ovni_ev *ev, u32 offset)
{
	s32 v;

	memcpy(&v, (const u8 *)ev->payload + offset, sizeof(v));
	return v;
}

static struct emu_cpu *payload_cpu(struct emu *emu, const struct emu_thread *th,
				   const struct ovni_ev *ev)
{
	const struct emu_loom *loom = th->proc->loom;
	s32 index = payload_s32(ev, 0);
	struct emu_cpu *cpu = system_cpu(loom, index);

	if (!cpu)
		emu_fail(emu, -ENOENT, "loom %s has no CPU with index %d", loom->name, index);
	return cpu;
}

int ovni_execute(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct emu_cpu *cpu = payload_cpu(emu, th, ev);

	return cpu ? thread_execute(emu, th, cpu) : -ENOENT;
}

int ovni_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	int ret = thread_end(emu, th);

	(void)ev;
	return ret ? ret : ovni_mark_end(emu, th);
}

int ovni_cool(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_RUNNING, TH_COOLING);
}

int ovni_pause(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_RUNNING | 1 << TH_COOLING, TH_PAUSED);
}

int ovni_warm(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_PAUSED, TH_WARMING);
}

int ovni_resume(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_PAUSED | 1 << TH_WARMING, TH_RUNNING);
}

int ovni_affinity(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct emu_cpu *cpu;

	if (!th->cpu || !track_is_active(th->state))
		return emu_fail(emu, -EINVAL, "thread %d moves itself, but it is %s", th->tid,
				thread_state_name(th->state));
	cpu = payload_cpu(emu, th, ev);
	if (!cpu)
		return -ENOENT;
	return cpu == th->cpu ? 0 : thread_migrate(emu, th, cpu);
}

int ovni_affinity_other(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	s32 tid = payload_s32(ev, 4);
	struct emu_thread *other = system_thread(th->proc, tid);
	struct emu_cpu *cpu;

	if (!other)
		return emu_fail(emu, -ENOENT, "loom %s has no thread %d", th->proc->loom->name,
				tid);
	if (other->state == TH_UNKNOWN || other->state == TH_DEAD)
		return emu_fail(emu, -EINVAL, "thread %d cannot be moved, it is %s", tid,
				thread_state_name(other->state));
	cpu = payload_cpu(emu, th, ev);
	if (!cpu)
		return -ENOENT;
	if (cpu == other->cpu)
		return emu_fail(emu, -EINVAL, "thread %d is on CPU '%s' already", tid, cpu->name);
	return thread_migrate(emu, other, cpu);
}
