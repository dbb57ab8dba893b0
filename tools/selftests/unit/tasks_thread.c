// SPDX-License-Identifier: GPL-2.0-only
/* From a capture to the lives of threads: runs, waits, and what is not known. */
#include "../fixture/taskfix.h"

TEST_F(tasks, a_life)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_switch(&gen, 1, AT(10), 0, 0, 0);
	capgen_fork(&gen, 0, AT(20), 11, 11, 12, 12, "child");
	wake_new(0, AT(25), 12);
	capgen_switch(&gen, 1, AT(30), 0, 0, 12);
	capgen_switch(&gen, 1, AT(40), S, 12, 0);
	capgen_wakeup(&gen, 0, AT(60), 12, 1);
	/* Once more, which changes nothing. */
	capgen_wakeup(&gen, 0, AT(61), 12, 1);
	capgen_switch(&gen, 1, AT(65), 0, 0, 12);
	capgen_wakeup(&gen, 0, AT(66), 12, 1);
	capgen_switch(&gen, 1, AT(70), PREEMPTED | S, 12, 0);
	capgen_switch(&gen, 1, AT(80), 0, 0, 12);
	capgen_switch(&gen, 1, AT(90), 0, 12, 0);
	capgen_switch(&gen, 1, AT(100), 0, 0, 12);
	capgen_switch(&gen, 1, AT(110), D, 12, 0);
	capgen_switch(&gen, 1, AT(120), 0, 0, 12);
	capgen_exit(&gen, 1, AT(125), 12, 12);
	capgen_switch(&gen, 1, AT(130), ZOMBIE, 12, 0);
	capgen_switch(&gen, 0, AT(140), S, 11, 0);
	HEAR();
	EXPECT_STREQ("being made 20-25\n"
		     "run queue: new 25-30\n"
		     "run 30-40\n"
		     "sleep 40-60\n"
		     "run queue: woken 60-65\n"
		     "run 65-70\n"
		     "run queue: preempted 70-80\n"
		     "run 80-90\n"
		     "run queue: slice/yield 90-100\n"
		     "run 100-110\n"
		     "disk sleep 110-120\n"
		     "run 120-130\n", reported(self, 12, SEGMENTS));
	EXPECT_STREQ("child 20-130\n", reported(self, 12, KIND(THREAD)));
}

/* Who makes a thread answers it: from the fork, or since it runs, to the first wakeup. */
TEST_F(tasks, who_makes_a_thread)
{
	capgen_switch(&gen, 1, AT(9), 0, 0, 0);
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_fork(&gen, 0, AT(20), 11, 11, 12, 12, "child");
	capgen_switch(&gen, 0, AT(21), PREEMPTED, 11, 0);
	capgen_switch(&gen, 0, AT(23), 0, 0, 11);
	wake_new(0, AT(25), 12);
	capgen_switch(&gen, 1, AT(30), 0, 0, 12);
	/* Of this one the wakeup is not seen. */
	capgen_fork(&gen, 0, AT(40), 11, 11, 13, 13, "child");
	capgen_switch(&gen, 0, AT(45), PREEMPTED, 11, 13);
	HEAR();
	EXPECT_STREQ("being made 20-30\n", reported(self, 12, KIND(REQ_OUT)));
	EXPECT_STREQ("being made 40-45\n", reported(self, 13, KIND(REQ_OUT)));
	EXPECT_STREQ("being made 23-25\n", reported(self, 0, KIND(REQ_IN)));
	EXPECT_STREQ("being made 23-25\n", reported(self, 11, KIND(REQ_IN)));
}

/* Threads 11 and 12 run on both CPUs; then 12 sleeps from 30 on. */
static void one_sleeps(void)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_switch(&gen, 1, AT(10), 0, 0, 12);
	capgen_switch(&gen, 1, AT(30), S, 12, 0);
}

