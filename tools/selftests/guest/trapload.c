// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes instructions that fault, some in the middle of a page, some as its last one, with the
 * plugin's log on. What each of them is about:
 *
 *	NAME: SIGNALS
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "refs/switch.h"

#define TIMES	20
#define PAGE	4096

#define RET	0xc3
#define NOP	0x90

static volatile int signals;
static void *volatile behind;		/* the instruction */
static unsigned char *page;		/* and the next one */

struct code {
	const char *name;
	unsigned int len;
	unsigned char bytes[16];
};

#define XOR_ECX	0x31, 0xc9

static const struct code codes[] = {
	{ "nothing", 2, { XOR_ECX } },
	{ "division by zero", 4, { XOR_ECX, 0xf7, 0xf1 } },
	{ "division of bytes by zero", 4, { XOR_ECX, 0xf6, 0xf9 } },
	/* fninit; a control word of 0; 1 / 0; fwait */
	{ "x87 division by zero", 15, { 0xdb, 0xe3, 0x6a, 0, 0xd9, 0x2c, 0x24, 0x58, 0xd9, 0xe8,
					0xd9, 0xee, 0xde, 0xf9, 0x9b } },
	{ "ud2", 4, { XOR_ECX, 0x0f, 0x0b } },
	{ "f7 /1", 8, { XOR_ECX, 0xf7, 0xc8, 1, 0, 0, 0 } },
	{ "lock of a register", 5, { XOR_ECX, 0xf0, 0x31, 0xc0 } },
	{ "hlt", 3, { XOR_ECX, 0xf4 } },
	{ "cli", 3, { XOR_ECX, 0xfa } },
	{ "in", 3, { XOR_ECX, 0xec } },
	{ "int 32", 4, { XOR_ECX, 0xcd, 0x20 } },
	{ "mov to cr3", 5, { XOR_ECX, 0x0f, 0x22, 0xd9 } },
	{ "mov from cr0", 5, { XOR_ECX, 0x0f, 0x20, 0xc1 } },
	{ "mov to dr7", 5, { XOR_ECX, 0x0f, 0x23, 0xf9 } },
	{ "invlpg", 5, { XOR_ECX, 0x0f, 0x01, 0x39 } },
	{ "lidt", 5, { XOR_ECX, 0x0f, 0x01, 0x19 } },
	{ "ltr", 5, { XOR_ECX, 0x0f, 0x00, 0xd9 } },
	{ "lmsw", 5, { XOR_ECX, 0x0f, 0x01, 0xf1 } },
	{ "swapgs", 5, { XOR_ECX, 0x0f, 0x01, 0xf8 } },
	{ "xsetbv", 5, { XOR_ECX, 0x0f, 0x01, 0xd1 } },
	{ "xgetbv of a register that is none", 10, { 0xb9, 9, 0, 0, 0, 0x0f, 0x01, 0xd0 } },
	{ "rdmsr", 4, { XOR_ECX, 0x0f, 0x32 } },
	{ "wrmsr", 4, { XOR_ECX, 0x0f, 0x30 } },
	{ "rdpmc", 4, { XOR_ECX, 0x0f, 0x33 } },
	{ "wbinvd", 4, { XOR_ECX, 0x0f, 0x09 } },
	{ "clts", 4, { XOR_ECX, 0x0f, 0x06 } },
	{ "sysret", 5, { XOR_ECX, 0x48, 0x0f, 0x07 } },
	{ "iret", 4, { XOR_ECX, 0x48, 0xcf } },
	{ "load from 0", 4, { XOR_ECX, 0x8b, 0x01 } },
	{ "load from no address", 12, { 0x48, 0xb9, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x8b, 0x01 } },
	{ "segment that is none", 7, { 0xb9, 0x77, 0, 0, 0, 0x8e, 0xd9 } },
	{ "movaps, not aligned", 5, { 0x0f, 0x28, 0x44, 0x24, 0x03 } },
	{ "mwait", 5, { XOR_ECX, 0x0f, 0x01, 0xc9 } },
	{ "system call", 7, { 0xb8, 39, 0, 0, 0, 0x0f, 0x05 } },
	{ "int3", 1, { 0xcc } },
	{ "int1", 1, { 0xf1 } },
};

static void on_signal(int nr, siginfo_t *info, void *data)
{
	ucontext_t *context = data;

	(void)nr;
	(void)info;
	signals++;
	context->uc_mcontext.gregs[REG_RIP] = (long)behind;
}

static void read_tsc(void)
{
	asm volatile("rdtsc" : : : "rax", "rdx");
}

/* The log's time is compared with each TSC that is read. */
static void run(const struct code *code, unsigned char *at, const char *where)
{
	int i;

	memset(page, NOP, 2 * PAGE);
	memcpy(at, code->bytes, code->len);
	at[code->len] = RET;
	behind = at + code->len;
	signals = 0;
	for (i = 0; i < TIMES; i++) {
		read_tsc();
		((void (*)(void))at)();
		read_tsc();
		asm volatile("fninit");
	}
	printf("%s%s: %d\n", code->name, where, signals);
}

int main(void)
{
	static const int all[] = { SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGTRAP };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		sigaction(all[i], &action, NULL);
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	refs_on();
	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		run(&codes[i], page + 64, "");
		run(&codes[i], page + PAGE - codes[i].len, ", the last of its page");
	}
	read_tsc();
	refs_off();
	return 0;
}
