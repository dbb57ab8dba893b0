/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_TABLE_H
#define OVNIK_EMU_CFG_TABLE_H

/*
 * Paraver's views: files below cfg/ in the sources and beside the traces.
 *
 *	row(which trace, name in C, name of the file, PRV type that it shows)
 *
 * What is in a folder of a model has the name that upstream gave it.
 */
#define CFG_TABLE(row)							\
	row(thread, state, "state", 4)					\
	row(thread, cpu, "cpu", 6)					\
	row(thread, off_cpu_reason, "off_cpu_reason", 300)		\
	row(thread, page_fault, "page_fault", 302)			\
	row(thread, page_faults_minor, "page_faults_minor", 303)	\
	row(thread, page_faults_major, "page_faults_major", 304)	\
	row(thread, page_faults_failed, "page_faults_failed", 305)	\
	row(thread, file_call, "file_call", 306)			\
	row(thread, bytes_read, "bytes_read", 307)			\
	row(thread, bytes_written, "bytes_written", 308)		\
	row(thread, cow_breaks, "cow_breaks", 309)			\
	row(thread, page_cache_adds, "page_cache_adds", 310)		\
	row(thread, page_cache_removes, "page_cache_removes", 311)	\
	row(thread, mapped_memory, "mapped_memory", 312)		\
	row(thread, waiting_for_cpu, "waiting_for_cpu", 313)		\
	row(thread, function, "function", 315)				\
	row(cpu, thread, "thread", 2)					\
	row(cpu, process, "process", 1)					\
	row(cpu, events_missing, "events_missing", 301)			\
	row(cpu, page_fault, "page_fault", 302)				\
	row(cpu, page_faults_minor, "page_faults_minor", 303)		\
	row(cpu, page_faults_major, "page_faults_major", 304)		\
	row(cpu, page_faults_failed, "page_faults_failed", 305)		\
	row(cpu, file_call, "file_call", 306)				\
	row(cpu, bytes_read, "bytes_read", 307)				\
	row(cpu, bytes_written, "bytes_written", 308)			\
	row(cpu, cow_breaks, "cow_breaks", 309)				\
	row(cpu, page_cache_adds, "page_cache_adds", 310)		\
	row(cpu, page_cache_removes, "page_cache_removes", 311)		\
	row(cpu, threads_waiting, "threads_waiting", 314)		\
	row(cpu, function, "function", 315)				\
	row(thread, mpi_function, "mpi/function", 25)			\
	row(thread, nanos6_task_id, "nanos6/task-id", 35)		\
	row(thread, nanos6_task_type, "nanos6/task-type", 36)		\
	row(thread, nanos6_subsystem, "nanos6/subsystem", 37)		\
	row(thread, nanos6_mpi_rank, "nanos6/mpi-rank", 38)		\
	row(thread, nanos6_thread_type, "nanos6/thread-type", 39)	\
	row(thread, nanos6_idle, "nanos6/idle", 40)			\
	row(thread, nodes_subsystem, "nodes/subsystem", 30)		\
	row(thread, nosv_body_id, "nosv/body-id", 15)			\
	row(thread, nosv_task_id, "nosv/task-id", 10)			\
	row(thread, nosv_task_type, "nosv/task-type", 11)		\
	row(thread, nosv_task_appid, "nosv/task-appid", 12)		\
	row(thread, nosv_subsystem, "nosv/subsystem", 13)		\
	row(thread, nosv_task_rank, "nosv/task-rank", 14)		\
	row(thread, nosv_idle, "nosv/idle", 16)				\
	row(thread, openmp_subsystem, "openmp/subsystem", 50)		\
	row(thread, openmp_label, "openmp/label", 51)			\
	row(thread, openmp_task_id, "openmp/task-id", 52)		\
	row(thread, tampi_subsystem, "tampi/subsystem", 20)		\
	row(cpu, mpi_function, "mpi/function", 25)			\
	row(cpu, nanos6_task_id, "nanos6/task-id", 35)			\
	row(cpu, nanos6_task_type, "nanos6/task-type", 36)		\
	row(cpu, nanos6_subsystem, "nanos6/subsystem", 37)		\
	row(cpu, nanos6_mpi_rank, "nanos6/mpi-rank", 38)		\
	row(cpu, nanos6_thread_type, "nanos6/thread-type", 39)		\
	row(cpu, nanos6_idle, "nanos6/idle", 40)			\
	row(cpu, nodes_subsystem, "nodes/subsystem", 30)		\
	row(cpu, nosv_body_id, "nosv/body-id", 15)			\
	row(cpu, nosv_task_id, "nosv/task-id", 10)			\
	row(cpu, nosv_task_type, "nosv/task-type", 11)			\
	row(cpu, nosv_task_appid, "nosv/task-appid", 12)		\
	row(cpu, nosv_subsystem, "nosv/subsystem", 13)			\
	row(cpu, nosv_task_rank, "nosv/task-rank", 14)			\
	row(cpu, nosv_idle, "nosv/idle", 16)				\
	row(cpu, openmp_subsystem, "openmp/subsystem", 50)		\
	row(cpu, openmp_label, "openmp/label", 51)			\
	row(cpu, openmp_task_id, "openmp/task-id", 52)			\
	row(cpu, tampi_subsystem, "tampi/subsystem", 20)		\
	row(cpu, nosv_breakdown, "nosv/breakdown", 17)			\
	row(cpu, nanos6_breakdown, "nanos6/breakdown", 41)		\
	row(cpu, openmp_breakdown, "openmp/breakdown", 53)

#endif /* OVNIK_EMU_CFG_TABLE_H */
