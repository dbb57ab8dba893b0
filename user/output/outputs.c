// SPDX-License-Identifier: GPL-2.0-only
/* The table of outputs. It is not in output.c because tests use tables of their own. */
#include "output/output.h"

#define ROW(name)	&name##_output,

const struct output *const output_table[] = { OUTPUT_TABLE(ROW) NULL };

_Static_assert(ARRAY_SIZE(output_table) <= OUTPUTS_MAX + 1, "OUTPUTS_MAX is too small");
