/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PATH_BPF_H
#define OVNIK_PATH_BPF_H

/*
 * Paths as text, as of d_path() and dentry_path_raw(). The helper bpf_d_path() may be
 * called from iterators and a few hooks only; nearly all of ours are others.
 *
 *	struct ovnik_path_buf *buf = ovnik_path_of_file(&text, file);
 *
 *	if (!buf) {
 *		ovnik_lose(OVNIK_EV_file_open, 1);
 *		return;
 *	}
 *	rec = ovnik_begin_text(&slot, file_open, path, &text);
 *	if (rec)
 *		...
 *	ovnik_path_done(buf);
 *
 * Probes use known.bpf.h, which does that only for paths that are not in the sub-buffer.
 */

#include "probe.bpf.h"

#define PATH_MAX		4096
#define NAME_MAX		255
#define ANON_INODE_FS_MAGIC	0x09041934	/* include/uapi/linux/magic.h */
#define SOCKFS_MAGIC		0x534f434b
#define DYNAMIC_NAME_MAX	64		/* dynamic_dname(), its NUL included */

/* The programs that may interrupt one another on a CPU while building a path. */
#define OVNIK_PATH_BUFS		4

/**
 * enum walk_end - How a walk from a file to the root ended.
 * @WALKING:  not yet
 * @AT_ROOT:  of the task, or of its mounts
 * @ESCAPED:  at the root of a file system, but not of the mount
 * @TOO_LONG: no room for the text
 */
enum walk_end { WALKING, AT_ROOT, ESCAPED, TOO_LONG };

/**
 * struct walk - A walk from a file to the root.
 * @dentry:   the current one
 * @mnt:      likewise, struct vfsmount
 * @mnt_root: root of that
 * @off:      start of the text
 * @end:      enum walk_end
 * @left:     a mount was left
 * @mounts:   mount_lock before that
 * @renames:  rename_lock before the walk
 */
struct walk {
	u64	dentry;
	u64	mnt;
	u64	mnt_root;
	u32	off;
	u32	end;
	u32	left;
	u32	mounts;
	u32	renames;
};

/**
 * struct ovnik_path_buf - Where a path is built, from its end.
 * @busy:	 in use
 * @dentry:	 of the file. Pointers pass through memory, which removes their types: a
 *		 separate function cannot take a typed pointer of the kernel
 * @mnt:	 struct vfsmount of the file; 0: the path is from the root of the file system
 * @mnt_root:	 root of that mount
 * @namer:	 function that names a file without path, or 0
 * @deleted:	 the file has no name any more
 * @root_dentry: root of the current task
 * @root_mnt:	 likewise
 * @walk:	 not on the stack: 6.1 verifies the callback of a loop once, with the stack
 *		 of the first call, and removes code that only later calls reach
 * @text:	 ends at PATH_MAX; zeros follow
 */
struct ovnik_path_buf {
	u64		busy;
	u64		dentry;
	u64		mnt;
	u64		mnt_root;
	u64		namer;
	u64		deleted;
	u64		root_dentry;
	u64		root_mnt;
	struct walk	walk;
	char		text[PATH_MAX + NAME_MAX + 1];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OVNIK_PATH_BUFS);
	__type(key, u32);
	__type(value, struct ovnik_path_buf);
} ovnik_paths SEC(".maps");

/* seqlock_t: values read between two equal even numbers are consistent. */
extern const void rename_lock __ksym __weak;
extern const void mount_lock __ksym __weak;

/* Names a file without path: a memory segment, as shm and memfd make it. */
extern const void simple_dname __ksym __weak;

/* What ovnik_make_path() returns instead of the start of the text. */
#define NO_PATH		(-1)
#define PATH_CHANGED	(-2)	/* names or mounts, meanwhile */

/**
 * struct part - The members of a dentry that a step needs, in the order of the kernel.
 * @parent: its directory
 * @name:   in the directory
 */
struct part {
	const struct dentry	*parent;
	struct qstr		name;
};

static __always_inline u32 read_seq(const void *seqlock)
{
	u32 seq = 0;

	if (seqlock)
		bpf_probe_read_kernel(&seq, sizeof(seq), seqlock);
	return seq;
}

/* Has a writer been active since? */
static __always_inline bool seq_changed(const void *seqlock, u32 seq)
{
	return seq & 1 || read_seq(seqlock) != seq;
}

