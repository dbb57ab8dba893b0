// SPDX-License-Identifier: GPL-2.0-only
/* Fault on pages, by user code and in the kernel, and break copies on write. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"

#define READ_WRITE	(PROT_READ | PROT_WRITE)

/* Not at the beginning of a page: the record has the whole address. */
#define INTO		24

static sigjmp_buf before_fault;

/* Write a byte. Return: the instruction's address. */
static u64 write_byte(char *at)
{
	u64 ip;

	asm volatile("lea 1f(%%rip), %0\n1:\tmovb $1, (%1)" : "=&r"(ip) : "r"(at) : "memory");
	return ip;
}

static u64 read_byte(const char *at)
{
	u64 ip;

	asm volatile("lea 1f(%%rip), %0\n1:\ttestb $1, (%1)" : "=&r"(ip) : "r"(at) : "memory", "cc");
	return ip;
}

static void expect_end(const struct span *span, const char *what, enum ovnik_fault_result result)
{
	EXPECT(page_fault_end, span, what, KEY(page_fault_end, tid, gettid()),
	       KEY(page_fault_end, result, result));
}

static void expect_fault(const struct span *span, const char *what, const char *at, u64 ip,
			 u32 error)
{
	EXPECT(page_fault, span, what, KEY(page_fault, tid, gettid()),
	       KEY(page_fault, address, at), IS(page_fault, ip, ip),
	       IS(page_fault, error, error));
}

static void of_user(char *page)
{
	struct span span;
	u64 ip;

	DO(&span, ip = read_byte(page + INTO));
	expect_fault(&span, "a read fault", page + INTO, ip, OVNIK_FAULT_USER);
	expect_end(&span, "a read fault", OVNIK_FAULT_MINOR);
	DO(&span, ip = write_byte(page + PAGE + INTO));
	expect_fault(&span, "a write fault", page + PAGE + INTO, ip,
		     OVNIK_FAULT_USER | OVNIK_FAULT_WRITE);
	expect_end(&span, "a write fault", OVNIK_FAULT_MINOR);
}

/* The kernel's copy to a user's page that is not there yet. */
static void of_kernel(char *page)
{
	struct span span;
	int ends[2];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) || write(ends[1], "", 1) != 1)
		return;
	DO(&span, n = read(ends[0], page + INTO, 1));
	if (n == 1) {
		EXPECT(page_fault, &span, "a fault of the kernel", KEY(page_fault, tid, gettid()),
		       KEY(page_fault, address, page + INTO),
		       IS(page_fault, error, OVNIK_FAULT_WRITE), SOME(page_fault, ip));
		expect_end(&span, "a fault of the kernel", OVNIK_FAULT_MINOR);
	}
	close(ends[0]);
	close(ends[1]);
}

static void after_fault(int signo)
{
	siglongjmp(before_fault, signo);
}

static void write_in_vain(char *page)
{
	if (!sigsetjmp(before_fault, 1))
		write_byte(page + INTO);
}

static void that_fails(char *page)
{
	struct sigaction action = { .sa_handler = after_fault }, old;
	struct span span;

	sigaction(SIGSEGV, &action, &old);
	DO(&span, write_in_vain(page));
	sigaction(SIGSEGV, &old, NULL);
	EXPECT(page_fault, &span, "a fault that ends in SIGSEGV", KEY(page_fault, tid, gettid()),
	       KEY(page_fault, address, page + INTO),
	       IS(page_fault, error, OVNIK_FAULT_USER | OVNIK_FAULT_WRITE));
	expect_end(&span, "a fault that ends in SIGSEGV", OVNIK_FAULT_FAILED);
}

static void expect_cow(const struct span *span, const char *what, const char *page,
		       enum ovnik_cow_kind kind)
{
	EXPECT(cow_break, span, what, KEY(cow_break, tid, gettid()),
	       KEY(cow_break, address, page), IS(cow_break, kind, kind),
	       MM(cow_break, mm, MM_OWN));
}

/* @page was written before. */
static void after_fork(char *page)
{
	struct span span;
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) < 0);
	}
	if (pid > 0) {
		DO(&span, write_byte(page));
		expect_cow(&span, "a write to memory that a child has, too", page, OVNIK_COW_ANON);
	}
	close(ends[1]);
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void of_file(const struct act_place *place)
{
	char *page = mmap(NULL, PAGE, READ_WRITE, MAP_PRIVATE, place->file, 0);
	char *other = mmap(NULL, PAGE, READ_WRITE, MAP_PRIVATE, place->file, 0);
	struct span span;

	if (page == MAP_FAILED || other == MAP_FAILED)
		return;
	read_byte(page);
	DO(&span, write_byte(page));
	expect_cow(&span, "a write to a page of a file that was read", page, OVNIK_COW_FILE);
	DO(&span, write_byte(other));
	expect_cow(&span, "a write to a page of a file", other, OVNIK_COW_FILE_NEW);
	munmap(page, PAGE);
	munmap(other, PAGE);
}

/**
 * act_faults() - Fault, in all ways.
 * @place: has a file
 */
void act_faults(const struct act_place *place)
{
	char *page = mmap(NULL, 3 * PAGE, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || closed == MAP_FAILED)
		return;
	/* A huge page would take them all at once. */
	madvise(page, 3 * PAGE, MADV_NOHUGEPAGE);
	of_user(page);
	of_kernel(page + 2 * PAGE);
	that_fails(closed);
	after_fork(page + PAGE);
	if (place->file >= 0)
		of_file(place);
	munmap(page, 3 * PAGE);
	munmap(closed, PAGE);
}
