// SPDX-License-Identifier: GPL-2.0-only
/*
 * canoncheck CAPTURE REFS - are canonical pages right?
 *
 * The log says which frame each page had when it was used. While a canonical page lives it has one
 * frame, but for moves that are counted here by what explains them; and no frame has two canonical
 * pages at one time.
 *
 * A page comes from a swap device by a major fault, which is recorded, or is read and written by
 * the kernel's linear mapping at different times. A page that the kernel moves is copied at once;
 * into the place that it has in a huge page if small ones are collapsed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canon/canon.h"
#include "capture/merge.h"
#include "refs/read.h"
#include "util/msg.h"

#define NEAR	4096	/* a power of two */
#define TOLD	20	/* lines of each kind on stderr */
#define COPYING	64	/* ticks at most between the last load and the last store of a copy */
#define HUGE	512	/* pages */

struct state {
	u64 frame;	/* plus 1; 0: none yet */
	u64 used;	/* by a process, the last time that was not near */
	bool stored;
	bool linear;	/* the kernel referred to it by its linear mapping */
	bool user;	/* a process did */
};

struct near {
	u64 turn;
	u64 pgd;
	u64 page;
	u64 id;
	bool stored;
};

enum count {
	USES,		/* of a page, other than the one before */
	NO_FRAME,	/* none was logged: must not be */
	NO_PAGE,
	MOVED,		/* not explained: of pages that were stored to */
	MOVED_ZERO,	/* an anonymous page that was not stored to: it was the zero page */
	MOVED_FILE,	/* of a file: evicted and read again, or migrated */
	MOVED_SWAP,	/* came back from a swap device */
	MOVED_COLLAPSE,	/* small pages were made a huge one */
	MOVED_COPY,	/* migrated */
	SHARED,		/* not explained */
	SHARED_ZERO,	/* anonymous pages that were not stored to: the zero page */
	SHARED_OLD,	/* one is older than the capture: a fork before it is not recorded */
	LINEAR,		/* anonymous pages that the kernel referred to by its linear mapping, too */
	NR_COUNTS,
};

static const char *const names[NR_COUNTS] = {
	"uses", "no_frame", "no_page", "moved", "moved_zero", "moved_file", "moved_swap",
	"moved_collapse", "moved_copy", "shared", "shared_zero", "shared_old", "linear",
};

static struct world w;
static struct canon canon;
static struct capture cap;
static struct merge items;
static const struct capture_item *item;
static struct idmap frames;	/* of virtual pages, plus 1 */
static struct idmap owners;	/* of frames: canonical page in bits */
static struct idmap faults;	/* of tasks, plus 1: address in bits */
static struct idmap majors;	/* of virtual pages: time of the last major fault in bits */
static struct access {
	u64 loaded;
	u64 stored;
} *linear;			/* of frames, by the kernel's mapping: times */
static u64 nr_linear;
static struct state *states;
static u64 room;
static struct near near[NEAR];
static u64 turn;		/* grows when a frame gets another page */
static u64 counts[NR_COUNTS];
static u64 nr_refs, by_kind[CANON_NR_KINDS];

static void must(int error)
{
	if (error)
		exit(1);
}

static u64 *slot_of(struct idmap *map, u64 key)
{
	struct idmap_slot *slot = idmap_put(map, key);

	must(!slot);
	return &slot->bits;
}

static u64 key_of(u64 pgd, u64 page)
{
	return ((pgd << 36) ^ (page & ((1ULL << 36) - 1))) + 1;
}

static struct state *state_of(u64 id)
{
	if (id >= room) {
		u64 more = id * 2 + 1024;

		states = realloc(states, more * sizeof(*states));
		must(!states);
		memset(states + room, 0, (more - room) * sizeof(*states));
		room = more;
	}
	return &states[id];
}

static void tell(enum count what, u64 time, u64 id, u64 other, u64 frame)
{
	const struct canon_page *a = &canon.pages[id], *b = &canon.pages[other];

	if (counts[what]++ < TOLD)
		fprintf(stderr, "%s at %llx: frame %llx: page %llx (kind %u, %llx of %llx, %s), %llx (kind %u, %llx of %llx)\n",
			names[what], time, frame, id, a->kind, a->page, a->space ?: a->file,
			a->kind == CANON_FILE ? canon.file_list[a->file]->path : "", other,
			b->kind, b->page, b->space ?: b->file);
}

