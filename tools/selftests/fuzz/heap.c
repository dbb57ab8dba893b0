// SPDX-License-Identifier: GPL-2.0-only
/*
 * Large blocks of the product's memory, which the sanitizer would map and unmap each time.
 *
 * They are used again for the same size, zeroed by the kernel where they were written. A block
 * ends at a page that cannot be accessed. Smaller ones are the sanitizer's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap.h"
#include "memfs_priv.h"
#include "target.h"

#define LARGE		(100 << 10)
#define HUGE		(512U << 20)	/* only bounds make the product ask for that much */
#define FULL		(200 << 10)	/* a larger one has little in it */
#define ARENA		(16ULL << 30)
#define PAGE		4096ULL
#define BLOCKS		256

/**
 * struct block - A block, in use or not.
 * @start: what malloc() gave
 * @size: its bytes
 * @pages: where its pages begin
 * @used: it is not free
 * @dirty: it was used before
 */
static struct block {
	u8 *start;
	size_t size;
	u8 *pages;
	bool used;
	bool dirty;
} blocks[BLOCKS];
static unsigned int nr, in_use;
static u8 *arena, *top;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void __wrap_free(void *p);

static struct block *block_at(const void *p)
{
	unsigned int i;

	if (!arena || (const u8 *)p < arena || (const u8 *)p >= top)
		return NULL;
	for (i = 0; i < nr; i++) {
		if (blocks[i].start == p && blocks[i].used)
			return &blocks[i];
	}
	must(false, "what is freed was allocated");
	return NULL;
}

static struct block *new_block(size_t size)
{
	size_t pages = (size + PAGE - 1) & ~(PAGE - 1);
	struct block *b = &blocks[nr];

	if (!arena) {
		arena = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1, 0);
		must(arena != MAP_FAILED, "there is room for an arena");
		top = arena;
	}
	if (nr == BLOCKS || (size_t)(arena + ARENA - top) < pages + PAGE)
		return NULL;
	if (mprotect(top, pages, PROT_READ | PROT_WRITE))
		return NULL;
	b->pages = top;
	b->start = top + pages - ((size + 15) & ~15ULL);
	b->size = size;
	b->dirty = false;
	top += pages + PAGE;
	nr++;
	return b;
}

/* NULL: the sanitizer's. */
static void *take(size_t size, bool zero)
{
	struct block *b = NULL;
	unsigned int i;

	for (i = 0; i < nr && !b; i++) {
		if (!blocks[i].used && blocks[i].size == size)
			b = &blocks[i];
	}
	if (!b)
		b = new_block(size);
	if (!b)
		return NULL;
	if (zero && b->dirty && size < FULL)
		memset(b->start, 0, size);
	else if (zero && b->dirty)
		madvise(b->pages, b->start + size - b->pages, MADV_DONTNEED);
	b->used = true;
	b->dirty = true;
	in_use++;
	return b->start;
}

void *__wrap_malloc(size_t size)
{
	void *p = size >= LARGE && size < HUGE ? take(size, false) : NULL;

	return p ? p : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	size_t all;
	void *p = NULL;

	if (!__builtin_mul_overflow(n, size, &all) && all >= LARGE && all < HUGE)
		p = take(all, true);
	return p ? p : __real_calloc(n, size);
}

void __wrap_free(void *p)
{
	struct block *b = block_at(p);

	if (!b) {
		__real_free(p);
		return;
	}
	b->used = false;
	in_use--;
}

void *__wrap_realloc(void *p, size_t size)
{
	struct block *b = block_at(p);
	void *new;

	if (!b)
		return __real_realloc(p, size);
	new = __wrap_malloc(size);
	if (!new)
		return NULL;
	memcpy(new, p, size < b->size ? size : b->size);
	__wrap_free(p);
	return new;
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (!__builtin_mul_overflow(n, size, &all))
		return __wrap_realloc(p, all);
	errno = ENOMEM;
	return NULL;
}

void heap_check(void)
{
	must(!in_use, "large blocks are freed");
}
