// SPDX-License-Identifier: GPL-2.0-only
/* Documents that are written: what they hold comes from inputs. */
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "util/json.h"
#include "kselftest_harness.h"

/* Neither a terminal nor who reads from right to left obeys what is escaped. */
TEST(strings_do_no_harm)
{
	struct json_object *obj = json_object_new_object(), *back;
	const char *text = "a\"\\\n\x1b\xc2\x9b\xe2\x80\xae\xc3\xa9";
	char *written = NULL;
	size_t len;
	FILE *f;

	ASSERT_EQ(0, json_add(obj, "name", json_object_new_string(text)));
	f = open_memstream(&written, &len);
	ASSERT_NE(NULL, f);
	ASSERT_EQ(0, json_write_lines(obj, f));
	ASSERT_EQ(0, fclose(f));
	EXPECT_NE(NULL, strstr(written, "\"a\\\"\\\\\\u000a\\u001b\\u009b\\u202e\xc3\xa9\""));
	back = json_tokener_parse(written);
	ASSERT_NE(NULL, back);
	EXPECT_STREQ(text, json_object_get_string(json_object_object_get(back, "name")));
	json_object_put(back);
	json_object_put(obj);
	free(written);
}

TEST_HARNESS_MAIN
