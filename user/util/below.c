// SPDX-License-Identifier: GPL-2.0-only
/* To write below a directory that others may touch: see below.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/below.h"
#include "util/msg.h"

#define LINKS_MAX	40		/* as the kernel */
#define OWN_DESCRIPTORS	"/proc/self/fd/"
/* Only to look up what is in it. O_DIRECTORY: what is mounted when it is needed is mounted. */
#define OPEN_WAY	(O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static bool trust_all;

void below_trust_all(void)
{
	trust_all = true;
}

/**
 * struct walk - A path on the way.
 * @way: so far; @name is not looked up yet
 * @rest: of the path, with what links have put in front
 * @links: followed so far
 * @path: as it was given
 * @link: go where the last link leads
 */
struct walk {
	struct below_way *way;
	char rest[PATH_MAX];
	unsigned int links;
	const char *path;
	bool link;
};

static unsigned long number_in(const char *variable)
{
	const char *text = getenv(variable);

	return text ? strtoul(text, NULL, 10) : 0;
}

/* Root by sudo does what that user wants. Who can set it for root needs no other way. */
static bool is_ours(uid_t uid)
{
	return !uid || uid == geteuid() || uid == number_in("SUDO_UID");
}

/* A group that only this user is in. */
static bool is_own_group(gid_t gid)
{
	return !gid || (gid == number_in("SUDO_GID") && gid == number_in("SUDO_UID"));
}

static bool is_shared(const struct stat *st)
{
	if (!S_ISDIR(st->st_mode) || st->st_mode & S_ISVTX)
		return false;
	return st->st_mode & 0002 || (st->st_mode & 0020 && !is_own_group(st->st_gid));
}

/* May what is looked up in there, or a link, be believed? */
static bool is_trusted(const struct stat *st)
{
	return geteuid() || trust_all || (is_ours(st->st_uid) && !is_shared(st));
}

static int refuse(const char *path, const char *what, const struct stat *st)
{
	if (!is_ours(st->st_uid))
		msg_error("%s: not written as root: %s is owned by user %u, who could redirect the output. Run as that user, choose another directory, or use --trust-dir",
			  path, what, st->st_uid);
	else if (st->st_mode & 0002)
		msg_error("%s: not written as root: every user can write to %s, and could redirect the output. Choose another directory, or use --trust-dir",
			  path, what);
	else
		msg_error("%s: not written as root: group %u can write to %s, and could redirect the output. Choose another directory, or use --trust-dir",
			  path, st->st_gid, what);
	return -EPERM;
}

/* Its name, for messages. */
static void find_name(char name[PATH_MAX], int fd)
{
	char *path = below_path(fd);
	ssize_t len = path ? readlink(path, name, PATH_MAX - 1) : -1;

	if (len >= 0)
		name[len] = '\0';
	else
		strcpy(name, "a directory on the way");
	free(path);
}

int below_check(const char *path, const char *what, const struct stat *st)
{
	return is_trusted(st) ? 0 : refuse(path, what, st);
}

int below_check_dir(const char *path, int fd)
{
	char name[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st))
		return report_error(path, "cannot use this directory", errno);
	if (is_trusted(&st))
		return 0;
	find_name(name, fd);
	return refuse(path, name, &st);
}

/* Directories on the way are not made: a word misspelt would make more of them. */
static int no_way(const struct walk *w, int error)
{
	const char *name = w->way->name;

	if (error == ENOENT)
		msg_error("%s: cannot use this directory: there is no directory %s on the way to it: make it first (mkdir -p)",
			  w->path, name);
	else
		msg_error("%s: cannot use this directory: %s on the way to it is a file", w->path,
			  name);
	return -error;
}

static int fail(const struct walk *w, int error)
{
	return report_error(w->path, "cannot use this directory", error);
}

/* Take the next name off the path. Return: it was the last one. */
static bool next_name(struct walk *w)
{
	size_t skip = strspn(w->rest, "/"), len = strcspn(w->rest + skip, "/"), end;

	end = skip + len;
	memcpy(w->way->name, w->rest + skip, len);
	w->way->name[len] = '\0';
	end += strspn(w->rest + end, "/");
	memmove(w->rest, w->rest + end, strlen(w->rest + end) + 1);
	return !*w->rest;
}

/* Of a path, or of what a link has put in front of it. */
static int begin(struct walk *w)
{
	int fd = open(*w->rest == '/' ? "/" : ".", OPEN_WAY);

	if (fd < 0)
		return fail(w, errno);
	if (w->way->up >= 0)
		close(w->way->up);
	w->way->up = fd;
	return 0;
}

