// SPDX-License-Identifier: GPL-2.0-only
/* An XRay log, read record by record. The input is the log. */
#include <errno.h>
#include <string.h>

#include <sanitizer/asan_interface.h>

#include "edit.h"
#include "heap.h"
#include "memfs.h"
#include "target.h"
#include "xray/log.h"

#define LOG	MEMFS_ROOT "/log"

static u64 count(struct xray_log *log, int *ret)
{
	struct xray_cursor c;
	u32 i;
	u64 n = 0;

	for (i = 0; !*ret && i < log->nr_threads; i++) {
		*ret = xray_cursor_open(&c, log, i);
		while (!*ret && (*ret = xray_cursor_next(&c)) > 0) {
			/* The sanitizer sees whether the bytes are there. */
			if (c.rec.kind == XRAY_CUSTOM_EVENT && c.rec.data)
				must(!__asan_region_is_poisoned((void *)c.rec.data, c.rec.size),
				     "an event has its data");
			*ret = 0;
			n++;
		}
		xray_cursor_close(&c);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct xray_log log;
	u64 records = 0;
	int ret;

	memfs_reset();
	memfs_put(LOG, data, len);
	ret = xray_log_open(&log, LOG);
	if (!ret)
		records = count(&log, &ret);
	must(!ret || ret == -EINVAL || ret == -ENODATA, "the status is documented");
	must_say(false);
	must(records <= len / XRAY_FUNCTION_SIZE, "no more records than there is room for");
	must(log.lost_bytes <= len, "no more bytes are lost than there are");
	xray_log_close(&log);
	heap_check();
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t len, size_t room, unsigned int seed)
{
	static u8 bytes[PACK_ROOM];
	struct part part = { .data = bytes, .len = len < PACK_ROOM ? len : PACK_ROOM };
	u32 n;

	draw_seed(seed);
	memcpy(bytes, data, part.len);
	for (n = 1 + draw(4); n; n--)
		edit_log(&part);
	if (part.len > room)
		part.len = room;
	memcpy(data, bytes, part.len);
	return part.len;
}
