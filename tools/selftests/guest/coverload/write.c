// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ask.h"
#include "way.h"

static int fd;

static void open_direct(void)
{
	drop(scene.file);
	fd = open(scene.path, O_WRONLY | O_DIRECT);
	done(fd >= 0);
}

static void open_tmp(void)
{
	fd = new_file(scene.tmp, "write");
	watch(fd);
}

static void open_disk(void)
{
	fd = open(scene.disk, O_RDWR);
	done(fd >= 0 && pread(fd, scene.page, PAGE, 0) == PAGE);
	watch(fd);
}

static void open_score(void)
{
	fd = open("/proc/self/oom_score_adj", O_WRONLY);
	done(fd >= 0);
	watch(fd);
}

static void fill_pipe(void)
{
	done(write(scene.pipe[1], scene.page, 4) == 4);
}

static void to_pipe(void)
{
	fd = scene.pipe[1];
}

static void to_socket(void)
{
	fd = scene.pair[1];
}

static void to_null(void)
{
	fd = open("/dev/null", O_WRONLY);
	done(fd >= 0);
}

static void by_write(void)
{
	done(write(scene.file, scene.page, 4) == 4);
}

static void write_fd(void)
{
	done(write(fd, scene.page, 4) == 4);
}

static void write_number(void)
{
	done(write(fd, "0", 1) == 1);
}

static void write_page(void)
{
	done(pwrite(fd, scene.page, PAGE, 0) == PAGE);
}

static void by_pwrite(void)
{
	done(pwrite(scene.file, scene.page, 4, 0) == 4);
}

static void by_writev(void)
{
	done(writev(scene.file, parts(), 2) == 20);
}

static void by_pwritev(void)
{
	done(pwritev(scene.file, parts(), 2, 0) == 20);
}

static void by_pwritev2(void)
{
	done(pwritev2(scene.file, parts(), 2, 0, RWF_DSYNC) == 20);
}

static void by_aio(void)
{
	ask_aio(IOCB_CMD_PWRITE, scene.page, PAGE);
}

static void by_aio_vector(void)
{
	ask_aio(IOCB_CMD_PWRITEV, parts(), 2);
}

static void by_ring(void)
{
	ask_ring(IORING_OP_WRITE, scene.page, PAGE);
}

static void by_ring_vector(void)
{
	ask_ring(IORING_OP_WRITEV, parts(), 2);
}

static void by_ring_fixed(void)
{
	ask_ring(IORING_OP_WRITE_FIXED, scene.page, PAGE);
}

/* A second one finds its worker. */
static void ring_once(void)
{
	open_ring();
	by_ring();
}

static void ring_once_fixed(void)
{
	register_memory();
	by_ring_fixed();
}

static void splice_from_pipe(void)
{
	loff_t at = 0;

	done(splice(scene.pipe[0], NULL, scene.file, &at, 4, 0) == 4);
}

static void splice_by_ring(void)
{
	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_SPLICE, .splice_fd_in = scene.pipe[0], .fd = scene.file,
		.splice_off_in = -1ULL, .len = 4 }) == 4);
}

static void ring_and_pipe(void)
{
	ring_open(&ring);
	fill_pipe();
	splice_by_ring();
	fill_pipe();
}

static void send_to_file(void)
{
	off_t at = 0;

	done(sendfile(scene.file, scene.other, &at, 10) == 10);
}

static void by_copy(void)
{
	loff_t from = 0, to = 0;

	done(copy_file_range(scene.other, &from, scene.file, &to, 10, 0) == 10);
}

static char *mapped;

static void map_file(void)
{
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, scene.file, 0);
	done(mapped != MAP_FAILED);
	*(volatile char *)mapped = 1;
}

static void write_mapped(void)
{
	*(volatile char *)mapped = 2;
}

static void by_msync(void)
{
	done(!msync(mapped, PAGE, MS_SYNC));
}

static void dirty(void)
{
	done(pwrite(scene.file, scene.page, 4, 0) == 4);
}

static void by_fsync(void)
{
	done(!fsync(scene.file));
}

static void by_sync_range(void)
{
	done(!sync_file_range(scene.file, 0, PAGE, SYNC_FILE_RANGE_WRITE));
}

static void allocate(void)
{
	done(!fallocate(scene.file, 0, 0, 2 * PAGES * PAGE));
}

static void by_vmsplice(void)
{
	done(vmsplice(scene.pipe[1], parts(), 1, 0) == 10);
}

static void by_ftruncate(void)
{
	done(!ftruncate(scene.file, PAGE * (PAGES + 1)));
}

static void by_truncate(void)
{
	done(!truncate(scene.path, PAGE * (PAGES + 1)));
}

static void by_open(void)
{
	fd = open(scene.path, O_WRONLY | O_TRUNC);
	done(fd >= 0);
}

const struct way ways_to_write[] = {
	HEADING("Write a file whose pages are cached"),
	WAY("write", by_write),
	WAY("pwrite64", by_pwrite),
	WAY("writev", by_writev),
	WAY("pwritev", by_pwritev),
	WAY("pwritev2 (RWF_DSYNC)", by_pwritev2),
	PREPARED("io_submit (IOCB_CMD_PWRITE)", by_aio, set_up_aio),
	PREPARED("io_submit (IOCB_CMD_PWRITEV)", by_aio_vector, set_up_aio),
	PREPARED("io_uring (IORING_OP_WRITE)", by_ring, ring_once),
	PREPARED("io_uring (IORING_OP_WRITEV)", by_ring_vector, ring_once),
	PREPARED("io_uring (IORING_OP_WRITE_FIXED)", by_ring_fixed, ring_once_fixed),
	WAY("sendfile from a file to a file", send_to_file),
	WAY("copy_file_range", by_copy),
	PREPARED("splice from a pipe", splice_from_pipe, fill_pipe),
	PREPARED("io_uring (IORING_OP_SPLICE) from a pipe to a file",
		 splice_by_ring, ring_and_pipe),
	PREPARED("write with O_DIRECT to pages that are not cached", write_page, open_direct),
	PREPARED("write to tmpfs", write_fd, open_tmp),
	PREPARED("write to a block device", write_page, open_disk),
	PREPARED("write to /proc", write_number, open_score),
	PREPARED("store to a MAP_SHARED page that was stored to before", write_mapped, map_file),
	PREPARED("msync", by_msync, map_file),
	PREPARED("fsync", by_fsync, dirty),
	PREPARED("sync_file_range", by_sync_range, dirty),
	WAY("fallocate that lengthens the file", allocate),
	WAY("ftruncate that lengthens", by_ftruncate),
	WAY("truncate that lengthens", by_truncate),
	WAY("open with O_TRUNC", by_open),
	HEADING("Write pipes, sockets and devices"),
	PREPARED("write to a pipe", write_fd, to_pipe),
	PREPARED("write to a socket", write_fd, to_socket),
	PREPARED("write to /dev/null", write_fd, to_null),
	WAY("vmsplice", by_vmsplice),
	{ },
};
