// SPDX-License-Identifier: GPL-2.0-only
/* Tasks, types of tasks, hardware counters and lint of the runtimes' models. */
#define _GNU_SOURCE	/* for the harness */
#include "../fixture/belowfix.h"
#include "../fixture/runtimefix.h"
#include "emu/cfg.h"
#include "emu/nosv/nosv_model.h"
#include "emu/task.h"

TEST_F(tasks, nosv_lines)
{
	struct emufix *f = &self->f;

	OPEN("nosv", "2.7.0");
	ASSERT_EQ(0, emu_proc_rank(f->proc, 3, 8));
	ASSERT_EQ(0, begin(f, "VYc"));
	ACCEPTED(emufix_u32(f, 0, "VTc", 2, 5, 1));
	ACCEPTED(emufix_u32(f, 0, "VTx", 2, 5, 0));
	ACCEPTED(emufix_u32(f, 0, "VTp", 2, 5, 0));
	ACCEPTED(emufix_u32(f, 0, "VTr", 2, 5, 0));
	ACCEPTED(emufix_u32(f, 0, "VTe", 2, 5, 0));
	/* It may run again. */
	ACCEPTED(emufix_u32(f, 0, "VTx", 2, 5, 0));
	ACCEPTED(emufix_u32(f, 0, "VTe", 2, 5, 0));
	ACCEPTED(end(f));
	HAS("thread.prv",
	    "2:0:1:1:1:0:6:1\n"
	    "2:0:1:1:1:0:4:1\n"
	    "2:0:1:1:1:0:2:101\n"
	    "2:0:1:1:1:0:15:0\n"
	    "2:0:1:1:1:0:10:0\n"
	    "2:0:1:1:1:0:11:0\n"
	    "2:0:1:1:1:0:12:0\n"
	    "2:0:1:1:1:0:13:0\n"
	    "2:0:1:1:1:0:14:0\n"
	    "2:0:1:1:1:0:16:100\n"
	    "2:0:1:1:1:3:13:11\n"
	    "2:0:1:1:1:3:15:1\n"
	    "2:0:1:1:1:3:10:5\n"
	    "2:0:1:1:1:3:11:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:3:12:7\n"
	    "2:0:1:1:1:3:14:4\n"
	    "2:0:1:1:1:4:15:0\n"
	    "2:0:1:1:1:4:10:0\n"
	    "2:0:1:1:1:4:11:0\n"
	    "2:0:1:1:1:4:12:0\n"
	    "2:0:1:1:1:4:14:0\n"
	    "2:0:1:1:1:5:15:1\n"
	    "2:0:1:1:1:5:10:5\n"
	    "2:0:1:1:1:5:11:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:5:12:7\n"
	    "2:0:1:1:1:5:14:4\n"
	    "2:0:1:1:1:6:13:0\n"
	    "2:0:1:1:1:6:15:0\n"
	    "2:0:1:1:1:6:10:0\n"
	    "2:0:1:1:1:6:11:0\n"
	    "2:0:1:1:1:6:12:0\n"
	    "2:0:1:1:1:6:14:0\n"
	    "2:0:1:1:1:7:13:11\n");
	/* A CPU without a running thread rests. */
	HAS("cpu.prv", "2:0:1:1:1:9:3:0\n2:0:1:1:1:9:16:101\n");
	HAS("cpu.prv", "2:0:1:1:1:3:13:11\n2:0:1:1:1:3:15:1\n2:0:1:1:1:3:10:5\n");
	HAS("thread.pcf", "0 11         nOS-V task type of the RUNNING thread\nVALUES\n"
	    TEXT(GID_MAIN) " main\n\n");
	HAS("cpu.pcf", "0 11         nOS-V task type of the RUNNING thread\nVALUES\n"
	    TEXT(GID_MAIN) " main\n\n");
	EXPECT_EQ(0, access(strcat(strcpy(f->text, f->dir), "/cfg/cpu/nosv/task-type.cfg"), F_OK));
	EXPECT_NE(0, access(strcat(strcpy(f->text, f->dir), "/cfg/cpu/nosv/breakdown.cfg"), F_OK));
	EXPECT_NE(0, access(strcat(strcpy(f->text, f->dir), "/cfg/cpu/mpi"), F_OK));
}

