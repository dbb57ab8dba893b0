// SPDX-License-Identifier: GPL-2.0-only
/* The owner of a private capture, from whom other users' memory is hidden. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/rcupdate.h>
#include <linux/sched/coredump.h>
#include <linux/sysfs.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "owner.h"

DEFINE_STATIC_KEY_FALSE(ovnik_owner_key);

#define NOBODY	((uid_t)-1)

static uid_t owner = NOBODY;

/* What it hides of each event, but the layout of processes. */
#define HIDES(nr, ev, family, changes, letter, mcv, what, hook, misses, fields) \
	[nr] = { OVNIK_OTHER_ADDRESSES(ev), OVNIK_FRAMES_##ev },
static const struct {
	u32 addresses;
	u32 frames;
} hides[OVNIK_NR_EVENTS] = {
	OVNIK_EVENT_TABLE(HIDES, OVNIK_NO_FIELD)
};

/* Has it no more rights than the owner by something else than IDs? Root has all. */
static bool has_no_more(const struct cred *cred)
{
	return cred->user_ns == &init_user_ns && (!owner || cap_isclear(cred->cap_permitted));
}

static bool has_cred(const struct cred *cred)
{
	return __kuid_val(cred->uid) == owner && __kuid_val(cred->euid) == owner &&
	       __kuid_val(cred->suid) == owner && gid_eq(cred->gid, cred->egid) &&
	       gid_eq(cred->gid, cred->sgid) && has_no_more(cred);
}

/* In the order of __ptrace_may_access(). */
static bool may_see(struct task_struct *task, struct mm_struct *mm)
{
	if (!has_cred(__task_cred(task)))
		return false;
	smp_rmb(); /* commit_creds() takes dumpable away before it gives the IDs */
	if (!ovnik_is_dumpable(task, mm))
		return false;
	smp_rmb(); /* exec takes the old one away before it makes the task dumpable */
	return READ_ONCE(task->mm) == mm;
}

/**
 * ovnik_owner_has() - May the owner see the memory of a task?
 * @task: the task
 * @mm:	  its address space, held; NULL: it has none
 *
 * All its user IDs are the owner's, it has one group ID, no capability, is in the first user
 * namespace, and has not given up rights since its last exec, with which it has the layout of a
 * process that has them still. Of what the kernel asks about /proc/PID/maps, in
 * __ptrace_may_access(), are left out: which groups the owner has, and security modules.
 *
 * Nor may they see @mm if the task has another one by now: by an exec, after which the rights are
 * those of the new image.
 *
 * Context: Any; a private capture runs.
 * Return: true if they may.
 */
bool ovnik_owner_has(struct task_struct *task, struct mm_struct *mm)
{
	bool is_owners;

	/* Kernel threads are root's, and work on the memory of anybody. */
	if (!mm || data_race(task->flags) & PF_KTHREAD)
		return false;
	rcu_read_lock();
	is_owners = may_see(task, mm);
	rcu_read_unlock();
	return is_owners;
}

/**
 * ovnik_owner_runs() - May the owner see the memory of the current task?
 *
 * Context: as ovnik_owner_has().
 * Return: true if they may.
 */
bool ovnik_owner_runs(void)
{
	return ovnik_owner_has(current, current->mm);
}

/**
 * ovnik_owner_hide() - In a record of the current task, hide what the owner may not see.
 * @rec:  the record, complete
 * @type: its event number
 *
 * Context: as ovnik_owner_has(); preemption off.
 */
void ovnik_owner_hide(void *rec, u32 type)
{
	ovnik_hide(rec, hides[type].frames, OVNIK_NO_FRAME);
	if (hides[type].addresses && !ovnik_owner_runs())
		ovnik_hide(rec, hides[type].addresses, OVNIK_NO_ADDRESS);
}

/**
 * ovnik_owner_offset() - Hide an offset in a file if it may be an address.
 * @inode:  the file
 * @offset: a byte of it
 *
 * In files like /proc/PID/mem, pagemap and kcore, and in devices like /dev/mem, an offset is an
 * address or gives one away, and not always in the memory of the task that reads.
 *
 * Context: Any; a private capture runs.
 * Return: @offset, or OVNIK_OFFSET_UNKNOWN.
 */
u64 ovnik_owner_offset(const struct inode *inode, u64 offset)
{
	if (inode->i_sb->s_magic == PROC_SUPER_MAGIC || S_ISCHR(inode->i_mode))
		return OVNIK_OFFSET_UNKNOWN;
	return offset;
}

/**
 * ovnik_owner_set() - Make the next captures private, or not.
 * @uid: of the owner, in the initial user namespace; -1: there is none
 *
 * Context: ovnik_lock held, no capture runs.
 */
void ovnik_owner_set(uid_t uid)
{
	owner = uid;
}

/**
 * ovnik_owner_show() - Print the owner.
 * @buf: a page
 *
 * Context: Process; ovnik_lock held.
 * Return: bytes printed.
 */
ssize_t ovnik_owner_show(char *buf)
{
	return owner == NOBODY ? sysfs_emit(buf, "\n") : sysfs_emit(buf, "%u\n", owner);
}

/**
 * ovnik_owner_arm() - Make the hooks hide what the owner may not see.
 *
 * Context: Process, may sleep; ovnik_lock held, nothing is recorded yet.
 */
void ovnik_owner_arm(void)
{
	if (owner != NOBODY)
		static_branch_enable(&ovnik_owner_key);
}

/**
 * ovnik_owner_disarm() - Make the hooks ignore the owner.
 *
 * Context: Process, may sleep; no hook is left.
 */
void ovnik_owner_disarm(void)
{
	static_branch_disable(&ovnik_owner_key);
}
