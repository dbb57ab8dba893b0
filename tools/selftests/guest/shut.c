// SPDX-License-Identifier: GPL-2.0-only
/*
 * shut - leave the rings of pinned BPF probes as an ovnik that is killed between shutting
 * the open sub-buffers and noting their lengths
 *
 *	shut
 */

#include <err.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "ovnik_bpf.h"

#define PIN	"/sys/fs/bpf/ovnik/maps/ovnik_bss"

int main(void)
{
	union bpf_attr attr = { .pathname = (uintptr_t)PIN };
	struct ovnik_bpf_shared *shared;
	int cpu, fd, nr = 0;

	fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	if (fd < 0)
		err(1, PIN);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	for (cpu = 0; cpu < get_nprocs_conf(); cpu++) {
		__u64 *pos = &shared->cpus[cpu].pos;

		nr += !(__atomic_fetch_or(pos, OVNIK_BPF_SHUT, __ATOMIC_ACQ_REL) & OVNIK_BPF_SHUT);
	}
	printf("%d\n", nr);
	return !nr;
}
