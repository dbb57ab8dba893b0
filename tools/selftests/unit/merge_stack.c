// SPDX-License-Identifier: GPL-2.0-only
/* A thread's calls, at the limits of what is remembered of them. */
#include "merge/stack.h"
#include "kselftest_harness.h"

TEST(as_deep_as_may_be)
{
	struct xray_stack s = { 0 };
	u32 i;

	for (i = 0; i < XRAY_STACK_MAX; i++)
		ASSERT_EQ(1, xray_stack_enter(&s, 1 + i % 7));
	EXPECT_EQ(XRAY_STACK_MAX, s.depth);
	EXPECT_EQ(0, s.beyond);
	EXPECT_EQ(1, xray_stack_enter(&s, 8));
	EXPECT_EQ(XRAY_STACK_MAX, s.depth);
	EXPECT_EQ(1, s.beyond);
	EXPECT_EQ(XRAY_LEAVE_BEYOND, xray_stack_leave(&s, 8));
	EXPECT_EQ(XRAY_LEAVE_POPS, xray_stack_leave(&s, 1 + (XRAY_STACK_MAX - 1) % 7));
	xray_stack_free(&s);
}

TEST(as_many_functions_as_may_be)
{
	struct xray_stack s = { 0 };
	u32 i;

	for (i = 1; i <= XRAY_SEEN_MAX; i++) {
		ASSERT_EQ(1, xray_stack_enter(&s, i));
		ASSERT_EQ(XRAY_LEAVE_POPS, xray_stack_leave(&s, i));
		ASSERT_EQ(i, xray_stack_pop(&s));
	}
	EXPECT_EQ(0, xray_stack_enter(&s, i));
	EXPECT_EQ(XRAY_LEAVE_UNKNOWN, xray_stack_leave(&s, i));
	EXPECT_EQ(1, xray_stack_enter(&s, 1));
	EXPECT_EQ(1, s.depth);
	xray_stack_free(&s);
}

/* Functions whose numbers lie far apart have a page of the table each. */
TEST(as_many_pages_as_may_be)
{
	struct xray_stack s = { 0 };
	u32 i;

	for (i = 0; i < XRAY_SEEN_PAGES; i++)
		ASSERT_EQ(1, xray_stack_enter(&s, i * XRAY_SEEN_PAGE));
	EXPECT_EQ(0, xray_stack_enter(&s, i * XRAY_SEEN_PAGE));
	EXPECT_EQ(1, xray_stack_enter(&s, i * XRAY_SEEN_PAGE - 1));
	xray_stack_free(&s);
}

TEST_HARNESS_MAIN
