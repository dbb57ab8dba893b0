// SPDX-License-Identifier: GPL-2.0-only
/* The heap that merges streams, equal clocks included. */
#define _GNU_SOURCE	/* for the harness */
#include <stdlib.h>
#include <string.h>

#include "emu/player.h"
#include "kselftest_harness.h"

#define ROOM 64

FIXTURE(player)
{
	struct player p;
};

FIXTURE_SETUP(player)
{
	ASSERT_EQ(0, player_init(&self->p, ROOM));
}

FIXTURE_TEARDOWN(player)
{
	player_free(&self->p);
}

/* Streams are letters here. */
static void push(struct player *p, s64 clock, char letter)
{
	player_push(p, clock, (void *)(size_t)letter);
}

static char pop(struct player *p)
{
	return (char)(size_t)player_pop(p);
}

TEST_F(player, empty)
{
	EXPECT_EQ(NULL, player_pop(&self->p));
}

TEST_F(player, by_clock)
{
	push(&self->p, 30, 'c');
	push(&self->p, -10, 'a');
	push(&self->p, 40, 'd');
	push(&self->p, 20, 'b');
	EXPECT_EQ('a', pop(&self->p));
	EXPECT_EQ('b', pop(&self->p));
	EXPECT_EQ('c', pop(&self->p));
	EXPECT_EQ('d', pop(&self->p));
	EXPECT_EQ(NULL, player_pop(&self->p));
}

/* With the rule's text in hand: the last node replaces the root and stays. */
TEST_F(player, equal_clocks_are_not_in_order)
{
	push(&self->p, 5, 'a');
	push(&self->p, 5, 'b');
	push(&self->p, 5, 'c');
	push(&self->p, 5, 'd');
	EXPECT_EQ('a', pop(&self->p));
	EXPECT_EQ('d', pop(&self->p));
	EXPECT_EQ('c', pop(&self->p));
	EXPECT_EQ('b', pop(&self->p));
}

TEST_F(player, right_child_needs_to_be_strictly_smaller)
{
	push(&self->p, 1, 'r');
	push(&self->p, 2, 'x');
	push(&self->p, 2, 'y');
	push(&self->p, 9, 'z');
	EXPECT_EQ('r', pop(&self->p));
	EXPECT_EQ('x', pop(&self->p));
	EXPECT_EQ('y', pop(&self->p));
	EXPECT_EQ('z', pop(&self->p));
}

TEST_F(player, next_of_an_empty_heap)
{
	EXPECT_TRUE(player_is_next(&self->p, 1));
}

TEST_F(player, not_next_on_a_tie_or_later)
{
	push(&self->p, 5, 'a');
	EXPECT_TRUE(player_is_next(&self->p, 4));
	EXPECT_FALSE(player_is_next(&self->p, 5));
	EXPECT_FALSE(player_is_next(&self->p, 6));
}

/* The short cut must never change the heap: small clocks make many ties. */
TEST_F(player, short_cut_leaves_the_heap_alone)
{
	struct player_entry before[ROOM + 1];
	u32 taken = 0;
	int round, i;

	srand(1);
	for (round = 0; round < 200000; round++) {
		u32 n = rand() % (ROOM - 1);
		s64 range = 1 + rand() % (round % 2 ? 1000 : 10);

		self->p.n = 0;
		for (i = 0; i < (int)n; i++)
			push(&self->p, rand() % range, 'a' + i);
		if (n && rand() % 2)
			pop(&self->p);
		if (!player_is_next(&self->p, -1))
			continue;
		taken++;
		n = self->p.n;
		memcpy(before, self->p.entry, sizeof(before));
		push(&self->p, -1, '!');
		ASSERT_EQ('!', pop(&self->p));
		ASSERT_EQ(n, self->p.n);
		if (n)
			ASSERT_EQ(0, memcmp(&before[1], &self->p.entry[1],
					    n * sizeof(before[0])));
	}
	EXPECT_GT(taken, 10000);
}

TEST_HARNESS_MAIN
