/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_ACT_H
#define OVNIK_SELFTEST_ACT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "deed.h"

#define PAGE	4096UL

/**
 * struct act_place - Where files can be made.
 * @dir: a directory of its own, as the process sees it; "": there is none
 * @file: an open file in it with a page of data, -1
 * @path: its path
 * @map: a page of it, mapped before all; NULL
 */
struct act_place {
	char dir[PATH_MAX];
	char path[PATH_MAX + 16];
	int file;
	char *map;
};

/**
 * struct act - What the child needs to know.
 * @disk: on a file system whose page cache is the common one
 * @memory: on tmpfs
 * @device: a block device with a page that can be read; "": none
 */
struct act {
	struct act_place disk;
	struct act_place memory;
	char device[64];
};

/* Number of the device in a record: of st_dev. */
u32 act_dev(dev_t dev);
/* Is a file's st_dev and st_ino what the kernel has of it? */
bool act_plain(const char *path);

void act_before(const struct act *act);
void act_sched(void);
void act_tasks(void);
void act_memory(const struct act_place *place);
void act_faults(const struct act_place *place);
void act_files(const struct act_place *place);
void act_requests(const struct act_place *place);
void act_cache(const struct act_place *place, const char *of, bool disk);
void act_device(const char *path);

#endif /* OVNIK_SELFTEST_ACT_H */
