/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZFILE_H
#define OVNIK_SELFTESTS_FUZZFILE_H

/* Files in memory that are damaged at random. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

/**
 * struct fuzz_file - A file.
 * @name: below the directory of the case
 * @data: what is in it
 * @len: its length
 */
struct fuzz_file {
	char name[256];
	u8 *data;
	size_t len;
};

/**
 * struct fuzz_style - How files are damaged.
 * @values: numbers that are written over others
 * @nr_values: how many
 * @cut: one in so many cuts is made
 * @other: does something to @n bytes, all of them in the file
 */
struct fuzz_style {
	const u64 *values;
	u32 nr_values;
	u32 cut;
	void (*other)(struct fuzz_file *f, size_t at, size_t n);
};

static inline void fuzz_read(struct fuzz_file *f, const char *path, const char *name)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->len = st.st_size;
	f->data = malloc(f->len + 1);
	if (!f->data || read(fd, f->data, f->len) != (ssize_t)f->len)
		die(path);
	close(fd);
}

static inline struct fuzz_file fuzz_copy(const struct fuzz_file *f)
{
	struct fuzz_file copy = *f;

	copy.data = malloc(copy.len + 1);
	if (!copy.data)
		die("malloc");
	memcpy(copy.data, f->data, f->len);
	return copy;
}

/* Into @dir; frees the data. */
static inline void fuzz_write(struct fuzz_file *f, const char *dir)
{
	char path[8192];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, f->name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, f->data, f->len) != (ssize_t)f->len)
		die(path);
	close(fd);
	free(f->data);
}

static inline void fuzz_overwrite(struct fuzz_file *f, const struct fuzz_style *style, size_t at)
{
	u64 value = style->values[draw(style->nr_values)];
	size_t size = (size_t)1 << draw(4);

	if (at + size <= f->len)
		memcpy(f->data + at, &value, size);
}

/* Does something to @n bytes from @at, which is in the file. */
static inline void fuzz_damage(struct fuzz_file *f, const struct fuzz_style *style, size_t at,
			       size_t n)
{
	if (n > f->len - at)
		n = f->len - at;
	switch (draw(6)) {
	case 0:
		f->data[at] ^= 1 << draw(8);
		break;
	case 1:
		fuzz_overwrite(f, style, at);
		break;
	case 2:
		style->other(f, at, n);
		break;
	case 3:
		memmove(f->data + at, f->data + at + n, f->len - at - n);
		f->len -= n;
		break;
	case 4:
		if (!draw(style->cut))
			f->len = at;
		break;
	case 5:
		memmove(f->data + at, f->data + draw(f->len - n + 1), n);
		break;
	}
}

#endif /* OVNIK_SELFTESTS_FUZZFILE_H */
