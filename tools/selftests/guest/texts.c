// SPDX-License-Identifier: GPL-2.0-only
/*
 * texts - print the texts of a capture in the order of time
 *
 *	texts cpuN.ovk...
 *
 * A line is "KIND own TEXT", or "KIND again TEXT" where the text is that of an earlier record.
 */
#include "common/merge.h"

int main(int argc, char **argv)
{
	struct events all = {};
	size_t i;

	if (argc < 2)
		errx(2, "usage: texts cpuN.ovk...");
	load_incomplete(&all, argv + 1);
	for (i = 0; i < all.nr; i++) {
		const char *text = text_of(all.event[i].record);

		if (text)
			printf("%s %s %s\n", kind_name(all.event[i].kind),
			       all.event[i].again ? "again" : "own", text);
	}
	return 0;
}
