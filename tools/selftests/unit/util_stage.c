// SPDX-License-Identifier: GPL-2.0-only
/* A stage's thread has begun when stage_begin() returns: the caller may fork. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/stage.h"
#include "kselftest_harness.h"

#define LONG	100000	/* us */

static void *(*run)(void *arg);
static atomic_bool starting;

/* As where the C library, or a sanitizer, has much to do first. */
static void *start(void *arg)
{
	usleep(LONG);
	starting = false;
	return run(arg);
}

/* For the stage, in place of the C library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
		   void *arg)
{
	int (*create)(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
		      void *arg);

	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	run = routine;
	starting = true;
	return create(thread, attr, start, arg);
}

TEST(the_thread_has_begun)
{
	char dir[] = "/tmp/ovnik-stage.XXXXXX";
	struct stage stage;

	ASSERT_TRUE(mkdtemp(dir));
	ASSERT_EQ(0, stage_begin(&stage, dir));
	EXPECT_TRUE(run);
	EXPECT_FALSE(starting);
	stage_end(&stage);
	EXPECT_EQ(0, rmdir(dir));
}

TEST_HARNESS_MAIN
