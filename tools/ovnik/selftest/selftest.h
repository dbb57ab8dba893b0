/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_H
#define OVNIK_SELFTEST_H

#include <stdbool.h>

struct json_object;

int selftest(bool json);
int selftest_once(void);
void selftest_describe(struct json_object *meta);

#endif /* OVNIK_SELFTEST_H */