/* Put what a link says in front of the rest. */
static int follow(struct walk *w, bool last)
{
	struct below_way *way = w->way;
	char to[PATH_MAX], rest[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (fstatat(way->up, way->name, &st, AT_SYMLINK_NOFOLLOW))
		return fail(w, errno);
	if (!S_ISLNK(st.st_mode))
		return last ? fail(w, ENOTDIR) : no_way(w, ENOTDIR);
	if (!is_trusted(&st)) {
		snprintf(to, sizeof(to), "the symbolic link %s", way->name);
		return refuse(w->path, to, &st);
	}
	len = readlinkat(way->up, way->name, to, sizeof(to) - 1);
	if (len < 0)
		return fail(w, errno);
	to[len] = '\0';
	if (++w->links > LINKS_MAX)
		return fail(w, ELOOP);
	if (snprintf(rest, sizeof(rest), "%s%s%s", to, last ? "" : "/", w->rest) >=
	    (int)sizeof(rest))
		return fail(w, ENAMETOOLONG);
	memcpy(w->rest, rest, sizeof(rest));
	return *to == '/' ? begin(w) : 0;
}

static bool is_link(const struct below_way *way)
{
	struct stat st;

	return !fstatat(way->up, way->name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode);
}

static int enter(struct walk *w)
{
	struct below_way *way = w->way;
	int fd = openat(way->up, way->name, OPEN_WAY);

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return follow(w, false);
	if (fd < 0 && errno == ENOENT)
		return no_way(w, ENOENT);
	if (fd < 0)
		return fail(w, errno);
	close(way->up);
	way->up = fd;
	return 0;
}

/* A descriptor, and a name in it. */
static bool is_below_own(const char *path)
{
	const size_t len = strlen(OWN_DESCRIPTORS);

	return !strncmp(path, OWN_DESCRIPTORS, len) && strchr(path + len, '/');
}

/* A path of below_path(): the kernel, not its text, says where it leads. */
static int find_own(struct walk *w)
{
	char *slash = strrchr(w->rest, '/');

	if (strlen(slash + 1) > NAME_MAX)
		return fail(w, ENAMETOOLONG);
	memcpy(w->way->name, slash + 1, strlen(slash + 1) + 1);
	*slash = '\0';
	w->way->up = open(w->rest, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->way->up < 0 ? fail(w, errno) : 0;
}

static int walk(struct walk *w)
{
	bool last;
	int ret;

	ret = begin(w);
	while (!ret) {
		ret = below_check_dir(w->path, w->way->up);
		if (ret)
			break;
		if (strcspn(w->rest + strspn(w->rest, "/"), "/") > NAME_MAX)
			return fail(w, ENAMETOOLONG);
		last = next_name(w);
		if (last && !*w->way->name)
			strcpy(w->way->name, ".");
		if (last && !(w->link && is_link(w->way)))
			break;
		ret = last ? follow(w, true) : enter(w);
	}
	return ret;
}

int below_find(struct below_way *way, const char *path, bool link)
{
	struct walk w = { .way = way, .path = path, .link = link };

	way->up = -1;
	if (!*path)
		return fail(&w, ENOENT);
	if (snprintf(w.rest, sizeof(w.rest), "%s", path) >= (int)sizeof(w.rest))
		return fail(&w, ENAMETOOLONG);
	if (is_below_own(path))
		return find_own(&w);
	return walk(&w);
}

void below_lose(struct below_way *way)
{
	if (way->up >= 0)
		close(way->up);
	way->up = -1;
}

int below_open(struct below *dir, const struct below_way *way, const char *path)
{
	int ret;

	dir->path = path;
	dir->fd = openat(way->up, way->name, OPEN_DIR);
	if (dir->fd < 0)
		return report_error(path, "cannot use this directory", errno);
	ret = below_check_dir(path, dir->fd);
	if (!ret)
		return 0;
	close(dir->fd);
	dir->fd = -1;
	return ret;
}

int below_sub(int at, const char *name)
{
	char one[NAME_MAX + 1];
	int fd = at, next;

	do {
		size_t len = strcspn(name, "/");

		errno = ENAMETOOLONG;
		next = -1;
		if (len < sizeof(one)) {
			memcpy(one, name, len);
			one[len] = '\0';
			next = openat(fd, one, OPEN_DIR);
		}
		if (fd != at)
			close(fd);
		fd = next;
		name += len + (name[len] == '/');
	} while (fd >= 0 && *name);
	/* What a link gives differs from kernel to kernel. */
	if (fd < 0 && errno == ELOOP)
		errno = ENOTDIR;
	return fd;
}

DIR *below_read(int at)
{
	int fd = openat(at, ".", OPEN_DIR), error;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir || fd < 0)
		return dir;
	error = errno;
	close(fd);
	errno = error;
	return NULL;
}

char *below_path(int fd)
{
	char *path;

	return asprintf(&path, OWN_DESCRIPTORS "%d", fd) < 0 ? NULL : path;
}

int below_report(const struct below *dir, const char *name, const char *what, int error)
{
	msg_error("%s/%s: %s: %s", dir->path, name, what, strerror(error));
	return -error;
}
