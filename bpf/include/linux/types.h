/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_BPF_LINUX_TYPES_H
#define OVNIK_BPF_LINUX_TYPES_H

/* In a BPF object the kernel's types come from its BTF: vmlinux.h. */

#endif /* OVNIK_BPF_LINUX_TYPES_H */
