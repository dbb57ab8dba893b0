// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-refs KIND NAME - a capture, NAME, and a log of memory references, NAME.refs, with what a
 * guest does seldom: a process whose threads come or go in an order of their own, and damage
 *
 * A reference is a fetch and a load. The process 100 has the threads 100 and 101.
 */
#include <fcntl.h>

#include "capgen.h"
#include "refs/encode.h"

#define DATA	0x10000000UL
#define LINEAR	0xffff888000000000UL
#define PGD	0x1a2b3
#define AT(us)	(1000000000ULL + 2000ULL * (us))

static struct capgen g;
static struct refs_encoder *encoder;
static struct refs_code *code, *kernel_code;
static struct refs_code *executed;	/* one of them */
static u64 words[8];
static u32 nr_words;
static bool begun;

static void put(enum refs_word kind, u64 value)
{
	words[nr_words++] = refs_word(kind, value);
}

static void encode(void)
{
	if (refs_encode(encoder, words, nr_words))
		abort();
	nr_words = 0;
}

/* @frame: that the page has, if it was not used before; otherwise 0 */
static void refer_to(u64 us, u64 pgd, u64 address, u64 shape, u64 frame)
{
	if (!begun)
		put(REFS_WORD_CONTROL, REFS_WORD_START);
	begun = true;
	put(REFS_WORD_CR3, pgd << 12);
	put(REFS_WORD_TSC, AT(us));
	put(REFS_WORD_CODE, (u64)executed);
	if (frame) {
		put(REFS_WORD_PAGE, (address & REFS_WORD_ADDRESS) >> 12);
		words[nr_words++] = frame;
	}
	put(REFS_WORD_ACCESS, (address & REFS_WORD_ADDRESS) | shape << 48);
	encode();
}

static void refer(u64 us, u64 pgd, u64 page)
{
	refer_to(us, pgd, DATA + page * 0x1000, 0, 0);
}

static void map_by(u64 us, u32 tid, u64 mm, u64 start, u64 length)
{
	struct ovnik_mmap_anon *r = CAPGEN_RECORD(&g, 0, AT(us), mmap_anon);

	r->tid = tid;
	r->mm = mm;
	r->start = start;
	r->length = length;
	r->flags = OVNIK_VMA_READ | OVNIK_VMA_WRITE;
}

static void map(u64 us, u64 mm, u64 start, u64 length)
{
	map_by(us, 100, mm, start, length);
}

static void dump(u32 tid, const char *name)
{
	capgen_dump(&g, 0, AT(1), tid, 100, tid - 100, 7, PGD, name);
}

/* No kernel says that an address space gets ranges from itself. */
static void copy_from_itself(void)
{
	struct ovnik_dump_mm *mm = CAPGEN_RECORD(&g, 0, AT(3), dump_mm);
	struct ovnik_vma_dup *r;
	u32 i;

	mm->tid = 100;
	mm->mm = 7;
	mm->pgd = PGD;
	for (i = 0; i < 50; i++)
		map(6, 7, DATA + i * 0x3000, 0x1000);
	r = CAPGEN_RECORD(&g, 0, AT(7), vma_dup);
	r->tid = 100;
	r->source_mm = 7;
	r->mm = 7;
	r->start = DATA + 0x1000;
	r->length = 0x200000;
	r->flags = OVNIK_VMA_READ | OVNIK_VMA_WRITE;
}

/* The first thread ends before the other one. */
static void end_first(void)
{
	refer(5, PGD, 0);
	capgen_exit(&g, 0, AT(10), 100, 100);
	capgen_switch(&g, 0, AT(12), OVNIK_STATE_ZOMBIE, 100, 101);
	refer(15, PGD, 0);
	refer(16, PGD, 1);
}

/* Then that thread executes a program, and so becomes the first. */
static void become_first(void)
{
	capgen_mm(&g, 0, AT(20), OVNIK_MM_EXEC, 101, 100, 8, PGD + 1);
	capgen_exec(&g, 0, AT(21), 100, 101, "/bin/new")->mm = 8;
	map(22, 8, DATA, 0x10000);
	refer(25, PGD + 1, 0);
}

/* The number is given again. */
static void come_again(void)
{
	capgen_exit(&g, 0, AT(17), 101, 100);
	capgen_switch(&g, 0, AT(18), OVNIK_STATE_DEAD, 101, 0);
	capgen_fork(&g, 0, AT(19), 1, 1, 100, 100, "other");
	capgen_switch(&g, 0, AT(20), 0, 0, 100);
	refer(21, PGD, 3);
}

/* By the kernel's own mapping of it. */
static void refer_to_frame(u64 us, u64 frame, u64 shape)
{
	refer_to(us, PGD, LINEAR + frame * 0x1000, shape, frame);
}

static void unmap(u64 us, u64 nr)
{
	struct ovnik_munmap *r = CAPGEN_RECORD(&g, 0, AT(us), munmap);

	r->tid = 100;
	r->mm = 7;
	r->start = DATA + nr * 0x1000;
	r->length = 0x1000;
}

