/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PARSE_H
#define OVNIK_PARSE_H

#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

/* A number of bytes; K, M or G may follow. Return: 0; -EINVAL. */
static inline int ovnik_parse_size(const char *text, u64 *size)
{
	static const char suffixes[] = "KMG";
	size_t digits = strspn(text, "0123456789");
	unsigned int shift = 0;
	char number[24];
	const char *suffix;

	/* kstrtoull() accepts a sign, and nothing after the number. */
	if (!digits || digits >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (kstrtoull(number, 10, size))
		return -EINVAL;

	text += digits;
	suffix = *text ? strchr(suffixes, *text) : NULL;
	if (suffix) {
		shift = 10 * (suffix - suffixes + 1);
		text++;
	}
	if (!sysfs_streq(text, "") || *size > U64_MAX >> shift)
		return -EINVAL;
	*size <<= shift;
	return 0;
}

/* "0" or "1" and nothing else, unlike kstrtobool(). Return: 0; -EINVAL. */
static inline int ovnik_parse_flag(const char *text, bool *on)
{
	*on = sysfs_streq(text, "1");
	return *on || sysfs_streq(text, "0") ? 0 : -EINVAL;
}

/* A user ID, or nothing: -1, which is nobody's. Return: 0; -EINVAL. */
static inline int ovnik_parse_uid(const char *text, u32 *uid)
{
	*uid = U32_MAX;
	if (sysfs_streq(text, ""))
		return 0;
	return *text == '+' || kstrtou32(text, 10, uid) || *uid == U32_MAX ? -EINVAL : 0;
}

/* "discard" or "overwrite". Return: 0; -EINVAL. */
static inline int ovnik_parse_mode(const char *text, bool *overwrite)
{
	*overwrite = sysfs_streq(text, "overwrite");
	return *overwrite || sysfs_streq(text, "discard") ? 0 : -EINVAL;
}

/* The index of a word among @nr ones. Return: 0; -EINVAL. */
static inline int ovnik_parse_word(const char *text, const char *const *words, int nr, int *index)
{
	for (*index = 0; *index < nr; ++*index)
		if (sysfs_streq(text, words[*index]))
			return 0;
	return -EINVAL;
}

#endif /* OVNIK_PARSE_H */
