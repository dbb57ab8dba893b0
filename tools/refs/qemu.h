/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_QEMU_H
#define OVNIK_REFS_QEMU_H

#include <stdbool.h>

#include "util/types.h"

/*
 * What QEMU's plugins may call, and of glib: declared here, because Debian has no header of it.
 * See QEMU's documentation, "TCG plugins". QEMU 10 takes plugins of interface 4, QEMU 11 those of 7
 * only, which gives callbacks other arguments. Before it calls anything, QEMU reads the interface
 * from the plugin; a plugin cannot ask, so there is one for each.
 */

#ifndef QEMU_API
#define QEMU_API	4
#endif

struct qemu_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

typedef void (*qemu_fn)(void);
typedef void (*qemu_tb_fn)(struct qemu_plugin_tb *tb);
typedef void (*qemu_exec_fn)(unsigned int cpu, void *data);
typedef void (*qemu_access_fn)(unsigned int cpu, u32 info, u64 address, void *data);

enum qemu_regs { QEMU_NO_REGS, QEMU_READ_REGS };
enum qemu_access { QEMU_LOADS = 1, QEMU_STORES, QEMU_BOTH };
enum qemu_inline { QEMU_ADD, QEMU_STORE };

struct qemu_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

/* The begin of an entry, which has grown in QEMU 11: the array knows how large it is. */
struct qemu_register {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

struct g_array {
	char *data;
	unsigned int len;
};

struct g_byte_array {
	u8 *data;
	unsigned int len;
};

unsigned int g_array_get_element_size(struct g_array *array);
struct g_byte_array *g_byte_array_new(void);
struct g_byte_array *g_byte_array_set_size(struct g_byte_array *array, unsigned int len);

void qemu_reset(u64 id, qemu_fn fn);
void qemu_at_exit(u64 id, qemu_fn fn);
void qemu_at_cpu(u64 id, qemu_fn fn);
void qemu_at_translation(u64 id, qemu_tb_fn fn);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_exec_fn fn,
					  enum qemu_regs regs, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_exec_fn fn,
					    enum qemu_regs regs, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_inline op, struct qemu_u64 where,
							 u64 value);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_access_fn fn,
				      enum qemu_regs regs, enum qemu_access access, void *data);
void qemu_plugin_register_vcpu_mem_inline_per_vcpu(struct qemu_plugin_insn *insn,
						   enum qemu_access access, enum qemu_inline op,
						   struct qemu_u64 where, u64 value);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
u64 qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(u32 info);
bool qemu_plugin_mem_is_store(u32 info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(u32 info, u64 address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address);
u64 qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address);
struct g_array *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, struct g_byte_array *to);
bool qemu_plugin_read_memory_vaddr(u64 address, struct g_byte_array *to, size_t len);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int cpu);

#endif /* OVNIK_REFS_QEMU_H */