/* The gap is from the last record of the CPU on. */
TEST_F(tasks, sleeps_while_wakeups_are_missing)
{
	one_sleeps();
	capgen_switch(&gen, 0, AT(40), S, 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 1);
	capgen_switch(&gen, 0, AT(60), 0, 0, 11);
	/* It is on no CPU, so it waits for one. */
	capgen_wakeup(&gen, 0, AT(70), 12, 1);
	capgen_switch(&gen, 1, AT(80), 0, 0, 12);
	HEAR();
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-30\n"
		     "sleep 30-40\n"
		     "events missing 40-70\n"
		     "run queue: woken 70-80\n"
		     "run 80-80 open\n", reported(self, 12, SEGMENTS));
	EXPECT_STREQ("sleep 30-40 doubt\n", reported(self, 12, KIND(REQ_OUT)));
	EXPECT_STREQ("loss CPU 0 1000000040-1000000060 sched_wakeup 1 lost\n",
		     lines(self, "loss"));
}

TEST_F(tasks, is_made_while_new_wakeups_are_missing)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_switch(&gen, 1, AT(10), 0, 0, 0);
	capgen_fork(&gen, 0, AT(20), 11, 11, 12, 12, "child");
	capgen_wakeup(&gen, 0, AT(30), 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup_new, 1);
	capgen_switch(&gen, 0, AT(40), S, 11, 0);
	capgen_switch(&gen, 1, AT(50), 0, 0, 12);
	HEAR();
	EXPECT_STREQ("being made 20-30\n"
		     "events missing 30-50\n"
		     "run 50-50 open\n", reported(self, 12, SEGMENTS));
}

TEST_F(tasks, goes_to_sleep_while_wakeups_are_missing)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_switch(&gen, 1, AT(10), 0, 0, 12);
	capgen_switch(&gen, 0, AT(20), 0, 11, 11);
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 1);
	capgen_switch(&gen, 1, AT(30), S, 12, 13);
	capgen_switch(&gen, 1, AT(35), PREEMPTED, 13, 0);
	capgen_switch(&gen, 0, AT(60), S, 11, 0);
	HEAR();
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-30\n"
		     "events missing 30-60 open\n", reported(self, 12, SEGMENTS));
	/* A runnable thread needs no wakeup. */
	EXPECT_STREQ("not seen 30-30\n"
		     "run 30-35\n"
		     "run queue: preempted 35-60 open\n", reported(self, 13, SEGMENTS));
}

/* It may run on CPU 1: nothing is known of that CPU yet. */
TEST_F(tasks, woken_while_a_cpu_is_not_known)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_wakeup(&gen, 0, AT(20), 12, 1);
	gen.cpus[1].running = 13;
	capgen_wakeup(&gen, 1, AT(30), 11, 1);
	capgen_wakeup(&gen, 0, AT(40), 12, 1);
	HEAR();
	EXPECT_STREQ("not seen 20-40\n"
		     "run queue: woken 40-40 open\n", reported(self, 12, SEGMENTS));
	/* A header says that it runs, but not since when. */
	EXPECT_STREQ("not seen 30-30\n"
		     "run 30-40 early open\n", reported(self, 13, SEGMENTS));
}

TEST_F(tasks, sleeps_while_only_switches_are_missing)
{
	one_sleeps();
	capgen_switch(&gen, 0, AT(40), S, 11, 0);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 1);
	capgen_wakeup(&gen, 1, AT(50), 12, 1);
	capgen_switch(&gen, 0, AT(60), 0, 0, 11);
	capgen_switch(&gen, 1, AT(80), 0, 0, 12);
	HEAR();
	/* Woken, it may have got the CPU whose switches are missing. */
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-30\n"
		     "sleep 30-50\n"
		     "events missing 50-80\n"
		     "run 80-80 open\n", reported(self, 12, SEGMENTS));
	/* The thread that ran there may have got another CPU. */
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-40\n"
		     "sleep 40-60\n"
		     "run 60-80 open\n", reported(self, 11, SEGMENTS));
}

