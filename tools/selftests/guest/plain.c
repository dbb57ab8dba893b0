// SPDX-License-Identifier: GPL-2.0-only
/*
 * plain [preempted] - computes, with the plugin's log on, what another tracer of references can
 * follow, too: all addresses are the same in each run, and no library chooses code by the CPU.
 * Prints where the instructions are that begin and end it. preempted: another process takes the
 * CPU many times meanwhile.
 */
#include <stdint.h>
#include <stdio.h>

#include "napper.h"
#include "refs/switch.h"

#define NUMBERS	3000
#define ROWS	24

extern const char plain_begin[], plain_end[];

/* The kernel chooses another stack each time. */
static char stack[1 << 16] __attribute__((aligned(64), used));
static uint64_t old_stack __attribute__((used));

static uint32_t numbers[NUMBERS];
static double left[ROWS][ROWS], right[ROWS][ROWS], product[ROWS][ROWS];
static char text[4096], copy[4096 + 1];

static void sort(uint32_t *at, long nr)
{
	uint32_t middle, swap;
	long i = 0, k = nr - 1;

	if (nr < 2)
		return;
	middle = at[nr / 2];
	for (;;) {
		while (at[i] < middle)
			i++;
		while (at[k] > middle)
			k--;
		if (i >= k)
			break;
		swap = at[i];
		at[i++] = at[k];
		at[k--] = swap;
	}
	sort(at, i);
	sort(at + i, nr - i);
}

static void multiply(void)
{
	int i, j, k;

	for (i = 0; i < ROWS; i++) {
		for (j = 0; j < ROWS; j++) {
			product[i][j] = 0;
			for (k = 0; k < ROWS; k++)
				product[i][j] += left[i][k] * right[k][j];
		}
	}
}

/* String instructions and what is not aligned. */
static void copy_text(void)
{
	char *to = copy + 1;
	const char *from = text;
	long nr = sizeof(text) / 8;
	uint64_t sum = 0, word;
	unsigned int i;

	asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(nr) : : "memory");
	for (i = 0; i + sizeof(word) < sizeof(copy); i += 5) {
		asm volatile("mov %1, %0" : "=r"(word) : "m"(copy[i]));
		asm volatile("lock addq %1, %0" : "+m"(sum) : "r"(word));
	}
	text[0] = (char)sum;
}

static void __attribute__((used, noinline)) plain_work(void)
{
	uint32_t number = 1;
	int i;

	for (i = 0; i < NUMBERS; i++) {
		number = number * 1664525 + 1013904223;
		numbers[i] = number;
	}
	for (i = 0; i < ROWS * ROWS; i++) {
		left[i / ROWS][i % ROWS] = i;
		right[i % ROWS][i / ROWS] = i + 1;
	}
	sort(numbers, NUMBERS);
	multiply();
	copy_text();
}

static void __attribute__((noinline)) on_own_stack(void)
{
	asm volatile(".globl plain_begin, plain_end\n"
		     "plain_begin: mov %%rsp, old_stack(%%rip)\n\t"
		     "lea stack + 65536(%%rip), %%rsp\n\t"
		     "call plain_work\n\t"
		     "mov old_stack(%%rip), %%rsp\n"
		     "plain_end: nop"
		     : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",
		     "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory", "cc");
}

int main(int argc, char **argv)
{
	pid_t napper = start_napping(argc, argv);

	/* Once for the faults. */
	on_own_stack();
	refs_on();
	on_own_stack();
	refs_off();
	stop_napping(napper);
	printf("%lx %lx\n", (unsigned long)plain_begin, (unsigned long)plain_end);
	return 0;
}
