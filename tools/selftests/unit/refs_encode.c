// SPDX-License-Identifier: GPL-2.0-only
/* What a guest did, as words, comes out of the file as references; damage does not. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/crc.h"
#include "refs/block.h"
#include "refs/encode.h"
#include "refs/read.h"
#include "util/msg.h"
#include "kselftest_harness.h"

#define BASE	0x401000UL
#define KERNEL	0xffffffff81000000UL

/* What has come out. */
static struct refs_ref got[4096];
static u32 nr_got;
static struct refs_page pages[16];
static u32 nr_pages;

static u64 words[4096];
static u32 nr_words;

static struct refs_code *make_code(u64 address, u32 nr, u8 length)
{
	struct refs_code *code = calloc(1, sizeof(*code) + nr);

	code->address = address;
	code->now = address;
	code->nr = nr;
	memset(code->lengths, length, nr);
	return code;
}

static void put(enum refs_word kind, u64 value)
{
	words[nr_words++] = refs_word(kind, value);
}

/* @done: index of the last instruction that the code before has begun */
static void enter(const struct refs_code *code, u64 done)
{
	put(REFS_WORD_CODE, (u64)code | done << REFS_WORD_INDEX);
}

static void access_memory(u64 address, u64 insn, u64 shape)
{
	put(REFS_WORD_ACCESS, (address & REFS_WORD_ADDRESS) |
	    (shape | insn << REFS_SHAPE_INSN) << 48);
}

static void begin(u64 tsc)
{
	nr_words = 0;
	put(REFS_WORD_CONTROL, REFS_WORD_START);
	put(REFS_WORD_CR3, 0x5000);
	put(REFS_WORD_TSC, tsc);
}

static void end(u64 done)
{
	put(REFS_WORD_CONTROL, REFS_WORD_STOP | done << REFS_WORD_INDEX);
}

static int make_file(u32 options, u32 every)
{
	int fd = memfd_create("refs", 0);
	struct refs_encoder *e = refs_encoder_open(fd, options, every);

	if (!e || refs_encode(e, words, nr_words) || refs_encoder_close(e))
		abort();
	return fd;
}

static void take(const struct refs_ref *ref, void *data)
{
	(void)data;
	if (nr_got < ARRAY_SIZE(got))
		got[nr_got++] = *ref;
}

static void take_page(const struct refs_page *page, void *data)
{
	(void)data;
	if (nr_pages < ARRAY_SIZE(pages))
		pages[nr_pages++] = *page;
}

/* Returns 0, or what is wrong with the file. */
static int read_file(int fd)
{
	const struct refs_sink sink = { .ref = take, .page = take_page };
	struct refs_reader r;
	char path[32];
	int ret;

	nr_got = 0;
	nr_pages = 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = refs_open(&r, path);
	while (!ret && (ret = refs_next(&r)) > 0) {
		ret = refs_load(&r);
		if (ret > 0)
			ret = refs_expand(&r, &sink);
		ret = ret < 0 ? ret : 0;
	}
	refs_close(&r);
	return ret ? ret : r.damage;
}

static void read_whole(struct __test_metadata *_metadata, u32 options)
{
	int fd = make_file(options, 1);

	EXPECT_EQ(0, read_file(fd));
	close(fd);
}

#define EXPECT_REF(i, k, t, a, l) do { \
	EXPECT_EQ(k, got[i].kind); \
	EXPECT_EQ(t, got[i].time); \
	EXPECT_EQ(a, got[i].address); \
	EXPECT_EQ(l, got[i].length); \
} while (0)

/* Two instructions, of which the second loads; then the same again, elsewhere. */
TEST(runs)
{
	struct refs_code *code = make_code(BASE, 2, 3);
	unsigned int i;

	begin(1000);
	for (i = 0; i < 3; i++) {
		enter(code, 1);
		access_memory(0x7fff0000UL + 8 * i, 1, 3);
	}
	end(1);
	read_whole(_metadata, 0);
	ASSERT_EQ(9, nr_got);
	for (i = 0; i < 3; i++) {
		EXPECT_REF(3 * i, REFS_FETCH, 1000 + 2 * i, BASE, 3);
		EXPECT_REF(3 * i + 1, REFS_FETCH, 1001 + 2 * i, BASE + 3, 3);
		EXPECT_REF(3 * i + 2, REFS_LOAD, 1001 + 2 * i, 0x7fff0000UL + 8 * i, 8);
		EXPECT_EQ(0x5000, got[3 * i].cr3);
	}
	free(code);
}

