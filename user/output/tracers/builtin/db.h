/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_DB_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_DB_H

/*
 * The database's tables. Those without "ovnik$" have the names and first columns of Akita version
 * 5, so that its viewer, Daisen, opens the database. Documentation/tracers.rst describes them.
 *
 * Times of Akita are REAL: its viewer divides them, and the quotient of integers is an integer.
 * A task has one row. Columns of ours are behind Akita's; "ovnik$task" is a view of them.
 *
 * IDs are keys of rows. As in Akita, there are no other indexes: the viewer makes those it needs.
 * Those of a second node begin at DB_NODE, and so on. The views "tasks" and so on have the columns
 * of CSV, with the IDs that the node's capture has alone.
 */
#define DB_NODE		(1ULL << 40)
#define DB_OWN(id)	"(" id " & 1099511627775) AS "	/* DB_NODE - 1 */
#define DB_NODE_OF(id)	" LEFT JOIN \"ovnik$node\" n ON n.ID = " id " >> 40; "

#define DB_TABLES								\
	"CREATE TABLE trace (ID INTEGER PRIMARY KEY, ParentID INTEGER, Kind TEXT, "	\
		"What TEXT, Location INTEGER, StartTime REAL, EndTime REAL, "	\
		"\"ovnik$flags\" INTEGER, \"ovnik$pid\" INTEGER, \"ovnik$tid\" INTEGER, "	\
		"\"ovnik$cpu\" INTEGER, \"ovnik$process\" INTEGER, \"ovnik$thread\" INTEGER, "	\
		"\"ovnik$start\" INTEGER, \"ovnik$lasts\" INTEGER, \"ovnik$bytes\" INTEGER, "	\
		"\"ovnik$result\" INTEGER, \"ovnik$device\" INTEGER, \"ovnik$inode\" INTEGER, "	\
		"\"ovnik$generation\" INTEGER);"				\
	"CREATE TABLE milestone (ID INTEGER PRIMARY KEY, TaskID INTEGER, Time REAL, "	\
		"Kind TEXT, What TEXT);"					\
	"CREATE TABLE tag (ID INTEGER PRIMARY KEY, TaskID INTEGER, Time REAL, What TEXT);"	\
	"CREATE TABLE \"daisen$segments\" (StartTime REAL, EndTime REAL);"	\
	"CREATE TABLE location (ID INTEGER PRIMARY KEY, Locale TEXT);"		\
	"CREATE TABLE exec_info (Property TEXT, Value TEXT);"			\
	"CREATE TABLE component_spec (Name TEXT, Type TEXT, Spec TEXT);"	\
	"CREATE TABLE port (Component TEXT, Port TEXT, Connection TEXT);"	\
	"CREATE VIEW \"ovnik$task\" AS SELECT ID, "				\
		"\"ovnik$flags\" & 1 AS Early, \"ovnik$flags\" >> 1 & 1 AS Open, "	\
		"\"ovnik$flags\" >> 2 & 1 AS Doubt, \"ovnik$flags\" >> 3 & 1 AS Either, "	\
		"\"ovnik$pid\" AS PID, \"ovnik$tid\" AS TID, \"ovnik$cpu\" AS CPU, "	\
		"\"ovnik$process\" AS ProcessID, \"ovnik$thread\" AS ThreadID, "	\
		"\"ovnik$bytes\" AS Bytes, \"ovnik$result\" AS Result, "	\
		"(\"ovnik$device\" >> 20) || ':' || (\"ovnik$device\" & 0xfffff) AS Device, "	\
		"\"ovnik$inode\" AS Inode, \"ovnik$generation\" AS Generation, "	\
		"\"ovnik$start\" AS Start, \"ovnik$start\" + \"ovnik$lasts\" AS End, "	\
		"\"ovnik$lasts\" AS Lasts FROM trace;"				\
	"CREATE TABLE \"ovnik$loss\" (Start INTEGER, End INTEGER, CPU INTEGER, "	\
		"Event TEXT, Lost INTEGER, Why TEXT, Node INTEGER);"		\
	"CREATE TABLE \"ovnik$node\" (ID INTEGER PRIMARY KEY, Node TEXT, BeginReal INTEGER, "	\
		"Begin INTEGER, End INTEGER, Clock TEXT, Capture TEXT);"	\
	"CREATE TABLE \"ovnik$meta\" (Property TEXT, Value TEXT);"

