// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory references, from binary to text and back. The first byte: to text, and wide.
 *
 * What was converted as a whole must come back as it was, but for the form of digits.
 */
#include <string.h>

#include "heap.h"
#include "memfs.h"
#include "ovnik-refs/refs.h"
#include "target.h"

#define IN	MEMFS_ROOT "/in"
#define OUT	MEMFS_ROOT "/out"
#define BACK	MEMFS_ROOT "/back"
#define AGAIN	MEMFS_ROOT "/again"

static bool same(const char *a, const char *b)
{
	size_t len_a, len_b;
	const u8 *x = memfs_get(a, &len_a), *y = memfs_get(b, &len_b);

	return len_a == len_b && (!len_a || !memcmp(x, y, len_a));
}

static int convert(const char *in, const char *out, bool to_text, bool wide)
{
	return refs_run(&(struct refs_job){
		.in = in, .out = out, .to_text = to_text, .wide = wide,
	});
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	bool to_text, wide;

	if (!len)
		return 0;
	to_text = data[0] & 1;
	wide = data[0] & 2;
	memfs_reset();
	memfs_put(IN, data + 1, len - 1);
	must_say(convert(IN, OUT, to_text, wide));
	/* What was converted before that is sound. */
	must(!convert(OUT, BACK, !to_text, wide), "what was converted can be converted back");
	if (to_text)
		return 0;
	must(!convert(BACK, AGAIN, to_text, wide) && same(OUT, AGAIN), "it comes back as it was");
	heap_check();
	return 0;
}
