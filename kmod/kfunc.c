// SPDX-License-Identifier: GPL-2.0-only
/* Functions for BPF programs: BPF cannot read the TSC itself. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <asm/msr.h>

#include "compat.h"
#include "kfunc.h"

/**
 * ovnik_rdtsc() - Read the clock that the records in the ring are stamped with.
 *
 * For programs of type tracing (tp_btf, fentry, fexit). While one that calls it is
 * loaded, the module cannot be unloaded.
 *
 * Context: Any.
 * Return: ticks of the TSC of this CPU.
 */
__bpf_kfunc u64 ovnik_rdtsc(void)
{
	return rdtsc();
}

OVNIK_KFUNCS_START(ovnik_kfuncs)
BTF_ID_FLAGS(func, ovnik_rdtsc)
OVNIK_KFUNCS_END(ovnik_kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner	= THIS_MODULE,
	.set	= &ovnik_kfuncs,
};

/* Checked first: the kernel treats a module without BTF as an error. */
static bool has_btf(void)
{
#ifdef CONFIG_DEBUG_INFO_BTF_MODULES
	return THIS_MODULE->btf_data_size && ovnik_kfuncs.cnt;
#else
	return false;
#endif
}

/**
 * ovnik_kfunc_init() - Let BPF programs call ovnik_rdtsc().
 *
 * Without BTF in the module or in the kernel they cannot; the rest of the module works.
 * There is nothing to undo: the kernel forgets the function with the module's BTF.
 *
 * Context: Process, at module load.
 * Return: 0.
 */
int ovnik_kfunc_init(void)
{
	int ret;

	if (!has_btf()) {
		pr_info("no BTF in the module: BPF programs cannot call ovnik_rdtsc()\n");
		return 0;
	}
	ret = register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &kfunc_set);
	if (ret)
		pr_info("BPF programs cannot call ovnik_rdtsc(): error %d\n", ret);
	return 0;
}
