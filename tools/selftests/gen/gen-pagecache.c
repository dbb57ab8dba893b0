// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-pagecache - write a capture of files whose pages come, go and come again
 *
 *	gen-pagecache DIR [-n STEPS] [-c CPUS] [-s SEED] [-l LOSSES] [-p PAGE] [-m FILES | -u FILES]
 *
 * Folios of all sizes come and go in parts, files are cut, deleted, and made again with the same
 * number. Every record is in a microsecond of its own, in its first tenth. -l: every so many steps
 * records of page_remove are lost. -m: instead, each of so many files loses 16 leaves of 64 pages.
 * -p: of a machine whose pages have so many bytes; all else is the same.
 * -u: instead, each of so many files gets a page, and the last one gets two.
 */
#include <unistd.h>

#include "capgen.h"

#define CPUS_MAX	8
#define THREADS		12
#define FILES		10
#define PAGES		2048
#define PAGE		page_bytes
#define SMALL		4096ULL		/* the least that a page has */

/**
 * struct file - A file.
 * @dev: its device
 * @ino: its number
 * @generation: how often that was used
 * @first: number of the first page that is used
 * @cached: by page
 */
struct file {
	u32 dev;
	u64 ino;
	u32 generation;
	u64 first;
	bool cached[PAGES];
};

static const char * const names[] = {
	"kswapd0", "plain", "two  spaces", "\x1b[31mred", "\xe2\x80\xae_evil", "\"'\\</a>",
};

static struct capgen gen;
static struct file files[FILES];
static u32 running[CPUS_MAX];	/* number of a thread + 1 */
static u64 seed = 1;
static u64 page_bytes = SMALL;
static u64 us;
static u32 cpu;

static u32 draw(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 16) % n;
}

static u64 now(void)
{
	return gen.tsc0 + ++us * 2000 + draw(200);
}

#define RECORD(name)	CAPGEN_RECORD(&gen, cpu, now(), name)

static u32 tid_of(u32 thread)
{
	return 1000 + thread;
}

static void switch_task(void)
{
	u32 next = draw(THREADS + 1), i;

	for (i = 0; i < gen.nr_cpus; i++) {
		if (next && running[i] == next)
			return;
	}
	capgen_switch(&gen, cpu, now(), 1, running[cpu] ? tid_of(running[cpu] - 1) : 0,
		      next ? tid_of(next - 1) : 0);
	running[cpu] = next;
}

static void change(struct file *file, u32 page, u32 order, bool add)
{
	struct ovnik_page_add *rec = add ? RECORD(page_add) : (void *)RECORD(page_remove);
	u32 i;

	rec->order = order;
	rec->dev = file->dev;
	rec->generation = file->generation;
	rec->ino = file->ino;
	rec->offset = (file->first + page) * PAGE;
	rec->pfn = 0x80000 + (file - files) * PAGES + page;
	for (i = 0; i < 1U << order; i++)
		file->cached[page + i] = add;
}

/* Make all of a folio, or nothing. */
static void try(struct file *file, u32 page, u32 order, bool add)
{
	u32 i;

	for (i = 0; i < 1U << order; i++) {
		if (file->cached[page + i] == add)
			return;
	}
	change(file, page, order, add);
}

static void step_page(struct file *file)
{
	u32 order = draw(40) ? draw(7) : 10;
	u32 page = draw(PAGES >> order) << order, i;

	if (draw(2)) {
		try(file, page, order, draw(2));
		return;
	}
	for (i = 0; i < 1U << order && i < 64; i++)
		try(file, page + i, 0, false);
}

static void remove_from(struct file *file, u32 page)
{
	for (; page < PAGES; page++)
		try(file, page, 0, false);
}

static void step_cut(struct file *file)
{
	u32 page = draw(4) ? draw(PAGES) : 0, thread = running[cpu];
	struct ovnik_file_truncate *rec;

	if (!thread)
		return;
	remove_from(file, page);
	/* Of the last page that is left a part is cut off; the first one goes last. */
	if (page)
		try(file, page - 1, 0, false);
	try(file, 0, 0, false);
	rec = RECORD(file_truncate);
	rec->tid = tid_of(thread - 1);
	rec->dev = file->dev;
	rec->ino = file->ino;
	rec->generation = file->generation;
	if (page || file->first)
		rec->length = (file->first + page) * PAGE - draw(SMALL) * (PAGE / SMALL);
	if (page)
		try(file, page - 1, 0, true);
	try(file, PAGES - 1, 0, true);
}

