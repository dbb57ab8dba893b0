// SPDX-License-Identifier: GPL-2.0-only
/* A capture as a whole: start, stop, snapshot, memory, CPUs that come and go. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/security.h>
#include <linux/ktime.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "around.h"
#include "capture.h"
#include "clock.h"
#include "config.h"
#include "dump.h"
#include "events.h"
#include "filter.h"
#include "owner.h"
#include "path.h"
#include "probe.h"
#include "refs.h"
#include "ring.h"
#include "ring_read.h"
#include "rw.h"
#include "statedump.h"
#include "waker.h"

/* How often a writer may be interrupted where a snapshot would mark its sub-buffer. */
#define MARK_TRIES	1000

/* Nothing preempts a writer: one that was interrupted ends in microseconds. */
#define WRITER_TRIES	10000

/*
 * Guarded by ovnik_lock. The worker goes from STARTING to READY or IDLE, and from STOPPING to
 * IDLE.
 */
static enum { IDLE, STARTING, READY, RUNNING, STOPPING } state;
static unsigned int nr_starts;
static unsigned int nr_waiting;	/* starts that wait for the hooks of the capture before */
static bool referenced;		/* the module, for the worker */
static int attach_error;

static DECLARE_WAIT_QUEUE_HEAD(changed);
static void change_hooks(struct work_struct *work);
static DECLARE_WORK(hooks, change_hooks);

static u64 session;
static int hp_prepare, hp_online;
static atomic_t readers;	/* open data files */

static void set_state(int now)
{
	WRITE_ONCE(state, now);
	wake_up_all(&changed);
}

/**
 * ovnik_capture_running() - Is anything recorded?
 *
 * Context: Any; stable while ovnik_lock is held.
 * Return: true from the end of a start to the beginning of the stop.
 */
bool ovnik_capture_running(void)
{
	return READ_ONCE(state) == RUNNING;
}

/**
 * ovnik_capture_begun() - Has a start begun, and no stop?
 *
 * Context: ovnik_lock held.
 * Return: true if settings have to stay as they are.
 */
bool ovnik_capture_begun(void)
{
	return nr_waiting || state == STARTING || state == READY || state == RUNNING;
}

/**
 * ovnik_capture_session() - Number of the capture that runs or ran last.
 *
 * Context: Any; stable while ovnik_lock is held.
 * Return: CLOCK_REALTIME ns at its start; 0 if there was none.
 */
u64 ovnik_capture_session(void)
{
	return READ_ONCE(session);
}

/* Give a CPU its ring if it has none. Context: ovnik_lock held, or hotplug. */
static int alloc_ring(unsigned int cpu)
{
	u32 size = ovnik_config.subbuf_size;

	return ovnik_ring_alloc(cpu, size, ovnik_config.buffer_size / size);
}

/**
 * ovnik_capture_open() - A data file is opened: its ring is there, and stays.
 * @cpu: any possible CPU; nr_cpu_ids: the statedump
 *
 * Context: Process, may sleep; ovnik_lock held.
 * Return: 0, and ovnik_capture_release() must follow; -ENOMEM.
 */
int ovnik_capture_open(unsigned int cpu)
{
	int ret = 0;

	cpus_read_lock();
	if (cpu < nr_cpu_ids)
		ret = alloc_ring(cpu);
	cpus_read_unlock();
	if (!ret)
		atomic_inc(&readers);
	return ret;
}

/**
 * ovnik_capture_release() - A data file is closed: its ring is not used any more.
 *
 * Context: Process.
 */
void ovnik_capture_release(void)
{
	atomic_dec(&readers);
}

/* With their contents and counts. */
static void free_rings(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		ovnik_ring_free(cpu);
		ovnik_ring_reset(per_cpu_ptr(&ovnik_ring, cpu), 0, 0);
	}
	ovnik_dump_reset(0, 0, false);
}

/*
 * Wait for the worker, without the lock. Another start may follow at once. Tests look for its
 * name in /proc/PID/wchan.
 */
static noinline int wait_while(int now)
{
	unsigned int start = nr_starts;
	int ret;

	mutex_unlock(&ovnik_lock);
	ret = wait_event_interruptible(changed, READ_ONCE(state) != now ||
				       READ_ONCE(nr_starts) != start);
	mutex_lock(&ovnik_lock);
	return ret;
}

static int wait_for_idle(void)
{
	int ret = 0;

	while (!ret && state == STOPPING)
		ret = wait_while(STOPPING);
	return ret;
}

