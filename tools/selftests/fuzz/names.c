// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of a binary's functions. The input is the ELF file: in memory, but the kernel's,
 * because libelf may map it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memfs.h"
#include "target.h"
#include "util/msg.h"
#include "xray/names.h"

#define NAMES	64

static int fd = -1;
static char path[64];

static void make_file(void)
{
	fd = memfd_create("elf", MFD_CLOEXEC);
	must(fd >= 0, "there is a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	char name[XRAY_NAME_MAX];
	struct xray_names names;
	u32 i;
	int ret;

	memfs_reset();
	if (fd < 0)
		make_file();
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		return 0;
	ret = xray_names_elf.open(&names, path, msg_error);
	must_say(ret);
	for (i = 0; !ret && i <= names.nr + 1 && i < NAMES; i++) {
		if (xray_names_elf.get(&names, i, name))
			must(strlen(name) < sizeof(name), "a name ends");
	}
	xray_names_elf.close(&names);
	return 0;
}
