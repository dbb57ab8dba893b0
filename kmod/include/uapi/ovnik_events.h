/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
#ifndef _UAPI_OVNIK_EVENTS_H
#define _UAPI_OVNIK_EVENTS_H

/*
 * The families: one row per family. An event without the row of its family does not
 * compile.
 *
 *	FAMILY(name, internal)
 *
 * Internal events are written by the ring, the statedump and CPU hotplug, and cannot
 * be switched off.
 */
#define OVNIK_FAMILIES(FAMILY)							\
	FAMILY(meta, 1)								\
	FAMILY(dump, 1)								\
	FAMILY(cpu, 1)								\
	FAMILY(sched, 0)							\
	FAMILY(task, 0)								\
	FAMILY(mm, 0)								\
	FAMILY(cow, 0)								\
	FAMILY(pagecache, 0)							\
	FAMILY(file, 0)

/*
 * The event table: one row per event. It generates the numbers, the record layouts, the
 * writers of the probes, sysfs, the description in meta.json, the tables of the decoder
 * and Documentation/events.rst.
 *
 *	EV(number, name, family, changes, Laplace letter or 0, ovni events,
 *	   sentence, hook, what the hook cannot see, fields)
 *
 * A number is never reused, because captures contain it. What an event changes is a kind
 * of enum ovnik_kept, of which a statedump is needed if the event is on.
 *
 *	F(event, type, name, unit)
 *
 * Types are u16, u32, u64, comm (16 bytes, NUL-terminated) and str (to the end
 * of the record, NUL-terminated; must be last, and the first field u16 size).
 * The first field is at offset 6 of the record if it is a u16, see ovnik.h.
 * Order fields so that there is no padding.
 */
