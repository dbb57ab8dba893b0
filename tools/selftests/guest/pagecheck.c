// SPDX-License-Identifier: GPL-2.0-only
/*
 * pagecheck - is the page cache, rebuilt from the records, what pageload has seen?
 *
 *	pagecheck [-m] [-w DIR] LOG FILE...
 *
 * A page is added once before it is removed, and so is a frame; what is removed
 * was there, in that frame. At each look of pageload's the pages of the file are
 * those that mincore() reports, in those frames. In the end the file systems and
 * devices that were looked at hold nothing any more. With -m, records are altered,
 * which must be noticed. In DIR are ftrace's counts by inode, see pages.sh.
 */

#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/hist.h"
#include "common/merge.h"
#include "pagelog.h"

#define PAGE		4096ULL
#define FRAMES		(1U << 22)	/* of 16 GiB */
#define BUCKETS		(1U << 16)
#define MAX_DEVS	64

/**
 * struct page - A page in the page cache.
 * @index:  in the file
 * @ino:    of the file; 0 for a block device's own
 * @dev:    of the file, or the block device
 * @generation: of the file
 * @buffer: a block device's own
 * @pfn:    its frame
 * @next:   of the same bucket
 */
struct page {
	__u64 index;
	__u64 ino;
	__u32 dev;
	__u32 generation;
	bool buffer;
	__u64 pfn;
	struct page *next;
};

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

/* A look of pageload's. */
struct look {
	const struct page_check *check;
	const __u64 *frames;
};

static struct look *looks;
static size_t nr_looks, room_looks;
static __u32 devs[MAX_DEVS];	/* that were looked at */
static unsigned int nr_devs;
static struct cache *cache;
static bool quiet;
static unsigned int complaints;

/* The first ones say it all. */
__attribute__((format(printf, 1, 2)))
static bool complain(const char *format, ...)
{
	va_list args;

	if (quiet || ++complaints > 20)
		return false;
	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	return false;
}

static bool is_tested(__u32 dev)
{
	unsigned int i;

	for (i = 0; i < nr_devs; i++) {
		if (devs[i] == dev)
			return true;
	}
	return false;
}

/* Reading the log. */

static void add_look(const struct page_check *check)
{
	struct look *look;

	looks = grow(looks, nr_looks, &room_looks, sizeof(*looks));
	look = &looks[nr_looks++];
	look->check = check;
	look->frames = (const void *)(check + 1);
	if (is_tested(check->dev))
		return;
	if (nr_devs == MAX_DEVS)
		errx(1, "too many devices");
	devs[nr_devs++] = check->dev;
}

static void load_looks(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	const char *at, *end;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	at = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		err(1, "%s", path);
	for (end = at + st.st_size; at < end;) {
		const struct page_check *check = (const void *)at;

		add_look(check);
		at += sizeof(*check) + check->nr * 8ULL;
	}
	if (at != end)
		errx(1, "%s is cut off", path);
}

/* The cache. */

/* What is looked for; of a file system without generations any will do. */
static bool is_page(const struct page *page, const struct page *key, bool any_generation)
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

/* The records. */

static bool is_page_event(unsigned int kind)
{
	return kind >= OVNIK_EV_page_add && kind <= OVNIK_EV_buffer_remove;
}

static bool is_add(unsigned int kind)
{
	return kind == OVNIK_EV_page_add || kind == OVNIK_EV_buffer_add;
}

static struct page page_of(const struct event *event, unsigned int *order)
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

static bool apply(const struct event *event)
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

/* Looking at the cache. */

static struct page key_of(const struct page_check *check)
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

static bool same_look(const struct look *look)
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

/* While somebody looks, nothing may change. */
static bool is_still(const struct look *look, const struct event *event)
{
	unsigned int order;
	struct page page = page_of(event, &order), key = key_of(look->check);

	key.index = page.index;
	return event->tsc > look->check->end ||
	       !is_page(&page, &key, look->check->flags & CHECK_ANY_GEN) ||
	       complain("%s: %llu: the page cache changes", look->check->label, event->tsc);
}

