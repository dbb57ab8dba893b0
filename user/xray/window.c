// SPDX-License-Identifier: GPL-2.0-only
/* A window that goes through a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "xray/window.h"

static int make_room(struct xray_window *w, u32 need)
{
	u8 *buf;

	if (w->buf && w->room >= need)
		return 0;
	if (w->room < need)
		w->room = need;
	buf = realloc(w->buf, w->room);
	if (!buf)
		return -ENOMEM;
	w->buf = buf;
	return 0;
}

int xray_window_at(struct xray_window *w, u64 offset, u32 need, u64 end)
{
	u32 kept = 0;
	u64 size;
	s64 got;
	int ret;

	if (offset >= w->offset && offset + need <= w->offset + w->size)
		return 0;
	ret = make_room(w, need);
	if (ret)
		return ret;
	/* Keep the bytes that the window has already. */
	if (offset >= w->offset && offset < w->offset + w->size) {
		kept = w->offset + w->size - offset;
		memmove(w->buf, w->buf + (offset - w->offset), kept);
	}
	size = end > offset ? end - offset : 0;
	if (size > w->room)
		size = w->room;
	if (size < kept)
		size = kept;
	w->offset = offset;
	w->size = kept;
	got = pread_all(w->fd, w->buf + kept, size - kept, offset + kept);
	if (got < 0)
		return got;
	w->size += got;
	return w->size < need ? -ENODATA : 0;
}
