// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs that do nothing, around the functions that the module would be around. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define AROUND(function)							\
SEC("fexit/" #function)								\
int taken_##function(void *ctx)							\
{										\
	return 0;								\
}

AROUND(vfs_read)
AROUND(vfs_write)
AROUND(rw_verify_area)
AROUND(shmem_add_to_page_cache)

char LICENSE[] SEC("license") = "GPL";
