// SPDX-License-Identifier: GPL-2.0-only
/*
 * callcheck - hold the records of changed mappings against the calls that ftrace saw
 *
 *	callcheck INSTANCE CPUS cpuN.ovk...
 *
 * For each call between the statedump and the end of the capture, of whatever task
 * of the machine: if it succeeded, the record of what it did is there, with its
 * address and length, stamped while the call ran; if it failed, there is none. And
 * no record of a kind that only calls cause is outside of one.
 *
 * A call of munmap() where nothing was mapped leaves no record; that nothing was is
 * known from the other records.
 */

#include <errno.h>
#include <sys/mman.h>

#include "common/ftrace.h"
#include "common/space.h"

#define PAGE		4096ULL
#define ALIGNED(length)	(((length) + PAGE - 1) & ~(PAGE - 1))
#define NR_ARGS		5

enum call_kind {
	CALL_MMAP,
	CALL_MUNMAP,
	CALL_MREMAP,
	CALL_MPROTECT,
	CALL_BRK,
	CALL_SHMAT,
	CALL_SHMDT,
	CALL_REMAP_FILE,
	CALL_MADVISE,
	CALL_EXEC,
	NR_CALLS
};

static struct call_format {
	const char *name;
	unsigned int nr_args;
	int enter;
	int exit;
} formats[NR_CALLS] = {
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

/**
 * struct call - A call, from begin to end.
 * @kind:  enum call_kind
 * @tid:   who called
 * @enter: when it began
 * @leave: when it ended; 0 if it did not
 * @arg:   its arguments
 * @ret:   what it returned
 * @mm:    address space of the caller; 0 if not known yet
 * @empty: munmap(): at some moment nothing was mapped there
 * @of:    records made meanwhile, of each kind
 * @last:  of each kind the last
 */
struct call {
	unsigned int kind;
	__u32 tid;
	__u64 enter;
	__u64 leave;
	__u64 arg[NR_ARGS];
	__s64 ret;
	__u64 mm;
	bool empty;
	unsigned int of[OVNIK_EV_vma_dup];
	const void *last[OVNIK_EV_vma_dup];
};

static struct call *calls;
static size_t nr_calls, room_calls;
static struct events all;
static struct spaces now;
static unsigned int checked[NR_CALLS], succeeded[NR_CALLS], differences;
static bool moves_several;

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

/* Behind the common fields: the number of the call, then words of 8 bytes. */
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

static void complain(const struct call *call, const char *what)
{
	if (differences++ > 10)
		return;
	printf("# %s(%llx, %llx, %llx, %llx, %llx) of task %u = %lld, at %llu: %s\n",
	       formats[call->kind].name, call->arg[0], call->arg[1], call->arg[2], call->arg[3],
	       call->arg[4], call->tid, call->ret, call->enter, what);
}

static void expect(const struct call *call, bool holds, const char *what)
{
	if (!holds)
		complain(call, what);
}

static bool failed(const struct call *call)
{
	return call->ret < 0 && call->ret > -4096;
}

#define PLACE_OF(name) \
	case OVNIK_EV_##name: \
		start = ((const struct ovnik_##name *)rec)->start; \
		length = ((const struct ovnik_##name *)rec)->length; \
		break

/* Of the record of a kind: it begins there, and has that length if one is given. */
static bool is_at(const struct call *call, unsigned int kind, __u64 want, __u64 want_length)
{
	const void *rec = call->last[kind];
	__u64 start = 0, length = 0;

	switch (kind) {
	PLACE_OF(mmap_file);
	PLACE_OF(mmap_anon);
	PLACE_OF(shm_attach);
	PLACE_OF(munmap);
	PLACE_OF(mremap);
	PLACE_OF(madvise_dontneed);
	}
	return start == want && (!want_length || length == want_length);
}

/* Maps made, and the kind of the last one. */
static unsigned int maps_of(const struct call *call, unsigned int *kind)
{
	static const unsigned int kinds[] = {
		OVNIK_EV_mmap_file, OVNIK_EV_mmap_anon, OVNIK_EV_shm_attach
	};
	unsigned int i, sum = 0;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		sum += call->of[kinds[i]];
		if (call->of[kinds[i]])
			*kind = kinds[i];
	}
	return sum;
}

/* Exactly one, where the call says that it is, or none if the call failed. */
static void check_map(const struct call *call, __u64 start, __u64 length)
{
	unsigned int kind = 0, nr = maps_of(call, &kind);

	if (failed(call)) {
		expect(call, !nr, "failed, and a mapping is recorded");
		return;
	}
	expect(call, nr == 1, "not one mapping recorded");
	if (nr == 1)
		expect(call, is_at(call, kind, start, length), "the mapping is elsewhere");
}

/* To what size of huge pages the length is rounded up is not to be seen from here. */
static void check_mmap(const struct call *call)
{
	__u64 length = call->arg[3] & MAP_HUGETLB ? 0 : ALIGNED(call->arg[1]);

	check_map(call, call->ret, length);
}

static void check_munmap(const struct call *call)
{
	unsigned int nr = call->of[OVNIK_EV_munmap];

	if (failed(call)) {
		expect(call, !nr, "failed, and is recorded");
		return;
	}
	expect(call, nr == 1 || (!nr && call->empty), "not one record");
	if (nr)
		expect(call, is_at(call, OVNIK_EV_munmap, call->arg[0], ALIGNED(call->arg[1])),
		       "the record is of another place");
}

/*
 * Does mremap() move several mappings at once, and what lies between them? Since 6.17, to
 * a given place with the length as it was. Each has its record, and those that were moved
 * before one could not be, too.
 */
static bool try_to_move_two(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *from = mmap(NULL, 2 * PAGE, PROT_READ, flags, -1, 0);
	char *to = mmap(NULL, 2 * PAGE, PROT_NONE, flags, -1, 0);

	if (from == MAP_FAILED || to == MAP_FAILED || mprotect(from, PAGE, PROT_NONE))
		err(1, "two mappings");
	return mremap(from, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}

/* Whatever part of the old place the last record has, it is the same part of the new. */
static void check_moved_several(const struct call *call)
{
	const struct ovnik_mremap *rec = call->last[OVNIK_EV_mremap];
	__u64 part;

	expect(call, failed(call) || call->of[OVNIK_EV_mremap], "not recorded");
	if (!call->of[OVNIK_EV_mremap])
		return;
	part = rec->old_start - call->arg[0];
	expect(call, rec->start - call->arg[4] == part && rec->length == rec->old_length &&
	       part + rec->length <= ALIGNED(call->arg[2]), "the record is of another place");
}

static void check_mremap(const struct call *call)
{
	__u64 old = ALIGNED(call->arg[1]), new = ALIGNED(call->arg[2]);
	const struct ovnik_mremap *rec = call->last[OVNIK_EV_mremap];
	unsigned int nr = call->of[OVNIK_EV_mremap];
	bool moved = (__u64)call->ret != call->arg[0];

	if (moves_several && call->arg[3] & MREMAP_FIXED && old == new) {
		check_moved_several(call);
	} else if (failed(call)) {
		expect(call, !nr, "failed, and is recorded");
	} else if (!moved && new <= old) {
		expect(call, !nr, "shrunk or left as it was, and more is recorded");
		expect(call, call->of[OVNIK_EV_munmap] <= (new < old), "too much unmapped");
	} else {
		expect(call, nr == 1, "not one record");
		expect(call, nr != 1 || (is_at(call, OVNIK_EV_mremap, call->ret, new) &&
					 rec->old_start == call->arg[0]),
		       "the record is of another place");
	}
}

/* What was as it is now is not recorded. READ_IMPLIES_EXEC may add a right. */
static void check_mprotect(const struct call *call)
{
	const struct ovnik_mprotect *rec = call->last[OVNIK_EV_mprotect];

	if (!call->of[OVNIK_EV_mprotect])
		return;
	expect(call, (rec->flags & 3) == (call->arg[2] & 3), "other rights are recorded");
	expect(call, call->arg[2] & (PROT_GROWSDOWN | PROT_GROWSUP) ||
	       (rec->start >= call->arg[0] &&
		rec->start + rec->length <= call->arg[0] + ALIGNED(call->arg[1])),
	       "the record is of another place");
}

static void check_madvise(const struct call *call)
{
	unsigned int nr = call->of[OVNIK_EV_madvise_dontneed];
	bool done = call->arg[2] == MADV_DONTNEED && call->arg[1] &&
		    (!failed(call) || call->ret == -ENOMEM);

	expect(call, done || !nr, "nothing was given back, and it is recorded");
	expect(call, !done || nr == 1, "not one record");
	if (done && nr == 1)
		expect(call, is_at(call, OVNIK_EV_madvise_dontneed, call->arg[0],
				   ALIGNED(call->arg[1])), "the record is of another place");
}

static void check_call(const struct call *call)
{
	unsigned int kind;

	checked[call->kind]++;
	succeeded[call->kind] += !failed(call);
	if (call->kind != CALL_MADVISE && call->kind != CALL_EXEC)
		expect(call, !call->of[OVNIK_EV_madvise_dontneed], "something was given back");
	switch (call->kind) {
	case CALL_MMAP:
		check_mmap(call);
		break;
	case CALL_MUNMAP:
		check_munmap(call);
		break;
	case CALL_MREMAP:
		check_mremap(call);
		break;
	case CALL_MPROTECT:
		check_mprotect(call);
		break;
	case CALL_SHMAT:
		check_map(call, call->ret, 0);
		expect(call, failed(call) || call->of[OVNIK_EV_shm_attach],
		       "what was attached is no segment");
		break;
	case CALL_SHMDT:
		expect(call, failed(call) == !call->of[OVNIK_EV_munmap], "not unmapped");
		break;
	case CALL_REMAP_FILE:
		check_map(call, call->arg[0], ALIGNED(call->arg[1]));
		break;
	case CALL_MADVISE:
		check_madvise(call);
		break;
	case CALL_BRK:
		expect(call, maps_of(call, &kind) + call->of[OVNIK_EV_munmap] <= 1,
		       "more than one change");
		break;
	}
}

static __u32 tid_of(const struct event *event)
{
#define TID_OF(name) \
	case OVNIK_EV_##name: \
		return ((const struct ovnik_##name *)event->record)->tid

	switch (event->kind) {
	TID_OF(mmap_file);
	TID_OF(mmap_anon);
	TID_OF(shm_attach);
	TID_OF(munmap);
	TID_OF(mprotect);
	TID_OF(mremap);
	TID_OF(madvise_dontneed);
	default:
		return 0;
	}
}

/* What a fault does: a stack grows. */
static bool may_be_outside(const struct event *event)
{
	const struct ovnik_mmap_anon *rec = event->record;

	return event->kind == OVNIK_EV_mmap_anon && rec->kind == OVNIK_MAP_GROWTH;
}

/* The statedump's end: from then on everything is known. */
static __u64 known;

/* The calls that run, by task. */
static struct call **running;
static unsigned int *active, nr_active;

static void take_record(const struct event *event)
{
	__u32 tid = tid_of(event);
	struct call *call = running[tid % MAX_TIDS];

	if (!tid)
		return;
	if (call) {
		call->of[event->kind]++;
		call->last[event->kind] = event->record;
		call->mm = mm_of_event(event);
	} else if (event->tsc > known && !may_be_outside(event) && differences++ < 10) {
		printf("# outside of every call, task %u: ", tid);
		print_event("ovnik", event);
	}
}

/* Was there a moment when a munmap() that runs had nothing to do? */
static void look_for_holes(void)
{
	unsigned int i;

	for (i = 0; i < nr_active; i++) {
		struct call *call = &calls[active[i]];

		if (call->kind == CALL_MUNMAP && call->mm)
			call->empty = call->empty ||
				!is_mapped(space_of(&now, call->mm), call->arg[0],
					   call->arg[0] + ALIGNED(call->arg[1]));
	}
}

static void start_call(struct call *call)
{
	running[call->tid % MAX_TIDS] = call;
	active = realloc(active, (nr_active + 1) * sizeof(*active));
	if (!active)
		err(1, "no memory");
	active[nr_active++] = call - calls;
}

/* Those that have ended, of them those that began when all was known. */
static void end_calls(__u64 tsc)
{
	unsigned int i = 0;

	while (i < nr_active) {
		struct call *call = &calls[active[i]];

		if (!call->leave || call->leave > tsc) {
			i++;
			continue;
		}
		if (call->enter > known)
			check_call(call);
		running[call->tid % MAX_TIDS] = NULL;
		active[i] = active[--nr_active];
	}
}

/* Processes by their threads: a call of any of them is one in the process' space. */
static __u32 *tgid_of;

static void note_task(const struct event *event)
{
	const struct ovnik_task_fork *fork = event->record;
	const struct ovnik_dump_task *dump = event->record;

	if (event->kind == OVNIK_EV_task_fork)
		tgid_of[fork->child_tid % MAX_TIDS] = fork->child_tgid;
	else if (event->kind == OVNIK_EV_dump_task)
		tgid_of[dump->tid % MAX_TIDS] = dump->tgid;
}

static void start_calls(size_t *next, __u64 tsc)
{
	while (*next < nr_calls && calls[*next].enter <= tsc) {
		struct call *call = &calls[(*next)++];

		end_calls(call->enter);
		call->mm = now.mm_of[tgid_of[call->tid % MAX_TIDS] % MAX_TIDS];
		start_call(call);
		look_for_holes();
	}
}

static __u64 time_of_dump_end(void)
{
	size_t i;

	for (i = 0; i < all.nr; i++) {
		if (all.event[i].kind == OVNIK_EV_dump_end)
			return all.event[i].tsc;
	}
	errx(1, "the capture has no statedump");
}

int main(int argc, char **argv)
{
	unsigned int cpu;
	size_t i, next = 0;

	if (argc < 4)
		errx(2, "usage: callcheck INSTANCE CPUS cpuN.ovk...");
	moves_several = try_to_move_two();
	read_call_formats(argv[1]);
	for (cpu = 0; cpu < strtoul(argv[2], NULL, 10); cpu++)
		walk_trace(argv[1], cpu, take_half, NULL);
	make_calls();
	load_merged(&all, argv + 3);
	init_spaces(&now);
	running = calloc(MAX_TIDS, sizeof(*running));
	tgid_of = calloc(MAX_TIDS, sizeof(*tgid_of));
	if (!running || !tgid_of)
		err(1, "no memory");
	known = time_of_dump_end();
	for (i = 0; i < all.nr; i++) {
		const struct event *event = &all.event[i];

		start_calls(&next, event->tsc);
		end_calls(event->tsc);
		take_record(event);
		note_task(event);
		apply_event(&now, event, i);
		look_for_holes();
	}
	end_calls(all.event[all.nr - 1].tsc);
	for (i = 0; i < NR_CALLS; i++)
		printf("# %-16s %6u calls, %6u succeeded\n", formats[i].name, checked[i],
		       succeeded[i]);
	printf("# %u differences\n", differences);
	return differences || !succeeded[CALL_MMAP] || !succeeded[CALL_MREMAP];
}
