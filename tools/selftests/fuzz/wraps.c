// SPDX-License-Identifier: GPL-2.0-only
/* libc's functions on files, as the linker sees them: those of memfs.h first. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memfs_priv.h"

#define DIRS	16

/* Declares what the linker calls instead, and what it calls then. */
#define WRAP(type, name, args)				\
	type __real_##name args;			\
	type __wrap_##name args;			\
	type __wrap_##name args

/* As libc answers: 0, or -1 with errno. */
static int answer(int ret)
{
	if (!ret)
		return 0;
	errno = -ret;
	return -1;
}

static int open_at(int dirfd, const char *path, int flags, int *fd)
{
	char full[MEMFS_PATH_MAX];

	if (!memfs_path(dirfd, path, full))
		return false;
	*fd = memfs_open(full, flags);
	if (*fd < 0)
		*fd = answer(*fd);
	return true;
}

WRAP(int, open, (const char *path, int flags, ...))
{
	mode_t mode = 0;
	va_list ap;
	int fd;

	if (open_at(AT_FDCWD, path, flags, &fd))
		return fd;
	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return __real_open(path, flags, mode);
}

WRAP(int, openat, (int dirfd, const char *path, int flags, ...))
{
	mode_t mode = 0;
	va_list ap;
	int fd;

	if (open_at(dirfd, path, flags, &fd))
		return fd;
	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return __real_openat(dirfd, path, flags, mode);
}

WRAP(int, mkstemp, (char *template))
{
	char *x = template + strlen(template) - 6;
	unsigned int i;
	int fd;

	if (!memfs_is(template))
		return __real_mkstemp(template);
	for (i = 0; i < 100000; i++) {
		snprintf(x, 7, "%06u", i);
		open_at(AT_FDCWD, template, O_RDWR | O_CREAT | O_EXCL, &fd);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

WRAP(int, mkostemp, (char *template, int flags))
{
	return memfs_is(template) ? __wrap_mkstemp(template) : __real_mkostemp(template, flags);
}

WRAP(int, close, (int fd))
{
	if (!memfs_file(fd))
		return __real_close(fd);
	memfs_close(fd);
	return 0;
}

static ssize_t get(const struct memfs_node *node, void *buf, size_t len, u64 at)
{
	if (at >= node->len)
		return 0;
	if (len > node->len - at)
		len = node->len - at;
	memcpy(buf, node->data + at, len);
	return len;
}

static ssize_t put(struct memfs_node *node, const void *buf, size_t len, u64 at)
{
	int ret = at + len > node->len ? memfs_resize(node, at + len) : 0;

	if (ret)
		return answer(ret);
	if (len)
		memcpy(node->data + at, buf, len);
	return len;
}

WRAP(ssize_t, pread, (int fd, void *buf, size_t len, off_t at))
{
	struct memfs_file *file = memfs_file(fd);

	return file ? get(file->node, buf, len, at) : __real_pread(fd, buf, len, at);
}

WRAP(ssize_t, read, (int fd, void *buf, size_t len))
{
	struct memfs_file *file = memfs_file(fd);
	ssize_t got;

	if (!file)
		return __real_read(fd, buf, len);
	got = get(file->node, buf, len, file->pos);
	file->pos += got;
	return got;
}

WRAP(ssize_t, pwrite, (int fd, const void *buf, size_t len, off_t at))
{
	struct memfs_file *file = memfs_file(fd);

	return file ? put(file->node, buf, len, at) : __real_pwrite(fd, buf, len, at);
}

WRAP(ssize_t, write, (int fd, const void *buf, size_t len))
{
	struct memfs_file *file = memfs_file(fd);
	ssize_t did;

	if (!file)
		return __real_write(fd, buf, len);
	if (file->flags & O_APPEND)
		file->pos = file->node->len;
	did = put(file->node, buf, len, file->pos);
	if (did > 0)
		file->pos += did;
	return did;
}

WRAP(off_t, lseek, (int fd, off_t offset, int whence))
{
	struct memfs_file *file = memfs_file(fd);

	if (!file)
		return __real_lseek(fd, offset, whence);
	if (whence == SEEK_DATA || whence == SEEK_HOLE) {
		if ((u64)offset >= file->node->len)
			return answer(-ENXIO);
		return whence == SEEK_DATA ? offset : (off_t)file->node->len;
	}
	if (whence == SEEK_CUR)
		offset += file->pos;
	if (whence == SEEK_END)
		offset += file->node->len;
	if (offset < 0)
		return answer(-EINVAL);
	file->pos = offset;
	return offset;
}

WRAP(int, ftruncate, (int fd, off_t len))
{
	struct memfs_file *file = memfs_file(fd);

	return file ? answer(memfs_resize(file->node, len)) : __real_ftruncate(fd, len);
}

WRAP(int, fsync, (int fd))
{
	return memfs_file(fd) ? 0 : __real_fsync(fd);
}

WRAP(int, fdatasync, (int fd))
{
	return memfs_file(fd) ? 0 : __real_fdatasync(fd);
}

WRAP(int, fchmod, (int fd, mode_t mode))
{
	return memfs_file(fd) ? 0 : __real_fchmod(fd, mode);
}

WRAP(int, fstat, (int fd, struct stat *st))
{
	struct memfs_file *file = memfs_file(fd);

	if (!file)
		return __real_fstat(fd, st);
	memfs_stat(file->node, st);
	return 0;
}

static int stat_at(const char *full, struct stat *st)
{
	const struct memfs_node *node = memfs_find(full);

	if (!node)
		return answer(-ENOENT);
	memfs_stat(node, st);
	return 0;
}

WRAP(int, stat, (const char *path, struct stat *st))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(AT_FDCWD, path, full) ? stat_at(full, st) : __real_stat(path, st);
}

WRAP(int, lstat, (const char *path, struct stat *st))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(AT_FDCWD, path, full) ? stat_at(full, st) : __real_lstat(path, st);
}

