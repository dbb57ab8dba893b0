// SPDX-License-Identifier: GPL-2.0-only
/* What the database and the files of lines hold, and when they are there at all. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fixture/tracerfix.h"
#include "kselftest_harness.h"

FIXTURE(database) {
	struct fix f;
	char dir[64];
	char path[96];
	char part[96];
	char spec[128];
	struct sqlite3 *db;
	char *result;
};

FIXTURE_SETUP(database)
{
	fix_init(&self->f);
	strcpy(self->dir, "/tmp/tracers_database.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/out", self->dir);
	snprintf(self->part, sizeof(self->part), "%s/out.part", self->dir);
	snprintf(self->spec, sizeof(self->spec), "database,file=%s", self->path);
}

FIXTURE_TEARDOWN(database)
{
	sqlite3_close(self->db);
	sqlite3_free(self->result);
	fix_destroy(&self->f);
	unlink(self->path);
	unlink(self->part);
	rmdir(self->dir);
}

/* All rows as "a|b c|d " */
static int add_row(void *data, int nr, char **values, char **names)
{
	char **result = data, *longer;
	int i;

	(void)names;
	for (i = 0; i < nr; i++) {
		longer = sqlite3_mprintf("%s%s%s", *result, values[i] ? values[i] : "null",
					 i < nr - 1 ? "|" : " ");
		sqlite3_free(*result);
		*result = longer;
	}
	return 0;
}

static const char *query(struct _test_data_database *self, const char *sql)
{
	if (!self->db)
		sqlite3_open_v2(self->path, &self->db, SQLITE_OPEN_READONLY, NULL);
	sqlite3_free(self->result);
	self->result = sqlite3_mprintf("");
	if (sqlite3_exec(self->db, sql, add_row, &self->result, NULL))
		return sqlite3_errmsg(self->db);
	return self->result;
}

#define ASK(result, sql)	EXPECT_STREQ(result, query(self, sql))

/* A process, a thread, a run, a read, a wait that does not end. */
static void feed(struct fix *f)
{
	u64 process, thread, run, call, wait;

	process = fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .start = 5000,
			    .what = "sh", .where = "proc.7", .where_id = 1, .pid = 7,
			    .flags = TRACE_EARLY });
	thread = fix_start(f, &(struct trace_task){ .kind = TASKS_THREAD, .start = 5000,
			   .what = "sh", .where = "proc.7.thread.7", .where_id = 2, .pid = 7,
			   .tid = 7, .parent = process, .tgid_task = process });
	run = fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .start = 5010,
			.what = "run", .where = "proc.7.thread.7.run", .where_id = 5000,
			.pid = 7, .tid = 7, .parent = thread, .cpu = 3 });
	fix_tag(f, thread, 5010, "moved");
	call = fix_start(f, &(struct trace_task){ .kind = TASKS_CALL, .start = 5011,
			 .what = "read", .where = "proc.7.thread.7.call", .where_id = 4,
			 .pid = 7, .tid = 7, .parent = thread, .tgid_task = process,
			 .thread_task = thread });
	f->all[call].bytes = 512;
	f->all[call].result = -5;
	f->all[call].file = (struct trace_file){ .dev = 8 << 20 | 1, .ino = 99,
			     .generation = 4 };
	fix_end(f, call, 5013);
	fix_end_flags(f, run, 5014, TRACE_EITHER);
	wait = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .start = 5014,
			 .what = "caf\xe9", .where = "proc.7.thread.7.wait", .where_id = 3,
			 .pid = 7, .tid = 7, .parent = thread });
	fix_milestone(f, wait, 5020, "dependency", "woken");
	fix_loss(f, &(struct trace_loss){ .start = 5015, .end = 5016, .cpu = 1,
		 .event = "sched_switch", .lost = 3, .why = "lost" });
	fix_loss(f, &(struct trace_loss){ .start = 5017, .end = 5018, .why = "damaged" });
	fix_loss(f, &(struct trace_loss){ .start = 5019, .end = 5019, .cpu = TRACE_NO_CPU,
		 .event = "dump_task", .lost = 2, .why = "lost" });
	fix_end_flags(f, wait, 6000, TRACE_OPEN);
	fix_end_flags(f, thread, 6000, TRACE_OPEN);
	fix_end_flags(f, process, 6000, TRACE_OPEN | TRACE_UNCERTAIN);
}

