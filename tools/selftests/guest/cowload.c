// SPDX-License-Identifier: GPL-2.0-only
/*
 * cowload - have pages copied on write, and say which
 *
 *	cowload [-H] DIR
 *
 * Whether a write has copied a page is seen from /proc/PID/pagemap: another frame
 * is there than before it. Where nothing but the order of the writes decides it,
 * the number of copies must be the expected one; not with -H, for huge pages.
 *
 * DIR/log gets, a line each:
 *
 *	cow KIND TID PID ADDRESS FROM TO    a copy, made between these TSC; TID 0 is
 *					    any thread
 *	dontneed TID PID START LENGTH FROM TO
 *	fork PARENT CHILD FROM TO BYTES	    and then the maps of the parent at the fork
 *	dontfork START END		    what a child does not get
 *
 * All of it, but for the forks, lies from TEST_AT to TEST_END, where there is nothing
 * else: see cow.h.
 */

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/stamp.h"
#include "cowload/cowload.h"
#include "ovnik.h"

#define WRITERS		4U

static int file;

static unsigned int write_anon(char *base)
{
	return write_own(base, OVNIK_COW_ANON, write_byte);
}

static unsigned int write_in_kernel(char *base)
{
	return write_own(base, OVNIK_COW_ANON, write_by_read);
}

static unsigned int write_nothing_copied(char *base)
{
	return write_own(base, 0, write_byte);
}

static void child_writes_first(void)
{
	char *base = filled_region();
	struct child child;

	start_child(&child, write_anon, base);
	expect("a child writes", child.result, PAGES);
	printf("# %-44s %u copies\n", "and then its parent", write_anon(base));
	end_child(&child);
}

static void parent_writes_first(void)
{
	char *base = filled_region();
	struct child child;

	start_child(&child, NULL, base);
	expect("a parent writes", write_anon(base), PAGES);
	expect("the same once more", write_anon(base), 0);
	end_child(&child);
}

static void kernel_writes(void)
{
	char *base = filled_region();
	struct child child;

	start_child(&child, write_in_kernel, base);
	expect("a child's system call writes", child.result, PAGES);
	end_child(&child);
}

/* The pages are not shared any more. The kernel notices that, if not always. */
static void parent_writes_alone(void)
{
	char *base = filled_region();
	struct child child;
	unsigned int copies;

	start_child(&child, NULL, base);
	end_child(&child);
	copies = write_anon(base);
	printf("# %-44s %u copies\n", "a parent writes when its child has gone", copies);
	if (copies == PAGES)
		errx(1, "no page was taken over");
}

static unsigned int have_child_that_writes(char *base)
{
	struct child child;
	unsigned int copies;

	start_child(&child, write_anon, base);
	copies = write_anon(base);
	end_child(&child);
	return child.result + copies;
}

static void three_generations(void)
{
	char *base = filled_region();
	struct child child;

	start_child(&child, have_child_that_writes, base);
	expect("a grandchild and a child write", child.result, 2 * PAGES);
	write_anon(base);
	end_child(&child);
}