static bool is_old(u64 id)
{
	const struct canon_page *page = &canon.pages[id];
	const struct canon_space *s = idmap_ptr(&canon.spaces, page->space);

	return page->kind == CANON_ANON && s && s->old;
}

static bool is_zero(u64 id)
{
	return canon.pages[id].kind == CANON_ANON && !states[id].stored;
}

static void claim(u64 time, u64 id, u64 frame)
{
	u64 *owner = slot_of(&owners, frame + 1);

	(void)time;
	turn += *owner != id;
	*owner = id;
}

static void share(u64 time, u64 id, u64 frame)
{
	u64 other = *slot_of(&owners, frame + 1);

	if (other == id)
		return;
	if (is_zero(id) && is_zero(other))
		counts[SHARED_ZERO]++;
	else if (is_old(id) || is_old(other))
		tell(SHARED_OLD, time, id, other, frame);
	else
		tell(SHARED, time, id, other, frame);
	claim(time, id, frame);
}

static struct access *access_of(u64 frame)
{
	u64 more = frame * 2 + 1024;

	if (frame >= nr_linear) {
		linear = realloc(linear, more * sizeof(*linear));
		must(!linear);
		memset(linear + nr_linear, 0, (more - nr_linear) * sizeof(*linear));
		nr_linear = more;
	}
	return &linear[frame];
}

/*
 * Has the kernel copied the page since it was used? At once, or was it elsewhere meanwhile: of
 * pages that are swapped in, some come with one that has a fault.
 */
static enum count how_copied(const struct state *s, u64 id, u64 frame)
{
	u64 stored = access_of(frame)->stored, loaded = access_of(s->frame - 1)->loaded;

	if (loaded <= s->used || stored <= s->used)
		return MOVED;
	if (stored > loaded + COPYING)
		return MOVED_SWAP;
	return frame % HUGE == canon.pages[id].page % HUGE ? MOVED_COLLAPSE : MOVED_COPY;
}

/* @key: of the virtual page, or 0 */
static enum count why_moved(u64 id, const struct state *s, u64 frame, u64 key)
{
	const struct idmap_slot *major = key ? idmap_get(&majors, key) : NULL;

	if (canon.pages[id].kind == CANON_FILE)
		return MOVED_FILE;
	if (!s->stored)
		return MOVED_ZERO;
	if (major && major->bits > s->used)
		return MOVED_SWAP;
	return how_copied(s, id, frame);
}

static void move(u64 time, u64 id, const struct state *s, u64 frame, u64 key)
{
	u64 *owner = slot_of(&owners, s->frame);
	enum count why = why_moved(id, s, frame, key);

	if (why == MOVED || why == MOVED_FILE)
		tell(why, time, id, *owner, frame);
	else
		counts[why]++;
	if (*owner == id)
		*owner = 0;
}

static void use(u64 time, u64 id, u64 frame, bool store, u64 key)
{
	struct state *s = state_of(id);

	counts[USES]++;
	if (s->frame == frame + 1) {
		share(time, id, frame);
	} else {
		if (s->frame)
			move(time, id, s, frame, key);
		s->frame = frame + 1;
		claim(time, id, frame);
	}
	s->used = key ? time : s->used;
	s->stored |= store;
}

static void feed(void)
{
	must(world_feed(&w, item));
	must(merge_next(&items, &item));
}

/* Was the same reported, and nothing since that could make a difference? */
static bool is_near(u64 pgd, u64 page, u64 id, bool store)
{
	const struct near *n = &near[page % NEAR];

	return n->turn == turn && n->pgd == pgd && n->page == page && n->id == id &&
	       n->stored >= store;
}

static void set_near(u64 pgd, u64 page, u64 id, bool store)
{
	near[page % NEAR] = (struct near){
		.turn = turn, .pgd = pgd, .page = page, .id = id, .stored = store,
	};
}

/* Both by a process and by the kernel's linear mapping. */
static void count_linear(u64 id, bool user)
{
	struct state *s = state_of(id);

	if (s->user && s->linear)
		return;
	s->user |= user;
	s->linear |= !user;
	counts[LINEAR] += s->user && s->linear && canon.pages[id].kind == CANON_ANON;
}

static void take_user(const struct refs_ref *ref, u64 id)
{
	u64 pgd = ref->cr3 >> 12, page = ref->address >> 12;
	bool store = ref->kind == REFS_STORE;
	const struct idmap_slot *slot;

	/* The log has no frames for what is only fetched. */
	if (ref->kind == REFS_FETCH)
		return;
	if (is_near(pgd, page, id, store))
		return;
	slot = idmap_get(&frames, key_of(pgd, page));
	if (!slot) {
		counts[NO_FRAME]++;
		return;
	}
	use(ref->time, id, slot->bits, store, key_of(pgd, page));
	count_linear(id, true);
	set_near(pgd, page, id, store);
}

