/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_REPLAY_H
#define OVNIK_WORLD_REPLAY_H

#include "capture/merge.h"
#include "world/world.h"

/**
 * struct replay - A world that stands at some moment of a capture.
 * @cap: the capture
 * @world: the world; attach hooks to it before the first replay_until()
 * @merge: where it stands in the capture
 * @next: the first item that the world does not know yet; NULL before the first
 *	  replay_until() and at the end
 * @began: world_begin() was called
 */
struct replay {
	struct capture cap;
	struct world world;
	struct merge merge;
	const struct capture_item *next;
	bool began;
};

/**
 * replay_open() - Open a capture to see what it says of some moments.
 * @r: is set; call replay_close() in any case
 * @dir: directory of the capture
 *
 * Context: Any.
 * Return: 0; what opening gave (told), -ENOMEM.
 */
int replay_open(struct replay *r, const char *dir) __must_check;

/**
 * replay_until() - Let the world know what happened up to a moment.
 * @r: the replay
 * @tsc: the moment, itself included; not before that of the last call. What came
 *	 before the capture is done at once; ~0ULL is its end.
 *
 * Context: Any.
 * Return: 0, -ENOMEM, what a hook gave hook_fail().
 */
int replay_until(struct replay *r, u64 tsc) __must_check;

/**
 * replay_close() - Free a replay.
 * @r: as replay_open() left it
 *
 * Context: Any.
 */
void replay_close(struct replay *r);

#endif /* OVNIK_WORLD_REPLAY_H */
