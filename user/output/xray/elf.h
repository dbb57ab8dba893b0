/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_ELF_H
#define OVNIK_OUTPUT_XRAY_ELF_H

#include "util/types.h"

/*
 * An ELF file for x86-64 that gives the functions of our logs their names: it has a symbol and an
 * entry in the instrumentation map for each function of functions.h. llvm-xray takes names from
 * there (--instr_map). The file contains no code.
 */

#define ELF_MAP_NAME	"xray.elf"

/**
 * elf_check() - Can that file be written? Not if libelf was missing when this was built.
 *
 * Context: Any.
 * Return: 0; -ENOTSUP (reported).
 */
int elf_check(void);

/**
 * elf_write_map() - Write that file.
 * @dir: directory for ELF_MAP_NAME
 *
 * Context: Any.
 * Return: 0; a negative errno (reported).
 */
int elf_write_map(const char *dir) __must_check;

#endif /* OVNIK_OUTPUT_XRAY_ELF_H */
