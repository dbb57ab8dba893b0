// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths without locks, for PREEMPT_RT.
 *
 * A walk goes from the file up to the root, as that of fs/d_path.c, and adds up what it
 * passes: each dentry with its d_seq, which every change of name or parent changes, and each
 * mount. A second walk that gets the same sum proves that nothing has changed in between.
 * Only a mount that moves away and back within this time would not be noticed.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/hash.h>
#include <linux/magic.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>

#include "mount.h"
#include "walk.h"

/* A rename takes less time than a walk, unless the task that does it is preempted. */
#define WALK_TRIES	64

#define DELETED		" (deleted)"

/**
 * struct walk - A walk from a file to the root.
 * @dentry:  where it is
 * @mnt:     the mount it is in; NULL: it ends at the root of the file system
 * @root:    where it ends
 * @text:    the buffer, which is filled from its end; NULL to look only
 * @left:    bytes before the text
 * @sum:     of all that was passed
 * @writing: a name was just being changed
 */
struct walk {
	const struct dentry	*dentry;
	const struct vfsmount	*mnt;
	struct path		root;
	char			*text;
	int			left;
	u64			sum;
	bool			writing;
};

enum step {
	STEP_ON,
	STEP_END,
	STEP_ESCAPED,	/* a bind mount's directory was moved out of it */
	STEP_TOO_LONG,
};

static void pass(struct walk *walk, const void *what, u64 version)
{
	walk->sum = (walk->sum ^ ((unsigned long)what + version)) * GOLDEN_RATIO_64;
	walk->writing |= version & 1;
}

/* A name that is just being changed ends at its NUL, whatever its length says. */
static bool prepend(struct walk *walk, const char *text, u32 len)
{
	char *to;

	if (walk->left < (int)len)
		return false;
	walk->left -= len;
	if (!walk->text)
		return true;
	for (to = walk->text + walk->left; len && *text; len--)
		*to++ = *text++;
	return true;
}

static bool prepend_name(struct walk *walk, const struct dentry *dentry)
{
	/* Its letters are there before it is, as in fs/d_path.c. */
	const char *name = smp_load_acquire(&dentry->d_name.name);
	u32 len = READ_ONCE(dentry->d_name.len);

	return len <= NAME_MAX && prepend(walk, name, len) && prepend(walk, "/", 1);
}

static enum step leave_mount(struct walk *walk)
{
	if (!ovnik_leave_mount(&walk->mnt, &walk->dentry))
		return STEP_END;
	pass(walk, walk->dentry, 0);
	pass(walk, walk->mnt, 0);
	return STEP_ON;
}

static enum step walk_step(struct walk *walk)
{
	const struct dentry *dentry = walk->dentry, *parent;

	if (walk->mnt) {
		if (dentry == walk->root.dentry && walk->mnt == walk->root.mnt)
			return STEP_END;
		if (dentry == walk->mnt->mnt_root)
			return leave_mount(walk);
	}
	/* Of d_seq only the count: to read it by its type may take the lock. */
	pass(walk, dentry, raw_read_seqcount(&dentry->d_seq.seqcount));
	parent = READ_ONCE(dentry->d_parent);
	if (parent == dentry)
		return walk->mnt ? STEP_ESCAPED : STEP_END;
	if (!prepend_name(walk, dentry))
		return STEP_TOO_LONG;
	walk->dentry = parent;
	return STEP_ON;
}

/* Return: the start of the text below @size; negative if it has no room. */
static int walk_up(struct walk *walk, const struct fs_struct *fs, int size)
{
	enum step step;

	walk->left = size;
	walk->sum = 0;
	walk->writing = false;
	if (fs) {
		walk->root.mnt = READ_ONCE(fs->root.mnt);
		walk->root.dentry = READ_ONCE(fs->root.dentry);
		pass(walk, walk->root.mnt, 0);
		pass(walk, walk->root.dentry, 0);
	}
	do {
		step = walk_step(walk);
	} while (step == STEP_ON);
	if (step == STEP_TOO_LONG)
		return -ENAMETOOLONG;
	if (step == STEP_ESCAPED)
		walk->left = size;
	if (walk->left == size && !prepend(walk, "/", 1))
		return -ENAMETOOLONG;
	return walk->left;
}

/* Return: as walk_up(); -EAGAIN if names or mounts kept changing. */
static int walk_safely(const struct dentry *dentry, const struct vfsmount *mnt, char *text,
		       int size)
{
	const struct fs_struct *fs = mnt ? current->fs : NULL;
	struct walk walk, again;
	int tries, start;

	for (tries = 0; tries < WALK_TRIES; tries++) {
		walk = (struct walk){ .dentry = dentry, .mnt = mnt, .text = text };
		again = (struct walk){ .dentry = dentry, .mnt = mnt };
		start = walk_up(&walk, fs, size);
		/* All that the first walk has read was read before the second begins. */
		smp_rmb();
		walk_up(&again, fs, size);
		if (!walk.writing && again.sum == walk.sum)
			return start;
		cpu_relax();
	}
	return -EAGAIN;
}

static char *text_of(const struct dentry *dentry, const struct vfsmount *mnt, char *buf, int size)
{
	int start;

	rcu_read_lock();
	start = walk_safely(dentry, mnt, buf, size);
	rcu_read_unlock();
	return start < 0 ? ERR_PTR(start) : buf + start;
}

/**
 * ovnik_d_path() - d_path() that never sleeps.
 * @path: of a file, which is held
 * @buf:  for the text
 * @size: of it
 *
 * Context: Any; preemption off.
 * Return: as d_path(); -EAGAIN if the names kept changing, or the file gets its name
 * under a lock.
 */
char *ovnik_d_path(const struct path *path, char *buf, int size)
{
	struct dentry *dentry = path->dentry;
	int end = size - 1;

	if (dentry->d_op && dentry->d_op->d_dname &&
	    (!IS_ROOT(dentry) || dentry != path->mnt->mnt_root)) {
		/* The name of a device buffer is under a lock. */
		if (dentry->d_sb->s_magic == DMA_BUF_MAGIC)
			return ERR_PTR(-EAGAIN);
		return dentry->d_op->d_dname(dentry, buf, size);
	}
	buf[end] = 0;
	if (d_unlinked(dentry)) {
		end -= sizeof(DELETED) - 1;
		memcpy(buf + end, DELETED, sizeof(DELETED) - 1);
	}
	return text_of(dentry, path->mnt, buf, end);
}

/**
 * ovnik_dentry_path() - dentry_path_raw() that never sleeps.
 * @dentry: of a file, which is held
 * @buf:    for the text
 * @size:   of it
 *
 * Context: Any; preemption off.
 * Return: as dentry_path_raw(); -EAGAIN if the names kept changing.
 */
char *ovnik_dentry_path(const struct dentry *dentry, char *buf, int size)
{
	buf[size - 1] = 0;
	return text_of(dentry, NULL, buf, size - 1);
}
