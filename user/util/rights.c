// SPDX-License-Identifier: GPL-2.0-only
/* What is made gives no more rights than what it is made of: see rights.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/below.h"
#include "util/rights.h"

/* The group that the mask is for; -1: any. */
static gid_t group_of_mask = -1;

/* Who may not read may do nothing; who may not write may read. */
static mode_t withheld(mode_t mode)
{
	return mode & 4 ? ~mode & 2 : 7;
}

void rights_at_most(const struct stat *st, gid_t group)
{
	mode_t others = withheld(st->st_mode), of_group = withheld(st->st_mode >> 3);

	if (st->st_gid != group)
		of_group |= others;
	group_of_mask = group;
	umask(umask(077) | of_group << 3 | others);
}

static void rights_of_all_in(int fd, gid_t group)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	dir = below_read(fd);
	while (dir && (entry = readdir(dir))) {
		if (!fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			rights_at_most(&st, group);
	}
	if (dir)
		closedir(dir);
}

void rights_of(const char *path, gid_t group)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		rights_at_most(&st, group);
	rights_of_all_in(fd, group);
	close(fd);
}

int rights_apply(int fd, mode_t mode)
{
	mode_t mask = umask(077);
	struct stat st;

	umask(mask);
	if (fstat(fd, &st))
		return -errno;
	if (group_of_mask != (gid_t)-1 && st.st_gid != group_of_mask)
		mask |= (mask & 07) << 3;
	fremovexattr(fd, "system.posix_acl_access");
	return fchmod(fd, (mode & ~mask) | (st.st_mode & S_ISGID)) ? -errno : 0;
}

void rights_inherit_none(int fd)
{
	fremovexattr(fd, "system.posix_acl_default");
}
