// SPDX-License-Identifier: GPL-2.0-only
/*
 * failing - do something again and again, each time with another allocation refused
 *
 *	failing load MODULE PARAMETERS
 *	failing unload MODULE PARAMETERS
 *	failing write FILE VALUE UNDO
 *	failing read FILE
 *
 * The kernel (CONFIG_FAULT_INJECTION) refuses this task the N-th allocation it makes: the
 * first, the second, and so on until there are no more. Beyond the first 64 more and more are
 * left out: most are pages of the same large allocation.
 *
 * Says how often it went wrong, and with what; fails if it ends otherwise than well.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NTH_MAX		20000
#define NR_ERRNOS	200

static char **args;
static int nth_fd;

static void set_nth(int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(nth_fd, text, len, 0) != len)
		err(255, "fail-nth");
}

/* What is left of the count; 0 if an allocation was refused. */
static int get_nth(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		err(255, "fail-nth");
	return atoi(text);
}

static int load_module(void)
{
	int fd = open(args[0], O_RDONLY | O_CLOEXEC);
	int ret, error;

	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, args[1], 0);
	error = errno;
	close(fd);
	errno = error;
	return ret;
}

static int unload_module(void)
{
	return syscall(SYS_delete_module, "ovnik", 0);
}

static int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret, error;

	if (fd < 0)
		return -1;
	ret = write(fd, value, strlen(value)) < 0 ? -1 : 0;
	error = errno;
	close(fd);
	errno = error;
	return ret;
}

/* Some hooks keep the module until the capture has stopped and the last task has left them. */
static int stop_and_unload(void)
{
	int tries = 3000;

	if (write_file("/sys/kernel/ovnik/enable", "0"))
		return -1;
	while (unload_module()) {
		if (errno != EAGAIN || !--tries)
			return -1;
		usleep(200000);
	}
	return 0;
}

static int do_write(void)
{
	return write_file(args[0], args[1]);
}

static int undo_write(void)
{
	return write_file(args[0], args[2]);
}

static int do_read(void)
{
	static char buf[65536];
	int fd = open(args[0], O_RDONLY | O_CLOEXEC);
	int error;
	ssize_t n;

	if (fd < 0)
		return -1;
	do {
		n = read(fd, buf, sizeof(buf));
	} while (n > 0);
	error = errno;
	close(fd);
	errno = error;
	return n < 0 ? -1 : 0;
}

static int undo_read(void)
{
	return 0;
}

static const struct action {
	const char	*name;
	int		nr_args;
	int		(*act)(void);
	int		(*undo)(void);
} actions[] = {
	{ "load", 2, load_module, stop_and_unload },
	{ "unload", 2, unload_module, load_module },
	{ "write", 3, do_write, undo_write },
	{ "read", 1, do_read, undo_read },
};

static const struct action *find_action(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(actions) / sizeof(*actions); i++) {
		if (!strcmp(argv[1], actions[i].name) && argc == 2 + actions[i].nr_args)
			return &actions[i];
	}
	errx(255, "usage: failing load|unload|write|read ...");
}

/* Once; the errno, or 0. *left is what there was left of nth. */
static int try(const struct action *action, int nth, int *left)
{
	int error = 0;

	set_nth(nth);
	if (action->act())
		error = errno;
	*left = get_nth();
	set_nth(0);
	/*
	 * What has failed may be done in part (a stop without its dump), or not at all: then a
	 * capture is there already, or no module.
	 */
	if (action->undo() && !(error && (errno == EBUSY || action->act != do_write)))
		err(1, "with allocation %d refused: cannot be undone", nth);
	return error;
}

static void report(const char *name, int nth, const unsigned int *errors)
{
	int i;

	printf("%s: about %d allocations; went well with one refused: %u", name, nth, errors[0]);
	for (i = 1; i < NR_ERRNOS; i++) {
		if (errors[i])
			printf(", %s: %u", strerror(i), errors[i]);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	const struct action *action = find_action(argc, argv);
	unsigned int errors[NR_ERRNOS] = {};
	int nth, left, error;

	args = argv + 2;
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		err(255, "/proc/self/fail-nth");
	/* Or a page of our own would be what is refused. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		err(255, "mlockall");
	for (nth = 1; nth < NTH_MAX; nth += nth < 64 ? 1 : 1 + nth / 16) {
		error = try(action, nth, &left);
		if (left > 0) {
			report(argv[1], nth - left, errors);
			if (error)
				errx(1, "with none refused: %s", strerror(error));
			return 0;
		}
		errors[error < NR_ERRNOS ? error : NR_ERRNOS - 1]++;
	}
	errx(1, "no end after %d", nth);
}
