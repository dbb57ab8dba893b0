// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "util/suggest.h"

/* Longer words are not looked at. */
#define LONGEST	32

#define MIN(a, b)	((a) < (b) ? (a) : (b))

/* Letters to add, leave out, change, or swap with the next: the optimal string alignment. */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int cost[LONGEST + 1][LONGEST + 1];
	size_t i, j;

	for (i = 0; i <= a_len; i++)
		cost[i][0] = i;
	for (j = 0; j <= b_len; j++)
		cost[0][j] = j;
	for (i = 1; i <= a_len; i++) {
		for (j = 1; j <= b_len; j++) {
			unsigned int one = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			one = MIN(one, cost[i - 1][j] + 1);
			one = MIN(one, cost[i][j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				one = MIN(one, cost[i - 2][j - 2] + 1);
			cost[i][j] = one;
		}
	}
	return cost[a_len][b_len];
}

void suggest_offer(struct suggestion *to, const char *name)
{
	size_t len = strlen(to->word), name_len = strlen(name);
	unsigned int cost;

	if (!len || len > LONGEST || name_len > LONGEST)
		return;
	cost = distance(to->word, len, name, name_len);
	/* The beginning of a name is near it, however long the rest is. */
	if (len > 2 && !strncmp(to->word, name, len))
		cost = 1;
	/* Who is wrong about the first letter is about few others: "rows" does not mean "jobs". */
	if (cost > (len + 1 + (*to->word == *name)) / 3 || (to->name && cost >= to->cost))
		return;
	to->name = name;
	to->cost = cost;
}

const char *suggest_text(const struct suggestion *of, char *text, size_t size)
{
	*text = '\0';
	if (of->name)
		snprintf(text, size, "; did you mean \"%s\"?", of->name);
	return text;
}

const char *suggest_from(const char *word, const char *const *names, size_t nr, char *text,
			 size_t size)
{
	struct suggestion near = { .word = word };
	size_t i;

	for (i = 0; i < nr; i++) {
		if (names[i])
			suggest_offer(&near, names[i]);
	}
	return suggest_text(&near, text, size);
}