/* Resting said by a thread, then by a CPU without one: two lines of V, one of 6. */
TEST_F(tasks, idle_repeats)
{
	OPEN("nosv", "2.7.0");
	ASSERT_EQ(0, emu_require(self->f.emu, "nanos6", "1.1.0"));
	ASSERT_EQ(0, begin(&self->f, "VYc"));
	ACCEPTED(emufix_ev(&self->f, 0, "VPr"));
	ACCEPTED(emufix_ev(&self->f, 0, "6Pr"));
	ACCEPTED(emufix_ev(&self->f, 0, "OHp"));
	ACCEPTED(emufix_ev(&self->f, 0, "OHr"));
	ACCEPTED(end(&self->f));
	HAS("cpu.prv", "2:0:1:1:1:3:40:101\n"
	    "2:0:1:1:1:4:2:0\n2:0:1:1:1:4:1:0\n2:0:1:1:1:4:3:0\n"
	    "2:0:1:1:1:4:36:0\n2:0:1:1:1:4:38:0\n2:0:1:1:1:4:16:101\n"
	    "2:0:1:1:1:5:2:101\n2:0:1:1:1:5:1:100\n2:0:1:1:1:5:3:1\n"
	    "2:0:1:1:1:5:36:0\n2:0:1:1:1:5:38:0\n2:0:1:1:1:5:16:101\n"
	    "2:0:1:1:1:6:2:0\n");
	/* On its own row it has no state while it is paused. */
	HAS("thread.prv", "2:0:1:1:1:4:36:0\n2:0:1:1:1:4:38:0\n2:0:1:1:1:4:40:0\n"
	    "2:0:1:1:1:4:16:0\n");
}

TEST_F(tasks, nosv_parallel)
{
	struct emufix *f = &self->f;

	OPEN("nosv", "2.7.0");
	ASSERT_EQ(0, begin(f, "VYc"));
	ACCEPTED(emufix_execute(f, 1, 1));
	ACCEPTED(emufix_u32(f, 0, "VTC", 2, 9, 1));
	REFUSED(emufix_u32(f, 0, "VTx", 2, 9, 0), "task 9 is parallel and has no body 0");
	ACCEPTED(emufix_u32(f, 0, "VTx", 2, 9, 1));
	ACCEPTED(emufix_u32(f, 1, "VTx", 2, 9, 4));
	REFUSED(emufix_u32(f, 1, "VTx", 2, 9, 4), "body 4 of task 9 cannot begin, it is running");
	REFUSED(emufix_u32(f, 1, "VTe", 2, 9, 1), "is not the one thread 102 began last");
	REFUSED(emufix_u32(f, 1, "VTe", 2, 9, 5), "task 9 has no body 5");
	REFUSED(emufix_u32(f, 1, "VTp", 2, 9, 4), "of a kind that cannot pause");
	ACCEPTED(emufix_u32(f, 1, "VTe", 2, 9, 4));
	/* Each body runs once. */
	REFUSED(emufix_u32(f, 1, "VTx", 2, 9, 4), "body 4 of task 9 cannot begin, it is ended");
	ACCEPTED(emufix_u32(f, 0, "VTe", 2, 9, 1));
	ACCEPTED(end(f));
	HAS("thread.prv", ":15:1\n");
	HAS("thread.prv", ":15:4\n");
}

