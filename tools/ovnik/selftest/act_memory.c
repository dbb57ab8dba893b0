// SPDX-License-Identifier: GPL-2.0-only
/* Map, change and unmap memory. */
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "act.h"

#define READ_WRITE	(PROT_READ | PROT_WRITE)
#define VMA_READ_WRITE	(OVNIK_VMA_READ | OVNIK_VMA_WRITE)

/* More than what the kernel keeps free below a stack. */
#define STACK_HOLE	(512 * PAGE)

/* A hole of so many pages that nothing else is mapped into, nor next to; NULL. */
static char *hole(unsigned int pages)
{
	char *p = mmap(NULL, (pages + 2) * PAGE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || munmap(p + PAGE, pages * PAGE))
		return NULL;
	return p + PAGE;
}

static char *map_at(char *place, unsigned int pages, int flags)
{
	return mmap(place, pages * PAGE, READ_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | flags, -1, 0);
}

static void expect_anon(const struct span *span, const char *what, const char *p, u64 length,
			enum ovnik_map_kind kind, u32 flags)
{
	EXPECT(mmap_anon, span, what, KEY(mmap_anon, tid, gettid()), KEY(mmap_anon, kind, kind),
	       IS(mmap_anon, flags, flags), IS(mmap_anon, start, p),
	       IS(mmap_anon, length, length), MM(mmap_anon, mm, MM_OWN));
}

static void expect_munmap(const struct span *span, const char *what, const char *p, u64 length)
{
	EXPECT(munmap, span, what, KEY(munmap, tid, gettid()), IS(munmap, start, p),
	       IS(munmap, length, length), MM(munmap, mm, MM_OWN));
}

static void map_and_change(void)
{
	char *p = hole(4), *mapped;
	struct span span;
	int ret;

	if (!p)
		return;
	DO(&span, mapped = map_at(p, 4, 0));
	if (mapped != p)
		return;
	expect_anon(&span, "mmap() of anonymous memory", p, 4 * PAGE, OVNIK_MAP_MMAP,
		    VMA_READ_WRITE);
	memset(p, 1, 4 * PAGE);
	DO(&span, ret = madvise(p + PAGE, PAGE, MADV_DONTNEED));
	if (!ret)
		EXPECT(madvise_dontneed, &span, "madvise(MADV_DONTNEED)",
		       KEY(madvise_dontneed, tid, gettid()),
		       IS(madvise_dontneed, start, p + PAGE), IS(madvise_dontneed, length, PAGE),
		       MM(madvise_dontneed, mm, MM_OWN));
	DO(&span, ret = mprotect(p, PAGE, PROT_READ));
	if (!ret)
		EXPECT(mprotect, &span, "mprotect()", KEY(mprotect, tid, gettid()),
		       IS(mprotect, start, p), IS(mprotect, length, PAGE),
		       IS(mprotect, flags, OVNIK_VMA_READ), MM(mprotect, mm, MM_OWN));
	DO(&span, ret = munmap(p, 4 * PAGE));
	if (!ret)
		expect_munmap(&span, "munmap()", p, 4 * PAGE);
}

static void expect_mremap(const struct span *span, const char *what, const char *from, u64 had,
			  const char *to, u64 length)
{
	EXPECT(mremap, span, what, KEY(mremap, tid, gettid()), IS(mremap, old_start, from),
	       IS(mremap, old_length, had), IS(mremap, start, to), IS(mremap, length, length),
	       IS(mremap, flags, VMA_READ_WRITE), MM(mremap, mm, MM_OWN));
}