/**
 * ovnik_capture_resize() - Set the memory of the next capture; the last one is freed.
 * @buffer_size: bytes per CPU, a multiple of @subbuf_size and at least twice it
 * @subbuf_size: bytes of a sub-buffer, a power of two
 *
 * Context: Process, may sleep; ovnik_lock held, but not while this waits for hooks, which may
 * be in the rings still.
 * Return: 0; -EINVAL for invalid sizes; -EBUSY while a capture runs or starts, or a data file is
 * open; -ERESTARTSYS after a signal. After an error nothing has changed.
 */
int ovnik_capture_resize(u64 buffer_size, u32 subbuf_size)
{
	int ret;

	if (!is_power_of_2(subbuf_size) || subbuf_size < OVNIK_SUBBUF_MIN ||
	    subbuf_size > OVNIK_SUBBUF_MAX)
		return -EINVAL;
	if (buffer_size < 2ULL * subbuf_size || buffer_size > OVNIK_BUFFER_MAX ||
	    buffer_size & (subbuf_size - 1))
		return -EINVAL;
	if (ovnik_capture_begun())
		return -EBUSY;
	if (buffer_size == ovnik_config.buffer_size && subbuf_size == ovnik_config.subbuf_size)
		return 0;
	ret = wait_for_idle();
	if (ret)
		return ret;
	/* Others may have had the lock. */
	if (ovnik_capture_begun() || atomic_read(&readers))
		return -EBUSY;
	cpus_read_lock();
	free_rings();
	WRITE_ONCE(session, 0);
	ovnik_config.buffer_size = buffer_size;
	ovnik_config.subbuf_size = subbuf_size;
	cpus_read_unlock();
	return 0;
}

static u64 wanted_events(void)
{
	u64 events = 0;
	unsigned int i;

	for_each_set_bit(i, ovnik_config.events, OVNIK_NR_EVENTS)
		events |= BIT_ULL(i);
	if (ovnik_filter_active())
		events |= OVNIK_FOR_FILTER;
	return events | ovnik_refs_events();
}

static int alloc_rings(void)
{
	unsigned int cpu;
	int ret = 0;

	for_each_online_cpu(cpu) {
		ret = alloc_ring(cpu);
		if (ret)
			break;
	}
	return ret;
}

/* Takes long for large rings: CPUs may come and go meanwhile. */
static void empty_rings(u64 number)
{
	u32 flags = ovnik_clock_flags();
	unsigned int cpu;

	if (ovnik_config.overwrite)
		flags |= OVNIK_SB_OVERWRITE;
	for_each_possible_cpu(cpu)
		ovnik_ring_reset(per_cpu_ptr(&ovnik_ring, cpu), number, flags);
	ovnik_dump_reset(number, flags, ovnik_config.overwrite);
}

/*
 * Rings of offline CPUs are switched on now: recording begins when the CPU comes up. The
 * probes run already, but find every other ring off.
 */
static int rings_on(u64 number)
{
	unsigned int cpu;
	int ret;

	cpus_read_lock();
	/* For CPUs that have come meanwhile. */
	ret = alloc_rings();
	if (ret)
		goto out_unlock;
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(&ovnik_ring, cpu)->on, !cpu_online(cpu));
	WRITE_ONCE(session, number);
	ovnik_probes_forget_missed();
	on_each_cpu(ovnik_ring_start, NULL, 1);
	set_state(RUNNING);
out_unlock:
	cpus_read_unlock();
	return ret;
}

static void rings_off(void)
{
	unsigned int cpu;

	on_each_cpu(ovnik_ring_stop, NULL, 1);
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			continue;
		WRITE_ONCE(per_cpu_ptr(&ovnik_ring, cpu)->on, false);
		ovnik_ring_flush_dead(cpu);
	}
	ovnik_dump_ring.on = false;
}

static void wake_readers(void)
{
	ovnik_rings_wake();
	wake_up_interruptible(&ovnik_dump_ring.wait);
}

static void hooks_changed(int now)
{
	if (referenced)
		module_put(THIS_MODULE);
	referenced = false;
	set_state(now);
}

/*
 * Hooks come and go in a worker: the kernel waits then until each task that could run has done so,
 * however long that takes, once for each of some hooks, with locks of its own held, and cannot be
 * interrupted. Who starts or stops waits for the worker without a lock, and may be interrupted.
 */
static void change_hooks(struct work_struct *work)
{
	u64 events;
	int ret;

	mutex_lock(&ovnik_lock);
	if (state == STARTING) {
		events = wanted_events();
		mutex_unlock(&ovnik_lock);
		ret = ovnik_probes_attach(events);
		mutex_lock(&ovnik_lock);
		attach_error = ret;
		if (state == STARTING)
			hooks_changed(ret ? IDLE : READY);
	}
	if (state == STOPPING) {
		mutex_unlock(&ovnik_lock);
		ovnik_probes_detach();
		ovnik_filter_disarm();
		ovnik_owner_disarm();
		mutex_lock(&ovnik_lock);
		hooks_changed(IDLE);
	}
	mutex_unlock(&ovnik_lock);
}

