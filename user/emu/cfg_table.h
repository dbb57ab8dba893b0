/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_TABLE_H
#define OVNIK_EMU_CFG_TABLE_H

/*
 * Paraver's views: files below cfg/ beside the traces.
 *
 *	row(which trace, name of the file, PRV type that it shows, how values look,
 *	    title of the window, label of the type,
 *	    question)
 *
 * What is in a folder of a model has the name that upstream gave it.
 */
#define CFG_TABLE(row)									\
	row(thread, "state", 4, STATE,							\
	    "execution state", "Thread: thread state",					\
	    "Does a thread run, wait or sleep?")					\
	row(thread, "cpu", 6, STATE,							\
	    "CPU it runs on", "Thread: CPU affinity",					\
	    "On which CPU is it?")							\
	row(thread, "off_cpu_reason", 300, STATE,					\
	    "why it is off the CPU", "Off-CPU reason",					\
	    "Why is it off the CPU?")							\
	row(thread, "page_fault", 302, STATE,						\
	    "page fault in progress", "Page fault",					\
	    "When is it in a page fault?")						\
	row(thread, "page_faults_minor", 303, QUANTITY,					\
	    "minor page faults", "Minor page faults",					\
	    "How many faults found the page in memory?")				\
	row(thread, "page_faults_major", 304, QUANTITY,					\
	    "major page faults", "Major page faults",					\
	    "How many faults had to read?")						\
	row(thread, "page_faults_failed", 305, QUANTITY,				\
	    "failed page faults", "Failed page faults",					\
	    "How many faults ended in a signal?")					\
	row(thread, "file_call", 306, STATE,						\
	    "system call on a file in progress", "System call on a file",		\
	    "When is it in a call on a file, and which?")				\
	row(thread, "bytes_read", 307, QUANTITY,					\
	    "bytes read from files", "Bytes read",					\
	    "How much does it read?")							\
	row(thread, "bytes_written", 308, QUANTITY,					\
	    "bytes written to files", "Bytes written",					\
	    "How much does it write?")							\
	row(thread, "cow_breaks", 309, QUANTITY,					\
	    "COW breaks", "COW breaks",							\
	    "How many pages does it copy on write?")					\
	row(thread, "page_cache_adds", 310, QUANTITY,					\
	    "pages added to the page cache", "Pages added to the page cache",		\
	    "How many pages does it bring into the page cache?")			\
	row(thread, "page_cache_removes", 311, QUANTITY,				\
	    "pages removed from the page cache", "Pages removed from the page cache",	\
	    "How many does it remove from there?")					\
	row(thread, "mapped_memory", 312, QUANTITY,					\
	    "mapped memory of the process (KiB)", "Mapped memory of the process (KiB)",	\
	    "How much memory has its process mapped?")					\
	row(thread, "waiting_for_cpu", 313, STATE,					\
	    "waits for a CPU", "Waiting for a CPU",					\
	    "When could it run, but has no CPU, and why?")				\
	row(thread, "function", 315, STATE,						\
	    "function (XRay)", "Function (XRay)",					\
	    "In which function is the program (XRay)?")					\
	row(cpu, "thread", 2, STATE,							\
	    "TID of the RUNNING thread", "CPU: TID of the RUNNING thread",		\
	    "Which thread runs on a CPU?")						\
	row(cpu, "process", 1, STATE,							\
	    "PID of the RUNNING thread", "CPU: PID of the RUNNING thread",		\
	    "Which process runs there?")						\
	row(cpu, "events_missing", 301, STATE,						\
	    "events missing", "CPU: Events missing",					\
	    "Where are events missing?")						\
	row(cpu, "page_fault", 302, STATE,						\
	    "page fault in progress of the RUNNING thread", "Page fault",		\
	    "When is who runs there in a page fault?")					\
	row(cpu, "page_faults_minor", 303, QUANTITY,					\
	    "minor page faults of the RUNNING thread", "Minor page faults",		\
	    "How many faults found the page in memory?")				\
	row(cpu, "page_faults_major", 304, QUANTITY,					\
	    "major page faults of the RUNNING thread", "Major page faults",		\
	    "How many faults had to read?")						\
	row(cpu, "page_faults_failed", 305, QUANTITY,					\
	    "failed page faults of the RUNNING thread", "Failed page faults",		\
	    "How many faults ended in a signal?")					\
	row(cpu, "file_call", 306, STATE,						\
	    "system call on a file in progress of the RUNNING thread",			\
	    "System call on a file",							\
	    "When is who runs there in a call on a file?")				\
	row(cpu, "bytes_read", 307, QUANTITY,						\
	    "bytes read from files of the RUNNING thread", "Bytes read",		\
	    "How much is read there?")							\
	row(cpu, "bytes_written", 308, QUANTITY,					\
	    "bytes written to files of the RUNNING thread", "Bytes written",		\
	    "How much is written there?")						\
	row(cpu, "cow_breaks", 309, QUANTITY,						\
	    "COW breaks of the RUNNING thread", "COW breaks",				\
	    "How many pages are copied on write?")					\
	row(cpu, "page_cache_adds", 310, QUANTITY,					\
	    "pages added to the page cache of the RUNNING thread",			\
	    "Pages added to the page cache",						\
	    "How many pages come into the page cache there?")				\
	row(cpu, "page_cache_removes", 311, QUANTITY,					\
	    "pages removed from the page cache of the RUNNING thread",			\
	    "Pages removed from the page cache",					\
	    "How many are removed from there?")						\
	row(cpu, "threads_waiting", 314, QUANTITY,					\
	    "threads that wait for it", "CPU: Number of threads that wait for it",	\
	    "How many threads wait for this CPU?")					\
	row(cpu, "function", 315, STATE,						\
	    "function (XRay) of the RUNNING thread", "Function (XRay)",			\
	    "In which function is the program (XRay)?")					\
	row(thread, "mpi/function", 25, STATE,						\
	    "MPI function of the RUNNING thread", "MPI function of the RUNNING thread",	\
	    "In which function of MPI?")						\
	row(thread, "nanos6/task-id", 35, STATE,					\
	    "Nanos6 task ID of the RUNNING thread",					\
	    "Nanos6 task ID of the RUNNING thread",					\
	    "Which task of Nanos6?")							\
	row(thread, "nanos6/task-type", 36, STATE,					\
	    "Nanos6 task type of the RUNNING thread",					\
	    "Nanos6 task type of the RUNNING thread",					\
	    "Of which type is the task of Nanos6?")					\
	row(thread, "nanos6/subsystem", 37, STATE,					\
	    "Nanos6 subsystem of the ACTIVE thread",					\
	    "Nanos6 subsystem of the ACTIVE thread",					\
	    "In which part of Nanos6?")							\
	row(thread, "nanos6/mpi-rank", 38, QUANTITY,					\
	    "Nanos6 task MPI rank of the RUNNING thread",				\
	    "Nanos6 task MPI rank of the RUNNING thread",				\
	    "Of which MPI rank?")							\
	row(thread, "nanos6/thread-type", 39, STATE,					\
	    "Nanos6 thread type", "Nanos6 thread type ",				\
	    "Of which kind is the thread of Nanos6?")					\
	row(thread, "nanos6/idle", 40, STATE,						\
	    "Nanos6 idle state of the RUNNING thread",					\
	    "Nanos6 idle state of the RUNNING thread",					\
	    "Does the thread of Nanos6 idle?")						\
	row(thread, "nodes/subsystem", 30, STATE,					\
	    "NODES subsystem of the ACTIVE thread",					\
	    "NODES subsystem of the ACTIVE thread",					\
	    "In which part of NODES?")							\
	row(thread, "nosv/body-id", 15, STATE,						\
	    "nOS-V task body ID of the RUNNING thread",					\
	    "nOS-V task body ID of the RUNNING thread",					\
	    "Which body of a task of nOS-V?")						\
	row(thread, "nosv/task-id", 10, STATE,						\
	    "nOS-V task ID of the RUNNING thread",					\
	    "nOS-V task ID of the RUNNING thread",					\
	    "Which task of nOS-V?")							\
	row(thread, "nosv/task-type", 11, STATE,					\
	    "nOS-V task type of the RUNNING thread",					\
	    "nOS-V task type of the RUNNING thread",					\
	    "Of which type is the task of nOS-V?")					\
	row(thread, "nosv/task-appid", 12, STATE,					\
	    "nOS-V task AppID of the RUNNING thread",					\
	    "nOS-V task AppID of the RUNNING thread",					\
	    "Of which application is the task of nOS-V?")				\
	row(thread, "nosv/subsystem", 13, STATE,					\
	    "nOS-V subsystem of the ACTIVE thread",					\
	    "nOS-V subsystem of the ACTIVE thread",					\
	    "In which part of nOS-V?")							\
	row(thread, "nosv/task-rank", 14, QUANTITY,					\
	    "nOS-V task MPI rank of the RUNNING thread",				\
	    "nOS-V task MPI rank of the RUNNING thread",				\
	    "Of which MPI rank is the task of nOS-V?")					\
	row(thread, "nosv/idle", 16, STATE,						\
	    "nOS-V idle state of the RUNNING thread",					\
	    "nOS-V idle state of the RUNNING thread",					\
	    "Does the thread of nOS-V idle?")						\
	row(thread, "openmp/subsystem", 50, STATE,					\
	    "OpenMP subsystem of the ACTIVE thread",					\
	    "OpenMP subsystem of the ACTIVE thread",					\
	    "In which part of OpenMP?")							\
	row(thread, "openmp/label", 51, STATE,						\
	    "OpenMP label of the ACTIVE thread", "OpenMP label of the ACTIVE thread",	\
	    "Which region of OpenMP?")							\
	row(thread, "openmp/task-id", 52, STATE,					\
	    "OpenMP task ID of the ACTIVE thread",					\
	    "OpenMP task ID of the ACTIVE thread",					\
	    "Which task of OpenMP?")							\
	row(thread, "tampi/subsystem", 20, STATE,					\
	    "TAMPI subsystem of the ACTIVE thread",					\
	    "TAMPI subsystem of the ACTIVE thread",					\
	    "In which part of TAMPI?")							\
	row(cpu, "mpi/function", 25, STATE,						\
	    "MPI function of the RUNNING thread", "MPI function of the RUNNING thread",	\
	    "In which function of MPI?")						\
	row(cpu, "nanos6/task-id", 35, STATE,						\
	    "Nanos6 task ID of the RUNNING thread",					\
	    "Nanos6 task ID of the RUNNING thread",					\
	    "Which task of Nanos6?")							\
	row(cpu, "nanos6/task-type", 36, STATE,						\
	    "Nanos6 task type of the RUNNING thread",					\
	    "Nanos6 task type of the RUNNING thread",					\
	    "Of which type is the task of Nanos6?")					\
	row(cpu, "nanos6/subsystem", 37, STATE,						\
	    "Nanos6 subsystem of the RUNNING thread",					\
	    "Nanos6 subsystem of the RUNNING thread",					\
	    "In which part of Nanos6?")							\
	row(cpu, "nanos6/mpi-rank", 38, QUANTITY,					\
	    "Nanos6 task MPI rank of the RUNNING thread",				\
	    "Nanos6 task MPI rank of the RUNNING thread",				\
	    "Of which MPI rank?")							\
	row(cpu, "nanos6/thread-type", 39, STATE,					\
	    "Nanos6 thread type of the RUNNING thread",					\
	    "Nanos6 thread type of the RUNNING thread",					\
	    "Of which kind is the thread of Nanos6?")					\
	row(cpu, "nanos6/idle", 40, STATE,						\
	    "Nanos6 idle state of the RUNNING thread",					\
	    "Nanos6 idle state of the RUNNING thread",					\
	    "Does the thread of Nanos6 idle?")						\
	row(cpu, "nodes/subsystem", 30, STATE,						\
	    "NODES subsystem of the RUNNING thread",					\
	    "NODES subsystem of the RUNNING thread",					\
	    "In which part of NODES?")							\
	row(cpu, "nosv/body-id", 15, STATE,						\
	    "nOS-V task body ID of the RUNNING thread",					\
	    "nOS-V task body ID of the RUNNING thread",					\
	    "Which body of a task of nOS-V?")						\
	row(cpu, "nosv/task-id", 10, STATE,						\
	    "nOS-V task ID of the RUNNING thread",					\
	    "nOS-V task ID of the RUNNING thread",					\
	    "Which task of nOS-V?")							\
	row(cpu, "nosv/task-type", 11, STATE,						\
	    "nOS-V task type of the RUNNING thread",					\
	    "nOS-V task type of the RUNNING thread",					\
	    "Of which type is the task of nOS-V?")					\
	row(cpu, "nosv/task-appid", 12, STATE,						\
	    "nOS-V task AppID of the RUNNING thread",					\
	    "nOS-V task AppID of the RUNNING thread",					\
	    "Of which application is the task of nOS-V?")				\
	row(cpu, "nosv/subsystem", 13, STATE,						\
	    "nOS-V subsystem of the RUNNING thread",					\
	    "nOS-V subsystem of the RUNNING thread",					\
	    "In which part of nOS-V?")							\
	row(cpu, "nosv/task-rank", 14, QUANTITY,					\
	    "nOS-V task MPI rank of the RUNNING thread",				\
	    "nOS-V task MPI rank of the RUNNING thread",				\
	    "Of which MPI rank is the task of nOS-V?")					\
	row(cpu, "nosv/idle", 16, STATE,						\
	    "nOS-V idle state of the RUNNING thread",					\
	    "nOS-V idle state of the RUNNING thread",					\
	    "Does the thread of nOS-V idle?")						\
	row(cpu, "openmp/subsystem", 50, STATE,						\
	    "OpenMP subsystem of the RUNNING thread",					\
	    "OpenMP subsystem of the RUNNING thread",					\
	    "In which part of OpenMP?")							\
	row(cpu, "openmp/label", 51, STATE,						\
	    "OpenMP label of the RUNNING thread", "OpenMP label of the RUNNING thread",	\
	    "Which region of OpenMP?")							\
	row(cpu, "openmp/task-id", 52, STATE,						\
	    "OpenMP task ID of the RUNNING thread",					\
	    "OpenMP task ID of the RUNNING thread",					\
	    "Which task of OpenMP?")							\
	row(cpu, "tampi/subsystem", 20, STATE,						\
	    "TAMPI subsystem of the RUNNING thread",					\
	    "TAMPI subsystem of the RUNNING thread",					\
	    "In which part of TAMPI?")							\
	row(cpu, "nosv/breakdown", 17, STATE,						\
	    "nOS-V Runtime/Idle/Task breakdown",					\
	    "CPU: nOS-V Runtime/Idle/Task breakdown",					\
	    "What do all CPUs do in nOS-V, sorted?")					\
	row(cpu, "nanos6/breakdown", 41, STATE,						\
	    "Nanos6 Runtime/Idle/Task breakdown",					\
	    "CPU: Nanos6 Runtime/Idle/Task breakdown",					\
	    "What do all CPUs do in Nanos6, sorted?")					\
	row(cpu, "openmp/breakdown", 53, STATE,						\
	    "OpenMP Runtime/Label breakdown", "CPU: OpenMP Runtime/Label breakdown",	\
	    "What do all CPUs do in OpenMP, sorted?")

#endif /* OVNIK_EMU_CFG_TABLE_H */
