// SPDX-License-Identifier: GPL-2.0-only
/*
 * refsload [preempted] - accesses memory in known ways while the plugin logs, and prints all
 * references that there must be to this program's own code and buffer. preempted: another process
 * takes the CPU many times meanwhile.
 *
 *	I|R|W LENGTH ADDRESS
 *	T TIME ADDRESS			a store of 8 bytes happens then
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "napper.h"
#include "refs/switch.h"

#define TIMES	40000
#define STRIDES	100
#define COPIED	64

static char buffer[65536] __attribute__((aligned(4096)));
static uint64_t times[TIMES] __attribute__((aligned(4096)));

/* Where instructions begin, and their end. */
extern const char loop_0[], loop_1[], loop_2[], loop_3[], loop_4[], loop_5[];
extern const char copy_0[], copy_1[];
extern const char odd_0[], odd_1[], odd_2[], odd_3[], odd_4[], odd_5[], odd_6[], odd_7[];

/* Walk with a stride: loads and stores, one of them both. */
static void __attribute__((noinline)) walk(void)
{
	char *at = buffer;
	long count = STRIDES;

	asm volatile(".globl loop_0, loop_1, loop_2, loop_3, loop_4, loop_5\n"
		     "loop_0: mov (%0), %%eax\n"
		     "loop_1: mov %%ax, 4(%0)\n"
		     "loop_2: addq $1, 8(%0)\n"
		     "loop_3: add $200, %0\n"
		     "loop_4: dec %1; jnz loop_0\n"
		     "loop_5:\n"
		     : "+r"(at), "+r"(count) : : "eax", "memory", "cc");
}

static void __attribute__((noinline)) copy(void)
{
	char *from = buffer + 100, *to = buffer + 30000;
	long count = COPIED;

	asm volatile(".globl copy_0, copy_1\n"
		     "copy_0: rep movsb\n"
		     "copy_1:\n"
		     : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

/* Unaligned, across a line, across a page, vectors, and what no compiler makes. */
static void __attribute__((noinline)) odd(void)
{
	asm volatile(".globl odd_0, odd_1, odd_2, odd_3, odd_4, odd_5, odd_6, odd_7\n"
		     "odd_0: mov 1(%0), %%rax\n"
		     "odd_1: mov 60(%0), %%rax\n"
		     "odd_2: mov %%rax, 4092(%0)\n"
		     "odd_3: movups 3(%0), %%xmm0\n"
		     "odd_4: vmovdqu 8(%0), %%ymm0\n"
		     "odd_5: vmovdqu %%ymm0, 4090(%0)\n"
		     "odd_6: lock xadd %%eax, (%0)\n"
		     "odd_7:\n"
		     : : "r"(buffer) : "rax", "xmm0", "memory", "cc");
}

static void __attribute__((noinline)) stamp(void)
{
	int i;

	for (i = 0; i < TIMES; i++) {
		asm volatile("rdtsc; shl $32, %%rdx; or %%rdx, %%rax; mov %%rax, (%0)"
			     : : "r"(&times[i]) : "rax", "rdx", "memory", "cc");
		if (i % 2000 == 0)
			usleep(1000);
	}
}

static void expect(char type, unsigned int length, const char *address)
{
	printf("%c %x %lx\n", type, length, (unsigned long)address);
}

static void fetch(const char *from, const char *to)
{
	expect('I', (unsigned int)(to - from), from);
}

static void expect_walk(void)
{
	const char *at = buffer;
	int i;

	for (i = 0; i < STRIDES; i++, at += 200) {
		fetch(loop_0, loop_1);
		expect('R', 4, at);
		fetch(loop_1, loop_2);
		expect('W', 2, at + 4);
		fetch(loop_2, loop_3);
		expect('R', 8, at + 8);
		expect('W', 8, at + 8);
		fetch(loop_3, loop_4);
		/* dec of a register with a 64-bit operand has 3 bytes. */
		fetch(loop_4, loop_4 + 3);
		fetch(loop_4 + 3, loop_5);
	}
}

static void expect_copy(void)
{
	int i;

	for (i = 0; i < COPIED; i++) {
		fetch(copy_0, copy_1);
		expect('R', 1, buffer + 100 + i);
		expect('W', 1, buffer + 30000 + i);
	}
	/* The one that finds that nothing is left. */
	fetch(copy_0, copy_1);
}

/* References have 8 bytes at most. */
static void expect_vector(char type, unsigned int length, const char *address)
{
	unsigned int i;

	for (i = 0; i < length; i += 8)
		expect(type, 8, address + i);
}

static void expect_odd(void)
{
	fetch(odd_0, odd_1);
	expect('R', 8, buffer + 1);
	fetch(odd_1, odd_2);
	expect('R', 8, buffer + 60);
	fetch(odd_2, odd_3);
	expect('W', 8, buffer + 4092);
	fetch(odd_3, odd_4);
	expect_vector('R', 16, buffer + 3);
	fetch(odd_4, odd_5);
	expect_vector('R', 32, buffer + 8);
	fetch(odd_5, odd_6);
	expect_vector('W', 32, buffer + 4090);
	fetch(odd_6, odd_7);
	expect('R', 4, buffer);
	expect('W', 4, buffer);
}

int main(int argc, char **argv)
{
	pid_t napper = start_napping(argc, argv);
	int i;

	memset(buffer, 1, sizeof(buffer));
	memset(times, 1, sizeof(times));
	refs_on();
	walk();
	copy();
	odd();
	stamp();
	refs_off();
	stop_napping(napper);
	printf("range %lx %lx\n", (unsigned long)buffer, (unsigned long)buffer + sizeof(buffer));
	printf("range %lx %lx\n", (unsigned long)loop_0, (unsigned long)loop_5);
	printf("range %lx %lx\n", (unsigned long)copy_0, (unsigned long)copy_1);
	printf("range %lx %lx\n", (unsigned long)odd_0, (unsigned long)odd_7);
	expect_walk();
	expect_copy();
	expect_odd();
	for (i = 0; i < TIMES; i++)
		printf("T %lx %lx\n", times[i] + 2, (unsigned long)&times[i]);
	return 0;
}
