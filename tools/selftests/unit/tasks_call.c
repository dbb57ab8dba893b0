// SPDX-License-Identifier: GPL-2.0-only
/* From a capture to what threads are in: system calls, page faults, requests. */
#include "../fixture/taskfix.h"

#define DEV	(0xfeU << 20 | 1)

static void begin(unsigned int cpu, u64 tsc, u32 tid, u16 op)
{
	struct ovnik_file_begin *rec = CAPGEN_RECORD(&gen, cpu, tsc, file_begin);

	rec->op = op;
	rec->tid = tid;
}

static void end_read(unsigned int cpu, u64 tsc, u32 tid, u16 op, s32 result)
{
	struct ovnik_file_read *rec = CAPGEN_RECORD(&gen, cpu, tsc, file_read);

	rec->op = op;
	rec->tid = tid;
	rec->dev = DEV;
	rec->ino = 7;
	rec->result = result;
}

static void end_write(unsigned int cpu, u64 tsc, u32 tid, u16 op, s32 result)
{
	struct ovnik_file_write *rec = CAPGEN_RECORD(&gen, cpu, tsc, file_write);

	rec->op = op;
	rec->tid = tid;
	rec->dev = DEV;
	rec->ino = 8;
	rec->result = result;
}

static void fault(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_page_fault *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_fault);

	rec->error = OVNIK_FAULT_USER | OVNIK_FAULT_WRITE;
	rec->tid = tid;
}

static void end_fault(unsigned int cpu, u64 tsc, u32 tid, u16 result)
{
	struct ovnik_page_fault_end *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_fault_end);

	rec->result = result;
	rec->tid = tid;
}

static void add_page(unsigned int cpu, u64 tsc, u64 ino)
{
	struct ovnik_page_add *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_add);

	rec->dev = DEV;
	rec->ino = ino;
}

/* "read reads hit", a line for each call. */
static const char *calls(struct _test_data_tasks *self)
{
	static const char *const caches[] = {
		[TRACE_CACHE_NONE] = "", [TRACE_CACHE_HIT] = " hit", [TRACE_CACHE_MISS] = " miss",
	};
	size_t len = 0;
	u64 id;

	self->text[0] = '\0';
	for (id = 1; id < self->log.nr; id++) {
		const struct trace_task *task = &self->log.tasks[id].task;

		if (task->id && task->kind == TASKS_CALL)
			len += snprintf(self->text + len, LOG_MAX - len, "%s %s%s\n", task->what,
					task->write ? "writes" : "reads", caches[task->cache]);
	}
	return self->text;
}

/* Threads 11 and 12 run on both CPUs since 10. */
static void both_run(void)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_switch(&gen, 1, AT(10), 0, 0, 12);
}

TEST_F(tasks, a_read_with_a_fault_in_it)
{
	both_run();
	begin(0, AT(20), 11, OVNIK_OP_READ);
	fault(0, AT(30), 11);
	capgen_switch(&gen, 0, AT(40), D, 11, 0);
	capgen_wakeup(&gen, 1, AT(50), 11, 0);
	capgen_switch(&gen, 0, AT(60), 0, 0, 11);
	end_fault(0, AT(70), 11, OVNIK_FAULT_MAJOR);
	end_read(0, AT(80), 11, OVNIK_OP_READ, 100);
	HEAR();
	EXPECT_STREQ("read 20-80\n", reported(self, 11, KIND(CALL)));
	EXPECT_STREQ("Write 30-70\n", reported(self, 11, KIND(FAULT)));
	EXPECT_STREQ("start wait 11 of 10 proc.11.thread.11.wait \"disk sleep\" "
		     "1000000040-0 cpu 0\n"
		     "start wait 14 of 10 proc.11.thread.11.wait \"run queue: woken\" "
		     "1000000050-0 cpu 1\n", lines(self, "start wait"));
	EXPECT_STREQ("start fault 10 of 9 proc.11.thread.11.fault \"Write\" 1000000030-0 cpu 0\n",
		     lines(self, "start fault"));
	EXPECT_STREQ("milestone call 9 work \"run\" 1000000040\n"
		     "milestone call 9 hardware_resource \"disk sleep\" 1000000050\n"
		     "milestone call 9 hardware_resource \"run queue: woken\" 1000000060\n"
		     "milestone call 9 work \"run\" 1000000080\n",
		     lines(self, "milestone call"));
	EXPECT_STREQ("milestone fault 10 work \"run\" 1000000040\n"
		     "milestone fault 10 hardware_resource \"disk sleep\" 1000000050\n"
		     "milestone fault 10 hardware_resource \"run queue: woken\" 1000000060\n"
		     "milestone fault 10 work \"run\" 1000000070\n",
		     lines(self, "milestone fault"));
	EXPECT_STREQ("tag fault 10 \"major\" 1000000070\n", lines(self, "tag fault"));
	EXPECT_STREQ("end call 9 of 2 proc.11.thread.11.call \"read\" 1000000020-1000000080 cpu 0 "
		     "bytes 100 result 100 file fe00001:7\n", lines(self, "end call"));
}

