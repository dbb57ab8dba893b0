// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-report - write a capture whose sums report.sh knows
 *
 *	gen-report known DIR
 *	gen-report lossy DIR		the same, without what happened from 35 to 50 on CPU 0
 *	gen-report wakeups DIR		the same, without wakeups
 *	gen-report ends DIR		the same, without beginnings of calls on files
 *	gen-report filter DIR		the same, of process 100 only, and it waits once more
 *	gen-report family DIR		known, with a filter: process 200 and its children
 *	gen-report reused DIR		known, but the second child with the number 400 is "heir"
 *	gen-report early DIR		the task on CPU 1 is not known at first
 *	gen-report begun DIR		likewise; then one is known, while another one waits
 *	gen-report nested DIR		process 100 waits within a call, and within a fault
 *	gen-report memory DIR		page faults in memory of all kinds
 *	gen-report busy DIR N		N runs while another thread waits
 *	gen-report threads DIR		a thread runs before the statedump names its process, whose
 *					leader only sleeps; nothing names the last thread
 *	gen-report alone DIR		one process, which waits for a disk
 *	gen-report twins DIR		two processes of one program
 *	gen-report kernel DIR		kernel threads wait longer for a CPU than a program: one
 *					goes on, one ends, and one ends before the statedump
 *					comes to it
 *	gen-report late DIR		a wakeup is recorded when the waker waits again or has ended
 *	gen-report successor DIR	likewise; and its number is another's by then
 *	gen-report moved DIR		a thread that waits for a CPU is moved to another one
 *	gen-report empty DIR		nothing
 *	gen-report files DIR N		file I of N: I ns to read N + 1 - I bytes, and 1, 2, 4 or 8
 *					pages are added, half of them removed; those from 30001 to
 *					31000 twice
 */
#include <stdbool.h>

#include "capgen.h"

#define DISK	(8 << 20 | 1)
#define INO_A	60
#define INO_LOG	50

static struct capgen gen;
static bool lossy, filter, family, reused, wakeups = true, begins = true;

/* Two ticks are a nanosecond; the capture begins at microsecond 0. */
static u64 at(u64 us)
{
	return 1000000000 + us * 2000;
}

static void wake(unsigned int cpu, u64 us, u32 tid, u16 target)
{
	if (wakeups)
		capgen_wakeup(&gen, cpu, at(us), tid, target);
}

static void sleeps(unsigned int cpu, u64 us, u16 state, u32 prev, u32 next)
{
	capgen_switch(&gen, cpu, at(us), state, prev, next);
}

static void call(u64 us, u16 op)
{
	struct ovnik_file_begin *rec;

	if (!begins)
		return;
	rec = CAPGEN_RECORD(&gen, 0, at(us), file_begin);
	rec->op = op;
	rec->tid = 100;
}

static void got(u64 us, u16 op, u64 ino, s32 result)
{
	struct ovnik_file_read *rec = CAPGEN_RECORD(&gen, 0, at(us), file_read);

	rec->op = op;
	rec->tid = 100;
	rec->dev = DISK;
	rec->ino = ino;
	rec->result = result;
}

static void put(u64 us, u16 op, u64 ino, s32 result)
{
	struct ovnik_file_write *rec = CAPGEN_RECORD(&gen, 0, at(us), file_write);

	rec->op = op;
	rec->tid = 100;
	rec->dev = DISK;
	rec->ino = ino;
	rec->result = result;
}

static void fault(u64 us)
{
	struct ovnik_page_fault *rec = CAPGEN_RECORD(&gen, 0, at(us), page_fault);

	rec->error = OVNIK_FAULT_USER | OVNIK_FAULT_WRITE;
	rec->tid = 100;
}

static void fault_end(u64 us, u16 result)
{
	struct ovnik_page_fault_end *rec = CAPGEN_RECORD(&gen, 0, at(us), page_fault_end);

	rec->result = result;
	rec->tid = 100;
}

static void cow(u64 us)
{
	struct ovnik_cow_break *rec = CAPGEN_RECORD(&gen, 0, at(us), cow_break);

	rec->kind = OVNIK_COW_ANON;
	rec->tid = 100;
	rec->mm = 7;
}

