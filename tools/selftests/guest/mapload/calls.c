// SPDX-License-Identifier: GPL-2.0-only
/* The calls that change mappings. */

#include <linux/types.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mapload.h"

#define HUGE_PAGE	(2UL << 20)
#define ARENA_AT	0x100000000000UL
#define ARENA_PAGES	1024U
#define HUGE_AT		0x180000000000UL
#define HUGE_PAGES	4U
#define RANGE_PAGES	32U	/* the longest that is touched at once */
#define HEAP_PAGES	64U
#define SEGMENT_STEP	16U	/* segments are attached at multiples of so many pages */

/* Some pages of the arena. */
static unsigned long arena(struct worker *w, unsigned long *len)
{
	unsigned int page = pick(w, ARENA_PAGES), pages = 1 + pick(w, pick(w, 2) ? RANGE_PAGES : 4);

	if (pages > ARENA_PAGES - page)
		pages = ARENA_PAGES - page;
	*len = pages * PAGE;
	return ARENA_AT + page * PAGE;
}

static bool in_arena(unsigned long at)
{
	return at >= ARENA_AT && at < ARENA_AT + ARENA_PAGES * PAGE;
}

/* Every combination; PROT_READ is 1, PROT_WRITE 2, PROT_EXEC 4. */
static int protection(struct worker *w)
{
	return pick(w, 2) ? PROT_READ | PROT_WRITE : (int)pick(w, 8);
}

static long map(struct worker *w, unsigned long at, unsigned long len, int how)
{
	const struct {
		int flags;
		int fd;
	} kinds[] = {
		{ MAP_PRIVATE | MAP_ANONYMOUS, -1 },
		{ MAP_PRIVATE | MAP_ANONYMOUS, -1 },
		{ MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1 },
		{ MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1 },
		{ MAP_SHARED | MAP_ANONYMOUS, -1 },
		{ MAP_PRIVATE, file_rw },
		{ MAP_PRIVATE, file_ro },
		{ MAP_SHARED, file_rw },
		{ MAP_SHARED, file_ro },
		{ MAP_PRIVATE, zero },
		{ MAP_SHARED, zero },
		/* To write is refused when what was there is unmapped already. */
		{ MAP_SHARED, sealed },
	};
	unsigned int kind = pick(w, sizeof(kinds) / sizeof(*kinds));
	unsigned long offset = pick(w, FILE_PAGES) * PAGE;

	/* A stack that grows must not run into a mapping that this program did not make. */
	if (!how && kinds[kind].flags & MAP_GROWSDOWN)
		kind = 0;
	return syscall(SYS_mmap, at, len, protection(w), kinds[kind].flags | how,
		       kinds[kind].fd, kinds[kind].fd < 0 ? 0 : offset);
}

long map_call(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return map(w, at, len, pick(w, 8) ? MAP_FIXED : MAP_FIXED_NOREPLACE);
}

/* Something new of our own, in place of something old. */
static void own(struct worker *w, unsigned long at, unsigned long len)
{
	unsigned int i = pick(w, OWN);

	if (w->own[i].len)
		syscall(SYS_munmap, w->own[i].at, w->own[i].len);
	w->own[i].at = at;
	w->own[i].len = len;
}

long map_anywhere_call(struct worker *w)
{
	unsigned long len = (1 + pick(w, RANGE_PAGES)) * PAGE;
	long at = map(w, 0, len, 0);

	if (at != -1)
		own(w, at, len);
	return at;
}

long unmap_call(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return syscall(SYS_munmap, at, len - pick(w, PAGE));
}

long unmap_own_call(struct worker *w)
{
	unsigned int i = pick(w, OWN);
	unsigned long keep;

	if (!w->own[i].len)
		return -1;
	keep = pick(w, w->own[i].len / PAGE) * PAGE;
	if (syscall(SYS_munmap, w->own[i].at + keep, w->own[i].len - keep))
		return -1;
	w->own[i].len = keep;
	return 0;
}

long protect_call(struct worker *w)
{
	unsigned long len, at = arena(w, &len);
	int grows = pick(w, 10) ? 0 : PROT_GROWSDOWN;

	return syscall(SYS_mprotect, at, len, protection(w) | grows);
}

long protect_own_call(struct worker *w)
{
	unsigned int i = pick(w, OWN);

	if (!w->own[i].len)
		return -1;
	return syscall(SYS_mprotect, w->own[i].at, w->own[i].len, protection(w));
}

/* It may have been moved out of the arena. */
static long adopt(struct worker *w, long at, unsigned long len)
{
	if (at != -1 && !in_arena(at))
		own(w, at, len);
	return at;
}

