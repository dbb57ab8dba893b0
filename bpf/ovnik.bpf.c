// SPDX-License-Identifier: GPL-2.0-only
/*
 * All probes as one program text: they share maps and the functions of ring.bpf.h, which
 * would be verified again for each object.
 */
#include "capture.bpf.c"
#include "sched.bpf.c"
#include "cow.bpf.c"
#include "fault.bpf.c"
#include "mm.bpf.c"
#include "remap.bpf.c"
#include "task.bpf.c"
#include "pagecache.bpf.c"
#include "file.bpf.c"
#include "rw.bpf.c"
#include "statedump.bpf.c"

char LICENSE[] SEC("license") = "GPL";
