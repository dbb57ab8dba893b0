/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_RESULT_H
#define OVNIK_SELFTEST_RESULT_H

#include <stddef.h>

struct json_object;

/* Is given an event's name and what is wrong with it, a sentence. */
typedef void (*result_fault_fn)(const char *event, const char *says, void *data);

const char *result_text(struct json_object *object, const char *key);
struct json_object *result_list(struct json_object *object, const char *key, size_t *nr);
unsigned int result_each_fault(struct json_object *result, result_fault_fn say, void *data);

#endif /* OVNIK_SELFTEST_RESULT_H */
