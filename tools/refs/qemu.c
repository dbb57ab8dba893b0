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

/* What QEMU gives to callbacks, with what it tells them and without; and takes with them. */
#if QEMU_API >= 7
#define WITH(told)	told, void *data __attribute__((unused))
#define WITHOUT		void *data __attribute__((unused))
#define AT_EXIT		WITHOUT
#define TAKES(fn)	u64 id, fn, void *data
#define REGISTER(what, id, fn)	what(id, fn, NULL)
#else
#define WITH(told)	u64 id __attribute__((unused)), told
#define WITHOUT		u64 id __attribute__((unused))
#define AT_EXIT		WITHOUT, void *data __attribute__((unused))
#define TAKES(fn)	u64 id, fn
#define REGISTER(what, id, fn)	what(id, fn)
#endif

typedef void (*reset_fn)(WITHOUT);
typedef void (*exit_fn)(AT_EXIT);
typedef void (*cpu_fn)(WITH(unsigned int cpu));
typedef void (*tb_fn)(WITH(struct qemu_plugin_tb *tb));

void qemu_plugin_reset(TAKES(reset_fn fn));
void qemu_plugin_register_atexit_cb(u64 id, exit_fn fn, void *data);
void qemu_plugin_register_vcpu_init_cb(TAKES(cpu_fn fn));
void qemu_plugin_register_vcpu_tb_trans_cb(TAKES(tb_fn fn));

static void on_reset(WITHOUT)
{
	on.reset();
}

static void on_exit(AT_EXIT)
{
	on.exit();
}

static void on_cpu(WITH(unsigned int cpu __attribute__((unused))))
{
	on.cpu();
}

static void on_tb(WITH(struct qemu_plugin_tb *tb))
{
	on.tb(tb);
}

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
