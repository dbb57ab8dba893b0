// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that only counts fetches, loads and stores while ovnik-refs.so logs them. It
 * shares nothing with that but QEMU's interface.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refs/qemu.h"

#define EXPORT	__attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_API;
EXPORT int qemu_plugin_install(u64 id, const struct qemu_info *info, int argc, char **argv);

enum { FETCHES, LOADS, STORES, NR };

static struct qemu_u64 counts[NR];
static u64 before[NR], sum[NR];
static const char *path;

static u64 count(int i)
{
	return *(u64 *)((char *)qemu_plugin_scoreboard_find(counts[i].score, 0) + counts[i].offset);
}

static void on_start(unsigned int nr, void *data)
{
	int i;

	(void)nr;
	(void)data;
	for (i = 0; i < NR; i++)
		before[i] = count(i);
}

static void on_stop(unsigned int nr, void *data)
{
	FILE *f;
	int i;

	(void)nr;
	(void)data;
	for (i = 0; i < NR; i++)
		sum[i] += count(i) - before[i];
	f = fopen(path, "w");
	if (!f || fprintf(f, "fetches %llu\nloads %llu\nstores %llu\n", sum[FETCHES], sum[LOADS],
			  sum[STORES]) < 0 || fclose(f))
		abort();
}

static void translate(struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		u8 bytes[8] = { 0 };

		qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_ADD, counts[FETCHES],
								    1);
		qemu_plugin_register_vcpu_mem_inline_per_vcpu(insn, QEMU_LOADS, QEMU_ADD,
							      counts[LOADS], 1);
		qemu_plugin_register_vcpu_mem_inline_per_vcpu(insn, QEMU_STORES, QEMU_ADD,
							      counts[STORES], 1);
		if (!memcmp(bytes, "\x0f\x1f\x84\0ovn1", 8))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_start, QEMU_NO_REGS, NULL);
		if (!memcmp(bytes, "\x0f\x1f\x84\0ovn0", 8))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_stop, QEMU_NO_REGS, NULL);
	}
}

int qemu_plugin_install(u64 id, const struct qemu_info *info, int argc, char **argv)
{
	int i;

	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	path = argv[0] + 4;
	for (i = 0; i < NR; i++)
		counts[i].score = qemu_plugin_scoreboard_new(sizeof(u64));
	qemu_at_translation(id, translate);
	return 0;
}
