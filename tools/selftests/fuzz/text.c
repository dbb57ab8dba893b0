// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions on text. The sanitizer's tell the fuzzer what is compared, which takes long where the
 * mutator knows the text. These are compiled with the sanitizer, which sees each byte.
 */
#include "util/types.h"

int __wrap_strcmp(const char *a, const char *b);
int __wrap_strncmp(const char *a, const char *b, size_t len);
int __wrap_memcmp(const void *a, const void *b, size_t len);

int __wrap_strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (u8)*a - (u8)*b;
}

int __wrap_strncmp(const char *a, const char *b, size_t len)
{
	while (len && *a && *a == *b) {
		a++;
		b++;
		len--;
	}
	return len ? (u8)*a - (u8)*b : 0;
}

int __wrap_memcmp(const void *a, const void *b, size_t len)
{
	const u8 *x = a, *y = b;

	while (len && *x == *y) {
		x++;
		y++;
		len--;
	}
	return len ? *x - *y : 0;
}
