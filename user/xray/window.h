/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_WINDOW_H
#define OVNIK_XRAY_WINDOW_H

#include "util/types.h"

/**
 * struct xray_window - What was read of a file last.
 * @fd: the file
 * @buf: the bytes
 * @room: bytes allocated
 * @offset: where they begin in the file
 * @size: how many they are
 */
struct xray_window {
	int fd;
	u8 *buf;
	u32 room;
	u64 offset;
	u32 size;
};

/**
 * xray_window_at() - Have bytes of the file in the window.
 * @w: the window; @w->fd and @w->room are set, @w->buf is allocated if it is NULL
 * @offset: from where
 * @need: how many at least; the window grows to that
 * @end: no byte from there on is read
 *
 * Context: Any.
 * Return: 0; -ENODATA if the file does not have them, another negative errno.
 */
int xray_window_at(struct xray_window *w, u64 offset, u32 need, u64 end) __must_check;

#endif /* OVNIK_XRAY_WINDOW_H */
