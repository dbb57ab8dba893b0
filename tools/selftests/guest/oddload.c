// SPDX-License-Identifier: GPL-2.0-only
/*
 * oddload DIR [DEVICE] - do what is recorded where the hooks do not expect it: in a thread and a
 * process that exit, while a core is dumped and the accounting is written, in a worker of io_uring,
 * in a kernel thread, and in an interrupt, which ends a direct read of DEVICE
 *
 * DIR is on a tmpfs that nobody else uses. Prints what must have been recorded, see oddcheck.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/aio.h"
#include "common/uring.h"

#define PAGE		4096
#define ANYONE		"-"
#define DUMP_AT		8		/* where the process that dumps writes */
#define READ_AT		0x123000	/* of the device; nothing else is there */

static const char *dir;
static char self[16];

/* @tids: of tasks that may have done it, separated by commas */
static void expect(const char *event, const char *field, __u64 value, int nr, const char *tids)
{
	printf("%s %s %llu %d %s\n", event, field, value, nr, tids);
}

static const char *text_of_tid(pid_t tid)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d", tid);
	return text;
}

static const char *in_dir(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int open_in_dir(const char *name)
{
	int fd = open(in_dir(name), O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		err(1, "%s", in_dir(name));
	return fd;
}

static ino_t inode_of(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat))
		err(1, "fstat");
	return stat.st_ino;
}

static void *new_memory(size_t len)
{
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "no memory");
	return memory;
}

static pid_t child(void)
{
	pid_t pid;

	/* What is in the buffer would be printed twice. */
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	return pid;
}

static void end(pid_t pid)
{
	if (waitpid(pid, NULL, 0) != pid)
		err(1, "waitpid");
}

/* A process that shares all memory with this one, to be copied on write. */
static pid_t sharer(void)
{
	pid_t pid = child();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

static void end_sharer(pid_t pid)
{
	kill(pid, SIGKILL);
	end(pid);
}

/* Its last files are closed, and one is deleted, when it has neither memory nor root any more. */
static void exit_with_files(void)
{
	ino_t *ino = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *tid;
	pid_t pid = child();
	int fd;

	if (!pid) {
		fd = open_in_dir("exit");
		*ino = inode_of(fd);
		if (write(fd, "x", 1) != 1 || unlink(in_dir("exit")))
			err(1, "exit");
		mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
		_exit(0);
	}
	end(pid);
	tid = text_of_tid(pid);
	expect("file_open", "ino", *ino, 1, tid);
	expect("file_write", "ino", *ino, 1, tid);
	expect("file_close", "ino", *ino, 1, tid);
	expect("file_delete", "ino", *ino, 1, ANYONE);
	expect("task_exit", "tid", pid, 1, tid);
	munmap(ino, PAGE);
}

static int go[2];

/* Its memory is its process's: it touches none but its stack. */
static int wait_to_exit(void *unused)
{
	char byte;

	(void)unused;
	return read(go[0], &byte, 1) != 1;
}

/*
 * The kernel clears a word when a thread exits: it faults, and copies the page that a child has,
 * too.
 */
static void exit_and_copy(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	volatile pid_t *word = new_memory(PAGE);
	char *stack = new_memory(4 * PAGE);
	pid_t thread, other;

	*word = 1;
	if (pipe(go))
		err(1, "pipe");
	thread = clone(wait_to_exit, stack + 4 * PAGE, flags, NULL, NULL, NULL, (void *)word);
	if (thread < 0)
		err(1, "clone");
	other = sharer();
	if (write(go[1], "x", 1) != 1)
		err(1, "pipe");
	while (*word)
		usleep(1000);
	end_sharer(other);
	expect("page_fault", "address", (unsigned long)word, 1, text_of_tid(thread));
	expect("cow_break", "address", (unsigned long)word, 1, text_of_tid(thread));
	expect("task_exit", "tid", thread, 1, text_of_tid(thread));
}

static void die(void)
{
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	volatile unsigned long at = DUMP_AT;

	if (setrlimit(RLIMIT_CORE, &any) || chdir(dir))
		err(1, "core");
	*(volatile char *)at = 0;
}

/* The kernel opens, shortens, writes and closes a file for a process that it kills. */
static void dump_core(void)
{
	const char *tid;
	struct stat core;
	pid_t pid = child();

	if (!pid)
		die();
	end(pid);
	if (stat(in_dir("core"), &core))
		err(1, "%s", in_dir("core"));
	tid = text_of_tid(pid);
	expect("page_fault", "address", DUMP_AT, 1, tid);
	expect("file_open", "ino", core.st_ino, 1, tid);
	expect("file_truncate", "ino", core.st_ino, 1, tid);
	expect("file_close", "ino", core.st_ino, 1, tid);
	/* What the kernel itself writes is no call. */
	expect("file_write", "ino", core.st_ino, 0, ANYONE);
}

/* The kernel writes to a file for a process that has given up its memory. */
static void account(void)
{
	int fd = open_in_dir("account");
	struct stat before, after;
	pid_t pid;

	if (fstat(fd, &before) || acct(in_dir("account")))
		err(1, "acct");
	pid = child();
	if (!pid)
		_exit(0);
	end(pid);
	if (acct(NULL) || fstat(fd, &after) || after.st_size == before.st_size)
		errx(1, "nothing was accounted");
	expect("file_write", "ino", after.st_ino, 0, ANYONE);
	expect("task_exit", "tid", pid, 1, text_of_tid(pid));
	close(fd);
}

static int by_worker(struct ring *ring, struct io_uring_sqe request)
{
	int result;

	request.flags |= IOSQE_ASYNC;
	result = ring_do(ring, request);
	if (result < 0)
		errx(1, "io_uring: opcode %d: %s", request.opcode, strerror(-result));
	return result;
}

/* The threads that the kernel has made for this process. */
static const char *workers(void)
{
	static char tids[256];
	FILE *list = popen("cd /proc/$PPID/task; grep -l iou-wrk */comm | cut -d / -f 1", "r");
	size_t used = 0;
	int tid;

	while (list && fscanf(list, "%d", &tid) == 1 && used < sizeof(tids) - 16)
		used += sprintf(tids + used, "%s%d", used ? "," : "", tid);
	if (!used)
		errx(1, "io_uring has no worker");
	pclose(list);
	return tids;
}

/* It reads into a page that is copied, renames, gives memory back and closes. */
static void ask_worker(void)
{
	char from[PATH_MAX], to[PATH_MAX], *shared = new_memory(PAGE), *spare = new_memory(PAGE);
	const char *tids;
	struct ring ring;
	pid_t other;
	ino_t ino;
	int fd;

	snprintf(from, sizeof(from), "%s/worker", dir);
	snprintf(to, sizeof(to), "%s/renamed", dir);
	*shared = *spare = 'x';
	ring_open(&ring);
	fd = by_worker(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (unsigned long)from,
		.open_flags = O_RDWR | O_CREAT, .len = 0600 });
	ino = inode_of(fd);
	by_worker(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_WRITE, .fd = fd, .addr = (unsigned long)spare, .len = PAGE });
	other = sharer();
	by_worker(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = fd, .addr = (unsigned long)shared, .len = 1 });
	end_sharer(other);
	by_worker(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_RENAMEAT, .fd = AT_FDCWD, .addr = (unsigned long)from,
		.len = (__u32)AT_FDCWD, .addr2 = (unsigned long)to });
	by_worker(&ring, (struct io_uring_sqe){
		.opcode = IORING_OP_MADVISE, .addr = (unsigned long)spare, .len = PAGE,
		.fadvise_advice = MADV_DONTNEED });
	by_worker(&ring, (struct io_uring_sqe){ .opcode = IORING_OP_CLOSE, .fd = fd });
	tids = workers();
	expect("file_open", "ino", ino, 1, tids);
	expect("file_write", "ino", ino, 1, self);
	expect("file_read", "ino", ino, 1, self);
	expect("page_fault", "address", (unsigned long)shared, 1, tids);
	expect("cow_break", "address", (unsigned long)shared, 1, tids);
	expect("file_rename", "ino", ino, 1, tids);
	expect("madvise_dontneed", "start", (unsigned long)spare, 1, tids);
	expect("file_close", "ino", ino, 1, ANYONE);
	ring_close(&ring);
}

