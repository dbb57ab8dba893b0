// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lead a program that writes into our directory elsewhere, as soon as it begins.
 *
 * gen-lead HOW DIR VICTIM: once a stage is in DIR
 *   link   the stage becomes a link to VICTIM
 *   plant  the stage becomes DIR/own, a directory of ours with files that are there
 *   dir    DIR itself becomes a link to VICTIM
 * and, until it is killed,
 *   merge  a folder that outputs go into becomes a link to VICTIM, and a folder again
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGE	".ovnik.part"
#define PATHS	4096

static char stage[PATHS], away[PATHS], folder[PATHS];

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

static void wait_for_stage(void)
{
	struct stat st;

	while (lstat(stage, &st))
		continue;
}

static void lead_folder(const char *victim)
{
	bool said = false;

	for (;;) {
		if (rename(folder, away) || symlink(victim, folder))
			continue;
		if (!said)
			say("led");
		said = true;
		unlink(folder);
		rename(away, folder);
	}
}

static void replace(const char *path, const char *by, const char *victim)
{
	if (rename(path, away) || (by ? rename(by, path) : symlink(victim, path)))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	char own[PATHS];

	if (argc != 4)
		errx(2, "gen-lead HOW DIR VICTIM");
	snprintf(stage, sizeof(stage), "%s/" STAGE, argv[2]);
	snprintf(own, sizeof(own), "%s/own", argv[2]);
	snprintf(folder, sizeof(folder), "%s/cfg", argv[2]);
	snprintf(away, sizeof(away), "%s%s", argv[2], strcmp(argv[1], "dir") ? "/away" : ".away");
	say("ready");
	if (!strcmp(argv[1], "merge"))
		lead_folder(argv[3]);
	wait_for_stage();
	if (!strcmp(argv[1], "dir"))
		replace(argv[2], NULL, argv[3]);
	else
		replace(stage, strcmp(argv[1], "plant") ? NULL : own, argv[3]);
	say("led");
	return 0;
}
