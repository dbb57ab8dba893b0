// SPDX-License-Identifier: GPL-2.0-only
/* Paths as text, where nothing can be allocated. */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/percpu.h>

#include "path.h"
#include "walk.h"

/*
 * One per CPU, used in process context with preemption off. Allocated, because all modules
 * share 8 KiB of static per-CPU memory.
 */
static char __percpu *buffers;

/* A path is built from its end: it ends where the buffer ends. */
static struct ovnik_path as_path(const char *text)
{
	/* Longer than PATH_MAX; on PREEMPT_RT also: being renamed all the time. */
	if (IS_ERR(text))
		return (struct ovnik_path){ "", 1 };
	return (struct ovnik_path){ text, this_cpu_ptr(buffers) + PATH_MAX - text };
}

/**
 * ovnik_path_of() - The path of a file as the current task sees it.
 * @path: of the file
 *
 * As in /proc/PID/fd: " (deleted)" follows the path of a file without a name.
 *
 * Context: Process; preemption off for as long as the text is used.
 * Return: the path; an empty one where there is none.
 */
struct ovnik_path ovnik_path_of(const struct path *path)
{
	return as_path(ovnik_d_path(path, this_cpu_ptr(buffers), PATH_MAX));
}

/**
 * ovnik_path_in_fs() - The path of a file from the root of its file system.
 * @dentry: of the file
 *
 * For hooks that do not get the mount.
 *
 * Context: Process; preemption off for as long as the text is used.
 * Return: the path; an empty one where there is none.
 */
struct ovnik_path ovnik_path_in_fs(struct dentry *dentry)
{
	return as_path(ovnik_dentry_path(dentry, this_cpu_ptr(buffers), PATH_MAX));
}

/**
 * ovnik_path_init() - Allocate the buffers.
 *
 * Context: Process, at module load.
 * Return: 0; -ENOMEM.
 */
int ovnik_path_init(void)
{
	buffers = __alloc_percpu(PATH_MAX, sizeof(long));
	return buffers ? 0 : -ENOMEM;
}

/**
 * ovnik_path_exit() - Free them.
 *
 * Context: Process, at module unload; no probe is attached.
 */
void ovnik_path_exit(void)
{
	free_percpu(buffers);
}
