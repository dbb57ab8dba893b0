// SPDX-License-Identifier: GPL-2.0-only
/* The calls that ftrace saw. */

#include "../common/ftrace.h"
#include "callcheck.h"

struct call_format formats[NR_CALLS] = {
	[CALL_MMAP]	= { "mmap", 5 },
	[CALL_MUNMAP]	= { "munmap", 2 },
	[CALL_MREMAP]	= { "mremap", 5 },
	[CALL_MPROTECT]	= { "mprotect", 3 },
	[CALL_BRK]	= { "brk", 1 },
	[CALL_SHMAT]	= { "shmat", 3 },
	[CALL_SHMDT]	= { "shmdt", 1 },
	[CALL_REMAP_FILE] = { "remap_file_pages", 5 },
	[CALL_MADVISE]	= { "madvise", 3 },
	[CALL_EXEC]	= { "execve", 3 },
};

struct call *calls;
size_t nr_calls;

static size_t room_calls;

/* Enters and exits as ftrace has them: @kind is the format's, twice, plus one for exits. */
struct half {
	__u64 tsc;
	__u32 kind;
	__u32 tid;
	__u64 arg[NR_ARGS];
};

static struct half *halves;
static size_t nr_halves, room_halves;

static void read_call_formats(const char *dir)
{
	char text[FORMAT_MAX], event[64];
	unsigned int i;

	for (i = 0; i < NR_CALLS; i++) {
		snprintf(event, sizeof(event), "syscalls/sys_enter_%s", formats[i].name);
		formats[i].enter = read_format(dir, event, text);
		snprintf(event, sizeof(event), "syscalls/sys_exit_%s", formats[i].name);
		formats[i].exit = read_format(dir, event, text);
	}
}

/* After the common fields: the number of the call, then words of 8 bytes. */
static void take_half(void *unused, const char *data, __u64 tsc)
{
	unsigned short id;
	struct half *half;
	unsigned int i;

	(void)unused;
	memcpy(&id, data, sizeof(id));
	for (i = 0; i < NR_CALLS && id != formats[i].enter && id != formats[i].exit; i++)
		;
	if (i == NR_CALLS)
		return;
	halves = grow(halves, nr_halves, &room_halves, sizeof(*halves));
	half = &halves[nr_halves++];
	memset(half, 0, sizeof(*half));
	half->tsc = tsc;
	half->kind = 2 * i + (id == formats[i].exit);
	half->tid = field_u32(data, 4);
	memcpy(half->arg, data + 16, 8 * (half->kind & 1 ? 1 : formats[i].nr_args));
}

static int by_half_time(const void *a, const void *b)
{
	const struct half *x = a, *y = b;

	return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

static void begin_call(const struct half *half, size_t *open)
{
	struct call *call;

	calls = grow(calls, nr_calls, &room_calls, sizeof(*calls));
	call = &calls[nr_calls];
	memset(call, 0, sizeof(*call));
	call->kind = half->kind / 2;
	call->tid = half->tid;
	call->enter = half->tsc;
	memcpy(call->arg, half->arg, sizeof(call->arg));
	open[half->tid % MAX_TIDS] = ++nr_calls;
}

/* Exits that have no enter are those of calls that began before. */
static void make_calls(void)
{
	size_t *open = calloc(MAX_TIDS, sizeof(*open)), i;

	if (!open)
		err(1, "no memory");
	qsort(halves, nr_halves, sizeof(*halves), by_half_time);
	for (i = 0; i < nr_halves; i++) {
		size_t *mine = &open[halves[i].tid % MAX_TIDS];

		if (!(halves[i].kind & 1)) {
			begin_call(&halves[i], open);
		} else if (*mine && calls[*mine - 1].kind == halves[i].kind / 2) {
			calls[*mine - 1].leave = halves[i].tsc;
			calls[*mine - 1].ret = halves[i].arg[0];
			*mine = 0;
		}
	}
	free(open);
}

void read_calls(const char *dir, unsigned int nr_cpus)
{
	unsigned int cpu;

	read_call_formats(dir);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		walk_trace(dir, cpu, take_half, NULL);
	make_calls();
}
