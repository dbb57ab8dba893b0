// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths as text, where nothing can be allocated.
 *
 * Most paths were recorded a moment ago. A record then refers to the one that has the text,
 * if that is in the same sub-buffer. Mostly it is known without building the text again that
 * it is the same; otherwise the names on the way to the root are compared with it.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs_struct.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/string.h>
#include <asm/word-at-a-time.h>

#include "mount.h"
#include "path.h"
#include "walk.h"

#define KNOWN_BITS	6

/* Follows the path of a file that has no name any more, as from d_path(). */
#define DELETED		" (deleted)"

/**
 * struct known - A path that a record has.
 * @dentry:  of the file; NULL if it has to be built again
 * @mnt:     its mount
 * @way:     its way to the root, see way_from()
 * @grace:   RCU's state before that
 * @session: the capture
 * @seq:     the record's sub-buffer, as in the high half of the ring's @pos
 * @record:  its offset there
 * @text:    offset of the text
 * @len:     bytes of the text, the NUL included
 */
struct known {
	const struct dentry	*dentry;
	const struct vfsmount	*mnt;
	u64			way;
	struct ovnik_rcu_gp_seq	grace;
	u64			session;
	u32			seq;
	u32			record;
	u32			text;
	u32			len;
} __aligned(64);	/* to be found by a shift */

/**
 * struct paths - What a CPU needs, in process context with preemption off.
 * @known:  by dentry
 * @buffer: for a text
 * @behind: may be read and written as it is: names are copied in words
 */
struct paths {
	struct known	known[1 << KNOWN_BITS];
	char		buffer[PATH_MAX];
	u64		behind;
};

/* Allocated, because all modules share 8 KiB of static per-CPU memory. */
static struct paths __percpu *paths;

/* A path is built from its end: it ends where the buffer ends. */
static struct ovnik_path as_path(const char *text)
{
	/* Longer than PATH_MAX; on PREEMPT_RT also: being renamed all the time. */
	if (IS_ERR(text))
		return (struct ovnik_path){ "", 1 };
	return (struct ovnik_path){ text, this_cpu_ptr(paths)->buffer + PATH_MAX - text };
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
	return as_path(ovnik_dentry_path(dentry, this_cpu_ptr(paths)->buffer, PATH_MAX));
}

/* Where the paths of the current task begin. One without an fs has none: at the topmost mount. */
static __always_inline struct path root_of_task(void)
{
	const struct fs_struct *fs = current->fs;

	if (unlikely(!fs))
		return (struct path){};
	return (struct path){
		.mnt	= READ_ONCE(fs->root.mnt),
		.dentry	= READ_ONCE(fs->root.dentry),
	};
}

static __always_inline u64 mix(u64 way, const void *what)
{
	return way * GOLDEN_RATIO_64 ^ (unsigned long)what;
}

/*
 * What the walk from a file in a mount to the root of the task depends on, in one number: how
 * often something was renamed, the root, and where each mount is. 0: names are just changing.
 */
static __always_inline u64 way_from(const struct vfsmount *mnt)
{
	u64 way = raw_read_seqcount(&rename_lock.seqcount.seqcount);
	const struct path root = root_of_task();
	const struct dentry *dentry;

	if (way & 1)
		return 0;
	way = mix(mix(way, root.dentry), root.mnt);
	while (ovnik_leave_mount(&mnt, &dentry))
		way = mix(mix(way, dentry), mnt);
	return way;
}

/* How often the task's root, or its working directory, was changed. Odd: just now. */
static unsigned int root_changes(void)
{
	return likely(current->fs) ? raw_read_seqcount(ovnik_fs_count(current->fs)) : 0;
}

/*
 * Has a file still the path that it had when @known was noted?
 *
 * Names and parents change under rename_lock. Until a grace period of RCU has ended that began
 * after that, no dentry or mount that was in use then has become another one: those with the
 * same addresses are the same. Where a normal and an expedited one overlap, the short form of
 * RCU's state may not tell that one has ended: see get_state_synchronize_rcu_full().
 */
