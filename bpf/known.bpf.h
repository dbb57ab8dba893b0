/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_KNOWN_BPF_H
#define OVNIK_KNOWN_BPF_H

/*
 * Records that end with the path of a file. Most paths were recorded a moment ago: a record
 * then refers to the one that has the text, if that is in the same sub-buffer, and if it is
 * known without building the text that it is the same.
 */

#include "path.bpf.h"
#include "ring.bpf.h"

#define OVNIK_KNOWNS	128	/* a power of two */

/**
 * struct ovnik_known - A path that a record has, and what it depends on.
 * @busy:	 in use: programs may interrupt one another
 * @session:	 the capture; 0: no path
 * @pos:	 place of the record, as in struct ovnik_bpf_cpu
 * @dentry:	 of the file
 * @mnt:	 struct vfsmount
 * @root_dentry: root of the task
 * @root_mnt:	 likewise
 * @grace:	 number of RCU's grace period, see is_same()
 * @renames:	 rename_lock, even
 * @mounts:	 mount_lock, even, if @left
 * @left:	 the way to the root leaves a mount
 */
struct ovnik_known {
	u64	busy;
	u64	session;
	u64	pos;
	u64	dentry;
	u64	mnt;
	u64	root_dentry;
	u64	root_mnt;
	u64	grace;
	u32	renames;
	u32	mounts;
	u32	left;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OVNIK_KNOWNS);
	__type(key, u32);
	__type(value, struct ovnik_known);
} ovnik_knowns SEC(".maps");

extern const void rcu_state __ksym __weak;

/**
 * struct sight - A file as the current task sees it.
 * @dentry: of the file
 * @mnt:    struct vfsmount
 * @hash:   of its name
 * @hashed: it has that name
 */
struct sight {
	u64	dentry;
	u64	mnt;
	u32	hash;
	u32	hashed;
};

/* Take the entry of a name; put_known() must follow. NULL: there is none, or it is in use. */
static __always_inline struct ovnik_known *take_known(u32 hash)
{
	u32 key = hash % OVNIK_KNOWNS;
	struct ovnik_known *known;

	known = bpf_map_lookup_elem(&ovnik_knowns, &key);
	return known && !cmpxchg(&known->busy, 0, 1) ? known : NULL;
}

static __always_inline void put_known(struct ovnik_known *known)
{
	barrier();
	WRITE_ONCE(known->busy, 0);
}

/*
 * What was freed becomes another object only after a grace period that began after that. While
 * the number is the same, none has begun: what has the same address is the same. The number is
 * the one that call_rcu() waits for, and changes where a grace period begins, before any of its
 * callbacks; where one ends it may change after some of them (rcu_gp_cleanup()). 0: not known.
 */
static __always_inline u64 read_grace(void)
{
	const void *state = &rcu_state;
	u64 grace = 0;

	if (state && bpf_core_field_exists(struct rcu_state, gp_seq))
		bpf_probe_read_kernel(&grace, sizeof(grace), state +
				      bpf_core_field_offset(struct rcu_state, gp_seq));
	return grace;
}

/*
 * Has the file the path that it had when that was noted? Names and parents change under
 * rename_lock, where mounts are under mount_lock.
 */
static __always_inline bool is_same(const struct ovnik_known *known, const struct sight *sight)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return known->dentry == sight->dentry && known->mnt == sight->mnt && sight->hashed &&
	       known->session == ovnik_config.session &&
	       known->root_dentry == (u64)task->fs->root.dentry &&
	       known->root_mnt == (u64)task->fs->root.mnt &&
	       known->grace == read_grace() &&
	       known->renames == read_seq(&rename_lock) &&
	       (!known->left || known->mounts == read_seq(&mount_lock));
}

/*
 * What has been built; not where a function names the file. Nothing where changes are not
 * noticed, because the kernel does not tell the address of a variable.
 */
static __always_inline void remember(struct ovnik_known *known, const struct sight *sight,
				     const struct ovnik_path_buf *buf, u64 grace, u64 pos)
{
	if (!sight->hashed || buf->deleted || buf->namer || !grace || !&rename_lock || !&mount_lock)
		return;
	known->session = ovnik_config.session;
	known->pos = pos;
	known->dentry = sight->dentry;
	known->mnt = sight->mnt;
	known->root_dentry = buf->root_dentry;
	known->root_mnt = buf->root_mnt;
	known->grace = grace;
	known->renames = buf->walk.renames;
	known->mounts = buf->walk.mounts;
	known->left = buf->walk.left;
}