static void zero_pages(void)
{
	char *base = map_region(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct child child;

	read_pages(base);
	expect("writes to the zero page", write_nothing_copied(base), 0);
	base = map_region(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	read_pages(base);
	start_child(&child, write_nothing_copied, base);
	expect("the same in a child", child.result, 0);
	end_child(&child);
}

static void shared_memory(void)
{
	char *base = map_region(MAP_SHARED | MAP_ANONYMOUS, -1);
	struct child child;

	memset(base, 1, REGION);
	start_child(&child, write_nothing_copied, base);
	write_nothing_copied(base);
	end_child(&child);
}

/* Newer kernels have two calls for that. */
static bool give_by_process(char *at, size_t len)
{
	struct iovec part = { at, len };
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	long ret = syscall(SYS_process_madvise, fd, &part, 1, MADV_DONTNEED, 0);

	close(fd);
	return ret == (long)len;
}

static void dontneed(char *at, size_t len)
{
	static bool other;
	unsigned long long from;

	other = !other;
	from = stamp_now();
	if ((!other || !give_by_process(at, len)) && madvise(at, len, MADV_DONTNEED))
		err(1, "madvise");
	say("dontneed %d %d %lx %zx %llu %llu\n", getpid(), getpid(), (unsigned long)at, len,
	    from, stamp_now());
}

static void private_file(void)
{
	char *base = map_region(MAP_PRIVATE, file);
	struct child child;

	read_pages(base);
	expect("pages of a file, read and then written",
	       write_own(base, OVNIK_COW_FILE, write_byte), PAGES);
	start_child(&child, write_anon, base);
	expect("the copies, in a child", child.result, PAGES);
	end_child(&child);
	dontneed(base, REGION);
	expect("the file again, written at first touch",
	       write_own(base, OVNIK_COW_FILE_NEW, write_byte), PAGES);
	dontneed(base, PAGE);
	base = map_region(MAP_PRIVATE, file);
	expect("written at first touch by the kernel",
	       write_own(base, OVNIK_COW_FILE_NEW, write_by_read), PAGES);
}

static void given_back(void)
{
	char *base = filled_region();
	struct child child;

	start_child(&child, NULL, base);
	dontneed(base, REGION);
	expect("what was given back is written", write_nothing_copied(base), 0);
	end_child(&child);
}

/* Where the pages are when they are written, not where they were shared. */
static void moved(void)
{
	char *base = filled_region(), *to = region_at(regions++);
	struct child child;

	start_child(&child, NULL, base);
	if (mremap(base, REGION, REGION, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		err(1, "mremap");
	expect("pages that were moved", write_anon(to), PAGES);
	end_child(&child);
}

static void not_for_children(void)
{
	char *wiped = filled_region(), *kept = filled_region();
	struct child child;

	if (madvise(wiped, REGION, MADV_WIPEONFORK) || madvise(kept, REGION, MADV_DONTFORK))
		err(1, "madvise");
	say("dontfork %lx %lx\n", (unsigned long)kept, (unsigned long)kept + REGION);
	start_child(&child, write_nothing_copied, wiped);
	expect("a child's empty mapping", child.result, 0);
	expect("its parent's", write_nothing_copied(wiped), 0);
	expect("and what the child has not got", write_nothing_copied(kept), 0);
	end_child(&child);
	munmap(kept, REGION);
}

/* Threads. */

static struct crew {
	char *base;
	unsigned int number;
	unsigned int copies;
	pthread_barrier_t *begin;
} crew[WRITERS];

static void *write_share(void *arg)
{
	struct crew *me = arg;
	struct target target = own_memory(OVNIK_COW_ANON);

	me->copies = write_pages(&target, me->base, me->number, WRITERS, write_byte);
	close(target.pagemap);
	return NULL;
}

static void *write_all(void *arg)
{
	struct crew *me = arg;
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		pthread_barrier_wait(me->begin);
		write_byte(NULL, me->base + i * STEP * PAGE);
		pthread_barrier_wait(me->begin);
	}
	return NULL;
}

static void start_crew(pthread_t *ids, void *(*does)(void *arg), char *base,
		       pthread_barrier_t *begin)
{
	unsigned int i;

	for (i = 0; i < WRITERS; i++) {
		crew[i] = (struct crew){ .base = base, .number = i, .begin = begin };
		if (pthread_create(&ids[i], NULL, does, &crew[i]))
			errx(1, "pthread_create");
	}
}

static void threads_write(void)
{
	char *base = filled_region();
	unsigned int i, copies = 0;
	pthread_t ids[WRITERS];
	struct child child;

	start_child(&child, NULL, base);
	start_crew(ids, write_share, base, NULL);
	for (i = 0; i < WRITERS; i++) {
		pthread_join(ids[i], NULL);
		copies += crew[i].copies;
	}
	expect("threads, each its own pages", copies, PAGES);
	end_child(&child);
}

/* All write the same page; one of them gets there first. */
static void threads_race(void)
{
	struct target target = own_memory(OVNIK_COW_ANON);
	char *base = filled_region();
	unsigned int i, copies = 0;
	pthread_barrier_t begin;
	pthread_t ids[WRITERS];
	struct child child;

	target.tid = 0;
	start_child(&child, NULL, base);
	pthread_barrier_init(&begin, NULL, WRITERS + 1);
	start_crew(ids, write_all, base, &begin);
	for (i = 0; i < PAGES; i++) {
		char *at = base + i * STEP * PAGE;
		__u64 before = frame_in(target.pagemap, at), from = stamp_now();

		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&begin);
		copies += note_write(&target, at, before, from);
	}
	for (i = 0; i < WRITERS; i++)
		pthread_join(ids[i], NULL);
	expect("threads, the same pages", copies, PAGES);
	end_child(&child);
	close(target.pagemap);
}

/* Another process writes into the child's memory. */
static struct target memory_of(const struct child *child, unsigned int kind)
{
	return (struct target){
		.pid = child->pid,
		.tid = getpid(),
		.pagemap = open_pagemap(child->pid),
		.kind = kind,
	};
}

static void others_write(void)
{
	char *base = filled_region();
	struct target target;
	struct child child;

	start_child(&child, NULL, base);
	target = memory_of(&child, OVNIK_COW_ANON);
	expect("by process_vm_writev()", write_pages(&target, base, 0, 1, write_by_other), PAGES);
	close(target.pagemap);
	end_child(&child);
}

/* As a debugger sets a breakpoint: even where it is forbidden to write. */
static void debugger_writes(void)
{
	char *base = filled_region(), *code = map_region(MAP_PRIVATE, file);
	struct target target;
	struct child child;
	int status;

	if (mprotect(code, REGION, PROT_READ | PROT_EXEC))
		err(1, "mprotect");
	start_child(&child, NULL, base);
	if (ptrace(PTRACE_ATTACH, child.pid, 0, 0) || waitpid(child.pid, &status, 0) < 0)
		err(1, "ptrace");
	target = memory_of(&child, OVNIK_COW_ANON);
	expect("by ptrace()", write_pages(&target, base, 0, 1, write_by_ptrace), PAGES);
	target.kind = OVNIK_COW_FILE_NEW;
	expect("by ptrace(), into what is read-only",
	       write_pages(&target, code, 0, 1, write_by_ptrace), PAGES);
	close(target.pagemap);
	ptrace(PTRACE_DETACH, child.pid, 0, 0);
	end_child(&child);
}

/* If there are any; they are said to be not seen. */
static void huge_pages(void)
{
	char *at = region_at(regions++);
	struct child child;

	if (mmap(at, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
		 MAP_FIXED_NOREPLACE, -1, 0) != at) {
		printf("# no hugetlb pages\n");
		return;
	}
	memset(at, 1, REGION);
	start_child(&child, write_nothing_copied, at);
	end_child(&child);
	munmap(at, REGION);
}

static int open_in(const char *dir, const char *name, int flags)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags | O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void fill_file(void)
{
	static char page[PAGE];
	unsigned int i;

	memset(page, 7, sizeof(page));
	for (i = 0; i < REGION / PAGE; i++) {
		if (write(file, page, sizeof(page)) != sizeof(page))
			err(1, "file");
	}
}

int main(int argc, char **argv)
{
	huge = argc > 1 && !strcmp(argv[1], "-H");
	if (argc != 2 + huge)
		errx(2, "usage: cowload [-H] DIR");
	setvbuf(stdout, NULL, _IONBF, 0);
	log_fd = open_in(argv[1 + huge], "log", O_TRUNC | O_APPEND);
	file = open_in(argv[1 + huge], "data", O_TRUNC);
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zero < 0)
		err(1, "/dev/zero");
	fill_file();
	child_writes_first();
	parent_writes_first();
	kernel_writes();
	parent_writes_alone();
	three_generations();
	zero_pages();
	shared_memory();
	private_file();
	given_back();
	moved();
	not_for_children();
	threads_write();
	threads_race();
	others_write();
	debugger_writes();
	huge_pages();
	return 0;
}
