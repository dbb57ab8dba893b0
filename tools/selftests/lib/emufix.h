/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_EMUFIX_H
#define OVNIK_SELFTESTS_EMUFIX_H

/* An emulator with two CPUs and two threads of a process, for unit tests to feed. */

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/core.h"
#include "emu/emu.h"

#define EMUFIX_TEXT 65536

struct emufix {
	struct emu *emu;
	struct emu_proc *proc;
	struct emu_thread *th[2];
	u64 clock;
	char dir[64];
	char text[EMUFIX_TEXT];
};

/* 0 if all is there; more can be added, then emu_freeze(). */
static inline int emufix_open(struct emufix *f, const char *model, const char *version)
{
	struct emu_loom *loom;

	memset(f, 0, sizeof(*f));
	strcpy(f->dir, "/tmp/emufix.XXXXXX");
	f->emu = emu_create();
	if (!f->emu || !mkdtemp(f->dir))
		return -1;
	if (emu_require(f->emu, "kernel", "1.0.0") || emu_require(f->emu, model, version))
		return -1;
	loom = emu_loom_add(f->emu, "node.0");
	if (!loom || emu_cpu_add(loom, 0, 0) || emu_cpu_add(loom, 1, 1))
		return -1;
	f->proc = emu_proc_add(loom, 100);
	if (!f->proc || emu_proc_app(f->proc, 7))
		return -1;
	f->th[0] = emu_thread_add(f->proc, 101);
	f->th[1] = emu_thread_add(f->proc, 102);
	return f->th[0] && f->th[1] ? 0 : -1;
}

static inline int emufix_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void emufix_close(struct emufix *f)
{
	emu_destroy(f->emu);
	nftw(f->dir, emufix_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* An event one nanosecond after the one before. */
static inline int emufix_event(struct emufix *f, u32 th, const char *mcv, const void *payload,
			       u32 size, bool jumbo)
{
	struct ovni_ev ev = { .size = size, .payload = payload, .jumbo = jumbo };

	ev.clock = f->clock++;
	memcpy(ev.mcv, mcv, 3);
	return emu_event(f->emu, f->th[th], &ev);
}

/* One without payload. */
static inline int emufix_ev(struct emufix *f, u32 th, const char *mcv)
{
	return emufix_event(f, th, mcv, NULL, 0, false);
}

/* One with two numbers, of which the first @n are there. */
static inline int emufix_u32(struct emufix *f, u32 th, const char *mcv, u32 n, u32 a, u32 b)
{
	u32 payload[2] = { a, b };

	return emufix_event(f, th, mcv, payload, n * sizeof(u32), false);
}

static inline int emufix_execute(struct emufix *f, u32 th, u32 cpu)
{
	u32 payload[4] = { cpu };

	return emufix_event(f, th, "OHx", payload, sizeof(payload), false);
}

/* A type of task: @len bytes of @label, with or without the NUL. */
static inline int emufix_type(struct emufix *f, const char *mcv, u32 id, const char *label,
			      u32 len)
{
	u8 payload[256];

	memcpy(payload, &id, sizeof(id));
	memcpy(payload + sizeof(id), label, len);
	return emufix_event(f, 0, mcv, payload, sizeof(id) + len, true);
}

/* What the emulator has refused is undone as far as tests need it. */
static inline void emufix_forgive(struct emufix *f)
{
	chan_dirty_clear(&f->emu->dirty);
	f->emu->failed = false;
	f->emu->open = f->emu->frozen;
}

static inline const char *emufix_slurp(struct emufix *f, const char *name)
{
	char path[512];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	file = fopen(path, "r");
	if (file) {
		n = fread(f->text, 1, EMUFIX_TEXT - 1, file);
		fclose(file);
	}
	f->text[n] = '\0';
	return f->text;
}

#endif /* OVNIK_SELFTESTS_EMUFIX_H */
