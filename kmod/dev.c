// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data files /dev/ovnik/cpuN and /dev/ovnik/dump. read() returns whole sub-buffers
 * without their unused ends, as cpuN.ovk holds them. In discard mode it consumes them; in
 * overwrite mode it returns what there is, then end of file: a snapshot. The map is for fast
 * reading in discard mode, see struct ovnik_control.
 */
#include <linux/cdev.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "capture.h"
#include "compat.h"
#include "config.h"
#include "dev.h"
#include "dump.h"
#include "nodes.h"
#include "ring_read.h"

/**
 * struct ovnik_file - A reader of one CPU's ring.
 * @ring:    the ring
 * @session: the capture that @seq belongs to
 * @seq:     number of the next sub-buffer
 * @cuts:    of the ring when @seq was set
 * @limit:   in overwrite mode: where this snapshot ends; 0 before its first sub-buffer
 * @part_end: when the sub-buffer before @seq was marked, if it was open; otherwise 0
 * @copy:    the sub-buffer being read; NULL before the first read()
 * @at:	     bytes of @copy that were read
 * @follows: @seq directly follows the sub-buffer taken before
 * @read:    per event: read in overwrite mode
 * @missed:  per event: overwritten before it was read
 * @lock:    serialises the readers of one file
 */
struct ovnik_file {
	struct ovnik_ring	*ring;
	u64			session;
	u64			seq;
	u64			cuts;
	u64			limit;
	u64			part_end;
	struct ovnik_subbuf	*copy;
	u32			at;
	bool			follows;
	u64			read[OVNIK_NR_EVENTS];
	u64			missed[OVNIK_NR_EVENTS];
	struct mutex		lock;	/* for all of the above */
};

static dev_t dev_base;
static struct cdev cdev;
static unsigned long *opened;	/* a bit per file */

static int ovnik_file_open(struct inode *inode, struct file *file)
{
	unsigned int cpu = iminor(inode) - MINOR(dev_base);
	struct ovnik_file *reader;
	int ret;

	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;
	mutex_init(&reader->lock);
	reader->ring = ovnik_ring_number(cpu);

	ret = mutex_lock_killable(&ovnik_lock);
	if (ret)
		goto err_free;
	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		goto err_unlock;
	if (test_bit(cpu, opened)) {
		ret = -EBUSY;
		goto err_unlock;
	}
	ret = ovnik_capture_open(cpu);
	if (ret)
		goto err_unlock;
	set_bit(cpu, opened);
	mutex_unlock(&ovnik_lock);

	file->private_data = reader;
	return stream_open(inode, file);

err_unlock:
	mutex_unlock(&ovnik_lock);
err_free:
	kfree(reader);
	return ret;
}

static int ovnik_file_release(struct inode *inode, struct file *file)
{
	struct ovnik_file *reader = file->private_data;

	/* Without ovnik_lock: a close() must not wait for a statedump. */
	clear_bit_unlock(reader->ring->cpu, opened);
	ovnik_capture_release();
	vfree(reader->copy);
	kfree(reader);
	return 0;
}

/* The last snapshot had the beginning of a sub-buffer. Does it have more records now? */
static bool grew(struct ovnik_file *reader)
{
	struct ovnik_ring *ring = reader->ring;

	return reader->part_end && !reader->limit &&
	       (READ_ONCE(ring->seq) >= reader->seq ||
		READ_ONCE(ring->mark.end) != reader->part_end);
}

static bool same_contents(struct ovnik_file *reader)
{
	struct ovnik_ring *ring = reader->ring;

	return reader->session == READ_ONCE(ring->session) &&
	       reader->cuts == READ_ONCE(ring->cuts);
}

/* A new capture empties the ring: begin with its first sub-buffer. */
static u64 next_seq(struct ovnik_file *reader)
{
	u64 seq = same_contents(reader) ? reader->seq - grew(reader) : 0;

	return max(seq, ovnik_ring_oldest(reader->ring));
}

/* Can a sub-buffer be read now? The statedump's may be freed meanwhile. */
static bool has_data(struct ovnik_file *reader)
{
	u64 seq = next_seq(reader);
	bool there;

	rcu_read_lock();
	there = ovnik_ring_peek(reader->ring, seq);
	rcu_read_unlock();
	return there || ovnik_ring_marked(reader->ring, seq);
}

/* Drop the state of an earlier capture or statedump. The read_lock of the ring is held. */
static void follow_session(struct ovnik_file *reader)
{
	if (same_contents(reader))
		return;
	memset(reader->read, 0, sizeof(reader->read));
	reader->follows = false;
	reader->limit = 0;
	reader->part_end = 0;
	reader->seq = 0;
	reader->session = reader->ring->session;
	reader->cuts = reader->ring->cuts;
}