/* All that was looked at has been unmounted. */
static bool nothing_left(void)
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

static void empty_cache(void)
{
	struct page *page;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		while ((page = cache->bucket[i])) {
			cache->bucket[i] = page->next;
			page->next = cache->free;
			cache->free = page;
		}
	}
	memset(cache->frame, 0, sizeof(cache->frame));
}

static bool check(const struct events *events)
{
	size_t i, next = 0;
	bool good = true;

	empty_cache();
	for (i = 0; i < events->nr && (good || !quiet); i++) {
		const struct event *event = &events->event[i];

		if (!is_page_event(event->kind))
			continue;
		while (next < nr_looks && looks[next].check->begin < event->tsc)
			good = same_look(&looks[next++]) && good;
		if (next)
			good = is_still(&looks[next - 1], event) && good;
		good = apply(event) && good;
	}
	while (next < nr_looks)
		good = same_look(&looks[next++]) && good;
	return nothing_left() && good;
}

static void summary(const struct events *events)
{
	size_t nr[OVNIK_NR_EVENTS] = {}, tested = 0, huge = 0, pages = 0, i;
	unsigned int kind, order;

	for (i = 0; i < events->nr; i++) {
		struct page page;

		if (!is_page_event(events->event[i].kind))
			continue;
		nr[events->event[i].kind]++;
		page = page_of(&events->event[i], &order);
		tested += is_tested(page.dev);
		huge += order > 0;
	}
	for (i = 0; i < nr_looks; i++) {
		__u32 page;

		for (page = 0; page < looks[i].check->nr; page++)
			pages += looks[i].frames[page] != NO_FRAME;
	}
	printf("#");
	for (kind = OVNIK_EV_page_add; kind <= OVNIK_EV_buffer_remove; kind++)
		printf(" %s %zu", kind_name(kind), nr[kind]);
	printf(", %zu of what was tested, %zu huge; %zu looks at %zu pages\n", tested, huge,
	       nr_looks, pages);
}

/* The checker's own test. */

struct mutation {
	const char *name;
	void (*alter)(struct event *event, struct ovnik_page_add *file,
		      struct ovnik_buffer_add *buffer);
};

#define ALTER(name, file_change, buffer_change)					\
static void alter_##name(struct event *event, struct ovnik_page_add *file,	\
			 struct ovnik_buffer_add *buffer)			\
{										\
	(void)file;								\
	(void)buffer;								\
	if (event->kind <= OVNIK_EV_page_remove)				\
		file_change;							\
	else									\
		buffer_change;							\
}

ALTER(order, file->order ^= 1, buffer->order ^= 1)
ALTER(dev, file->dev ^= 1, buffer->dev ^= 1)
ALTER(ino, file->ino ^= 1, buffer->pfn ^= 1)
ALTER(generation, file->generation ^= 1, buffer->pfn ^= 1)
ALTER(offset, file->offset ^= 1 << 30, buffer->offset ^= 1 << 30)
ALTER(pfn, file->pfn ^= 1 << 20, buffer->pfn ^= 1 << 20)
ALTER(kind, event->kind ^= 1, event->kind ^= 1)
ALTER(loss, event->kind = OVNIK_EV_anchor, event->kind = OVNIK_EV_anchor)

static const struct mutation mutations[] = {
	{ "order", alter_order },
	{ "dev", alter_dev },
	{ "ino", alter_ino },
	{ "generation", alter_generation },
	{ "offset", alter_offset },
	{ "pfn", alter_pfn },
	{ "kind", alter_kind },
	{ "loss", alter_loss },
};

#define NR_MUTATIONS	(sizeof(mutations) / sizeof(*mutations))

/* The numbers of adding and removing differ in their last bit. */
_Static_assert((OVNIK_EV_page_add ^ 1) == OVNIK_EV_page_remove, "kind");
_Static_assert((OVNIK_EV_buffer_add ^ 1) == OVNIK_EV_buffer_remove, "kind");

