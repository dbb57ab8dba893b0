// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-memory - write a capture of processes that map, fork, exec and use files
 *
 *	gen-memory DIR [-n STEPS] [-c CPUS] [-s SEED] [-b SUBBUF] [-p PAGE] [-C]
 *
 * Every event of the families mm, cow, pagecache and file occurs, as the module
 * would record it. What is mapped and cached in the end is written to DIR.maps and
 * DIR.pages, in the form of rebuild. -C leaves the CRC out. -p: of a machine whose pages have so
 * many bytes; all else is the same.
 */
#include <unistd.h>

#include "gen-memory/memory.h"

#define PROCS_MAX	40
#define STACK_PAGES	4

struct capgen gen;
u64 now[CPUS_MAX];
u64 seed = 1;
u64 page_bytes = SMALL;
bool cached[FILES][FILE_PAGES];

static struct proc procs[PROCS_MAX];
static struct proc *running[CPUS_MAX];
static u64 next_mm = 100;
static u32 next_tid = 1000;

static struct proc *free_proc(void)
{
	u32 i;

	for (i = 0; i < PROCS_MAX; i++) {
		if (!procs[i].tid)
			return &procs[i];
	}
	return NULL;
}

static u32 living(void)
{
	u32 i, n = 0;

	for (i = 0; i < PROCS_MAX; i++)
		n += procs[i].tid > 0;
	return n;
}

static void new_mm(struct proc *p)
{
	p->mm = next_mm++;
	p->pgd = 0x10000 + p->mm;
}

static void step_fork(u32 cpu, struct proc *p)
{
	struct proc *child = free_proc();
	u32 i;

	if (!child)
		return;
	*child = *p;
	child->on = 0;
	child->tid = next_tid++;
	new_mm(child);
	capgen_fork(&gen, cpu, now[cpu]++, p->tid, p->tid, child->tid, child->tid, "child");
	capgen_mm(&gen, cpu, now[cpu]++, OVNIK_MM_FORK, child->tid, child->tid, child->mm,
		  child->pgd);
	for (i = 0; i < PAGES;) {
		struct ovnik_vma_dup *rec;
		u32 end;

		if (!p->pages[i].mapped) {
			i++;
			continue;
		}
		end = range_end(p, i);
		rec = RECORD(cpu, vma_dup);
		rec->tid = p->tid;
		rec->flags = p->pages[i].flags;
		rec->dev = p->pages[i].dev;
		rec->ino = p->pages[i].ino;
		rec->offset = p->pages[i].offset;
		rec->source_mm = p->mm;
		rec->mm = child->mm;
		rec->start = address(i);
		rec->length = (end - i) * PAGE;
		i = end;
	}
}

static void step_exec(u32 cpu, struct proc *p)
{
	struct proc old = *p;
	u32 i;

	new_mm(p);
	set(p, 0, PAGES, (struct page){ .mapped = false });
	map_anon(cpu, p, PAGES - 1, 1, OVNIK_MAP_STACK);
	for (i = PAGES - 2; i > PAGES - 2 - draw(STACK_PAGES); i--)
		map_anon(cpu, p, i, 1, OVNIK_MAP_GROWTH);
	capgen_mm_exit(&gen, cpu, now[cpu]++, old.mm, old.pgd);
	capgen_mm(&gen, cpu, now[cpu]++, OVNIK_MM_EXEC, p->tid, p->tid, p->mm, p->pgd);
	for (i = 0; i < 4; i++)
		map_file(cpu, p, i * 8, 4);
	capgen_exec(&gen, cpu, now[cpu]++, p->tid, p->tid, "/bin/image");
}

static void step_exit(u32 cpu, struct proc *p)
{
	capgen_mm_exit(&gen, cpu, now[cpu]++, p->mm, p->pgd);
	capgen_exit(&gen, cpu, now[cpu]++, p->tid, p->tid);
	capgen_switch(&gen, cpu, now[cpu]++, OVNIK_STATE_DEAD, p->tid, 0);
	running[cpu] = NULL;
	p->tid = 0;
}

static void step_fault(u32 cpu, struct proc *p)
{
	u32 page = draw(PAGES);
	struct ovnik_page_fault *rec = RECORD(cpu, page_fault);
	struct ovnik_page_fault_end *end;

	rec->error = OVNIK_FAULT_USER | OVNIK_FAULT_WRITE;
	rec->tid = p->tid;
	rec->address = address(page) + draw(SMALL) * (PAGE / SMALL);
	rec->ip = BASE;
	if (p->pages[page].mapped && draw(2)) {
		struct ovnik_cow_break *cow = RECORD(cpu, cow_break);

		cow->kind = OVNIK_COW_ANON;
		cow->tid = p->tid;
		cow->mm = p->mm;
		cow->address = address(page);
	}
	end = RECORD(cpu, page_fault_end);
	end->result = p->pages[page].mapped ? OVNIK_FAULT_MINOR : OVNIK_FAULT_FAILED;
	end->tid = p->tid;
}

static void step_switch(u32 cpu)
{
	struct proc *next = &procs[draw(PROCS_MAX)], *prev = running[cpu];

	if (!next->tid || next->on)
		return;
	if (prev)
		prev->on = 0;
	next->on = cpu + 1;
	running[cpu] = next;
	capgen_switch(&gen, cpu, now[cpu]++, prev ? OVNIK_STATE_INTERRUPTIBLE : 0,
		      prev ? prev->tid : 0, next->tid);
}

