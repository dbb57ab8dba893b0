/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_KEPT_H
#define OVNIK_SELFTESTS_FUZZ_KEPT_H

/*
 * What costs time and depends on little: a text that was parsed before is not parsed again, and
 * Paraver's views, which only depend on what types occur, are rarely written.
 */
#include <stdbool.h>

/* Write them this time. */
extern bool kept_views;

#endif /* OVNIK_SELFTESTS_FUZZ_KEPT_H */
