// SPDX-License-Identifier: GPL-2.0-only
/*
 * cowcheck - compare the records of copies on write with what cowload has logged
 *
 *	cowcheck [-m] LOG cpuN.ovk...
 *
 * In the memory that cowload has for this, each copy it knows of must be recorded, once,
 * as what it was, by whom and in which process, between the two times it says, and
 * nothing else; so must each madvise(). What a fork gives the child, as vma_dup
 * has it, must be the parent's maps without what is not for children.
 *
 * With -m, records are altered one by one, and the difference must be found.
 */

#include "cow.h"
#include "common/mutate.h"
#include "common/space.h"

#define PAGE		4096ULL
#define PERMS		(OVNIK_VMA_READ | OVNIK_VMA_WRITE | OVNIK_VMA_EXEC | OVNIK_VMA_SHARED)
#define MAX_BARRED	8
#define MUTATIONS	12	/* records of a kind that are altered */

/**
 * struct entry - A line of the log.
 * @kind:  event that it must be recorded as
 * @what:  enum ovnik_cow_kind
 * @tid:   by whom; 0: any thread
 * @pid:   process
 * @start: address
 * @length: of madvise()
 * @from:  TSC before
 * @to:	   and after
 * @found: records of it
 */
struct entry {
	unsigned int kind;
	unsigned int what;
	__u32 tid;
	__u32 pid;
	__u64 start;
	__u64 length;
	__u64 from;
	__u64 to;
	unsigned int found;
};

/**
 * struct fork - A fork of the log.
 * @parent: process
 * @child:  new process
 * @from:   TSC before
 * @to:	    and after
 * @maps:   of the parent, but for what is barred
 */
struct fork {
	__u32 parent;
	__u32 child;
	__u64 from;
	__u64 to;
	struct space maps;
};

static struct entry *entries;
static size_t nr_entries, room_entries;
static struct fork *forks;
static size_t nr_forks, room_forks;
static struct range barred[MAX_BARRED];
static unsigned int nr_barred;
static struct events all;
static bool quiet;

static bool is_barred(__u64 start)
{
	unsigned int i;

	for (i = 0; i < nr_barred; i++) {
		if (start >= barred[i].start && start < barred[i].end)
			return true;
	}
	return false;
}

/* Where the log says that something begins to be barred it is one mapping. */
static void parse_maps(struct space *maps, char *text)
{
	char *line, *rest = NULL, perms[5];

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct range range = {};

		if (sscanf(line, "%llx-%llx %4s", &range.start, &range.end, perms) != 3)
			errx(1, "maps: %s", line);
		if (strstr(line, "[vsyscall]") || is_barred(range.start))
			continue;
		range.flags = (perms[0] == 'r' ? OVNIK_VMA_READ : 0) |
			      (perms[1] == 'w' ? OVNIK_VMA_WRITE : 0) |
			      (perms[2] == 'x' ? OVNIK_VMA_EXEC : 0) |
			      (perms[3] == 's' ? OVNIK_VMA_SHARED : 0);
		*insert_range(maps, maps->nr) = range;
	}
}

static void parse_fork(const char *line, FILE *file)
{
	static char text[256 << 10];
	struct fork fork = {};
	size_t bytes;

	if (sscanf(line, "fork %u %u %llu %llu %zu", &fork.parent, &fork.child, &fork.from,
		   &fork.to, &bytes) != 5)
		errx(1, "log: %s", line);
	if (bytes >= sizeof(text) || fread(text, 1, bytes, file) != bytes)
		errx(1, "the log is cut off");
	text[bytes] = '\0';
	parse_maps(&fork.maps, text);
	forks = grow(forks, nr_forks, &room_forks, sizeof(*forks));
	forks[nr_forks++] = fork;
}

static void parse_entry(const char *line)
{
	struct entry entry = { .kind = OVNIK_EV_cow_break };
	struct range range = {};

	if (sscanf(line, "dontfork %llx %llx", &range.start, &range.end) == 2) {
		if (nr_barred == MAX_BARRED)
			errx(1, "too much dontfork");
		barred[nr_barred++] = range;
		return;
	}
	if (sscanf(line, "dontneed %u %u %llx %llx %llu %llu", &entry.tid, &entry.pid,
		   &entry.start, &entry.length, &entry.from, &entry.to) == 6)
		entry.kind = OVNIK_EV_madvise_dontneed;
	else if (sscanf(line, "cow %u %u %u %llx %llu %llu", &entry.what, &entry.tid,
			&entry.pid, &entry.start, &entry.from, &entry.to) != 6)
		errx(1, "log: %s", line);
	entries = grow(entries, nr_entries, &room_entries, sizeof(*entries));
	entries[nr_entries++] = entry;
}