static void step(u32 cpu)
{
	struct proc *p = running[cpu];
	u32 what = draw(100);

	if (!p || what < 10)
		step_switch(cpu);
	else if (what < 60)
		step_map(cpu, p);
	else if (what < 64)
		step_fork(cpu, p);
	else if (what < 66)
		step_exec(cpu, p);
	else if (what < 69 && living() > 3)
		step_exit(cpu, p);
	else if (what < 80)
		step_fault(cpu, p);
	else if (what < 90)
		step_page(cpu);
	else
		step_file(cpu, p);
}

/* What existed before: two processes, each with a file, memory and a segment. */
static void dump(struct proc *p)
{
	struct ovnik_dump_mm *mm;
	struct ovnik_dump_file *file;
	u32 i;

	p->tid = next_tid++;
	new_mm(p);
	set(p, 0, 8, (struct page){ .mapped = true, .flags = 5, .dev = DEV, .ino = 1 });
	set(p, 20, 8, (struct page){ .mapped = true, .flags = 3 });
	set(p, 40, 8, (struct page){ .mapped = true, .flags = 11, .dev = SHM_DEV, .ino = 77 });
	capgen_dump(&gen, 0, now[0]++, p->tid, p->tid, 1, p->mm, p->pgd, "before");
	mm = RECORD(0, dump_mm);
	mm->tid = p->tid;
	mm->vmas = 3;
	mm->mm = p->mm;
	mm->pgd = p->pgd;
	for (i = 0; i < 60; i += 20) {
		static const char * const paths[] = { "/data/file 1", "", "/SYSV0001 (deleted)" };
		struct ovnik_dump_vma *rec = RECORD_STR(0, dump_vma, paths[i / 20]);

		rec->tid = p->tid;
		rec->mm = p->mm;
		rec->start = address(i);
		rec->length = 8 * PAGE;
		rec->flags = p->pages[i].flags;
		rec->dev = p->pages[i].dev;
		rec->ino = p->pages[i].ino;
		rec->offset = p->pages[i].offset;
	}
	file = RECORD_STR(0, dump_file, "/etc/before");
	file->tid = p->tid;
	file->dev = DEV;
	file->ino = 44;
	file->fd = 3;
}

static void write_maps(FILE *f)
{
	u32 i, first, end;

	for (i = 0; i < PROCS_MAX; i++) {
		const struct proc *p = &procs[i];

		for (first = 0; p->tid && first < PAGES; first = end) {
			const struct page *page = &p->pages[first];

			end = first + 1;
			if (!page->mapped)
				continue;
			end = range_end(p, first);
			fprintf(f, "%u %llx-%llx %c%c%c%c %llx %x:%x %llu\n", p->tid,
				address(first), address(end), page->flags & 1 ? 'r' : '-',
				page->flags & 2 ? 'w' : '-', page->flags & 4 ? 'x' : '-',
				page->flags & 8 ? 's' : 'p', page->offset,
				OVNIK_DEV_MAJOR(page->dev), OVNIK_DEV_MINOR(page->dev), page->ino);
		}
	}
}

static void write_pages(FILE *f)
{
	u32 file, page;

	for (file = 0; file < FILES; file++) {
		for (page = 0; page < FILE_PAGES; page++) {
			if (cached[file][page])
				fprintf(f, "%u %u\n", file + 1, page);
		}
	}
}

static int write_truth(const char *dir, const char *what, void (*write)(FILE *f))
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s", dir, what);
	f = fopen(path, "w");
	if (!f)
		return 1;
	write(f);
	return fclose(f) ? 1 : 0;
}

static void generate(u64 steps, u32 cpus)
{
	u32 i;

	for (i = 0; i < cpus; i++)
		now[i] = gen.tsc0 + 1000;
	dump(&procs[0]);
	dump(&procs[1]);
	for (i = 0; i < cpus; i++)
		now[i] = now[0];
	while (steps--) {
		u32 cpu = 0;

		for (i = 1; i < cpus; i++) {
			if (now[i] < now[cpu])
				cpu = i;
		}
		/* Nothing of two CPUs at once: the truth is a matter of order. */
		now[cpu] += 10 + draw(500);
		for (i = 0; i < cpus; i++) {
			if (now[cpu] < now[i])
				now[cpu] = now[i];
		}
		now[cpu] += 1;
		step(cpu);
	}
}

static int usage(void)
{
	fprintf(stderr, "usage: gen-memory DIR [-n STEPS] [-c CPUS] [-s SEED] [-b SUBBUF] [-p PAGE] [-C]\n");
	return 2;
}

int main(int argc, char **argv)
{
	u64 steps = 20000;
	u32 cpus = 2, size = 65536;
	bool crc = true;
	int opt;

	if (argc < 2)
		return usage();
	optind = 2;
	while ((opt = getopt(argc, argv, "n:c:s:b:p:C")) != -1) {
		switch (opt) {
		case 'n':
			steps = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			cpus = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0) * 0x9e3779b97f4a7c15ULL + 1;
			break;
		case 'b':
			size = atoi(optarg);
			break;
		case 'p':
			page_bytes = strtoull(optarg, NULL, 0);
			break;
		case 'C':
			crc = false;
			break;
		default:
			return usage();
		}
	}
	if (!cpus || cpus > CPUS_MAX || capgen_open(&gen, argv[1], cpus))
		return usage();
	if (page_bytes != SMALL) {
		gen.machine = "aarch64";
		gen.page_size = page_bytes;
	}
	gen.size = size;
	gen.tsc0 = 1ULL << 40;
	if (!crc)
		gen.flags &= ~OVNIK_SB_CRC;
	generate(steps, cpus);
	capgen_close(&gen);
	return write_truth(argv[1], "maps", write_maps) ||
	       write_truth(argv[1], "pages", write_pages);
}