TEST_F(tasks, the_page_cache)
{
	both_run();
	/* The first page comes later, but that they are recorded is known. */
	begin(0, AT(20), 11, OVNIK_OP_READ);
	end_read(0, AT(21), 11, OVNIK_OP_READ, 1);
	begin(0, AT(30), 11, OVNIK_OP_READ);
	add_page(0, AT(31), 7);
	end_read(0, AT(32), 11, OVNIK_OP_READ, 2);
	begin(0, AT(40), 11, OVNIK_OP_PREAD);
	end_read(0, AT(41), 11, OVNIK_OP_PREAD, 3);
	/* Direct, perhaps. */
	begin(0, AT(50), 11, OVNIK_OP_READ);
	capgen_switch(&gen, 0, AT(51), D, 11, 0);
	capgen_switch(&gen, 0, AT(52), 0, 0, 11);
	end_read(0, AT(53), 11, OVNIK_OP_READ, 4);
	/* Of another file. */
	begin(0, AT(60), 11, OVNIK_OP_READ);
	add_page(0, AT(61), 9);
	end_read(0, AT(62), 11, OVNIK_OP_READ, 5);
	/* The end of the file, and a failure. */
	begin(0, AT(70), 11, OVNIK_OP_READ);
	end_read(0, AT(71), 11, OVNIK_OP_READ, 0);
	begin(0, AT(80), 11, OVNIK_OP_WRITE);
	end_write(0, AT(81), 11, OVNIK_OP_WRITE, -28);
	capgen_lose(&gen, 0, OVNIK_EV_page_add, 1);
	begin(0, AT(90), 11, OVNIK_OP_READ);
	end_read(0, AT(91), 11, OVNIK_OP_READ, 6);
	HEAR();
	EXPECT_STREQ("tag call 9 \"cache hit\" 1000000021\n"
		     "tag call 10 \"cache miss\" 1000000032\n"
		     "tag call 12 \"cache hit\" 1000000041\n"
		     "tag call 20 \"error: ENOSPC\" 1000000081\n"
		     "tag call 21 \"cache hit\" 1000000091\n", lines(self, "tag call"));
	EXPECT_STREQ("read reads hit\n"
		     "read reads miss\n"
		     "pread64 reads hit\n"
		     "read reads\n"
		     "read reads\n"
		     "read reads\n"
		     "write writes\n"
		     "read reads hit\n",
		     calls(self));
	EXPECT_STREQ("end call 20 of 2 proc.11.thread.11.call \"write\" 1000000080-1000000081 cpu 0 "
		     "bytes 0 result -28 file fe00001:8\n", lines(self, "end call 20 "));
}

TEST_F(tasks, a_hit_while_pages_may_be_missing)
{
	both_run();
	add_page(0, AT(15), 7);
	begin(1, AT(20), 12, OVNIK_OP_READ);
	capgen_switch(&gen, 1, AT(22), PREEMPTED, 12, 0);
	capgen_lose(&gen, 0, OVNIK_EV_page_add, 1);
	capgen_switch(&gen, 0, AT(30), PREEMPTED, 11, 12);
	end_read(0, AT(40), 12, OVNIK_OP_READ, 1);
	HEAR();
	EXPECT_STREQ("read 20-40\n", reported(self, 12, KIND(CALL)));
	EXPECT_STREQ("", lines(self, "tag call"));
}

