// SPDX-License-Identifier: GPL-2.0-only
/* Write Paraver's views to DIR/cfg, for those that are installed. */
#include <stdio.h>

#include "emu/cfg.h"

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: gen-views DIR\n");
		return 2;
	}
	return cfg_write_all(argv[1]) ? 1 : 0;
}
