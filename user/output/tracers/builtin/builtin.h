/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_BUILTIN_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_BUILTIN_H

#include "output/tracers/tracer.h"

/* The built-in tracers, in the order of --list-tracers: tracer_<name>. */
#define BUILTIN_TRACERS(TRACER)	\
	TRACER(busy)		\
	TRACER(total)		\
	TRACER(average)		\
	TRACER(tags)		\
	TRACER(concurrency)	\
	TRACER(top)		\
	TRACER(unfinished)	\
	TRACER(chain)		\
	TRACER(csv)		\
	TRACER(jsonl)		\
	TRACER(database)

#define BUILTIN_DECLARE(name)	extern const struct tracer_class tracer_##name;

BUILTIN_TRACERS(BUILTIN_DECLARE)

/* Begins the definition of a tracer; does not compile without its row above. */
#define DEFINE_TRACER(name)						\
	_Static_assert(sizeof(tracer_##name), "in BUILTIN_TRACERS");	\
	const struct tracer_class tracer_##name

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_BUILTIN_H */
