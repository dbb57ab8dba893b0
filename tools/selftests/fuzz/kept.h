/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_KEPT_H
#define OVNIK_SELFTESTS_FUZZ_KEPT_H

/*
 * What costs time and depends on little: a text that was parsed before is not parsed again, and
 * Paraver's views, which only depend on what types occur, are rarely written. Texts of meta.json
 * that are valid are few among those that an edit makes: the mutator goes back to them.
 */
#include <stdbool.h>

#include <stddef.h>

#include "util/types.h"

/* Write them this time. */
extern bool kept_views;

/* Was a meta.json with this text used as it is? */
bool kept_is_valid(const u8 *text, size_t len);

/* Some meta.json that was, and has @name in it; NULL: none was met. */
const u8 *kept_valid(const char *name, size_t *len);

#endif /* OVNIK_SELFTESTS_FUZZ_KEPT_H */
