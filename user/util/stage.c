// SPDX-License-Identifier: GPL-2.0-only
/* Outputs are written beside their place and renamed: see stage.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/below.h"
#include "util/empty.h"
#include "util/ending.h"
#include "util/msg.h"
#include "util/rights.h"
#include "util/stage.h"

#define REMOVE_TRIES	100	/* while the main thread makes new files */
#define REMOVE_WAIT	10000	/* us */

/* The stage in use, for the thread; held while it is renamed or removed. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct stage *current;
static bool watched;
/* What the thread waits for. */
static sigset_t ending;
/* The thread has begun. */
static pthread_barrier_t begun;

/* The directory itself stays: it is locked. */
static int empty(int stage)
{
	int fd = below_sub(stage, ".");

	return fd < 0 ? -errno : empty_dir(fd);
}

/* It fails if there are other files in it. */
static void unmake(const struct stage *s)
{
	if (s->made)
		unlinkat(s->way.up, s->way.name, AT_REMOVEDIR);
}

static void drop(const struct stage *s)
{
	int tries;

	for (tries = 0; tries < REMOVE_TRIES; tries++) {
		if (!empty(s->lock) && !unlinkat(s->dir.fd, STAGE_NAME, AT_REMOVEDIR))
			break;
		usleep(REMOVE_WAIT);
	}
	unmake(s);
}

/* Wait for a signal that ends the program, clean up, and let it end the program. */
static void *watch(void *arg)
{
	int sig;

	(void)arg;
	pthread_barrier_wait(&begun);
	while (sigwait(&ending, &sig))
		continue;
	/* Kept, so that nothing is renamed any more. */
	pthread_mutex_lock(&mutex);
	/* What the others then cannot write is no failure. */
	msg_end();
	if (current)
		drop(current);
	pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
	raise(sig);
	return NULL;
}

static int watch_signals(void)
{
	pthread_t thread;
	int ret;

	if (watched)
		return 0;
	ending_signals(&ending);
	pthread_sigmask(SIG_BLOCK, &ending, NULL);
	pthread_barrier_init(&begun, NULL, 2);
	ret = pthread_create(&thread, NULL, watch, NULL);
	if (ret) {
		pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
		return report_error("thread", "cannot start", ret);
	}
	pthread_detach(thread);
	/* A child that is forked keeps what a thread has locked, such as an allocator, to begin. */
	pthread_barrier_wait(&begun);
	watched = true;
	return 0;
}

static int make_dir(struct stage *s, const char *dir)
{
	struct stat st;
	int ret;

	ret = below_find(&s->way, dir, true);
	if (ret)
		return ret;
	s->made = !mkdirat(s->way.up, s->way.name, 0700);
	if (!s->made && errno != EEXIST)
		return report_error(dir, "cannot make this directory", errno);
	if (fstatat(s->way.up, s->way.name, &st, AT_SYMLINK_NOFOLLOW))
		return report_error(dir, "cannot use this directory", errno);
	if (S_ISDIR(st.st_mode))
		return below_open(&s->dir, &s->way, dir);
	msg_error("%s: is a file: name a directory for the outputs (-o)", dir);
	return -ENOTDIR;
}

/*
 * Nobody else may have made what is found, nor make files in it. Root believes only what a killed
 * run may have left: the owner of the directory can give its name to another directory of root's.
 */
static bool is_mine(const struct stat *st, bool made)
{
	if (st->st_uid != geteuid())
		return false;
	return geteuid() || !(st->st_mode & (made ? 0022 : 0077));
}

static int take(struct stage *s, const struct stat *st, bool made)
{
	if (!is_mine(st, made)) {
		msg_error("%s/" STAGE_NAME ": another user has made it, or can use it: remove it, or choose another directory",
			  s->dir.path);
		return -EPERM;
	}
	s->group = st->st_gid;
	rights_inherit_none(s->lock);
	/* Where modes cannot be changed, they are what they are. */
	if (st->st_mode & 0077)
		fchmod(s->lock, 0700 | (st->st_mode & S_ISGID));
	return 0;
}

