// SPDX-License-Identifier: GPL-2.0-only
/*
 * ownerload UID exec|stay FILE - as that user map, touch, fork and copy on write until killed
 *
 * With "stay" without an exec: the layout is still that of the process that had root's rights.
 * Says "ready" after the first round. FILE is written, for the page cache.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096UL
#define PAGES	16

static void become(unsigned int id)
{
	if (setresgid(id, id, id) || setresuid(id, id, id))
		err(1, "user %u", id);
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
	int file;

	if (argc == 4) {
		file = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (file < 0 || dup2(file, STDIN_FILENO) < 0 || pwrite(file, "x", 1, 0) != 1)
			err(1, "%s", argv[3]);
		become(atoi(argv[1]));
		if (!strcmp(argv[2], "exec") && execl("/proc/self/exe", "ownerload", NULL))
			err(1, "exec");
	}
	for (;;) {
		round_of_all(STDIN_FILENO);
		if (argc)
			puts("ready");
		fflush(stdout);
		argc = 0;
		usleep(10000);
	}
}