static unsigned long free_inodes(void)
{
	struct statfs fs;

	if (statfs(dir, &fs))
		err(1, "%s", dir);
	return fs.f_ffree;
}

/* A file that only an io_uring has, which is gone: a kernel thread closes it. */
static void leave_to_kernel(void)
{
	unsigned long before = free_inodes();
	int fd = open_in_dir("kept");
	ino_t ino = inode_of(fd);
	struct ring ring;

	ring_open(&ring);
	if (syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_FILES, &fd, 1))
		err(1, "io_uring_register");
	if (unlink(in_dir("kept")))
		err(1, "unlink");
	close(fd);
	ring_close(&ring);
	while (free_inodes() < before)
		usleep(1000);
	expect("file_close", "ino", ino, 0, self);
	expect("file_close", "ino", ino, 1, ANYONE);
	expect("file_delete", "ino", ino, 1, ANYONE);
}

/* The driver ends it in the interrupt of a timer. */
static void read_device(const char *device)
{
	int fd = open(device, O_RDONLY | O_DIRECT);
	struct iocb cb = {
		.aio_fildes = fd,
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_buf = (unsigned long)new_memory(PAGE),
		.aio_nbytes = PAGE,
		.aio_offset = READ_AT,
	};

	if (fd < 0)
		err(1, "%s", device);
	if (aio_do(&cb) != PAGE)
		errx(1, "%s cannot be read", device);
	expect("file_read", "offset", READ_AT, 1, self);
	close(fd);
}

/* Other file systems have the same inode numbers. */
static void expect_on_device(void)
{
	struct stat stat_of_dir;

	if (stat(dir, &stat_of_dir))
		err(1, "%s", dir);
	printf("%u\n", major(stat_of_dir.st_dev) << 20 | minor(stat_of_dir.st_dev));
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3)
		errx(2, "usage: oddload DIR [DEVICE]");
	dir = argv[1];
	snprintf(self, sizeof(self), "%d", getpid());
	expect_on_device();
	exit_with_files();
	exit_and_copy();
	dump_core();
	account();
	ask_worker();
	leave_to_kernel();
	if (argc > 2)
		read_device(argv[2]);
	return 0;
}