TEST_F(tasks, runs_where_switches_are_missing)
{
	one_sleeps();
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 1);
	capgen_switch(&gen, 0, AT(60), 0, 13, 11);
	capgen_switch(&gen, 0, AT(70), S, 11, 0);
	HEAR();
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-10\n"
		     "events missing 10-60\n"
		     "run 60-70\n"
		     "sleep 70-70 open\n", reported(self, 11, SEGMENTS));
}

/* 12 takes the number of its leader, which has ended. */
TEST_F(tasks, exec_by_a_thread)
{
	capgen_switch(&gen, 1, AT(5), 0, 0, 0);
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_fork(&gen, 0, AT(20), 11, 11, 12, 11, "thread");
	capgen_exit(&gen, 0, AT(25), 11, 11);
	capgen_switch(&gen, 0, AT(30), ZOMBIE, 11, 12);
	capgen_exec(&gen, 0, AT(40), 11, 12, "/bin/true");
	capgen_switch(&gen, 0, AT(50), S, 11, 0);
	capgen_exit(&gen, 0, AT(60), 11, 11);
	HEAR();
	EXPECT_STREQ("being made 20-30\n"
		     "run 30-40\n", reported(self, 12, SEGMENTS));
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-30\n"
		     "run 40-50\n"
		     "sleep 50-60 open\n", reported(self, 11, SEGMENTS));
	EXPECT_STREQ(" 10-30 early\nthread 40-60 open\n", reported(self, 11, KIND(THREAD)));
	/* The process went on. */
	EXPECT_EQ(1, self->log.count[TASKS_PROCESS]);
	EXPECT_STREQ("tag thread 5 \"exec as 11\" 1000000040\n"
		     "tag thread 9 \"exec /bin/true\" 1000000040\n", lines(self, "tag thread"));
}

/* The same while the leader is not gone yet: it is left with the number of 12. */
TEST_F(tasks, exec_by_a_thread_before_its_leader_is_gone)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_fork(&gen, 0, AT(20), 11, 11, 12, 11, "thread");
	capgen_switch(&gen, 1, AT(30), 0, 0, 12);
	capgen_exit(&gen, 0, AT(35), 11, 11);
	capgen_exec(&gen, 1, AT(40), 11, 12, "/bin/true");
	capgen_exit(&gen, 1, AT(50), 11, 11);
	capgen_switch(&gen, 0, AT(55), ZOMBIE, 12, 0);
	capgen_switch(&gen, 1, AT(60), ZOMBIE, 11, 0);
	HEAR();
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-40\n"
		     "run 40-60\n", reported(self, 11, SEGMENTS));
	EXPECT_STREQ("being made 20-30\n"
		     "run 30-40\n"
		     "run 40-55\n", reported(self, 12, SEGMENTS));
	EXPECT_STREQ("tag process 1 \"exit code 0\" 1000000050\n", lines(self, "tag process"));
	EXPECT_EQ(1, self->log.count[TASKS_PROCESS]);
}

/* The statedump has met it before its fork was recorded. */
TEST_F(tasks, dumped_before_its_fork)
{
	struct ovnik_task_fork *rec;

	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_dump(&gen, 1, AT(20), 12, 12, 0, 0, 0, "child");
	rec = CAPGEN_RECORD(&gen, 0, AT(30), task_fork);
	rec->parent_tid = 11;
	rec->parent_tgid = 11;
	rec->child_tid = 12;
	rec->child_tgid = 12;
	rec->child_start = 12000;
	HEAR();
	EXPECT_STREQ("child 20-30 early open\n", reported(self, 12, KIND(THREAD)));
}

/* The record of its end says to which process it belongs. */
TEST_F(tasks, an_exit_that_tells_the_process)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 12);
	capgen_exit(&gen, 0, AT(20), 12, 11);
	HEAR();
	EXPECT_STREQ("tag process 5 \"exit code 0\" 1000000020\n", lines(self, "tag process"));
}

