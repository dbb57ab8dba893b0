// SPDX-License-Identifier: GPL-2.0-only
/* Names of C++ functions: see demangle.h. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <demangle.h>

#include "xray/demangle.h"

#define DEMANGLE_LENGTH_MAX	4096	/* libiberty takes some 200 bytes of the stack for each */
#define TIME_MAX_MS	5000	/* for all names of a binary; most take microseconds */
/* The stack has enough for DEMANGLE_LENGTH_MAX. */
#define OPTIONS		(DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT)

/**
 * struct text - A name while it is written.
 * @to: room for it
 * @room: bytes at @to
 * @used: bytes that are written
 * @end: where it goes on when there is no more room, or time
 */
struct text {
	char *to;
	size_t room;
	size_t used;
	sigjmp_buf end;
};

/* That of this thread; NULL: none. */
static __thread struct text * volatile current;
/* What is left of the time. */
static struct timespec budget;

#define FULL	1
#define LATE	2

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif

/*
 * libiberty cannot be told to stop. But it takes no memory except for the variables of its
 * functions, so nothing is lost if a jump leaves them.
 */
static void put(const char *part, size_t len, void *opaque)
{
	struct text *text = opaque;
	size_t left = text->room - text->used;

	if (len > left)
		len = left;
	memcpy(text->to + text->used, part, len);
	text->used += len;
	if (text->used == text->room)
		siglongjmp(text->end, FULL);
}

static void on_late(int sig)
{
	(void)sig;
	if (current)
		siglongjmp(current->end, LATE);
}

/* libiberty may also work on a name for years and give put() nothing. */
static int limit_time(timer_t *timer)
{
	const struct itimerspec most = { .it_value = budget };
	struct sigaction action = { .sa_handler = on_late };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM,
		.sigev_notify_thread_id = syscall(SYS_gettid),
	};

	if (sigaction(SIGVTALRM, &action, NULL) ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer))
		return -1;
	return timer_settime(*timer, 0, &most, NULL);
}

/* A signal that comes after this has returned must not jump into it: @current is NULL then. */
static size_t write_name(const char *name, struct text *text)
{
	volatile size_t used = 0;

	switch (sigsetjmp(text->end, 1)) {
	case 0:
		current = text;
		if (cplus_demangle_v3_callback(name, OPTIONS, put, text))
			used = text->used;
		break;
	case FULL:
		used = text->room;
		break;
	}
	current = NULL;
	return used;
}

/* The next name gets the time that is left on this timer: none if it has expired. */
static void keep_time(timer_t timer)
{
	struct itimerspec now = { 0 };

	timer_gettime(timer, &now);
	budget = now.it_value;
	timer_delete(timer);
}

void demangle_begin(void)
{
	budget.tv_sec = TIME_MAX_MS / 1000;
	budget.tv_nsec = TIME_MAX_MS % 1000 * 1000000;
}

size_t demangle(const char *name, char *to, size_t room)
{
	struct text text = { .to = to, .room = room };
	timer_t timer;
	size_t used;

	if (strncmp(name, "_Z", 2) || strnlen(name, DEMANGLE_LENGTH_MAX + 1) > DEMANGLE_LENGTH_MAX)
		return 0;
	if (!(budget.tv_sec || budget.tv_nsec) || limit_time(&timer))
		return 0;
	used = write_name(name, &text);
	keep_time(timer);
	return used;
}
