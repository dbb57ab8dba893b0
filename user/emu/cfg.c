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
#include "emu/core.h"
#include "util/msg.h"
#include "util/out.h"

#define NAME_MAX_SHOWN 200

/* Which view answers which question. */
#define CFG_INDEX "cfg/INDEX"

/* The assembler includes the files; paths are relative to the top of the sources. */
#define CFG_TEXT(trace, name, file, type, question)			\
	extern const char cfg_##trace##_##name[], cfg_##trace##_##name##_end[]; \
	asm(".pushsection .rodata\n"					\
	    "cfg_" #trace "_" #name ":\n"				\
	    ".incbin \"cfg/" #trace "/" file ".cfg\"\n"			\
	    "cfg_" #trace "_" #name "_end:\n"				\
	    ".popsection\n");

CFG_TABLE(CFG_TEXT)

#define cfg_file_thread	PRV_THREAD
#define cfg_file_cpu	PRV_CPU

/**
 * struct cfg - A view.
 * @file: the trace it shows
 * @type: the PRV type it shows
 * @name: file name relative to the directory of the traces
 * @question: that it answers
 * @text: contents of the file
 * @end: after the contents
 */
struct cfg {
	enum prv_file file;
	u32 type;
	const char *name;
	const char *question;
	const char *text;
	const char *end;
};

#define CFG_ROW(trace, id, title, number, asked)		\
	{							\
		.file = cfg_file_##trace,			\
		.type = number,					\
		.name = "cfg/" #trace "/" title ".cfg",		\
		.question = asked,				\
		.text = cfg_##trace##_##id,			\
		.end = cfg_##trace##_##id##_end,			\
	},

static const struct cfg cfgs[] = {
	CFG_TABLE(CFG_ROW)
};

/* Views that are made from a trace: which trace, model, template, how their names begin. */
#define CFG_MADE(row)				\
	row(thread, nosv, "hwc", "nosv/hwc-")	\
	row(cpu, nosv, "hwc", "nosv/hwc-")	\
	row(thread, ovni, "mark", "ovni/mark-")	\
	row(cpu, ovni, "mark", "ovni/mark-")

/* Text of a view, with @NAME@ and @TYPE@ to replace. */
#define CFG_TEMPLATE(trace, model, template, prefix)			\
	extern const char cfg_##trace##_##model[];			\
	asm(".pushsection .rodata\n"					\
	    "cfg_" #trace "_" #model ":\n"				\
	    ".incbin \"cfg/" #trace "/" #model "/" template ".cfg.in\"\n"	\
	    ".byte 0\n"							\
	    ".popsection\n");

CFG_MADE(CFG_TEMPLATE)

/**
 * struct made - Views that are made from a trace.
 * @file: the trace they show
 * @model: whose
 * @folder: where, relative to the directory of the traces
 * @prefix: of their names, relative to that, too
 * @text: the template
 */
struct made {
	enum prv_file file;
	const char *model;
	const char *folder;
	const char *prefix;
	const char *text;
};

#define CFG_MADE_ROW(trace, id, template, start)			\
	{							\
		.file = cfg_file_##trace,			\
		.model = #id,					\
		.folder = "cfg/" #trace "/" #id,		\
		.prefix = "cfg/" #trace "/" start,		\
		.text = cfg_##trace##_##id,			\
	},

static const struct made made[] = {
	CFG_MADE(CFG_MADE_ROW)
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
static int cfg_open(const struct emu *emu, struct out *out, const char *name)
{
	char path[PATH_MAX];
	const char *slash;

	for (slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(path, sizeof(path), "%s/%.*s", emu->outdir, (int)(slash - name), name);
		if (mkdir(path, 0777) && errno != EEXIST)
			return report_error(path, "cannot create directory", errno);
	}
	return out_open(out, emu->outdir, name);
}

static int write_one(const struct emu *emu, const struct cfg *cfg)
{
	struct out out;
	int ret;

	ret = cfg_open(emu, &out, cfg->name);
	if (ret)
		return ret;
	fwrite(cfg->text, 1, cfg->end - cfg->text, out.f);
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

static void fill(struct out *out, const char *text, const char *name, u32 type)
{
	const char *at;

	while ((at = strchr(text, '@'))) {
		fwrite(text, 1, at - text, out->f);
		if (!strncmp(at, "@NAME@", 6))
			fputs(name, out->f);
		else
			fprintf(out->f, "%u", type);
		text = at + 6;
	}
	fputs(text, out->f);
}

static int make_one(const struct emu *emu, const struct made *of, const char *name, u32 type)
{
	char path[NAME_MAX_SHOWN + 64];
	struct out out;
	int ret;

	snprintf(path, sizeof(path), "%s%s.cfg", of->prefix, name);
	ret = cfg_open(emu, &out, path);
	if (ret)
		return ret;
	fill(&out, of->text, name, type);
	return out_close(&out);
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

	ret = cfg_open(emu, &out, CFG_INDEX);
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
			ret = write_one(emu, &cfgs[i]);
	}
	if (!ret)
		ret = write_index(emu);
	return ret ? ret : write_made(emu);
}