static void load_log(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];

	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "fork ", 5))
			parse_fork(line, file);
		else
			parse_entry(line);
	}
	fclose(file);
}

static bool in_test(__u64 address)
{
	return address >= TEST_AT && address < TEST_END;
}

static bool complain(const struct event *event, const char *what)
{
	const struct ovnik_cow_break *cow = event->record;
	const struct ovnik_madvise_dontneed *given = event->record;

	if (quiet)
		return false;
	if (event->kind == OVNIK_EV_cow_break)
		printf("# %s: %llu cow_break kind %u, task %u, mm %llu, address %llx\n", what,
		       event->tsc, cow->kind, cow->tid, cow->mm, cow->address);
	else
		printf("# %s: %llu %s, task %u, mm %llu, start %llx\n", what, event->tsc,
		       kind_name(event->kind), given->tid, given->mm, given->start);
	return false;
}

/* The entry it is; the mm must be the one that the process is in by now. */
static struct entry *find_entry(const struct spaces *now, const struct event *event, __u64 mm,
				__u64 start)
{
	size_t i;

	for (i = 0; i < nr_entries; i++) {
		struct entry *entry = &entries[i];

		if (entry->kind == event->kind && entry->start == start &&
		    event->tsc >= entry->from && event->tsc <= entry->to &&
		    now->mm_of[entry->pid % MAX_TIDS] == mm)
			return entry;
	}
	return NULL;
}

static bool check_cow(const struct spaces *now, const struct event *event)
{
	const struct ovnik_cow_break *rec = event->record;
	struct entry *entry;

	if (!in_test(rec->address))
		return true;
	entry = find_entry(now, event, rec->mm, rec->address);
	if (!entry)
		return complain(event, "nothing was copied then");
	if (entry->what != rec->kind)
		return complain(event, "of another kind");
	if (entry->tid && entry->tid != rec->tid)
		return complain(event, "by another task");
	entry->found++;
	return true;
}

static bool check_dontneed(const struct spaces *now, const struct event *event)
{
	const struct ovnik_madvise_dontneed *rec = event->record;
	struct entry *entry;

	if (!in_test(rec->start))
		return true;
	entry = find_entry(now, event, rec->mm, rec->start);
	if (!entry || entry->length != rec->length || entry->tid != rec->tid)
		return complain(event, "not given back then");
	entry->found++;
	return true;
}

static bool all_found(void)
{
	size_t i;

	for (i = 0; i < nr_entries; i++) {
		const struct entry *entry = &entries[i];

		if (entry->found == 1)
			continue;
		if (!quiet)
			printf("# %u records of %s kind %u, task %u, process %u, %llx, from %llu\n",
			       entry->found, kind_name(entry->kind), entry->what, entry->tid,
			       entry->pid, entry->start, entry->from);
		return false;
	}
	return true;
}

/* From *@at on, as far as it goes on with the same rights. */
static bool next_flat(const struct space *space, size_t *at, struct range *flat)
{
	if (*at == space->nr)
		return false;
	*flat = space->range[(*at)++];
	flat->flags &= PERMS;
	for (; *at < space->nr; (*at)++) {
		const struct range *next = &space->range[*at];

		if (next->start != flat->end || (next->flags & PERMS) != flat->flags)
			break;
		flat->end = next->end;
	}
	return true;
}

static bool same_maps(const struct space *ours, const struct space *theirs)
{
	struct range a = {}, b = {};
	size_t i = 0, j = 0;
	bool is_a, is_b;

	for (;;) {
		is_a = next_flat(ours, &i, &a);
		is_b = next_flat(theirs, &j, &b);
		if (is_a != is_b)
			break;
		if (!is_a)
			return true;
		if (a.start != b.start || a.end != b.end || a.flags != b.flags)
			break;
	}
	if (!quiet)
		printf("# vma_dup has %llx-%llx %x, the parent %llx-%llx %x\n", a.start, a.end,
		       a.flags, b.start, b.end, b.flags);
	return false;
}

