// SPDX-License-Identifier: GPL-2.0-only
/* FDR logs: what the fields of each record are, and the order of threads and buffers. */
#include <errno.h>
#include <stdio.h>

#include "../fixture/xrayread.h"
#include "kselftest_harness.h"

static struct xraygen gen;
static struct xrayread got;

static void begin(u16 version, bool big, const char *letters)
{
	xraygen_begin(&gen, version, big);
	xraygen_letters(&gen, letters);
}

static void read_it(void)
{
	xraygen_end_extents(&gen);
	xrayread(&got, gen.data, gen.size);
}

/* Every version and byte order. */
#define for_each_log(version, big) \
	for ((version) = 1; (version) <= 5; (version)++) \
		for ((big) = 0; (big) < 2; (big)++)

TEST(header)
{
	u32 version, big;

	for_each_log(version, big) {
		begin(version, big, "H");
		read_it();
		ASSERT_EQ(0, got.ret);
		EXPECT_EQ(version, got.log.header.version);
		EXPECT_EQ(big, got.log.header.big_endian);
		EXPECT_TRUE(got.log.header.constant_tsc);
		EXPECT_TRUE(got.log.header.nonstop_tsc);
		EXPECT_EQ(2400000000, got.log.header.frequency);
		EXPECT_EQ(XRAYGEN_BUFFER, got.log.header.buffer_size);
		xray_log_close(&got.log);
	}
}

/* "0 == non-constant", "0 == stop"; the other 30 bits are not meaningful. */
TEST(header_bits)
{
	u32 big, bit;

	for (big = 0; big < 2; big++) {
		for (bit = 0; bit < 32; bit++) {
			u32 word = 1U << (big ? 31 - bit : bit);

			begin(1, big, "");
			gen.size = 4;
			xraygen_put(&gen, word, 4);
			gen.size = XRAY_HEADER_SIZE;
			xraygen_letters(&gen, "H");
			read_it();
			ASSERT_EQ(0, got.ret);
			EXPECT_EQ(bit == 0, got.log.header.constant_tsc);
			EXPECT_EQ(bit == 1, got.log.header.nonstop_tsc);
			xray_log_close(&got.log);
		}
	}
}

static void refuse(struct __test_metadata *_metadata, u32 size, const char *why)
{
	xrayread(&got, gen.data, size);
	EXPECT_EQ(-EINVAL, got.ret);
	EXPECT_TRUE(strstr(said, why))
		TH_LOG("%s", said);
	xray_log_close(&got.log);
}

TEST(no_header)
{
	u32 big;

	for (big = 0; big < 2; big++) {
		begin(0, big, "H");
		refuse(_metadata, gen.size, "offset 0: the header must have version 1 to 5");
		begin(6, big, "H");
		refuse(_metadata, gen.size, "offset 0: the header must have version 1 to 5");
		begin(5, big, "H");
		refuse(_metadata, 31, "offset 31: the header must have 32 bytes");
		refuse(_metadata, 0, "offset 0: the header must have 32 bytes");
		memset(gen.data + 2, 0, 2);	/* XRay's basic mode */
		refuse(_metadata, gen.size, "offset 2: type 0, XRay's basic mode, is not read");
	}
}

TEST(no_buffer)
{
	u32 version, big;

	for_each_log(version, big) {
		begin(version, big, "");
		read_it();
		EXPECT_EQ(0, got.ret);
		EXPECT_EQ(0, got.log.nr_threads);
		xray_log_close(&got.log);
	}
}

/* The length of the second of three buffers is wrong, or that of the last one. */
static void shorten(struct __test_metadata *_metadata, u32 nr, u8 extents)
{
	static const char *const buffers[] = { "Hfx", "Hfxt", "Hfu" };
	u32 version, big, i, at = 0;

	for_each_log(version, big) {
		if (version == 1)
			continue;
		begin(version, big, "");
		for (i = 0; i < ARRAY_SIZE(buffers); i++) {
			if (i == nr)
				at = gen.size + 1;
			xraygen_letters(&gen, buffers[i]);
		}
		xraygen_end_extents(&gen);
		memset(gen.data + at, 0, 8);
		gen.data[at + (big ? 7 : 0)] = extents;
		read_it();
		EXPECT_EQ(0, got.ret);
		EXPECT_STREQ("CfxCfxtCfu", got.letters)
			TH_LOG("version %u, %u: %s", version, extents, said);
		EXPECT_EQ(1, got.log.breaks);
		EXPECT_EQ(0, got.log.lost_bytes);
		xray_log_close(&got.log);
	}
}

TEST(extents_too_short)
{
	u32 i;

	for (i = 0; i < 48; i++) {
		shorten(_metadata, 1, i);
		shorten(_metadata, 2, i);
	}
}

