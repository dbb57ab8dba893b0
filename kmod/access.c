// SPDX-License-Identifier: GPL-2.0-only
/* Who may record and read: root, or also the members of a group. */
#include <linux/kobject.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "access.h"

/* Root's: nobody else. */
static kgid_t group = GLOBAL_ROOT_GID;

/**
 * ovnik_access_set_group() - Let the members of a group do what root may do here.
 * @gid: its number
 *
 * Context: Process, at module load, before there are files.
 * Return: 0; -EINVAL if there is no such number.
 */
int ovnik_access_set_group(int gid)
{
	kgid_t kgid = make_kgid(&init_user_ns, gid);

	if (gid < 0 || !gid_valid(kgid))
		return -EINVAL;
	group = kgid;
	return 0;
}

/**
 * ovnik_access_mode() - The mode of a file.
 * @mode: that for its owner, root
 *
 * Context: Any.
 * Return: @mode, and if there is a group, the same for it.
 */
umode_t ovnik_access_mode(umode_t mode)
{
	return gid_eq(group, GLOBAL_ROOT_GID) ? mode : mode | (mode & 0600) >> 3;
}

/**
 * ovnik_access_gid() - The group of all files.
 *
 * Context: Any.
 * Return: the group.
 */
kgid_t ovnik_access_gid(void)
{
	return group;
}

/**
 * ovnik_access_create_files() - Create files in sysfs for those who may use them.
 * @kobj: their directory
 * @files: the files
 *
 * Context: Process, at module load.
 * Return: 0; a negative errno: the files may be there, until @kobj goes.
 */
int ovnik_access_create_files(struct kobject *kobj, const struct attribute_group *files)
{
	struct attribute **attr;
	int ret;

	ret = sysfs_create_group(kobj, files);
	if (ret || gid_eq(group, GLOBAL_ROOT_GID))
		return ret;
	ret = sysfs_group_change_owner(kobj, files, GLOBAL_ROOT_UID, group);
	for (attr = files->attrs; !ret && *attr; attr++)
		ret = sysfs_chmod_file(kobj, *attr, ovnik_access_mode((*attr)->mode));
	return ret;
}