/* A record that refers to the one at @pos. NULL: that is not in the open sub-buffer. */
static __always_inline void *refer(struct ovnik_slot *slot, u32 type, u32 at, u64 pos)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct ovnik_bpf_cpu *ring = ring_of(cpu);
	u32 size = at + sizeof(u32);
	u32 len = (size + OVNIK_REC_ALIGN - 1) & ~(OVNIK_REC_ALIGN - 1);
	struct ovnik_record *rec;
	struct place place;

	place.pos = READ_ONCE(ring->pos);
	barrier();
	if (place.pos >> 32 != pos >> 32 || !take_place(ring, &place, len, len, BY_PROBE))
		return NULL;
	rec = begin_at(slot, cpu, type, len, len, &place);
	if (!rec)
		return NULL;
	*(u64 *)((void *)rec + len - OVNIK_REC_ALIGN) = 0;
	rec->words = 0;
	rec->size = size | OVNIK_REC_AGAIN;
	*(u32 *)((void *)rec + at) = place.pos - pos;
	return rec;
}

/* The text is built. @typed: @file is as the kernel passes it to the probe. */
static __always_inline void *begin_anew(struct ovnik_slot *slot, u32 type, u32 at,
					const struct file *file, bool typed,
					struct ovnik_known *known, const struct sight *sight)
{
	struct ovnik_path_buf *buf;
	struct ovnik_text text;
	u64 grace = read_grace();
	void *rec;

	buf = typed ? ovnik_path_of_file(&text, file) : ovnik_path_of(&text, file);
	if (!buf) {
		ovnik_lose(type, 1);
		return NULL;
	}
	rec = reserve_text(slot, type, at, &text, BY_PROBE);
	if (rec && known)
		remember(known, sight, buf, grace, slot->pos);
	ovnik_path_done(buf);
	return rec;
}

static __always_inline void look(struct sight *sight, const struct file *file, bool typed)
{
	const struct dentry *dentry;
	struct path path;

	if (typed) {
		dentry = file->f_path.dentry;
		sight->mnt = (u64)file->f_path.mnt;
		sight->hash = dentry->d_name.hash;
		sight->hashed = dentry->d_hash.pprev ? 1 : 0;
	} else {
		bpf_core_read(&path, sizeof(path), &file->f_path);
		dentry = path.dentry;
		sight->mnt = (u64)path.mnt;
		sight->hash = BPF_CORE_READ(dentry, d_name.hash);
		sight->hashed = BPF_CORE_READ(dentry, d_hash.pprev) ? 1 : 0;
	}
	sight->dentry = (u64)dentry;
}

static __always_inline void *begin_with_path(struct ovnik_slot *slot, u32 type, u32 at,
					     const struct file *file, bool typed)
{
	struct ovnik_known *known;
	struct sight sight;
	void *rec = NULL;

	look(&sight, file, typed);
	known = take_known(sight.hash);
	if (known && is_same(known, &sight))
		rec = refer(slot, type, at, known->pos);
	if (!rec)
		rec = begin_anew(slot, type, at, file, typed, known, &sight);
	if (known)
		put_known(known);
	return rec;
}

/*
 * Begin a record that ends with the path of a file, as ovnik_path_of_file() has it; NULL:
 * dropped and counted. ovnik_commit() must follow. The second one is for a file found by
 * helpers, which is no pointer to the verifier.
 */
#define ovnik_begin_path(slot, name, str, file)					\
	ovnik_if_shown(name, begin_with_path(slot, OVNIK_EV_##name,		\
		offsetof(struct ovnik_##name, str), file, true))

#define ovnik_begin_path_found(slot, name, str, file)				\
	ovnik_if_shown(name, begin_with_path(slot, OVNIK_EV_##name,		\
		offsetof(struct ovnik_##name, str), file, false))

#endif /* OVNIK_KNOWN_BPF_H */