/* By one read, if they are adjacent. */
static __always_inline void read_part(struct part *part, const struct dentry *dentry)
{
	u32 parent = bpf_core_field_offset(struct dentry, d_parent);
	u32 name = bpf_core_field_offset(struct dentry, d_name);

	if (name - parent == offsetof(struct part, name)) {
		bpf_core_read(part, sizeof(*part), &dentry->d_parent);
	} else {
		bpf_core_read(&part->parent, sizeof(part->parent), &dentry->d_parent);
		bpf_core_read(&part->name, sizeof(part->name), &dentry->d_name);
	}
}

/* A name is put before the text. */
static __always_inline bool prepend_name(struct ovnik_path_buf *buf, const struct qstr *name)
{
	u32 off = buf->walk.off;
	u32 len = name->len;

	barrier_var(len);
	if (len > NAME_MAX || off <= len)
		return false;
	off -= len;
	barrier_var(off);
	if (off >= PATH_MAX)
		return false;
	bpf_probe_read_kernel(buf->text + off, len, name->name);
	buf->walk.off = off;
	return true;
}

static __always_inline bool prepend_char(struct ovnik_path_buf *buf, char c)
{
	u32 off = buf->walk.off - 1;

	barrier_var(off);
	if (off >= PATH_MAX)
		return false;
	buf->text[off] = c;
	buf->walk.off = off;
	return true;
}

static __always_inline long end_walk(struct walk *walk, enum walk_end end)
{
	walk->end = end;
	return 1;
}

/* From the root of a mount to the place where it is mounted. */
static __always_inline long leave_mount(struct walk *walk)
{
	u64 inner = bpf_core_field_offset(struct mount, mnt);
	const struct mount *mount = (void *)(walk->mnt - inner);
	const struct mount *parent;
	const struct vfsmount *mnt;

	if (!walk->left) {
		walk->left = 1;
		walk->mounts = read_seq(&mount_lock);
	}
	parent = BPF_CORE_READ(mount, mnt_parent);
	if (parent == mount)
		return end_walk(walk, AT_ROOT);
	mnt = (void *)parent + inner;
	walk->dentry = (u64)BPF_CORE_READ(mount, mnt_mountpoint);
	walk->mnt = (u64)mnt;
	walk->mnt_root = (u64)BPF_CORE_READ(mnt, mnt_root);
	return 0;
}

/* One step of __prepend_path() or __dentry_path() of fs/d_path.c. */
static long walk_step(u32 i, struct ovnik_path_buf **context)
{
	struct ovnik_path_buf *buf = *context;
	struct walk *walk = &buf->walk;
	const struct dentry *dentry = (void *)walk->dentry;
	struct part part;

	if (walk->mnt) {
		if (walk->dentry == buf->root_dentry && walk->mnt == buf->root_mnt)
			return end_walk(walk, AT_ROOT);
		if (walk->dentry == walk->mnt_root)
			return leave_mount(walk);
	}
	read_part(&part, dentry);
	if (part.parent == dentry)
		return end_walk(walk, walk->mnt ? ESCAPED : AT_ROOT);
	if (!prepend_name(buf, &part.name) || !prepend_char(buf, '/'))
		return end_walk(walk, TOO_LONG);
	walk->dentry = (u64)part.parent;
	return 0;
}

/* A component is at least a name and a slash; mounts may be on mounts. */
#define STEPS_UP	(PATH_MAX / 2 + 2048)

/* Return: the start of the text that ends before @end, or why there is none. */
static __always_inline int walk_up(struct ovnik_path_buf *buf, u32 end)
{
	struct walk *walk = &buf->walk;

	walk->dentry = buf->dentry;
	walk->mnt = buf->mnt;
	walk->mnt_root = buf->mnt_root;
	walk->off = end;
	walk->end = WALKING;
	walk->left = 0;
	bpf_loop(STEPS_UP, walk_step, &buf, 0);
	if (walk->left && seq_changed(&mount_lock, walk->mounts))
		return PATH_CHANGED;
	if (walk->end == WALKING || walk->end == TOO_LONG)
		return NO_PATH;
	if (walk->end == ESCAPED)
		walk->off = end;
	if (walk->off == end && !prepend_char(buf, '/'))
		return NO_PATH;
	return walk->off;
}