TEST_F(tasks, nosv_refused)
{
	struct emufix *f = &self->f;

	OPEN("nosv", "2.7.0");
	ASSERT_EQ(0, begin(f, "VYc"));
	REFUSED(emufix_type(f, "VYc", 1, "again", 6), "has task type 1 already");
	REFUSED(emufix_type(f, "VYc", 0, "zero", 5), "0 is not a task type");
	REFUSED(emufix_type(f, "VYc", 2, "no end", 6), "is not terminated");
	REFUSED(emufix_type(f, "VYc", 2, "", 0), "is not terminated");
	REFUSED(emufix_event(f, 0, "VYc", "abc", 3, true), "at least 4 expected");
	REFUSED(emufix_u32(f, 0, "VTc", 2, 5, 2), "process 100 has no task type 2");
	REFUSED(emufix_u32(f, 0, "VTc", 2, 5, 0), "process 100 has no task type 0");
	ACCEPTED(emufix_u32(f, 0, "VTc", 2, 5, 1));
	ACCEPTED(emufix_u32(f, 0, "VTc", 2, 6, 1));
	ACCEPTED(emufix_u32(f, 0, "VTc", 2, 0, 1));
	REFUSED(emufix_u32(f, 0, "VTc", 2, 5, 1), "process 100 has task 5 already");
	REFUSED(emufix_u32(f, 0, "VTC", 2, 5, 1), "process 100 has task 5 already");
	REFUSED(emufix_u32(f, 0, "VTx", 2, 0, 0), "0 is not a task");
	REFUSED(emufix_u32(f, 0, "VTx", 2, 7, 0), "process 100 has no task 7");
	REFUSED(emufix_u32(f, 0, "VTx", 2, 5, 1), "task 5 is not parallel and has no body 1");
	REFUSED(emufix_u32(f, 0, "VTe", 2, 5, 0), "is not the one thread 101 began last");
	ACCEPTED(emufix_u32(f, 0, "VTx", 2, 5, 0));
	REFUSED(emufix_u32(f, 0, "VTr", 2, 5, 0), "cannot resume, it is running");
	REFUSED(emufix_u32(f, 0, "VTx", 2, 6, 0), "cannot begin task 6, it is running task 5");
	ACCEPTED(emufix_u32(f, 0, "VTp", 2, 5, 0));
	REFUSED(emufix_u32(f, 0, "VTp", 2, 5, 0), "cannot pause, it is paused");
	REFUSED(emufix_u32(f, 0, "VTe", 2, 5, 0), "cannot end, it is paused");
	REFUSED(emufix_u32(f, 0, "VTx", 2, 5, 0), "cannot begin, it is paused");
	/* Above what is paused another one may run. */
	ACCEPTED(emufix_u32(f, 0, "VTx", 2, 6, 0));
	REFUSED(emufix_u32(f, 0, "VTr", 2, 5, 0), "is not the one thread 101 began last");
	ACCEPTED(emufix_u32(f, 0, "VTe", 2, 6, 0));
	ACCEPTED(emufix_u32(f, 0, "VTr", 2, 5, 0));
	ACCEPTED(emufix_u32(f, 0, "VTe", 2, 5, 0));
	ACCEPTED(end(f));
}

