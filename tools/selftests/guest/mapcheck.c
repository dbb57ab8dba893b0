// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapcheck - compare the mappings of a capture with /proc/PID/maps
 *
 *	mapcheck [-m] [-b] MAPS cpuN.ovk...
 *	mapcheck -p MAPS
 *
 * MAPS is what mapload has saved. At each checkpoint, every process' address space
 * must be what its maps say: page by page the same permissions, file and offset.
 * Those of mapload stood still; another process is left out if the capture says
 * that it was changing just then. At the last checkpoint, address spaces that
 * nobody is in any more must be empty.
 *
 * [vsyscall] is left out, for it lies in the kernel's half and in no address space.
 *
 * With -m, one record after the other is altered, of each kind, and each time the
 * difference must be found. With -b the capture is BPF's. With -p, what rebuild ought
 * to print for the processes that stood still is printed.
 */

#include <getopt.h>
#include <limits.h>
#include <stddef.h>

#include "common/space.h"

#define COMPARED_FLAGS	(OVNIK_VMA_READ | OVNIK_VMA_WRITE | OVNIK_VMA_EXEC | OVNIK_VMA_SHARED)
#define CANDIDATES	2	/* records of a kind that are altered, one at a time */
#define UNMAPS		64
#define HISTORY		12	/* records shown with a difference */

/**
 * struct snapshot - A process' maps.
 * @checkpoint: when
 * @pid:	whose
 * @load:	it stood still
 * @before:	TSC before they were read
 * @after:	and after
 * @maps:	what they say
 */
struct snapshot {
	unsigned int checkpoint;
	unsigned int pid;
	bool load;
	__u64 before;
	__u64 after;
	struct space maps;
};

static struct snapshot *snapshots;
static size_t nr_snapshots;
static struct events all;
static bool by_bpf;

/* What a run has compared. */
static struct {
	unsigned int load;
	unsigned int other;
	unsigned int changing;
	size_t ranges;
} compared;

/* "7f00-7f01 r-xp 00000000 08:02 173521     /usr/bin/a program" */
static void parse_line(struct space *maps, char *line)
{
	unsigned int major, minor;
	struct range range = {};
	char perms[5];
	int path = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &range.start, &range.end, perms,
		   &range.offset, &major, &minor, &range.ino, &path) < 7 || !path)
		errx(1, "maps: %s", line);
	if (!strcmp(line + path, "[vsyscall]"))
		return;
	range.flags = (perms[0] == 'r' ? OVNIK_VMA_READ : 0) |
		      (perms[1] == 'w' ? OVNIK_VMA_WRITE : 0) |
		      (perms[2] == 'x' ? OVNIK_VMA_EXEC : 0) |
		      (perms[3] == 's' ? OVNIK_VMA_SHARED : 0);
	range.dev = major << 20 | minor;
	range.path = line[path] ? strdup(line + path) : NULL;
	*insert_range(maps, maps->nr) = range;
}

static void parse_maps(struct space *maps, char *text)
{
	char *line, *rest = NULL;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		parse_line(maps, line);
}

static void load_snapshots(const char *path)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "r");
	struct snapshot shot = {};
	char who[8];
	size_t room = 0, bytes;

	if (!file)
		err(1, "%s", path);
	while (fscanf(file, "@ %u %u %7s %llu %llu %zu%*1[\n]", &shot.checkpoint, &shot.pid, who,
		      &shot.before, &shot.after, &bytes) == 6) {
		if (bytes >= sizeof(text) || fread(text, 1, bytes, file) != bytes)
			errx(1, "%s is cut off", path);
		text[bytes] = '\0';
		shot.load = !strcmp(who, "load");
		snapshots = grow(snapshots, nr_snapshots, &room, sizeof(*snapshots));
		snapshots[nr_snapshots] = shot;
		parse_maps(&snapshots[nr_snapshots++].maps, text);
	}
	if (!feof(file) || !nr_snapshots)
		errx(1, "%s: no maps", path);
	fclose(file);
}

static bool has_file(const struct range *range)
{
	return range->dev || range->ino;
}

static bool goes_on(const struct range *a, const struct range *b)
{
	return a->end == b->start && !((a->flags ^ b->flags) & COMPARED_FLAGS) &&
	       a->dev == b->dev && a->ino == b->ino &&
	       (!has_file(a) || a->offset + a->end - a->start == b->offset);
}