#define DELETED		" (deleted)"
#define ANON_INODE	"anon_inode:"
#define SOCKET		"socket:["

/* Writes the end of every text. Return: its start. */
static __always_inline u32 put_end(struct ovnik_path_buf *buf, bool deleted)
{
	if (!deleted)
		return PATH_MAX - 1;
	__builtin_memcpy(buf->text + PATH_MAX - sizeof(DELETED), DELETED, sizeof(DELETED) - 1);
	return PATH_MAX - sizeof(DELETED);
}

/* A text of a length known to the compiler is put before the text. */
#define prepend_text(buf, string)						\
({										\
	u32 start = (buf)->walk.off - (sizeof(string) - 1);			\
										\
	barrier_var(start);							\
	if (start < PATH_MAX) {							\
		__builtin_memcpy((buf)->text + start, string, sizeof(string) - 1); \
		(buf)->walk.off = start;					\
	}									\
	start < PATH_MAX;							\
})

/* anon_inodefs_dname() */
static __always_inline bool name_anon_inode(struct ovnik_path_buf *buf, const struct qstr *name)
{
	return prepend_name(buf, name) && prepend_text(buf, ANON_INODE) &&
	       PATH_MAX - buf->walk.off <= DYNAMIC_NAME_MAX;
}

/* sockfs_dname() */
static __always_inline bool name_socket(struct ovnik_path_buf *buf, const struct dentry *dentry)
{
	u64 ino = BPF_CORE_READ(dentry, d_inode, i_ino);
	u32 i;

	prepend_char(buf, ']');
	for (i = 0; i < 20; i++) {
		prepend_char(buf, '0' + ino % 10);
		ino /= 10;
		if (!ino)
			break;
	}
	return prepend_text(buf, SOCKET);
}

/* simple_dname() */
static __always_inline bool name_simple(struct ovnik_path_buf *buf, const struct qstr *name)
{
	buf->walk.off = put_end(buf, true);
	return prepend_name(buf, name) && prepend_char(buf, '/');
}

/*
 * The text of a file that has no path, but a function that names it. Three of them are
 * known; files with another one (a pipe, a namespace, a device buffer) get the empty text.
 */
static __always_inline int name_dynamic(struct ovnik_path_buf *buf)
{
	const struct dentry *dentry = (void *)buf->dentry;
	u64 magic = BPF_CORE_READ(dentry, d_sb, s_magic);
	struct part part;
	bool named = false;

	buf->walk.off = put_end(buf, false);
	read_part(&part, dentry);
	if (buf->namer == (u64)&simple_dname)
		named = name_simple(buf, &part.name);
	else if (magic == ANON_INODE_FS_MAGIC)
		named = name_anon_inode(buf, &part.name);
	else if (magic == SOCKFS_MAGIC)
		named = name_socket(buf, dentry);
	return named ? (int)buf->walk.off : NO_PATH;
}

/* A separate function: verified once, not once per probe. */
__noinline int ovnik_make_path(struct ovnik_path_buf *buf)
{
	int off;

	if (!buf)
		return NO_PATH;
	if (buf->namer)
		return name_dynamic(buf);
	buf->walk.renames = read_seq(&rename_lock);
	off = walk_up(buf, put_end(buf, buf->deleted));
	return seq_changed(&rename_lock, buf->walk.renames) ? PATH_CHANGED : off;
}

/* Context: any. */
static __always_inline struct ovnik_path_buf *take_path_buf(void)
{
	struct ovnik_path_buf *buf;
	u32 i, key;

	for (i = 0; i < OVNIK_PATH_BUFS; i++) {
		/* The verifier allows any number in what a helper has read. */
		key = i;
		buf = bpf_map_lookup_elem(&ovnik_paths, &key);
		if (buf && !cmpxchg(&buf->busy, 0, 1))
			return buf;
	}
	return NULL;
}

/* Release the buffer; its text is no longer valid. */
static __always_inline void ovnik_path_done(struct ovnik_path_buf *buf)
{
	barrier();
	WRITE_ONCE(buf->busy, 0);
}

/*
 * A rename takes less time than a try, unless a hypervisor suspends its CPU. d_path() waits
 * as long as it takes; we wait for some milliseconds.
 */
#define PATH_TRIES	8
#define PATH_LOOKS	(1 << 18)

