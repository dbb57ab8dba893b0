// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the page cache. The folio is locked. A page is added when the lock of the cache
 * has been released and interrupts are on. It is removed with that lock held, which turns
 * interrupts off, but not with PREEMPT_RT.
 */
#include "compat.bpf.h"
#include "file.bpf.h"
#include "mm.bpf.h"
#include "ring.bpf.h"

#define HUGETLB_PAGE_DTOR	2	/* enum compound_dtor_id, until 6.6 */

/* The flags of a page are a structure since "mm: introduce memdesc_flags_t", 6.18. */
struct folio___memdesc {
	struct {
		unsigned long f;
	} flags;
} __attribute__((preserve_access_index));

struct folio___flags {
	unsigned long flags;
} __attribute__((preserve_access_index));

/* The order is in the flags of the second page since 6.6. */
struct folio___order {
	unsigned char _folio_order;
	unsigned char _folio_dtor;
} __attribute__((preserve_access_index));

struct folio___flags_1 {
	unsigned long _flags_1;
} __attribute__((preserve_access_index));

static __always_inline u64 folio_flags(const struct folio *folio)
{
	const struct folio___memdesc *newer = (const void *)folio;
	const struct folio___flags *older = (const void *)folio;

	if (bpf_core_field_exists(newer->flags.f))
		return newer->flags.f;
	return older->flags;
}

static __always_inline bool folio_is_large(const struct folio *folio)
{
	return folio_flags(folio) >> bpf_core_enum_value(enum pageflags, PG_head) & 1;
}

/* Only for a large folio. */
static __always_inline u16 large_order(const struct folio *folio)
{
	const struct folio___order *older = (const void *)folio;
	const struct folio___flags_1 *newer = (const void *)folio;

	if (bpf_core_field_exists(older->_folio_order))
		return older->_folio_order;
	return newer->_flags_1 & 0xff;
}

static __always_inline u16 folio_order(const struct folio *folio)
{
	return folio_is_large(folio) ? large_order(folio) : 0;
}

/* The index of a hugetlb page counts huge pages (until 6.7). */
static __always_inline u64 folio_offset(const struct folio *folio)
{
	const struct folio___order *older = (const void *)folio;
	u32 shift = PAGE_SHIFT;

	if (bpf_core_field_exists(older->_folio_dtor) && folio_is_large(folio) &&
	    older->_folio_dtor == HUGETLB_PAGE_DTOR)
		shift += large_order(folio);
	return folio->index << shift;
}

/*
 * The verifier allows arithmetic on a pointer only after it has passed through memory; the
 * field itself serves.
 */
#define set_pfn(rec, folio)							\
do {										\
	u64 size = bpf_core_type_size(struct page);				\
	volatile u64 *pfn = &(rec)->pfn;					\
										\
	*pfn = (u64)(folio);							\
	*pfn = size == 64 ? (*pfn - ovnik_config.vmemmap) >> 6 :		\
			    (*pfn - ovnik_config.vmemmap) / size;		\
} while (0)

#define FILL_PAGE(name)								\
static __always_inline void fill_##name(const struct folio *folio,		\
					const struct inode *inode)		\
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
	set_pfn(rec, folio);							\
	ovnik_commit(&slot, name);						\
}

/* The page cache of a block device is the buffer cache; the inode number has no meaning. */
#define FILL_BUFFER(name)							\
static __always_inline void fill_##name(const struct folio *folio,		\
					const struct inode *inode)		\
{										\
	struct ovnik_##name *rec;						\
	struct ovnik_slot slot;							\
										\
	rec = ovnik_begin(&slot, name);						\
	if (!rec)								\
		return;								\
	rec->order = folio_order(folio);					\
	rec->dev = inode->i_rdev;						\
	rec->offset = folio->index << PAGE_SHIFT;				\
	set_pfn(rec, folio);							\
	ovnik_commit(&slot, name);						\
}

FILL_PAGE(page_add)
FILL_PAGE(page_remove)
FILL_BUFFER(buffer_add)
FILL_BUFFER(buffer_remove)