static bool is_noticed(struct events *events, size_t at, const struct mutation *mutation)
{
	struct event before = events->event[at];
	union {
		struct ovnik_page_add file;
		struct ovnik_buffer_add buffer;
	} copy = {};
	bool noticed;

	memcpy(&copy, before.record, before.kind <= OVNIK_EV_page_remove ? sizeof(copy.file) :
	       sizeof(copy.buffer));
	events->event[at].record = &copy;
	mutation->alter(&events->event[at], &copy.file, &copy.buffer);
	quiet = true;
	noticed = !check(events);
	quiet = false;
	events->event[at] = before;
	if (!noticed)
		printf("# nobody notices another %s in %s at %llu\n", mutation->name,
		       kind_name(before.kind), before.tsc);
	return noticed;
}

static bool is_place(const struct event *event, unsigned int kind)
{
	unsigned int order;

	return event->kind == kind && is_tested(page_of(event, &order).dev);
}

static bool all_noticed(struct events *events)
{
	unsigned int kind, mutation, done = 0;
	bool all = true;

	for (kind = OVNIK_EV_page_add; kind <= OVNIK_EV_buffer_remove; kind++) {
		size_t nr = 0, seen = 0, i;

		for (i = 0; i < events->nr; i++)
			nr += is_place(&events->event[i], kind);
		for (i = 0; i < events->nr; i++) {
			if (!is_place(&events->event[i], kind))
				continue;
			seen++;
			if (seen != 1 && seen != nr / 2 + 1 && seen != nr)
				continue;
			for (mutation = 0; mutation < NR_MUTATIONS; mutation++, done++)
				all = is_noticed(events, i, &mutations[mutation]) && all;
		}
		all = all && nr;
	}
	printf("# %u mutations\n", done);
	return all;
}

/* ftrace's counts. It names a block device's own pages by an inode's number. */

static long count_records(const struct events *events, bool add, __u32 dev, __u64 ino, bool buffer)
{
	unsigned int order;
	long nr = 0;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		const struct event *event = &events->event[i];
		struct page page;

		if (!is_page_event(event->kind) || is_add(event->kind) != add)
			continue;
		page = page_of(event, &order);
		nr += page.dev == dev && page.ino == ino && page.buffer == buffer;
	}
	return nr;
}

/* @adds: tmpfs does not report these to ftrace */
static bool same_counts(const struct events *events, const char *dir, bool adds)
{
	FILE *file = open_hist(dir, adds ? "add" : "delete");
	struct hist_line line;
	bool good = true;
	long total = 0;

	while (read_hist(file, "s_dev", "i_ino", &line)) {
		bool buffer = !(line.key[0] >> 20) && is_tested(line.key[1]) &&
			      line.key[1] >> 20;
		__u32 dev = buffer ? line.key[1] : line.key[0];
		long ours;

		if (!is_tested(dev))
			continue;
		ours = count_records(events, adds, dev, buffer ? 0 : line.key[1], buffer);
		total += line.hits;
		if (ours != (long)line.hits)
			good = complain("%s: inode %llu of device %#llx: ftrace %llu, recorded %ld",
					adds ? "add" : "delete", line.key[1], line.key[0],
					line.hits, ours);
	}
	fclose(file);
	printf("# %ld in ftrace's counts\n", total);
	return good && total;
}

int main(int argc, char **argv)
{
	const char *witness = NULL;
	struct events events = {};
	bool mutate = false, good;
	int opt;

	while ((opt = getopt(argc, argv, "mw:")) != -1) {
		if (opt == 'm')
			mutate = true;
		else if (opt == 'w')
			witness = optarg;
		else
			errx(2, "usage: pagecheck [-m] [-w DIR] LOG FILE...");
	}
	if (argc - optind < 2)
		errx(2, "usage: pagecheck [-m] [-w DIR] LOG FILE...");
	cache = calloc(1, sizeof(*cache));
	if (!cache)
		err(1, "no memory");
	load_looks(argv[optind]);
	load_merged(&events, argv + optind + 1);
	good = check(&events);
	summary(&events);
	if (witness) {
		good = same_counts(&events, witness, true) && good;
		good = same_counts(&events, witness, false) && good;
	}
	if (good && mutate)
		good = all_noticed(&events);
	return !good;
}
