/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_COMPAT_H
#define OVNIK_COMPAT_H

/*
 * The only place that knows that kernels differ. What differs is found by
 * compiling the probes in kmod/compat/ against the kernel at hand (see
 * kmod/configure), never by its version: distributions backport.
 */

#include <linux/device.h>
#include <linux/sched.h>

#include "ovnik_config.h"

/*
 * class_create() lost its module argument in commit 1aaba11da9aa ("driver core:
 * class: remove module * from class_create()"), 6.4.
 */
#ifdef OVNIK_HAVE_CLASS_CREATE_ONE_ARG
#define ovnik_class_create(name)	class_create(name)
#else
#define ovnik_class_create(name)	class_create(THIS_MODULE, name)
#endif

/*
 * The devnode callback of a class takes a const device since commit ff62b8e6588f
 * ("driver core: make struct class.devnode() take a const *"), 6.2.
 */
#ifdef OVNIK_HAVE_DEVNODE_CONST
#define OVNIK_DEVNODE_CONST	const
#else
#define OVNIK_DEVNODE_CONST
#endif

/*
 * sched_process_exit says whether the whole group is dead, 7.x; the probe does
 * not use it, but its prototype must be the tracepoint's.
 */
#ifdef OVNIK_HAVE_EXIT_GROUP_DEAD
#define OVNIK_EXIT_ARGS		struct task_struct *task, bool group_dead
#else
#define OVNIK_EXIT_ARGS		struct task_struct *task
#endif

/*
 * vm_flags may only be changed through vm_flags_set() and friends since commit
 * bc292ab00f6c ("mm: introduce vma->vm_flags wrapper functions"), 6.3.
 */
#ifdef OVNIK_HAVE_VM_FLAGS_SET
#define ovnik_vm_flags_set(vma, flags)		vm_flags_set(vma, flags)
#define ovnik_vm_flags_clear(vma, flags)	vm_flags_clear(vma, flags)
#else
#define ovnik_vm_flags_set(vma, flags)		((vma)->vm_flags |= (flags))
#define ovnik_vm_flags_clear(vma, flags)	((vma)->vm_flags &= ~(flags))
#endif

/*
 * A bit beside the sleeping states since commit f5d39b020809 ("freezer,sched:
 * Rewrite core freezer logic"), 6.1; no interface shows it.
 */
#ifdef TASK_FREEZABLE
#define OVNIK_TASK_FREEZABLE	TASK_FREEZABLE
#else
#define OVNIK_TASK_FREEZABLE	0
#endif

#endif /* OVNIK_COMPAT_H */
