/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_TYPES_H
#define OVNIK_UTIL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* The kernel's short names, so that code reads the same on both sides. */
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define __must_check	__attribute__((warn_unused_result))
#define __printf_like(fmt, args) __attribute__((format(printf, fmt, args)))

#endif /* OVNIK_UTIL_TYPES_H */
