// SPDX-License-Identifier: GPL-2.0-only
/* The page cache, as the records say. */

#include "pagecheck.h"

#define PAGE		4096ULL
#define FRAMES		(1U << 22)	/* of 16 GiB */
#define BUCKETS		(1U << 16)

/**
 * struct cache - The page cache at a moment.
 * @bucket: pages by file and index
 * @frame:  the page that has it
 * @free:   pages not in use
 */
struct cache {
	struct page *bucket[BUCKETS];
	struct page *frame[FRAMES];
	struct page *free;
};

static struct cache *cache;

bool is_page(const struct page *page, const struct page *key, bool any_generation)
{
	return page->index == key->index && page->ino == key->ino && page->dev == key->dev &&
	       page->buffer == key->buffer &&
	       (any_generation || page->generation == key->generation);
}

static struct page **bucket_of(const struct page *key)
{
	__u64 hash = (key->index + 1) * 0x9e3779b97f4a7c15ULL ^ key->ino * 0xff51afd7ed558ccdULL;

	return &cache->bucket[(hash ^ key->dev * 0x9e3779b9U) >> 24 & (BUCKETS - 1)];
}

static struct page **find_page(const struct page *key, bool any_generation)
{
	struct page **at;

	for (at = bucket_of(key); *at; at = &(*at)->next) {
		if (is_page(*at, key, any_generation))
			return at;
	}
	return NULL;
}

static bool add_page(const struct page *key, __u64 tsc)
{
	struct page **bucket = bucket_of(key), *page = cache->free;
	const struct page *holder = cache->frame[key->pfn % FRAMES];
	bool good = true;

	if (find_page(key, false))
		good = complain("%llu: page %llu of inode %llu, device %#x is added twice", tsc,
				key->index, key->ino, key->dev);
	if (holder)
		good = complain("%llu: frame %#llx for page %llu of inode %llu, device %#x has page %llu of inode %llu, device %#x",
				tsc, key->pfn, key->index, key->ino, key->dev, holder->index,
				holder->ino, holder->dev);
	if (page)
		cache->free = page->next;
	else
		page = malloc(sizeof(*page));
	if (!page)
		err(1, "no memory");
	*page = *key;
	page->next = *bucket;
	*bucket = page;
	cache->frame[page->pfn % FRAMES] = page;
	return good;
}

/* What was there before the capture may go, but nothing is known of it. */
static bool remove_page(const struct page *key, __u64 tsc)
{
	struct page **at = find_page(key, false), *page;
	bool good = true;

	if (!at)
		return !is_tested(key->dev) ||
		       complain("%llu: page %llu of inode %llu, device %#x is removed, but was not there",
				tsc, key->index, key->ino, key->dev);
	page = *at;
	if (page->pfn != key->pfn)
		good = complain("%llu: page %llu of inode %llu, device %#x is removed from frame %#llx, but was in %#llx",
				tsc, key->index, key->ino, key->dev, key->pfn, page->pfn);
	if (cache->frame[page->pfn % FRAMES] == page)
		cache->frame[page->pfn % FRAMES] = NULL;
	*at = page->next;
	page->next = cache->free;
	cache->free = page;
	return good;
}

bool is_page_event(unsigned int kind)
{
	return kind >= OVNIK_EV_page_add && kind <= OVNIK_EV_buffer_remove;
}

bool is_add(unsigned int kind)
{
	return kind == OVNIK_EV_page_add || kind == OVNIK_EV_buffer_add;
}

struct page page_of(const struct event *event, unsigned int *order)
{
	const struct ovnik_buffer_add *buffer = event->record;
	const struct ovnik_page_add *file = event->record;
	struct page page = {};

	if (event->kind == OVNIK_EV_page_add || event->kind == OVNIK_EV_page_remove) {
		page.index = file->offset / PAGE;
		page.ino = file->ino;
		page.dev = file->dev;
		page.generation = file->generation;
		page.pfn = file->pfn;
		*order = file->order;
	} else {
		page.index = buffer->offset / PAGE;
		page.dev = buffer->dev;
		page.pfn = buffer->pfn;
		page.buffer = true;
		*order = buffer->order;
	}
	return page;
}

bool apply(const struct event *event)
{
	unsigned int order;
	struct page page = page_of(event, &order);
	bool good = true;
	__u64 i;

	if (order > 9)
		return complain("%llu: order %u", event->tsc, order);
	for (i = 0; i < 1ULL << order; i++) {
		good = (is_add(event->kind) ? add_page(&page, event->tsc) :
			remove_page(&page, event->tsc)) && good;
		page.index++;
		page.pfn++;
	}
	return good;
}

struct page key_of(const struct page_check *check)
{
	return (struct page){
		.ino = check->ino, .dev = check->dev, .generation = check->generation,
		.buffer = check->flags & CHECK_BUFFER,
	};
}

static size_t count_pages(const struct page_check *check)
{
	struct page key = key_of(check);
	const struct page *page;
	size_t nr = 0, i;

	for (i = 0; i < BUCKETS; i++) {
		for (page = cache->bucket[i]; page; page = page->next) {
			key.index = page->index;
			nr += is_page(page, &key, check->flags & CHECK_ANY_GEN);
		}
	}
	return nr;
}

static bool same_page(const struct look *look, __u32 index)
{
	const struct page_check *check = look->check;
	struct page key = key_of(check), **at;
	__u64 want = look->frames[index], have;

	key.index = index;
	at = find_page(&key, check->flags & CHECK_ANY_GEN);
	have = at ? (*at)->pfn : NO_FRAME;
	if (have == want || (want == NO_FRAME && check->flags & CHECK_PART) ||
	    (want == ANY_FRAME && at))
		return true;
	return complain("%s: page %u of inode %llu, device %#x is in frame %#llx, rebuilt %#llx",
			check->label, index, check->ino, check->dev, want, have);
}

bool same_look(const struct look *look)
{
	const struct page_check *check = look->check;
	size_t nr = 0, rebuilt = count_pages(check);
	bool good = true;
	__u32 i;

	for (i = 0; i < check->nr && good; i++) {
		nr += look->frames[i] != NO_FRAME;
		good = same_page(look, i);
	}
	if (good && rebuilt != nr && !(check->flags & CHECK_PART && rebuilt > nr))
		good = complain("%s: %zu pages of inode %llu, device %#x, rebuilt %zu",
				check->label, nr, check->ino, check->dev, rebuilt);
	return good;
}

bool nothing_left(void)
{
	const struct page *page;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		for (page = cache->bucket[i]; page; page = page->next) {
			if (is_tested(page->dev))
				return complain("page %llu of inode %llu, device %#x stays",
						page->index, page->ino, page->dev);
		}
	}
	return true;
}

void empty_cache(void)
{
	struct page *page;
	size_t i;

	if (!cache)
		cache = calloc(1, sizeof(*cache));
	if (!cache)
		err(1, "no memory");
	for (i = 0; i < BUCKETS; i++) {
		while ((page = cache->bucket[i])) {
			cache->bucket[i] = page->next;
			page->next = cache->free;
			cache->free = page;
		}
	}
	memset(cache->frame, 0, sizeof(cache->frame));
}