#define OVNIK_EVENT_TABLE(EV, F)						\
	EV(1, anchor, meta, nothing, 0, "",					\
	   "TSC %{tsc} was CLOCK_MONOTONIC %{ns}; the 32-bit stamps of the " \
	   "records after it count from there", \
	   "written by the ring when 32 bits of TSC have run out since the last base", "", \
	   F(anchor, u16, width, ticks)						\
	   F(anchor, u64, tsc, tsc)						\
	   F(anchor, u64, ns, ns))						\
	EV(2, sched_switch, sched, nothing, 's', "OAs OHp KCO KW[; KCI OHr OAs", \
	   "task %{prev_tid} leaves the CPU in state %{prev_state}, task %{next_tid} goes on", \
	   "tracepoint sched:sched_switch", "",					\
	   F(sched_switch, u16, prev_state, task_state)				\
	   F(sched_switch, u32, prev_tid, tid)					\
	   F(sched_switch, u32, next_tid, tid))					\
	EV(3, sched_wakeup, sched, nothing, 0, "KW[",				\
	   "task %{tid} becomes runnable on CPU %{cpu}, woken by %{waker_tid}; 0: an interrupt", \
	   "tracepoint sched:sched_wakeup; the waker of a task that is queued to another " \
	   "CPU: function __smp_call_single_queue (ftrace)", \
	   "for which task a softirq wakes, also one that ends a network call on loopback", \
	   F(sched_wakeup, u16, cpu, cpu)					\
	   F(sched_wakeup, u32, tid, tid)					\
	   F(sched_wakeup, u32, waker_tid, waker))				\
	EV(4, sched_wakeup_new, sched, nothing, 0, "KW[",			\
	   "new task %{tid} becomes runnable for the first time, on CPU %{cpu}", \
	   "tracepoint sched:sched_wakeup_new", "",				\
	   F(sched_wakeup_new, u16, cpu, cpu)					\
	   F(sched_wakeup_new, u32, tid, tid)					\
	   F(sched_wakeup_new, u32, waker_tid, tid))				\
	EV(5, sched_migrate, sched, nothing, 0, "KWm",				\
	   "task %{tid} is moved from CPU %{orig_cpu} to CPU %{dest_cpu}",	\
	   "tracepoint sched:sched_migrate_task", "",				\
	   F(sched_migrate, u16, orig_cpu, cpu)					\
	   F(sched_migrate, u32, tid, tid)					\
	   F(sched_migrate, u32, dest_cpu, cpu))				\
	EV(6, task_fork, task, nothing, 'F', "OHx OHp KCO",			\
	   "task %{parent_tid} makes task %{child_tid} of process %{child_tgid}", \
	   "tracepoint task:task_newtask", "",					\
	   F(task_fork, u16, flags, task_flags)					\
	   F(task_fork, u32, parent_tid, tid)					\
	   F(task_fork, u32, child_tid, tid)					\
	   F(task_fork, u32, parent_tgid, tid)					\
	   F(task_fork, u32, child_tgid, tid)					\
	   F(task_fork, u64, child_start, ns)					\
	   F(task_fork, comm, child_comm, text))				\
	EV(7, task_exec, task, nothing, 'X', "",				\
	   "task %{tid} (before: %{old_tid}) runs the image %{filename}, inode " \
	   "%{ino} of device %{dev}", \
	   "tracepoint sched:sched_process_exec",				\
	   "recorded after the new image is mapped; the path is that at the time " \
	   "of the exec, seen from the task's root", \
	   F(task_exec, u16, size, bytes)					\
	   F(task_exec, u32, tid, tid)						\
	   F(task_exec, u32, old_tid, tid)					\
	   F(task_exec, u32, tgid, tid)						\
	   F(task_exec, u32, generation, generation)				\
	   F(task_exec, u64, mm, mm)						\
	   F(task_exec, u64, ino, inode)					\
	   F(task_exec, u32, dev, dev)						\
	   F(task_exec, str, filename, path))					\
	EV(8, task_exit, task, nothing, 'T', "OHe at the last switch-out",	\
	   "task %{tid} of process %{tgid} ends with code %{exit_code}",	\
	   "tracepoint sched:sched_process_exit",				\
	   "the task runs on in the kernel until its last switch-out",	\
	   F(task_exit, u16, exit_code, exit_code)				\
	   F(task_exit, u32, tid, tid)						\
	   F(task_exit, u32, tgid, tid))					\
	EV(9, task_comm, task, nothing, 0, "",					\
	   "task %{tid} of process %{tgid} is now called %{comm}",		\
	   "tracepoint task:task_rename", "",					\
	   F(task_comm, u32, tid, tid)						\
	   F(task_comm, u32, tgid, tid)						\
	   F(task_comm, comm, comm, text))					\
	EV(10, task_mm, mm, nothing, 'A', "",					\
	   "task %{tid} is assigned address space %{mm}, page directory frame %{pgd}", \
	   "fork: tracepoint task:task_newtask; exec: function " \
	   "security_bprm_committing_creds (ftrace)", \
	   "a kernel thread that borrows an address space (kthread_use_mm)",	\
	   F(task_mm, u16, reason, mm_reason)					\
	   F(task_mm, u32, tid, tid)						\
	   F(task_mm, u32, tgid, tid)						\
	   F(task_mm, u64, mm, mm)						\
	   F(task_mm, u64, pgd, pfn))						\
	EV(11, mm_exit, mm, nothing, 'u', "",					\
	   "every mapping of address space %{mm} is destroyed",			\
	   "tracepoint mmap:exit_mmap",						\
	   "runs in the task that drops the last user of the address space, in a kernel " \
	   "worker if that was the statedump; with a filter it is missed if that task " \
	   "does not match", \
	   F(mm_exit, u64, mm, mm)						\
	   F(mm_exit, u64, pgd, pfn))						\
	EV(12, dump_task, dump, nothing, 'A', "OHx OHp KCO",			\
	   "statedump: task %{tid} of process %{tgid} exists in state %{state}, " \
	   "last on CPU %{cpu}, in address space %{mm}", \
	   "walk of the task list; overwrite mode: also before each task_exit", \
	   "synthetic: describes the state before, not a change",		\
	   F(dump_task, u16, cpu, cpu)						\
	   F(dump_task, u32, tid, tid)						\
	   F(dump_task, u32, tgid, tid)						\
	   F(dump_task, u32, parent_tgid, tid)					\
	   F(dump_task, u16, state, task_state)					\
	   F(dump_task, u16, flags, task_flags)					\
	   F(dump_task, u64, start, ns)						\
	   F(dump_task, u64, mm, mm)						\
	   F(dump_task, u64, pgd, pfn)						\
	   F(dump_task, comm, comm, text))					\
	EV(13, dump_end, dump, nothing, 0, "",					\
	   "statedump: %{tasks} tasks were walked",				\
	   "walk of the task list", "",						\
	   F(dump_end, u32, tasks, count))					\
	EV(14, cpu_hotplug, cpu, nothing, 0, "",				\
	   "CPU %{cpu} has come on line (%{online} is 1) or is about to leave (0)", \
	   "CPU hotplug state", "a leaving CPU still runs its own teardown after this event", \
	   F(cpu_hotplug, u16, cpu, cpu)					\
	   F(cpu_hotplug, u32, online, flag))					\
	EV(15, mmap_file, mm, mappings, 'M', "OM= mapped memory",		\
	   "task %{tid} maps %{length} bytes at %{start} of address space %{mm} to " \
	   "byte %{offset} of the file %{path}", \
	   "return of mmap_region (kretprobe)", "",				\
	   F(mmap_file, u16, size, bytes)					\
	   F(mmap_file, u32, tid, tid)						\
	   F(mmap_file, u32, dev, dev)						\
	   F(mmap_file, u32, generation, generation)				\
	   F(mmap_file, u32, flags, vma_flags)					\
	   F(mmap_file, u64, mm, mm)						\
	   F(mmap_file, u64, start, address)					\
	   F(mmap_file, u64, length, bytes)					\
	   F(mmap_file, u64, offset, bytes)					\
	   F(mmap_file, u64, ino, inode)					\
	   F(mmap_file, str, path, path))					\
	EV(16, mmap_anon, mm, mappings, 'm', "OM= mapped memory",		\
	   "task %{tid} gets %{length} bytes of anonymous memory at %{start} of " \
	   "address space %{mm}", \
	   "return of mmap_region, do_brk_flags, insert_vm_struct, expand_downwards " \
	   "(kretprobe)", "",							\
	   F(mmap_anon, u16, kind, map_kind)					\
	   F(mmap_anon, u32, tid, tid)						\
	   F(mmap_anon, u32, flags, vma_flags)					\
	   F(mmap_anon, u64, mm, mm)						\
	   F(mmap_anon, u64, start, address)					\
	   F(mmap_anon, u64, length, bytes)					\
	   F(mmap_anon, u64, offset, bytes)					\
	   F(mmap_anon, u64, ino, inode)					\
	   F(mmap_anon, u32, dev, dev)						\
	   F(mmap_anon, u32, generation, generation))				\
	EV(17, shm_attach, mm, mappings, 'S', "OM= mapped memory",		\
	   "task %{tid} attaches System V segment %{shmid} at %{start} of address " \
	   "space %{mm}, %{length} bytes", \
	   "return of mmap_region (kretprobe)", "",				\
	   F(shm_attach, u32, tid, tid)						\
	   F(shm_attach, u32, flags, vma_flags)					\
	   F(shm_attach, u64, mm, mm)						\
	   F(shm_attach, u64, start, address)					\
	   F(shm_attach, u64, length, bytes)					\
	   F(shm_attach, u32, shmid, shmid)					\
	   F(shm_attach, u32, dev, dev))					\
	EV(18, munmap, mm, mappings, 'U', "OM= mapped memory",			\
	   "task %{tid} unmaps %{length} bytes at %{start} of address space %{mm}", \
	   "function unmap_vmas (ftrace)", "",					\
	   F(munmap, u32, tid, tid)						\
	   F(munmap, u64, mm, mm)						\
	   F(munmap, u64, start, address)					\
	   F(munmap, u64, length, bytes))					\
	EV(19, mprotect, mm, mappings, 0, "",					\
	   "task %{tid} changes the protection of %{length} bytes at %{start} of " \
	   "address space %{mm}", \
	   "return of mprotect_fixup (kretprobe)", "",				\
	   F(mprotect, u32, tid, tid)						\
	   F(mprotect, u32, flags, vma_flags)					\
	   F(mprotect, u64, mm, mm)						\
	   F(mprotect, u64, start, address)					\
	   F(mprotect, u64, length, bytes))					\
	EV(20, mremap, mm, mappings, 'M', "OM= mapped memory",			\
	   "task %{tid}: what was mapped at %{old_start}, %{old_length} bytes, of " \
	   "address space %{mm} is now mapped at %{start}, %{length} bytes; what is " \
	   "left of the old place is unmapped by its own munmap, recorded before", \
	   "return of move_vma and shift_arg_pages (since 6.12: relocate_vma_down; " \
	   "kretprobe); function vm_stat_account in the system call (ftrace)", "", \
	   F(mremap, u16, size, bytes)						\
	   F(mremap, u32, tid, tid)						\
	   F(mremap, u32, dev, dev)						\
	   F(mremap, u32, generation, generation)				\
	   F(mremap, u32, flags, vma_flags)					\
	   F(mremap, u64, mm, mm)						\
	   F(mremap, u64, old_start, address)					\
	   F(mremap, u64, old_length, bytes)					\
	   F(mremap, u64, start, address)					\
	   F(mremap, u64, length, bytes)					\
	   F(mremap, u64, offset, bytes)					\
	   F(mremap, u64, ino, inode)						\
	   F(mremap, str, path, path))						\
	EV(21, madvise_dontneed, mm, nothing, 0, "",				\
	   "task %{tid} gives back the pages of %{length} bytes at %{start} of " \
	   "address space %{mm}, which stay mapped", \
	   "return of do_madvise with MADV_DONTNEED (kretprobe)",		\
	   "pages freed by a call before it failed with EINVAL; " \
	   "MADV_DONTNEED_LOCKED", \
	   F(madvise_dontneed, u32, tid, tid)					\
	   F(madvise_dontneed, u64, mm, mm)					\
	   F(madvise_dontneed, u64, start, address)				\
	   F(madvise_dontneed, u64, length, bytes))				\
	EV(22, vma_dup, cow, mappings, 'D', "OM= mapped memory",		\
	   "the new address space %{mm} has what is mapped in %{source_mm} at " \
	   "%{start}, %{length} bytes; copied on write unless the flags say shared", \
	   "walk of the child's mappings at function wake_up_new_task (ftrace)", \
	   "recorded when the whole address space is copied: a COW break by another " \
	   "thread of the parent may come before it", \
	   F(vma_dup, u32, tid, tid)						\
	   F(vma_dup, u32, flags, vma_flags)					\
	   F(vma_dup, u64, source_mm, mm)					\
	   F(vma_dup, u64, mm, mm)						\
	   F(vma_dup, u64, start, address)					\
	   F(vma_dup, u64, length, bytes)					\
	   F(vma_dup, u64, offset, bytes)					\
	   F(vma_dup, u64, ino, inode)						\
	   F(vma_dup, u32, dev, dev)						\
	   F(vma_dup, u32, generation, generation))				\
	EV(23, cow_break, cow, nothing, 'C', "OM= COW breaks",			\
	   "task %{tid} gets a page of its own at %{address} of address space %{mm}, " \
	   "a copy of one that was shared", \
	   "function ptep_clear_flush when called from wp_page_copy (since 6.12: " \
	   "do_wp_page); function page_add_new_anon_rmap when called from do_set_pte (since " \
	   "6.12: folio_add_new_anon_rmap, set_pte_range; ftrace)",		\
	   "hugetlb pages; pages pinned for a device, which a fork copies at once", \
	   F(cow_break, u16, kind, cow_kind)					\
	   F(cow_break, u32, tid, tid)						\
	   F(cow_break, u64, mm, mm)						\
	   F(cow_break, u64, address, address))					\
	EV(24, page_fault, cow, nothing, 0, "OM[ page fault",			\
	   "task %{tid} faults at %{address}, error code %{error}, instruction %{ip}", \
	   "tracepoints exceptions:page_fault_user, page_fault_kernel (user addresses)", \
	   "faults taken on behalf of get_user_pages()",			\
	   F(page_fault, u16, error, fault_error)				\
	   F(page_fault, u32, tid, tid)						\
	   F(page_fault, u64, address, address)					\
	   F(page_fault, u64, ip, address))					\
	EV(25, page_fault_end, cow, nothing, 0, "OM] page fault, OM= page faults", \
	   "the page fault of task %{tid} has ended, result %{result}",		\
	   "around handle_mm_fault (ftrace direct call); tracepoint signal:signal_generate " \
	   "for a fault that ends in SIGSEGV or SIGBUS", \
	   "a fault in the kernel that ends in -EFAULT; one that is cancelled by a pending " \
	   "signal and comes again", \
	   F(page_fault_end, u16, result, fault_result)				\
	   F(page_fault_end, u32, tid, tid))					\
	EV(26, page_add, pagecache, nothing, 'P', "OM= page-cache adds",	\
	   "the page cache has 2^%{order} pages from frame %{pfn} on for byte " \
	   "%{offset} of inode %{ino}, device %{dev}", \
	   "tracepoint filemap:mm_filemap_add_to_page_cache; around " \
	   "shmem_add_to_page_cache (ftrace direct call)", \
	   "a page that migration or compaction moves to another frame; small pages " \
	   "that are collapsed into a large one", \
	   F(page_add, u16, order, order)					\
	   F(page_add, u32, dev, dev)						\
	   F(page_add, u32, generation, generation)				\
	   F(page_add, u64, ino, inode)						\
	   F(page_add, u64, offset, bytes)					\
	   F(page_add, u64, pfn, pfn))						\
	EV(27, page_remove, pagecache, nothing, 'p', "OM= page-cache removes",	\
	   "the page cache gives up the 2^%{order} pages from frame %{pfn} on, byte " \
	   "%{offset} of inode %{ino}, device %{dev}", \
	   "tracepoint filemap:mm_filemap_delete_from_page_cache",		\
	   "a page of tmpfs that is swapped out",				\
	   F(page_remove, u16, order, order)					\
	   F(page_remove, u32, dev, dev)					\
	   F(page_remove, u32, generation, generation)				\
	   F(page_remove, u64, ino, inode)					\
	   F(page_remove, u64, offset, bytes)					\
	   F(page_remove, u64, pfn, pfn))					\
	EV(28, buffer_add, pagecache, nothing, 'B', "OM= page-cache adds",	\
	   "the buffer cache has 2^%{order} pages from frame %{pfn} on for byte " \
	   "%{offset} of block device %{dev}", \
	   "tracepoint filemap:mm_filemap_add_to_page_cache, inode of a block device", "", \
	   F(buffer_add, u16, order, order)					\
	   F(buffer_add, u32, dev, dev)						\
	   F(buffer_add, u64, offset, bytes)					\
	   F(buffer_add, u64, pfn, pfn))					\
	EV(29, buffer_remove, pagecache, nothing, 'b', "OM= page-cache removes", \
	   "the buffer cache gives up the 2^%{order} pages from frame %{pfn} on, byte " \
	   "%{offset} of block device %{dev}", \
	   "tracepoint filemap:mm_filemap_delete_from_page_cache, inode of a block " \
	   "device", "",							\
	   F(buffer_remove, u16, order, order)					\
	   F(buffer_remove, u32, dev, dev)					\
	   F(buffer_remove, u64, offset, bytes)					\
	   F(buffer_remove, u64, pfn, pfn))					\
	EV(30, file_open, file, files, '(', "",					\
	   "task %{tid} has opened %{path}, inode %{ino} of device %{dev}",	\
	   "function file_ra_state_init when called from do_dentry_open (ftrace)", \
	   "pipes, sockets and other files without path; the path is that at the time " \
	   "of the open, seen from the task's root", \
	   F(file_open, u16, size, bytes)					\
	   F(file_open, u32, tid, tid)						\
	   F(file_open, u32, dev, dev)						\
	   F(file_open, u32, generation, generation)				\
	   F(file_open, u32, flags, open_flags)					\
	   F(file_open, u64, ino, inode)					\
	   F(file_open, str, path, path))					\
	EV(31, file_close, file, files, ')', "",				\
	   "the last descriptor and mapping of an open file, inode %{ino} of device " \
	   "%{dev}, are gone; task %{tid} does the work", \
	   "function __fput (ftrace)",						\
	   "closing one of several descriptors of an open file makes no event; a " \
	   "kernel thread may do the work", \
	   F(file_close, u32, tid, tid)						\
	   F(file_close, u32, dev, dev)						\
	   F(file_close, u64, ino, inode)					\
	   F(file_close, u32, generation, generation)				\
	   F(file_close, u32, flags, open_flags))				\
	EV(32, file_begin, file, nothing, 0, "OM[ system call on a file",	\
	   "task %{tid} has begun the system call %{op} on a regular file or block device", \
	   "around vfs_read and vfs_write (ftrace direct calls); function rw_verify_area (ftrace) " \
	   "for other calls", "aio, io_uring",					\
	   F(file_begin, u16, op, file_op)					\
	   F(file_begin, u32, tid, tid))					\
	EV(33, file_read, file, nothing, '<', "OM] system call on a file, OM= bytes read", \
	   "task %{tid} has read %{result} bytes (or: -errno) from byte %{offset} of " \
	   "inode %{ino}, device %{dev}, by %{op}", \
	   "around vfs_read (ftrace direct call); returns of vfs_readv, do_sendfile, do_splice, " \
	   "vfs_copy_file_range (kretprobes); aio_complete_rw (ftrace); tracepoint " \
	   "io_uring:io_uring_complete",					\
	   "pipes, sockets, character devices; mappings; reads by the kernel itself; " \
	   "io_uring without a completion entry (IOSQE_CQE_SKIP_SUCCESS), and its splice; " \
	   "of io_uring's opcodes newer than Linux 7.2 only that they are lost, as file_read; " \
	   "of aio that was submitted before the capture, or among thousands of others, the task " \
	   "(0: not known), with a filter all; of such aio and io_uring on FUSE, NFS and the like, " \
	   "and of what appends there, the offset (2^64 - 1: not known)",	\
	   F(file_read, u16, op, file_op)					\
	   F(file_read, u32, tid, tid)						\
	   F(file_read, u32, dev, dev)						\
	   F(file_read, u64, ino, inode)					\
	   F(file_read, u64, offset, bytes)					\
	   F(file_read, u32, generation, generation)				\
	   F(file_read, u32, result, result))					\
	EV(34, file_write, file, nothing, '>', "OM] system call on a file, OM= bytes written", \
	   "task %{tid} has written %{result} bytes (or: -errno) from byte %{offset} of " \
	   "inode %{ino}, device %{dev}, by %{op}", \
	   "around vfs_write (ftrace direct call); returns of vfs_writev, do_sendfile, " \
	   "do_splice, vfs_copy_file_range (kretprobes); aio_complete_rw (ftrace); tracepoint " \
	   "io_uring:io_uring_complete",					\
	   "pipes, sockets, character devices; mappings; writes by the kernel itself; " \
	   "io_uring without a completion entry (IOSQE_CQE_SKIP_SUCCESS), and its splice; " \
	   "of io_uring's opcodes newer than Linux 7.2 only that they are lost, as file_read; " \
	   "of aio that was submitted before the capture, or among thousands of others, the task " \
	   "(0: not known), with a filter all; of such aio and io_uring on FUSE, NFS and the like, " \
	   "and of what appends there, the offset (2^64 - 1: not known)",	\
	   F(file_write, u16, op, file_op)					\
	   F(file_write, u32, tid, tid)						\
	   F(file_write, u32, dev, dev)						\
	   F(file_write, u64, ino, inode)					\
	   F(file_write, u64, offset, bytes)					\
	   F(file_write, u32, generation, generation)				\
	   F(file_write, u32, result, result))					\
	EV(35, file_delete, file, nothing, '-', "",				\
	   "inode %{ino} of device %{dev} and its %{length} bytes are deleted: it has " \
	   "no name and no user any more", \
	   "function evict, of an inode without links (ftrace)", "",		\
	   F(file_delete, u32, dev, dev)					\
	   F(file_delete, u32, generation, generation)				\
	   F(file_delete, u64, ino, inode)					\
	   F(file_delete, u64, length, bytes))					\
	EV(36, file_truncate, file, nothing, 0, "",				\
	   "task %{tid} sets the length of inode %{ino}, device %{dev}, to %{length}", \
	   "return of do_truncate (kretprobe)", "",				\
	   F(file_truncate, u32, tid, tid)					\
	   F(file_truncate, u32, dev, dev)					\
	   F(file_truncate, u64, ino, inode)					\
	   F(file_truncate, u64, length, bytes)					\
	   F(file_truncate, u32, generation, generation))			\
	EV(37, file_rename, file, nothing, 0, "",				\
	   "task %{tid} has renamed inode %{ino} of device %{dev} to %{path}, as seen " \
	   "from the root of its file system", \
	   "return of vfs_rename (kretprobe)", "the path as the task sees it",	\
	   F(file_rename, u16, size, bytes)					\
	   F(file_rename, u32, tid, tid)					\
	   F(file_rename, u32, dev, dev)					\
	   F(file_rename, u32, generation, generation)				\
	   F(file_rename, u32, flags, rename_flags)				\
	   F(file_rename, u64, ino, inode)					\
	   F(file_rename, str, path, path))					\
	EV(38, dump_mm, dump, nothing, 0, "",					\
	   "statedump: the %{vmas} mappings of address space %{mm} follow; it has no " \
	   "others", \
	   "walk of the task list", "synthetic: describes the state before, not a change", \
	   F(dump_mm, u32, tid, tid)						\
	   F(dump_mm, u32, vmas, count)						\
	   F(dump_mm, u64, mm, mm)						\
	   F(dump_mm, u64, pgd, pfn))						\
	EV(39, dump_vma, dump, nothing, 'M', "OM= mapped memory",		\
	   "statedump: %{length} bytes at %{start} of address space %{mm} are mapped", \
	   "walk of the mappings, mmap_lock held",				\
	   "synthetic: describes the state before, not a change",		\
	   F(dump_vma, u16, size, bytes)					\
	   F(dump_vma, u32, tid, tid)						\
	   F(dump_vma, u32, dev, dev)						\
	   F(dump_vma, u32, generation, generation)				\
	   F(dump_vma, u32, flags, vma_flags)					\
	   F(dump_vma, u64, mm, mm)						\
	   F(dump_vma, u64, start, address)					\
	   F(dump_vma, u64, length, bytes)					\
	   F(dump_vma, u64, offset, bytes)					\
	   F(dump_vma, u64, ino, inode)						\
	   F(dump_vma, str, path, path))					\
	EV(40, dump_file, dump, nothing, '(', "",				\
	   "statedump: process %{tid} has %{path} open as descriptor %{fd}",	\
	   "walk of the open files", "synthetic: describes the state before, not a change", \
	   F(dump_file, u16, size, bytes)					\
	   F(dump_file, u32, tid, tid)						\
	   F(dump_file, u32, dev, dev)						\
	   F(dump_file, u32, generation, generation)				\
	   F(dump_file, u32, flags, open_flags)					\
	   F(dump_file, u64, ino, inode)					\
	   F(dump_file, u64, offset, bytes)					\
	   F(dump_file, u32, fd, fd)						\
	   F(dump_file, str, path, path))

#endif /* _UAPI_OVNIK_EVENTS_H */
