/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_BUILTIN_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_BUILTIN_H

#include "output/tracers/tracer.h"

/* The tracers that need not be loaded. */
extern const struct tracer_class tracer_busy;
extern const struct tracer_class tracer_total;
extern const struct tracer_class tracer_average;
extern const struct tracer_class tracer_tags;
extern const struct tracer_class tracer_concurrency;
extern const struct tracer_class tracer_top;
extern const struct tracer_class tracer_unfinished;
extern const struct tracer_class tracer_chain;
extern const struct tracer_class tracer_csv;
extern const struct tracer_class tracer_jsonl;
extern const struct tracer_class tracer_database;

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_BUILTIN_H */