WRAP(int, fstatat, (int dirfd, const char *path, struct stat *st, int flags))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(dirfd, path, full) ? stat_at(full, st) :
	       __real_fstatat(dirfd, path, st, flags);
}

WRAP(int, access, (const char *path, int mode))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(AT_FDCWD, path, full) ? answer(memfs_find(full) ? 0 : -ENOENT) :
	       __real_access(path, mode);
}

WRAP(int, faccessat, (int dirfd, const char *path, int mode, int flags))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(dirfd, path, full) ? answer(memfs_find(full) ? 0 : -ENOENT) :
	       __real_faccessat(dirfd, path, mode, flags);
}

WRAP(int, unlink, (const char *path))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(AT_FDCWD, path, full) ? answer(memfs_remove(full, false)) :
	       __real_unlink(path);
}

WRAP(int, unlinkat, (int dirfd, const char *path, int flags))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(dirfd, path, full) ? answer(memfs_remove(full, flags & AT_REMOVEDIR)) :
	       __real_unlinkat(dirfd, path, flags);
}

WRAP(int, rmdir, (const char *path))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(AT_FDCWD, path, full) ? answer(memfs_remove(full, true)) :
	       __real_rmdir(path);
}

WRAP(int, remove, (const char *path))
{
	const struct memfs_node *node;
	char full[MEMFS_PATH_MAX];

	if (!memfs_path(AT_FDCWD, path, full))
		return __real_remove(path);
	node = memfs_find(full);
	return answer(memfs_remove(full, node && node->dir));
}

/* Depth first, as FTW_DEPTH has it. */
static int walk(const struct memfs_node *node, __nftw_func_t fn, int level)
{
	char path[MEMFS_PATH_MAX];
	struct FTW at = { .level = level };
	const struct memfs_node *child;
	unsigned int i = ~0U;
	struct stat st;
	int ret = 0;

	strcpy(path, node->path);
	at.base = strrchr(path, '/') + 1 - path;
	memfs_stat(node, &st);
	while (!ret && S_ISDIR(st.st_mode) && (child = memfs_child(path, &i)))
		ret = walk(child, fn, level + 1);
	return ret ? ret : fn(path, &st, S_ISDIR(st.st_mode) ? FTW_DP : FTW_F, &at);
}

WRAP(int, nftw, (const char *path, __nftw_func_t fn, int fds, int flags))
{
	const struct memfs_node *node;
	char full[MEMFS_PATH_MAX];

	if (!memfs_path(AT_FDCWD, path, full))
		return __real_nftw(path, fn, fds, flags);
	node = memfs_find(full);
	return node ? walk(node, fn, 0) : answer(-ENOENT);
}

WRAP(int, mkdir, (const char *path, mode_t mode))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(AT_FDCWD, path, full) ? answer(memfs_make(full, true, NULL)) :
	       __real_mkdir(path, mode);
}

WRAP(int, mkdirat, (int dirfd, const char *path, mode_t mode))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(dirfd, path, full) ? answer(memfs_make(full, true, NULL)) :
	       __real_mkdirat(dirfd, path, mode);
}

WRAP(int, renameat2, (int olddir, const char *old, int newdir, const char *new, unsigned int flags))
{
	char from[MEMFS_PATH_MAX], to[MEMFS_PATH_MAX];

	if (!memfs_path(olddir, old, from) || !memfs_path(newdir, new, to))
		return __real_renameat2(olddir, old, newdir, new, flags);
	return answer(memfs_rename(from, to, !(flags & RENAME_NOREPLACE)));
}