#define WRITE_ALL()								\
do {										\
	ASSERT_EQ(0, tracers_add(&self->f.ts, self->spec));			\
	ASSERT_EQ(0, fix_run(&self->f, 5000, 6000));				\
	feed(&self->f);								\
	EXPECT_EQ(0, self->f.tasks.error);					\
	ASSERT_EQ(0, fix_answer(&self->f, true));				\
} while (0)

/* The names are Akita's, and in its order, for its tracer inserts by position. */
TEST_F(database, schema)
{
	WRITE_ALL();
	ASK("ID ParentID Kind What Location StartTime EndTime ",
	    "SELECT name FROM pragma_table_info('trace') WHERE name NOT LIKE 'ovnik$%'");
	ASK("7 ", "SELECT min(cid) FROM pragma_table_info('trace') WHERE name LIKE 'ovnik$%'");
	ASK("ID TaskID Time Kind What ", "SELECT name FROM pragma_table_info('milestone')");
	ASK("ID TaskID Time What ", "SELECT name FROM pragma_table_info('tag')");
	ASK("StartTime EndTime ", "SELECT name FROM pragma_table_info('daisen$segments')");
	ASK("ID Locale ", "SELECT name FROM pragma_table_info('location')");
	ASK("Property Value ", "SELECT name FROM pragma_table_info('exec_info')");
	ASK("", "SELECT name FROM sqlite_master WHERE type = 'index'");
}

TEST_F(database, about_the_run)
{
	self->f.run.command = "sleep 1";
	self->f.run.real = 1700000000999999500;
	WRITE_ALL();
	ASK("Command|sleep 1 Start Time|2023-11-14 22:13:20.999999500Z "
	    "End Time|2023-11-14 22:13:21.000000500Z "
	    "Start Virtual Time|0 End Virtual Time|1000000 ", "SELECT * FROM exec_info");
}

TEST_F(database, nothing_is_known_about_the_run)
{
	WRITE_ALL();
	ASK("Start Virtual Time|0 End Virtual Time|1000000 ", "SELECT * FROM exec_info");
}

TEST_F(database, content)
{
	WRITE_ALL();
	ASK("1|0|process|sh|proc[7]|0.0|1000000.0 2|1|thread|sh|proc[7].thread[7]|0.0|1000000.0 "
	    "3|2|run|run|proc[7].thread[7].run|10000.0|14000.0 "
	    "4|2|call|read|proc[7].thread[7].call|11000.0|13000.0 "
	    "5|2|wait|caf\xef\xbf\xbd|proc[7].thread[7].wait|14000.0|1000000.0 ",
	    "SELECT t.ID, ParentID, Kind, What, Locale, StartTime, EndTime FROM trace t "
	    "JOIN location l ON t.Location = l.ID ORDER BY t.ID");
	ASK("2|5|20000.0|dependency|woken ", "SELECT * FROM milestone");
	ASK("1|2|10000.0|moved ", "SELECT * FROM tag");
	ASK("0.0|1000000.0 ", "SELECT * FROM \"daisen$segments\"");
	ASK("15|16|1|sched_switch|3|lost|0 17|18|0|null|0|damaged|0 "
	    "19|19|null|dump_task|2|lost|0 ",
	    "SELECT * FROM \"ovnik$loss\" ORDER BY Start");
	ASK("0|1000000 ", "SELECT max(Value) FILTER (WHERE Property = 'Start Virtual Time'), "
	    "max(Value) FILTER (WHERE Property = 'End Virtual Time') FROM exec_info");
	ASK("5000|6000|TSC|host ", "SELECT "
	    "max(Value) FILTER (WHERE Property = 'begin_ns'), "
	    "max(Value) FILTER (WHERE Property = 'end_ns'), "
	    "max(Value) FILTER (WHERE Property = 'clock'), "
	    "max(Value) FILTER (WHERE Property = 'host') FROM \"ovnik$meta\"");
	ASK("ok ", "PRAGMA integrity_check");
}

/*
 * Akita forgets tasks that have not ended. Its viewer needs times that are not integers, as it
 * divides them; ours are exact.
 */