static void take_linear(const struct refs_ref *ref, u64 id)
{
	u64 page = ref->address >> 12;
	bool store = ref->kind == REFS_STORE;
	struct access *access = access_of(page - canon.linear);

	if (store)
		access->stored = ref->time;
	else
		access->loaded = ref->time;
	if (is_near(0, page, id, store))
		return;
	use(ref->time, id, page - canon.linear, store, 0);
	count_linear(id, false);
	set_near(0, page, id, store);
}

static void take(const struct refs_ref *ref, void *data)
{
	u64 id;

	(void)data;
	if (ref->time < cap.begin || ref->time > cap.end)
		return;
	while (item && item->tsc <= ref->time)
		feed();
	nr_refs++;
	id = canon_page(&canon, ref->cr3, ref->address, ref->kind == REFS_STORE);
	if (!id) {
		counts[NO_PAGE]++;
		return;
	}
	by_kind[canon.pages[id].kind]++;
	if (!(ref->address >> 63))
		take_user(ref, id);
	else if (canon.pages[id].kind != CANON_KERNEL)
		take_linear(ref, id);
}

static void take_page(const struct refs_page *page, void *data)
{
	(void)data;
	canon_frame(&canon, page->cr3, page->page, page->frame);
	if (page->page >> 35 & 1)
		return;
	*slot_of(&frames, key_of(page->cr3 >> 12, page->page)) = page->frame;
	near[page->page % NEAR].id = 0;
}

/* A page that comes back into the page cache may have another frame. */
static void on_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_remove *rec = it->rec;
	struct state *s;
	u64 i, *owner;

	(void)data;
	for (i = rec->pfn; i < rec->pfn + (1ULL << rec->order); i++) {
		owner = slot_of(&owners, i + 1);
		s = *owner ? state_of(*owner) : NULL;
		if (s && s->frame == i + 1)
			s->frame = 0;
		*owner = 0;
	}
}

static void on_fault(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault *rec = it->rec;

	(void)data;
	*slot_of(&faults, (u64)rec->tid + 1) = rec->address;
}

static void on_fault_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault_end *rec = it->rec;
	u64 address = *slot_of(&faults, (u64)rec->tid + 1);

	(void)data;
	if (rec->result & OVNIK_FAULT_MAJOR && it->task && it->task->space)
		*slot_of(&majors, key_of(it->task->space->pgd, address >> 12)) = it->tsc;
}

int main(int argc, char **argv)
{
	const struct refs_sink sink = { .ref = take, .page = take_page };
	struct refs_reader r;
	int i, ret;

	msg_init(argv[0]);
	if (argc != 3)
		return 2;
	must(capture_open(&cap, argv[1]));
	capture_begin_pass(&cap, false);
	must(world_init(&w, &cap));
	w.clock = NULL;
	must(canon_init(&canon, &w));
	must(hook_attach(&w.hooks, WORLD_PAGE_REMOVE, on_remove, NULL));
	must(hook_attach(&w.hooks, WORLD_FAULT_BEGIN, on_fault, NULL));
	must(hook_attach(&w.hooks, WORLD_FAULT_END, on_fault_end, NULL));
	must(merge_open(&items, &cap));
	world_begin(&w, cap.begin);
	must(merge_next(&items, &item));
	must(refs_open(&r, argv[2]));
	while ((ret = refs_next(&r)) > 0) {
		must(refs_load(&r) != 1);
		must(refs_expand(&r, &sink) != 1);
	}
	must(ret);
	must(canon.no_memory);
	printf("references %llu\npages %llu\n", nr_refs, canon.nr - 1);
	printf("anon %llu\nfile %llu\nspecial %llu\nkernel %llu\nframe %llu\n", by_kind[CANON_ANON],
	       by_kind[CANON_FILE], by_kind[CANON_SPECIAL], by_kind[CANON_KERNEL],
	       by_kind[CANON_FRAME]);
	printf("unmapped %llu\nunrecorded %llu\nspaces %llu\n", canon.stats.unmapped,
	       canon.stats.unrecorded, canon.stats.spaces);
	for (i = 0; i < NR_COUNTS; i++)
		printf("%s %llu\n", names[i], counts[i]);
	return 0;
}