/* An instruction that faults is begun, but takes no time; it is begun again behind the handler. */
TEST(faults)
{
	struct refs_code *code = make_code(BASE, 3, 2), *handler = make_code(KERNEL, 1, 4);
	struct refs_code *rest = make_code(BASE + 2, 2, 2);

	begin(0x100);
	enter(code, 0);
	enter(handler, 1);
	enter(rest, 0);
	access_memory(0x5000, 0, 0 | REFS_SHAPE_STORE);
	put(REFS_WORD_TSC, 0x200);
	enter(code, 1);
	end(2);
	read_whole(_metadata, 0);
	ASSERT_EQ(9, nr_got);
	EXPECT_REF(0, REFS_FETCH, 0x100, BASE, 2);
	EXPECT_REF(1, REFS_FETCH, 0x101, BASE + 2, 2);
	EXPECT_REF(2, REFS_FETCH, 0x101, KERNEL, 4);
	EXPECT_REF(3, REFS_FETCH, 0x102, BASE + 2, 2);
	EXPECT_REF(4, REFS_STORE, 0x102, 0x5000, 1);
	EXPECT_REF(5, REFS_FETCH, 0x103, BASE + 4, 2);
	EXPECT_REF(6, REFS_FETCH, 0x200, BASE, 2);
	free(code);
	free(handler);
	free(rest);
}

/* The emulator executes an instruction alone that accesses a device: an interrupt follows. */
TEST(interrupt_behind_a_device)
{
	struct refs_code *code = make_code(KERNEL, 3, 2), *handler = make_code(KERNEL + 64, 1, 4);
	struct refs_code *rest = make_code(KERNEL + 4, 1, 2);

	begin(0x100);
	enter(code, 0);
	access_memory(0x5000, 1, 2 | REFS_SHAPE_STORE);
	enter(handler, 1 | REFS_WORD_ENDED >> REFS_WORD_INDEX);
	enter(rest, 0);
	end(0);
	read_whole(_metadata, 0);
	ASSERT_EQ(5, nr_got);
	EXPECT_REF(1, REFS_FETCH, 0x101, KERNEL + 2, 2);
	EXPECT_REF(2, REFS_STORE, 0x101, 0x5000, 4);
	EXPECT_REF(3, REFS_FETCH, 0x102, KERNEL + 64, 4);
	EXPECT_REF(4, REFS_FETCH, 0x103, KERNEL + 4, 2);
	free(code);
	free(handler);
	free(rest);
}

/* What other processes do is left out. Its time passes, and its pages are used later, too. */
TEST(tree)
{
	struct refs_code *code = make_code(BASE, 2, 3), *other = make_code(KERNEL, 3, 2);

	begin(1000);
	put(REFS_WORD_CONTROL, REFS_WORD_OUT);
	enter(other, 0);
	enter(code, 2);
	put(REFS_WORD_PAGE, 0x7fff0);
	words[nr_words++] = 0x123;
	access_memory(0x7fff0000UL, 1, 3);
	put(REFS_WORD_CONTROL, REFS_WORD_IN);
	enter(code, 1);
	access_memory(0x7fff0000UL, 1, 3);
	put(REFS_WORD_CONTROL, REFS_WORD_OUT);
	enter(other, 1);
	end(2);
	/* Switched on again, all is logged. */
	put(REFS_WORD_CONTROL, REFS_WORD_START);
	put(REFS_WORD_TSC, 2000);
	enter(code, 0);
	access_memory(0x7fff0000UL, 1, 3);
	end(1);
	read_whole(_metadata, 0);
	ASSERT_EQ(6, nr_got);
	EXPECT_REF(0, REFS_FETCH, 1005, BASE, 3);
	EXPECT_REF(2, REFS_LOAD, 1006, 0x7fff0000UL, 8);
	EXPECT_REF(3, REFS_FETCH, 2000, BASE, 3);
	EXPECT_EQ(1, nr_pages);
	free(code);
	free(other);
}

