/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_TRACING_H
#define OVNIK_OUTPUT_TRACERS_TRACING_H

#include "capture/capture.h"
#include "output/tracers/tracers.h"
#include "world/world.h"

/**
 * struct tracing - Tracers in a pass over a capture. All zero is none.
 * @tracers: they
 * @tasks: what they are told of
 */
struct tracing {
	struct tracers *tracers;
	struct tasks *tasks;
};

/**
 * tracing_wanted() - Are there any?
 * @tracers: from the user, or NULL
 *
 * Context: Any.
 * Return: true, false.
 */
static inline bool tracing_wanted(const struct tracers *tracers)
{
	return tracers && tracers->nr;
}

/**
 * tracing_open() - Start the tracers.
 * @t: zeroed; call tracing_close() in any case
 * @tracers: from the user
 * @cap: the capture, its clock as it will stay
 *
 * Context: Before anything is written, for here arguments of tracers are refused.
 * Return: 0, a negative errno (told).
 */
int tracing_open(struct tracing *t, struct tracers *tracers, struct capture *cap) __must_check;

/**
 * tracing_attach() - Have them told of what a world tells.
 * @t: after tracing_open(), or zeroed
 * @w: the world, with a clock
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int tracing_attach(struct tracing *t, struct world *w) __must_check;

/**
 * tracing_error() - What could a tracer not do?
 * @t: any
 *
 * Context: Any.
 * Return: 0, a negative errno (told).
 */
int tracing_error(const struct tracing *t) __must_check;

/**
 * tracing_finish() - Print what came of it on stdout.
 * @t: after world_end(), or zeroed
 * @json: as JSON
 *
 * Context: Any.
 * Return: 0, a negative errno (told).
 */
int tracing_finish(struct tracing *t, bool json) __must_check;

/**
 * tracing_close() - Free what attaching took; the tracers are the user's.
 * @t: any
 *
 * Context: Before the world is destroyed.
 */
void tracing_close(struct tracing *t);

#endif /* OVNIK_OUTPUT_TRACERS_TRACING_H */
