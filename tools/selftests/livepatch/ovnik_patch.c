// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live patch of a function of each kind that ovnik hooks: around it, at its return, at its
 * entry. The patched functions count their calls and do what the kernel's do.
 */
#include <linux/fs.h>
#include <linux/livepatch.h>
#include <linux/mm.h>
#include <linux/module.h>

/* The body is behind the call of ftrace, which would lead to the patch again. */
#define BODY	(IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? 9 : 5)

static atomic_long_t faults, renames, opens, reads, writes;

static vm_fault_t patched_fault(struct vm_area_struct *vma, unsigned long address,
				unsigned int flags, struct pt_regs *regs)
{
	typeof(handle_mm_fault) *body = (void *)handle_mm_fault + BODY;

	atomic_long_inc(&faults);
	return body(vma, address, flags, regs);
}

static int patched_rename(struct renamedata *rd)
{
	typeof(vfs_rename) *body = (void *)vfs_rename + BODY;

	atomic_long_inc(&renames);
	return body(rd);
}

static void patched_open(struct file_ra_state *ra, struct address_space *mapping)
{
	typeof(file_ra_state_init) *body = (void *)file_ra_state_init + BODY;

	atomic_long_inc(&opens);
	body(ra, mapping);
}

enum { FAULT, RENAME, OPEN, READ_FILE, WRITE_FILE, NR_FUNCS };

/* These are not exported, but known to the patch once it is applied. */
static struct klp_func funcs[NR_FUNCS + 1];

static ssize_t patched_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	typeof(vfs_read) *body = funcs[READ_FILE].old_func + BODY;

	atomic_long_inc(&reads);
	return body(file, buf, count, pos);
}

static ssize_t patched_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	typeof(vfs_write) *body = funcs[WRITE_FILE].old_func + BODY;

	atomic_long_inc(&writes);
	return body(file, buf, count, pos);
}

static struct klp_func funcs[NR_FUNCS + 1] = {
	[FAULT] = { .old_name = "handle_mm_fault", .new_func = patched_fault },
	[RENAME] = { .old_name = "vfs_rename", .new_func = patched_rename },
	[OPEN] = { .old_name = "file_ra_state_init", .new_func = patched_open },
	[READ_FILE] = { .old_name = "vfs_read", .new_func = patched_read },
	[WRITE_FILE] = { .old_name = "vfs_write", .new_func = patched_write },
};

static struct klp_object objects[] = {
	{ .funcs = funcs },
	{}
};

static struct klp_patch patch = {
	.mod	= THIS_MODULE,
	.objs	= objects,
};

static int get_count(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%ld\n", atomic_long_read(param->arg));
}

static const struct kernel_param_ops count_ops = { .get = get_count };

module_param_cb(faults, &count_ops, &faults, 0444);
module_param_cb(renames, &count_ops, &renames, 0444);
module_param_cb(opens, &count_ops, &opens, 0444);
module_param_cb(reads, &count_ops, &reads, 0444);
module_param_cb(writes, &count_ops, &writes, 0444);

static int __init patch_init(void)
{
	return klp_enable_patch(&patch);
}

/* Only once /sys/kernel/livepatch/ovnik_patch/enabled is 0. */
static void __exit patch_exit(void)
{
}

module_init(patch_init);
module_exit(patch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A live patch of functions that ovnik hooks");
MODULE_INFO(livepatch, "Y");