/* The emulator executes an instruction alone, because it accesses a device: it has ended. */
TEST(device)
{
	struct refs_code *code = make_code(KERNEL, 3, 2), *rest = make_code(KERNEL + 4, 1, 2);

	begin(0x100);
	enter(code, 0);
	access_memory(KERNEL + 0x1000, 1, 2 | REFS_SHAPE_STORE);
	enter(rest, 1);
	end(0);
	read_whole(_metadata, 0);
	ASSERT_EQ(4, nr_got);
	EXPECT_REF(2, REFS_STORE, 0x101, KERNEL + 0x1000, 4);
	EXPECT_REF(3, REFS_FETCH, 0x102, KERNEL + 4, 2);
	free(code);
	free(rest);
}

/* A halt is no drift, also where the block is full before the guest reads its TSC. */
TEST(halt_in_a_full_block)
{
	struct refs_code *code = make_code(KERNEL, 1, 1);
	struct refs_reader r = { 0 };
	struct refs_encoder *e;
	int fd = memfd_create("refs", 0);
	char path[32];
	u64 i, k;

	e = refs_encoder_open(fd, 0, 1);
	ASSERT_TRUE(e);
	begin(1000);
	enter(code, 0);
	put(REFS_WORD_CONTROL, REFS_WORD_HALT);
	/* 6.2 MiB of addresses, 7 bytes each. */
	for (i = 0; i < 310; i++) {
		enter(code, 0);
		for (k = 0; k < 3000; k++)
			access_memory(k << 46 | (i & 1) << 45, 0, 3 | REFS_SHAPE_STORE);
		ASSERT_EQ(0, refs_encode(e, words, nr_words));
		nr_words = 0;
	}
	put(REFS_WORD_TSC, 100000);
	enter(code, 0);
	end(0);
	ASSERT_EQ(0, refs_encode(e, words, nr_words));
	ASSERT_EQ(0, refs_encoder_close(e));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_EQ(0, refs_open(&r, path));
	ASSERT_EQ(1, refs_next(&r));
	EXPECT_EQ(0, r.block.drift);
	/* The end has the sum. */
	while (refs_next(&r) > 0)
		EXPECT_EQ(0, r.block.drift);
	refs_close(&r);
	close(fd);
	free(code);
}

/* What the guest reads from its TSC behind a halt is no drift; otherwise it is. */
TEST(drift)
{
	struct refs_code *code = make_code(BASE, 1, 1);
	struct refs_reader r;
	char path[32];
	int fd;

	begin(10);
	enter(code, 0);
	put(REFS_WORD_CONTROL, REFS_WORD_HALT);
	enter(code, 0);
	put(REFS_WORD_TSC, 1012);
	enter(code, 0);
	put(REFS_WORD_TSC, 1020);
	enter(code, 0);
	end(0);
	fd = make_file(0, 1);
	EXPECT_EQ(0, read_file(fd));
	ASSERT_EQ(4, nr_got);
	EXPECT_EQ(10, got[0].time);
	EXPECT_EQ(1011, got[1].time);
	EXPECT_EQ(1012, got[2].time);
	EXPECT_EQ(1020, got[3].time);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_EQ(0, refs_open(&r, path));
	ASSERT_EQ(1, refs_next(&r));
	EXPECT_EQ(7, r.block.drift);
	refs_close(&r);
	close(fd);
	free(code);
}