static __always_inline bool is_unchanged(struct known *known, const struct path *path)
{
	if (known->dentry != path->dentry || known->mnt != path->mnt || d_unhashed(path->dentry))
		return false;
	return OVNIK_MOUNTS_KNOWN && known->way && known->way == way_from(path->mnt) &&
	       !poll_state_synchronize_rcu_full(&known->grace);
}

/* Begin a record that refers to another one. No record: that is not in the open sub-buffer. */
static __always_inline struct ovnik_slot refer(u32 type, u32 at, const struct known *known)
{
	unsigned long pos = this_cpu_read(ovnik_ring.pos);
	u32 size = at + sizeof(u32);
	u32 len = ALIGN(size, OVNIK_REC_ALIGN);
	struct ovnik_slot slot;

	if (pos >> 32 != known->seq || !ovnik_reserve_at(&slot, type, len, pos))
		return (struct ovnik_slot){};
	ovnik_set_size(slot.rec, size | OVNIK_REC_AGAIN, len);
	*(u32 *)((void *)slot.rec + at) = (u32)pos - known->record;
	return slot;
}

/* Is there a record with it in the open sub-buffer? */
static bool is_here(const struct known *known)
{
	return known->seq == this_cpu_read(ovnik_ring.pos) >> 32 &&
	       known->session == this_cpu_read(ovnik_ring.session) && this_cpu_read(ovnik_ring.cur);
}

/* Of a text in the open sub-buffer. If that is closed meanwhile, refer() refuses it. */
static bool has_text(const struct known *known, const struct ovnik_path *path)
{
	const char *sb = (const char *)this_cpu_read(ovnik_ring.cur);

	return known->len == path->len && sb && !memcmp(sb + known->text, path->text, path->len);
}

typedef bool name_fn(char *text, const char *name, u32 len);

/* The first @len letters of a word, fewer than it has. */
static __always_inline unsigned long letters(u32 len)
{
	return (1UL << 8 * len) - 1;
}

static __always_inline unsigned long word_at(const char *text)
{
	unsigned long word;

	memcpy(&word, text, sizeof(word));
	return word;
}

/*
 * Is a name that of the text? A name that is just being changed may be shorter than its length
 * says: behind the word with its NUL, which no word of the text is equal to, nothing is read. Nor
 * is anything behind the text, which may end where the ring ends; before it is the rest of its
 * record.
 */
static __always_inline bool is_name(char *text, const char *name, u32 len)
{
	unsigned long last;

	for (; len >= sizeof(long); len -= sizeof(long)) {
		if (load_unaligned_zeropad(name) != word_at(text))
			return false;
		name += sizeof(long);
		text += sizeof(long);
	}
	if (!len)
		return true;
	last = word_at(text + len - sizeof(long));
	return (load_unaligned_zeropad(name) & letters(len)) == last >> 8 * (sizeof(long) - len);
}

/* Nor here. What is behind the name in the buffer stays. */
static __always_inline bool copy_name(char *text, const char *name, u32 len)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long *to = (unsigned long *)text, word, nul;

	for (; len >= sizeof(long); len -= sizeof(long)) {
		word = load_unaligned_zeropad(name);
		if (has_zero(word, &nul, &constants))
			return false;
		*to++ = word;
		name += sizeof(long);
	}
	if (len)
		*to = (*to & ~letters(len)) | (load_unaligned_zeropad(name) & letters(len));
	return true;
}

/* With the slash before it; the rest of the text, before that, has @left bytes afterwards. */
static __always_inline bool take_name(name_fn *take, char *text, u32 *left,
				      const struct dentry *dentry)
{
	/* Its letters are there before it is, as in fs/d_path.c. */
	const char *name = smp_load_acquire(&dentry->d_name.name);
	u32 len = READ_ONCE(dentry->d_name.len);

	if (len >= *left)
		return false;
	*left -= len + 1;
	if (take == copy_name)
		text[*left] = '/';
	return text[*left] == '/' && take(text + *left + 1, name, len);
}