TEST_F(tasks, nanos6_lines)
{
	struct emufix *f = &self->f;

	OPEN("nanos6", "1.1.0");
	ASSERT_EQ(0, emu_proc_rank(f->proc, 0, 1));
	ASSERT_EQ(0, begin(f, "6Yc"));
	ACCEPTED(emufix_type(f, "6Yc", 2, "task", 5));
	ACCEPTED(emufix_u32(f, 0, "6Tc", 2, 5, 1));
	ACCEPTED(emufix_u32(f, 0, "6Tc", 2, 6, 2));
	ACCEPTED(emufix_u32(f, 0, "6Tx", 1, 5, 0));	/* at 5 */
	/* Nested: a warning, and the subsystem needs another state between. */
	REFUSED(emufix_u32(f, 0, "6Tx", 1, 6, 0), "this state already");
	emufix_close(f);

	OPEN("nanos6", "1.1.0");
	ASSERT_EQ(0, begin(f, "6Yc"));
	ACCEPTED(emufix_type(f, "6Yc", 2, "task", 5));
	ACCEPTED(emufix_u32(f, 0, "6Tc", 2, 5, 1));
	ACCEPTED(emufix_u32(f, 0, "6Tc", 2, 6, 2));
	ACCEPTED(emufix_u32(f, 0, "6Tx", 1, 5, 0));	/* at 5 */
	ACCEPTED(emufix_ev(f, 0, "6Bb"));
	ACCEPTED(emufix_u32(f, 0, "6Tx", 1, 6, 0));	/* at 7 */
	ACCEPTED(emufix_u32(f, 0, "6Tp", 1, 6, 0));
	ACCEPTED(emufix_u32(f, 0, "6Tr", 1, 6, 0));
	ACCEPTED(emufix_u32(f, 0, "6Te", 1, 6, 0));	/* at 10 */
	ACCEPTED(emufix_ev(f, 0, "6BB"));
	ACCEPTED(emufix_u32(f, 0, "6Te", 1, 5, 0));	/* at 12 */
	REFUSED(emufix_u32(f, 0, "6Tx", 1, 5, 0), "cannot begin, it is ended");
	ACCEPTED(emufix_ev(f, 0, "6TC"));
	ACCEPTED(emufix_ev(f, 0, "6TC"));
	ACCEPTED(end(f));
	HAS("thread.prv",
	    "2:0:1:1:1:5:37:1\n"
	    "2:0:1:1:1:5:35:5\n"
	    "2:0:1:1:1:5:36:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:6:37:14\n"
	    "2:0:1:1:1:7:37:1\n"
	    "2:0:1:1:1:7:35:6\n"
	    "2:0:1:1:1:7:36:" TEXT(GID_TASK) "\n"
	    "2:0:1:1:1:8:35:0\n"
	    "2:0:1:1:1:8:36:0\n"
	    "2:0:1:1:1:9:35:6\n"
	    "2:0:1:1:1:9:36:" TEXT(GID_TASK) "\n"
	    "2:0:1:1:1:10:37:14\n"
	    "2:0:1:1:1:10:35:5\n"
	    "2:0:1:1:1:10:36:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:11:37:1\n"
	    "2:0:1:1:1:12:37:0\n"
	    "2:0:1:1:1:12:35:0\n"
	    "2:0:1:1:1:12:36:0\n");
	/* Type and rank are written at each change of state, null or not. */
	HAS("thread.prv", ":4:3\n2:0:1:1:1:16:2:0\n2:0:1:1:1:16:6:0\n2:0:1:1:1:16:36:0\n"
	    "2:0:1:1:1:16:38:0\n2:0:1:1:1:16:40:0\n");
	HAS("thread.pcf", "0 39         Nanos6 thread type");
}

TEST_F(tasks, nanos6_rank_and_thread_type)
{
	struct emufix *f = &self->f;

	OPEN("nanos6", "1.1.0");
	ASSERT_EQ(0, emu_proc_rank(f->proc, 1, 2));
	ASSERT_EQ(0, begin(f, "6Yc"));
	ACCEPTED(emufix_ev(f, 0, "6Hw"));
	ACCEPTED(emufix_u32(f, 0, "6Tc", 2, 5, 1));
	ACCEPTED(emufix_u32(f, 0, "6Tx", 1, 5, 0));	/* at 4 */
	ACCEPTED(emufix_ev(f, 0, "OHp"));
	ACCEPTED(emufix_ev(f, 0, "OHr"));
	ACCEPTED(emufix_u32(f, 0, "6Te", 1, 5, 0));
	emu_options(f->emu, EMU_LINT);
	/* The type of a thread may be left open. */
	ACCEPTED(end(f));
	HAS("thread.prv", "2:0:1:1:1:4:36:" TEXT(GID_MAIN) "\n2:0:1:1:1:4:38:2\n");
	HAS("thread.prv", "\n2:0:1:1:1:2:39:3\n2:0:1:1:1:4:");
	HAS_NOT("thread.prv", ":39:0\n");
	HAS("cpu.prv", "2:0:1:1:1:5:39:0\n");
	HAS("cpu.prv", "2:0:1:1:1:6:39:3\n");
}