/* Its blocks say where: in none of them time goes back. */
TEST(time_goes_back)
{
	static const u64 begins[] = { 1000, 500, 700 };
	struct refs_code *code = make_code(BASE, 1, 1);
	struct refs_reader r;
	char path[32];
	unsigned int i;
	int fd;

	begin(1000);
	enter(code, 0);
	put(REFS_WORD_TSC, 500);
	enter(code, 0);
	put(REFS_WORD_SKIP, 299);
	enter(code, 0);
	put(REFS_WORD_CONTROL, REFS_WORD_HALT);
	enter(code, 0);
	put(REFS_WORD_TSC, 700);
	enter(code, 0);
	end(0);
	fd = make_file(0, 1);
	EXPECT_EQ(0, read_file(fd));
	ASSERT_EQ(5, nr_got);
	EXPECT_EQ(1000, got[0].time);
	EXPECT_EQ(500, got[1].time);
	EXPECT_EQ(800, got[2].time);
	EXPECT_EQ(801, got[3].time);
	EXPECT_EQ(700, got[4].time);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_EQ(0, refs_open(&r, path));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(1, refs_next(&r));
		EXPECT_EQ(begins[i], r.block.begin);
		EXPECT_LT(r.block.begin, r.block.end);
	}
	EXPECT_EQ(0, refs_next(&r));
	EXPECT_EQ(501 + 102, r.block.drift);
	refs_close(&r);
	close(fd);
	free(code);
}

/* A fetch of no bytes is none. */
TEST(no_bytes)
{
	struct refs_code *code = make_code(BASE, 1, 0);
	int fd;

	begin(10);
	enter(code, 0);
	access_memory(0x5000, 0, 0);
	end(0);
	fd = make_file(0, 1);
	EXPECT_EQ(-EINVAL, read_file(fd));
	EXPECT_EQ(0, nr_got);
	close(fd);
	/* It belongs to the file before. */
	code->last = NULL;
	fd = make_file(REFS_NO_FETCHES, 1);
	EXPECT_EQ(0, read_file(fd));
	EXPECT_EQ(1, nr_got);
	close(fd);
	free(code);
}

TEST(pages_and_spaces)
{
	struct refs_code *code = make_code(BASE, 1, 1);

	begin(10);
	enter(code, 0);
	put(REFS_WORD_PAGE, 0x7fff1);
	words[nr_words++] = 0x1234;
	access_memory(0x7fff1008, 0, 3);
	put(REFS_WORD_CR3, 0x6000);
	enter(code, 0);
	put(REFS_WORD_PAGE, 0x7fff0);
	words[nr_words++] = 0x1200;
	end(0);
	read_whole(_metadata, 0);
	ASSERT_EQ(2, nr_pages);
	EXPECT_EQ(0x7fff1, pages[0].page);
	EXPECT_EQ(0x1234, pages[0].frame);
	EXPECT_EQ(0x5000, pages[0].cr3);
	EXPECT_EQ(0x7fff0, pages[1].page);
	EXPECT_EQ(0x1200, pages[1].frame);
	EXPECT_EQ(0x6000, pages[1].cr3);
	free(code);
}

/* Code of the kernel is left out; its time is not. */
TEST(user_only)
{
	struct refs_code *user = make_code(BASE, 1, 1), *kernel = make_code(KERNEL, 5, 1);

	begin(100);
	enter(user, 0);
	enter(kernel, 0);
	enter(user, 4);
	end(0);
	read_whole(_metadata, REFS_NO_KERNEL);
	ASSERT_EQ(2, nr_got);
	EXPECT_REF(0, REFS_FETCH, 100, BASE, 1);
	EXPECT_REF(1, REFS_FETCH, 106, BASE, 1);
	free(user);
	free(kernel);
}

/* The same code in a later block: what the encoder knew of it is gone. */
TEST(blocks)
{
	struct refs_code *code = make_code(BASE, 1, 1);
	struct refs_encoder *e;
	unsigned int i;
	int fd = memfd_create("refs", 0);

	begin(5);
	e = refs_encoder_open(fd, 0, 1);
	ASSERT_NE(NULL, e);
	for (i = 0; i < 200; i++) {
		enter(code, 0);
		access_memory(0x5000 + i * i * 4096, 0, i % 4);
		end(0);
		ASSERT_EQ(0, refs_encode(e, words, nr_words));
		begin(1000 * (i + 1));
	}
	ASSERT_EQ(0, refs_encoder_close(e));
	EXPECT_EQ(0, read_file(fd));
	ASSERT_EQ(400, nr_got);
	for (i = 0; i < 200; i++)
		EXPECT_REF(2 * i + 1, REFS_LOAD, i ? 1000 * i : 5, 0x5000 + i * i * 4096,
			   1U << i % 4);
	close(fd);
	free(code);
}