static void move(void)
{
	char *p = hole(4), *to = hole(4), *moved;
	struct span span;

	if (!p || !to || map_at(p, 1, 0) != p)
		return;
	*p = 1;
	DO(&span, moved = mremap(p, PAGE, 2 * PAGE, 0));
	if (moved != p)
		return;
	expect_mremap(&span, "mremap() that grows in place", p, PAGE, p, 2 * PAGE);
	DO(&span, moved = mremap(p, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	if (moved != to)
		return;
	expect_mremap(&span, "mremap() that moves", p, 2 * PAGE, to, 2 * PAGE);
	DO(&span, moved = mremap(to, 2 * PAGE, PAGE, 0));
	if (moved == to)
		expect_munmap(&span, "mremap() that shrinks", to + PAGE, PAGE);
}

static void grow_heap(void)
{
	u64 before = (syscall(SYS_brk, 0) + PAGE - 1) / PAGE * PAGE;
	struct span span;
	u64 now;

	syscall(SYS_brk, before);
	DO(&span, now = syscall(SYS_brk, before + PAGE));
	if (now != before + PAGE)
		return;
	EXPECT(mmap_anon, &span, "brk()", KEY(mmap_anon, tid, gettid()),
	       IS(mmap_anon, kind, OVNIK_MAP_BRK), IS(mmap_anon, start, before),
	       IS(mmap_anon, length, PAGE), IS(mmap_anon, flags, VMA_READ_WRITE),
	       MM(mmap_anon, mm, MM_OWN));
	DO(&span, now = syscall(SYS_brk, before));
	if (now == before)
		expect_munmap(&span, "brk() that gives back", (char *)before, PAGE);
}

static void grow_stack(void)
{
	char *p = hole(STACK_HOLE / PAGE), *top;
	struct span span;

	if (!p)
		return;
	top = p + STACK_HOLE - PAGE;
	if (map_at(top, 1, MAP_GROWSDOWN) != top)
		return;
	DO(&span, *(volatile char *)(top - 8) = 1);
	expect_anon(&span, "a stack that grows", top - PAGE, PAGE, OVNIK_MAP_GROWTH,
		    VMA_READ_WRITE | OVNIK_VMA_GROWSDOWN);
}

static void attach(void)
{
	int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	struct span span;
	char *p;

	if (id < 0) {
		deed_untried(OVNIK_EV_shm_attach, "there is no System V memory here");
		return;
	}
	DO(&span, p = shmat(id, NULL, 0));
	/* It goes with its last user. */
	shmctl(id, IPC_RMID, NULL);
	if (p != (void *)-1) {
		EXPECT(shm_attach, &span, "shmat()", KEY(shm_attach, tid, gettid()),
		       IS(shm_attach, shmid, id), IS(shm_attach, start, p),
		       IS(shm_attach, length, PAGE),
		       IS(shm_attach, flags, VMA_READ_WRITE | OVNIK_VMA_SHARED),
		       MM(shm_attach, mm, MM_OWN));
		DO(&span, shmdt(p));
		expect_munmap(&span, "shmdt()", p, PAGE);
	}
}

static void map_file(const struct act_place *place)
{
	struct span span;
	struct stat st;
	char *p;

	if (place->file < 0 || fstat(place->file, &st))
		return;
	DO(&span, p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, place->file, 0));
	if (p == MAP_FAILED)
		return;
	deed_text(EXPECT(mmap_file, &span, "mmap() of a file", KEY(mmap_file, tid, gettid()),
			 IS(mmap_file, start, p), IS(mmap_file, length, PAGE),
			 IS(mmap_file, offset, 0), IS(mmap_file, flags, OVNIK_VMA_READ),
			 IS(mmap_file, ino, st.st_ino), IS(mmap_file, dev, act_dev(st.st_dev)),
			 MM(mmap_file, mm, MM_OWN), TEXT(mmap_file, path)), place->path);
	DO(&span, munmap(p, PAGE));
	expect_munmap(&span, "munmap() of a file", p, PAGE);
}

/**
 * act_memory() - Map, change and unmap memory.
 * @place: has a file
 */
void act_memory(const struct act_place *place)
{
	map_and_change();
	move();
	grow_heap();
	grow_stack();
	attach();
	map_file(place);
}