/* From *@at on, as much as is one mapping for whoever does not count them. */
static bool next_flat(const struct space *space, size_t *at, struct range *flat)
{
	if (*at == space->nr)
		return false;
	*flat = space->range[(*at)++];
	flat->flags &= COMPARED_FLAGS;
	if (!has_file(flat))
		flat->offset = 0;
	while (*at < space->nr && goes_on(&space->range[*at - 1], &space->range[*at]))
		flat->end = space->range[(*at)++].end;
	return true;
}

/* What a record does not have, or what was renamed since, is no difference. */
static bool same_path(const struct range *ours, const struct range *theirs)
{
	const char *tail;

	if (!ours->path || !theirs->path || *theirs->path != '/')
		return true;
	tail = strstr(theirs->path, " (deleted)");
	return tail || !strcmp(ours->path, theirs->path);
}

static bool same_range(const struct range *ours, const struct range *theirs)
{
	return ours->start == theirs->start && ours->end == theirs->end &&
	       ours->flags == theirs->flags && ours->dev == theirs->dev &&
	       ours->ino == theirs->ino && ours->offset == theirs->offset &&
	       same_path(ours, theirs);
}

static void print_range(const char *whose, const struct range *range, bool there)
{
	if (!there) {
		printf("# %-6s nothing more\n", whose);
		return;
	}
	printf("# %-6s %llx-%llx %c%c%c%c offset %llx dev %x:%x ino %llu %s", whose, range->start,
	       range->end, range->flags & OVNIK_VMA_READ ? 'r' : '-',
	       range->flags & OVNIK_VMA_WRITE ? 'w' : '-',
	       range->flags & OVNIK_VMA_EXEC ? 'x' : '-',
	       range->flags & OVNIK_VMA_SHARED ? 's' : 'p', range->offset,
	       OVNIK_DEV_MAJOR(range->dev), OVNIK_DEV_MINOR(range->dev), range->ino,
	       range->path ? range->path : "");
	if (range->from)
		printf(" (by %s at %llu)", kind_name(all.event[range->from].kind),
		       all.event[range->from].tsc);
	printf("\n");
}

