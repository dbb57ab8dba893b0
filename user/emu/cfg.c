// SPDX-License-Identifier: GPL-2.0-only
/* Paraver's views. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/breakdown.h"
#include "emu/cfg.h"
#include "emu/cfg_table.h"
#include "emu/cfg_template.h"
#include "emu/core.h"
#include "util/msg.h"
#include "util/out.h"

#define NAME_MAX_SHOWN 200

/* Which view answers which question. */
#define CFG_INDEX "cfg/INDEX"

#define cfg_file_thread	PRV_THREAD
#define cfg_file_cpu	PRV_CPU

/* How values look: colours of a state, the gradient of a quantity; a counter has it at its end. */
enum cfg_look { CFG_STATE, CFG_QUANTITY, CFG_COUNTER };

/**
 * struct cfg - A view.
 * @file: the trace it shows
 * @type: the PRV type it shows
 * @look: of its values
 * @name: file name relative to the directory of the traces
 * @title: of its window, without whose it is
 * @label: of the type
 * @question: that it answers
 */
struct cfg {
	enum prv_file file;
	u32 type;
	enum cfg_look look;
	const char *name;
	const char *title;
	const char *label;
	const char *question;
};

#define CFG_ROW(trace, base, number, shown, heading, named, asked)	\
	{							\
		.file = cfg_file_##trace,			\
		.type = number,					\
		.look = CFG_##shown,				\
		.name = "cfg/" #trace "/" base ".cfg",		\
		.title = heading,				\
		.label = named,					\
		.question = asked,				\
	},

static const struct cfg cfgs[] = {
	CFG_TABLE(CFG_ROW)
};

/**
 * struct made - Views that are made from a trace.
 * @file: the trace they show
 * @look: of their values
 * @model: whose
 * @folder: where, relative to the directory of the traces
 * @prefix: of their names, relative to that, too
 * @after: what follows the label in their titles
 */
struct made {
	enum prv_file file;
	enum cfg_look look;
	const char *model;
	const char *folder;
	const char *prefix;
	const char *after;
};

#define CFG_MADE(trace, shown, id, start, end)			\
	{							\
		.file = cfg_file_##trace,			\
		.look = CFG_##shown,				\
		.model = #id,					\
		.folder = "cfg/" #trace "/" #id,		\
		.prefix = "cfg/" #trace "/" #id "/" start,	\
		.after = end,					\
	}

static const struct made made[] = {
	CFG_MADE(thread, COUNTER, nosv, "hwc-", " of the ACTIVE thread"),
	CFG_MADE(cpu, COUNTER, nosv, "hwc-", " of the RUNNING thread"),
	CFG_MADE(thread, STATE, ovni, "mark-", ""),
	CFG_MADE(cpu, STATE, ovni, "mark-", ""),
};

/* What is there must be directories, not links to some. */
static int check_dirs(const struct below *dir, const char *name)
{
	char path[PATH_MAX];
	const char *slash;
	int fd;

	for (slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(path, sizeof(path), "%.*s", (int)(slash - name), name);
		fd = below_sub(dir->fd, path);
		if (fd < 0 && errno == ENOENT)
			return 0;
		if (fd < 0)
			return below_report(dir, path, "cannot use this directory", errno);
		close(fd);
	}
	return 0;
}

/* Call @fn for the folder of each view, once for consecutive views in one folder. */
static int each_folder(const struct below *dir,
		       int (*fn)(const struct below *dir, const char *name))
{
	size_t len = 0;
	int ret = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cfgs) && !ret; i++) {
		const char *name = cfgs[i].name;

		if (i && !strncmp(name, cfgs[i - 1].name, len) && !strchr(name + len, '/'))
			continue;
		len = strrchr(name, '/') + 1 - name;
		ret = fn(dir, name);
	}
	for (i = 0; i < ARRAY_SIZE(made) && !ret; i++)
		ret = fn(dir, made[i].prefix);
	return ret;
}

int cfg_check(const struct below *dir)
{
	return each_folder(dir, check_dirs);
}

/* Open the directory of a name. Return: -1 with errno. */
static int open_folder(const struct below *dir, const char *name, const char **base)
{
	const char *slash = strrchr(name, '/');
	char folder[PATH_MAX];

	*base = slash ? slash + 1 : name;
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - name) : 1,
		 slash ? name : ".");
	return below_sub(dir->fd, folder);
}

/* Return: -1 with errno; it need not be there. */
static int remove_at(const struct below *dir, const char *name, int flags)
{
	const char *base;
	int fd = open_folder(dir, name, &base), ret;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	ret = unlinkat(fd, base, flags);
	close(fd);
	return ret && errno == ENOENT ? 0 : ret;
}

static int remove_file(const struct below *dir, const char *name)
{
	return remove_at(dir, name, 0) ? below_report(dir, name, "cannot remove", errno) : 0;
}

static int clear_made(const struct below *dir, const struct made *of)
{
	const char *start = strrchr(of->prefix, '/') + 1;
	struct below folder = { .path = of->folder };
	const struct dirent *entry;
	int ret = 0;
	DIR *d;

	folder.fd = below_sub(dir->fd, of->folder);
	d = folder.fd < 0 ? NULL : below_read(folder.fd);
	if (!d && errno != ENOENT)
		ret = below_report(dir, of->folder, "cannot read", errno);
	while (d && !ret && (entry = readdir(d))) {
		if (!strncmp(entry->d_name, start, strlen(start)) &&
		    !fnmatch("*.cfg", entry->d_name, 0))
			ret = remove_file(&folder, entry->d_name);
	}
	if (d)
		closedir(d);
	if (folder.fd >= 0)
		close(folder.fd);
	return ret;
}