long remap_call(struct worker *w)
{
	unsigned long len, new_len, at = arena(w, &len), to = arena(w, &new_len);

	switch (pick(w, 6)) {
	case 0:
		return syscall(SYS_mremap, at, len, new_len, 0);
	case 1:
		return adopt(w, syscall(SYS_mremap, at, len, new_len, MREMAP_MAYMOVE), new_len);
	case 2:
		return syscall(SYS_mremap, at, len, len, MREMAP_MAYMOVE | MREMAP_DONTUNMAP |
			       MREMAP_FIXED, to);
	case 3:
		return adopt(w, syscall(SYS_mremap, at, len, len,
					MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0), len);
	case 4:
		/* Once more, if it is shared. */
		return syscall(SYS_mremap, at, 0, new_len, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	default:
		return syscall(SYS_mremap, at, len, new_len, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	}
}

long remap_grow_call(struct worker *w)
{
	unsigned long len, at = arena(w, &len);
	long got;

	if (len < 2 * PAGE)
		len = 2 * PAGE;
	syscall(SYS_munmap, at, len);
	if (pick(w, 3)) {
		got = map(w, at, PAGE, MAP_FIXED);
		return got == -1 ? -1 :
		       syscall(SYS_mremap, at, PAGE, len - pick(w, PAGE), 0);
	}
	got = syscall(SYS_shmat, control->segment[0], at, SHM_REMAP);
	if (got == -1)
		return -1;
	return syscall(SYS_mremap, at, PAGE, 2 * PAGE, 0);
}

long remap_own_call(struct worker *w)
{
	unsigned long len, to = arena(w, &len);
	unsigned int i = pick(w, OWN);
	long at;

	if (!w->own[i].len)
		return -1;
	at = syscall(SYS_mremap, w->own[i].at, w->own[i].len, len,
		     MREMAP_MAYMOVE | (pick(w, 2) ? MREMAP_FIXED : 0), to);
	if (at == -1)
		return -1;
	w->own[i].at = at;
	w->own[i].len = in_arena(at) ? 0 : len;
	return at;
}

long brk_call(struct worker *w)
{
	unsigned long end = heap + pick(w, HEAP_PAGES * PAGE);

	return syscall(SYS_brk, end) == (long)end ? 0 : -1;
}

long advise_call(struct worker *w)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTNEED, MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_DONTFORK,
		MADV_DOFORK, MADV_NOHUGEPAGE, MADV_HUGEPAGE, MADV_FREE,
	};
	unsigned long len, at = arena(w, &len);

	return syscall(SYS_madvise, at, len - pick(w, PAGE),
		       advice[pick(w, sizeof(advice) / sizeof(*advice))]);
}

long attach_call(struct worker *w)
{
	unsigned int number = pick(w, SEGMENTS);
	unsigned long at = ARENA_AT + pick(w, ARENA_PAGES / SEGMENT_STEP) * SEGMENT_STEP * PAGE;
	int flags = pick(w, 3) ? 0 : SHM_RDONLY;
	long got;

	if (pick(w, 4))
		return syscall(SYS_shmat, control->segment[number], at, flags | SHM_REMAP);
	got = syscall(SYS_shmat, control->segment[number], 0, flags);
	if (got != -1)
		own(w, got, (number + 1) * PAGE);
	return got;
}

long detach_call(struct worker *w)
{
	return syscall(SYS_shmdt, ARENA_AT +
		       pick(w, ARENA_PAGES / SEGMENT_STEP) * SEGMENT_STEP * PAGE);
}

long remap_file_call(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	if (!pick(w, 3)) {
		syscall(SYS_shmat, control->segment[SEGMENTS - 1], at, SHM_REMAP);
		return syscall(SYS_remap_file_pages, at, PAGE, 0, 1 + pick(w, SEGMENTS - 1), 0);
	}
	return syscall(SYS_remap_file_pages, at, len, 0, pick(w, FILE_PAGES), 0);
}

long touch_call(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return read(zero, (void *)at, pick(w, 2) ? 1 : len);
}

long lock_call(struct worker *w)
{
	unsigned long len, at = arena(w, &len);

	return syscall(pick(w, 2) ? SYS_mlock : SYS_munlock, at, len);
}

long huge_call(struct worker *w)
{
	unsigned long at = HUGE_AT + pick(w, HUGE_PAGES) * HUGE_PAGE;

	switch (pick(w, 3)) {
	case 0:
		return syscall(SYS_munmap, at, HUGE_PAGE);
	case 1:
		return syscall(SYS_mprotect, at, HUGE_PAGE, protection(w));
	default:
		/* There are too few to reserve: that fails after the unmapping, too. */
		return syscall(SYS_mmap, at, (1 + pick(w, 2)) * HUGE_PAGE, protection(w),
			       MAP_ANONYMOUS | MAP_HUGETLB | MAP_FIXED |
			       (pick(w, 4) ? MAP_NORESERVE : 0) |
			       (pick(w, 2) ? MAP_PRIVATE : MAP_SHARED), -1, 0);
	}
}
