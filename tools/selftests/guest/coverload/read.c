// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ask.h"
#include "way.h"

static int fd;

static void open_direct(void)
{
	fd = open(scene.path, O_RDONLY | O_DIRECT);
	done(fd >= 0);
}

static void open_this(const char *path)
{
	fd = open(path, O_RDONLY);
	done(fd >= 0);
	watch(fd);
}

static void open_proc(void)
{
	open_this("/proc/version");
}

static void open_sys(void)
{
	open_this("/sys/kernel/fscaps");
}

static void open_zero(void)
{
	open_this("/dev/zero");
}

static void open_dir(void)
{
	fd = open(scene.dir, O_RDONLY | O_DIRECTORY);
	done(fd >= 0);
}

static void open_disk(void)
{
	open_this(scene.disk);
	done(read(fd, scene.page, PAGE) == PAGE);
}

static void open_tmp(void)
{
	fd = new_file(scene.tmp, "read");
	watch(fd);
}

static void fill_pipe(void)
{
	done(write(scene.pipe[1], "1234", 4) == 4);
	fd = scene.pipe[0];
}

static void fill_pair(void)
{
	done(write(scene.pair[1], "1234", 4) == 4);
	fd = scene.pair[0];
}

static void open_memory(void)
{
	fd = open("/proc/self/mem", O_RDWR);
	done(fd >= 0);
	watch(fd);
}

static void by_read(void)
{
	done(read(scene.file, scene.page, 4) == 4);
}

static void read_fd(void)
{
	done(read(fd, scene.page, 4) > 0);
}

static void read_page(void)
{
	done(pread(fd, scene.page, PAGE, 0) == PAGE);
}

static void by_pread(void)
{
	done(pread(scene.file, scene.page, 4, 0) == 4);
}

static void by_readv(void)
{
	done(readv(scene.file, parts(), 2) == 20);
}

static void by_preadv(void)
{
	done(preadv(scene.file, parts(), 2, 0) == 20);
}

static void by_preadv2(void)
{
	done(preadv2(scene.file, parts(), 2, 0, RWF_NOWAIT) == 20);
}

static void by_aio(void)
{
	ask_aio(IOCB_CMD_PREAD, scene.page, PAGE);
}

static void by_aio_vector(void)
{
	ask_aio(IOCB_CMD_PREADV, parts(), 2);
}

static void by_ring(void)
{
	ask_ring(IORING_OP_READ, scene.page, PAGE);
}

static void by_ring_vector(void)
{
	ask_ring(IORING_OP_READV, parts(), 2);
}

static void by_ring_fixed(void)
{
	ask_ring(IORING_OP_READ_FIXED, scene.page, PAGE);
}

static void send_to_socket(void)
{
	off_t at = 0;

	done(sendfile(scene.pair[0], scene.file, &at, 10) == 10);
}

static void splice_to_pipe(void)
{
	loff_t at = 0;

	done(splice(scene.file, &at, scene.pipe[1], NULL, 10, 0) == 10);
}

static void splice_by_ring(void)
{
	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_SPLICE, .splice_fd_in = scene.file, .fd = scene.pipe[1],
		.len = 10, .off = -1ULL }) == 10);
}

static void splice_once(void)
{
	ring_open(&ring);
	splice_by_ring();
}

static int second[2];

static void second_pipe(void)
{
	fill_pipe();
	done(!pipe(second));
}

static void by_tee(void)
{
	done(tee(scene.pipe[0], second[1], 4, 0) == 4);
}

static void by_getdents(void)
{
	done(syscall(SYS_getdents64, fd, scene.page, PAGE) > 0);
}

static void by_readlink(void)
{
	done(readlink("/proc/self/exe", scene.page, PAGE) > 0);
}

static void read_memory(void)
{
	done(pread(fd, scene.page, 4, (off_t)scene.page + PAGE) == 4);
}

static void read_other(void)
{
	struct iovec to = { scene.page, 4 }, from = { scene.page + PAGE, 4 };

	done(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 4);
}

static char *mapped;

static void map_file(void)
{
	mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE, scene.file, 0);
	done(mapped != MAP_FAILED);
}

static void read_mapped(void)
{
	(void)*(volatile char *)mapped;
}

const struct way ways_to_read[] = {
	HEADING("Read a file whose pages are cached"),
	WAY("read", by_read),
	WAY("pread64", by_pread),
	WAY("readv", by_readv),
	WAY("preadv", by_preadv),
	WAY("preadv2 (RWF_NOWAIT)", by_preadv2),
	PREPARED("io_submit (IOCB_CMD_PREAD)", by_aio, set_up_aio),
	PREPARED("io_submit (IOCB_CMD_PREADV)", by_aio_vector, set_up_aio),
	PREPARED("io_uring (IORING_OP_READ)", by_ring, open_ring),
	PREPARED("io_uring (IORING_OP_READV)", by_ring_vector, open_ring),
	PREPARED("io_uring (IORING_OP_READ_FIXED)", by_ring_fixed, register_memory),
	WAY("sendfile to a socket", send_to_socket),
	WAY("splice to a pipe", splice_to_pipe),
	PREPARED("io_uring (IORING_OP_SPLICE) from a file to a pipe", splice_by_ring, splice_once),
	PREPARED("read with O_DIRECT", read_page, open_direct),
	PREPARED("read of tmpfs", read_fd, open_tmp),
	PREPARED("read of a block device", read_page, open_disk),
	PREPARED("read of /proc", read_fd, open_proc),
	PREPARED("read of /sys", read_fd, open_sys),
	PREPARED("load from a page that is mapped already", read_mapped, map_file),
	HEADING("Read pipes, sockets, devices, directories and memory"),
	PREPARED("read of a pipe", read_fd, fill_pipe),
	PREPARED("read of a socket", read_fd, fill_pair),
	PREPARED("read of /dev/zero", read_fd, open_zero),
	PREPARED("tee", by_tee, second_pipe),
	PREPARED("getdents64", by_getdents, open_dir),
	WAY("readlink", by_readlink),
	PREPARED("read of /proc/self/mem", read_memory, open_memory),
	WAY("process_vm_readv of its own memory", read_other),
	{ },
};
