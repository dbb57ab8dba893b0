/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BPF_OBJECTS_H
#define OVNIK_TOOL_BPF_OBJECTS_H

#include <stddef.h>

#define OVNIK_NR_BPF_OBJECTS	3

/**
 * struct embedded_object - An object of bpf/ that is part of this program.
 * @kernel: the first kernel that it is for
 * @type:   a structure that this kernel has and those before it have not; NULL: all
 * @bytes:  of its ELF file; the length is stored
 */
struct embedded_object {
	const char *kernel;
	const char *type;
	const void *(*bytes)(size_t *len);
};

extern const struct embedded_object embedded_objects[OVNIK_NR_BPF_OBJECTS];

#endif /* OVNIK_TOOL_BPF_OBJECTS_H */
