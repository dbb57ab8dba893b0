// SPDX-License-Identifier: GPL-2.0-only
/* The mappings that mapload saved, and their comparison with ours. */

#include <limits.h>

#include "mapcheck.h"

#define COMPARED_FLAGS	(OVNIK_VMA_READ | OVNIK_VMA_WRITE | OVNIK_VMA_EXEC | OVNIK_VMA_SHARED)
#define HISTORY		12	/* records shown with a difference */

struct snapshot *snapshots;
size_t nr_snapshots;
struct events all;

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

void load_snapshots(const char *path)
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

bool next_flat(const struct space *space, size_t *at, struct range *flat)
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

bool extent_of(const struct event *event, __u64 *start, __u64 *end)
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

/* What happened at that place last, to find the cause. */
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

bool same_space(const struct space *ours, const struct snapshot *shot, __u64 mm, bool quiet)
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
