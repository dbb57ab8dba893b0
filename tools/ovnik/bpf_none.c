// SPDX-License-Identifier: GPL-2.0-only
/* In place of the BPF back end in a build without it: says so. */
#include <errno.h>
#include <stdbool.h>

#include "backend.h"
#include "util/msg.h"

static bool bpf_present(void)
{
	return false;
}

static int bpf_check(void)
{
	msg_error("this ovnik was built without BPF: load the module (insmod ovnik.ko)");
	return -ENOTSUP;
}

/* Nothing else is called where these fail. */
const struct backend backend_bpf = {
	.name		= "bpf",
	.present	= bpf_present,
	.check		= bpf_check,
	.may_record	= bpf_check,
};