/* A file with three blocks; returns its bytes. */
static size_t make_three(u8 *file, size_t room)
{
	struct refs_code *code = make_code(BASE, 2, 2);
	unsigned int i;
	size_t len;
	int fd;

	begin(50);
	for (i = 0; i < 3; i++) {
		enter(code, 1);
		access_memory(0x1000 + i, 0, 0);
		end(1);
		put(REFS_WORD_CONTROL, REFS_WORD_START);
		put(REFS_WORD_TSC, 100 * (i + 1));
	}
	fd = make_file(0, 1);
	len = (size_t)pread(fd, file, room, 0);
	close(fd);
	free(code);
	return len;
}

static int read_bytes(const u8 *file, size_t len)
{
	int fd = memfd_create("refs", 0);
	int ret;

	if (pwrite(fd, file, len, 0) != (ssize_t)len)
		abort();
	ret = read_file(fd);
	close(fd);
	return ret;
}

/* Is each block that came out one that was written? */
static bool is_subset(void)
{
	u32 i;

	if (nr_got % 3)
		return false;
	for (i = 0; i < nr_got; i += 3)
		if (got[i].kind != REFS_FETCH || got[i].address != BASE ||
		    got[i + 1].kind != REFS_LOAD || got[i + 1].address - 0x1000 > 2)
			return false;
	return true;
}

TEST(more_behind_the_end)
{
	u8 file[4096];
	size_t len = make_three(file, sizeof(file) - 1);

	if (freopen("/dev/null", "w", stderr) != stderr)
		abort();
	file[len] = 0;
	EXPECT_NE(0, read_bytes(file, len + 1));
	EXPECT_EQ(9, nr_got);
}

/* Return: 1 if the reader takes this header for that of a block, 0 if it reports damage. */
static int takes(struct refs_block *block)
{
	struct refs_reader r;
	char path[32];
	int ret, fd = make_file(0, 1);

	block->crc = capture_crc(0, (const u8 *)block, offsetof(struct refs_block, crc));
	if (ftruncate(fd, sizeof(struct refs_file)) ||
	    pwrite(fd, block, sizeof(*block), sizeof(struct refs_file)) != sizeof(*block))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = refs_open(&r, path) ?: refs_next(&r);
	if (!ret != (r.damage == -EINVAL))
		ret = -EPROTO;
	refs_close(&r);
	close(fd);
	return ret;
}

TEST(as_large_as_may_be)
{
	struct refs_block block = { .magic = REFS_BLOCK_MAGIC, .stored = REFS_STORED_MAX };
	unsigned int i;

	for (i = 0; i < REFS_NR_KINDS; i++)
		block.refs[i] = REFS_BLOCK_MAX;
	for (i = 0; i < REFS_NR_STREAMS; i++)
		block.streams[i] = REFS_STREAM_MAX;
	EXPECT_EQ(1, takes(&block));
	if (freopen("/dev/null", "w", stderr) != stderr)
		abort();
	block.stored++;
	EXPECT_EQ(0, takes(&block));
	block.stored--;
	for (i = 0; i < REFS_NR_KINDS; i++) {
		block.refs[i]++;
		EXPECT_EQ(0, takes(&block));
		block.refs[i]--;
	}
	for (i = 0; i < REFS_NR_STREAMS; i++) {
		block.streams[i]++;
		EXPECT_EQ(0, takes(&block));
		block.streams[i]--;
	}
	EXPECT_EQ(1, takes(&block));
}