TEST_F(database, unfinished_and_times)
{
	WRITE_ALL();
	ASK("1|1|1|1|0 2|0|1|0|0 3|0|0|0|1 4|0|0|0|0 5|0|1|0|0 ",
	    "SELECT ID, Early, Open, Doubt, Either FROM \"ovnik$task\" ORDER BY ID");
	ASK("real ", "SELECT DISTINCT typeof(StartTime) FROM trace");
	ASK("real ", "SELECT DISTINCT typeof(EndTime) FROM trace");
	ASK("real ", "SELECT DISTINCT typeof(Time) FROM milestone");
	ASK("real ", "SELECT DISTINCT typeof(Time) FROM tag");
	ASK("integer|integer|integer ",
	    "SELECT DISTINCT typeof(Start), typeof(End), typeof(Lasts) FROM \"ovnik$task\"");
	ASK("0|1000|1000 0|1000|1000 10|14|4 11|13|2 14|1000|986 ",
	    "SELECT Start, End, Lasts FROM \"ovnik$task\" ORDER BY ID");
	ASK("4|512|-5|8:1|99|4|1|2 ", "SELECT ID, Bytes, Result, Device, Inode, Generation, "
	    "ProcessID, ThreadID FROM \"ovnik$task\" WHERE Inode IS NOT NULL");
	EXPECT_EQ(5, fix_number(&self->f, 0, "tasks"));
	EXPECT_EQ(3, fix_number(&self->f, 0, "open"));
	EXPECT_EQ(1, fix_number(&self->f, 0, "in_doubt"));
	EXPECT_EQ(3, fix_number(&self->f, 0, "losses"));
}

/* What may have ended where events are missing is not finished, either. */
TEST_F(database, in_doubt)
{
	struct fix *f = &self->f;

	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	fix_end_flags(f, fix_start(f, &(struct trace_task){ .start = 5001 }), 5002,
		      TRACE_UNCERTAIN);
	fix_end_flags(f, fix_start(f, &(struct trace_task){ .start = 5003 }), 6000, TRACE_OPEN);
	fix_end(f, fix_start(f, &(struct trace_task){ .start = 5003 }), 5004);
	EXPECT_EQ(1, fix_number(f, 0, "open"));
	EXPECT_EQ(1, fix_number(f, 0, "in_doubt"));
}

/* A damaged capture may claim to last longer than 2^63 ps, which sums up, but not as integers. */
TEST_F(database, long_ago)
{
	struct fix *f = &self->f;

	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 1ULL << 62));
	fix_end(f, fix_start(f, &(struct trace_task){ .start = 4000 }), 5000 + (1ULL << 62) - 1);
	fix_end(f, fix_start(f, &(struct trace_task){ .start = 6000 }), 5000 + (1ULL << 62));
	ASSERT_EQ(0, fix_answer(f, true));
	ASK("0|4611686018427387903|4611686018427387903 "
	    "1000|4611686018427387904|4611686018427386904 ",
	    "SELECT Start, End, Lasts FROM \"ovnik$task\"");
	ASK("1 ", "SELECT sum(EndTime - StartTime) > 9.2e21 FROM trace");
}

/* More than a transaction holds. */
TEST_F(database, many)
{
	struct fix *f = &self->f;
	u64 i;

	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 0, 1000000));
	for (i = 0; i < 70000; i++) {
		fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .start = i,
			  .where = i & 1 ? "a" : "b", .where_id = 1 + i % 2,
			  .parent = i / 2 });
		fix_end(f, f->nr, i + 3);
	}
	ASSERT_EQ(0, fix_answer(f, true));
	ASK("70000|70000|210000000.0 ",
	    "SELECT count(*), count(DISTINCT ID), sum(EndTime - StartTime) FROM trace");
	ASK("35000|a 35000|b ", "SELECT count(*), Locale FROM trace t JOIN location l "
	    "ON t.Location = l.ID GROUP BY Locale ORDER BY Locale");
	ASK("0 ", "SELECT count(*) FROM trace WHERE ParentID AND ParentID NOT IN "
	    "(SELECT ID FROM trace)");
	ASK("70000 ", "SELECT count(*) FROM trace NATURAL JOIN \"ovnik$task\"");
	ASK("ok ", "PRAGMA integrity_check");
}

/* A run that breaks leaves nothing. */
TEST_F(database, broken_run)
{
	ASSERT_EQ(0, tracers_add(&self->f.ts, self->spec));
	ASSERT_EQ(0, fix_run(&self->f, 5000, 6000));
	feed(&self->f);
	EXPECT_EQ(0, access(self->part, F_OK));
	EXPECT_NE(0, access(self->path, F_OK));
	tracers_destroy(&self->f.ts);
	EXPECT_NE(0, access(self->part, F_OK));
	EXPECT_NE(0, access(self->path, F_OK));
}

static int write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	return !f || fputs(text, f) < 0 || fclose(f);
}

