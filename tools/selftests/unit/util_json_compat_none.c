// SPDX-License-Identifier: GPL-2.0-only
/* What is compiled with json-c 0.13 does with newer ones, too. */
#include <string.h>

#include "../../../user/util/json_compat_none.c"
#include "kselftest_harness.h"

static u64 there_and_back(u64 value, const char *text)
{
	struct json_object *obj = json_from_u64(value);
	bool same = !strcmp(text, json_object_to_json_string(obj));
	u64 back = json_to_u64(obj);

	json_object_put(obj);
	return same ? back : ~value;
}

TEST(numbers_keep_their_digits)
{
	EXPECT_EQ(0, there_and_back(0, "0"));
	EXPECT_EQ(INT64_MAX, there_and_back(INT64_MAX, "9223372036854775807"));
	EXPECT_EQ(1ULL << 63, there_and_back(1ULL << 63, "9223372036854775808"));
	EXPECT_EQ(UINT64_MAX, there_and_back(UINT64_MAX, "18446744073709551615"));
}

TEST(negative_numbers_are_0)
{
	struct json_object *obj = json_object_new_int64(-1);

	EXPECT_EQ(0, json_to_u64(obj));
	json_object_put(obj);
}

TEST(where_the_parser_stopped)
{
	struct json_tokener *tok = json_tokener_new();

	json_object_put(json_tokener_parse_ex(tok, "{\"a\":1}  x", 10));
	EXPECT_EQ(9, json_parse_end(tok));
	json_tokener_free(tok);
}

TEST_HARNESS_MAIN
