/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_TABLE_H
#define OVNIK_EMU_CFG_TABLE_H

/*
 * Paraver's views: files below cfg/ in the sources and beside the traces.
 *
 *	row(which trace, name in C, name of the file, PRV type that it shows, question)
 *
 * What is in a folder of a model has the name that upstream gave it.
 */
#define CFG_TABLE(row)									\
	row(thread, state, "state", 4,							\
	    "Does a thread run, wait or sleep?")					\
	row(thread, cpu, "cpu", 6,							\
	    "On which CPU is it?")							\
	row(thread, off_cpu_reason, "off_cpu_reason", 300,				\
	    "Why is it off the CPU?")							\
	row(thread, page_fault, "page_fault", 302,					\
	    "When is it in a page fault?")						\
	row(thread, page_faults_minor, "page_faults_minor", 303,			\
	    "How many faults found the page in memory?")				\
	row(thread, page_faults_major, "page_faults_major", 304,			\
	    "How many faults had to read?")						\
	row(thread, page_faults_failed, "page_faults_failed", 305,			\
	    "How many faults ended in a signal?")					\
	row(thread, file_call, "file_call", 306,					\
	    "When is it in a call on a file, and which?")				\
	row(thread, bytes_read, "bytes_read", 307,					\
	    "How much does it read?")							\
	row(thread, bytes_written, "bytes_written", 308,				\
	    "How much does it write?")							\
	row(thread, cow_breaks, "cow_breaks", 309,					\
	    "How many pages does it copy on write?")					\
	row(thread, page_cache_adds, "page_cache_adds", 310,				\
	    "How many pages does it bring into the page cache?")			\
	row(thread, page_cache_removes, "page_cache_removes", 311,			\
	    "How many does it remove from there?")					\
	row(thread, mapped_memory, "mapped_memory", 312,				\
	    "How much memory has its process mapped?")					\
	row(thread, waiting_for_cpu, "waiting_for_cpu", 313,				\
	    "When could it run, but has no CPU, and why?")				\
	row(thread, function, "function", 315,						\
	    "In which function is the program (XRay)?")					\
	row(cpu, thread, "thread", 2,							\
	    "Which thread runs on a CPU?")						\
	row(cpu, process, "process", 1,							\
	    "Which process runs there?")						\
	row(cpu, events_missing, "events_missing", 301,					\
	    "Where are events missing?")						\
	row(cpu, page_fault, "page_fault", 302,						\
	    "When is who runs there in a page fault?")					\
	row(cpu, page_faults_minor, "page_faults_minor", 303,				\
	    "How many faults found the page in memory?")				\
	row(cpu, page_faults_major, "page_faults_major", 304,				\
	    "How many faults had to read?")						\
	row(cpu, page_faults_failed, "page_faults_failed", 305,				\
	    "How many faults ended in a signal?")					\
	row(cpu, file_call, "file_call", 306,						\
	    "When is who runs there in a call on a file?")				\
	row(cpu, bytes_read, "bytes_read", 307,						\
	    "How much is read there?")							\
	row(cpu, bytes_written, "bytes_written", 308,					\
	    "How much is written there?")						\
	row(cpu, cow_breaks, "cow_breaks", 309,						\
	    "How many pages are copied on write?")					\
	row(cpu, page_cache_adds, "page_cache_adds", 310,				\
	    "How many pages come into the page cache there?")				\
	row(cpu, page_cache_removes, "page_cache_removes", 311,				\
	    "How many are removed from there?")						\
	row(cpu, threads_waiting, "threads_waiting", 314,				\
	    "How many threads wait for this CPU?")					\
	row(cpu, function, "function", 315,						\
	    "In which function is the program (XRay)?")					\
	row(thread, mpi_function, "mpi/function", 25,					\
	    "In which function of MPI?")						\
	row(thread, nanos6_task_id, "nanos6/task-id", 35,				\
	    "Which task of Nanos6?")							\
	row(thread, nanos6_task_type, "nanos6/task-type", 36,				\
	    "Of which type is the task of Nanos6?")					\
	row(thread, nanos6_subsystem, "nanos6/subsystem", 37,				\
	    "In which part of Nanos6?")							\
	row(thread, nanos6_mpi_rank, "nanos6/mpi-rank", 38,				\
	    "Of which MPI rank?")							\
	row(thread, nanos6_thread_type, "nanos6/thread-type", 39,			\
	    "Of which kind is the thread of Nanos6?")					\
	row(thread, nanos6_idle, "nanos6/idle", 40,					\
	    "Does the thread of Nanos6 idle?")						\
	row(thread, nodes_subsystem, "nodes/subsystem", 30,				\
	    "In which part of NODES?")							\
	row(thread, nosv_body_id, "nosv/body-id", 15,					\
	    "Which body of a task of nOS-V?")						\
	row(thread, nosv_task_id, "nosv/task-id", 10,					\
	    "Which task of nOS-V?")							\
	row(thread, nosv_task_type, "nosv/task-type", 11,				\
	    "Of which type is the task of nOS-V?")					\
	row(thread, nosv_task_appid, "nosv/task-appid", 12,				\
	    "Of which application is the task of nOS-V?")				\
	row(thread, nosv_subsystem, "nosv/subsystem", 13,				\
	    "In which part of nOS-V?")							\
	row(thread, nosv_task_rank, "nosv/task-rank", 14,				\
	    "Of which MPI rank is the task of nOS-V?")					\
	row(thread, nosv_idle, "nosv/idle", 16,						\
	    "Does the thread of nOS-V idle?")						\
	row(thread, openmp_subsystem, "openmp/subsystem", 50,				\
	    "In which part of OpenMP?")							\
	row(thread, openmp_label, "openmp/label", 51,					\
	    "Which region of OpenMP?")							\
	row(thread, openmp_task_id, "openmp/task-id", 52,				\
	    "Which task of OpenMP?")							\
	row(thread, tampi_subsystem, "tampi/subsystem", 20,				\
	    "In which part of TAMPI?")							\
	row(cpu, mpi_function, "mpi/function", 25,					\
	    "In which function of MPI?")						\
	row(cpu, nanos6_task_id, "nanos6/task-id", 35,					\
	    "Which task of Nanos6?")							\
	row(cpu, nanos6_task_type, "nanos6/task-type", 36,				\
	    "Of which type is the task of Nanos6?")					\
	row(cpu, nanos6_subsystem, "nanos6/subsystem", 37,				\
	    "In which part of Nanos6?")							\
	row(cpu, nanos6_mpi_rank, "nanos6/mpi-rank", 38,				\
	    "Of which MPI rank?")							\
	row(cpu, nanos6_thread_type, "nanos6/thread-type", 39,				\
	    "Of which kind is the thread of Nanos6?")					\
	row(cpu, nanos6_idle, "nanos6/idle", 40,					\
	    "Does the thread of Nanos6 idle?")						\
	row(cpu, nodes_subsystem, "nodes/subsystem", 30,				\
	    "In which part of NODES?")							\
	row(cpu, nosv_body_id, "nosv/body-id", 15,					\
	    "Which body of a task of nOS-V?")						\
	row(cpu, nosv_task_id, "nosv/task-id", 10,					\
	    "Which task of nOS-V?")							\
	row(cpu, nosv_task_type, "nosv/task-type", 11,					\
	    "Of which type is the task of nOS-V?")					\
	row(cpu, nosv_task_appid, "nosv/task-appid", 12,				\
	    "Of which application is the task of nOS-V?")				\
	row(cpu, nosv_subsystem, "nosv/subsystem", 13,					\
	    "In which part of nOS-V?")							\
	row(cpu, nosv_task_rank, "nosv/task-rank", 14,					\
	    "Of which MPI rank is the task of nOS-V?")					\
	row(cpu, nosv_idle, "nosv/idle", 16,						\
	    "Does the thread of nOS-V idle?")						\
	row(cpu, openmp_subsystem, "openmp/subsystem", 50,				\
	    "In which part of OpenMP?")							\
	row(cpu, openmp_label, "openmp/label", 51,					\
	    "Which region of OpenMP?")							\
	row(cpu, openmp_task_id, "openmp/task-id", 52,					\
	    "Which task of OpenMP?")							\
	row(cpu, tampi_subsystem, "tampi/subsystem", 20,				\
	    "In which part of TAMPI?")							\
	row(cpu, nosv_breakdown, "nosv/breakdown", 17,					\
	    "What do all CPUs do in nOS-V, sorted?")					\
	row(cpu, nanos6_breakdown, "nanos6/breakdown", 41,				\
	    "What do all CPUs do in Nanos6, sorted?")					\
	row(cpu, openmp_breakdown, "openmp/breakdown", 53,				\
	    "What do all CPUs do in OpenMP, sorted?")

#endif /* OVNIK_EMU_CFG_TABLE_H */