/* The end of 12 was not seen. */
TEST_F(tasks, a_number_given_again)
{
	one_sleeps();
	capgen_fork(&gen, 0, AT(40), 11, 11, 12, 12, "new");
	wake_new(0, AT(45), 12);
	HEAR();
	EXPECT_STREQ(" 10-40 early\nnew 40-45 open\n", reported(self, 12, KIND(THREAD)));
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-30\n"
		     "sleep 30-40\n"
		     "being made 40-45\n"
		     "run queue: new 45-45 open\n", reported(self, 12, SEGMENTS));
	EXPECT_EQ(3, self->log.count[TASKS_PROCESS]);
}

/* Process 12 has a number that one had which had two threads. */
TEST_F(tasks, a_process_number_given_again)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_dump(&gen, 0, AT(20), 12, 12, S, 0, 0, "old");
	capgen_dump(&gen, 0, AT(21), 13, 12, S, 0, 0, "old");
	capgen_fork(&gen, 0, AT(30), 11, 11, 12, 12, "new");
	capgen_wakeup(&gen, 0, AT(40), 12, 0);
	HEAR();
	EXPECT_STREQ("old 21-30 early\n", reported(self, 13, KIND(THREAD)));
	EXPECT_STREQ("end process 5 of 0 proc.12 \"old\" 1000000020-1000000030 cpu 0 early\n"
		     "end process 12 of 1 proc.12 \"new\" 1000000030-1000000040 cpu 0 open\n"
		     "end process 1 of 0 proc.11 \"\" 1000000010-1000000040 cpu 0 early open\n",
		     lines(self, "end process"));
}

TEST_F(tasks, only_who_the_filter_covers)
{
	gen.filter = "11";
	capgen_dump(&gen, 0, AT(5), 11, 11, 0, 0, 0, "in");
	capgen_switch(&gen, 0, AT(10), S, 20, 11);
	capgen_wakeup(&gen, 0, AT(15), 20, 0);
	capgen_switch(&gen, 0, AT(20), S, 11, 20);
	capgen_wakeup(&gen, 1, AT(30), 11, 0);
	capgen_switch(&gen, 0, AT(40), PREEMPTED, 20, 11);
	HEAR();
	EXPECT_STREQ("not seen 5-10\n"
		     "run 10-20\n"
		     "sleep 20-30\n"
		     "run queue: woken 30-40\n"
		     "run 40-40 open\n", reported(self, 11, SEGMENTS));
	EXPECT_STREQ("outside the filter 10-40 open\n", reported(self, 20, SEGMENTS));
}

/* The statedump knows of threads that do nothing later. */
TEST_F(tasks, begun_in_the_middle)
{
	capgen_dump(&gen, 0, AT(10), 1, 1, S, 0, 0, "init");
	capgen_dump(&gen, 0, AT(11), 2, 2, 0, 0, 0, "runs");
	capgen_dump(&gen, 0, AT(12), 3, 3, D, 0, 0, "woken");
	capgen_wakeup(&gen, 0, AT(13), 3, 0);
	/* A header says which thread runs on the other CPU. */
	capgen_wakeup(&gen, 1, AT(14), 3, 0);
	capgen_switch(&gen, 0, AT(20), 0, 0, 9);
	capgen_dump(&gen, 0, AT(30), 4, 4, D, 0, 0, "late");
	capgen_wakeup(&gen, 0, AT(50), 1, 0);
	HEAR();
	EXPECT_STREQ("init 10-50 early open\n", reported(self, 1, KIND(THREAD)));
	EXPECT_STREQ("not seen 10-20\n"
		     "sleep 20-50 early\n"
		     "run queue: woken 50-50 open\n", reported(self, 1, SEGMENTS));
	EXPECT_STREQ("not seen 11-20\n"
		     "run queue: before the capture 20-50 early open\n",
		     reported(self, 2, SEGMENTS));
	EXPECT_STREQ("not seen 12-50 open\n", reported(self, 3, SEGMENTS));
	EXPECT_STREQ("disk sleep 30-50 early open\n", reported(self, 4, SEGMENTS));
}

