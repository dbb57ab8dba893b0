// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/uring.h"
#include "way.h"

#define READ_WRITE	(PROT_READ | PROT_WRITE)

/* Newer than the C library's headers. */
enum { MADVISE_COLLAPSE = 25, MADVISE_DONTNEED_LOCKED = 24 };

static char *mapped, *elsewhere;
static unsigned long heap;
static int fd, shmid, key;
static aio_context_t context;

static void map(size_t pages, int flags, int file)
{
	mapped = mmap(NULL, pages * PAGE, READ_WRITE, flags, file, 0);
	done(mapped != MAP_FAILED);
}

static void map_anon(void)
{
	map(1, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void map_populated(void)
{
	map(1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);
}

static void map_shared(void)
{
	map(1, MAP_SHARED | MAP_ANONYMOUS, -1);
}

static void map_file(void)
{
	map(1, MAP_SHARED, scene.file);
}

static void map_file_private(void)
{
	map(1, MAP_PRIVATE, scene.file);
}

static void map_over(void)
{
	done(mmap(scene.page, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	     MAP_FAILED);
}

static void make_memfd(void)
{
	fd = memfd_create("memory", 0);
	done(fd >= 0 && !ftruncate(fd, PAGE));
}

static void open_zero(void)
{
	fd = open("/dev/zero", O_RDWR);
	done(fd >= 0);
}

static void map_fd(void)
{
	map(1, MAP_SHARED, fd);
}

static void map_fd_private(void)
{
	map(1, MAP_PRIVATE, fd);
}

static void map_huge(void)
{
	map(512, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1);
}

static void find_heap(void)
{
	heap = syscall(SYS_brk, 0);
	syscall(SYS_brk, (heap + PAGE - 1) / PAGE * PAGE);
	heap = syscall(SYS_brk, 0);
}

static void grow_heap(void)
{
	done((unsigned long)syscall(SYS_brk, heap + PAGE) == heap + PAGE);
}

static void grown_heap(void)
{
	find_heap();
	grow_heap();
}

static void shrink_heap(void)
{
	done((unsigned long)syscall(SYS_brk, heap) == heap);
}

static void make_stack(void)
{
	map(512, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	done(!munmap(mapped, 512 * PAGE));
	mapped += 511 * PAGE;
	done(mmap(mapped, PAGE, READ_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, -1, 0) == mapped);
	*(volatile char *)mapped = 1;
}

static void grow_stack(void)
{
	*(volatile char *)(mapped - 8) = 1;
}

static void make_shm(void)
{
	shmid = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	done(shmid >= 0);
}

static void attach(void)
{
	mapped = shmat(shmid, NULL, 0);
	done(mapped != (void *)-1);
	shmctl(shmid, IPC_RMID, NULL);
}

static void attached(void)
{
	make_shm();
	attach();
}

static void detach(void)
{
	done(!shmdt(mapped));
}

static void four_pages_of_file(void)
{
	map(PAGES, MAP_SHARED, scene.file);
}

static void remap_pages(void)
{
	done(!remap_file_pages(mapped, PAGE, 0, 1, 0));
}

/* A page with nothing mapped behind it. */
static void room_to_grow(void)
{
	map(2, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	done(!munmap(mapped + PAGE, PAGE));
	*(volatile char *)mapped = 1;
}

static void grow(void)
{
	done(mremap(mapped, PAGE, 2 * PAGE, 0) == mapped);
}

static void somewhere_else(void)
{
	map(1, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	*(volatile char *)mapped = 1;
	elsewhere = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	done(elsewhere != MAP_FAILED && !munmap(elsewhere, 3 * PAGE));
	elsewhere += PAGE;
}

static void move_to(size_t old_pages, int flags)
{
	done(mremap(mapped, old_pages * PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | flags,
		    elsewhere) == elsewhere);
}

static void move(void)
{
	move_to(1, 0);
}

static void move_and_keep(void)
{
	move_to(1, MREMAP_DONTUNMAP);
}

static void something_shared(void)
{
	somewhere_else();
	map(1, MAP_SHARED | MAP_ANONYMOUS, -1);
}

static void duplicate(void)
{
	move_to(0, 0);
}

static void shrink(void)
{
	done(mremap(scene.page, PAGES * PAGE, PAGE, 0) == scene.page);
}

static void protect(void)
{
	done(!mprotect(scene.page, PAGE, PROT_READ));
}

static void make_key(void)
{
	key = pkey_alloc(0, 0);
	/* A CPU without keys: the call works without one. */
	if (key < 0)
		key = -1;
}

static void protect_by_key(void)
{
	done(!pkey_mprotect(scene.page, PAGE, PROT_READ, key));
}

static void unmap(void)
{
	done(!munmap(scene.page, PAGE));
}

static void advise(int advice)
{
	done(!madvise(scene.page, PAGE, advice));
}

static void dontneed(void)
{
	advise(MADV_DONTNEED);
}

static void lock(void)
{
	done(!mlock(scene.page, PAGES * PAGE));
}

static void dontneed_locked(void)
{
	advise(MADVISE_DONTNEED_LOCKED);
}

static struct ring ring;

static void dontneed_by_ring(void)
{
	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_MADVISE, .addr = (unsigned long)scene.page, .len = PAGE,
		.fadvise_advice = MADV_DONTNEED }) == 0);
}

static void dontneed_once(void)
{
	ring_open(&ring);
	dontneed_by_ring();
}

static void give_up(void)
{
	advise(MADV_FREE);
}

static void cold(void)
{
	advise(MADV_COLD);
}

static void page_out(void)
{
	advise(MADV_PAGEOUT);
}

static void other_process(void)
{
	fd = syscall(SYS_pidfd_open, getpid(), 0);
	done(fd >= 0);
}

static void cold_elsewhere(void)
{
	struct iovec iov = { scene.page, PAGE };

	done(syscall(SYS_process_madvise, fd, &iov, 1, MADV_COLD, 0) == PAGE);
}

static void huge(void)
{
	advise(MADV_HUGEPAGE);
}

static void dont_fork(void)
{
	advise(MADV_DONTFORK);
}

static void many_pages(void)
{
	map(1024, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memset(mapped, 1, 1024 * PAGE);
	mapped = (char *)(((unsigned long)mapped + 512 * PAGE - 1) & -(512UL * PAGE));
}

static void collapse(void)
{
	done(!madvise(mapped, 512 * PAGE, MADVISE_COLLAPSE));
}

static void io_setup(void)
{
	done(!syscall(SYS_io_setup, 1, &context));
}

static void has_context(void)
{
	io_setup();
	/* The address of a page, which the kernel reads. */
	(void)*(volatile int *)context;
}

static void io_destroy(void)
{
	done(!syscall(SYS_io_destroy, context));
}

static void open_ring(void)
{
	ring_open(&ring);
}

const struct way ways_to_map[] = {
	HEADING("Map memory"),
	WAY("mmap of anonymous memory", map_anon),
	WAY("mmap of anonymous memory with MAP_POPULATE", map_populated),
	WAY("mmap of shared anonymous memory", map_shared),
	WAY("mmap of huge pages (MAP_HUGETLB)", map_huge),
	WAY("mmap of a file, MAP_SHARED", map_file),
	WAY("mmap of a file, MAP_PRIVATE", map_file_private),
	PREPARED("mmap of a memfd", map_fd, make_memfd),
	PREPARED("mmap of /dev/zero, MAP_SHARED", map_fd, open_zero),
	PREPARED("mmap of /dev/zero, MAP_PRIVATE", map_fd_private, open_zero),
	WAY("mmap with MAP_FIXED over another mapping", map_over),
	PREPARED("remap_file_pages", remap_pages, four_pages_of_file),
	PREPARED("shmat", attach, make_shm),
	PREPARED("brk that grows", grow_heap, find_heap),
	PREPARED("fault below a stack (MAP_GROWSDOWN)", grow_stack, make_stack),
	WAY("io_setup", io_setup),
	WAY("io_uring_setup with mmap of its rings", open_ring),
	HEADING("Change a mapping"),
	PREPARED("mremap that grows in place", grow, room_to_grow),
	PREPARED("mremap that moves", move, somewhere_else),
	PREPARED("mremap (MREMAP_DONTUNMAP)", move_and_keep, somewhere_else),
	PREPARED("mremap that duplicates (old length 0)", duplicate, something_shared),
	WAY("mremap that shrinks", shrink),
	WAY("mprotect", protect),
	PREPARED("pkey_mprotect", protect_by_key, make_key),
	WAY("mlock", lock),
	HEADING("Give memory back"),
	WAY("munmap", unmap),
	PREPARED("shmdt", detach, attached),
	PREPARED("brk that shrinks", shrink_heap, grown_heap),
	PREPARED("io_destroy", io_destroy, has_context),
	WAY("madvise (MADV_DONTNEED)", dontneed),
	PREPARED("madvise (MADV_DONTNEED_LOCKED)", dontneed_locked, lock),
	PREPARED("io_uring (IORING_OP_MADVISE with MADV_DONTNEED)",
		 dontneed_by_ring, dontneed_once),
	WAY("madvise (MADV_FREE)", give_up),
	WAY("madvise (MADV_COLD)", cold),
	WAY("madvise (MADV_PAGEOUT) of anonymous memory, without swap", page_out),
	PREPARED("process_madvise (MADV_COLD) of its own memory", cold_elsewhere, other_process),
	WAY("madvise (MADV_HUGEPAGE)", huge),
	PREPARED("madvise (MADV_COLLAPSE)", collapse, many_pages),
	WAY("madvise (MADV_DONTFORK)", dont_fork),
	{ },
};