/* Nothing follows it but another buffer, or zeros. */
TEST(extents_of_nothing)
{
	u32 version, big;

	for_each_log(version, big) {
		if (version == 1)
			continue;
		begin(version, big, "HfxEHf0E");
		read_it();
		EXPECT_EQ(0, got.ret);
		EXPECT_STREQ("CfxCf", got.letters);
		EXPECT_EQ(0, got.log.breaks);
		xray_log_close(&got.log);
	}
}

/* "HaATfuxC": 1000 ticks a TSC, 10 a delta; events' own TSC before version 5. */
TEST(fields)
{
	static const u64 ticks[] = { 1000, 1010, 1010, 2010, 2020, 2030, 2030, 2040 };
	u32 version, big, i;

	for_each_log(version, big) {
		u64 base = 1ULL << 40, more = version < 5 ? 0 : 10;
		const struct xray_record *r = got.recs;

		begin(version, big, "HaATfuxC");
		read_it();
		ASSERT_EQ(0, got.ret);
		ASSERT_STREQ("CaATfuxC", got.letters);
		ASSERT_EQ(1, got.log.nr_threads);
		EXPECT_EQ(XRAYGEN_TID, got.log.threads[0].tid);
		EXPECT_EQ(version < 3 ? 0 : XRAYGEN_PID, got.log.threads[0].pid);
		for (i = 0; i < 6; i++)
			EXPECT_EQ(base + ticks[i], r[i].tsc)
				TH_LOG("version %u, record %u", version, i);
		EXPECT_EQ(base + 2030 + more, r[6].tsc);
		EXPECT_EQ(base + 3030 + more, r[7].tsc);
		for (i = 0; i < got.nr; i++)
			EXPECT_EQ(3, r[i].cpu);
		EXPECT_EQ(0xabcdef1, r[1].function);
		EXPECT_EQ(0xabcdef1, r[2].function);
		EXPECT_EQ(0x123456789abcdef0, r[2].argument);
		EXPECT_EQ(5, r[5].size);
		EXPECT_EQ(0, memcmp(got.data[5], "data\n", 5));
		EXPECT_EQ(gen.size - 16, r[7].offset);
		EXPECT_EQ(gen.size - 24, r[6].offset);
		EXPECT_EQ(gen.size - 16, got.log.buffers[0].end - 16);
		EXPECT_EQ(base + 1000, got.log.buffers[0].tsc);
		EXPECT_EQ(1000000000 + 1000 * 1000, got.log.buffers[0].ns);
		xray_log_close(&got.log);
	}
}

TEST(typed_events)
{
	u32 version, big;

	for_each_log(version, big) {
		begin(version, big, "Hfvf");
		read_it();
		ASSERT_STREQ("Cfvf", got.letters);
		EXPECT_EQ(77, got.recs[2].event_type);
		EXPECT_EQ(3, got.recs[2].cpu);
		EXPECT_EQ(got.recs[1].tsc + 10, got.recs[2].tsc);
		EXPECT_EQ(got.recs[1].tsc + (version < 5 ? 10 : 20), got.recs[3].tsc);
		EXPECT_EQ(5, got.recs[2].size);
		EXPECT_EQ(0, memcmp(got.data[2], "data\n", 5));
		xray_log_close(&got.log);
	}
}

/* From version 4 an event says where it was, which version 5 takes back. */
TEST(cpu_of_events)
{
	u32 version, big;

	for_each_log(version, big) {
		begin(version, big, "Hu");
		/* NewCPUId is 16 bytes before the event's 21. */
		memset(gen.data + gen.size - 16 - 21 + 1, 2, 2);
		read_it();
		ASSERT_STREQ("Cu", got.letters);
		EXPECT_EQ(version == 4 ? 3 : 0x202, got.recs[1].cpu);
		xray_log_close(&got.log);
	}
}

/* It is a little older than what is before it. */
TEST(event_that_goes_back)
{
	u32 big;

	for (big = 0; big < 2; big++) {
		begin(5, big, "Hfu");
		/* The delta, behind its size. */
		memset(gen.data + gen.size - 21 + 5, 0xff, 4);
		read_it();
		ASSERT_STREQ("Cfu", got.letters);
		EXPECT_EQ(got.recs[1].tsc - 1, got.recs[2].tsc);
		xray_log_close(&got.log);
	}
}

TEST(functions_of_28_bits)
{
	static const u32 ids[] = { 0, 1, XRAY_FUNCTION_MAX };
	u32 big, i;

	for (big = 0; big < 2; big++) {
		begin(5, big, "H");
		for (i = 0; i < ARRAY_SIZE(ids); i++)
			xraygen_function(&gen, i, ids[i], 0xffffffff);
		read_it();
		ASSERT_STREQ("Cfxt", got.letters);
		for (i = 0; i < ARRAY_SIZE(ids); i++) {
			EXPECT_EQ(ids[i], got.recs[i + 1].function);
			EXPECT_EQ(got.recs[i].tsc + 0xffffffff, got.recs[i + 1].tsc);
		}
		xray_log_close(&got.log);
	}
}

