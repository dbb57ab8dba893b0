// SPDX-License-Identifier: GPL-2.0-only
/* A table of clock offsets. The input is the table. */
#include "heap.h"
#include "memfs.h"
#include "target.h"
#include "trace/offsets.h"

#define TABLE	MEMFS_ROOT "/clock-offsets.txt"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct ovni_offsets table;
	u32 i;
	int ret;

	memfs_reset();
	memfs_put(TABLE, data, len);
	ret = ovni_offsets_load(&table, TABLE);
	for (i = 0; !ret && i < table.n; i++) {
		s64 ns = ovni_offsets_find(&table, table.offset[i].host);

		must(ns > -(1LL << 62) && ns < 1LL << 62, "an offset is in range");
	}
	if (!ret)
		ret = ovni_offsets_check(&table);
	must_say(ret);
	ovni_offsets_free(&table);
	heap_check();
	return 0;
}
