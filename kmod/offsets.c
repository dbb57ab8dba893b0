// SPDX-License-Identifier: GPL-2.0-only
/* Compiled, but not linked: kbuild makes offsets.h of it, for around_stub.S. */
#include <linux/fs.h>
#include <linux/kbuild.h>
#include <linux/stat.h>

#include "around.h"

int main(void)
{
	OFFSET(FILE_INODE, file, f_inode);
	OFFSET(INODE_MODE, inode, i_mode);
	DEFINE(MODE_TYPE, S_IFMT);
	DEFINE(MODE_FILE, S_IFREG);
	DEFINE(MODE_BLOCK, S_IFBLK);
	OFFSET(AROUND_BODY, ovnik_around, body);
	OFFSET(AROUND_SIZE, ovnik_around, size);
	return 0;
}
