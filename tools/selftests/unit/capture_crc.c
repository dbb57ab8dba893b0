// SPDX-License-Identifier: GPL-2.0-only
/* The CRC of sub-buffers against zlib's. */
#include <zlib.h>

#include "capture/crc.h"
#include "kselftest_harness.h"
#include "util/types.h"

static u8 bytes[4096 + 16];

TEST(every_length_and_alignment)
{
	u32 begin, len, i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7 + (i >> 3) * 13 + (i >> 8);
	for (begin = 0; begin < 16; begin++) {
		for (len = 0; len < 300; len++)
			ASSERT_EQ((u32)crc32(0, bytes + begin, len),
				  capture_crc(0, bytes + begin, len));
		ASSERT_EQ((u32)crc32(0, bytes + begin, 4096), capture_crc(0, bytes + begin, 4096));
	}
}

TEST(in_pieces)
{
	u32 cut, whole = crc32(0, bytes, sizeof(bytes));

	for (cut = 0; cut < sizeof(bytes); cut += 13)
		ASSERT_EQ(whole, capture_crc(capture_crc(0, bytes, cut), bytes + cut,
					     sizeof(bytes) - cut));
}

TEST_HARNESS_MAIN
