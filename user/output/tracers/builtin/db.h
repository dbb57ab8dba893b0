/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_DB_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_DB_H

/*
 * The database's tables and indexes. Tables without "ovnik$" have the names of Akita version 5, so
 * that its viewer, Daisen, opens the database. The indexes have Akita's names, too; otherwise
 * Daisen would create them. Statistics of the tables are written in the end: without
 * them SQLite would join large tables in the wrong order. Documentation/tracers.rst describes the
 * tables.
 */
#define DB_TABLES								\
	"CREATE TABLE trace (ID INTEGER, ParentID INTEGER, Kind TEXT, "		\
		"What TEXT, Location INTEGER, StartTime INTEGER, EndTime INTEGER);"	\
	"CREATE TABLE milestone (ID INTEGER, TaskID INTEGER, Time INTEGER, Kind TEXT, "	\
		"What TEXT);"							\
	"CREATE TABLE tag (ID INTEGER, TaskID INTEGER, Time INTEGER, What TEXT);"	\
	"CREATE TABLE \"daisen$segments\" (StartTime INTEGER, EndTime INTEGER);"	\
	"CREATE TABLE location (ID INTEGER PRIMARY KEY, Locale TEXT);"		\
	"CREATE TABLE exec_info (Property TEXT, Value TEXT);"			\
	"CREATE TABLE \"ovnik$task\" (ID INTEGER, Early INTEGER, Open INTEGER, "	\
		"Doubt INTEGER, Either INTEGER, PID INTEGER, TID INTEGER, CPU INTEGER, "	\
		"ProcessID INTEGER, ThreadID INTEGER, Bytes INTEGER, Result INTEGER, "	\
		"Device TEXT, Inode INTEGER, Generation INTEGER);"		\
	"CREATE TABLE \"ovnik$loss\" (StartTime INTEGER, EndTime INTEGER, CPU INTEGER, "	\
		"Event TEXT, Lost INTEGER, Why TEXT);"				\
	"CREATE TABLE \"ovnik$meta\" (Property TEXT, Value TEXT);"

#define DB_INDEXES								\
	"CREATE INDEX idx_trace_ID ON trace(ID);"				\
	"CREATE INDEX idx_trace_ParentID ON trace(ParentID);"			\
	"CREATE INDEX idx_trace_loc_kind_times ON "				\
		"trace(Location, Kind, StartTime, EndTime);"			\
	"CREATE INDEX idx_milestone_TaskID_Time ON milestone(TaskID, Time);"	\
	"CREATE INDEX idx_milestone_Kind_What ON milestone(Kind, What, TaskID);"	\
	"CREATE INDEX idx_tag_TaskID_Time ON tag(TaskID, Time);"		\
	"CREATE INDEX \"ovnik$idx_task_ID\" ON \"ovnik$task\"(ID);"	\
	"PRAGMA analysis_limit=1000; ANALYZE;"

/* Statements that are run for each row: name in the enum, text. */
#define DB_STATEMENTS(S)							\
	S(TRACE, "INSERT INTO trace VALUES (?,?,?,?,?,?,?)")			\
	S(MILESTONE, "INSERT INTO milestone VALUES (?,?,?,?,?)")		\
	S(TAG, "INSERT INTO tag VALUES (?,?,?,?)")				\
	S(SEGMENT, "INSERT INTO \"daisen$segments\" VALUES (?,?)")		\
	S(LOCATION, "INSERT INTO location VALUES (?,?)")			\
	S(EXEC, "INSERT INTO exec_info VALUES (?,?)")				\
	S(TASK, "INSERT INTO \"ovnik$task\" VALUES "				\
		"(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")				\
	S(LOSS, "INSERT INTO \"ovnik$loss\" VALUES (?,?,?,?,?,?)")		\
	S(META, "INSERT INTO \"ovnik$meta\" VALUES (?,?)")

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_DB_H */
