/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_ACCESS_H
#define OVNIK_ACCESS_H

#include <linux/sysfs.h>
#include <linux/uidgid.h>

int ovnik_access_set_group(int gid);
umode_t ovnik_access_mode(umode_t mode);
kgid_t ovnik_access_gid(void);
int ovnik_access_create_files(struct kobject *kobj, const struct attribute_group *files);

#endif /* OVNIK_ACCESS_H */