static const char *read_text(struct _test_data_database *self)
{
	FILE *f = fopen(self->path, "r");
	size_t n;

	sqlite3_free(self->result);
	self->result = sqlite3_malloc(65536);
	n = f ? fread(self->result, 1, 65535, f) : 0;
	self->result[n] = '\0';
	if (f)
		fclose(f);
	return self->result;
}

/* What is in the way stays. */
TEST_F(database, file_in_the_way)
{
	ASSERT_EQ(0, write_text(self->path, "precious"));
	ASSERT_EQ(0, tracers_add(&self->f.ts, self->spec));
	EXPECT_EQ(-EEXIST, fix_run(&self->f, 5000, 6000));
	tracers_destroy(&self->f.ts);
	EXPECT_STREQ("precious", read_text(self));
	EXPECT_NE(0, access(self->part, F_OK));
}

/* It comes while the run goes on. */
TEST_F(database, file_in_the_way_later)
{
	ASSERT_EQ(0, tracers_add(&self->f.ts, self->spec));
	ASSERT_EQ(0, fix_run(&self->f, 5000, 6000));
	ASSERT_EQ(0, write_text(self->path, "precious"));
	EXPECT_EQ(-EEXIST, fix_answer(&self->f, true));
	tracers_destroy(&self->f.ts);
	EXPECT_STREQ("precious", read_text(self));
	EXPECT_NE(0, access(self->part, F_OK));
}

/* What a killed run has left is replaced; anything else of that name is not. */
TEST_F(database, part_in_the_way)
{
	ASSERT_EQ(0, write_text(self->part, "half"));
	WRITE_ALL();
	ASK("5 ", "SELECT count(*) FROM trace");
}

TEST_F(database, link_in_the_way)
{
	char victim[96];

	snprintf(victim, sizeof(victim), "%s/victim", self->dir);
	ASSERT_EQ(0, write_text(victim, "precious"));
	ASSERT_EQ(0, symlink(victim, self->part));
	ASSERT_EQ(0, tracers_add(&self->f.ts, self->spec));
	EXPECT_GT(0, fix_run(&self->f, 5000, 6000));
	tracers_destroy(&self->f.ts);
	EXPECT_EQ(0, access(self->part, F_OK));
	strcpy(self->path, victim);
	EXPECT_STREQ("precious", read_text(self));
}

/* Two tracers, one file: the second is refused. */
TEST_F(database, same_file_twice)
{
	ASSERT_EQ(0, tracers_add(&self->f.ts, self->spec));
	ASSERT_EQ(0, tracers_add(&self->f.ts, self->spec));
	EXPECT_EQ(-EBUSY, fix_run(&self->f, 5000, 6000));
}

/* Full disk: the error is reported and no file is left. */
TEST_F(database, csv_cannot_be_written)
{
	struct fix *f = &self->f;
	u64 i;

	snprintf(self->spec, sizeof(self->spec), "csv,file=%s", self->path);
	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 0, 1000));
	/* Whatever is written to the descriptor fails: it becomes one for reading. */
	for (i = 3; i < 64; i++) {
		char link[32], name[128] = "";

		snprintf(link, sizeof(link), "/proc/self/fd/%llu", i);
		if (readlink(link, name, sizeof(name) - 1) > 0 && !strcmp(name, self->part))
			dup2(open("/dev/full", O_WRONLY), i);
	}
	for (i = 0; i < 10000 && !f->tasks.error; i++) {
		fix_start(f, &(struct trace_task){ .kind = TASKS_RUN });
		fix_end(f, f->nr, 1);
	}
	EXPECT_EQ(-ENOSPC, f->tasks.error);
	tracers_destroy(&f->ts);
	EXPECT_NE(0, access(self->part, F_OK));
	EXPECT_NE(0, access(self->path, F_OK));
}

TEST_F(database, csv)
{
	struct fix *f = &self->f;

	snprintf(self->spec, sizeof(self->spec), "csv,file=%s", self->path);
	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	fix_start(f, &(struct trace_task){ .kind = TASKS_FILE, .start = 5001, .pid = 7,
		  .what = "/a \"b\",c\xff\xc3\xa9", .flags = TRACE_EARLY,
		  .file = { .dev = 8 << 20 | 1, .ino = 99, .generation = 4 } });
	fix_end_flags(f, 1, 6000, TRACE_OPEN);
	ASSERT_EQ(0, fix_answer(f, true));
	EXPECT_STREQ("id,parent,kind,what,where,start_ns,end_ns,early,open,doubt,either,pid,tid,cpu,"
		     "bytes,result,device,inode,generation,process,thread,node,begin_real_ns\n"
		     "1,0,file,\"/a \"\"b\"\",c\xef\xbf\xbd\xc3\xa9\",proc.1,1,1000,1,1,0,0,7,0,0,0,0,8:1,99,4,0,0,host,\n",
		     read_text(self));
}

