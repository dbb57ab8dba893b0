// SPDX-License-Identifier: GPL-2.0-only
/* Decimal numbers as text: see decimal.h. */
#include <string.h>

#include "util/decimal.h"

/* "00" to "99", for two digits at a time. */
#define TEN(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
static const char digits[] = TEN("0") TEN("1") TEN("2") TEN("3") TEN("4")
			     TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

static inline char *put_pair(char *p, u32 v)
{
	memcpy(p, &digits[2 * v], 2);
	return p + 2;
}

static inline char *put_4(char *p, u32 v)
{
	return put_pair(put_pair(p, v / 100), v % 100);
}

static inline char *put_8(char *p, u32 v)
{
	return put_4(put_4(p, v / 10000), v % 10000);
}

/* A number below 10000 without leading zeroes. */
static inline char *put_short(char *p, u32 v)
{
	if (v >= 1000)
		return put_4(p, v);
	if (v >= 100) {
		*p++ = '0' + v / 100;
		return put_pair(p, v % 100);
	}
	if (v >= 10)
		return put_pair(p, v);
	*p = '0' + v;
	return p + 1;
}

char *decimal_put(char *p, u64 v)
{
	if (v < 10000)
		return put_short(p, v);
	if (v < 100000000)
		return put_4(put_short(p, v / 10000), v % 10000);
	return put_8(decimal_put(p, v / 100000000), v % 100000000);
}
