// SPDX-License-Identifier: GPL-2.0-only
/* Processes map and unmap. */
#include "memory.h"

u32 draw(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? (seed >> 16) % n : 0;
}

u64 address(u32 page)
{
	return BASE + page * PAGE;
}

const char *path_of(u64 ino)
{
	static char path[32];

	snprintf(path, sizeof(path), "/data/file %llu", ino);
	return path;
}

static bool goes_on(const struct page *a, const struct page *b)
{
	return a->mapped && b->mapped && a->flags == b->flags && a->dev == b->dev &&
	       a->ino == b->ino && (!a->ino || a->offset + PAGE == b->offset);
}

u32 range_end(const struct proc *p, u32 first)
{
	u32 i = first;

	while (i + 1 < PAGES && goes_on(&p->pages[i], &p->pages[i + 1]))
		i++;
	return i + 1;
}

void set(struct proc *p, u32 first, u32 nr, struct page what)
{
	u32 i;

	for (i = first; i < first + nr; i++) {
		p->pages[i] = what;
		if (what.ino)
			what.offset += PAGE;
	}
}

static bool any_mapped(const struct proc *p, u32 first, u32 nr)
{
	u32 i;

	for (i = first; i < first + nr; i++) {
		if (p->pages[i].mapped)
			return true;
	}
	return false;
}

static void unmap(u32 cpu, struct proc *p, u32 first, u32 nr)
{
	struct ovnik_munmap *rec;

	if (!any_mapped(p, first, nr))
		return;
	rec = RECORD(cpu, munmap);
	rec->tid = p->tid;
	rec->mm = p->mm;
	rec->start = address(first);
	rec->length = nr * PAGE;
	set(p, first, nr, (struct page){ .mapped = false });
}

void map_file(u32 cpu, struct proc *p, u32 first, u32 nr)
{
	struct page what = {
		.mapped = true, .flags = 1 + draw(7), .dev = DEV, .ino = 1 + draw(FILES),
		.offset = draw(FILE_PAGES) * PAGE,
	};
	struct ovnik_mmap_file *rec = RECORD_STR(cpu, mmap_file, path_of(what.ino));

	rec->tid = p->tid;
	rec->mm = p->mm;
	rec->start = address(first);
	rec->length = nr * PAGE;
	rec->flags = what.flags;
	rec->dev = what.dev;
	rec->ino = what.ino;
	rec->offset = what.offset;
	set(p, first, nr, what);
}

void map_anon(u32 cpu, struct proc *p, u32 first, u32 nr, u16 kind)
{
	struct page what = { .mapped = true, .flags = kind == OVNIK_MAP_BRK ? 3 : 1 + draw(7) };
	struct ovnik_mmap_anon *rec = RECORD(cpu, mmap_anon);

	rec->kind = kind;
	rec->tid = p->tid;
	rec->mm = p->mm;
	rec->start = address(first);
	rec->length = nr * PAGE;
	rec->flags = what.flags;
	set(p, first, nr, what);
}

static void map_shm(u32 cpu, struct proc *p, u32 first, u32 nr)
{
	struct page what = {
		.mapped = true, .flags = 3 | OVNIK_VMA_SHARED, .dev = SHM_DEV, .ino = 500 + draw(9),
	};
	struct ovnik_shm_attach *rec = RECORD(cpu, shm_attach);

	rec->tid = p->tid;
	rec->mm = p->mm;
	rec->start = address(first);
	rec->length = nr * PAGE;
	rec->flags = what.flags;
	rec->shmid = what.ino;
	rec->dev = what.dev;
	set(p, first, nr, what);
}

/* The kernel says what it does a mapping at a time. */
static void protect(u32 cpu, struct proc *p, u32 first, u32 nr)
{
	u32 flags = 1 + draw(7), i = first, end, j;

	while (i < first + nr) {
		struct ovnik_mprotect *rec;

		if (!p->pages[i].mapped)
			return;
		end = range_end(p, i);
		if (end > first + nr)
			end = first + nr;
		rec = RECORD(cpu, mprotect);
		rec->tid = p->tid;
		rec->mm = p->mm;
		rec->start = address(i);
		rec->length = (end - i) * PAGE;
		rec->flags = flags | (p->pages[i].flags & ~7U);
		for (j = i; j < end; j++)
			p->pages[j].flags = flags | (p->pages[j].flags & ~7U);
		i = end;
	}
}

static void remap(u32 cpu, struct proc *p, u32 from, u32 to, u32 nr)
{
	u32 old_nr = range_end(p, from) - from;
	struct page what = p->pages[from];
	struct ovnik_mremap *rec;

	if (!what.mapped || what.dev == SHM_DEV || nr < old_nr || to + nr > PAGES)
		return;
	if (to != from)
		unmap(cpu, p, from, old_nr);
	unmap(cpu, p, to == from ? from + old_nr : to, to == from ? nr - old_nr : nr);
	rec = RECORD_STR(cpu, mremap, what.ino ? path_of(what.ino) : "");
	rec->tid = p->tid;
	rec->mm = p->mm;
	rec->old_start = address(from);
	rec->old_length = old_nr * PAGE;
	rec->start = address(to);
	rec->length = nr * PAGE;
	rec->flags = what.flags;
	rec->dev = what.dev;
	rec->ino = what.ino;
	rec->offset = what.offset;
	set(p, to, nr, what);
}

void step_map(u32 cpu, struct proc *p)
{
	u32 first = draw(PAGES), nr = 1 + draw(16), what = draw(16);

	if (nr > PAGES - first)
		nr = PAGES - first;
	if (what >= 10 && what < 13) {
		protect(cpu, p, first, nr);
		return;
	}
	if (what == 13) {
		remap(cpu, p, first, draw(2) ? first : draw(PAGES), 1 + draw(24));
		return;
	}
	if (what == 14) {
		struct ovnik_madvise_dontneed *rec = RECORD(cpu, madvise_dontneed);

		rec->tid = p->tid;
		rec->mm = p->mm;
		rec->start = address(first);
		rec->length = nr * PAGE;
		return;
	}
	unmap(cpu, p, first, nr);
	if (what < 3)
		map_file(cpu, p, first, nr);
	else if (what < 6)
		map_anon(cpu, p, first, nr, OVNIK_MAP_MMAP);
	else if (what == 6)
		map_anon(cpu, p, first, nr, OVNIK_MAP_BRK);
	else if (what == 7)
		map_shm(cpu, p, first, nr);
}