/* All that is there is sound. */
TEST(no_second_block)
{
	u8 file[4096];
	size_t len = make_three(file, sizeof(file)), at = sizeof(struct refs_file), second;
	struct refs_block block;

	memcpy(&block, file + at, sizeof(block));
	at += sizeof(block) + block.stored;
	memcpy(&block, file + at, sizeof(block));
	second = sizeof(block) + block.stored;
	memmove(file + at, file + at + second, len - at - second);
	if (freopen("/dev/null", "w", stderr) != stderr)
		abort();
	EXPECT_NE(0, read_bytes(file, len - second));
	EXPECT_EQ(6, nr_got);
}

/* The guest chooses what its registers have: it is no other kind of word. */
TEST(values_of_the_guest)
{
	struct refs_code *code = make_code(BASE, 1, 1);

	begin(10);
	enter(code, 0);
	put(REFS_WORD_TSC, (u64)REFS_WORD_CONTROL << REFS_WORD_SHIFT | REFS_WORD_STOP);
	enter(code, 0);
	put(REFS_WORD_CR3, (u64)REFS_WORD_PAGE << REFS_WORD_SHIFT);
	enter(code, 0);
	end(0);
	read_whole(_metadata, 0);
	EXPECT_EQ(3, nr_got);
	free(code);
}

/* An index that the code does not have is not read from behind it. */
TEST(index_behind_the_code)
{
	struct refs_code *code = make_code(BASE, 1, 1);
	int fd = memfd_create("refs", 0);
	struct refs_encoder *e = refs_encoder_open(fd, 0, 1);

	begin(10);
	enter(code, 0);
	end(5);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(-EPROTO, refs_encode(e, words, nr_words));
	EXPECT_EQ(-EPROTO, refs_encoder_close(e));
	close(fd);
	free(code);
}

static void put_to(struct refs_blocks *b, enum refs_stream stream, u64 value)
{
	struct refs_out *out = &b->out[stream];

	out->len = (u32)(refs_put(out->data + out->len, value) - out->data);
}

/* A file with sound sums: one template, then a jump to that number. Returns as read_file(). */
static int read_jump(u64 number)
{
	int ret, fd = memfd_create("refs", 0);
	struct refs_blocks b;

	if (refs_blocks_open(&b, fd, 0, 1))
		abort();
	put_to(&b, REFS_OPS, REFS_NEW);
	put_to(&b, REFS_TEMPLATES, BASE);
	put_to(&b, REFS_TEMPLATES, 1 << 1);
	put_to(&b, REFS_TEMPLATES, 3);
	put_to(&b, REFS_TEMPLATES, 0);
	put_to(&b, REFS_OPS, number << 2 | REFS_JUMP);
	/* As many as there are if the jump to a template that is not there does nothing. */
	b.head.refs[REFS_FETCH] = number ? 1 : 2;
	refs_blocks_end(&b, 2, 0x5000, 0);
	if (refs_blocks_close(&b))
		abort();
	ret = read_file(fd);
	close(fd);
	return ret;
}

/* Likewise, one template with so many instructions and loads, which is executed. */
static int read_template(u32 insns, u32 accesses)
{
	int ret, fd = memfd_create("refs", 0);
	struct refs_blocks b;
	u32 i;

	if (refs_blocks_open(&b, fd, 0, 1))
		abort();
	put_to(&b, REFS_OPS, REFS_NEW);
	put_to(&b, REFS_TEMPLATES, BASE);
	put_to(&b, REFS_TEMPLATES, insns << 1);
	for (i = 0; i < insns; i++)
		put_to(&b, REFS_TEMPLATES, 3);
	put_to(&b, REFS_TEMPLATES, accesses);
	for (i = 0; i < accesses; i++) {
		put_to(&b, REFS_TEMPLATES, 0);
		put_to(&b, REFS_ADDRESSES, 0);
	}
	b.head.refs[REFS_FETCH] = insns;
	b.head.refs[REFS_LOAD] = accesses;
	refs_blocks_end(&b, 2, 0x5000, 0);
	if (refs_blocks_close(&b))
		abort();
	ret = read_file(fd);
	close(fd);
	return ret;
}