/* As bytes, so that builder and reader cannot be wrong in the same way. */
TEST(bytes)
{
	static const u8 little[] = { 0x16, 0x32, 0x54, 0x76, 0x78, 0x56, 0x34, 0x12 };
	static const u8 large[] = { 0x37, 0x65, 0x43, 0x21, 0x12, 0x34, 0x56, 0x78 };
	u32 big;

	for (big = 0; big < 2; big++) {
		begin(1, big, "H");
		memcpy(gen.data + gen.size, big ? large : little, 8);
		gen.size += 8;
		read_it();
		ASSERT_STREQ("Ca", got.letters);
		EXPECT_EQ(0x7654321, got.recs[1].function);
		EXPECT_EQ(got.recs[0].tsc + 0x12345678, got.recs[1].tsc);
		xray_log_close(&got.log);
	}
}

TEST(event_without_data)
{
	u32 version, big;

	for_each_log(version, big) {
		begin(version, big, "H");
		xraygen_event(&gen, false, 0);
		gen.size -= 5;
		xraygen_letters(&gen, "f");
		read_it();
		EXPECT_STREQ("Cuf", got.letters);
		EXPECT_EQ(0, got.recs[1].size);
		xray_log_close(&got.log);
	}
}

/* The buffers of two threads, last one first; two within the same microsecond. */
TEST(order)
{
	u32 version, big, i, at[6];

	for_each_log(version, big) {
		begin(version, big, "");
		for (i = 0; i < 6; i++) {
			xraygen_letters(&gen, "E");
			at[i] = gen.size;
			xraygen_metadata(&gen, 0, 1 + i % 2, 4, 0, 0);
			xraygen_metadata(&gen, 4, i < 2 ? 9 : 7, 8, 5, 4);
			xraygen_metadata(&gen, 2, 0, 2, 100 * (i < 2 ? 50 : 20 - i), 8);
			xraygen_letters(&gen, "f");
		}
		read_it();
		ASSERT_EQ(0, got.ret);
		ASSERT_EQ(2, got.log.nr_threads);
		ASSERT_EQ(6, got.log.nr_buffers);
		for (i = 0; i < 6; i++)
			EXPECT_EQ(at[4 - i % 3 * 2 + i / 3] + 32, got.log.buffers[i].offset);
		EXPECT_EQ(0, got.log.backwards);
		EXPECT_EQ(1, got.log.threads[0].tid);
		EXPECT_EQ(3, got.log.threads[1].first);
		EXPECT_EQ(3, got.log.threads[1].nr);
		xray_log_close(&got.log);
	}
}

/* WallClockTime first, though the TSC says otherwise. */
TEST(order_by_clock)
{
	begin(5, false, "Hf");
	gen.seconds = 0;
	gen.tsc = 5;
	gen.data[32 + 16 + 16 + 1] = 9;
	xraygen_letters(&gen, "Hx");
	gen.seconds = 6;
	gen.tsc = 1ULL << 41;
	xraygen_letters(&gen, "Ht");
	read_it();
	EXPECT_STREQ("CxCtCf", got.letters);
	EXPECT_EQ(1, got.log.backwards);
	xray_log_close(&got.log);
}

/* If most fractions are too large for microseconds, all are nanoseconds. */
TEST(nanoseconds)
{
	static const u32 clocks[][3] = { { 1000000, 1000001, 3 }, { 1000000, 2, 3 } };
	u32 i, k;

	for (k = 0; k < 2; k++) {
		begin(1, false, "");
		for (i = 0; i < 3; i++) {
			xraygen_letters(&gen, "N");
			xraygen_metadata(&gen, 4, 7 + i, 8, clocks[k][i], 4);
			xraygen_letters(&gen, "C");
		}
		read_it();
		ASSERT_EQ(3, got.log.nr_buffers);
		for (i = 0; i < 3; i++)
			EXPECT_EQ((7 + i) * 1000000000ULL + clocks[k][i] * (k ? 1000ULL : 1),
				  got.log.buffers[i].ns);
		xray_log_close(&got.log);
	}
}

/* What a capture's clock says is what its log says. */
TEST(clock_of_centuries)
{
	static const u64 seconds[] = { 8589934593ULL, 18446744073ULL, 18446744074ULL };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		begin(1, false, "N");
		xraygen_metadata(&gen, 4, seconds[i], 8, 0, 4);
		xraygen_letters(&gen, "Cf.");
		read_it();
		EXPECT_EQ(i == 2, got.log.breaks);
		xray_log_close(&got.log);
	}
}

