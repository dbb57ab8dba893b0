// SPDX-License-Identifier: GPL-2.0-only
/* The time of day in a loom, as in meta.json: see align.h. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <json-c/json.h>

#include "align/align.h"
#include "capture/meta_wall.h"
#include "trace/format.h"
#include "util/json.h"
#include "util/json_compat.h"
#include "util/msg.h"
#include "util/out.h"

static int add_wall(struct json_object *list, const struct meta_wall *wall)
{
	struct json_object *one = json_object_new_object();
	int bad;

	bad = json_add(one, "realtime", json_from_u64(wall->realtime));
	bad |= json_add(one, "monotonic", json_from_u64(wall->monotonic));
	bad |= json_add(one, "width", json_from_u64(wall->width));
	bad |= json_add(one, "synced", json_object_new_boolean(wall->synced));
	bad |= json_add(one, "max_error", json_from_u64(wall->max_error));
	if (!bad && !json_object_array_add(list, one))
		return 0;
	json_object_put(one);
	return -ENOMEM;
}

static int write_walls(struct out *out, const struct meta_wall *walls, unsigned int nr)
{
	struct json_object *root = json_object_new_object();
	struct json_object *list = json_object_new_array();
	unsigned int i;
	int bad;

	bad = json_add(root, "walls", list);
	for (i = 0; i < nr && !bad; i++)
		bad = add_wall(list, &walls[i]);
	if (!bad)
		bad = json_write_lines(root, out->f);
	json_object_put(root);
	return bad ? msg_no_memory() : 0;
}

int align_save(const char *dir, const struct meta_wall *walls, unsigned int nr)
{
	struct out out;
	int ret, closed;

	if (!nr)
		return 0;
	ret = out_open(&out, dir, OVNI_CLOCK_JSON);
	if (ret)
		return ret;
	ret = write_walls(&out, walls, nr);
	closed = out_close(&out);
	return ret ? ret : closed;
}

static int load_walls(struct align *a, const char *path)
{
	struct json_object *root = json_load(path);
	struct meta_wall *walls = NULL;
	unsigned int nr = 0;
	const char *why;

	if (!root)
		return -EINVAL;
	why = meta_walls_read(root, &walls, &nr);
	if (why)
		msg_error("%s: %s", path, why);
	else
		align_read(a, walls, nr);
	free(walls);
	json_object_put(root);
	return why ? -EINVAL : 0;
}

int align_load(struct align *a, const char *dir)
{
	char *path = out_path(dir, OVNI_CLOCK_JSON);
	int ret;

	if (!path)
		return msg_no_memory();
	ret = access(path, F_OK) ? 0 : load_walls(a, path);
	free(path);
	return ret;
}