/* What has no beginning, or another way to end. */
TEST_F(tasks, calls_of_which_only_the_end_is_known)
{
	both_run();
	end_read(0, AT(20), 11, OVNIK_OP_READ, 1);
	end_fault(0, AT(21), 11, OVNIK_FAULT_MINOR);
	begin(0, AT(30), 11, OVNIK_OP_WRITE);
	end_read(1, AT(31), 11, OVNIK_OP_URING, 2);
	end_write(0, AT(40), 11, OVNIK_OP_WRITE, 3);
	begin(0, AT(50), 11, OVNIK_OP_SENDFILE);
	end_read(0, AT(60), 11, OVNIK_OP_SENDFILE, 4);
	end_write(0, AT(61), 11, OVNIK_OP_SENDFILE, 4);
	end_write(0, AT(62), 11, OVNIK_OP_SENDFILE, 4);
	HEAR();
	EXPECT_STREQ("read 20-20 early\n"
		     "Not known 21-21 early\n"
		     "write 30-40\n"
		     "io_uring 31-31 early\n"
		     "sendfile 50-60\n"
		     "sendfile 61-61\n"
		     "sendfile 62-62 early\n", reported(self, 11, KIND(CALL) | KIND(FAULT)));
}

TEST_F(tasks, calls_of_which_the_end_is_not_seen)
{
	both_run();
	begin(0, AT(20), 11, OVNIK_OP_READ);
	fault(0, AT(21), 11);
	capgen_switch(&gen, 0, AT(25), D, 11, 0);
	capgen_switch(&gen, 0, AT(30), 0, 0, 11);
	/* A fault that is given up comes again; so is a call. */
	fault(0, AT(40), 11);
	begin(0, AT(50), 11, OVNIK_OP_READ);
	begin(0, AT(60), 11, OVNIK_OP_READ);
	fault(0, AT(70), 11);
	capgen_exit(&gen, 0, AT(80), 11, 11);
	capgen_switch(&gen, 0, AT(90), ZOMBIE, 11, 0);
	begin(1, AT(91), 12, OVNIK_OP_READ);
	capgen_switch(&gen, 1, AT(95), S, 12, 0);
	HEAR();
	EXPECT_STREQ("read 20-30 doubt\n"
		     "Write 21-30 doubt\n"
		     "Write 40-40 doubt\n"
		     "read 50-50 doubt\n"
		     "read 60-60 doubt\n"
		     "Write 70-70 doubt\n", reported(self, 11, KIND(CALL) | KIND(FAULT)));
	EXPECT_STREQ("read 91-95 open\n", reported(self, 12, KIND(CALL)));
}

/* Ends are missing of CPU 0 from 40 on, switches and wakeups are not. */
TEST_F(tasks, calls_while_ends_are_missing)
{
	both_run();
	begin(0, AT(20), 11, OVNIK_OP_READ);
	begin(1, AT(30), 12, OVNIK_OP_READ);
	capgen_wakeup(&gen, 0, AT(40), 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_file_read, 1);
	capgen_switch(&gen, 0, AT(60), S, 11, 0);
	end_read(1, AT(70), 12, OVNIK_OP_READ, 1);
	HEAR();
	EXPECT_STREQ("read 20-40 doubt\n", reported(self, 11, KIND(CALL)));
	EXPECT_STREQ("read 30-70\n", reported(self, 12, KIND(CALL)));
}

TEST_F(tasks, calls_while_ends_of_writes_are_missing)
{
	both_run();
	begin(0, AT(20), 11, OVNIK_OP_WRITE);
	capgen_wakeup(&gen, 0, AT(40), 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_file_write, 1);
	capgen_switch(&gen, 0, AT(60), S, 11, 0);
	HEAR();
	EXPECT_STREQ("write 20-40 doubt\n", reported(self, 11, KIND(CALL)));
}

/* It could have got the CPU whose events are all missing, and ended its call there. */
TEST_F(tasks, a_call_of_who_may_run_unseen)
{
	both_run();
	begin(1, AT(20), 12, OVNIK_OP_READ);
	capgen_switch(&gen, 1, AT(30), PREEMPTED, 12, 0);
	capgen_wakeup(&gen, 0, AT(40), 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_file_read, 1);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 2);
	capgen_switch(&gen, 0, AT(60), S, 11, 0);
	HEAR();
	EXPECT_STREQ("read 20-40 doubt\n", reported(self, 12, KIND(CALL)));
}

