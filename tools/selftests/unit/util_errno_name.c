// SPDX-License-Identifier: GPL-2.0-only
/* Names of errors are those of glibc, on every system. */
#include <errno.h>

#include "util/errno_name.h"
#include "kselftest_harness.h"

TEST(names)
{
	EXPECT_STREQ("EPERM", errno_name(1));
	EXPECT_STREQ("EAGAIN", errno_name(EWOULDBLOCK));
	EXPECT_STREQ("EOPNOTSUPP", errno_name(95));
	EXPECT_STREQ("EHWPOISON", errno_name(133));
}

TEST(no_errors)
{
	EXPECT_EQ(NULL, errno_name(-1));
	EXPECT_EQ(NULL, errno_name(0));
	EXPECT_EQ(NULL, errno_name(41));
	EXPECT_EQ(NULL, errno_name(134));
	EXPECT_EQ(NULL, errno_name(1LL << 32 | EPERM));
}

TEST_HARNESS_MAIN
