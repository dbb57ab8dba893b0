/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_ABI_H
#define OVNIK_OUTPUT_TRACERS_ABI_H

#include "util/types.h"

/**
 * tracer_abi_in() - Find the version of tracer.h that a shared object was compiled with.
 * @path: file name
 * @symbol: of its struct tracer_class, whose first member is the version
 * @abi: is set
 *
 * Reads the file without loading it: an object of another version may need functions that
 * the program no longer has, and then cannot be loaded.
 *
 * Context: Any.
 * Return: true; false if the file does not show it.
 */
bool tracer_abi_in(const char *path, const char *symbol, u32 *abi);

#endif /* OVNIK_OUTPUT_TRACERS_ABI_H */
