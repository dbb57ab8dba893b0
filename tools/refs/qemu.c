// SPDX-License-Identifier: GPL-2.0-only
/*
 * What QEMU calls by other arguments since interface 7. The callbacks here need none of those but
 * the block: whose plugin it is they know, and data is what the plugin keeps itself.
 */
#include <stddef.h>

#include "qemu.h"

/* A plugin has one of each at a time. */
static struct {
	qemu_fn reset;
	qemu_fn cpu;
	qemu_fn exit;
	qemu_tb_fn tb;
} on;

#if QEMU_API >= 7

typedef void (*data_fn)(void *data);
typedef void (*cpu_fn)(unsigned int cpu, void *data);
typedef void (*tb_fn)(struct qemu_plugin_tb *tb, void *data);

void qemu_plugin_reset(u64 id, data_fn fn, void *data);
void qemu_plugin_register_atexit_cb(u64 id, data_fn fn, void *data);
void qemu_plugin_register_vcpu_init_cb(u64 id, cpu_fn fn, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(u64 id, tb_fn fn, void *data);

static void on_reset(void *data)
{
	(void)data;
	on.reset();
}

static void on_exit(void *data)
{
	(void)data;
	on.exit();
}

static void on_cpu(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	on.cpu();
}

static void on_tb(struct qemu_plugin_tb *tb, void *data)
{
	(void)data;
	on.tb(tb);
}

#define REGISTER(what, id, fn)	what(id, fn, NULL)

#else

typedef void (*id_fn)(u64 id);
typedef void (*data_fn)(u64 id, void *data);
typedef void (*cpu_fn)(u64 id, unsigned int cpu);
typedef void (*tb_fn)(u64 id, struct qemu_plugin_tb *tb);

void qemu_plugin_reset(u64 id, id_fn fn);
void qemu_plugin_register_atexit_cb(u64 id, data_fn fn, void *data);
void qemu_plugin_register_vcpu_init_cb(u64 id, cpu_fn fn);
void qemu_plugin_register_vcpu_tb_trans_cb(u64 id, tb_fn fn);

static void on_reset(u64 id)
{
	(void)id;
	on.reset();
}

static void on_exit(u64 id, void *data)
{
	(void)id;
	(void)data;
	on.exit();
}

static void on_cpu(u64 id, unsigned int cpu)
{
	(void)id;
	(void)cpu;
	on.cpu();
}

static void on_tb(u64 id, struct qemu_plugin_tb *tb)
{
	(void)id;
	on.tb(tb);
}

#define REGISTER(what, id, fn)	what(id, fn)

#endif

/**
 * qemu_reset() - Drop all callbacks, and all code that was translated with them
 * @id: of the plugin
 * @fn: is called when that is done, and registers others
 */
void qemu_reset(u64 id, qemu_fn fn)
{
	on.reset = fn;
	REGISTER(qemu_plugin_reset, id, on_reset);
}

/**
 * qemu_at_exit() - Have a function called when QEMU ends
 * @id: of the plugin
 * @fn: the function
 */
void qemu_at_exit(u64 id, qemu_fn fn)
{
	on.exit = fn;
	qemu_plugin_register_atexit_cb(id, on_exit, NULL);
}

/**
 * qemu_at_cpu() - Have a function called for each CPU that begins, on its thread
 * @id: of the plugin
 * @fn: the function
 */
void qemu_at_cpu(u64 id, qemu_fn fn)
{
	on.cpu = fn;
	REGISTER(qemu_plugin_register_vcpu_init_cb, id, on_cpu);
}

/**
 * qemu_at_translation() - Have a function called for each block that is translated
 * @id: of the plugin
 * @fn: the function
 */
void qemu_at_translation(u64 id, qemu_tb_fn fn)
{
	on.tb = fn;
	REGISTER(qemu_plugin_register_vcpu_tb_trans_cb, id, on_tb);
}