/* What the statedump said may have changed since. */
TEST_F(tasks, dumped_before_wakeups_were_missing)
{
	capgen_dump(&gen, 0, AT(10), 1, 1, S, 0, 0, "init");
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 1);
	capgen_switch(&gen, 0, AT(20), 0, 0, 9);
	capgen_switch(&gen, 0, AT(30), S, 9, 0);
	HEAR();
	EXPECT_STREQ("not seen 10-30 open\n", reported(self, 1, SEGMENTS));
}

/* Without switches it is unknown which threads wait. */
TEST_F(tasks, no_switches)
{
	capgen_dump(&gen, 0, AT(10), 1, 1, S, 0, 0, "init");
	capgen_fork(&gen, 0, AT(20), 1, 1, 2, 2, "child");
	wake_new(0, AT(30), 2);
	HEAR();
	EXPECT_STREQ("not seen 10-30 open\n", reported(self, 1, SEGMENTS));
	EXPECT_STREQ("not seen 20-30 open\n", reported(self, 2, SEGMENTS));
}

/* 12 turns out to be a thread of 11. */
TEST_F(tasks, a_process_that_is_learned_late)
{
	one_sleeps();
	capgen_dump(&gen, 0, AT(40), 12, 11, S, 0, 0, "late");
	capgen_wakeup(&gen, 0, AT(50), 12, 1);
	HEAR();
	EXPECT_STREQ("not seen 10-10\n"
		     "run 10-30\n"
		     "sleep 30-40\n"
		     "not seen 40-50\n"
		     "run queue: woken 50-50 open\n", reported(self, 12, SEGMENTS));
	EXPECT_STREQ(" 10-40 early\nlate 40-50 early open\n", reported(self, 12, KIND(THREAD)));
	EXPECT_STREQ("end process 5 of 0 proc.12 \"\" 1000000010-1000000040 cpu 1 early\n"
		     "end process 1 of 0 proc.11 \"late\" 1000000010-1000000050 cpu 0 early open\n",
		     lines(self, "end process"));
}

TEST_F(tasks, names_and_exit_codes)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_fork(&gen, 0, AT(20), 11, 11, 12, 12, "sh");
	capgen_fork(&gen, 0, AT(21), 11, 11, 13, 12, "thread");
	capgen_switch(&gen, 1, AT(30), 0, 0, 12);
	capgen_comm(&gen, 1, AT(40), 12, 12, "ls");
	capgen_exec(&gen, 1, AT(41), 12, 12, "/bin/ls");
	capgen_exit(&gen, 1, AT(50), 12, 12);
	capgen_switch(&gen, 1, AT(60), ZOMBIE, 12, 13);
	capgen_exit(&gen, 1, AT(70), 13, 12);
	((struct ovnik_task_exit *)(gen.cpus[1].buf + gen.cpus[1].pos) - 1)->exit_code = 3 << 8;
	capgen_switch(&gen, 1, AT(80), ZOMBIE, 13, 0);
	HEAR();
	EXPECT_STREQ("tag thread 6 \"comm ls\" 1000000040\n"
		     "tag thread 6 \"exec /bin/ls\" 1000000041\n", lines(self, "tag thread"));
	EXPECT_STREQ("end thread 6 of 5 proc.12.thread.12 \"ls\" 1000000020-1000000060 cpu 0\n",
		     lines(self, "end thread 6"));
	EXPECT_STREQ("tag process 5 \"exit code 3\" 1000000070\n", lines(self, "tag process"));
	EXPECT_STREQ("start process 1 of 0 proc.11 \"\" 1000000010-0 cpu 0 early\n"
		     "start process 5 of 1 proc.12 \"sh\" 1000000020-0 cpu 0\n",
		     lines(self, "start process"));
	EXPECT_STREQ("end process 5 of 1 proc.12 \"ls\" 1000000020-1000000080 cpu 0\n"
		     "end process 1 of 0 proc.11 \"\" 1000000010-1000000080 cpu 0 early open\n",
		     lines(self, "end process"));
}

