/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
#ifndef _UAPI_OVNIK_EVENTS_H
#define _UAPI_OVNIK_EVENTS_H

/*
 * The event table: one row, one event. Everything that has to know which
 * events there are is made from it: the numbers, the record layouts, the
 * probes' writers, sysfs, the description in meta.json, the decoder, the
 * reference in Documentation/events.rst.
 *
 *	EV(number, name, family, Laplace letter or 0, ovni events,
 *	   sentence, hook, what the hook cannot see, fields)
 *
 * A number is never given to another event, for it stands in captures.
 *
 *	F(event, type, name, unit)
 *
 * Types are u16, u32, u64, comm (16 bytes, NUL-terminated) and str (to the end
 * of the record, NUL-terminated; must be last, behind a first field u16 size).
 * The first field lies at offset 6 of the record if it is a u16, see ovnik.h.
 * A dead field is worse than a hole: order fields so that none is needed.
 */
#define OVNIK_EVENT_TABLE(EV, F)						\
	EV(1, anchor, meta, 0, "",						\
	   "TSC %{tsc} was CLOCK_MONOTONIC %{ns}; the 32-bit stamps of the " \
	   "records behind it count from there", \
	   "written by the ring when 32 bits of TSC have run out since the last base", "", \
	   F(anchor, u16, width, ticks)						\
	   F(anchor, u64, tsc, tsc)						\
	   F(anchor, u64, ns, ns))						\
	EV(2, sched_switch, sched, 's', "OAs OHp KCO; KCI OHr OAs",		\
	   "task %{prev_tid} leaves the CPU in state %{prev_state}, task %{next_tid} goes on", \
	   "tracepoint sched:sched_switch", "",					\
	   F(sched_switch, u16, prev_state, task_state)				\
	   F(sched_switch, u32, prev_tid, tid)					\
	   F(sched_switch, u32, next_tid, tid))					\
	EV(3, sched_wakeup, sched, 0, "",					\
	   "task %{tid} becomes runnable on CPU %{cpu} while %{waker_tid} runs", \
	   "tracepoint sched:sched_wakeup",					\
	   "a remote wakeup that was queued is seen on the target CPU: the task " \
	   "that runs there is not the waker", \
	   F(sched_wakeup, u16, cpu, cpu)					\
	   F(sched_wakeup, u32, tid, tid)					\
	   F(sched_wakeup, u32, waker_tid, tid))				\
	EV(4, sched_wakeup_new, sched, 0, "",					\
	   "new task %{tid} becomes runnable for the first time, on CPU %{cpu}", \
	   "tracepoint sched:sched_wakeup_new", "",				\
	   F(sched_wakeup_new, u16, cpu, cpu)					\
	   F(sched_wakeup_new, u32, tid, tid)					\
	   F(sched_wakeup_new, u32, waker_tid, tid))				\
	EV(5, sched_migrate, sched, 0, "",					\
	   "task %{tid} is moved from CPU %{orig_cpu} to CPU %{dest_cpu}",	\
	   "tracepoint sched:sched_migrate_task", "",				\
	   F(sched_migrate, u16, orig_cpu, cpu)					\
	   F(sched_migrate, u32, tid, tid)					\
	   F(sched_migrate, u32, dest_cpu, cpu))				\
	EV(6, task_fork, task, 'F', "OHx OHp KCO",				\
	   "task %{parent_tid} makes task %{child_tid} of process %{child_tgid}", \
	   "tracepoint sched:sched_process_fork", "",				\
	   F(task_fork, u16, flags, task_flags)					\
	   F(task_fork, u32, parent_tid, tid)					\
	   F(task_fork, u32, child_tid, tid)					\
	   F(task_fork, u32, parent_tgid, tid)					\
	   F(task_fork, u32, child_tgid, tid)					\
	   F(task_fork, u64, child_start, ns)					\
	   F(task_fork, comm, child_comm, text))				\
	EV(7, task_exec, task, 'X', "",						\
	   "task %{tid} (before: %{old_tid}) runs the image %{filename}, inode " \
	   "%{ino} of device %{dev_major}:%{dev_minor}", \
	   "tracepoint sched:sched_process_exec",				\
	   "comes when the new image is mapped already; the path is the one at " \
	   "the moment of the exec, as seen from the task's root", \
	   F(task_exec, u16, size, bytes)					\
	   F(task_exec, u32, tid, tid)						\
	   F(task_exec, u32, old_tid, tid)					\
	   F(task_exec, u32, tgid, tid)						\
	   F(task_exec, u32, generation, generation)				\
	   F(task_exec, u64, mm, mm)						\
	   F(task_exec, u64, ino, inode)					\
	   F(task_exec, u32, dev_major, device)					\
	   F(task_exec, u32, dev_minor, device)					\
	   F(task_exec, str, filename, path))					\
	EV(8, task_exit, task, 'T', "OHe at the last switch-out",		\
	   "task %{tid} of process %{tgid} ends with code %{exit_code}",	\
	   "tracepoint sched:sched_process_exit",				\
	   "the task goes on running in the kernel until its last switch-out",	\
	   F(task_exit, u16, exit_code, exit_code)				\
	   F(task_exit, u32, tid, tid)						\
	   F(task_exit, u32, tgid, tid))					\
	EV(9, task_comm, task, 0, "",						\
	   "task %{tid} of process %{tgid} is now called %{comm}",		\
	   "tracepoint task:task_rename", "",					\
	   F(task_comm, u32, tid, tid)						\
	   F(task_comm, u32, tgid, tid)						\
	   F(task_comm, comm, comm, text))					\
	EV(10, task_mm, mm, 'A', "",						\
	   "task %{tid} is assigned address space %{mm}, page directory frame %{pgd}", \
	   "fork: tracepoint sched:sched_process_fork; exec: function " \
	   "security_bprm_committing_creds (ftrace)", \
	   "a kernel thread that borrows an address space (kthread_use_mm)",	\
	   F(task_mm, u16, reason, mm_reason)					\
	   F(task_mm, u32, tid, tid)						\
	   F(task_mm, u32, tgid, tid)						\
	   F(task_mm, u64, mm, mm)						\
	   F(task_mm, u64, pgd, pfn))						\
	EV(11, mm_exit, mm, 'u', "",						\
	   "every mapping of address space %{mm} is destroyed",			\
	   "tracepoint mmap:exit_mmap",						\
	   "may run in any task: whoever drops the last user of the address space", \
	   F(mm_exit, u64, mm, mm)						\
	   F(mm_exit, u64, pgd, pfn))						\
	EV(12, dump_task, dump, 'A', "OHx OHp KCO",				\
	   "statedump: task %{tid} of process %{tgid} exists in state %{state}, " \
	   "last on CPU %{cpu}, in address space %{mm}", \
	   "walk of the task list", "synthetic: says what was before, not what happened", \
	   F(dump_task, u16, cpu, cpu)						\
	   F(dump_task, u32, tid, tid)						\
	   F(dump_task, u32, tgid, tid)						\
	   F(dump_task, u32, parent_tgid, tid)					\
	   F(dump_task, u16, state, task_state)					\
	   F(dump_task, u16, flags, task_flags)					\
	   F(dump_task, u64, start, ns)						\
	   F(dump_task, u64, mm, mm)						\
	   F(dump_task, u64, pgd, pfn)						\
	   F(dump_task, comm, comm, text))					\
	EV(13, dump_end, dump, 0, "",						\
	   "statedump: %{tasks} tasks were walked",				\
	   "walk of the task list", "",						\
	   F(dump_end, u32, tasks, count))					\
	EV(14, cpu_hotplug, cpu, 0, "",						\
	   "CPU %{cpu} has come on line (%{online} is 1) or is about to leave (0)", \
	   "CPU hotplug state", "a CPU still runs its own teardown after it is said to leave", \
	   F(cpu_hotplug, u16, cpu, cpu)					\
	   F(cpu_hotplug, u32, online, flag))

#endif /* _UAPI_OVNIK_EVENTS_H */
