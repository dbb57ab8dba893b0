/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BPF_LOAD_H
#define OVNIK_TOOL_BPF_LOAD_H

#include <bpf/libbpf.h>

#include "bpf.h"

/**
 * struct bpf_set - What this program has loaded; unloaded when it ends.
 * @object:  the BPF object, or NULL
 * @kernel:  first kernel that the object is for
 * @links:   one per attached program, iterators included; NULL where attaching failed
 * @programs: the programs, with the same index
 * @nr:	     length of both
 * @model:   template of a ring, needed until the object is loaded
 * @by_kprobe: another program is around handle_mm_fault() and the like: use kprobes there
 * @plain_wakers: the kernel lacks what tells who wakes a task
 * @ia32_calls: it has the system calls of 32-bit programs
 */
struct bpf_set {
	struct bpf_object *object;
	const char *kernel;
	struct bpf_link **links;
	struct bpf_program **programs;
	int nr;
	int model;
	bool by_kprobe;
	bool plain_wakers;
	bool ia32_calls;
};

extern struct bpf_set bpf_set;

static inline const struct program *bpf_row_of(const struct bpf_program *program)
{
	return bpf_program_of(bpf_program__name(program));
}

#endif /* OVNIK_TOOL_BPF_LOAD_H */