/*
 * Go from a file to the root, as d_path() does, and compare or copy the names. Whoever calls
 * this asks afterwards whether something has changed meanwhile.
 *
 * Return: as way_from(); 0 also if a name differs, or without a text: that of the root itself, and
 * of what was moved out of its mount.
 */
static __always_inline u64 climb(const struct path *path, name_fn *take, char *text, u32 *left)
{
	u64 way = raw_read_seqcount(&rename_lock.seqcount.seqcount);
	const struct path root = root_of_task();
	const struct dentry *dentry = path->dentry, *parent;
	const struct vfsmount *mnt = path->mnt;
	u32 all = *left;

	if (way & 1)
		return 0;
	way = mix(mix(way, root.dentry), root.mnt);
	while (dentry != root.dentry || mnt != root.mnt) {
		if (dentry == mnt->mnt_root) {
			if (!ovnik_leave_mount(&mnt, &dentry))
				break;
			way = mix(mix(way, dentry), mnt);
			continue;
		}
		parent = READ_ONCE(dentry->d_parent);
		if (parent == dentry || !take_name(take, text, left, dentry))
			return 0;
		dentry = parent;
	}
	/* The rest of the way decides nothing, but belongs to it. */
	while (ovnik_leave_mount(&mnt, &dentry))
		way = mix(mix(way, dentry), mnt);
	/* Whoever asks whether something has changed does so after all that was read here. */
	smp_rmb();
	return *left == all ? 0 : way;
}

/* Of a task that exits and has no fs any more, which d_path() needs. */
static noinline struct ovnik_path path_without_root(const struct path *path)
{
	const struct dentry_operations *op = path->dentry->d_op;
	char *buffer = this_cpu_ptr(paths)->buffer;
	u32 left = PATH_MAX - 1;
	u64 way;

	if (!OVNIK_MOUNTS_KNOWN || (op && op->d_dname))
		return ovnik_path_in_fs(path->dentry);
	buffer[left] = '\0';
	if (d_unlinked(path->dentry)) {
		left -= strlen(DELETED);
		memcpy(buffer + left, DELETED, strlen(DELETED));
	}
	way = climb(path, copy_name, buffer, &left);
	if (!way || way_from(path->mnt) != way)
		return ovnik_path_in_fs(path->dentry);
	return as_path(buffer + left);
}

/**
 * ovnik_path_of() - The path of a file as the current task sees it.
 * @path: of the file
 *
 * As in /proc/PID/fd: " (deleted)" follows the path of a file without a name. A task that exits may
 * have no fs any more: IMA opens a file again that such a task closes. Its path begins at the
 * topmost mount; at its file system if names are just changing.
 *
 * Context: Process; preemption off for as long as the text is used. current->fs may be gone.
 * Return: the path; an empty one where there is none.
 */
struct ovnik_path ovnik_path_of(const struct path *path)
{
	if (unlikely(!current->fs))
		return path_without_root(path);
	return as_path(ovnik_d_path(path, this_cpu_ptr(paths)->buffer, PATH_MAX));
}

/* Is its path made of the names of directories? */
static __always_inline bool can_climb(const struct path *path)
{
	const struct dentry_operations *op = path->dentry->d_op;

	return OVNIK_MOUNTS_KNOWN && !(op && op->d_dname) && !d_unhashed(path->dentry);
}

/* Before its path is built. */
static __always_inline void remember_file(struct known *known, const struct path *path)
{
	get_state_synchronize_rcu_full(&known->grace);
	known->dentry = path->dentry;
	known->mnt = path->mnt;
}

/*
 * After that. The text may be of a moment between two changes: then it is not known whose. Of
 * all that can change it, only a mount that moves away and back meanwhile is not noticed.
 */
static void forget_if_changed(struct known *known, const struct path *path, unsigned int roots)
{
	if (d_unhashed(path->dentry) || way_from(path->mnt) != known->way || roots & 1 ||
	    root_changes() != roots)
		known->dentry = NULL;
}

