// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "way.h"

#define MERGE_PAGES	2

static char *mapped;
static int fd;
static pid_t other;
static sigjmp_buf back;

static void read_mapped(void)
{
	(void)*(volatile char *)mapped;
}

static void write_mapped(void)
{
	*(volatile char *)mapped = 2;
}

static void new_page(void)
{
	mapped = new_memory(1);
}

static void zero_page(void)
{
	new_page();
	read_mapped();
}

static void map_file(int flags)
{
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, scene.file, 0);
	done(mapped != MAP_FAILED);
}

static void shared_file(void)
{
	map_file(MAP_SHARED);
}

static void private_file(void)
{
	map_file(MAP_PRIVATE);
}

static void private_page(void)
{
	private_file();
	read_mapped();
}

static void share(void)
{
	mapped = new_memory(1);
	*mapped = 1;
	other = sharer();
}

static void pinned_by_pipe(void)
{
	struct iovec iov = { mapped = new_memory(1), 10 };

	*mapped = 1;
	done(vmsplice(scene.pipe[1], &iov, 1, 0) == 10);
	other = sharer();
}

static void huge_memory(void)
{
	mapped = new_memory(1024);
	mapped = (char *)(((unsigned long)mapped + 512 * PAGE - 1) & -(512UL * PAGE));
	done(!madvise(mapped, 512 * PAGE, MADV_HUGEPAGE));
}

/* Is there one? The kernel may have had no memory for it. */
static bool has_huge_page(void)
{
	char line[128];
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long size = 0;

	while (file && fgets(line, sizeof(line), file) && !size)
		sscanf(line, "AnonHugePages: %lu", &size);
	if (file)
		fclose(file);
	return size;
}

static void huge_zero(void)
{
	huge_memory();
	read_mapped();
}

static void huge_page(void)
{
	huge_memory();
	write_mapped();
	done(has_huge_page());
	other = sharer();
}

static void map_hugetlb(void)
{
	mapped = mmap(NULL, 512 * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	done(mapped != MAP_FAILED);
}

static void share_hugetlb(void)
{
	map_hugetlb();
	write_mapped();
	other = sharer();
}

static void read_into(void)
{
	done(pread(scene.file, mapped, 4, 0) == 4);
}

static void direct_and_share(void)
{
	fd = open(scene.path, O_RDONLY | O_DIRECT);
	done(fd >= 0);
	share();
}

static void read_direct(void)
{
	done(pread(fd, mapped, PAGE, 0) == PAGE);
}

static void read_nowhere(void)
{
	done(syscall(SYS_pread64, scene.file, 8, 4, 0) < 0 && errno == EFAULT);
}

static void write_other(void)
{
	struct iovec from = { scene.page, 4 }, to = { mapped, 4 };

	done(process_vm_writev(getpid(), &from, 1, &to, 1, 0) == 4);
}

static void open_memory(void)
{
	fd = open("/proc/self/mem", O_RDWR);
	done(fd >= 0);
	share();
}

static void write_memory(void)
{
	done(pwrite(fd, "x", 1, (off_t)mapped) == 1);
}

/* A child that is stopped, whose memory is this one's. */
static void trace(void)
{
	private_page();
	done(!mprotect(mapped, PAGE, PROT_READ));
	other = sharer();
	done(!ptrace(PTRACE_ATTACH, other, NULL, NULL) && waitpid(other, NULL, 0) == other);
}

static void poke(void)
{
	done(!ptrace(PTRACE_POKEDATA, other, mapped, 1L));
}

static void peek(void)
{
	errno = 0;
	ptrace(PTRACE_PEEKDATA, other, mapped, NULL);
	done(!errno);
}

static void trace_new(void)
{
	new_page();
	other = sharer();
	done(!ptrace(PTRACE_ATTACH, other, NULL, NULL) && waitpid(other, NULL, 0) == other);
}

static void lock(void)
{
	done(!mlock(mapped, PAGE));
}

static void populate(void)
{
	done(!madvise(mapped, PAGE, MADV_POPULATE_WRITE));
}

static void wake_op(int flag)
{
	done(syscall(SYS_futex, mapped, FUTEX_WAKE_OP | flag, 1, 0, mapped,
		     FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0)) >= 0);
}

static void by_futex(void)
{
	wake_op(0);
}

static void by_private_futex(void)
{
	wake_op(FUTEX_PRIVATE_FLAG);
}

static void new_uffd(unsigned long mode)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area;

	fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	done(fd >= 0 && !ioctl(fd, UFFDIO_API, &api));
	mapped = new_memory(1);
	if (mode == UFFDIO_REGISTER_MODE_WP)
		*mapped = 1;
	area = (struct uffdio_register){ .range = { (unsigned long)mapped, PAGE }, .mode = mode };
	done(!ioctl(fd, UFFDIO_REGISTER, &area));
}

static void watch_missing(void)
{
	new_uffd(UFFDIO_REGISTER_MODE_MISSING);
}

static void watch_writes(void)
{
	new_uffd(UFFDIO_REGISTER_MODE_WP);
}

static void uffd_copy(void)
{
	struct uffdio_copy copy = { .dst = (unsigned long)mapped, .src = (unsigned long)scene.page,
				    .len = PAGE };

	done(!ioctl(fd, UFFDIO_COPY, &copy));
}

static void protect_by_uffd(void)
{
	struct uffdio_writeprotect protect = { .range = { (unsigned long)mapped, PAGE },
					       .mode = UFFDIO_WRITEPROTECT_MODE_WP };

	done(!ioctl(fd, UFFDIO_WRITEPROTECT, &protect));
}