static long still_changing(u32 i, void *unused)
{
	return !((read_seq(&rename_lock) | read_seq(&mount_lock)) & 1);
}

/* Build the text from what the buffer says. */
static __always_inline struct ovnik_path_buf *path_text(struct ovnik_text *text,
							struct ovnik_path_buf *buf)
{
	int i, ret = PATH_CHANGED;
	u64 off;

	for (i = 0; i < PATH_TRIES; i++) {
		ret = ovnik_make_path(buf);
		if (ret != PATH_CHANGED)
			break;
		bpf_loop(PATH_LOOKS, still_changing, NULL, 0);
	}
	if (ret == PATH_CHANGED) {
		ovnik_path_done(buf);
		return NULL;
	}
	/* NO_PATH: only the NUL. The masks show the verifier the bounds. */
	off = ret;
	barrier_var(off);
	off &= PATH_MAX - 1;
	text->start = buf->text + off;
	text->len = PATH_MAX - off;
	return buf;
}

/* How the current task sees a file with these properties. */
static __always_inline void look_from_root(struct ovnik_path_buf *buf, bool hashed, bool is_root)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	buf->root_dentry = (u64)task->fs->root.dentry;
	buf->root_mnt = (u64)task->fs->root.mnt;
	buf->deleted = !hashed && !is_root;
	/* Mounted, the file has a path. */
	if (is_root && buf->dentry == buf->mnt_root)
		buf->namer = 0;
}

/*
 * The path of an open file as the current task sees it, as in /proc/PID/fd:
 * " (deleted)" follows the path of a file without a name. It is empty if d_path() has
 * none or one of more than PATH_MAX bytes. NULL: no buffer, or names kept changing, the
 * event is dropped; otherwise ovnik_path_done() must follow.
 *
 * @file: as the kernel passes it to the probe
 */
static __always_inline struct ovnik_path_buf *ovnik_path_of_file(struct ovnik_text *text,
								 const struct file *file)
{
	const struct dentry *dentry = file->f_path.dentry;
	const struct vfsmount *mnt = file->f_path.mnt;
	struct ovnik_path_buf *buf = take_path_buf();

	if (!buf)
		return NULL;
	buf->dentry = (u64)dentry;
	buf->mnt = (u64)mnt;
	buf->mnt_root = (u64)mnt->mnt_root;
	buf->namer = (u64)dentry->d_op->d_dname;
	look_from_root(buf, dentry->d_hash.pprev, dentry->d_parent == dentry);
	return path_text(text, buf);
}

/*
 * The same for a file found by helpers, which is no pointer to the verifier: one read for
 * four.
 */
static __always_inline struct ovnik_path_buf *ovnik_path_of(struct ovnik_text *text,
							    const struct file *file)
{
	struct ovnik_path_buf *buf;
	const struct dentry *dentry;
	const struct vfsmount *mnt;
	struct path path;

	bpf_core_read(&path, sizeof(path), &file->f_path);
	dentry = path.dentry;
	mnt = path.mnt;
	buf = take_path_buf();
	if (!buf)
		return NULL;
	buf->dentry = (u64)dentry;
	buf->mnt = (u64)mnt;
	buf->mnt_root = (u64)BPF_CORE_READ(mnt, mnt_root);
	buf->namer = (u64)BPF_CORE_READ(dentry, d_op, d_dname);
	look_from_root(buf, BPF_CORE_READ(dentry, d_hash.pprev),
		       BPF_CORE_READ(dentry, d_parent) == dentry);
	return path_text(text, buf);
}

/* The path from the root of the file system, for hooks that do not get the mount. */
static __always_inline struct ovnik_path_buf *ovnik_path_in_fs(struct ovnik_text *text,
							       const struct dentry *dentry)
{
	struct ovnik_path_buf *buf = take_path_buf();

	if (!buf)
		return NULL;
	buf->dentry = (u64)dentry;
	buf->mnt = 0;
	buf->namer = 0;
	buf->deleted = 0;
	return path_text(text, buf);
}

/* The text without a file. */
static __always_inline void ovnik_no_path(struct ovnik_text *text)
{
	static const u64 nothing;

	text->start = (const char *)&nothing;
	text->len = 1;
}

#endif /* OVNIK_PATH_BPF_H */
