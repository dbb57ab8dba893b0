// SPDX-License-Identifier: GPL-2.0-only
/* The ovni trace as an output. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "align/align.h"
#include "output/output.h"
#include "output/ovni/tree.h"
#include "output/ovni/writer.h"
#include "util/msg.h"
#include "util/stage.h"

struct ovni_output {
	struct ovni_writer writer;
	int dir;
	bool open;
};

static const char *path_of(char *path, const char *out)
{
	snprintf(path, PATH_MAX, "%s/ovni", out);
	return path;
}

static int can_clear(const struct stage *stage)
{
	char path[PATH_MAX];

	return tree_check_all(stage->dir.fd, "ovni", path_of(path, stage->dir.path));
}

/* Of a trace that is removed where it is, an interrupted run would leave a part under its name. */
static int clear(const struct stage *stage)
{
	char path[PATH_MAX];
	int ret;

	ret = tree_check(stage->dir.fd, "ovni", path_of(path, stage->dir.path));
	if (ret)
		return ret;
	if (renameat(stage->dir.fd, "ovni", stage->lock, ".old"))
		return errno == ENOENT ? 0 :
		       report_error(path, "cannot remove this directory", errno);
	return tree_remove(stage->lock, ".old", path);
}

static int attach(void *data, const struct output_env *env)
{
	struct ovni_output *o = data;
	char path[PATH_MAX];
	int fd;

	fd = tree_open_new(path_of(path, env->out));
	if (fd < 0)
		return fd;
	close(fd);
	snprintf(path, sizeof(path), "%s/ovni/loom.%s", env->out, env->loom);
	o->dir = tree_open_new(path);
	if (o->dir < 0)
		return o->dir;
	o->open = true;
	return ovni_writer_attach(&o->writer, env->events, env->world, path, o->dir, env->loom,
				  env->apps);
}

static int finish(void *data, const struct output_env *env)
{
	const struct ovni_joined *joined = env->events->joined;
	struct ovni_output *o = data;
	char path[PATH_MAX];
	int ret = 0;

	if (joined)
		ret = joined->write_rest(joined->data, path_of(path, env->out), env->loom,
					 o->writer.first_clock);
	if (!ret)
		ret = align_save(o->writer.path, env->cap->meta.walls, env->cap->meta.nr_walls);
	return ret ? ret : ovni_writer_finish(&o->writer);
}

static void close_output(void *data)
{
	struct ovni_output *o = data;

	ovni_writer_close(&o->writer);
	if (o->open)
		close(o->dir);
	o->open = false;
}

DEFINE_OUTPUT(ovni) = {
	.name = "ovni",
	.sentence = "an ovni trace, version 3, which ovniemu accepts: ovni/",
	.flags = OUTPUT_FILES | OUTPUT_DEFAULT | OUTPUT_EVENTS | OUTPUT_MERGES |
		 OUTPUT_NODES,
	.shows = "ovni",
	.before = "ovnik-emu",
	.size = sizeof(struct ovni_output),
	.can_clear = can_clear,
	.clear = clear,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
