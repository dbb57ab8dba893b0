// SPDX-License-Identifier: GPL-2.0-only
/* Texts of events, at the limits of how many and how long they may be. */
#include <stdio.h>
#include <string.h>

#include "merge/labels.h"
#include "kselftest_harness.h"

static u32 number_of(struct xray_labels *t, const char *text)
{
	return xray_labels_number(t, (const u8 *)text, strlen(text));
}

TEST(as_many_texts_as_may_be)
{
	static struct xray_labels t;
	char text[16];
	u32 i;

	for (i = 1; i <= XRAY_LABELS_MAX; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		ASSERT_EQ(i, number_of(&t, text));
	}
	EXPECT_EQ(XRAY_LABEL_OTHER, number_of(&t, "one more"));
	EXPECT_STREQ("(other text)", xray_labels_get(&t, XRAY_LABEL_OTHER));
	EXPECT_EQ(XRAY_LABELS_MAX, number_of(&t, text));
	EXPECT_STREQ(text, xray_labels_get(&t, XRAY_LABELS_MAX));
}

TEST(as_long_a_text_as_may_be)
{
	static struct xray_labels t;
	char text[XRAY_LABEL_MAX + 1] = "";

	memset(text, 'x', XRAY_LABEL_MAX - 1);
	EXPECT_EQ(1, number_of(&t, text));
	EXPECT_STREQ(text, xray_labels_get(&t, 1));
	text[XRAY_LABEL_MAX - 1] = 'y';
	EXPECT_EQ(1, number_of(&t, text));
}

TEST_HARNESS_MAIN