/* It is unknown where it is, so it may be where ends are missing. */
TEST_F(tasks, a_call_of_who_is_nowhere)
{
	both_run();
	capgen_dump(&gen, 0, AT(15), 13, 13, S, 0, 0, "nowhere");
	capgen_wakeup(&gen, 1, AT(20), 14, 0);
	begin(1, AT(25), 13, OVNIK_OP_READ);
	capgen_wakeup(&gen, 0, AT(40), 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_file_read, 1);
	capgen_switch(&gen, 0, AT(60), S, 11, 0);
	HEAR();
	EXPECT_STREQ("read 25-40 doubt\n", reported(self, 13, KIND(CALL)));
}

/* Its own CPU's records are all there: it has died in its call, whatever is missing elsewhere. */
TEST_F(tasks, a_call_of_who_dies_while_ends_are_missing)
{
	both_run();
	begin(1, AT(20), 12, OVNIK_OP_READ);
	capgen_wakeup(&gen, 0, AT(40), 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_file_read, 1);
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 1);
	capgen_switch(&gen, 1, AT(50), OVNIK_STATE_ZOMBIE, 12, 0);
	capgen_switch(&gen, 0, AT(60), S, 11, 0);
	HEAR();
	EXPECT_STREQ("read 20-20 doubt\n", reported(self, 12, KIND(CALL)));
	EXPECT_STREQ("not seen 10-10\nrun 10-50\n", reported(self, 12, SEGMENTS));
}

/* It is woken, and so it has its answer, although it may run from then on. */
TEST_F(tasks, woken_while_switches_are_missing)
{
	both_run();
	capgen_switch(&gen, 1, AT(20), S, 12, 0);
	capgen_wakeup(&gen, 0, AT(40), 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 1);
	capgen_wakeup(&gen, 1, AT(50), 12, 1);
	capgen_switch(&gen, 0, AT(60), S, 11, 0);
	HEAR();
	EXPECT_STREQ("sleep 20-50 doubt\n", reported(self, 12, KIND(REQ_OUT)));
	EXPECT_STREQ("sleep 50-50\n", reported(self, 0, KIND(REQ_IN)));
}

TEST_F(tasks, who_wakes_answers)
{
	both_run();
	capgen_switch(&gen, 1, AT(20), S, 12, 0);
	capgen_switch(&gen, 0, AT(30), PREEMPTED, 11, 0);
	capgen_switch(&gen, 0, AT(40), 0, 0, 11);
	capgen_wakeup(&gen, 0, AT(50), 12, 1);
	capgen_switch(&gen, 1, AT(60), 0, 0, 12);
	/* While no thread runs there. */
	capgen_switch(&gen, 0, AT(70), D, 11, 0);
	capgen_switch(&gen, 1, AT(75), S, 12, 0);
	capgen_wakeup(&gen, 1, AT(80), 11, 0);
	capgen_switch(&gen, 0, AT(90), 0, 0, 11);
	/* The waker has run for longer than the other one has slept. */
	capgen_wakeup(&gen, 0, AT(95), 12, 0);
	HEAR();
	EXPECT_STREQ("end req_out 10 of 6 proc.12.thread.12.req_out \"sleep\" "
		     "1000000020-1000000060 cpu 1\n"
		     "end req_out 17 of 2 proc.11.thread.11.req_out \"disk sleep\" "
		     "1000000070-1000000090 cpu 0\n"
		     "end req_out 19 of 6 proc.12.thread.12.req_out \"sleep\" "
		     "1000000075-1000000095 cpu 1 open\n", lines(self, "end req_out"));
	EXPECT_STREQ("end req_in 13 of 10 proc.11.thread.11.req_in \"sleep\" "
		     "1000000040-1000000050 cpu 0\n"
		     "end req_in 20 of 17 cpu.1.req_in \"disk sleep\" "
		     "1000000080-1000000080 cpu 1\n"
		     "end req_in 23 of 19 proc.11.thread.11.req_in \"sleep\" "
		     "1000000090-1000000095 cpu 0\n", lines(self, "end req_in"));
}

/* The other CPU records it when its interrupt comes: then the waker waits again, or has ended. */
static void late_wakeup(u64 tsc, u32 waker)
{
	struct ovnik_sched_wakeup *rec = CAPGEN_RECORD(&gen, 0, tsc, sched_wakeup);

	rec->tid = 11;
	rec->waker_tid = waker;
}

