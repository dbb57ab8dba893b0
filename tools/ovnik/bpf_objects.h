/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BPF_OBJECTS_H
#define OVNIK_TOOL_BPF_OBJECTS_H

#include <stddef.h>

#define OVNIK_NR_BPF_OBJECTS	4

/**
 * struct embedded_object - An object of bpf/ embedded in this program.
 * @kernel:  the first kernel that it is for
 * @feature: a structure or function that this kernel has and older ones do not; NULL: none
 * @kind:    which: BTF_KIND_STRUCT or BTF_KIND_FUNC
 * @bytes:   returns its ELF file and stores the length
 */
struct embedded_object {
	const char *kernel;
	const char *feature;
	unsigned int kind;
	const void *(*bytes)(size_t *len);
};

extern const struct embedded_object embedded_objects[OVNIK_NR_BPF_OBJECTS];

#endif /* OVNIK_TOOL_BPF_OBJECTS_H */
