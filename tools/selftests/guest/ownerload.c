// SPDX-License-Identifier: GPL-2.0-only
/*
 * ownerload UID HOW FILE - as that user map, touch, fork and copy on write until killed
 *
 * HOW the process becomes the user's:
 *
 *	exec	by an exec, after which nothing is left of root's rights
 *	stay	without one: the layout is still that of the process that had root's rights
 *	capable	by an exec, but it has a capability
 *	nested	by an exec, but in a user namespace of its own
 *	launch	not at all: it is root's, and starts processes that become the user's by an exec
 *
 * Says "ready" after the first round. FILE is written, for the page cache. Where it may, it also
 * reads and writes its memory by /proc/self/mem, at an address that ownercheck knows.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "owner.h"

#define PAGE	4096UL
#define PAGES	16

static void become(unsigned int id)
{
	if (setresgid(id, id, id) || setresuid(id, id, id))
		err(1, "user %u", id);
}

/* The kernel lets it have the capability after exec, too. */
static void keep_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { };

	data[0].permitted = 1U << CAP_NET_RAW;
	data[0].inheritable = data[0].permitted;
	if (syscall(SYS_capset, &header, data) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0))
		err(1, "capability");
}

/* Not with "stay" and "launch". */
static void exec_as(unsigned int id, const char *how)
{
	if (!strcmp(how, "capable") && prctl(PR_SET_KEEPCAPS, 1))
		err(1, "PR_SET_KEEPCAPS");
	become(id);
	if (!strcmp(how, "capable"))
		keep_capability();
	if (!strcmp(how, "nested") && unshare(CLONE_NEWUSER))
		err(1, "user namespace");
	execl("/proc/self/exe", "ownerload", !strcmp(how, "once") ? how : NULL, NULL);
	err(1, "exec");
}

static void launch(unsigned int id)
{
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	if (!child)
		exec_as(id, "once");
	waitpid(child, NULL, 0);
}

static void copy_on_write(char *memory)
{
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	memory[2 * PAGE] = 1;
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

/* Return: a file with its position in the page that ownercheck knows; -1: it may not. */
static int open_memory(void)
{
	char *page = mmap((void *)OWNER_PAGE, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	int memory = open("/proc/self/mem", O_RDWR);

	if (page != (void *)OWNER_PAGE)
		err(1, "a page at %lx", OWNER_PAGE);
	if (memory >= 0 && lseek(memory, OWNER_PAGE, SEEK_SET) != (off_t)OWNER_PAGE)
		err(1, "/proc/self/mem");
	return memory;
}

static void use_memory(int memory)
{
	char byte;
	struct iovec vector = { &byte, 1 };

	if (memory < 0)
		return;
	if (pread(memory, &byte, 1, OWNER_PAGE) != 1 ||
	    preadv(memory, &vector, 1, OWNER_PAGE) != 1)
		err(1, "/proc/self/mem");
	/* Kernels may refuse it, but it has the address. */
	if (pwrite(memory, &byte, 1, OWNER_PAGE) != 1)
		return;
}

static void round_of_all(int file)
{
	char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *mapped = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);

	if (memory == MAP_FAILED || mapped == MAP_FAILED)
		err(1, "mmap");
	memset(memory, 1, PAGES * PAGE);
	if (mprotect(memory, PAGE, PROT_READ) || madvise(memory + PAGE, PAGE, MADV_DONTNEED))
		err(1, "mprotect, madvise");
	copy_on_write(memory);
	munmap(memory, PAGES * PAGE);
	munmap(mapped, PAGE);
	if (ftruncate(file, 0) || pwrite(file, "x", 1, 0) != 1)
		err(1, "file");
}

int main(int argc, char **argv)
{
	unsigned int id = argc == 4 ? atoi(argv[1]) : 0;
	bool launches = false, told = false;
	int file, memory;

	if (argc == 2)
		return 0;
	if (argc == 4) {
		file = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (file < 0 || dup2(file, STDIN_FILENO) < 0 || pwrite(file, "x", 1, 0) != 1)
			err(1, "%s", argv[3]);
		launches = !strcmp(argv[2], "launch");
		if (!strcmp(argv[2], "stay"))
			become(id);
		else if (!launches)
			exec_as(id, argv[2]);
	}
	memory = open_memory();
	for (;;) {
		round_of_all(STDIN_FILENO);
		use_memory(memory);
		if (launches)
			launch(id);
		if (!told)
			puts("ready");
		fflush(stdout);
		told = true;
		usleep(10000);
	}
}