TEST_F(tasks, who_has_ended_has_woken)
{
	both_run();
	capgen_switch(&gen, 0, AT(20), S, 11, 0);
	capgen_exit(&gen, 1, AT(30), 12, 12);
	capgen_switch(&gen, 1, AT(40), OVNIK_STATE_ZOMBIE, 12, 0);
	late_wakeup(AT(50), 12);
	capgen_switch(&gen, 0, AT(60), 0, 0, 11);
	/* Nobody knows who that is, so nobody has answered. */
	capgen_switch(&gen, 0, AT(70), S, 11, 0);
	late_wakeup(AT(80), 99);
	HEAR();
	EXPECT_STREQ("sleep 20-60\nsleep 70-80 open\n", reported(self, 11, KIND(REQ_OUT)));
	EXPECT_STREQ("sleep 50-50\n", reported(self, 12, KIND(REQ_IN)));
	EXPECT_EQ(NULL, strstr(lines(self, "end req_in"), "cpu.0"));
}

/* "12 thread 3", a line for each wait of thread 11 that a wakeup has ended: number, task. */
static const char *wakers(struct _test_data_tasks *self)
{
	static const char *const kinds[] = {
		[TRACE_WAKER_INTERRUPT] = "interrupt", [TRACE_WAKER_THREAD] = "thread",
	};
	size_t len = 0;
	u64 id;

	self->text[0] = '\0';
	for (id = 1; id < self->log.nr; id++) {
		const struct trace_task *task = &self->log.tasks[id].task;
		const struct trace_waker *by = &task->waker;

		if (task->id && task->kind == TASKS_WAIT && task->tid == 11 && by->kind)
			len += snprintf(self->text + len, LOG_MAX - len, "%u %s %llu\n",
					by->tid, kinds[by->kind], by->thread);
	}
	return self->text;
}

/* The number of the thread's task: of the nth one that has that number. */
static u64 thread_of(struct _test_data_tasks *self, u32 tid, unsigned int n)
{
	u64 id;

	for (id = 1; id < self->log.nr; id++) {
		const struct trace_task *task = &self->log.tasks[id].task;

		if (task->id && task->kind == TASKS_THREAD && task->tid == tid && !n--)
			return id;
	}
	return 0;
}

TEST_F(tasks, a_wait_says_who_ended_it)
{
	char text[128];

	both_run();
	capgen_switch(&gen, 0, AT(20), S, 11, 0);
	capgen_wakeup(&gen, 1, AT(21), 11, 0);
	capgen_switch(&gen, 0, AT(22), 0, 0, 11);
	/* A timer of the idle CPU; one that interrupts itself; nobody. */
	capgen_switch(&gen, 0, AT(23), S, 11, 0);
	late_wakeup(AT(24), 0);
	capgen_switch(&gen, 0, AT(25), 0, 0, 11);
	capgen_switch(&gen, 0, AT(26), S, 11, 0);
	late_wakeup(AT(27), 11);
	capgen_switch(&gen, 0, AT(28), 0, 0, 11);
	capgen_switch(&gen, 0, AT(29), S, 11, 0);
	capgen_switch(&gen, 0, AT(30), 0, 0, 11);
	/* It has ended; nobody knows this one; it has ended, and its number is another's. */
	capgen_switch(&gen, 0, AT(31), S, 11, 0);
	capgen_switch(&gen, 1, AT(32), ZOMBIE, 12, 13);
	late_wakeup(AT(33), 12);
	capgen_switch(&gen, 0, AT(34), 0, 0, 11);
	capgen_switch(&gen, 0, AT(35), S, 11, 0);
	late_wakeup(AT(36), 99);
	capgen_switch(&gen, 0, AT(37), 0, 0, 11);
	capgen_switch(&gen, 0, AT(38), S, 11, 0);
	capgen_fork(&gen, 1, AT(39), 13, 13, 12, 12, "new");
	late_wakeup(AT(40), 12);
	capgen_switch(&gen, 0, AT(41), 0, 0, 11);
	wake_new(1, AT(42), 12);
	capgen_switch(&gen, 0, AT(43), S, 11, 0);
	late_wakeup(AT(44), 12);
	capgen_switch(&gen, 0, AT(45), 0, 0, 11);
	/* Now it has run. */
	capgen_switch(&gen, 1, AT(46), S, 13, 12);
	capgen_switch(&gen, 0, AT(47), S, 11, 0);
	late_wakeup(AT(48), 12);
	HEAR();
	snprintf(text, sizeof(text),
		 "12 thread %llu\n0 interrupt 0\n0 interrupt 0\n12 thread %llu\n99 thread 0\n"
		 "12 thread %llu\n12 thread %llu\n12 thread %llu\n",
		 thread_of(self, 12, 0), thread_of(self, 12, 0), thread_of(self, 12, 0),
		 thread_of(self, 12, 0), thread_of(self, 12, 1));
	EXPECT_STREQ(text, wakers(self));
	EXPECT_NE(0, thread_of(self, 12, 1));
}