SEC("tp_btf/mm_filemap_add_to_page_cache") HOOK_TYPES("folio*")
int BPF_PROG(ovnik_page_add, struct folio *folio)
{
	const struct inode *inode = folio->mapping->host;

	if (!ovnik_on_current(OVNIK_BIT(page_add) | OVNIK_BIT(buffer_add)))
		return 0;
	if (ovnik_is_block(inode)) {
		if (ovnik_event_on(OVNIK_EV_buffer_add))
			fill_buffer_add(folio, inode);
	} else if (ovnik_event_on(OVNIK_EV_page_add)) {
		fill_page_add(folio, inode);
	}
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache") HOOK_TYPES("folio*")
int BPF_PROG(ovnik_page_remove, struct folio *folio)
{
	const struct inode *inode = folio->mapping->host;

	if (!ovnik_on_current(OVNIK_BIT(page_remove) | OVNIK_BIT(buffer_remove)))
		return 0;
	if (ovnik_is_block(inode)) {
		if (ovnik_event_on(OVNIK_EV_buffer_remove))
			fill_buffer_remove(folio, inode);
	} else if (ovnik_event_on(OVNIK_EV_page_remove)) {
		fill_page_remove(folio, inode);
	}
	return 0;
}

/*
 * int shmem_add_to_page_cache(folio, …): tmpfs has no tracepoint. The caller still holds
 * the lock of the folio. The number of arguments differs between kernels.
 */
SEC("fexit/shmem_add_to_page_cache") HOOK_TYPES("folio*, ... -> 4")
int BPF_PROG(ovnik_page_add_shmem, struct folio *folio)
{
	u64 ret = -1;

	if (!ovnik_on_current(OVNIK_BIT(page_add)))
		return 0;
	bpf_get_func_ret(ctx, &ret);
	if (!(int)ret)
		fill_page_add(folio, folio->mapping->host);
	return 0;
}

#define FOLIO_WORDS	16	/* of a folio, with all that is needed of it */

/* Of a folio that the verifier takes for a number. */
static __always_inline void fill_shmem(u64 address)
{
	const struct folio *folio = (const void *)address;
	const struct inode *inode = BPF_CORE_READ(folio, mapping, host);
	struct ovnik_page_add *rec;
	u64 copy[FOLIO_WORDS] = {};
	struct ovnik_slot slot;

	bpf_probe_read_kernel(copy, sizeof(copy), folio);
	rec = ovnik_begin_ns(&slot, page_add);
	if (!rec)
		return;
	rec->order = folio_order((const void *)copy);
	rec->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	rec->generation = BPF_CORE_READ(inode, i_generation);
	rec->ino = BPF_CORE_READ(inode, i_ino);
	rec->offset = folio_offset((const void *)copy);
	set_pfn(rec, folio);
	ovnik_commit(&slot, page_add);
}

/*
 * The same where our module is around the function, which must be alone. A launch by bpftool
 * attaches both.
 */
SEC("kprobe/shmem_add_to_page_cache") HOOK_TYPES("folio*")
int BPF_KPROBE(ovnik_shmem_enter_kprobe, struct folio *folio)
{
	struct ovnik_stash *stash;

	if (!ovnik_config.by_kprobe || !ovnik_on_current(OVNIK_BIT(page_add)))
		return 0;
	stash = ovnik_stash_make();
	if (!stash) {
		ovnik_lose(OVNIK_EV_page_add, 1);
		return 0;
	}
	/* Its return was missed: too many tasks are inside. */
	if (stash->shmem)
		ovnik_lose(OVNIK_EV_page_add, 1);
	stash->shmem = (u64)folio;
	return 0;
}

SEC("kretprobe/shmem_add_to_page_cache") HOOK_TYPES("... -> 4")
int BPF_KRETPROBE(ovnik_shmem_leave_kprobe, int ret)
{
	struct ovnik_stash *stash;
	u64 folio;

	if (!ovnik_config.by_kprobe || !ovnik_wanted())
		return 0;
	stash = ovnik_stash_get();
	folio = stash ? stash->shmem : 0;
	if (stash)
		stash->shmem = 0;
	if (folio && !ret && ovnik_on(OVNIK_BIT(page_add)))
		fill_shmem(folio);
	return 0;
}