/* Of the next node: its clock, its name, and its tasks are numbered from 1 again. */
static int next_node(struct fix *f, const char *host, u64 real)
{
	tracers_next(&f->ts);
	f->nr = 0;
	f->notes = 0;
	f->run.host = host;
	f->run.node++;
	f->run.real = real;
	f->run.begin = 9000;
	f->run.end = 9500;
	return tracers_open(&f->ts, &f->run);
}

static void feed_little(struct fix *f, u64 begin)
{
	u64 id;

	id = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .start = begin + 1,
		       .what = "x", .where = "proc.7.thread.8", .where_id = 3, .parent = 4,
		       .pid = 7, .tid = 8, .tgid_task = 5, .thread_task = 6 });
	fix_tag(f, id, begin + 2, "moved");
	fix_milestone(f, id, begin + 3, "work", "run");
	fix_loss(f, &(struct trace_loss){ .start = begin + 2, .end = begin + 3, .lost = 1,
		 .cpu = TRACE_NO_CPU, .why = "lost" });
	fix_end(f, id, begin + 4);
}

TEST_F(database, nodes)
{
	struct fix *f = &self->f;

	f->run.several = true;
	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	feed_little(f, 5000);
	ASSERT_EQ(0, next_node(f, "b/c.d", 12345));
	feed_little(f, 9000);
	ASSERT_EQ(0, fix_answer(f, true));
	ASK("1|4|3 1099511627777|1099511627780|1099511627779 ",
	    "SELECT ID, ParentID, Location FROM trace ORDER BY ID");
	ASK("host/proc[7].thread[8] b_c_d/proc[7].thread[8] ", "SELECT Locale FROM location");
	ASK("1|4|wait|x|proc.7.thread.8|1|4|7|8|0:0|0|5|6|host|null "
	    "1|4|wait|x|proc.7.thread.8|1|4|7|8|0:0|0|5|6|b/c.d|12345 ",
	    "SELECT id, parent, kind, what, \"where\", start_ns, end_ns, pid, tid, device, inode, "
	    "process, thread, node, begin_real_ns FROM tasks ORDER BY begin_real_ns");
	ASK("1|1|2|moved|host|null 1|1|2|moved|b/c.d|12345 ",
	    "SELECT * FROM tags ORDER BY begin_real_ns");
	ASK("2|1|3|work|run|host|null 2|1|3|work|run|b/c.d|12345 ",
	    "SELECT * FROM milestones ORDER BY begin_real_ns");
	ASK("2|3|null|null|1|lost|host|null 2|3|null|null|1|lost|b/c.d|12345 ",
	    "SELECT * FROM losses ORDER BY begin_real_ns");
	ASK("0|host|null|5000|6000|TSC|cap 1|b/c.d|12345|9000|9500|TSC|cap ",
	    "SELECT * FROM \"ovnik$node\"");
	ASK("1000000 ", "SELECT Value FROM exec_info WHERE Property = 'End Virtual Time'");
	EXPECT_EQ(2, fix_number(f, 0, "tasks"));
}

/* What is in @name of the directory; removes it. */
static const char *take_text(struct _test_data_database *self, const char *name)
{
	snprintf(self->path, sizeof(self->path), "%s/%s", self->dir, name);
	read_text(self);
	unlink(self->path);
	return self->result;
}

