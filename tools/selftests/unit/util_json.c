// SPDX-License-Identifier: GPL-2.0-only
/* Documents that are written: what they hold comes from inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#define VALUES_MAX ((1 << 20) - 1)	/* without the first, each has a character before it */

/* {"":["[",0,0,...]}: brackets in texts count, for there are texts that only json-c knows. */
static struct json_object *parse_values(size_t nr, char *why)
{
	size_t len = sizeof("{\"\":[\"\\\"[\"") - 1, i;
	struct json_object *obj;
	char *text = malloc(2 * nr + 64);

	memcpy(text, "{\"\":[\"\\\"[\"", len);
	for (i = 3; i < nr; i++) {
		text[len++] = ',';
		text[len++] = '0';
	}
	text[len++] = ']';
	text[len++] = '}';
	text[len] = '\0';
	obj = json_parse(text, len, true, why);
	free(text);
	return obj;
}

TEST(as_many_values_as_may_be)
{
	char why[JSON_WHY] = "";
	struct json_object *obj = parse_values(VALUES_MAX, why);

	EXPECT_STREQ("", why);
	EXPECT_NE(NULL, obj);
	json_object_put(obj);
}

TEST(one_more)
{
	char why[JSON_WHY] = "";

	EXPECT_EQ(NULL, parse_values(VALUES_MAX + 1, why));
	EXPECT_STREQ("has 1048576 values or more, which is the limit", why);
}

/* What looks like a text that begins with a quote, and is none, hides nothing. */
TEST(in_what_is_no_text)
{
	size_t len = sizeof("{'\"':[") - 1, i;
	char *text = malloc(4 * (1 << 20)), why[JSON_WHY] = "";

	memcpy(text, "{'\"':[", len);
	for (i = 0; i < 1 << 20; i++) {
		text[len++] = '0';
		text[len++] = ',';
	}
	strcpy(text + len, "0],'\"':1}");
	EXPECT_EQ(NULL, json_parse(text, strlen(text), false, why));
	EXPECT_STREQ("has 1048576 values or more, which is the limit", why);
	free(text);
}

static bool is_taken(const char *text)
{
	char why[JSON_WHY] = "";
	struct json_object *obj = json_parse(text, strlen(text), true, why);

	json_object_put(obj);
	return obj;
}

/* Only where it is a name, and of the same object. */
TEST(a_name_twice)
{
	EXPECT_TRUE(is_taken("{\"a\":\"b:c\",\"b\":{\"a\":[{\"a\":1},{\"a\":2}]}}"));
	EXPECT_TRUE(is_taken("{\"a:\\\":\":\"\\\\\",\"b\":\":\"}"));
	EXPECT_FALSE(is_taken("{\"a\":1,\"a\":1}"));
	EXPECT_FALSE(is_taken("{\"b\":[{\"a\":{\"c\":1,\"c\":1}}]}"));
}

TEST(a_number_that_is_none)
{
	EXPECT_TRUE(is_taken("{\"a\":1e9}"));
	EXPECT_FALSE(is_taken("{\"a\":NaN}"));
	EXPECT_FALSE(is_taken("{\"a\":[-Infinity]}"));
	EXPECT_FALSE(is_taken("{\"a\":1e999}"));
}

static const char *fault(struct __test_metadata *_metadata, const char *text, size_t len, char *why)
{
	why[0] = '\0';
	EXPECT_EQ(NULL, json_parse(text, len, true, why));
	return why;
}

#define FAULT(text)	fault(_metadata, text, sizeof(text) - 1, why)

/* json-c has its own words for it, which differ between versions. */
TEST(text_after_the_object)
{
	char why[JSON_WHY];

	EXPECT_STREQ("offset 3: no valid JSON: text after the object", FAULT("{} x"));
	EXPECT_STREQ("offset 2: no valid JSON: text after the object", FAULT("{}}"));
	EXPECT_STREQ("offset 2: no valid JSON: text after the object", FAULT("{}\0"));
	EXPECT_EQ(NULL, strstr(FAULT("{\"a\":[x]}"), "after"));
	EXPECT_EQ(NULL, strstr(FAULT("{\"a\""), "after"));
}

TEST_HARNESS_MAIN
