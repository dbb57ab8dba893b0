// SPDX-License-Identifier: GPL-2.0-only
/* Paraver's views. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/cfg.h"
#include "emu/core.h"
#include "emu/out.h"
#include "util/msg.h"

/* row(which trace, name of the file, PRV type) */
#define CFG_TABLE(row)				\
	row(thread, state, 4)			\
	row(thread, cpu, 6)			\
	row(thread, off_cpu_reason, 300)	\
	row(thread, page_fault, 302)		\
	row(thread, page_faults_minor, 303)	\
	row(thread, page_faults_major, 304)	\
	row(thread, page_faults_failed, 305)	\
	row(thread, file_call, 306)		\
	row(thread, bytes_read, 307)		\
	row(thread, bytes_written, 308)		\
	row(thread, cow_breaks, 309)		\
	row(thread, page_cache_adds, 310)	\
	row(thread, page_cache_removes, 311)	\
	row(thread, mapped_memory, 312)		\
	row(cpu, thread, 2)			\
	row(cpu, process, 1)			\
	row(cpu, events_missing, 301)		\
	row(cpu, page_fault, 302)		\
	row(cpu, page_faults_minor, 303)	\
	row(cpu, page_faults_major, 304)	\
	row(cpu, page_faults_failed, 305)	\
	row(cpu, file_call, 306)		\
	row(cpu, bytes_read, 307)		\
	row(cpu, bytes_written, 308)		\
	row(cpu, cow_breaks, 309)		\
	row(cpu, page_cache_adds, 310)		\
	row(cpu, page_cache_removes, 311)

/* The assembler takes the files as they are; the programs are built at the top. */
#define CFG_TEXT(trace, name, type)					\
	extern const char cfg_##trace##_##name[], cfg_##trace##_##name##_end[]; \
	asm(".pushsection .rodata\n"					\
	    "cfg_" #trace "_" #name ":\n"				\
	    ".incbin \"cfg/" #trace "/" #name ".cfg\"\n"		\
	    "cfg_" #trace "_" #name "_end:\n"				\
	    ".popsection\n");

CFG_TABLE(CFG_TEXT)

#define cfg_file_thread	PRV_THREAD
#define cfg_file_cpu	PRV_CPU

/**
 * struct cfg - A view.
 * @file: which trace it is of
 * @type: the PRV type that it shows
 * @name: of the file, below the directory of the traces
 * @text: what is in the file
 * @end: behind that
 */
struct cfg {
	enum prv_file file;
	u32 type;
	const char *name;
	const char *text;
	const char *end;
};

#define CFG_ROW(trace, title, number)				\
	{							\
		.file = cfg_file_##trace,			\
		.type = number,					\
		.name = "cfg/" #trace "/" #title ".cfg",	\
		.text = cfg_##trace##_##title,			\
		.end = cfg_##trace##_##title##_end,		\
	},

static const struct cfg cfgs[] = {
	CFG_TABLE(CFG_ROW)
};

static const char *const cfg_dirs[] = { "cfg", "cfg/thread", "cfg/cpu" };

static int complain(const char *path, const char *what, int error)
{
	msg_error("%s: %s: %s", path, what, strerror(error));
	return -error;
}

/* A directory of ours is one, not a link to one, or it is not there. */
static int check_dir(const char *path)
{
	struct stat st;

	if (!lstat(path, &st))
		return S_ISDIR(st.st_mode) ? 0 : complain(path, "cannot use this directory",
							  ENOTDIR);
	return errno == ENOENT ? 0 : complain(path, "cannot use this directory", errno);
}

int cfg_check(const char *dir)
{
	char path[PATH_MAX];
	int ret = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cfg_dirs) && !ret; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, cfg_dirs[i]);
		ret = check_dir(path);
	}
	return ret;
}

int cfg_clear(const char *dir)
{
	char path[PATH_MAX];
	int ret = cfg_check(dir);
	u32 i;

	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(cfgs); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, cfgs[i].name);
		if (unlink(path) && errno != ENOENT && !ret)
			ret = complain(path, "cannot remove", errno);
	}
	/* Others, such as upstream's emulator, put theirs there, too. */
	for (i = ARRAY_SIZE(cfg_dirs); i--;) {
		snprintf(path, sizeof(path), "%s/%s", dir, cfg_dirs[i]);
		if (rmdir(path) && errno != ENOENT && errno != ENOTEMPTY && !ret)
			ret = complain(path, "cannot remove", errno);
	}
	return ret;
}

static bool is_drawn(const struct emu *emu, const struct cfg *cfg)
{
	u32 i;

	for (i = 0; i < emu->nslots; i++) {
		const struct prv_type *type = &emu->slot[i].type[cfg->file];

		if (type->type == cfg->type && type->used)
			return true;
	}
	return false;
}

static int write_one(const struct emu *emu, const struct cfg *cfg)
{
	struct out out;
	int ret;

	ret = out_open(&out, emu->outdir, cfg->name);
	if (ret)
		return ret;
	fwrite(cfg->text, 1, cfg->end - cfg->text, out.f);
	return out_close(&out);
}

static int make_dirs(const struct emu *emu)
{
	char path[PATH_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cfg_dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", emu->outdir, cfg_dirs[i]);
		if (mkdir(path, 0777) && errno != EEXIST)
			return complain(path, "cannot make this directory", errno);
	}
	return 0;
}

/* Paraver asks whether to go on where a view shows nothing of the trace. */
int cfg_write(const struct emu *emu)
{
	int ret;
	u32 i;

	ret = cfg_clear(emu->outdir);
	if (!ret)
		ret = make_dirs(emu);
	for (i = 0; i < ARRAY_SIZE(cfgs) && !ret; i++) {
		if (is_drawn(emu, &cfgs[i]))
			ret = write_one(emu, &cfgs[i]);
	}
	return ret;
}