static void opened(u64 tsc, u64 ino, const char *path)
{
	struct ovnik_file_open *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, file_open, path, path);

	rec->tid = 100;
	rec->dev = DISK;
	rec->ino = ino;
}

static void closed(u64 tsc, u64 ino)
{
	struct ovnik_file_close *rec = CAPGEN_RECORD(&gen, 0, tsc, file_close);

	rec->tid = 100;
	rec->dev = DISK;
	rec->ino = ino;
}

static void before(void)
{
	struct ovnik_dump_file *rec;

	gen.cpus[0].running = 100;
	capgen_dump(&gen, 0, at(0), 100, 100, OVNIK_STATE_RUNNING, 7, 7, "shell");
	capgen_dump(&gen, 0, at(0), 200, 200, OVNIK_STATE_INTERRUPTIBLE, 8, 8, "other");
	capgen_dump(&gen, 0, at(0), 300, 300, OVNIK_STATE_INTERRUPTIBLE, 9, 9, "third");
	rec = CAPGEN_RECORD_STR(&gen, 0, at(0), dump_file, path, "/var/log/early");
	rec->tid = 100;
	rec->fd = 3;
	rec->dev = DISK;
	rec->ino = INO_LOG;
	CAPGEN_RECORD(&gen, 0, at(0), dump_end)->tasks = 3;
}

/* A read that brings in four pages: the thread sleeps for them, another one runs. */
static void miss(void)
{
	struct ovnik_page_add *rec;

	opened(at(20), INO_A, "/data/a");
	call(21, OVNIK_OP_READ);
	rec = CAPGEN_RECORD(&gen, 0, at(22), page_add);
	rec->order = 2;
	rec->dev = DISK;
	rec->ino = INO_A;
	rec->pfn = 0x1000;
	sleeps(0, 23, OVNIK_STATE_UNINTERRUPTIBLE, 100, 300);
	wake(0, 28, 100, 0);
	sleeps(0, 30, OVNIK_STATE_INTERRUPTIBLE, 300, 100);
	got(31, OVNIK_OP_READ, INO_A, 4096);
}

static void other_calls(void)
{
	call(32, OVNIK_OP_READ);
	got(33, OVNIK_OP_READ, INO_A, 4096);
	call(34, OVNIK_OP_READ);
	got(35, OVNIK_OP_READ, INO_A, 0);
	if (lossy) {
		capgen_lose(&gen, 0, OVNIK_EV_page_fault, 2);
		capgen_lose(&gen, 0, OVNIK_EV_file_write, 7);
		return;
	}
	call(36, OVNIK_OP_WRITE);
	put(38, OVNIK_OP_WRITE, INO_LOG, 512);
	call(39, OVNIK_OP_SENDFILE);
	got(41, OVNIK_OP_SENDFILE, INO_A, 100);
	put(41, OVNIK_OP_SENDFILE, INO_LOG, 100);
	call(42, OVNIK_OP_READ);
	got(43, OVNIK_OP_READ, INO_A, -5);
	fault(44);
	cow(45);
	fault_end(46, OVNIK_FAULT_MINOR);
	fault(47);
	fault_end(50, OVNIK_FAULT_MAJOR);
}

