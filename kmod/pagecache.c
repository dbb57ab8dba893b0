// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the page cache, all with the folio locked. The probe of removal runs with the
 * lock of the cache held, which on other kernels than PREEMPT_RT switches interrupts off: no
 * lock, no wakeup, no allocation.
 */
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <trace/events/filemap.h>

#include "compat.h"
#include "config.h"
#include "files.h"
#include "filter.h"
#include "probe.h"
#include "ring.h"

/* The index of a hugetlb page counts huge pages (until 6.7). */
static __always_inline u64 folio_offset(struct folio *folio)
{
	unsigned int shift = PAGE_SHIFT;

	if (unlikely(folio_test_large(folio)) && folio_test_hugetlb(folio))
		shift += ovnik_hugetlb_index_shift(folio);
	return (u64)folio->index << shift;
}

#define FILL_PAGE(name)								\
static __always_inline void fill_##name(struct folio *folio, struct inode *inode) \
{										\
	struct ovnik_##name *rec;						\
	struct ovnik_slot slot;							\
										\
	rec = ovnik_begin(&slot, name);						\
	if (!rec)								\
		return;								\
	rec->order = folio_order(folio);					\
	ovnik_set_inode(rec, inode);						\
	rec->offset = folio_offset(folio);					\
	rec->pfn = folio_pfn(folio);						\
	ovnik_commit(&slot, name);						\
}

/* The page cache of a block device is the buffer cache; the inode number has no meaning. */
#define FILL_BUFFER(name)							\
static noinline void fill_##name(struct folio *folio, struct inode *inode)	\
{										\
	struct ovnik_##name *rec;						\
	struct ovnik_slot slot;							\
										\
	if (!ovnik_event_on(OVNIK_EV_##name))					\
		return;								\
	rec = ovnik_begin(&slot, name);						\
	if (!rec)								\
		return;								\
	rec->order = folio_order(folio);					\
	rec->dev = inode->i_rdev;						\
	rec->offset = (u64)folio->index << PAGE_SHIFT;				\
	rec->pfn = folio_pfn(folio);						\
	ovnik_commit(&slot, name);						\
}

FILL_PAGE(page_add)
FILL_PAGE(page_remove)
FILL_BUFFER(buffer_add)
FILL_BUFFER(buffer_remove)

/* After xas_unlock_irq(): the folio is locked, but interrupts are on. */
static void probe_add(void *unused, struct folio *folio)
{
	struct inode *inode = folio->mapping->host;

	ovnik_no_preemption();
	if (!ovnik_wanted(current))
		return;
	if (unlikely(S_ISBLK(inode->i_mode)))
		fill_buffer_add(folio, inode);
	else if (ovnik_event_on(OVNIK_EV_page_add))
		fill_page_add(folio, inode);
}

static void probe_remove(void *unused, struct folio *folio)
{
	struct inode *inode = folio->mapping->host;

	ovnik_no_preemption_rt();
	if (!ovnik_wanted(current))
		return;
	if (unlikely(S_ISBLK(inode->i_mode)))
		fill_buffer_remove(folio, inode);
	else if (ovnik_event_on(OVNIK_EV_page_remove))
		fill_page_remove(folio, inode);
}

/* The caller still holds the lock of the folio. */
static __always_inline void shmem_added(struct folio *folio)
{
	/* The call may have begun in an earlier capture. */
	if (!ovnik_event_on(OVNIK_EV_page_add) || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	fill_page_add(folio, folio->mapping->host);
	preempt_enable_notrace();
}

OVNIK_AROUND(shmem, ovnik_shmem_add);

/*
 * int shmem_add_to_page_cache(folio, mapping, index, …): tmpfs has no tracepoint. The number of
 * arguments differs between kernels: it gets six, which does no harm.
 */
int ovnik_run_shmem(struct folio *folio, unsigned long mapping, unsigned long index,
		    unsigned long fourth, unsigned long fifth, unsigned long sixth,
		    unsigned long at)
{
	int ret;

	ovnik_around_enter();
	ret = ovnik_around_body(shmem, at, folio, mapping, index, fourth, fifth, sixth);
	if (!ret)
		shmem_added(folio);
	ovnik_around_leave();
	return ret;
}

struct shmem_args {
	struct folio	*folio;
};

static int enter_shmem(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	((struct shmem_args *)ri->data)->folio = (void *)regs_get_kernel_argument(regs, 0);
	return 0;
}

static int leave_shmem(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!(int)regs_return_value(regs))
		shmem_added(((struct shmem_args *)ri->data)->folio);
	return 0;
}

OVNIK_RET(shmem, struct shmem_args);

OVNIK_PROBES(pagecache) = {
	{ OVNIK_TRACEPOINT(mm_filemap_add_to_page_cache, probe_add),
	  .events = OVNIK_BIT(page_add) | OVNIK_BIT(buffer_add) },
	{ OVNIK_TRACEPOINT(mm_filemap_delete_from_page_cache, probe_remove),
	  .events = OVNIK_BIT(page_remove) | OVNIK_BIT(buffer_remove) },
	{ .hook = "shmem_add_to_page_cache", .around = &ovnik_around_shmem,
	  .events = OVNIK_BIT(page_add) },
	{ .hook = "shmem_add_to_page_cache", .ret = &shmem_ret, .instead = &ovnik_around_shmem,
	  .events = OVNIK_BIT(page_add) },
	{}
};