TEST_F(tasks, the_page_cache_answers)
{
	both_run();
	begin(0, AT(20), 11, OVNIK_OP_READ);
	add_page(0, AT(30), 7);
	add_page(0, AT(31), 7);
	capgen_switch(&gen, 0, AT(40), D, 11, 0);
	capgen_wakeup(&gen, 1, AT(50), 11, 0);
	capgen_switch(&gen, 0, AT(60), 0, 0, 11);
	/* Once more for the same pages. */
	capgen_switch(&gen, 0, AT(70), D, 11, 0);
	capgen_wakeup(&gen, 1, AT(80), 11, 0);
	capgen_switch(&gen, 0, AT(90), 0, 0, 11);
	/* For others, and for something else. */
	add_page(0, AT(91), 7);
	capgen_switch(&gen, 0, AT(92), D, 11, 0);
	capgen_switch(&gen, 0, AT(93), 0, 0, 11);
	add_page(0, AT(94), 7);
	capgen_switch(&gen, 0, AT(94), S, 11, 0);
	capgen_switch(&gen, 0, AT(94), 0, 0, 11);
	end_read(0, AT(95), 11, OVNIK_OP_READ, 1);
	/* After the call no thread waits for pages. */
	capgen_switch(&gen, 0, AT(96), D, 11, 0);
	capgen_wakeup(&gen, 1, AT(97), 11, 0);
	HEAR();
	EXPECT_STREQ("pages of a file 30-60\n"
		     "pages of a file 70-90\n"
		     "pages of a file 91-93\n"
		     "sleep 94-94\n"
		     "disk sleep 96-97 open\n", reported(self, 11, KIND(REQ_OUT)));
	EXPECT_STREQ("end req_in 14 of 13 pagecache.254:1.req_in \"pages of a file\" "
		     "1000000030-1000000050 cpu 1 file fe00001:7\n"
		     "end req_in 19 of 18 pagecache.254:1.req_in \"pages of a file\" "
		     "1000000070-1000000080 cpu 1 file fe00001:7\n"
		     "end req_in 32 of 31 proc.12.thread.12.req_in \"disk sleep\" "
		     "1000000096-1000000097 cpu 1\n", lines(self, "end req_in"));
}

static void copy_page(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_cow_break *rec = CAPGEN_RECORD(&gen, cpu, tsc, cow_break);

	rec->tid = tid;
	rec->mm = 1;
}

TEST_F(tasks, a_fault_counts_its_copies)
{
	u32 copies[2] = { 0 }, faults = 0;
	u64 id;

	both_run();
	fault(0, AT(20), 11);
	copy_page(0, AT(21), 11);
	copy_page(0, AT(22), 11);
	end_fault(0, AT(23), 11, OVNIK_FAULT_MINOR);
	/* In no fault: by a debugger, perhaps. */
	copy_page(0, AT(24), 11);
	fault(0, AT(30), 11);
	end_fault(0, AT(31), 11, OVNIK_FAULT_MINOR);
	HEAR();
	for (id = 1; id < self->log.nr; id++) {
		const struct trace_task *task = &self->log.tasks[id].task;

		if (task->id && task->kind == TASKS_FAULT && faults < ARRAY_SIZE(copies))
			copies[faults++] = task->cows;
	}
	EXPECT_EQ(2, faults);
	EXPECT_EQ(2, copies[0]);
	EXPECT_EQ(0, copies[1]);
}

static void map(u64 tsc, u64 start, u16 kind)
{
	struct ovnik_mmap_anon *rec = CAPGEN_RECORD(&gen, 0, tsc, mmap_anon);

	rec->kind = kind;
	rec->tid = 11;
	rec->mm = 1;
	rec->start = start;
	rec->length = 0x1000;
}

