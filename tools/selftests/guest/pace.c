// SPDX-License-Identifier: GPL-2.0-only
/*
 * pace [logged] - how many ticks does the guest's own clock count while things are done? Each
 * is done many times, once with the plugin's log on and once without it, or never with it.
 * Prints lines "WHAT TICKS".
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "refs/switch.h"

#define TIMES	300

static uint64_t ticks[TIMES];
static char from[4096], to[4096];
static int pipes[2];
static char *fresh;	/* pages that nobody has touched */

static inline uint64_t now(void)
{
	uint32_t low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return low | (uint64_t)high << 32;
}

static void loop(int i)
{
	(void)i;
	asm volatile("mov $1000, %%ecx\n"
		     "0: dec %%ecx\n\t"
		     "jnz 0b" : : : "ecx", "cc");
}

static void copy(int i)
{
	from[0] = (char)i;
	memcpy(to, from, sizeof(to));
}

static void system_call(int i)
{
	(void)i;
	syscall(SYS_getppid);
}

static void fault(int i)
{
	fresh[(size_t)i * 4096] = 1;
}

static void pass(int i)
{
	char byte = (char)i;

	if (write(pipes[1], &byte, 1) != 1 || read(pipes[0], &byte, 1) != 1)
		_exit(1);
}

static void open_file(int i)
{
	int fd = open("/dev/zero", O_RDONLY);

	(void)i;
	if (fd < 0 || read(fd, to, sizeof(to)) < 0 || close(fd))
		_exit(1);
}

/* Of the whole mapping, so that it is not split. */
static void protect(int i)
{
	if (mprotect(fresh, TIMES * 4096, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ))
		_exit(1);
}

static const struct {
	const char *name;
	void (*what)(int i);
} kinds[] = {
	{ "loop", loop }, { "copy", copy }, { "system_call", system_call }, { "fault", fault },
	{ "pipe", pass }, { "file", open_file }, { "protect", protect },
};

static void measure(const char *name, void (*what)(int i))
{
	uint64_t begin;
	int i;

	for (i = 0; i < TIMES; i++) {
		begin = now();
		what(i);
		ticks[i] = now() - begin;
	}
	for (i = 0; i < TIMES; i++)
		printf("%s %lu\n", name, ticks[i]);
}

int main(int argc, char **argv)
{
	bool logged = argc > 1 && !strcmp(argv[1], "logged");
	unsigned int i;

	memset(ticks, 1, sizeof(ticks));
	fresh = mmap(NULL, TIMES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (fresh == MAP_FAILED || pipe(pipes))
		return 1;
	/* Each page has its own fault, and the way to it is known. */
	madvise(fresh, TIMES * 4096, MADV_NOHUGEPAGE);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (logged)
			refs_on();
		measure(kinds[i].name, kinds[i].what);
		if (logged)
			refs_off();
	}
	return 0;
}
