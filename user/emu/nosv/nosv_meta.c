// SPDX-License-Identifier: GPL-2.0-only
/* nOS-V's part of stream.json. */
#include <errno.h>
#include <stdio.h>

#include <json-c/json.h>

#include "util/json.h"
#include "emu/nosv/nosv_model.h"
#include "util/msg.h"

static int refused(const struct emu *emu, const char *path)
{
	msg_error("%s: %s", path, emu_reason(emu));
	return -EINVAL;
}

int nosv_breakdown_declare(struct emu *emu, bool can)
{
	struct nosv_data *data = nosv_data_get(emu);

	if (!data)
		return -ENOMEM;
	data->can_breakdown += can;
	data->cannot_breakdown += !can;
	return 0;
}

/* Members "0", "1" and so on, each an object with a name. */
static int counter_names(const char *path, struct json_object *hwc, const char **label, u32 n)
{
	char key[16];
	u32 i;

	for (i = 0; i < n; i++) {
		struct json_object *counter;

		snprintf(key, sizeof(key), "%u", i);
		counter = json_get_object(path, hwc, key);
		label[i] = counter ? json_get_string(path, counter, "name") : NULL;
		if (!label[i])
			return -EINVAL;
	}
	return 0;
}

static int meta_counters(struct emu *emu, const char *path, struct json_object *nosv)
{
	const char *label[NOSV_MAX_COUNTERS];
	struct json_object *hwc;
	int n;

	if (!json_object_object_get_ex(nosv, "hwc", &hwc))
		return 0;
	hwc = json_get_object(path, nosv, "hwc");
	if (!hwc)
		return -EINVAL;
	n = json_object_object_length(hwc);
	if (n > NOSV_MAX_COUNTERS) {
		msg_error("%s: %d hardware counters, at most %d are supported", path, n,
			  NOSV_MAX_COUNTERS);
		return -EINVAL;
	}
	if (counter_names(path, hwc, label, n))
		return -EINVAL;
	return nosv_counters_declare(emu, label, n) ? refused(emu, path) : 0;
}

int nosv_meta_load(struct emu *emu, const char *path, struct json_object *root)
{
	struct json_object *nosv, *can;

	if (!json_object_object_get_ex(root, "nosv", &nosv))
		return 0;
	nosv = json_get_object(path, root, "nosv");
	if (!nosv)
		return -EINVAL;
	/* Only a breakdown needs it; there a value that is not a boolean counts as missing. */
	if (json_object_object_get_ex(nosv, "can_breakdown", &can) &&
	    json_object_is_type(can, json_type_boolean) &&
	    nosv_breakdown_declare(emu, json_object_get_boolean(can)))
		return refused(emu, path);
	return meta_counters(emu, path, nosv);
}
