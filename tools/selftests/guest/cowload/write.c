// SPDX-License-Identifier: GPL-2.0-only
/* Write pages, and log which of them were copied. */

#include <err.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../common/stamp.h"
#include "../cow.h"
#include "cowload.h"
#include "ovnik.h"

int log_fd, zero;
bool huge;
unsigned int regions;

/* From Documentation/admin-guide/mm/pagemap.rst. */
#define PM_PRESENT	(1ULL << 63)
#define PM_FILE		(1ULL << 61)
#define PM_FRAME	((1ULL << 55) - 1)

static void write_log(const char *text, size_t len)
{
	if (write(log_fd, text, len) != (ssize_t)len)
		err(1, "log");
}

__attribute__((format(printf, 1, 2)))
void say(const char *format, ...)
{
	char line[256];
	va_list args;

	va_start(args, format);
	write_log(line, vsnprintf(line, sizeof(line), format, args));
	va_end(args);
}

__u64 frame_in(int pagemap, const void *at)
{
	__u64 entry;

	if (pread(pagemap, &entry, 8, (unsigned long)at / PAGE * 8) != 8)
		err(1, "pagemap");
	return entry;
}

int open_pagemap(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

struct target own_memory(unsigned int kind)
{
	return (struct target){
		.pid = getpid(),
		.tid = syscall(SYS_gettid),
		.pagemap = open_pagemap(getpid()),
		.kind = kind,
	};
}

/* Is what is there after a write a copy of what was there before? */
static bool is_copy(const struct target *target, __u64 before, __u64 after)
{
	if (!(after & PM_PRESENT) || after & PM_FILE)
		return false;
	if (target->kind == OVNIK_COW_FILE_NEW)
		return !(before & PM_PRESENT);
	if (!(before & PM_PRESENT) || (before & PM_FRAME) == (after & PM_FRAME))
		return false;
	return target->kind == OVNIK_COW_FILE ? before & PM_FILE : !(before & PM_FILE);
}

bool note_write(const struct target *target, const char *at, __u64 before, __u64 from)
{
	__u64 after = frame_in(target->pagemap, at);
	bool copy = target->kind && is_copy(target, before, after);

	if (copy)
		say("cow %u %d %d %lx %llu %llu\n", target->kind, target->tid, target->pid,
		    (unsigned long)at, (unsigned long long)from, stamp_now());
	return copy;
}

void write_byte(const struct target *target, char *at)
{
	(void)target;
	*(volatile char *)at = 1;
}

void write_by_read(const struct target *target, char *at)
{
	(void)target;
	if (read(zero, at, 1) != 1)
		err(1, "/dev/zero");
}

void write_by_other(const struct target *target, char *at)
{
	char byte = 1;
	struct iovec from = { .iov_base = &byte, .iov_len = 1 };
	struct iovec to = { .iov_base = at, .iov_len = 1 };

	if (process_vm_writev(target->pid, &from, 1, &to, 1, 0) != 1)
		err(1, "process_vm_writev");
}

void write_by_ptrace(const struct target *target, char *at)
{
	if (ptrace(PTRACE_POKEDATA, target->pid, at, 0x1234L))
		err(1, "ptrace");
}

unsigned int write_pages(const struct target *target, char *base, unsigned int first,
			 unsigned int step, writer how)
{
	unsigned int i, copies = 0;

	for (i = first; i < PAGES; i += step) {
		char *at = base + i * STEP * PAGE;
		__u64 before = frame_in(target->pagemap, at), from = stamp_now();

		how(target, at);
		copies += note_write(target, at, before, from);
	}
	return copies;
}

void read_pages(const char *base)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		*(const volatile char *)(base + i * STEP * PAGE);
}

void expect(const char *what, unsigned int copies, unsigned int expected)
{
	printf("# %-44s %u copies\n", what, copies);
	if (!huge && copies != expected)
		errx(1, "%s: %u copies instead of %u", what, copies, expected);
}

unsigned int write_own(char *base, unsigned int kind, writer how)
{
	struct target target = own_memory(kind);
	unsigned int copies = write_pages(&target, base, 0, 1, how);

	close(target.pagemap);
	return copies;
}

char *region_at(unsigned int number)
{
	return (char *)TEST_AT + number * 2 * REGION;
}

char *map_region(int flags, int fd)
{
	char *at = region_at(regions++);

	if ((unsigned long)at + REGION > TEST_END ||
	    mmap(at, REGION, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, fd, 0) != at)
		err(1, "mmap");
	return at;
}

char *filled_region(void)
{
	char *at = map_region(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	memset(at, 1, REGION);
	return at;
}