static int clear_files(const struct below *dir)
{
	int ret = 0, err;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(made); i++) {
		err = clear_made(dir, &made[i]);
		ret = ret ? ret : err;
	}
	err = remove_file(dir, CFG_INDEX);
	ret = ret ? ret : err;
	for (i = 0; i < ARRAY_SIZE(cfgs); i++) {
		err = remove_file(dir, cfgs[i].name);
		ret = ret ? ret : err;
	}
	return ret;
}

/* Folders may hold files of others, such as upstream's emulator, and then stay. */
static int remove_dirs(const struct below *dir, const char *name)
{
	char folder[PATH_MAX];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", name);
	while ((slash = strrchr(folder, '/'))) {
		*slash = '\0';
		if (remove_at(dir, folder, AT_REMOVEDIR) && errno != ENOTEMPTY)
			return below_report(dir, folder, "cannot remove", errno);
	}
	return 0;
}

int cfg_clear(const struct below *dir)
{
	return cfg_check(dir) ?:
	       clear_files(dir) ?:
	       each_folder(dir, remove_dirs);
}

static bool has_type(const struct emu *emu, enum prv_file file, u32 nr)
{
	u32 i;

	for (i = 0; i < emu->nslots + emu->ncpu_slots; i++) {
		const struct prv_type *type = &emu->slot[i].type[file];

		if (type->type == nr && type->used)
			return true;
	}
	return false;
}

static bool is_drawn(const struct emu *emu, const struct cfg *cfg)
{
	return has_type(emu, cfg->file, cfg->type) ||
	       (cfg->file == PRV_CPU && breakdown_has(emu, cfg->type));
}

/* Create a view, and folders. */
static int cfg_open(const char *dir, struct out *out, const char *name)
{
	char path[PATH_MAX];
	const char *slash;

	for (slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(path, sizeof(path), "%s/%.*s", dir, (int)(slash - name), name);
		if (mkdir(path, 0777) && errno != EEXIST)
			return report_error(path, "cannot create directory", errno);
	}
	return out_open(out, dir, name);
}

static int write_one(const char *dir, const struct cfg *cfg)
{
	bool state = cfg->look == CFG_STATE;
	struct out out;
	int ret;

	ret = cfg_open(dir, &out, cfg->name);
	if (ret)
		return ret;
	fprintf(out.f, CFG_TEMPLATE, cfg->file == PRV_CPU ? "CPU" : "Thread", cfg->title,
		state ? "" : "window_color_mode window_in_null_gradient_mode\n",
		state ? "draw_randnotzero" : "draw_maximum",
		cfg->look == CFG_COUNTER ? "Next Evt Val" : "Last Evt Val", cfg->type, cfg->label,
		"License-Identifier");
	return out_close(&out);
}

/* The name becomes part of a file name and of a quoted text. */
static void safe_name(char name[NAME_MAX_SHOWN + 1], const char *label)
{
	u32 i;

	for (i = 0; label[i] && i < NAME_MAX_SHOWN; i++)
		name[i] = isalnum((u8)label[i]) || strchr("_-.:", label[i]) ? label[i] : '_';
	name[i] = '\0';
}

static int make_one(const struct emu *emu, const struct made *of, const char *name, u32 type)
{
	char path[NAME_MAX_SHOWN + 64], title[NAME_MAX_SHOWN + 64];
	struct cfg cfg = {
		.file = of->file,
		.type = type,
		.look = of->look,
		.name = path,
		.title = title,
		.label = name,
	};

	snprintf(path, sizeof(path), "%s%s.cfg", of->prefix, name);
	snprintf(title, sizeof(title), "%s%s", name, of->after);
	return write_one(emu->outdir, &cfg);
}

int cfg_make(const struct emu *emu, const char *model, const char *label, u32 type)
{
	char name[NAME_MAX_SHOWN + 1];
	int ret = 0;
	u32 i;

	safe_name(name, label);
	for (i = 0; i < ARRAY_SIZE(made) && !ret; i++) {
		if (!strcmp(made[i].model, model) && has_type(emu, made[i].file, type))
			ret = make_one(emu, &made[i], name, type);
	}
	return ret;
}

static int write_made(const struct emu *emu)
{
	int i, ret = 0;

	for (i = 0; i < EMU_NR_MODELS && !ret; i++) {
		const struct model_run *run = &emu->run[i];

		if (run->on && run->model->views)
			ret = run->model->views(emu);
	}
	return ret;
}

static int write_index(const struct emu *emu)
{
	struct out out;
	u32 i;
	int ret;

	ret = cfg_open(emu->outdir, &out, CFG_INDEX);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(cfgs); i++) {
		if (is_drawn(emu, &cfgs[i]))
			fprintf(out.f, "%-32s %s\n", cfgs[i].name + strlen("cfg/"),
				cfgs[i].question);
	}
	return out_close(&out);
}

/* Paraver asks for confirmation before it opens a view that matches nothing in the trace. */
int cfg_write(const struct emu *emu)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cfgs) && !ret; i++) {
		if (is_drawn(emu, &cfgs[i]))
			ret = write_one(emu->outdir, &cfgs[i]);
	}
	if (!ret)
		ret = write_index(emu);
	return ret ? ret : write_made(emu);
}

int cfg_write_all(const char *dir)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cfgs) && !ret; i++)
		ret = write_one(dir, &cfgs[i]);
	return ret;
}
