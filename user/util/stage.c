// SPDX-License-Identifier: GPL-2.0-only
/* Outputs are written beside their place and renamed: see stage.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/empty.h"
#include "util/msg.h"
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
static int empty(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : empty_dir(fd);
}

static void drop(const struct stage *s)
{
	int tries;

	for (tries = 0; tries < REMOVE_TRIES; tries++) {
		if (!empty(s->path) && !rmdir(s->path))
			break;
		usleep(REMOVE_WAIT);
	}
	/* rmdir() fails if there are other files in it. */
	if (s->made)
		rmdir(s->dir);
}

/* The signals that would end the program: not those that are ignored, as by nohup. */
static void find_ending(sigset_t *set)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	unsigned int i;

	sigemptyset(set);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler == SIG_DFL)
			sigaddset(set, signals[i]);
	}
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
	find_ending(&ending);
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

static int make_dir(struct stage *s)
{
	struct stat st;

	s->made = !mkdir(s->dir, 0777);
	if (s->made)
		return 0;
	if (errno != EEXIST)
		return report_error(s->dir, "cannot make this directory", errno);
	if (stat(s->dir, &st))
		return report_error(s->dir, "cannot use this directory", errno);
	if (S_ISDIR(st.st_mode))
		return 0;
	msg_error("%s: is a file: name a directory for the outputs (-o)", s->dir);
	return -ENOTDIR;
}

static int open_locked(struct stage *s)
{
	struct stat st;

	if (mkdir(s->path, 0777) && errno != EEXIST)
		return report_error(s->path, "cannot make this directory", errno);
	s->lock = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->lock < 0)
		return report_error(s->path, "cannot use this directory", errno);
	if (flock(s->lock, LOCK_EX | LOCK_NB) || fstat(s->lock, &st) || !st.st_nlink)
		return report_error(s->dir, "another run is writing into this directory", EBUSY);
	return 0;
}

/* What is made, the thread can remove. */
static int make(struct stage *s)
{
	int ret;

	ret = make_dir(s);
	if (!ret)
		ret = open_locked(s);
	if (ret)
		return ret;
	/* A killed run left it. */
	ret = empty(s->path);
	if (ret)
		return report_error(s->path, "cannot empty this directory", -ret);
	current = s;
	return 0;
}

int stage_begin(struct stage *s, const char *dir)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->dir = dir;
	s->lock = -1;
	if (asprintf(&s->path, "%s/" STAGE_NAME, dir) < 0) {
		s->path = NULL;
		return msg_no_memory();
	}
	ret = watch_signals();
	if (!ret) {
		pthread_mutex_lock(&mutex);
		ret = make(s);
		pthread_mutex_unlock(&mutex);
	}
	if (!ret)
		return 0;
	if (s->lock >= 0)
		close(s->lock);
	/* Not if it has become another run's. */
	if (s->made)
		rmdir(dir);
	free(s->path);
	s->path = NULL;
	return ret;
}

static int move_all(const char *from, const char *to);

static int move_one(const char *from, const char *to)
{
	struct stat st, old;

	if (!lstat(from, &st) && S_ISDIR(st.st_mode) && !lstat(to, &old) && S_ISDIR(old.st_mode))
		return move_all(from, to);
	return rename(from, to) ? report_error(to, "cannot write", errno) : 0;
}

static int move_all(const char *from, const char *to)
{
	char source[PATH_MAX], target[PATH_MAX];
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = opendir(from);
	if (!dir)
		return report_error(from, "cannot use this directory", errno);
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(source, PATH_MAX, "%s/%s", from, entry->d_name) >= PATH_MAX ||
		    snprintf(target, PATH_MAX, "%s/%s", to, entry->d_name) >= PATH_MAX)
			ret = report_error(from, "cannot move what is in it", ENAMETOOLONG);
		else
			ret = move_one(source, target);
	}
	closedir(dir);
	return ret;
}

int stage_commit(struct stage *s)
{
	int ret;

	pthread_mutex_lock(&mutex);
	ret = move_all(s->path, s->dir);
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
	close(s->lock);
	free(s->path);
	s->path = NULL;
}