static void open_file(struct file *file)
{
	static const char * const paths[] = {
		"/data/plain", "/data/two  spaces", "/data/\x1b[31m", "/data/\xe2\x80\xae",
		"/data/</script>\"'",
	};
	struct ovnik_file_open *rec = CAPGEN_RECORD_STR(&gen, cpu, now(), file_open, path,
							paths[(file - files) % 5]);

	rec->tid = tid_of(running[cpu] ? running[cpu] - 1 : 0);
	rec->dev = file->dev;
	rec->ino = file->ino;
	rec->generation = file->generation;
}

static void step_delete(struct file *file)
{
	struct ovnik_file_delete *rec;

	remove_from(file, 0);
	/* The capture may lack the family of the event. */
	if (!draw(3)) {
		file->generation++;
		return;
	}
	rec = RECORD(file_delete);
	rec->dev = file->dev;
	rec->ino = file->ino;
	rec->generation = file->generation;
	/* Some file systems do not count. */
	file->generation += draw(2);
}

static void step_read(struct file *file)
{
	u32 thread = running[cpu], page = draw(PAGES / 4) * 4;
	struct ovnik_file_begin *begin;
	struct ovnik_file_read *rec;

	if (!thread)
		return;
	open_file(file);
	begin = RECORD(file_begin);
	begin->op = OVNIK_OP_READ;
	begin->tid = tid_of(thread - 1);
	try(file, page, 2, true);
	rec = RECORD(file_read);
	rec->op = OVNIK_OP_READ;
	rec->tid = tid_of(thread - 1);
	rec->dev = file->dev;
	rec->ino = file->ino;
	rec->generation = file->generation;
	rec->offset = (file->first + page) * PAGE;
	rec->result = draw(4 * SMALL) + 1;
}

static void step(void)
{
	struct file *file = &files[draw(FILES)];
	u32 what = draw(100);

	if (what < 15)
		switch_task();
	else if (what < 80)
		step_page(file);
	else if (what < 98)
		step_read(file);
	else if (draw(3))
		step_cut(file);
	else if (draw(2))
		step_delete(file);
}

static void many(u32 nr)
{
	struct file file = { .dev = 0x801, .generation = 1 };

	for (file.ino = 1; file.ino <= nr; file.ino++) {
		memcpy(&files[0], &file, sizeof(file));
		change(&files[0], 0, 10, false);
		change(&files[0], 0, 10, true);
	}
}

static void one_page_each(u32 nr)
{
	struct file file = { .dev = 0x801, .generation = 1 };

	for (file.ino = 1; file.ino <= nr; file.ino++) {
		memcpy(&files[0], &file, sizeof(file));
		change(&files[0], 0, 0, false);
	}
	if (nr)
		change(&files[0], 1, 0, false);
}

static void begin(void)
{
	u32 i;

	for (i = 0; i < THREADS; i++)
		capgen_dump(&gen, 0, now(), tid_of(i), tid_of(i / 2 * 2), 1, 100 + i / 2,
			    200 + i / 2, names[i / 2]);
	for (i = 0; i < FILES; i++) {
		files[i].dev = 0x800000 + i / 4;
		files[i].ino = 10 + i % 4;
		files[i].first = i % 3 ? 1 : i * 1000003ULL;
	}
}

int main(int argc, char **argv)
{
	u64 i, steps = 20000, losses = 0;
	u32 cpus = 2, nr_files = 0, nr_single = 0;
	int opt;

	while ((opt = getopt(argc, argv, "n:c:s:l:p:m:u:")) != -1) {
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
		case 'l':
			losses = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			page_bytes = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			nr_files = atoi(optarg);
			break;
		case 'u':
			nr_single = atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc || !cpus || cpus > CPUS_MAX || capgen_open(&gen, argv[optind], cpus))
		return 2;
	if (page_bytes != SMALL) {
		gen.machine = "aarch64";
		gen.page_size = page_bytes;
	}
	begin();
	many(nr_files);
	one_page_each(nr_single);
	for (i = 1; i <= steps && !nr_files && !nr_single; i++) {
		cpu = draw(cpus);
		step();
		if (losses && i % losses == 0)
			capgen_lose(&gen, cpu, OVNIK_EV_page_remove, 1 + draw(3));
	}
	capgen_close(&gen);
	return 0;
}
