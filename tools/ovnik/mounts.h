/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MOUNTS_H
#define OVNIK_MOUNTS_H

#include <json-c/json.h>

void mounts_describe(struct json_object *meta);

#endif /* OVNIK_MOUNTS_H */
