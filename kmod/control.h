/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CONTROL_H
#define OVNIK_CONTROL_H

#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/string.h>

/* A size in bytes, or with a suffix K, M or G. Return: 0; -EINVAL. */
static inline int ovnik_parse_size(const char *text, u64 *size)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	*size = memparse(text, &end);
	return *end == '\0' || !strcmp(end, "\n") ? 0 : -EINVAL;
}

/* "discard" or "overwrite". Return: 0; -EINVAL. */
static inline int ovnik_parse_mode(const char *text, bool *overwrite)
{
	*overwrite = sysfs_streq(text, "overwrite");
	return *overwrite || sysfs_streq(text, "discard") ? 0 : -EINVAL;
}

int ovnik_stats_init(struct kobject *root);
void ovnik_stats_exit(void);

#endif /* OVNIK_CONTROL_H */
