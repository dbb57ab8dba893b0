// SPDX-License-Identifier: GPL-2.0-only
/* uffdload - a page fault that any user may make last: nobody answers its userfaultfd */
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile char *page;

static void *touch(void *unused)
{
	(void)unused;
	return page[0] ? NULL : NULL;
}

int main(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;
	int fd;

	fd = syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (unsigned long)page;
	range.range.len = 4096;
	if (fd < 0 || page == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		err(1, "userfaultfd");
	if (pthread_create(&thread, NULL, touch, NULL))
		errx(1, "no thread");
	/* It is in the fault when there is something to answer. */
	if (read(fd, &(struct uffd_msg){ 0 }, sizeof(struct uffd_msg)) < 0)
		err(1, "read");
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