TEST_F(database, csv_notes)
{
	struct fix *f = &self->f;
	char spec[512];

	snprintf(spec, sizeof(spec), "csv,file=%s,tags=%s/tags,milestones=%s/miles,losses=%s/lost",
		 self->path, self->dir, self->dir, self->dir);
	ASSERT_EQ(0, tracers_add(&f->ts, spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	feed_little(f, 5000);
	ASSERT_EQ(0, next_node(f, "a,b", 12345));
	feed_little(f, 9000);
	ASSERT_EQ(0, fix_answer(f, true));
	EXPECT_STREQ("id,task,time_ns,what,node,begin_real_ns\n"
		     "1,1,2,moved,host,\n1,1,2,moved,\"a,b\",12345\n", take_text(self, "tags"));
	EXPECT_STREQ("id,task,time_ns,kind,what,node,begin_real_ns\n"
		     "2,1,3,work,run,host,\n2,1,3,work,run,\"a,b\",12345\n",
		     take_text(self, "miles"));
	EXPECT_STREQ("start_ns,end_ns,cpu,event,lost,why,node,begin_real_ns\n"
		     "2,3,,,1,lost,host,\n2,3,,,1,lost,\"a,b\",12345\n",
		     take_text(self, "lost"));
	EXPECT_NE(NULL, strstr(take_text(self, "out"), "0:0,0,0,5,6,\"a,b\",12345\n"));
	EXPECT_EQ(2, fix_number(f, 0, "milestones"));
}

/* Without a file for them, none is kept for a filter, and none is missed. */
TEST_F(database, csv_without_notes)
{
	struct fix *f = &self->f;
	u64 id, i;

	snprintf(self->spec, sizeof(self->spec), "csv,file=%s,min=100ns", self->path);
	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	id = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .start = 5001 });
	for (i = 0; i < 100; i++)
		fix_tag(f, id, 5002, "moved");
	fix_end(f, id, 5500);
	EXPECT_EQ(1, fix_number(f, 0, "tasks"));
	EXPECT_EQ(-1, fix_number(f, 0, "tags_and_milestones_left_out"));
}

/* Characters that end a line for a CSV reader are between quotes. */
TEST_F(database, csv_line_ends)
{
	struct fix *f = &self->f;

	snprintf(self->spec, sizeof(self->spec), "csv,file=%s", self->path);
	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	fix_end(f, fix_start(f, &(struct trace_task){ .what = "a\rb", .start = 5001 }), 5002);
	fix_end(f, fix_start(f, &(struct trace_task){ .what = "a\nb", .start = 5001 }), 5002);
	ASSERT_EQ(0, fix_answer(f, true));
	EXPECT_NE(NULL, strstr(read_text(self), ",\"a\rb\","));
	EXPECT_NE(NULL, strstr(read_text(self), ",\"a\nb\","));
}

/* A spreadsheet does not calculate a name. */
TEST_F(database, csv_formula)
{
	struct fix *f = &self->f;

	snprintf(self->spec, sizeof(self->spec), "csv,file=%s", self->path);
	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	fix_end(f, fix_start(f, &(struct trace_task){ .what = "=1+1", .start = 5001 }), 5002);
	fix_end(f, fix_start(f, &(struct trace_task){ .what = "@a,b", .start = 5001 }), 5002);
	ASSERT_EQ(0, fix_answer(f, true));
	EXPECT_NE(NULL, strstr(read_text(self), ",'=1+1,"));
	EXPECT_NE(NULL, strstr(read_text(self), ",\"'@a,b\","));
}

TEST_F(database, jsonl)
{
	struct fix *f = &self->f;
	struct json_object *line, *value;

	snprintf(self->spec, sizeof(self->spec), "jsonl,file=%s", self->path);
	ASSERT_EQ(0, tracers_add(&f->ts, self->spec));
	ASSERT_EQ(0, fix_run(f, 5000, 6000));
	fix_start(f, &(struct trace_task){ .kind = TASKS_FILE, .start = 5001, .pid = 7,
		  .what = "\x01\"\\\xff\xc3\xa9\xc2\x9b", .flags = TRACE_EARLY });
	f->all[1].result = -2;
	fix_end(f, 1, 5004);
	ASSERT_EQ(0, fix_answer(f, true));
	/* No terminal obeys what is escaped. */
	EXPECT_NE(NULL, strstr(read_text(self), "\\u009b"));
	line = json_tokener_parse(read_text(self));
	ASSERT_NE(NULL, line);
#define MEMBER(name) (json_object_object_get_ex(line, name, &value), value)
	EXPECT_EQ(1, json_object_get_int64(MEMBER("start_ns")));
	EXPECT_EQ(4, json_object_get_int64(MEMBER("end_ns")));
	EXPECT_EQ(-2, json_object_get_int64(MEMBER("result")));
	EXPECT_STREQ("\x01\"\\\xef\xbf\xbd\xc3\xa9\xc2\x9b",
		     json_object_get_string(MEMBER("what")));
	EXPECT_TRUE(json_object_get_boolean(MEMBER("early")));
	EXPECT_FALSE(json_object_get_boolean(MEMBER("open")));
	json_object_put(line);
}

TEST_HARNESS_MAIN