static void follow_writer(struct ovnik_file *reader)
{
	u64 seq = next_seq(reader);

	reader->follows = reader->follows && seq == reader->seq;
	reader->seq = seq;
}

/* lost[] of a sub-buffer counts what this reader did not get. */
static void settle_lost(struct ovnik_file *reader)
{
	u32 *count = ovnik_subbuf_count(reader->copy);
	int i;

	if (!(reader->copy->flags & OVNIK_SB_OVERWRITE))
		return;
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		/* ovnik_ring_copy() has set it to all earlier records. */
		if (!reader->follows)
			reader->missed[i] -= reader->read[i];
		reader->copy->lost[i] += reader->missed[i];
		/* A beginning comes again with the rest. */
		if (!reader->part_end)
			reader->read[i] += count[i];
	}
}

static bool overwrites(struct ovnik_file *reader)
{
	return READ_ONCE(reader->ring->flags) & OVNIK_SB_OVERWRITE;
}

/* Has the sub-buffer taken last been read completely? */
static bool used_up(struct ovnik_file *reader)
{
	return !reader->copy || reader->at == reader->copy->used;
}

/*
 * A small ring in overwrite mode may have no complete sub-buffer right now: an interrupt
 * stopped a writer, or the writer is faster than we are. Wait for one: a snapshot must not
 * be empty for that.
 */
static bool wait_for_data(struct ovnik_file *reader)
{
	struct ovnik_ring *ring = reader->ring;
	int tries = 200;

	while (!has_data(reader)) {
		if (!overwrites(reader) || reader->limit || !tries-- ||
		    READ_ONCE(ring->seq) == ovnik_ring_oldest(ring))
			return false;
		usleep_range(50, 100);
	}
	return true;
}

/* A snapshot is of one moment: a fast writer must not make it endless. */
static u64 snapshot_limit(struct ovnik_ring *ring)
{
	u64 seq = READ_ONCE(ring->seq);

	return seq + ovnik_ring_marked(ring, seq);
}

/* read_lock is held: no new capture empties the ring meanwhile. */
static bool take_next(struct ovnik_file *reader)
{
	bool whole;

	/* Another statedump has replaced the one that was being read. */
	if (reader->limit && !same_contents(reader))
		return false;
	follow_session(reader);
	while (!fatal_signal_pending(current) && wait_for_data(reader)) {
		follow_writer(reader);
		if (overwrites(reader) && reader->limit && reader->seq >= reader->limit)
			return false;
		if (!ovnik_ring_copy(reader->ring, reader->seq, reader->copy,
				     reader->follows ? NULL : reader->missed, &whole)) {
			reader->follows = false;
			continue;	/* overwritten while it was copied */
		}
		if (!reader->limit)
			reader->limit = snapshot_limit(reader->ring);
		reader->part_end = whole ? 0 : reader->copy->tsc_end;
		settle_lost(reader);
		reader->follows = whole;
		reader->seq++;
		reader->at = 0;
		return true;
	}
	return false;
}

static bool next_subbuf(struct ovnik_file *reader)
{
	bool taken;

	mutex_lock(&reader->ring->read_lock);
	taken = take_next(reader);
	mutex_unlock(&reader->ring->read_lock);
	return taken;
}

/* The sub-buffer was read completely: the writer may reuse it. */
static void give_back(struct ovnik_file *reader)
{
	struct ovnik_ring *ring = reader->ring;

	mutex_lock(&ring->read_lock);
	if (reader->session == ring->session && !overwrites(reader))
		WRITE_ONCE(ring->control->tail, reader->seq);
	mutex_unlock(&ring->read_lock);
}

/* There is nothing for read() to wait for. In discard mode that of the statedump is empty. */
static bool at_end(struct ovnik_file *reader)
{
	return !ovnik_capture_running() || overwrites(reader) || reader->ring->table;
}

static ssize_t give(struct ovnik_file *reader, char __user *buf, size_t count)
{
	ssize_t done = 0;

	while (count) {
		size_t n;

		if (used_up(reader) && !next_subbuf(reader))
			break;
		n = min_t(size_t, count, reader->copy->used - reader->at);
		if (copy_to_user(buf + done, (void *)reader->copy + reader->at, n))
			return done ? done : -EFAULT;
		reader->at += n;
		if (used_up(reader))
			give_back(reader);
		done += n;
		count -= n;
	}
	return done;
}

/* One turn of read(): returns what there is, 0 for nothing. */
static ssize_t read_turn(struct ovnik_file *reader, char __user *buf, size_t count)
{
	ssize_t ret;

	if (mutex_lock_interruptible(&reader->lock))
		return -ERESTARTSYS;
	if (!reader->copy)
		reader->copy = vzalloc(reader->ring->size);
	if (!reader->copy) {
		ret = -ENOMEM;
		goto out_unlock;
	}
	ret = give(reader, buf, count);
	if (!ret)
		reader->limit = 0;
out_unlock:
	mutex_unlock(&reader->lock);
	return ret;
}