TEST(as_large_a_template_as_may_be)
{
	if (freopen("/dev/null", "w", stderr) != stderr)
		abort();
	EXPECT_EQ(0, read_template(REFS_INSNS_MAX, REFS_ACCESSES_MAX));
	EXPECT_EQ(-EINVAL, read_template(REFS_INSNS_MAX + 1, 1));
	EXPECT_EQ(0, nr_got);
	EXPECT_EQ(-EINVAL, read_template(1, REFS_ACCESSES_MAX + 1));
	EXPECT_EQ(0, nr_got);
}

TEST(jump_behind_the_last_template)
{
	if (freopen("/dev/null", "w", stderr) != stderr)
		abort();
	/* Memory is zeroed: a template that nobody has written does nothing. */
	mallopt(M_PERTURB, 0xff);
	EXPECT_EQ(-EINVAL, read_jump(1));
	EXPECT_EQ(1, nr_got);
	EXPECT_EQ(0, read_jump(0));
	EXPECT_EQ(2, nr_got);
}

TEST(damage)
{
	u8 file[4096];
	size_t i, len = make_three(file, sizeof(file));
	u32 least = 9;

	ASSERT_EQ(0, read_bytes(file, len));
	ASSERT_EQ(9, nr_got);
	if (freopen("/dev/null", "w", stderr) != stderr)
		abort();
	for (i = 0; i < len; i++) {
		file[i] ^= 0x10;
		EXPECT_NE(0, read_bytes(file, len)) TH_LOG("offset %zu", i);
		EXPECT_TRUE(is_subset()) TH_LOG("offset %zu", i);
		if (i >= sizeof(struct refs_file) && nr_got < least)
			least = nr_got;
		file[i] ^= 0x10;
	}
	/* One block is lost, and no more. */
	EXPECT_EQ(6, least);
}

TEST(cut)
{
	u8 file[4096];
	size_t i, len = make_three(file, sizeof(file));

	if (freopen("/dev/null", "w", stderr) != stderr)
		abort();
	for (i = 0; i < len; i++) {
		EXPECT_NE(0, read_bytes(file, i)) TH_LOG("%zu bytes", i);
		EXPECT_TRUE(is_subset());
	}
	/* All blocks are there, and only the end is not. */
	EXPECT_EQ(9, nr_got);
}

/* What could not be encoded is not at the end of a file that looks whole. */
TEST(no_end_after_a_failure)
{
	static u64 many[REFS_ACCESSES_MAX + 1];
	struct refs_code *code = make_code(BASE, 1, 3);
	int fd = memfd_create("refs", 0);
	struct refs_encoder *e = refs_encoder_open(fd, 0, 1);
	u32 i;

	ASSERT_TRUE(e);
	begin(1000);
	enter(code, 0);
	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = refs_word(REFS_WORD_ACCESS, BASE);
	EXPECT_EQ(0, refs_encode(e, words, nr_words));
	EXPECT_EQ(-E2BIG, refs_encode(e, many, ARRAY_SIZE(many)));
	EXPECT_EQ(-E2BIG, refs_encoder_close(e));
	EXPECT_EQ(-EINVAL, read_file(fd));
	close(fd);
	free(code);
}

/* Of a full disk, the one that writes is the other thread. */
TEST(no_room)
{
	struct refs_encoder *e;
	int fd = open("/dev/full", O_RDWR);

	ASSERT_LE(0, fd);
	EXPECT_EQ(NULL, refs_encoder_open(fd, 0, 1));
	EXPECT_EQ(ENOSPC, errno);
	close(fd);
	fd = memfd_create("refs", MFD_ALLOW_SEALING);
	e = refs_encoder_open(fd, 0, 1);
	ASSERT_TRUE(e);
	ASSERT_EQ(0, fcntl(fd, F_ADD_SEALS, F_SEAL_GROW));
	begin(1000);
	end(0);
	EXPECT_EQ(0, refs_encode(e, words, nr_words));
	EXPECT_EQ(-EPERM, refs_encoder_close(e));
	close(fd);
}

TEST_HARNESS_MAIN