static void map_file(u64 tsc, u64 start)
{
	struct ovnik_mmap_file *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, mmap_file, path, "/lib");

	rec->tid = 11;
	rec->mm = 1;
	rec->start = start;
	rec->length = 0x1000;
	rec->dev = DEV;
	rec->ino = 7;
}

static void fault_at(u64 tsc, u64 address)
{
	struct ovnik_page_fault *rec = CAPGEN_RECORD(&gen, 0, tsc, page_fault);

	rec->tid = 11;
	rec->address = address;
}

/* "1234 heap 0", a line for each fault: the address, the memory, the inode. */
static const char *hits(struct _test_data_tasks *self)
{
	size_t len = 0;
	u64 id;

	self->text[0] = '\0';
	for (id = 1; id < self->log.nr; id++) {
		const struct trace_task *task = &self->log.tasks[id].task;

		if (task->id && task->kind == TASKS_FAULT)
			len += snprintf(self->text + len, LOG_MAX - len, "%llx %s %llu\n",
					task->address, tasks_memory_texts[task->memory],
					task->file.ino);
	}
	return self->text;
}

TEST_F(tasks, a_fault_says_what_it_hit)
{
	both_run();
	map(AT(20), 0x4000, OVNIK_MAP_BRK);
	map_file(AT(21), 0x8000);
	fault_at(AT(22), 0x4008);
	end_fault(0, AT(23), 11, OVNIK_FAULT_MINOR);
	fault_at(AT(24), 0x8fff);
	end_fault(0, AT(25), 11, OVNIK_FAULT_MAJOR);
	/* What was there when it began counts, also if its end is not recorded. */
	fault_at(AT(26), 0x8000);
	map(AT(27), 0x8000, OVNIK_MAP_MMAP);
	fault_at(AT(28), 0x8000);
	end_fault(0, AT(29), 11, OVNIK_FAULT_MINOR);
	/* A stack grows meanwhile. */
	fault_at(AT(30), 0xf010);
	map(AT(31), 0xf000, OVNIK_MAP_STACK);
	end_fault(0, AT(32), 11, OVNIK_FAULT_MINOR);
	fault_at(AT(33), 0x9000);
	end_fault(0, AT(34), 11, OVNIK_FAULT_FAILED);
	fault_at(AT(35), 0x9000);
	end_fault(0, AT(36), 11, OVNIK_FAULT_MINOR);
	/* Of another user, in a private capture; and one of which the begin is missing. */
	fault_at(AT(37), OVNIK_NO_ADDRESS);
	end_fault(0, AT(38), 11, OVNIK_FAULT_FAILED);
	end_fault(0, AT(40), 11, OVNIK_FAULT_FAILED);
	HEAR();
	EXPECT_STREQ("4008 heap 0\n"
		     "8fff file 7\n"
		     "8000 file 7\n"
		     "8000 anonymous 0\n"
		     "f010 stack 0\n"
		     "9000 (nothing is mapped there) 0\n"
		     "9000 not known 0\n"
		     "8000000000000000 not known 0\n"
		     "8000000000000000 not known 0\n", hits(self));
}

TEST_F(tasks, a_call_says_whether_it_wrote)
{
	both_run();
	begin(0, AT(20), 11, OVNIK_OP_READ);
	end_read(0, AT(21), 11, OVNIK_OP_READ, 1);
	begin(0, AT(30), 11, OVNIK_OP_WRITE);
	end_write(0, AT(31), 11, OVNIK_OP_WRITE, -28);
	/* It reads, and then it writes. */
	begin(0, AT(40), 11, OVNIK_OP_SENDFILE);
	end_read(0, AT(41), 11, OVNIK_OP_SENDFILE, 3);
	end_write(0, AT(42), 11, OVNIK_OP_SENDFILE, 3);
	/* The same call does either. */
	end_write(0, AT(50), 11, OVNIK_OP_URING, 4);
	end_read(0, AT(51), 11, OVNIK_OP_URING, 4);
	HEAR();
	EXPECT_STREQ("read reads\n"
		     "write writes\n"
		     "sendfile reads\n"
		     "sendfile writes\n"
		     "io_uring writes\n"
		     "io_uring reads\n", calls(self));
}

TEST_HARNESS_MAIN
