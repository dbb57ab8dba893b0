// SPDX-License-Identifier: GPL-2.0-only
/* The objects of bpf/: one for each kernel that changed the available hooks. */
#include <linux/btf.h>

#include "ovnik_bpf.h"

#include "bpf/ovnik_6_1.skel.h"
#include "bpf/ovnik_6_12.skel.h"
#include "bpf/ovnik_6_3.skel.h"
#include "bpf/ovnik_7.skel.h"
#include "bpf_objects.h"

/* Newest first. */
const struct embedded_object embedded_objects[OVNIK_NR_BPF_OBJECTS] = {
	{ "7", "vma_remap_struct", BTF_KIND_STRUCT, ovnik_7__elf_bytes },
	{ "6.12", "vma_munmap_struct", BTF_KIND_STRUCT, ovnik_6_12__elf_bytes },
	{ "6.3", "do_vmi_munmap", BTF_KIND_FUNC, ovnik_6_3__elf_bytes },
	{ "6.1", NULL, BTF_KIND_UNKN, ovnik_6_1__elf_bytes },
};
