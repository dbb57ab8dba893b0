// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileload - do everything that can be done with files, and write it down
 *
 *	fileload [-c CAPTURE] ROOT BOUND LOG [DEVICE]
 *	fileload hold | hold-by-thread DIR
 *	fileload vectors FILE
 *
 * ROOT is where the file system under test is mounted, BOUND a directory that
 * ROOT/real is bound to. Every actor is a process of its own; at the end all that
 * they did is written to LOG (see common/filelog.h), when the capture has been stopped:
 * with CAPTURE, a file or command (see common/switch.h), or else the module's file.
 * A thing that does not go as it must go ends the program.
 *
 * The second form opens files in every way, says "ready" and waits. The third one reads and
 * writes by turns, as many times each, with vectors and without.
 */

#include <linux/io_uring.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "common/fileact.h"
#include "common/switch.h"
#include "fileload/actor.h"
#include "fileload/async.h"
#include "fileload/io.h"
#include "fileload/names.h"

static const char *device;

/* The block device below: read as a file. */
static void act_device(void)
{
	char *buf = aligned_alloc(4096, 8192);
	int fd = open_file(device, O_RDONLY);
	struct io io = {
		.op = OVNIK_OP_PREAD, .in = fd, .out = -1, .in_at = 4096 * 5 + 7, .buf = buf,
		.len = 3000,
	};

	must_be(read_file(fd, buf, 8192), 8192, "read of the device");
	must_be(do_io(&io), 3000, "pread of the device");
	close_file(fd);
	fd = open_file(device, O_RDONLY | O_DIRECT);
	must_be(read_file(fd, buf, 8192), 8192, "direct read of the device");
	close_file(fd);
	note_sums();
}

static void act_aio(void)
{
	int fd = open_file(in_root("aio"), O_RDWR | O_CREAT), append;

	aio_calls(fd);
	append = open_file(in_root("aio"), O_WRONLY | O_APPEND);
	aio_append(append);
	close_file(append);
	close_file(fd);
	if (tested.direct_io) {
		fd = open_file(in_root("aio"), O_RDWR | O_DIRECT);
		aio_direct(fd);
		close_file(fd);
	}
}

static void act_spin(void)
{
	for (;;)
		__builtin_ia32_pause();
}

/* While it waits another one runs, in user mode, which the device interrupts. */
static void act_aio_device(void)
{
	int fd = open_file(device, O_RDONLY | O_DIRECT), i;
	cpu_set_t cpus;
	pid_t spinner;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	must(!sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity");
	spinner = start_actor(act_spin);
	for (i = 0; i < 10; i++)
		aio_direct_read(fd);
	kill(spinner, SIGKILL);
	must(waitpid(spinner, NULL, 0) == spinner, "the spinner");
	close_file(fd);
}

/* A worker of io_uring may still have the file when its request is complete. */
static void close_uring_file(int fd)
{
	struct log_entry *entry = expect_close(fd);

	entry->flags |= LOG_ANY_TID;
	entry->end = ~0ULL;
	close(fd);
}

static void act_uring(void)
{
	int fd = open_file(in_root("uring"), O_RDWR | O_CREAT), append;

	uring_start();
	uring_calls(fd);
	append = open_file(in_root("uring"), O_WRONLY | O_APPEND);
	uring_append(append);
	close_uring_file(append);
	uring_open_close(in_root("uring"));
	uring_linked(fd, IORING_OP_READ);
	uring_linked(fd, IORING_OP_WRITE);
	close_uring_file(fd);
	if (tested.direct_io) {
		fd = open_file(in_root("uring"), O_RDWR | O_DIRECT);
		uring_direct(fd);
		uring_linked(fd, IORING_OP_WRITE);
		close_uring_file(fd);
	}
}

static void check_file_system(void)
{
	struct identity id = identify_at(AT_FDCWD, tested.root, 0);
	struct statfs fs;

	if (statfs(tested.root, &fs))
		err(1, "%s", tested.root);
	tested.direct_io = fs.f_type != TMPFS_MAGIC;
	filelog->dev = id.dev;
}

static void make_files(void)
{
	int fd;

	make_file("append", 0);
	make_file("big", 100000);
	make_file("truncate", 100000);
	make_names();
	fd = open(in_root("big"), O_RDONLY | O_DIRECT);
	tested.opens_direct = fd >= 0;
	if (tested.opens_direct)
		close(fd);
}

static void save_log(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(filelog, sizeof(*filelog), 1, file) != 1 || fclose(file))
		err(1, "%s", path);
}

static void run_actors(void)
{
	run_actor(act_plain, "plain");
	run_actor(act_ia32, "ia32");
	run_actor(act_pipes, "pipes");
	run_append();
	run_actor(act_aio, "aio");
	run_actor(act_uring, "uring");
	if (device) {
		run_actor(act_device, "device");
		run_actor(act_aio_device, "aio of the device");
	}
	run_names();
}

/* 2000 calls of each way. */
static void act_vectors(const char *file)
{
	char byte = 0;
	struct iovec vec = { &byte, 1 };
	int fd = open(file, O_RDWR | O_CREAT, 0600), i;

	for (i = 0; i < 1000; i++) {
		must(pwrite(fd, &byte, 1, 0) == 1, "pwrite");
		must(preadv(fd, &vec, 1, 0) == 1, "preadv");
		must(pread(fd, &byte, 1, 0) == 1, "pread");
		must(pwritev(fd, &vec, 1, 0) == 1, "pwritev");
	}
	close(fd);
}

int main(int argc, char **argv)
{
	const char *capture = "/sys/kernel/ovnik/enable";

	if (argc == 2 && !strcmp(argv[1], "end"))
		return 0;
	if (argc == 3 && !strcmp(argv[1], "hold"))
		hold(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "hold-by-thread"))
		hold_by_thread(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "vectors")) {
		act_vectors(argv[2]);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "aio")) {
		device = argv[2];
		make_log();
		act_aio_device();
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "-c")) {
		capture = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 4)
		errx(2, "usage: fileload [-c CAPTURE] ROOT BOUND LOG [DEVICE]");
	snprintf(tested.root, sizeof(tested.root), "%s", argv[1]);
	snprintf(tested.bound, sizeof(tested.bound), "%s", argv[2]);
	device = argv[4];
	if (readlink("/proc/self/exe", tested.self, sizeof(tested.self) - 1) < 0)
		err(1, "/proc/self/exe");
	make_log();
	check_file_system();
	make_files();
	switch_capture(capture, "1");
	run_actors();
	switch_capture(capture, "0");
	save_log(argv[3]);
	return 0;
}
