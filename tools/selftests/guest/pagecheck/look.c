// SPDX-License-Identifier: GPL-2.0-only
/* What pageload has seen. */

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "pagecheck.h"

#define MAX_DEVS	64

struct look *looks;
size_t nr_looks;
bool quiet;

static size_t room_looks;
static __u32 devs[MAX_DEVS];	/* that were looked at */
static unsigned int nr_devs;
static unsigned int complaints;

__attribute__((format(printf, 1, 2)))
bool complain(const char *format, ...)
{
	va_list args;

	if (quiet || ++complaints > 20)
		return false;
	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	return false;
}

bool is_tested(__u32 dev)
{
	unsigned int i;

	for (i = 0; i < nr_devs; i++) {
		if (devs[i] == dev)
			return true;
	}
	return false;
}

static void add_look(const struct page_check *check)
{
	struct look *look;

	looks = grow(looks, nr_looks, &room_looks, sizeof(*looks));
	look = &looks[nr_looks++];
	look->check = check;
	look->frames = (const void *)(check + 1);
	if (is_tested(check->dev))
		return;
	if (nr_devs == MAX_DEVS)
		errx(1, "too many devices");
	devs[nr_devs++] = check->dev;
}

void load_looks(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	const char *at, *end;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	at = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		err(1, "%s", path);
	for (end = at + st.st_size; at < end;) {
		const struct page_check *check = (const void *)at;

		add_look(check);
		at += sizeof(*check) + check->nr * 8ULL;
	}
	if (at != end)
		errx(1, "%s is cut off", path);
}