static void remember_text(struct known *known, struct ovnik_slot slot, u32 at, u32 len)
{
	known->session = slot.sb->session;
	known->seq = slot.sb->seq;
	known->record = (void *)slot.rec - (void *)slot.sb;
	known->text = known->record + at;
	known->len = len;
}

/*
 * Is its path still that of @known, whose record is in the open sub-buffer? Grace periods have
 * ended since, or something was renamed, mostly elsewhere.
 */
static noinline bool is_same_text(struct known *known, const struct path *path)
{
	char *sb = (char *)this_cpu_read(ovnik_ring.cur);
	unsigned int roots = root_changes();
	u32 left = known->len - 1;

	/* An interrupt may have stopped the ring, or found it full. */
	if (!sb || known->dentry != path->dentry || known->mnt != path->mnt || !can_climb(path))
		return false;
	remember_file(known, path);
	known->way = climb(path, is_name, sb + known->text, &left);
	if (!known->way || left)
		known->dentry = NULL;
	forget_if_changed(known, path, roots);
	return known->dentry;
}

/* Return: false if the kernel must do it. */
static bool build_text(struct known *known, const struct path *path, struct ovnik_path *full)
{
	char *buffer = this_cpu_ptr(paths)->buffer;
	unsigned int roots = root_changes();
	u32 left = PATH_MAX - 1;

	if (!can_climb(path))
		return false;
	buffer[left] = '\0';
	remember_file(known, path);
	known->way = climb(path, copy_name, buffer, &left);
	if (!known->way)
		return false;
	forget_if_changed(known, path, roots);
	*full = as_path(buffer + left);
	return known->dentry;
}

static struct ovnik_path text_of(struct known *known, const struct path *path)
{
	unsigned int roots = root_changes();
	struct ovnik_path full;

	if (build_text(known, path, &full))
		return full;
	remember_file(known, path);
	known->way = way_from(path->mnt);
	full = ovnik_path_of(path);
	forget_if_changed(known, path, roots);
	return full;
}

static noinline struct ovnik_slot begin_anew(u32 type, u32 at, struct known *known,
					     const struct path *path)
{
	struct ovnik_slot slot = {};
	struct ovnik_path full;
	u32 len;

	full = text_of(known, path);
	if (is_here(known) && has_text(known, &full))
		slot = refer(type, at, known);
	if (slot.rec)
		return slot;
	len = ALIGN(at + full.len, OVNIK_REC_ALIGN);
	slot = ovnik_reserve(type, len);
	if (!slot.rec) {
		known->dentry = NULL;
		return slot;
	}
	ovnik_set_size(slot.rec, at + full.len, len);
	memcpy((void *)slot.rec + at, full.text, full.len);
	remember_text(known, slot, at, full.len);
	return slot;
}

/**
 * ovnik_begin_with_path() - Begin a record that ends with the path of a file.
 * @type: event number
 * @at:	  offset of the path in the record
 * @path: of the file, as ovnik_path_of() has it
 *
 * ovnik_commit_str() must follow if there is a record.
 *
 * Context: Process; preemption off until then. current->fs may be gone.
 * Return: as ovnik_reserve().
 */
struct ovnik_slot ovnik_begin_with_path(u32 type, u32 at, const struct path *path)
{
	struct known *known = &this_cpu_ptr(paths)->known[hash_ptr(path->dentry, KNOWN_BITS)];
	struct ovnik_slot slot;

	if (is_here(known) && (is_unchanged(known, path) || is_same_text(known, path))) {
		slot = refer(type, at, known);
		if (likely(slot.rec))
			return slot;
	}
	return begin_anew(type, at, known, path);
}

/**
 * ovnik_path_init() - Allocate what the CPUs need.
 *
 * Context: Process, at module load.
 * Return: 0; -ENOMEM.
 */
int ovnik_path_init(void)
{
	paths = alloc_percpu(struct paths);
	return paths ? 0 : -ENOMEM;
}

/**
 * ovnik_path_exit() - Free it.
 *
 * Context: Process, at module unload; no probe is attached.
 */
void ovnik_path_exit(void)
{
	free_percpu(paths);
}