static const struct ovnik_task_mm *mm_of_child(const struct fork *fork)
{
	size_t i;

	for (i = 0; i < all.nr; i++) {
		const struct ovnik_task_mm *rec = all.event[i].record;

		if (all.event[i].kind == OVNIK_EV_task_mm && rec->tgid == fork->child &&
		    rec->reason == OVNIK_MM_FORK && all.event[i].tsc >= fork->from &&
		    all.event[i].tsc <= fork->to)
			return rec;
	}
	return NULL;
}

/* What the child is said to have got, and from whom. */
static bool check_fork(const struct spaces *end, const struct fork *fork)
{
	const struct ovnik_task_mm *child = mm_of_child(fork);
	struct space got = {};
	bool same = true;
	size_t i;

	if (!child) {
		if (!quiet)
			printf("# process %u has got no address space\n", fork->child);
		return false;
	}
	for (i = 0; i < all.nr; i++) {
		const struct ovnik_vma_dup *dup = all.event[i].record;
		struct range range = {};

		if (all.event[i].kind != OVNIK_EV_vma_dup || dup->mm != child->mm)
			continue;
		range.start = dup->start;
		range.end = dup->start + dup->length;
		range.flags = dup->flags;
		same = same && dup->tid == fork->parent && all.event[i].tsc <= fork->to &&
		       dup->source_mm == end->mm_of[fork->parent % MAX_TIDS];
		put_range(&got, range);
	}
	if (!same && !quiet)
		printf("# vma_dup of process %u: wrong parent, or too late\n", fork->child);
	same = same && same_maps(&got, &fork->maps);
	free(got.range);
	return same;
}

static bool run(void)
{
	struct spaces now;
	bool same = true;
	size_t i;

	init_spaces(&now);
	for (i = 0; i < nr_entries; i++)
		entries[i].found = 0;
	for (i = 0; i < all.nr && same; i++) {
		const struct event *event = &all.event[i];

		apply_task(&now, event);
		if (event->kind == OVNIK_EV_cow_break)
			same = check_cow(&now, event);
		else if (event->kind == OVNIK_EV_madvise_dontneed)
			same = check_dontneed(&now, event);
	}
	same = same && all_found();
	for (i = 0; i < nr_forks && same; i++)
		same = check_fork(&now, &forks[i]);
	free_spaces(&now);
	return same;
}

static const struct mutation mutations[] = {
	MUTATE_FIELD(cow_break, kind, 1),
	MUTATE_FIELD(cow_break, mm, 1),
	MUTATE_FIELD(cow_break, address, 0x1000),
	MUTATE_LOSS(cow_break),
	MUTATE_FIELD(madvise_dontneed, start, 0x1000),
	MUTATE_FIELD(madvise_dontneed, length, 0x1000),
	MUTATE_LOSS(madvise_dontneed),
	MUTATE_FIELD(vma_dup, start, 0x1000),
	MUTATE_FIELD(vma_dup, flags, OVNIK_VMA_WRITE),
	MUTATE_FIELD(vma_dup, source_mm, 1),
	MUTATE_LOSS(vma_dup),
};

/* Is it one that is compared? */
static bool matters(const struct mutation *mutation, const struct event *event)
{
	const struct ovnik_cow_break *cow = event->record;
	const struct ovnik_madvise_dontneed *given = event->record;
	const struct ovnik_vma_dup *dup = event->record;
	size_t i;

	(void)mutation;
	if (event->kind == OVNIK_EV_cow_break)
		return in_test(cow->address);
	if (event->kind == OVNIK_EV_madvise_dontneed)
		return in_test(given->start);
	for (i = 0; i < nr_forks; i++) {
		if (event->tsc >= forks[i].from && event->tsc <= forks[i].to &&
		    dup->tid == forks[i].parent)
			return true;
	}
	return false;
}

/* From the whole of the run. */
static const struct mutation_test mutation_test = {
	.mutations = mutations, .nr = sizeof(mutations) / sizeof(*mutations),
	.step = 37, .most = MUTATIONS, .matters = matters, .run = run,
};

int main(int argc, char **argv)
{
	bool mutate = argc > 1 && !strcmp(argv[1], "-m");

	argv += 1 + mutate;
	if (argc < 3 + mutate)
		errx(2, "usage: cowcheck [-m] LOG cpuN.ovk...");
	load_log(argv[0]);
	load_merged(&all, argv + 1);
	printf("# %zu copies and madvise(), %zu forks\n", nr_entries, nr_forks);
	if (!nr_entries || !nr_forks || !run())
		return 1;
	quiet = true;
	return mutate && !mutations_noticed(&mutation_test, &all);
}
