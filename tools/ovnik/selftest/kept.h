/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_KEPT_H
#define OVNIK_SELFTEST_KEPT_H

struct json_object;

void kept_key(struct json_object *result);
void kept_write(struct json_object *result);
struct json_object *kept_read(void);

#endif /* OVNIK_SELFTEST_KEPT_H */