TEST(tsc_goes_back)
{
	u32 at;

	begin(5, false, "Hfxf");
	at = gen.size;
	gen.tsc = 5;
	xraygen_letters(&gen, "CTfx");
	gen.tsc = 3;
	xraygen_letters(&gen, "Tf");
	read_it();
	EXPECT_STREQ("CfxfCTfxTf", got.letters);
	EXPECT_EQ(1005, got.recs[4].tsc);
	EXPECT_EQ(0, got.log.breaks);
	EXPECT_EQ(2, got.log.backwards);
	snprintf(got.letters, sizeof(got.letters), "offset %u: the TSC goes back", at);
	EXPECT_TRUE(strstr(said, got.letters));
	xray_log_close(&got.log);
}

/* Twenty are reported singly, the rest as a number; what is between them is kept. */
TEST(many_breaks)
{
	const char *p;
	u32 i, n = 0;

	begin(5, false, "");
	for (i = 0; i < 50; i++)
		xraygen_letters(&gen, "HfxKxx");
	read_it();
	EXPECT_EQ(0, got.ret);
	EXPECT_EQ(150, got.nr);
	EXPECT_EQ(50, got.log.breaks);
	EXPECT_EQ(50 * 32, got.log.lost_bytes);
	for (p = said; (p = strstr(p, "offset ")); p++)
		n++;
	EXPECT_EQ(20, n);
	EXPECT_TRUE(strstr(said, "the grammar is broken 30 times more"));
	EXPECT_TRUE(strstr(said, "1600 bytes belong to no sound record"));
	xray_log_close(&got.log);
}

/* A file that loses its end, or other bytes, between scan and cursor. */
TEST(file_that_changes)
{
	char path[] = "/tmp/ovnik-xray.XXXXXX";
	struct xray_cursor c;
	struct xray_log log;
	int fd = mkstemp(path);

	begin(5, false, "Hfxfxuf");
	xraygen_end_extents(&gen);
	ASSERT_EQ(gen.size, write(fd, gen.data, gen.size));
	ASSERT_EQ(0, xray_log_open(&log, path));
	ASSERT_EQ(0, ftruncate(fd, gen.size - 10));
	ASSERT_EQ(0, xray_cursor_open(&c, &log, 0));
	EXPECT_EQ(1, xray_cursor_next(&c));
	EXPECT_EQ(1, xray_cursor_next(&c));
	EXPECT_EQ(1, xray_cursor_next(&c));
	EXPECT_EQ(1, xray_cursor_next(&c));
	EXPECT_EQ(1, xray_cursor_next(&c));
	EXPECT_EQ(-EIO, xray_cursor_next(&c));
	xray_cursor_close(&c);
	memset(gen.data + 40, 0xff, gen.size - 40);
	ASSERT_EQ(gen.size, pwrite(fd, gen.data, gen.size, 0));
	ASSERT_EQ(0, xray_cursor_open(&c, &log, 0));
	EXPECT_EQ(-EIO, xray_cursor_next(&c));
	xray_cursor_close(&c);
	xray_log_close(&log);
	close(fd);
	unlink(path);
}

/* Into got: an event with so much data, and a call behind it. */
static void read_data(u32 size)
{
	static u8 big[XRAY_DATA_MAX + 4096];
	u32 at;

	begin(5, false, "H");
	at = gen.size;
	xraygen_event(&gen, false, size);
	gen.size = at + 16;
	gen.extents = 0;
	/* The extents, as they will be. */
	gen.size = 33;
	xraygen_put(&gen, at - 48 + 16 + size + 8, 8);
	memcpy(big, gen.data, at + 16);
	gen.size = 0;
	xraygen_function(&gen, 1, 5, 10);
	memcpy(big + at + 16 + size, gen.data, 8);
	xrayread(&got, big, at + 16 + size + 8);
}

TEST(data_as_long_as_may_be)
{
	read_data(XRAY_DATA_MAX);
	EXPECT_EQ(0, got.ret);
	EXPECT_STREQ("Cux", got.letters);
	EXPECT_EQ(XRAY_DATA_MAX, got.recs[1].size);
	EXPECT_NE(NULL, got.recs[1].data);
	xray_log_close(&got.log);
}

TEST(data_too_long_for_memory)
{
	read_data(XRAY_DATA_MAX + 1);
	EXPECT_EQ(0, got.ret);
	EXPECT_STREQ("Cux", got.letters);
	EXPECT_EQ(XRAY_DATA_MAX + 1, got.recs[1].size);
	EXPECT_EQ(NULL, got.recs[1].data);
	xray_log_close(&got.log);
}

TEST_HARNESS_MAIN
