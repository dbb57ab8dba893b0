/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_CALLCHECK_H
#define GUEST_CALLCHECK_H

/* What the parts of callcheck share. */

#include "../common/space.h"

#define PAGE		4096ULL
#define ALIGNED(length)	(((length) + PAGE - 1) & ~(PAGE - 1))
#define NR_ARGS		5

enum call_kind {
	CALL_MMAP,
	CALL_MUNMAP,
	CALL_MREMAP,
	CALL_MPROTECT,
	CALL_BRK,
	CALL_SHMAT,
	CALL_SHMDT,
	CALL_REMAP_FILE,
	CALL_MADVISE,
	CALL_EXEC,
	NR_CALLS
};

/**
 * struct call_format - A system call in ftrace.
 * @name: of the call
 * @nr_args: how many arguments are read
 * @enter: ID of the event at its begin
 * @exit: ID of the event at its end
 */
struct call_format {
	const char *name;
	unsigned int nr_args;
	int enter;
	int exit;
};

/**
 * struct call - A call, from begin to end.
 * @kind:  enum call_kind
 * @tid:   who called
 * @enter: when it began
 * @leave: when it ended; 0 if it did not
 * @arg:   its arguments
 * @ret:   what it returned
 * @mm:    address space of the caller; 0 if not known yet
 * @empty: munmap(): at some moment nothing was mapped there
 * @of:    records made meanwhile, of each kind
 * @last:  of each kind the last
 */
struct call {
	unsigned int kind;
	__u32 tid;
	__u64 enter;
	__u64 leave;
	__u64 arg[NR_ARGS];
	__s64 ret;
	__u64 mm;
	bool empty;
	unsigned int of[OVNIK_EV_vma_dup];
	const void *last[OVNIK_EV_vma_dup];
};

extern struct call_format formats[NR_CALLS];

/* In the order of their begin. */
extern struct call *calls;
extern size_t nr_calls;

/* By enum call_kind. */
extern unsigned int checked[NR_CALLS], succeeded[NR_CALLS];
extern unsigned int differences;

/**
 * read_calls() - Read all calls from ftrace; sets calls.
 * @dir: its instance
 * @nr_cpus: CPUs in all
 */
void read_calls(const char *dir, unsigned int nr_cpus);

/**
 * check_call() - Compare the records made during a call with its arguments and result.
 * @call: the call, which has ended
 */
void check_call(const struct call *call);

/**
 * check_begin() - Find out what this kernel's mremap() does, for check_call().
 */
void check_begin(void);

#endif /* GUEST_CALLCHECK_H */
