/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_ELF_H
#define OVNIK_OUTPUT_XRAY_ELF_H

#include "util/types.h"

/*
 * The companion of our logs: an ELF file for x86-64 with nothing but a symbol for each
 * function of functions.h and the instrumentation map of them, which is where llvm-xray
 * looks for what an id is called (--instr_map). Nothing in it can be run.
 */

#define ELF_MAP_NAME	"xray.elf"

/**
 * elf_write_map() - Write the companion.
 * @dir: directory for ELF_MAP_NAME
 *
 * Context: Any.
 * Return: 0; a negative errno (reported).
 */
int elf_write_map(const char *dir) __must_check;

#endif /* OVNIK_OUTPUT_XRAY_ELF_H */