#define EXTENT(name) \
	case OVNIK_EV_##name: \
		*start = ((const struct ovnik_##name *)event->record)->start; \
		*end = *start + ((const struct ovnik_##name *)event->record)->length; \
		return true

static bool extent_of(const struct event *event, __u64 *start, __u64 *end)
{
	switch (event->kind) {
	EXTENT(mmap_file);
	EXTENT(mmap_anon);
	EXTENT(shm_attach);
	EXTENT(munmap);
	EXTENT(mprotect);
	EXTENT(mremap);
	EXTENT(vma_dup);
	EXTENT(dump_vma);
	default:
		return false;
	}
}

/* What happened at that place last, for whoever has to find out. */
static void print_history(__u64 mm, const struct range *place, __u64 until)
{
	unsigned int shown = 0;
	__u64 start, end;
	size_t i;

	for (i = all.nr; i-- && shown < HISTORY;) {
		const struct event *event = &all.event[i];

		if (event->tsc > until || mm_of_event(event) != mm)
			continue;
		if (extent_of(event, &start, &end)) {
			if (start >= place->end || end <= place->start)
				continue;
			printf("#   %llu %s %llx-%llx\n", event->tsc, kind_name(event->kind), start,
			       end);
		} else {
			printf("#   %llu %s\n", event->tsc, kind_name(event->kind));
		}
		shown++;
	}
}

/* Page by page the same? */
static bool same_space(const struct space *ours, const struct snapshot *shot, __u64 mm, bool quiet)
{
	struct range a = {}, b = {};
	size_t i = 0, j = 0;
	bool is_a, is_b;

	for (;;) {
		is_a = next_flat(ours, &i, &a);
		is_b = next_flat(&shot->maps, &j, &b);
		if (!is_a && !is_b)
			return true;
		if (!is_a || !is_b || !same_range(&a, &b))
			break;
	}
	if (!quiet) {
		printf("# checkpoint %u, process %u (%s), address space %llu, at %llu:\n",
		       shot->checkpoint, shot->pid, shot->load ? "load" : "other", mm,
		       shot->before);
		print_range("ovnik", &a, is_a);
		print_range("/proc", &b, is_b);
		print_history(mm, is_a ? &a : &b, shot->before);
	}
	return false;
}

/* Is there anything from event @i on that changes it, or its process, in that time? */
static bool is_changing(const struct snapshot *shot, __u64 mm, size_t i)
{
	for (; i < all.nr && all.event[i].tsc <= shot->after; i++) {
		const struct ovnik_task_mm *task_mm = all.event[i].record;

		if (mm_of_event(&all.event[i]) == mm)
			return true;
		if (all.event[i].kind == OVNIK_EV_task_mm && task_mm->tgid == shot->pid)
			return true;
	}
	return false;
}

/* Records whose alteration must be noticed, as far as the first run has found out. */
static struct {
	size_t event[CANDIDATES];
	unsigned int nr;
} candidates[OVNIK_NR_EVENTS];

/* The last ones that did unmap something. */
static size_t unmaps[UNMAPS];
static unsigned int nr_unmaps;

static void add_candidate(unsigned int kind, size_t event)
{
	candidates[kind].event[candidates[kind].nr++ % CANDIDATES] = event;
}

/* What was unmapped and is not mapped now would be there without them. */
static void find_unmaps(const struct space *space, __u64 mm)
{
	__u64 start, end;
	unsigned int i;

	for (i = 0; i < UNMAPS && i < nr_unmaps; i++) {
		const struct event *event = &all.event[unmaps[i]];

		if (mm_of_event(event) == mm && extent_of(event, &start, &end) &&
		    !is_mapped(space, start, end))
			add_candidate(event->kind, unmaps[i]);
	}
}

/* Those to which something is owed that is still there as a whole. */
static void find_candidates(const struct space *space)
{
	__u64 start, end;
	size_t i;

	for (i = 0; i < space->nr; i++) {
		const struct range *range = &space->range[i];
		const struct event *event = &all.event[range->flags_from];

		if (!extent_of(event, &start, &end) || range->start != start || range->end != end)
			continue;
		if (range->flags_from == range->from || event->kind == OVNIK_EV_mprotect)
			add_candidate(event->kind, range->flags_from);
	}
}

static bool check_snapshot(struct spaces *now, const struct snapshot *shot, size_t next, bool quiet)
{
	__u64 mm = now->mm_of[shot->pid % MAX_TIDS];

	if (is_changing(shot, mm, next)) {
		compared.changing++;
		if (shot->load && !quiet)
			printf("# checkpoint %u: process %u did not stand still\n",
			       shot->checkpoint, shot->pid);
		return !shot->load;
	}
	if (!same_space(space_of(now, mm), shot, mm, quiet))
		return false;
	compared.load += shot->load;
	compared.other += !shot->load;
	compared.ranges += shot->maps.nr;
	if (!quiet && shot->load) {
		find_candidates(space_of(now, mm));
		find_unmaps(space_of(now, mm), mm);
	}
	return true;
}

/*
 * The statedump must contain all that it promised. BPF lets go of mmap_lock between
 * two mappings if somebody waits for it, who may map or unmap something then.
 */
static bool dumps_complete(struct spaces *now, bool quiet)
{
	size_t i;

	for (i = 0; i < now->nr; i++) {
		if (!now->space[i].expect || (by_bpf && now->space[i].changed))
			continue;
		if (!quiet)
			printf("# address space %zu: %d mappings of the statedump are missing\n",
			       i, (int)now->space[i].expect);
		return false;
	}
	return true;
}

static bool is_used(const struct spaces *now, __u64 mm)
{
	unsigned int last = snapshots[nr_snapshots - 1].checkpoint;
	size_t i;

	for (i = 0; i < nr_snapshots; i++) {
		if (snapshots[i].checkpoint == last &&
		    now->mm_of[snapshots[i].pid % MAX_TIDS] == mm)
			return true;
	}
	return false;
}

/* After the last checkpoint. */
static bool unused_are_empty(struct spaces *now, bool quiet)
{
	size_t i;

	for (i = 0; i < now->nr; i++) {
		if (!now->space[i].nr || is_used(now, i))
			continue;
		if (!quiet)
			printf("# address space %zu has %zu mappings, and nobody is in it\n", i,
			       now->space[i].nr);
		return false;
	}
	return true;
}

/*
 * What was unmapped here before is no matter when it is unmapped once more, or when a
 * statedump says anew what is mapped.
 */
static void forget_unmaps(__u64 mm, __u64 start, __u64 end)
{
	unsigned int i, kept = 0;
	__u64 from, to;

	for (i = 0; i < UNMAPS && i < nr_unmaps; i++) {
		const struct event *event = &all.event[unmaps[i]];

		if (mm_of_event(event) != mm || !extent_of(event, &from, &to) ||
		    to <= start || end <= from)
			unmaps[kept++] = unmaps[i];
	}
	nr_unmaps = kept;
}

/* Does what comes after this dump_mm allow any number? */
static bool is_interrupted(size_t number)
{
	__u64 mm = mm_of_event(&all.event[number]);
	size_t i;

	for (i = number + 1; by_bpf && i < all.nr; i++) {
		if (all.event[i].kind == OVNIK_EV_dump_end)
			break;
		if (all.event[i].kind != OVNIK_EV_dump_vma && mm_of_event(&all.event[i]) == mm)
			return true;
	}
	return false;
}

/* Records that no mapping is owed to can be altered, too. */
static void note_event(struct spaces *now, const struct event *event, size_t number)
{
	__u64 start, end;

	if (event->kind == OVNIK_EV_munmap && extent_of(event, &start, &end)) {
		forget_unmaps(mm_of_event(event), start, end);
		if (is_mapped(space_of(now, mm_of_event(event)), end - 1, end))
			unmaps[nr_unmaps++ % UNMAPS] = number;
	}
	if (event->kind == OVNIK_EV_mm_exit && space_of(now, mm_of_event(event))->nr)
		add_candidate(event->kind, number);
	if (event->kind == OVNIK_EV_dump_mm)
		forget_unmaps(mm_of_event(event), 0, ~0ULL);
	if (event->kind == OVNIK_EV_dump_mm && !is_interrupted(number))
		add_candidate(event->kind, number);
}

static bool same_at_all_checkpoints(struct spaces *now, bool quiet)
{
	size_t i = 0, shot;

	for (shot = 0; shot < nr_snapshots; shot++) {
		for (; i < all.nr && all.event[i].tsc <= snapshots[shot].before; i++) {
			if (!quiet)
				note_event(now, &all.event[i], i);
			apply_event(now, &all.event[i], i);
			if (all.event[i].kind == OVNIK_EV_dump_end && !dumps_complete(now, quiet))
				return false;
		}
		if (!check_snapshot(now, &snapshots[shot], i, quiet))
			return false;
	}
	return unused_are_empty(now, quiet);
}

static bool run(bool quiet)
{
	struct spaces now;
	bool same;

	init_spaces(&now);
	same = same_at_all_checkpoints(&now, quiet);
	free_spaces(&now);
	return same;
}

#define FIELD(kind, field, bit)	\
	{ OVNIK_EV_##kind, offsetof(struct ovnik_##kind, field), bit, 0, #kind "." #field }
/* Longer would not do: what comes after may hide it. */
#define SHORTER(kind)	\
	{ OVNIK_EV_##kind, offsetof(struct ovnik_##kind, length), 0, -0x1000, #kind ".length" }
#define GONE(kind)	{ OVNIK_EV_##kind, 0, 0, 0, #kind " is gone" }

/* Each a change of one bit, a page less, or the loss of the record. */
static const struct mutation {
	unsigned int kind;
	unsigned int at;
	__u32 bit;
	int add;
	const char *name;
} mutations[] = {
	GONE(mmap_file),
	FIELD(mmap_file, flags, OVNIK_VMA_WRITE),
	FIELD(mmap_file, start, 0x1000),
	SHORTER(mmap_file),
	FIELD(mmap_file, offset, 0x1000),
	FIELD(mmap_file, ino, 1),
	FIELD(mmap_file, dev, 1),
	FIELD(mmap_file, mm, 1),
	GONE(mmap_anon),
	FIELD(mmap_anon, flags, OVNIK_VMA_SHARED),
	FIELD(mmap_anon, start, 0x1000),
	SHORTER(mmap_anon),
	GONE(shm_attach),
	FIELD(shm_attach, flags, OVNIK_VMA_WRITE),
	FIELD(shm_attach, start, 0x1000),
	FIELD(shm_attach, shmid, 1),
	GONE(munmap),
	SHORTER(munmap),
	GONE(mprotect),
	FIELD(mprotect, flags, OVNIK_VMA_EXEC),
	GONE(mremap),
	FIELD(mremap, start, 0x1000),
	FIELD(mremap, flags, OVNIK_VMA_WRITE),
	GONE(vma_dup),
	FIELD(vma_dup, start, 0x1000),
	SHORTER(vma_dup),
	FIELD(vma_dup, flags, OVNIK_VMA_EXEC),
	FIELD(vma_dup, ino, 1),
	GONE(dump_vma),
	FIELD(dump_vma, flags, OVNIK_VMA_EXEC),
	FIELD(dump_mm, vmas, 1),
	GONE(mm_exit),
};

/* The record is copied: what is in the file stays what it was. */
static void alter(struct event *event, const struct mutation *mutation)
{
	const struct ovnik_record *rec = event->record;
	size_t length = rec->words ? rec->words * 8U : (rec->size + 7U) & ~7U;
	char *copy = malloc(length);
	__u32 value;

	if (!copy)
		err(1, "no memory");
	memcpy(copy, rec, length);
	memcpy(&value, copy + mutation->at, sizeof(value));
	value = (value ^ mutation->bit) + mutation->add;
	memcpy(copy + mutation->at, &value, sizeof(value));
	event->record = copy;
	if (!mutation->bit && !mutation->add)
		event->kind = 0;
}

static bool is_noticed(const struct mutation *mutation, size_t number)
{
	struct event kept = all.event[number];
	bool same;

	alter(&all.event[number], mutation);
	same = run(true);
	free((void *)all.event[number].record);
	all.event[number] = kept;
	return !same;
}

/* The kinds that every run has; of the others there may be none left to be seen. */
static bool is_certain(unsigned int kind)
{
	return kind == OVNIK_EV_mmap_file || kind == OVNIK_EV_mmap_anon ||
	       kind == OVNIK_EV_munmap || kind == OVNIK_EV_vma_dup || kind == OVNIK_EV_mm_exit ||
	       kind == OVNIK_EV_dump_vma || kind == OVNIK_EV_dump_mm;
}

static bool all_noticed(void)
{
	const struct mutation *mutation = mutations;
	unsigned int tried = 0;
	bool ok = true;

	for (; mutation < mutations + sizeof(mutations) / sizeof(*mutations); mutation++) {
		unsigned int i, nr = candidates[mutation->kind].nr;

		if (!nr) {
			printf("# no record for: %s\n", mutation->name);
			ok = ok && !is_certain(mutation->kind);
		}
		for (i = 0; i < nr && i < CANDIDATES; i++, tried++) {
			size_t number = candidates[mutation->kind].event[i];

			if (is_noticed(mutation, number))
				continue;
			printf("# not noticed: %s\n", mutation->name);
			print_event("altered", &all.event[number]);
			ok = false;
		}
	}
	printf("# %u alterations of one record each\n", tried);
	return ok;
}

/* As rebuild does, see there. */
static void print_expected(const struct snapshot *shot)
{
	struct range flat;
	size_t i = 0;

	printf("at %llu %u\n", shot->before, shot->pid);
	while (next_flat(&shot->maps, &i, &flat))
		printf("%u %llx-%llx %c%c%c%c %llx %x:%x %llu\n", shot->pid, flat.start, flat.end,
		       flat.flags & OVNIK_VMA_READ ? 'r' : '-',
		       flat.flags & OVNIK_VMA_WRITE ? 'w' : '-',
		       flat.flags & OVNIK_VMA_EXEC ? 'x' : '-',
		       flat.flags & OVNIK_VMA_SHARED ? 's' : 'p', flat.offset,
		       OVNIK_DEV_MAJOR(flat.dev), OVNIK_DEV_MINOR(flat.dev), flat.ino);
}

static int print_all_expected(const char *path)
{
	size_t i;

	load_snapshots(path);
	for (i = 0; i < nr_snapshots; i++) {
		if (snapshots[i].load)
			print_expected(&snapshots[i]);
	}
	return 0;
}

static const char usage[] =
	"usage: mapcheck [-m] [-b] MAPS cpuN.ovk...\n"
	"       mapcheck -p MAPS";

int main(int argc, char **argv)
{
	bool mutate = false, same;
	int option;

	while ((option = getopt(argc, argv, "bmp:")) != -1) {
		switch (option) {
		case 'b':
			by_bpf = true;
			break;
		case 'm':
			mutate = true;
			break;
		case 'p':
			return print_all_expected(optarg);
		default:
			errx(2, "%s", usage);
		}
	}
	argv += optind;
	if (argc - optind < 2)
		errx(2, "%s", usage);
	load_snapshots(argv[0]);
	load_merged(&all, argv + 1);
	same = run(false);
	printf("# %u processes of the load and %u others, %zu mappings compared; %u were changing\n",
	       compared.load, compared.other, compared.ranges, compared.changing);
	if (!same)
		return 1;
	return mutate && !all_noticed();
}
