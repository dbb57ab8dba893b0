// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/uring.h"
#include "way.h"

static int fd;
static struct ring ring;
static char path[512];
static struct file_handle *handle;

static const char *in(const char *dir, const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void name_new(void)
{
	unlink(in(scene.dir, "new"));
	rmdir(path);
}

static void by_open(void)
{
	fd = open(scene.path, O_RDONLY);
	done(fd >= 0);
}

static void by_creat(void)
{
	fd = creat(path, 0600);
	done(fd >= 0);
}

static void by_openat2(void)
{
	struct open_how how = { .flags = O_RDONLY };

	done(syscall(SYS_openat2, AT_FDCWD, scene.path, &how, sizeof(how)) >= 0);
}

static void open_path_only(void)
{
	fd = open(scene.path, O_PATH);
	done(fd >= 0);
}

static void open_nothing(void)
{
	fd = open(path, O_RDONLY);
	done(fd < 0);
}

static void find_handle(void)
{
	static struct { struct file_handle head; char room[MAX_HANDLE_SZ]; } space;
	int mount;

	handle = &space.head;
	handle->handle_bytes = MAX_HANDLE_SZ;
	done(!name_to_handle_at(AT_FDCWD, scene.path, handle, &mount, 0));
}

static void by_handle(void)
{
	fd = open_by_handle_at(scene.file, handle, O_RDONLY);
	done(fd >= 0);
}

static void open_ring(void)
{
	ring_open(&ring);
}

static void by_ring(void)
{
	struct io_uring_sqe request = { .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD,
					.addr = (unsigned long)scene.path };

	fd = ring_do(&ring, request);
	done(fd >= 0);
}

static void open_unnamed(void)
{
	fd = open(scene.dir, O_RDWR | O_TMPFILE, 0600);
	done(fd >= 0);
}

static void by_memfd(void)
{
	fd = memfd_create("memory", 0);
	done(fd >= 0);
}

static void open_dir(void)
{
	fd = open(scene.dir, O_RDONLY | O_DIRECTORY);
	done(fd >= 0);
}

static void open_device(void)
{
	fd = open("/dev/null", O_RDONLY);
	done(fd >= 0);
}

static void by_pipe(void)
{
	int ends[2];

	done(!pipe(ends));
}

static void by_socket(void)
{
	done(socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
}

static void by_dup(void)
{
	done(dup(scene.file) >= 0);
}

static void by_close(void)
{
	done(!close(scene.file));
}

static void by_close_range(void)
{
	done(!syscall(SYS_close_range, scene.file, scene.file, 0));
}

static void by_dup2(void)
{
	done(dup2(scene.pipe[0], scene.file) >= 0);
}

static void close_by_ring(void)
{
	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_CLOSE, .fd = scene.file }) == 0);
}

static char *mapped;

static void map_and_close(void)
{
	mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, scene.file, 0);
	done(mapped != MAP_FAILED && !close(scene.file));
}

static void unmap(void)
{
	done(!munmap(mapped, PAGE));
}

static void name_target(void)
{
	unlink(in(scene.dir, "target"));
}

static void by_rename(void)
{
	done(!rename(scene.path, path));
}

static void by_exchange(void)
{
	done(!renameat2(AT_FDCWD, scene.path, AT_FDCWD, in(scene.dir, "other"), RENAME_EXCHANGE));
}

static void rename_by_ring(void)
{
	done(ring_do(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_RENAMEAT, .fd = AT_FDCWD, .addr = (unsigned long)scene.path,
		.len = (unsigned int)AT_FDCWD, .addr2 = (unsigned long)path }) == 0);
}

static void ask_worker(void)
{
	struct io_uring_sqe request = { .opcode = IORING_OP_MKDIRAT, .fd = AT_FDCWD,
					.addr = (unsigned long)scene.dir };

	ring_open(&ring);
	done(ring_do(&ring, request) < 0);
}

static void target_and_ring(void)
{
	name_target();
	ask_worker();
}

static void by_link(void)
{
	done(!link(scene.path, path));
}

static void by_symlink(void)
{
	done(!symlink("file", path));
}

static void by_mkdir(void)
{
	done(!mkdir(path, 0700));
}

static void new_dir(void)
{
	struct stat st;

	name_new();
	done(!mkdir(path, 0700) && !stat(path, &st));
	fd = open(path, O_RDONLY | O_DIRECTORY);
	done(fd >= 0);
	watch(fd);
	close(fd);
}

static void by_rmdir(void)
{
	done(!rmdir(path));
}

static void by_mknod(void)
{
	done(!mknod(path, S_IFIFO | 0600, 0));
}

static void by_unlink(void)
{
	done(!unlink(scene.path));
}

static void close_before(void)
{
	done(!close(scene.file));
}

static void unlink_before(void)
{
	done(!unlink(scene.path));
}

static void by_chmod(void)
{
	done(!fchmod(scene.file, 0640));
}

const struct way ways_to_name[] = {
	HEADING("Open a file"),
	WAY("open", by_open),
	WAY("open with O_PATH", open_path_only),
	PREPARED("open of a name that is not there", open_nothing, name_new),
	PREPARED("creat", by_creat, name_new),
	WAY("openat2", by_openat2),
	PREPARED("open_by_handle_at", by_handle, find_handle),
	PREPARED("io_uring (IORING_OP_OPENAT)", by_ring, open_ring),
	WAY("open with O_TMPFILE", open_unnamed),
	WAY("memfd_create", by_memfd),
	WAY("open of a directory", open_dir),
	WAY("open of /dev/null", open_device),
	WAY("pipe", by_pipe),
	WAY("socket", by_socket),
	WAY("dup", by_dup),
	HEADING("Close a file"),
	WAY("close", by_close),
	WAY("close_range", by_close_range),
	WAY("dup2 onto its descriptor", by_dup2),
	PREPARED("io_uring (IORING_OP_CLOSE)", close_by_ring, open_ring),
	PREPARED("munmap of its last mapping", unmap, map_and_close),
	HEADING("Make, rename and delete files"),
	PREPARED("rename", by_rename, name_target),
	WAY("renameat2 (RENAME_EXCHANGE)", by_exchange),
	PREPARED("io_uring (IORING_OP_RENAMEAT)", rename_by_ring, target_and_ring),
	PREPARED("link", by_link, name_target),
	PREPARED("symlink", by_symlink, name_target),
	PREPARED("mkdir", by_mkdir, name_new),
	PREPARED("rmdir", by_rmdir, new_dir),
	PREPARED("mknod", by_mknod, name_new),
	WAY("fchmod", by_chmod),
	WAY("unlink of an open file", by_unlink),
	PREPARED("unlink of a file that nobody has open", by_unlink, close_before),
	PREPARED("close of a file without a name", by_close, unlink_before),
	{ },
};