static void move(unsigned int cpu, u64 tsc, u16 from, u16 to)
{
	struct ovnik_sched_migrate *rec = CAPGEN_RECORD(&gen, cpu, tsc, sched_migrate);

	rec->tid = 12;
	rec->orig_cpu = from;
	rec->dest_cpu = to;
}

/* "0", a line for each wait of thread 12 for a CPU: in whose run queue. */
static const char *queues(struct _test_data_tasks *self)
{
	size_t len = 0;
	u64 id;

	self->text[0] = '\0';
	for (id = 1; id < self->log.nr; id++) {
		const struct trace_task *task = &self->log.tasks[id].task;

		if (task->id && task->kind == TASKS_WAIT && task->tid == 12 &&
		    task->code <= TASKS_WAIT_QUEUE_LAST)
			len += snprintf(self->text + len, LOG_MAX - len, "%d\n",
					(s32)task->queue_cpu);
	}
	return self->text;
}

TEST_F(tasks, a_wait_says_in_whose_queue)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
	capgen_switch(&gen, 1, AT(11), 0, 0, 13);
	capgen_dump(&gen, 0, AT(12), 12, 12, OVNIK_STATE_RUNNING, 12, 0, "old");
	/* Where it is queued is not known at first. */
	capgen_switch(&gen, 1, AT(20), S, 13, 12);
	/* It stays where it was. */
	capgen_switch(&gen, 1, AT(30), PREEMPTED, 12, 13);
	capgen_switch(&gen, 1, AT(40), S, 13, 12);
	/* It is queued elsewhere, and moved twice. */
	capgen_switch(&gen, 1, AT(41), S, 12, 0);
	move(0, AT(50), 1, 0);
	capgen_wakeup(&gen, 0, AT(51), 12, 0);
	move(1, AT(61), 0, 1);
	move(0, AT(70), 1, 0);
	move(1, AT(79), 0, 1);
	capgen_switch(&gen, 1, AT(80), 0, 0, 12);
	/* That it was moved is not recorded. */
	capgen_switch(&gen, 1, AT(90), PREEMPTED, 12, 0);
	capgen_switch(&gen, 0, AT(95), S, 11, 12);
	/* It goes on. */
	capgen_switch(&gen, 0, AT(96), PREEMPTED, 12, 0);
	move(1, AT(97), 0, 1);
	capgen_switch(&gen, 0, AT(100), 0, 0, 11);
	HEAR();
	EXPECT_STREQ("1\n1\n0\n0\n1\n", queues(self));
}

TEST_F(tasks, milestones_and_migrations)
{
	struct ovnik_sched_migrate *rec;

	one_sleeps();
	rec = CAPGEN_RECORD(&gen, 0, AT(35), sched_migrate);
	rec->tid = 12;
	rec->orig_cpu = 1;
	rec->dest_cpu = 0;
	capgen_wakeup(&gen, 0, AT(40), 12, 0);
	capgen_switch(&gen, 0, AT(50), PREEMPTED, 11, 12);
	capgen_switch(&gen, 0, AT(60), D, 12, 0);
	HEAR();
	EXPECT_STREQ("milestone thread 6 work \"run\" 1000000030\n"
		     "milestone thread 6 dependency \"sleep\" 1000000040\n"
		     "milestone thread 6 hardware_resource \"run queue: woken\" 1000000050\n"
		     "milestone thread 6 work \"run\" 1000000060\n",
		     lines(self, "milestone thread 6"));
	EXPECT_STREQ("tag thread 6 \"migrated to CPU 0\" 1000000035\n", lines(self, "tag"));
	EXPECT_EQ(1, self->log.tasks[6].task.migrations);
}

TEST_HARNESS_MAIN