#define DB_VIEW_END	"n.Node AS node, n.BeginReal AS begin_real_ns FROM "

/* The tables of CSV, as views. */
#define DB_VIEWS								\
	"CREATE VIEW tasks AS SELECT " DB_OWN("t.ID") "id, " DB_OWN("ParentID") "parent, "	\
		"Kind AS kind, What AS what, replace(replace(substr(Locale, "	\
		"instr(Locale, '/') + 1), '[', '.'), ']', '') AS \"where\", "	\
		"\"ovnik$start\" AS start_ns, \"ovnik$start\" + \"ovnik$lasts\" AS end_ns, "	\
		"\"ovnik$flags\" & 1 AS early, \"ovnik$flags\" >> 1 & 1 AS open, "	\
		"\"ovnik$flags\" >> 2 & 1 AS doubt, \"ovnik$flags\" >> 3 & 1 AS either, "	\
		"\"ovnik$pid\" AS pid, \"ovnik$tid\" AS tid, \"ovnik$cpu\" AS cpu, "	\
		"\"ovnik$bytes\" AS bytes, \"ovnik$result\" AS result, "	\
		"coalesce(\"ovnik$device\" >> 20, 0) || ':' || "		\
		"coalesce(\"ovnik$device\" & 0xfffff, 0) AS device, "		\
		"coalesce(\"ovnik$inode\", 0) AS inode, "			\
		"coalesce(\"ovnik$generation\", 0) AS generation, "		\
		DB_OWN("\"ovnik$process\"") "process, " DB_OWN("\"ovnik$thread\"") "thread, "	\
		DB_VIEW_END "trace t LEFT JOIN location l ON l.ID = t.Location"	\
		DB_NODE_OF("t.ID")						\
	"CREATE VIEW tags AS SELECT " DB_OWN("t.ID") "id, " DB_OWN("TaskID") "task, "	\
		"CAST(round(Time / 1000) AS INTEGER) AS time_ns, What AS what, "	\
		DB_VIEW_END "tag t" DB_NODE_OF("t.ID")				\
	"CREATE VIEW milestones AS SELECT " DB_OWN("t.ID") "id, " DB_OWN("TaskID") "task, "	\
		"CAST(round(Time / 1000) AS INTEGER) AS time_ns, Kind AS kind, What AS what, "	\
		DB_VIEW_END "milestone t" DB_NODE_OF("t.ID")			\
	"CREATE VIEW losses AS SELECT t.Start AS start_ns, t.End AS end_ns, CPU AS cpu, "	\
		"Event AS event, Lost AS lost, Why AS why, " DB_VIEW_END	\
		"\"ovnik$loss\" t LEFT JOIN \"ovnik$node\" n ON n.ID = t.Node;"

/* Tables with many rows: name in the enum, name, columns as struct db_rows has them */
#define DB_LARGE(L)								\
	L(TRACE, "trace", "kittirriiiiiiiiiinnn")				\
	L(MILESTONE, "milestone", "kirtt")					\
	L(TAG, "tag", "kirt")							\
	L(LOCATION, "location", "kt")

/* Statements that are run for each row of the others: name in the enum, text. */
#define DB_STATEMENTS(S)							\
	S(SEGMENT, "INSERT INTO \"daisen$segments\" VALUES (?,?)")		\
	S(EXEC, "INSERT INTO exec_info VALUES (?,?)")				\
	S(HOST, "INSERT INTO component_spec VALUES (?1 || 'node', 'node', "	\
		"json_object('host', ?2, 'clock', ?3))")			\
	S(COMPONENT, "INSERT INTO component_spec VALUES (?1 || ?2, ?3, ?4)")	\
	S(LINK, "INSERT INTO port VALUES (?1 || ?2, ?1 || ?2 || '.' || ?3, ?1 || ?2 || '-' || ?3), "	\
		"(?1 || ?3, ?1 || ?3 || '.Top', ?1 || ?2 || '-' || ?3)")	\
	S(LOSS, "INSERT INTO \"ovnik$loss\" VALUES (?,?,?,?,?,?,?)")		\
	S(NODE, "INSERT INTO \"ovnik$node\" VALUES (?,?,?,?,?,?,?)")		\
	S(META, "INSERT INTO \"ovnik$meta\" VALUES (?,?)")

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_DB_H */