/* The module stays until the worker is done; if it goes already, ovnik_capture_exit() waits. */
static void queue_hooks(int now)
{
	if (!referenced)
		referenced = try_module_get(THIS_MODULE);
	set_state(now);
	queue_work(system_unbound_wq, &hooks);
}

/* The hooks go. Who has an error, @ret, learns it at once. */
static int wait_for_detach(int ret)
{
	queue_hooks(STOPPING);
	if (ret)
		return ret;
	ret = wait_while(STOPPING);
	/* Whoever writes to "enable" is in a function that was hooked around, perhaps. */
	if (state == IDLE)
		ovnik_around_settle();
	return ret;
}

static int wait_for_attach(void)
{
	unsigned int start = nr_starts + 1;
	int ret;

	WRITE_ONCE(nr_starts, start);
	attach_error = 0;
	queue_hooks(STARTING);
	ret = wait_while(STARTING);
	if (nr_starts != start || state == STOPPING)
		return -ECANCELED;
	if (state == IDLE)
		return attach_error ? attach_error : -ECANCELED;
	/* The worker goes on: it detaches what it has attached. */
	if (state == STARTING)
		set_state(STOPPING);
	return state == READY ? 0 : ret;
}

/* The probes are attached. */
static int begin_recording(void)
{
	u64 number;
	int ret;

	ovnik_filter_arm();
	ovnik_owner_arm();
	number = ktime_get_real_ns();
	ret = alloc_rings();
	if (!ret) {
		empty_rings(number);
		ret = rings_on(number);
	}
	/* Some CPUs have their ring. */
	if (ret && !atomic_read(&readers))
		free_rings();
	return ret;
}

/**
 * ovnik_capture_start() - Record from now on, with empty rings.
 *
 * The probes are registered first, then each CPU is switched on by itself: no event of
 * a CPU is missing from the time in the header of its first sub-buffer on.
 *
 * Context: Process, may sleep; ovnik_lock held, but not while this waits for hooks.
 * Return: 0; -EBUSY if a capture runs or starts already, or if kernel.ftrace_enabled is 0;
 * -ENOMEM; -EPERM under lockdown; -ERESTARTSYS after a signal; -ECANCELED if it was stopped
 * meanwhile; another error of a hook that was refused.
 */
int ovnik_capture_start(void)
{
	int ret;

	nr_waiting++;
	ret = wait_for_idle();
	nr_waiting--;
	if (ret)
		return ret;
	if (state != IDLE)
		return -EBUSY;
	/* The records show what tracefs shows, and physical frames. */
	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;
	ovnik_rw_reset();
	ovnik_wakers_reset();
	ret = wait_for_attach();
	if (ret)
		return ret;
	ret = begin_recording();
	if (ret)
		return wait_for_detach(ret);

	/* Without it, nothing that existed before would have a name. */
	ret = ovnik_statedump();
	if (ret)
		ovnik_capture_stop();
	else
		ovnik_refs_start();
	return ret;
}

/* Until then, a record may be reserved that is not written. */
static void wait_for_writers(void)
{
	int tries = WRITER_TRIES;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		while (!ovnik_ring_is_whole(per_cpu_ptr(&ovnik_ring, cpu)) && --tries > 0)
			usleep_range(100, 200);
	}
}

static int end_recording(void)
{
	int ret = 0;

	ovnik_refs_stop();
	if (ovnik_config.overwrite)
		ret = ovnik_statedump();
	cpus_read_lock();
	rings_off();
	cpus_read_unlock();
	ovnik_probes_lose_missed();
	wait_for_writers();
	cpus_read_lock();
	set_state(STOPPING);
	cpus_read_unlock();
	wake_readers();
	return ret;
}

/**
 * ovnik_capture_stop() - Stop recording; the records stay readable.
 *
 * In overwrite mode a statedump comes first: the one of the start was overwritten. A start that
 * still waits for its hooks is given up.
 *
 * Context: Process, may sleep; ovnik_lock held, but not while this waits until no hook is left.
 * Return: 0, also when no capture runs; the error of ovnik_statedump(), without a wait;
 * -ERESTARTSYS after a signal. The capture has stopped in any case; the hooks go.
 */
int ovnik_capture_stop(void)
{
	int ret = 0;

	if (state == IDLE)
		return 0;
	if (state == RUNNING)
		ret = end_recording();
	return wait_for_detach(ret);
}

/*
 * An interrupted writer makes its sub-buffer unreadable until it goes on. That is seldom and
 * soon over: to close the sub-buffer, which costs the oldest one, is the last resort.
 */