static int open_locked(struct stage *s)
{
	bool made = !mkdirat(s->dir.fd, STAGE_NAME, 0700);
	struct stat st;

	if (!made && errno != EEXIST)
		return report_error(s->dir.path, "cannot write into this directory", errno);
	s->lock = below_sub(s->dir.fd, STAGE_NAME);
	if (s->lock < 0)
		return report_error(s->dir.path, "cannot use " STAGE_NAME " in it", errno);
	if (flock(s->lock, LOCK_EX | LOCK_NB) || fstat(s->lock, &st) || !st.st_nlink)
		return report_error(s->dir.path, "another run is writing into this directory",
				    EBUSY);
	return take(s, &st, made);
}

static int name_it(struct stage *s)
{
	s->path = below_path(s->lock);
	if (!s->path)
		return msg_no_memory();
	if (access(s->path, X_OK))
		return report_error(s->dir.path, "cannot be used without /proc", errno);
	msg_call(s->path, s->dir.path);
	return 0;
}

/* What is made, the thread can remove. */
static int make(struct stage *s, const char *dir)
{
	int ret;

	ret = make_dir(s, dir);
	if (!ret)
		ret = open_locked(s);
	if (ret)
		return ret;
	/* A killed run left it. */
	ret = empty(s->lock);
	if (ret)
		report_error(dir, "cannot empty " STAGE_NAME " in it", -ret);
	else
		ret = name_it(s);
	if (ret)
		unlinkat(s->dir.fd, STAGE_NAME, AT_REMOVEDIR);
	else
		current = s;
	return ret;
}

static void close_all(struct stage *s)
{
	if (s->lock >= 0)
		close(s->lock);
	if (s->dir.fd >= 0)
		close(s->dir.fd);
	below_lose(&s->way);
	free(s->path);
	s->path = NULL;
}

int stage_begin(struct stage *s, const char *dir)
{
	int ret;

	*s = (struct stage){ .way.up = -1, .dir.fd = -1, .lock = -1 };
	ret = watch_signals();
	if (!ret) {
		pthread_mutex_lock(&mutex);
		ret = make(s, dir);
		pthread_mutex_unlock(&mutex);
	}
	if (!ret)
		return 0;
	/* Not if it has become another run's. */
	unmake(s);
	close_all(s);
	return ret;
}

static int move_all(int from, int to, const char *path);

static bool is_dir(int at, const char *name)
{
	struct stat st;

	return !fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static int move_in(int from, int to, const char *name, const char *path)
{
	int source = below_sub(from, name), target = below_sub(to, name), ret;

	if (source < 0 || target < 0)
		ret = report_error(path, "cannot use a directory in it", errno);
	else
		ret = move_all(source, target, path);
	if (source >= 0)
		close(source);
	if (target >= 0)
		close(target);
	return ret;
}

static int move_one(int from, int to, const char *name, const char *path)
{
	if (is_dir(from, name) && is_dir(to, name))
		return move_in(from, to, name, path);
	if (!renameat(from, name, to, name))
		return 0;
	msg_error("%s: cannot write %s: %s", path, name, strerror(errno));
	return -errno;
}

static int move_all(int from, int to, const char *path)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = below_read(from);
	if (!dir)
		return report_error(path, "cannot use this directory", errno);
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			ret = move_one(from, to, entry->d_name, path);
	}
	closedir(dir);
	return ret;
}

int stage_made_of(const struct stage *s, const char *path)
{
	int ret;

	rights_of(path, s->group);
	ret = s->made ? rights_apply(s->dir.fd, 0777) : 0;
	return ret ? report_error(s->dir.path, "cannot set the permissions", -ret) : 0;
}

int stage_commit(struct stage *s)
{
	int ret;

	pthread_mutex_lock(&mutex);
	ret = move_all(s->lock, s->dir.fd, s->dir.path);
	if (!ret)
		s->made = false;
	pthread_mutex_unlock(&mutex);
	return ret;
}

void stage_end(struct stage *s)
{
	if (!s->path)
		return;
	pthread_mutex_lock(&mutex);
	current = NULL;
	drop(s);
	pthread_mutex_unlock(&mutex);
	close_all(s);
}