static void write_a_number(const char *path, const char *number)
{
	int file = open(path, O_WRONLY);

	done(file >= 0 && write(file, number, strlen(number)) == (ssize_t)strlen(number));
	close(file);
}

static int pages_merged(void)
{
	char text[16] = "";
	int file = open("/sys/kernel/mm/ksm/pages_sharing", O_RDONLY), number = 0;

	done(file >= 0 && read(file, text, sizeof(text) - 1) > 0);
	close(file);
	sscanf(text, "%d", &number);
	return number;
}

/* Two pages with the same become one. */
static void merge(void)
{
	mapped = new_memory(MERGE_PAGES);
	memset(mapped, 'm', MERGE_PAGES * PAGE);
	if (access("/sys/kernel/mm/ksm/run", W_OK))
		errno = EOPNOTSUPP;
	done(!access("/sys/kernel/mm/ksm/run", W_OK));
	done(!madvise(mapped, MERGE_PAGES * PAGE, MADV_MERGEABLE));
	write_a_number("/sys/kernel/mm/ksm/sleep_millisecs", "1");
	/* What others have merged is taken apart. */
	write_a_number("/sys/kernel/mm/ksm/run", "2");
	write_a_number("/sys/kernel/mm/ksm/run", "1");
	while (!pages_merged())
		usleep(1000);
	write_a_number("/sys/kernel/mm/ksm/run", "0");
}

static void unmerge(void)
{
	done(!madvise(mapped, MERGE_PAGES * PAGE, MADV_UNMERGEABLE));
}

static void go_back(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void set_handler(void)
{
	signal(SIGSEGV, go_back);
	signal(SIGBUS, go_back);
	/* What it needs must be there. */
	if (!sigsetjmp(back, 1))
		raise(SIGSEGV);
	mapped = (char *)8;
}

static void fault_nowhere(void)
{
	if (!sigsetjmp(back, 1))
		read_mapped();
}

static void behind_end(void)
{
	set_handler();
	shared_file();
	done(!ftruncate(scene.file, 0));
}

static void read_only(void)
{
	set_handler();
	mapped = scene.page;
	done(!mprotect(mapped, PAGE, PROT_READ));
}

static void write_protected(void)
{
	if (!sigsetjmp(back, 1))
		write_mapped();
}

const struct way ways_to_fault[] = {
	HEADING("Fault"),
	PREPARED("read of new anonymous memory", read_mapped, new_page),
	PREPARED("write to new anonymous memory", write_mapped, new_page),
	PREPARED("write to anonymous memory that was only read", write_mapped, zero_page),
	PREPARED("read of a file's page, MAP_SHARED", read_mapped, shared_file),
	PREPARED("write to a file's page, MAP_SHARED", write_mapped, shared_file),
	PREPARED("read of a file's page, MAP_PRIVATE", read_mapped, private_file),
	PREPARED("write to a file's page, MAP_PRIVATE", write_mapped, private_file),
	PREPARED("write to a file's page that was only read, MAP_PRIVATE",
		 write_mapped, private_page),
	PREPARED("write to a page shared with a child", write_mapped, share),
	PREPARED("write to a page shared with a child and a pipe", write_mapped, pinned_by_pipe),
	PREPARED("write to a huge zero page", write_mapped, huge_zero),
	PREPARED("write to a huge page shared with a child", write_mapped, huge_page),
	PREPARED("write to a new page of hugetlb", write_mapped, map_hugetlb),
	PREPARED("write to a page of hugetlb shared with a child", write_mapped, share_hugetlb),
	PREPARED("pread into new memory", read_into, new_page),
	PREPARED("pread into a page shared with a child", read_into, share),
	PREPARED("futex (FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG) in a page shared with a child",
		 by_private_futex, share),
	PREPARED("write to a page that KSM has merged", write_mapped, merge),
	PREPARED("fault that ends in SIGSEGV, nothing is mapped", fault_nowhere, set_handler),
	PREPARED("fault that ends in SIGSEGV, read only", write_protected, read_only),
	PREPARED("fault that ends in SIGBUS", fault_nowhere, behind_end),
	WAY("pread to where nothing is mapped (EFAULT)", read_nowhere),
	HEADING("Get or change pages without a fault"),
	PREPARED("pread with O_DIRECT into a page shared with a child",
		 read_direct, direct_and_share),
	PREPARED("process_vm_writev to new memory of its own", write_other, new_page),
	PREPARED("process_vm_writev to a page of its own, shared with a child", write_other, share),
	PREPARED("write to /proc/self/mem, to a page shared with a child",
		 write_memory, open_memory),
	PREPARED("ptrace (PTRACE_POKEDATA) to a file's page that is read only", poke, trace),
	PREPARED("ptrace (PTRACE_PEEKDATA) of new memory", peek, trace_new),
	PREPARED("futex (FUTEX_WAKE_OP) in a page shared with a child", by_futex, share),
	PREPARED("mlock of new memory", lock, new_page),
	PREPARED("mlock of a page shared with a child", lock, share),
	PREPARED("madvise (MADV_POPULATE_WRITE)", populate, new_page),
	PREPARED("madvise (MADV_UNMERGEABLE)", unmerge, merge),
	PREPARED("ioctl (UFFDIO_COPY)", uffd_copy, watch_missing),
	PREPARED("ioctl (UFFDIO_WRITEPROTECT)", protect_by_uffd, watch_writes),
	{ },
};