static ssize_t ovnik_file_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct ovnik_file *reader = file->private_data;
	ssize_t ret;
	bool end;

	for (;;) {
		/* Checked first, so that the last sub-buffers are read, too. */
		end = at_end(reader);
		ret = read_turn(reader, buf, count);
		if (ret || !count || end)
			return ret;
		/* With data there, the wait below would not check. */
		if (fatal_signal_pending(current))
			return -EINTR;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(reader->ring->wait,
					       has_data(reader) || at_end(reader));
		if (ret)
			return ret;
	}
}

static __poll_t ovnik_file_poll(struct file *file, poll_table *wait)
{
	struct ovnik_file *reader = file->private_data;
	bool running;

	poll_wait(file, &reader->ring->wait, wait);
	/* Checked first, so that the last sub-buffers are seen, too. */
	running = ovnik_capture_running();
	if (!used_up(reader) || has_data(reader))
		return EPOLLIN | EPOLLRDNORM;
	return running ? 0 : EPOLLHUP;
}

static vm_fault_t ovnik_map_fault(struct vm_fault *vmf)
{
	struct ovnik_ring *ring = vmf->vma->vm_private_data;
	unsigned long offset = vmf->pgoff << PAGE_SHIFT;
	struct page *page;

	if (!offset)
		page = virt_to_page(ring->control);
	else if (offset - OVNIK_MAP_DATA < (unsigned long)ring->nr * ring->size)
		page = vmalloc_to_page(ring->data + offset - OVNIK_MAP_DATA);
	else
		return VM_FAULT_SIGBUS;
	/* Only the control page may be written. */
	if (offset && vmf->flags & FAULT_FLAG_WRITE)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct ovnik_map_ops = {
	.fault = ovnik_map_fault,
};

static int ovnik_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ovnik_file *reader = file->private_data;
	struct ovnik_ring *ring = reader->ring;
	unsigned long pages = vma_pages(vma);

	if (ring->table)
		return -ENODEV;
	/* The writer does not wait: half-written data could be read. */
	if (ovnik_config.overwrite)
		return -EINVAL;
	if (vma->vm_pgoff + pages > 1 + (unsigned long)ring->nr * (ring->size >> PAGE_SHIFT))
		return -EINVAL;
	/* To be written, the control page is mapped alone. */
	if (vma->vm_flags & VM_WRITE && (vma->vm_pgoff || pages != 1))
		return -EPERM;
	/* Not VM_SHARED: that is cleared when the file was opened read-only. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (!(vma->vm_flags & VM_WRITE))
		ovnik_vm_flags_clear(vma, VM_MAYWRITE);
	ovnik_vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = ring;
	vma->vm_ops = &ovnik_map_ops;
	return 0;
}

static const struct file_operations ovnik_file_ops = {
	.owner		= THIS_MODULE,
	.open		= ovnik_file_open,
	.release	= ovnik_file_release,
	.read		= ovnik_file_read,
	.poll		= ovnik_file_poll,
	.mmap		= ovnik_file_mmap,
};

/**
 * ovnik_dev_init() - Create the data files.
 *
 * Context: Process, at module load.
 * Return: 0; a negative errno, and nothing is left behind.
 */
int ovnik_dev_init(void)
{
	int ret;

	opened = bitmap_zalloc(nr_cpu_ids + 1, GFP_KERNEL);
	if (!opened)
		return -ENOMEM;
	ret = alloc_chrdev_region(&dev_base, 0, nr_cpu_ids + 1, "ovnik");
	if (ret)
		goto err_free_opened;
	cdev_init(&cdev, &ovnik_file_ops);
	cdev.owner = THIS_MODULE;
	ret = cdev_add(&cdev, dev_base, nr_cpu_ids + 1);
	if (ret)
		goto err_unregister_region;
	ret = ovnik_nodes_create(dev_base);
	if (ret)
		goto err_del_cdev;
	return 0;

err_del_cdev:
	cdev_del(&cdev);
err_unregister_region:
	unregister_chrdev_region(dev_base, nr_cpu_ids + 1);
err_free_opened:
	bitmap_free(opened);
	return ret;
}

/**
 * ovnik_dev_exit() - Remove the data files.
 *
 * Context: Process, at module unload; none is open.
 */
void ovnik_dev_exit(void)
{
	ovnik_nodes_remove();
	cdev_del(&cdev);
	unregister_chrdev_region(dev_base, nr_cpu_ids + 1);
	bitmap_free(opened);
}
