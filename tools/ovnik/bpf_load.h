/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BPF_LOAD_H
#define OVNIK_TOOL_BPF_LOAD_H

#include <bpf/libbpf.h>

#include "bpf.h"

/**
 * struct bpf_set - What this program has loaded; all of it goes when it ends.
 * @object:  or NULL
 * @kernel:  for which kernels the object is
 * @links:   of what is attached, iterators too; NULL where that failed
 * @programs: of the same index
 * @nr:	     length of both
 * @model:   a ring as the others will be, until the object is loaded
 * @fault_by_kprobe: somebody else is around handle_mm_fault()
 */
struct bpf_set {
	struct bpf_object *object;
	const char *kernel;
	struct bpf_link **links;
	struct bpf_program **programs;
	int nr;
	int model;
	bool fault_by_kprobe;
};

extern struct bpf_set bpf_set;

static inline const struct program *bpf_row_of(const struct bpf_program *program)
{
	return bpf_program_of(bpf_program__name(program));
}

#endif /* OVNIK_TOOL_BPF_LOAD_H */