TEST_F(tasks, openmp_lines)
{
	struct emufix *f = &self->f;

	OPEN("openmp", "1.2.1");
	ASSERT_EQ(0, begin(f, "POc"));
	ACCEPTED(emufix_type(f, "POc", 2, "task", 5));
	REFUSED(emufix_u32(f, 0, "PPc", 2, 0, 1), "0 is not a task");
	REFUSED(emufix_u32(f, 0, "PPc", 2, 5, 0), "has no task type 0");
	ACCEPTED(emufix_u32(f, 0, "PPc", 2, 5, 1));	/* at 5 */
	ACCEPTED(emufix_u32(f, 0, "PPc", 2, 6, 1));
	ACCEPTED(emufix_u32(f, 0, "PPx", 1, 5, 0));	/* at 7 */
	ACCEPTED(emufix_u32(f, 0, "PPx", 1, 6, 0));
	REFUSED(emufix_u32(f, 0, "PPe", 1, 5, 0), "is not the one thread 101 began last");
	ACCEPTED(emufix_u32(f, 0, "PQx", 1, 2, 0));	/* at 10 */
	REFUSED(emufix_u32(f, 0, "PPe", 1, 6, 0), "another state is on top");
	emufix_close(f);

	OPEN("openmp", "1.2.1");
	ASSERT_EQ(0, begin(f, "POc"));
	ACCEPTED(emufix_type(f, "POc", 2, "task", 5));
	ACCEPTED(emufix_u32(f, 0, "PPc", 2, 5, 1));
	ACCEPTED(emufix_u32(f, 0, "PPc", 2, 6, 1));
	ACCEPTED(emufix_u32(f, 0, "PPx", 1, 5, 0));	/* at 5 */
	ACCEPTED(emufix_u32(f, 0, "PPx", 1, 6, 0));
	ACCEPTED(emufix_u32(f, 0, "PQx", 1, 2, 0));
	REFUSED(emufix_u32(f, 0, "PQe", 1, 1, 0), "another state is on top");
	REFUSED(emufix_u32(f, 0, "PQe", 1, 3, 0), "has no task type 3");
	REFUSED(emufix_u32(f, 0, "PQx", 1, 0, 0), "has no task type 0");
	ACCEPTED(emufix_u32(f, 0, "PQe", 1, 2, 0));	/* at 11 */
	ACCEPTED(emufix_u32(f, 0, "PPe", 1, 6, 0));
	ACCEPTED(emufix_u32(f, 0, "PPe", 1, 5, 0));
	ACCEPTED(emufix_u32(f, 0, "PPx", 1, 5, 0));
	ACCEPTED(emufix_u32(f, 0, "PPe", 1, 5, 0));
	ACCEPTED(end(f));
	HAS("thread.prv",
	    "2:0:1:1:1:5:52:5\n"
	    "2:0:1:1:1:5:51:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:6:52:6\n"
	    "2:0:1:1:1:6:51:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:7:51:" TEXT(GID_TASK) "\n"
	    "2:0:1:1:1:11:51:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:12:52:5\n"
	    "2:0:1:1:1:12:51:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:13:52:0\n"
	    "2:0:1:1:1:13:51:0\n");
}

TEST_F(tasks, labels_of_types)
{
	struct emufix *f = &self->f;
	struct emu_proc *other;

	OPEN("nosv", "2.7.0");
	other = emu_proc_add(emu_loom_add(f->emu, "node.0"), 50);
	ASSERT_EQ(0, emu_proc_app(other, 1));
	f->th[1] = emu_thread_add(other, 60);
	ASSERT_NE(NULL, f->th[1]);
	ASSERT_EQ(0, begin(f, "VYc"));
	ACCEPTED(emufix_type(f, "VYc", 7, "", 1));
	ACCEPTED(emufix_type(f, "VYc", 3, "main", 5));
	ACCEPTED(emufix_execute(f, 1, 1));
	/* Numbers belong to a process; its own come first, as its row does. */
	ACCEPTED(emufix_event(f, 1, "VYc", "\7\0\0\0task", 9, true));
	ACCEPTED(emufix_ev(f, 1, "OHe"));
	ACCEPTED(emufix_ev(f, 0, "OHe"));
	/* Thread 102 has not begun: the labels are there all the same. */
	EXPECT_NE(0, emu_finish(f->emu));
	HAS("cpu.pcf", "task type of the RUNNING thread\nVALUES\n"
	    TEXT(GID_TASK) " task\n" TEXT(GID_MAIN) " main\n"
	    "365423866 (unlabeled task type 7)\n\n\n");
}

