/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_PASS_H
#define OVNIK_DECODE_PASS_H

#include "capture/capture.h"
#include "world/world.h"

/**
 * pass_run() - Feed a capture to a world.
 * @cap: the capture, after capture_begin_pass()
 * @w: the world, with all hooks attached
 * @progress: text to show with the progress; NULL: do not show it
 *
 * Context: Any.
 * Return: 0; -ENODATA if the capture is damaged and has not one record; the error that a hook
 * passed to hook_fail(); another negative errno. All are reported.
 */
int pass_run(struct capture *cap, struct world *w, const char *progress) __must_check;

#endif /* OVNIK_DECODE_PASS_H */
