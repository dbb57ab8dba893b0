// SPDX-License-Identifier: GPL-2.0-only
/* Batches that a thread takes: all of them, in order; a thread that fails stops the other side. */
#include <errno.h>
#include <string.h>

#include "util/jobs.h"
#include "util/queue.h"
#include "kselftest_harness.h"

#define NUMBERS	1000000
#define BATCH	(64 * sizeof(u64))

/**
 * struct taker - Takes numbers that count up.
 * @next: the number expected
 * @wrong: those that were others
 * @fail_at: fail when this one comes
 * @after: batches that came after that
 * @onward: pass them on to this queue, or NULL
 */
struct taker {
	u64 next;
	u64 wrong;
	u64 fail_at;
	u64 after;
	struct queue *onward;
};

static int put(struct queue *q, u64 number)
{
	int ret = queue_room(q, sizeof(number));

	memcpy(q->pos, &number, sizeof(number));
	q->pos += sizeof(number);
	return ret;
}

static int take(void *data, const u8 *batch, size_t len)
{
	struct taker *t = data;
	size_t at;
	u64 number;
	int ret = 0;

	t->after += t->next > t->fail_at;
	for (at = 0; at < len && !ret; at += sizeof(number)) {
		memcpy(&number, batch + at, sizeof(number));
		t->wrong += number != t->next++;
		ret = number == t->fail_at ? -ENOSPC : 0;
		if (!ret && t->onward)
			ret = put(t->onward, number);
	}
	return ret;
}

FIXTURE(queues)
{
	struct queue first, second;
	struct taker one, two;
};

FIXTURE_VARIANT(queues)
{
	unsigned int jobs;
};

FIXTURE_VARIANT_ADD(queues, two_jobs) { .jobs = 2 };
FIXTURE_VARIANT_ADD(queues, one_turn_for_all) { .jobs = 1 };

FIXTURE_SETUP(queues)
{
	jobs_set(variant->jobs);
	self->one = (struct taker){ .fail_at = ~0ULL, .onward = &self->second };
	self->two = (struct taker){ .fail_at = ~0ULL };
	ASSERT_EQ(0, queue_open(&self->second, BATCH, take, &self->two));
	ASSERT_EQ(0, queue_open(&self->first, BATCH, take, &self->one));
}

FIXTURE_TEARDOWN(queues)
{
	queue_close(&self->first);
	queue_close(&self->second);
}

TEST_F(queues, all_in_order)
{
	u64 i;

	for (i = 0; i < NUMBERS; i++)
		ASSERT_EQ(0, put(&self->first, i));
	EXPECT_EQ(0, queue_close(&self->first));
	EXPECT_EQ(0, queue_close(&self->second));
	EXPECT_EQ(NUMBERS, self->one.next);
	EXPECT_EQ(NUMBERS, self->two.next);
	EXPECT_EQ(0, self->one.wrong + self->two.wrong);
}

TEST_F(queues, an_error_comes_back)
{
	int ret = 0;
	u64 i;

	self->two.fail_at = NUMBERS / 4;
	for (i = 0; i < NUMBERS && !ret; i++)
		ret = put(&self->first, i);
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_LT(i, NUMBERS);
	EXPECT_EQ(-ENOSPC, queue_close(&self->first));
	EXPECT_EQ(-ENOSPC, queue_close(&self->second));
	EXPECT_EQ(0, self->two.after);
}

TEST_F(queues, nothing_at_all)
{
	EXPECT_EQ(0, queue_close(&self->first));
	EXPECT_EQ(0, queue_close(&self->second));
	EXPECT_EQ(0, queue_close(&self->second));
	EXPECT_EQ(0, self->two.next);
}

TEST_HARNESS_MAIN