TEST_F(tasks, lint)
{
	struct emufix *f = &self->f;

	OPEN("mpi", "1.0.0");
	ASSERT_EQ(0, emu_freeze(f->emu, f->dir));
	ACCEPTED(emufix_execute(f, 0, 0));
	ACCEPTED(emufix_ev(f, 0, "MUi"));
	ACCEPTED(end(f));
	emufix_close(f);
	OPEN("mpi", "1.0.0");
	emu_options(f->emu, EMU_LINT);
	ASSERT_EQ(0, emu_freeze(f->emu, f->dir));
	ACCEPTED(emufix_execute(f, 0, 0));
	ACCEPTED(emufix_ev(f, 0, "MUi"));
	ACCEPTED(emufix_ev(f, 0, "MW["));
	REFUSED(end(f), "mpi.function is not empty in 1 of 2 threads, the first is thread 101 with state 4");
}

TEST_F(tasks, counters)
{
	static const char *const name[] = { "cycles", "../a \"b\"" };
	static const char *const others[] = { "cycles", "misses" };
	s64 value[2] = { 5, 0 };
	struct emufix *f = &self->f;

	OPEN("nosv", "2.7.0");
	ASSERT_EQ(0, nosv_counters_declare(f->emu, name, 2));
	ASSERT_EQ(0, nosv_counters_declare(f->emu, name, 2));
	EXPECT_NE(0, nosv_counters_declare(f->emu, name, 1));
	EXPECT_NE(0, nosv_counters_declare(f->emu, others, 2));
	EXPECT_NE(NULL, strstr(emu_reason(f->emu), "counter 1 is \"../a \"b\"\" and \"misses\""));
	EXPECT_NE(0, nosv_counters_declare(f->emu, name, 101));
	ASSERT_EQ(0, begin(f, "VYc"));
	EXPECT_NE(0, nosv_counters_declare(f->emu, name, 2));
	REFUSED(emufix_event(f, 0, "VWC", value, 8, true), "8 bytes, 16 expected");
	REFUSED(emufix_event(f, 0, "VWC", value, 16, false), "a jumbo event is expected");
	ACCEPTED(emufix_event(f, 0, "VWC", value, 16, true));
	value[0] = -3;
	ACCEPTED(emufix_event(f, 0, "VWC", value, 16, true));
	ACCEPTED(end(f));
	HAS("thread.prv", "2:0:1:1:1:0:16:100\n2:0:1:1:1:0:200:0\n2:0:1:1:1:0:201:0\n"
	    "2:0:1:1:1:4:200:5\n2:0:1:1:1:4:201:0\n2:0:1:1:1:5:200:-3\n2:0:1:1:1:5:201:0\n");
	HAS("cpu.prv", "2:0:1:1:1:5:200:-3\n");
	HAS("thread.pcf", "102  Absorbing noise\n\n\nEVENT_TYPE\n0 200        cycles\nVALUES\n");
	HAS("cfg/thread/nosv/hwc-cycles.cfg", "evt_type 1 200\n");
	HAS("cfg/thread/nosv/hwc-cycles.cfg", "Next Evt Val");
	HAS("cfg/cpu/nosv/hwc-.._a__b_.cfg", "evt_type_label 1 \".._a__b_\"\n");
	ASSERT_EQ(0, clear_in(f->dir, cfg_clear));
	EXPECT_NE(0, access(strcat(strcpy(f->text, f->dir), "/cfg"), F_OK));
}

TEST_F(tasks, counters_that_nobody_declares)
{
	s64 value = 5;

	OPEN("nosv", "2.7.0");
	ASSERT_EQ(0, begin(&self->f, "VYc"));
	REFUSED(emufix_event(&self->f, 0, "VWC", &value, 8, true), "no thread declares");
}

TEST_HARNESS_MAIN
