// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuseload DIR FILE... - read and write by AIO and io_uring a file of a FUSE file system at DIR,
 * which another process of its serves, and other files, all with O_DIRECT; print what was done:
 * "read|write aio|uring OFFSET TID", with an OFFSET of -1 for what cannot be known
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/aio.h"
#include "common/uring.h"

#define PAGE	4096
#define SIZE	(16 * PAGE)

static bool appends;
static int device;
static char message[SIZE + PAGE], zeros[SIZE];

static void reply(__u64 request, int error, void *data, size_t len)
{
	struct fuse_out_header head = { sizeof(head) + len, error, request };
	struct iovec parts[2] = { { &head, sizeof(head) }, { data, len } };

	/* The client may have gone. */
	if (writev(device, parts, 2) < 0 && errno != ENOENT)
		err(1, "a reply");
}

static struct fuse_attr attributes(__u64 ino)
{
	struct fuse_attr attr = { .ino = ino, .nlink = 1, .blksize = PAGE };

	attr.mode = ino == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0666;
	attr.size = ino == FUSE_ROOT_ID ? 0 : SIZE;
	return attr;
}

static void serve(const struct fuse_in_header *head, const void *arg)
{
	const struct fuse_read_in *rd = arg;
	const struct fuse_write_in *wr = arg;
	struct fuse_init_out init = {
		.major = 7,
		.minor = 31,
		.flags = FUSE_ASYNC_READ | FUSE_ASYNC_DIO | FUSE_BIG_WRITES,
		.max_write = SIZE,
	};
	struct fuse_entry_out entry = { .nodeid = 2, .entry_valid = 100, .attr_valid = 100,
					.attr = attributes(2) };
	struct fuse_attr_out attr = { .attr_valid = 100, .attr = attributes(head->nodeid) };
	struct fuse_write_out written = { .size = wr->size };
	struct fuse_open_out opened = {};

	switch (head->opcode) {
	case FUSE_INIT:
		return reply(head->unique, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		return reply(head->unique, 0, &entry, sizeof(entry));
	case FUSE_GETATTR:
		return reply(head->unique, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
		return reply(head->unique, 0, &opened, sizeof(opened));
	case FUSE_READ:
		return reply(head->unique, 0, zeros, rd->size);
	case FUSE_WRITE:
		return reply(head->unique, 0, &written, sizeof(written));
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return reply(head->unique, 0, NULL, 0);
	case FUSE_FORGET:
		return;
	default:
		return reply(head->unique, -EINVAL, NULL, 0);
	}
}

static void serve_all(void)
{
	while (read(device, message, sizeof(message)) > 0)
		serve((void *)message, message + sizeof(struct fuse_in_header));
	_exit(0);
}

static pid_t mount_fuse(const char *dir)
{
	char options[128];
	pid_t server;

	device = open("/dev/fuse", O_RDWR);
	if (device < 0)
		err(1, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (mount("fuseload", dir, "fuse", 0, options))
		err(1, "%s", dir);
	server = fork();
	if (!server) {
		/* Nobody waits for a server whose client has failed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_all();
	}
	return server;
}

static void done(const char *what, const char *by, long offset, long result)
{
	if (result != PAGE)
		errx(1, "%s by %s at %ld: %ld", what, by, offset, result);
	printf("%s %s %ld %d\n", what, by, appends ? -1 : offset, getpid());
}

static void by_aio(int fd, void *buf, bool write, long offset)
{
	struct iocb cb = {
		.aio_fildes = fd,
		.aio_lio_opcode = write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
		.aio_buf = (unsigned long)buf,
		.aio_nbytes = PAGE,
		.aio_offset = offset,
	};

	done(write ? "write" : "read", "aio", offset, aio_do(&cb));
}

static void by_uring(int fd, void *buf, bool write, long offset)
{
	struct ring ring;

	ring_open(&ring);
	done(write ? "write" : "read", "uring", offset, ring_do(&ring, (struct io_uring_sqe){
		.opcode = write ? IORING_OP_WRITE : IORING_OP_READ,
		.fd = fd,
		.addr = (unsigned long)buf,
		.len = PAGE,
		.off = offset,
	}));
	ring_close(&ring);
}

/* The first page, too: a position that is not advanced is 0 there. */
static void use(const char *path)
{
	int fd = open(path, O_RDWR | O_DIRECT);
	void *buf = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long offset;

	if (fd < 0 || buf == MAP_FAILED)
		err(1, "%s", path);
	for (offset = 0; offset < SIZE; offset += 5 * PAGE) {
		by_aio(fd, buf, false, offset);
		by_aio(fd, buf, true, offset);
		by_uring(fd, buf, false, offset);
		by_uring(fd, buf, true, offset);
	}
	close(fd);
}

/* Where it begins, nobody knows before, and with FUSE not afterwards. */
static void append(const char *path)
{
	int fd = open(path, O_RDWR | O_DIRECT | O_APPEND);
	static char page[PAGE] __attribute__((aligned(PAGE)));

	if (fd < 0)
		err(1, "%s", path);
	appends = true;
	by_aio(fd, page, true, 0);
	by_uring(fd, page, true, 0);
	appends = false;
	close(fd);
}

int main(int argc, char **argv)
{
	char path[PAGE];
	pid_t server;
	int i;

	if (argc < 2)
		errx(2, "usage: fuseload DIR FILE...");
	setlinebuf(stdout);
	server = mount_fuse(argv[1]);
	snprintf(path, sizeof(path), "%s/file", argv[1]);
	use(path);
	append(path);
	for (i = 2; i < argc; i++)
		use(argv[i]);
	umount2(argv[1], MNT_DETACH);
	kill(server, SIGKILL);
	return 0;
}