WRAP(int, renameat, (int olddir, const char *old, int newdir, const char *new))
{
	return __wrap_renameat2(olddir, old, newdir, new, 0);
}

WRAP(int, rename, (const char *old, const char *new))
{
	return __wrap_renameat2(AT_FDCWD, old, AT_FDCWD, new, 0);
}

/* There are no links. */
WRAP(ssize_t, readlinkat, (int dirfd, const char *path, char *to, size_t len))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(dirfd, path, full) ? answer(memfs_find(full) ? -EINVAL : -ENOENT) :
	       __real_readlinkat(dirfd, path, to, len);
}

WRAP(ssize_t, readlink, (const char *path, char *to, size_t len))
{
	char full[MEMFS_PATH_MAX];

	return memfs_path(AT_FDCWD, path, full) ? answer(memfs_find(full) ? -EINVAL : -ENOENT) :
	       __real_readlink(path, to, len);
}

WRAP(char *, realpath, (const char *path, char *resolved))
{
	char full[MEMFS_PATH_MAX];

	if (!memfs_path(AT_FDCWD, path, full))
		return __real_realpath(path, resolved);
	if (!memfs_find(full)) {
		errno = ENOENT;
		return NULL;
	}
	return resolved ? strcpy(resolved, full) : strdup(full);
}

/* Directories being read. */
static struct dir {
	bool used;
	int fd;
	unsigned int at;
	struct dirent entry;
} dirs[DIRS];

static struct dir *ours(DIR *dir)
{
	struct dir *d = (struct dir *)dir;

	return d >= dirs && d < dirs + DIRS ? d : NULL;
}

static DIR *read_dir(int fd)
{
	unsigned int i = 0;

	while (i < DIRS && dirs[i].used)
		i++;
	if (i == DIRS)
		abort();
	dirs[i] = (struct dir){ .used = true, .fd = fd, .at = ~0U };
	return (DIR *)&dirs[i];
}

WRAP(DIR *, opendir, (const char *path))
{
	int fd;

	if (!open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, &fd))
		return __real_opendir(path);
	return fd < 0 ? NULL : read_dir(fd);
}

WRAP(DIR *, fdopendir, (int fd))
{
	return memfs_file(fd) ? read_dir(fd) : __real_fdopendir(fd);
}

WRAP(struct dirent *, readdir, (DIR *dir))
{
	const struct memfs_node *node;
	struct dir *d = ours(dir);

	if (!d)
		return __real_readdir(dir);
	node = memfs_child(memfs_file(d->fd)->node->path, &d->at);
	if (!node)
		return NULL;
	d->entry.d_type = node->dir ? DT_DIR : DT_REG;
	d->entry.d_ino = node->ino;
	snprintf(d->entry.d_name, sizeof(d->entry.d_name), "%s", strrchr(node->path, '/') + 1);
	return &d->entry;
}

WRAP(int, closedir, (DIR *dir))
{
	struct dir *d = ours(dir);

	if (!d)
		return __real_closedir(dir);
	d->used = false;
	memfs_close(d->fd);
	return 0;
}

WRAP(int, dirfd, (DIR *dir))
{
	struct dir *d = ours(dir);

	return d ? d->fd : __real_dirfd(dir);
}

static ssize_t stream_read(void *cookie, char *buf, size_t len)
{
	return __wrap_read((int)(long)cookie, buf, len);
}

static ssize_t stream_write(void *cookie, const char *buf, size_t len)
{
	ssize_t did = __wrap_write((int)(long)cookie, buf, len);

	return did < 0 ? 0 : did;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
	*offset = __wrap_lseek((int)(long)cookie, *offset, whence);
	return *offset < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
	return __wrap_close((int)(long)cookie);
}

static const cookie_io_functions_t stream = {
	.read = stream_read, .write = stream_write, .seek = stream_seek, .close = stream_close,
};

WRAP(FILE *, fdopen, (int fd, const char *mode))
{
	return memfs_file(fd) ? fopencookie((void *)(long)fd, mode, stream) :
	       __real_fdopen(fd, mode);
}

WRAP(FILE *, fopen, (const char *path, const char *mode))
{
	int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, fd;

	if (strchr(mode, 'x'))
		flags |= O_EXCL;
	if (!open_at(AT_FDCWD, path, flags, &fd))
		return __real_fopen(path, mode);
	return fd < 0 ? NULL : fopencookie((void *)(long)fd, mode[0] == 'r' ? "r" : "w", stream);
}