/*
 * The kernel clears a frame; a process stores to it and gives it up. Then the frame is another
 * page, which is copied, too: by its linear mapping, and by the process.
 */
static void use_frames(void)
{
	const u64 frame = 0x1234;

	refer_to_frame(5, 1, 0);
	refer_to_frame(6, 2, 0);
	refer_to_frame(10, frame, REFS_SHAPE_STORE);
	refer_to(11, PGD, DATA + 5 * 0x1000, REFS_SHAPE_STORE, frame);
	refer_to_frame(12, frame, 0);
	unmap(13, 5);
	refer_to_frame(14, frame, REFS_SHAPE_STORE);
	refer_to(15, PGD, DATA + 6 * 0x1000, REFS_SHAPE_STORE, frame);
	refer_to_frame(16, frame, 0);
	/* Only loaded: it may be the page of zeroes. */
	refer_to_frame(17, frame + 1, REFS_SHAPE_STORE);
	refer_to(18, PGD, DATA + 7 * 0x1000, 0, frame + 1);
}

/* A record with more lines than a buffer has: of all that the new address space has already. */
static void execute_crowd(void)
{
	u64 i;

	for (i = 0; i < 9000; i++)
		map_by(4, 0, 8, DATA + i * 0x3000, 0x1000);
	capgen_mm(&g, 0, AT(20), OVNIK_MM_EXEC, 100, 100, 8, PGD);
}

/* Loads: half before a border, up to one, and of 32 bytes with a border in the second 8. */
static void cross_borders(void)
{
	refer_to(5, PGD, DATA + 2 * 0x1000 - 4, 3, 0);
	refer_to(6, PGD, DATA + 5 * 0x1000 - 8, 3, 0);
	refer_to(7, PGD, DATA + 7 * 0x1000 - 12, 5, 0);
}

/* The kernel stores for the process, and once more while nobody runs. */
static void store_by_kernel(void)
{
	executed = kernel_code;
	refer_to(5, PGD, DATA + 3 * 0x1000, REFS_SHAPE_STORE, 0);
	executed = code;
	refer(10, PGD, 3);
	capgen_switch(&g, 0, AT(20), 1, 100, 0);
	executed = kernel_code;
	refer_to(25, PGD, DATA + 4 * 0x1000, REFS_SHAPE_STORE, 0);
	executed = code;
	capgen_switch(&g, 0, AT(30), 0, 0, 100);
}

static struct refs_code *make_code(u64 address)
{
	struct refs_code *new = calloc(1, sizeof(*new) + 1);

	if (!new)
		abort();
	new->address = address;
	new->now = address;
	new->nr = 1;
	new->lengths[0] = 3;
	return new;
}

static void make(const char *kind)
{
	bool late = !strcmp(kind, "late");

	g.cpus[0].running = 100;
	if (!strcmp(kind, "early")) {
		g.cpus[0].running = 101;
		capgen_switch(&g, 0, AT(0), 1, 1, 101);
		refer(0, PGD, 0);
	}
	if (!late)
		dump(100, "app");
	dump(101, "worker");
	if (late)
		dump(100, "app");
	map(2, 7, DATA, 0x10000);
	map(2, 7, code->address, 0x1000);
	if (!strcmp(kind, "name"))
		capgen_comm(&g, 0, AT(3), 100, 100, "=1\",\n=1+1\xff\x1b");
	if (!strcmp(kind, "crowd"))
		execute_crowd();
	if (!strcmp(kind, "self"))
		copy_from_itself();
	if (!strcmp(kind, "none"))
		capgen_mm(&g, 0, AT(3), OVNIK_MM_FORK, 101, 100, 0, 0);
	if (!strcmp(kind, "frames"))
		use_frames();
	if (!strcmp(kind, "border"))
		cross_borders();
	if (!strcmp(kind, "kernel"))
		store_by_kernel();
	if (!strcmp(kind, "leader") || !strcmp(kind, "exec") || !strcmp(kind, "again"))
		end_first();
	if (!strcmp(kind, "exec"))
		become_first();
	if (!strcmp(kind, "again"))
		come_again();
	refer(50, !strcmp(kind, "exec") ? PGD + 1 : PGD, 2);
	if (!strcmp(kind, "last"))
		refer(60, PGD, 3);
}

int main(int argc, char **argv)
{
	char path[4096];
	int fd;

	if (argc != 3)
		return 2;
	snprintf(path, sizeof(path), "%s.refs", argv[2]);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	encoder = refs_encoder_open(fd, 0, 1);
	if (fd < 0 || !encoder)
		return 1;
	code = make_code(0x401000);
	kernel_code = make_code(0xffffffff81000000UL);
	executed = code;
	capgen_open(&g, argv[2], 1);
	make(argv[1]);
	put(REFS_WORD_CONTROL, REFS_WORD_STOP);
	encode();
	/* The end of a capture is its last record. */
	if (!strcmp(argv[1], "last"))
		map(60, 7, DATA + 0x20000, 0x1000);
	else
		capgen_switch(&g, 0, AT(60), 1, g.cpus[0].running, 0);
	g.stop = AT(60);
	capgen_close(&g);
	return refs_encoder_close(encoder) != 0;
}