static void mark_cpu(unsigned int cpu)
{
	int tries = MARK_TRIES;
	bool done = false;

	do {
		smp_call_function_single(cpu, ovnik_ring_mark, &done, 1);
		cond_resched();
	} while (!done && --tries);
	if (!done)
		smp_call_function_single(cpu, ovnik_ring_flush, NULL, 1);
}

/* In discard mode a reader makes room again; in overwrite mode nobody does. */
static void flush_rings(void)
{
	unsigned int cpu;

	cpus_read_lock();
	if (!ovnik_config.overwrite)
		on_each_cpu(ovnik_ring_flush, NULL, 1);
	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu))
			ovnik_ring_flush_dead(cpu);
		else if (ovnik_config.overwrite)
			mark_cpu(cpu);
	}
	cpus_read_unlock();
}

/**
 * ovnik_capture_snapshot() - Make all records up to now readable.
 *
 * Writes a statedump and closes every CPU's open sub-buffer, or in overwrite mode marks how
 * far it can be read; the capture goes on.
 *
 * Context: Process, may sleep; ovnik_lock held.
 * Return: 0, also when no capture runs; the error of ovnik_statedump(), but the
 * rest was done.
 */
int ovnik_capture_snapshot(void)
{
	int ret;

	if (state != RUNNING)
		return 0;
	ovnik_probes_lose_missed();
	ret = ovnik_statedump();
	flush_rings();
	/*
	 * The flush may have interrupted a writer, whose sub-buffer completes later. Since
	 * 7.0 the first call waits for tracepoints only.
	 */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	wake_readers();
	return ret;
}

static void record_hotplug(unsigned int cpu, u32 online)
{
	struct ovnik_cpu_hotplug *rec;
	struct ovnik_slot slot;

	preempt_disable();
	rec = ovnik_begin(&slot, cpu_hotplug);
	if (rec) {
		rec->cpu = cpu;
		rec->online = online;
		ovnik_commit(&slot, cpu_hotplug);
	}
	preempt_enable();
}

/*
 * Before a CPU runs. Without memory its events are counted as dropped. ovnik_lock cannot be
 * taken, because others take cpus_read_lock() inside it. But that lock is held for writing
 * here, and rings change only while it is held for reading.
 */
static int cpu_prepare(unsigned int cpu)
{
	if (ovnik_capture_running() && alloc_ring(cpu))
		pr_warn("CPU %u: no memory for its ring, its events are dropped\n", cpu);
	return 0;
}

static int cpu_dead(unsigned int cpu)
{
	ovnik_ring_flush_dead(cpu);
	return 0;
}

static int cpu_online_here(unsigned int cpu)
{
	record_hotplug(cpu, 1);
	return 0;
}

static int cpu_going_down(unsigned int cpu)
{
	record_hotplug(cpu, 0);
	return 0;
}

/**
 * ovnik_capture_init() - Prepare for captures.
 *
 * Context: Process, at module load.
 * Return: 0; a negative errno, and nothing is left behind.
 */
int ovnik_capture_init(void)
{
	unsigned int i;
	int ret;

	ovnik_rings_init();
	ovnik_dump_init();
	ret = ovnik_probes_find();
	if (ret)
		return ret;
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (ovnik_events[i].name && !ovnik_probes_lack(i))
			set_bit(i, ovnik_config.events);
	}
	ret = ovnik_path_init();
	if (ret)
		goto err_forget_probes;
	ret = ovnik_rw_init();
	if (ret)
		goto err_exit_path;

	hp_prepare = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "ovnik:prepare",
					       cpu_prepare, cpu_dead);
	if (hp_prepare < 0) {
		ret = hp_prepare;
		goto err_exit_rw;
	}
	hp_online = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ovnik:online",
					      cpu_online_here, cpu_going_down);
	if (hp_online < 0) {
		ret = hp_online;
		goto err_remove_prepare;
	}
	return 0;

err_remove_prepare:
	cpuhp_remove_state_nocalls(hp_prepare);
err_exit_rw:
	ovnik_rw_exit();
err_exit_path:
	ovnik_path_exit();
err_forget_probes:
	ovnik_probes_forget();
	return ret;
}

/**
 * ovnik_capture_exit() - Stop a running capture and free all memory.
 *
 * Context: Process, at module unload; no data file is open.
 */
void ovnik_capture_exit(void)
{
	mutex_lock(&ovnik_lock);
	ovnik_capture_stop();
	mutex_unlock(&ovnik_lock);
	flush_work(&hooks);
	ovnik_probes_unhook_rest();
	cpuhp_remove_state_nocalls(hp_online);
	cpuhp_remove_state_nocalls(hp_prepare);
	free_rings();
	ovnik_probes_forget();
	ovnik_rw_exit();
	ovnik_path_exit();
	ovnik_filter_exit();
}