/* On CPU 0 in the end. */
static void last(void)
{
	struct ovnik_page_remove *page;
	struct ovnik_buffer_add *buffer;

	/* That of another one is not recorded. */
	if (!family)
		capgen_comm(&gen, 0, at(51), 100, 100, "renamed");
	closed(at(75), INO_A);
	page = CAPGEN_RECORD(&gen, 0, at(76), page_remove);
	page->order = 1;
	page->dev = DISK;
	page->ino = INO_A;
	page->pfn = 0x1000;
	buffer = CAPGEN_RECORD(&gen, 0, at(77), buffer_add);
	buffer->dev = DISK;
	buffer->pfn = 0x2000;
	put(79, OVNIK_OP_AIO, INO_LOG, 1000);
	sleeps(0, 90, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
	if (!filter)
		return;
	/* Who may have run there meanwhile is not in such a capture. */
	wake(0, 92, 100, 0);
	sleeps(0, 95, 0, 0, 100);
	sleeps(0, 99, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
}

static void wake_child(u64 us, u32 waker)
{
	struct ovnik_sched_wakeup_new *rec = CAPGEN_RECORD(&gen, 1, at(us), sched_wakeup_new);

	rec->cpu = 1;
	rec->tid = 400;
	rec->waker_tid = waker;
}

static void new_child(u64 us, const char *comm)
{
	capgen_fork(&gen, 1, at(us), 200, 200, 400, 400, comm);
	if (wakeups)
		wake_child(us + 1, 200);
}

/* Two children, one after the other, with the same number. */
static void children(void)
{
	new_child(52, "child");
	sleeps(1, 60, OVNIK_STATE_PREEMPTED, 200, 400);
	capgen_exit(&gen, 1, at(69), 400, 400);
	sleeps(1, 70, OVNIK_STATE_ZOMBIE, 400, 200);
	new_child(72, reused ? "heir" : "child");
	sleeps(1, 80, OVNIK_STATE_INTERRUPTIBLE, 200, 400);
	sleeps(1, 100, OVNIK_STATE_PREEMPTED, 400, 0);
}

static int known(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	if (filter)
		gen.filter = "100";
	if (family)
		gen.filter = "200";
	before();
	sleeps(1, 1, 0, 0, 300);
	sleeps(1, 5, OVNIK_STATE_INTERRUPTIBLE, 300, 0);
	wake(0, 10, 200, 1);
	sleeps(1, 12, 0, 0, 200);
	wake(0, 19, 300, 0);
	miss();
	other_calls();
	last();
	children();
	capgen_close(&gen);
	return 0;
}

static int early(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	before();
	sleeps(0, 1, OVNIK_STATE_INTERRUPTIBLE, 100, 300);
	wake(0, 2, 200, 1);
	sleeps(1, 20, 0, 0, 200);
	sleeps(1, 30, OVNIK_STATE_INTERRUPTIBLE, 200, 0);
	capgen_close(&gen);
	return 0;
}

/* Process 100 waits behind who ran before the first switch, and 5 us behind process 200. */
static int begun(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	before();
	sleeps(0, 1, OVNIK_STATE_INTERRUPTIBLE, 100, 300);
	wake(0, 2, 200, 1);
	wake(0, 3, 100, 1);
	sleeps(1, 20, 0, 0, 200);
	sleeps(1, 25, OVNIK_STATE_PREEMPTED, 200, 100);
	sleeps(1, 30, OVNIK_STATE_INTERRUPTIBLE, 100, 200);
	capgen_close(&gen);
	return 0;
}

/* A thread wakes it from the first wait, none from the second. */
static int nested(const char *dir)
{
	if (capgen_open(&gen, dir, 1))
		return 1;
	before();
	call(10, OVNIK_OP_READ);
	sleeps(0, 12, OVNIK_STATE_UNINTERRUPTIBLE, 100, 300);
	wake(0, 15, 100, 0);
	sleeps(0, 18, OVNIK_STATE_INTERRUPTIBLE, 300, 100);
	got(20, OVNIK_OP_READ, INO_A, 4096);
	fault(22);
	sleeps(0, 24, OVNIK_STATE_UNINTERRUPTIBLE, 100, 0);
	wake(0, 30, 100, 0);
	sleeps(0, 35, 0, 0, 100);
	fault_end(36, OVNIK_FAULT_MAJOR);
	capgen_comm(&gen, 0, at(37), 100, 100, "renamed");
	sleeps(0, 40, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
	capgen_close(&gen);
	return 0;
}

/* Process 200 waits from microsecond 2 on. */
static int busy(const char *dir, u64 nr)
{
	u64 i;

	if (capgen_open(&gen, dir, 1))
		return 1;
	before();
	sleeps(0, 1, OVNIK_STATE_PREEMPTED, 100, 300);
	wake(0, 2, 200, 0);
	for (i = 1; i < nr; i++)
		sleeps(0, 2 + i, OVNIK_STATE_PREEMPTED, i % 2 ? 300 : 100, i % 2 ? 100 : 300);
	sleeps(0, 2 + i, OVNIK_STATE_PREEMPTED, i % 2 ? 300 : 100, 200);
	capgen_close(&gen);
	return 0;
}

static int alone(const char *dir)
{
	if (capgen_open(&gen, dir, 1))
		return 1;
	gen.cpus[0].running = 100;
	capgen_dump(&gen, 0, at(0), 100, 100, OVNIK_STATE_RUNNING, 7, 7, "shell");
	sleeps(0, 10, OVNIK_STATE_UNINTERRUPTIBLE, 100, 0);
	wake(0, 15, 100, 0);
	sleeps(0, 15, OVNIK_STATE_PREEMPTED, 0, 100);
	capgen_close(&gen);
	return 0;
}

/* Another CPU than the waker's records the wakeup. */
static void woken_by(u64 us, u32 waker)
{
	struct ovnik_sched_wakeup *rec = CAPGEN_RECORD(&gen, 0, at(us), sched_wakeup);

	rec->tid = 100;
	rec->waker_tid = waker;
}

/* Process 100 waits three times, for 16, 12 and 10 us. Nobody knows who ends the last wait. */
static int late(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	before();
	wake(1, 1, 200, 1);
	sleeps(1, 2, 0, 0, 200);
	sleeps(0, 5, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
	sleeps(1, 8, OVNIK_STATE_UNINTERRUPTIBLE, 200, 0);
	wake(1, 10, 200, 1);
	sleeps(1, 12, 0, 0, 200);
	sleeps(1, 20, OVNIK_STATE_INTERRUPTIBLE, 200, 0);
	woken_by(21, 200);
	sleeps(0, 22, 0, 0, 100);
	sleeps(0, 30, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
	wake(1, 32, 200, 1);
	sleeps(1, 33, 0, 0, 200);
	capgen_exit(&gen, 1, at(40), 200, 200);
	sleeps(1, 41, OVNIK_STATE_ZOMBIE, 200, 0);
	woken_by(42, 200);
	sleeps(0, 43, 0, 0, 100);
	sleeps(0, 50, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
	woken_by(60, 999);
	sleeps(0, 61, 0, 0, 100);
	capgen_close(&gen);
	return 0;
}

/* Process 100 waits for two children of another that have the same number: for 18 and 10 us. */
static int successor(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	before();
	wake(1, 1, 300, 1);
	sleeps(1, 2, 0, 0, 300);
	capgen_fork(&gen, 1, at(3), 300, 300, 400, 400, "first");
	wake_child(3, 300);
	sleeps(1, 4, OVNIK_STATE_PREEMPTED, 300, 400);
	sleeps(0, 5, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
	sleeps(1, 6, OVNIK_STATE_UNINTERRUPTIBLE, 400, 300);
	wake(1, 9, 400, 1);
	sleeps(1, 10, OVNIK_STATE_PREEMPTED, 300, 400);
	capgen_exit(&gen, 1, at(20), 400, 400);
	sleeps(1, 21, OVNIK_STATE_ZOMBIE, 400, 300);
	capgen_fork(&gen, 1, at(22), 300, 300, 400, 400, "second");
	woken_by(23, 400);
	sleeps(0, 24, 0, 0, 100);
	wake_child(26, 300);
	sleeps(1, 27, OVNIK_STATE_PREEMPTED, 300, 400);
	sleeps(0, 30, OVNIK_STATE_INTERRUPTIBLE, 100, 0);
	woken_by(40, 400);
	sleeps(0, 41, 0, 0, 100);
	capgen_close(&gen);
	return 0;
}

/* Process 100 waits 18 us behind another one, which goes on, and 2 us behind a third one. */
static int moved(const char *dir)
{
	struct ovnik_sched_migrate *rec;

	if (capgen_open(&gen, dir, 2))
		return 1;
	before();
	wake(0, 1, 300, 1);
	sleeps(1, 2, 0, 0, 300);
	wake(0, 9, 200, 0);
	sleeps(0, 10, OVNIK_STATE_PREEMPTED, 100, 200);
	rec = CAPGEN_RECORD(&gen, 1, at(28), sched_migrate);
	rec->tid = 100;
	rec->orig_cpu = 0;
	rec->dest_cpu = 1;
	sleeps(1, 30, OVNIK_STATE_INTERRUPTIBLE, 300, 100);
	sleeps(0, 40, OVNIK_STATE_INTERRUPTIBLE, 200, 0);
	capgen_close(&gen);
	return 0;
}

static int twins(const char *dir)
{
	if (capgen_open(&gen, dir, 1))
		return 1;
	gen.cpus[0].running = 100;
	capgen_dump(&gen, 0, at(0), 100, 100, OVNIK_STATE_RUNNING, 7, 7, "shell");
	capgen_dump(&gen, 0, at(0), 101, 101, OVNIK_STATE_RUNNING, 8, 8, "shell");
	sleeps(0, 10, OVNIK_STATE_INTERRUPTIBLE, 100, 101);
	sleeps(0, 20, OVNIK_STATE_INTERRUPTIBLE, 101, 0);
	capgen_close(&gen);
	return 0;
}

/* It waits 12 us for a CPU, which is idle until it has it, and ends. */
static void kthread_ends(u64 us, u32 tid, const char *comm)
{
	wake(0, us, tid, 0);
	sleeps(0, us + 12, OVNIK_STATE_RUNNING, 0, tid);
	capgen_comm(&gen, 0, at(us + 13), tid, tid, comm);
	capgen_exit(&gen, 0, at(us + 14), tid, tid);
	sleeps(0, us + 15, OVNIK_STATE_DEAD, tid, 0);
}

static int kernel(const char *dir)
{
	if (capgen_open(&gen, dir, 1))
		return 1;
	gen.cpus[0].running = 100;
	capgen_dump(&gen, 0, at(0), 100, 100, OVNIK_STATE_RUNNING, 0, 0, "kworker/0:1")->flags =
		OVNIK_TASK_KTHREAD;
	capgen_dump(&gen, 0, at(0), 200, 200, OVNIK_STATE_INTERRUPTIBLE, 7, 7, "shell");
	capgen_dump(&gen, 0, at(0), 300, 300, OVNIK_STATE_INTERRUPTIBLE, 8, 8, "sleep");
	capgen_dump(&gen, 0, at(0), 150, 150, OVNIK_STATE_IDLE, 0, 0, "kworker/0:2")->flags =
		OVNIK_TASK_KTHREAD;
	sleeps(0, 30, OVNIK_STATE_PREEMPTED, 100, 200);
	sleeps(0, 40, OVNIK_STATE_INTERRUPTIBLE, 200, 100);
	wake(0, 42, 200, 0);
	sleeps(0, 50, OVNIK_STATE_INTERRUPTIBLE, 100, 200);
	wake(0, 54, 300, 0);
	sleeps(0, 55, OVNIK_STATE_INTERRUPTIBLE, 200, 300);
	sleeps(0, 56, OVNIK_STATE_INTERRUPTIBLE, 300, 0);
	kthread_ends(60, 150, "kworker/0:2");
	kthread_ends(80, 500, "kworker/0:3");
	capgen_switch(&gen, 0, at(1000), OVNIK_STATE_RUNNING, 0, 0);
	capgen_close(&gen);
	return 0;
}

static int threads(const char *dir)
{
	if (capgen_open(&gen, dir, 1))
		return 1;
	gen.cpus[0].running = 200;
	sleeps(0, 1, OVNIK_STATE_INTERRUPTIBLE, 200, 300);
	wake(0, 2, 101, 0);
	sleeps(0, 12, OVNIK_STATE_PREEMPTED, 300, 101);
	sleeps(0, 14, OVNIK_STATE_INTERRUPTIBLE, 101, 300);
	capgen_dump(&gen, 0, at(20), 100, 100, OVNIK_STATE_INTERRUPTIBLE, 7, 7, "shell");
	capgen_dump(&gen, 0, at(20), 101, 100, OVNIK_STATE_INTERRUPTIBLE, 7, 7, "reader");
	capgen_dump(&gen, 0, at(20), 200, 200, OVNIK_STATE_INTERRUPTIBLE, 8, 8, "other");
	capgen_dump(&gen, 0, at(20), 300, 300, OVNIK_STATE_RUNNING, 9, 9, "third");
	CAPGEN_RECORD(&gen, 0, at(20), dump_end)->tasks = 4;
	sleeps(0, 30, OVNIK_STATE_INTERRUPTIBLE, 300, 400);
	sleeps(0, 40, OVNIK_STATE_INTERRUPTIBLE, 400, 0);
	capgen_close(&gen);
	return 0;
}

static void map_file(u64 us, u64 start, u64 ino, const char *path)
{
	struct ovnik_mmap_file *rec = CAPGEN_RECORD_STR(&gen, 0, at(us), mmap_file, path, path);

	rec->tid = 100;
	rec->mm = 7;
	rec->start = start;
	rec->length = 0x4000;
	rec->dev = DISK;
	rec->ino = ino;
}

static void map_anon(u64 us, u64 start, u16 kind)
{
	struct ovnik_mmap_anon *rec = CAPGEN_RECORD(&gen, 0, at(us), mmap_anon);

	rec->kind = kind;
	rec->tid = 100;
	rec->mm = 7;
	rec->start = start;
	rec->length = 0x4000;
}

/* What the statedump finds without a file: it does not say which kind that is. */
static void dump_anon(u64 us, u64 start)
{
	struct ovnik_dump_vma *rec = CAPGEN_RECORD_STR(&gen, 0, at(us), dump_vma, path, "");

	rec->tid = 100;
	rec->mm = 7;
	rec->start = start;
	rec->length = 0x4000;
}

/* For so many microseconds; @grows: the stack, meanwhile. */
static void fault_at(u64 us, u64 lasts, u64 address, u16 result, bool grows)
{
	struct ovnik_page_fault *rec = CAPGEN_RECORD(&gen, 0, at(us), page_fault);

	rec->error = OVNIK_FAULT_USER | OVNIK_FAULT_WRITE;
	rec->tid = 100;
	rec->address = address;
	if (grows)
		map_anon(us, address & ~0x3fffULL, OVNIK_MAP_GROWTH);
	fault_end(us + lasts, result);
}

static int memory(const char *dir)
{
	if (capgen_open(&gen, dir, 1))
		return 1;
	before();
	sleeps(0, 1, 0, 100, 300);
	sleeps(0, 2, OVNIK_STATE_INTERRUPTIBLE, 300, 100);
	map_file(3, 0x100000, 70, "/lib/one");
	map_file(3, 0x200000, 71, "/lib/\x1b[31mtwo");
	map_anon(4, 0x300000, OVNIK_MAP_MMAP);
	map_anon(4, 0x400000, OVNIK_MAP_BRK);
	map_anon(4, 0x704000, OVNIK_MAP_STACK);
	fault_at(5, 1, 0x100000, OVNIK_FAULT_MINOR, false);
	fault_at(7, 3, 0x103fff, OVNIK_FAULT_MAJOR, false);
	fault_at(11, 2, 0x300008, OVNIK_FAULT_MINOR, false);
	fault_at(14, 5, 0x400000, OVNIK_FAULT_MINOR, false);
	fault_at(20, 6, 0x703ff8, OVNIK_FAULT_MINOR, true);
	fault_at(27, 7, 0x104000, OVNIK_FAULT_FAILED, false);
	fault_at(35, 8, 0x900000, OVNIK_FAULT_MINOR, false);
	fault_at(44, 1, 0x200010, OVNIK_FAULT_MINOR, false);
	/* Other memory is there now. */
	map_anon(46, 0x100000, OVNIK_MAP_MMAP);
	fault_at(47, 7, 0x100000, OVNIK_FAULT_MINOR, false);
	fault_end(60, OVNIK_FAULT_MINOR);
	dump_anon(61, 0x600000);
	fault_at(62, 3, 0x600000, OVNIK_FAULT_MINOR, false);
	/* A private capture does not say where another user's fault was. */
	fault_at(66, 2, OVNIK_NO_ADDRESS, OVNIK_FAULT_FAILED, false);
	capgen_close(&gen);
	return 0;
}

static int empty(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	capgen_close(&gen);
	return 0;
}

#define AGAIN	1000

/* Half of them are removed when the file is closed. */
static void pages(u64 now, u64 i, bool again, bool added)
{
	u64 offset = again ? 16 : 0, pfn = 32 * i + offset;
	struct ovnik_page_add *add;
	struct ovnik_page_remove *remove;

	if (added) {
		add = CAPGEN_RECORD(&gen, 0, now, page_add);
		add->order = i % 4;
		add->dev = DISK;
		add->ino = 1000 + i;
		add->offset = offset;
		add->pfn = pfn;
	} else if (i % 4) {
		remove = CAPGEN_RECORD(&gen, 0, now, page_remove);
		remove->order = i % 4 - 1;
		remove->dev = DISK;
		remove->ino = 1000 + i;
		remove->offset = offset;
		remove->pfn = pfn;
	}
}

static u64 read_file(u64 now, u64 i, u64 nr, bool again)
{
	struct ovnik_file_begin *begin;
	struct ovnik_file_read *end;
	char path[64];

	snprintf(path, sizeof(path), "/data/%llu", i);
	opened(now, 1000 + i, path);
	begin = CAPGEN_RECORD(&gen, 0, now, file_begin);
	begin->op = OVNIK_OP_READ;
	begin->tid = 100;
	pages(now, i, again, true);
	now += 2 * i;
	end = CAPGEN_RECORD(&gen, 0, now, file_read);
	end->op = OVNIK_OP_READ;
	end->tid = 100;
	end->dev = DISK;
	end->ino = 1000 + i;
	end->result = nr + 1 - i;
	pages(now, i, again, false);
	closed(now, 1000 + i);
	return now;
}

/* What is known of those in the middle is given up when there is no room. */
static int files(const char *dir, u64 nr)
{
	u64 i, now = at(10);

	if (capgen_open(&gen, dir, 1))
		return 1;
	before();
	sleeps(0, 1, 0, 100, 200);
	sleeps(0, 2, OVNIK_STATE_INTERRUPTIBLE, 200, 100);
	for (i = 1; i <= nr; i++)
		now = read_file(now, i, nr, false);
	for (i = 30001; i <= 30000 + AGAIN; i++)
		now = read_file(now, i, nr, true);
	capgen_close(&gen);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "nested"))
		return nested(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "files"))
		return files(argv[2], strtoull(argv[3], NULL, 0));
	if (argc == 4 && !strcmp(argv[1], "busy"))
		return busy(argv[2], strtoull(argv[3], NULL, 0));
	if (argc != 3) {
		fprintf(stderr, "usage: gen-report known|lossy|wakeups|ends|filter|family|reused|\n"
			"\tmemory|early|begun|alone|twins|kernel|threads|late|successor|moved|\n"
			"\tempty DIR |\n"
			"\tfiles|busy DIR N\n");
		return 2;
	}
	if (!strcmp(argv[1], "memory"))
		return memory(argv[2]);
	if (!strcmp(argv[1], "early"))
		return early(argv[2]);
	if (!strcmp(argv[1], "begun"))
		return begun(argv[2]);
	if (!strcmp(argv[1], "alone"))
		return alone(argv[2]);
	if (!strcmp(argv[1], "late"))
		return late(argv[2]);
	if (!strcmp(argv[1], "successor"))
		return successor(argv[2]);
	if (!strcmp(argv[1], "moved"))
		return moved(argv[2]);
	if (!strcmp(argv[1], "twins"))
		return twins(argv[2]);
	if (!strcmp(argv[1], "kernel"))
		return kernel(argv[2]);
	if (!strcmp(argv[1], "threads"))
		return threads(argv[2]);
	lossy = !strcmp(argv[1], "lossy");
	wakeups = strcmp(argv[1], "wakeups") != 0;
	begins = strcmp(argv[1], "ends") != 0;
	family = !strcmp(argv[1], "family");
	reused = !strcmp(argv[1], "reused");
	filter = !strcmp(argv[1], "filter");
	return strcmp(argv[1], "empty") ? known(argv[2]) : empty(argv[2]);
}
