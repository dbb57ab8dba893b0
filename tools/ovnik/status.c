// SPDX-License-Identifier: GPL-2.0-only
/* "ovnik status". */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend.h"
#include "capture/events.h"
#include "lock.h"
#include "status.h"
#include "system.h"
#include "text.h"

/* Seconds since the capture was started, which its number says; 0 if nobody knows. */
static double seconds_since(u64 session)
{
	u64 now = system_clock_ns(CLOCK_REALTIME);

	return session && session < now ? (now - session) / 1e9 : 0;
}

static void print_start(u64 session, bool running)
{
	time_t seconds = session / 1000000000;
	char text[64];
	struct tm tm;

	printf("%-16s %s\n", "recording", running ? "yes" : "no");
	if (!session || !localtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%F %T", &tm))
		return;
	printf("%-16s %s", "started", text);
	if (running)
		printf(" (%.1f s ago)", seconds_since(session));
	putchar('\n');
}

static void print_reader(bool running)
{
	pid_t holder = lock_holder(backend->name);
	char mode[CONTROL_TEXT], text[LOCK_TEXT];

	printf("%-16s ", "reader");
	if (holder > 0 || holder == -ESRCH) {
		lock_describe(holder, text);
		puts(text);
	} else if (holder) {
		puts("not known: only those who may record may look");
	} else if (!running) {
		puts("none");
	} else if (!backend->read("mode", mode) && !strcmp(mode, "overwrite")) {
		puts("none (flight recorder)");
	} else {
		puts("none: it has ended, or there was none");
	}
}

static int print_setting(const char *name)
{
	char text[CONTROL_TEXT];
	int ret = backend->read(name, text);

	if (!ret)
		printf("%-16s %s\n", name, text);
	return ret;
}

static int print_settings(void)
{
	static const char *const names[] = {
		"enable", "mode", "buffer_size", "subbuf_size", "filter_pid", "filter_children",
		"owner",
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(names); i++)
		ret = print_setting(names[i]);
	return ret;
}

static int print_figures(u64 session, bool running)
{
	double seconds = seconds_since(session);
	u64 recorded, lost, bytes;
	char size[SIZE_TEXT];
	int ret;

	ret = control_read_u64("recorded", &recorded) ?: control_read_u64("lost", &lost) ?:
	      control_read_u64("bytes", &bytes);
	if (ret)
		return ret;
	printf("%-16s %llu\n", "recorded", recorded);
	printf("%-16s %llu\n", "lost", lost);
	printf("%-16s %llu (%s)\n", "bytes", bytes, size_text(bytes, size));
	if (running && seconds > 0)
		printf("%-16s %.0f events/s since the start\n", "rate", recorded / seconds);
	return 0;
}

static int print_event(const char *name)
{
	u64 on, recorded, lost;
	char path[64];

	snprintf(path, sizeof(path), "events/%s/enable", name);
	if (control_read_u64(path, &on))
		return -1;
	snprintf(path, sizeof(path), "events/%s/recorded", name);
	if (control_read_u64(path, &recorded))
		return -1;
	snprintf(path, sizeof(path), "events/%s/lost", name);
	if (control_read_u64(path, &lost))
		return -1;
	printf("%-18s %-3s %14llu %12llu\n", name, on ? "on" : "off", recorded, lost);
	return 0;
}

static int print_events(void)
{
	unsigned int i;

	printf("\n%-18s %-3s %14s %12s\n", "event", "", "recorded", "lost");
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name && print_event(event_table[i].name))
			return -1;
	}
	return 0;
}

/* A reader writes into its own directory; what nobody reads can be saved. */
static void print_next(u64 session, bool running)
{
	if (!session || lock_holder(backend->name))
		return;
	if (running)
		printf("\nnext: \"%s snapshot -o DIR\" saves what the buffers hold, \"%s stop -o DIR\" ends it, too\n",
		       program_text(), program_text());
	else
		printf("\nnext: \"%s snapshot -o DIR\" saves what the buffers still hold\n",
		       program_text());
}

/**
 * status_holder() - Which program records with BPF probes that are not pinned?
 *
 * Return: its PID; 0 if there is none, the back end is another one, or this user may not know.
 */
pid_t status_holder(void)
{
	pid_t holder = backend == &backend_bpf && !backend->present() ? lock_holder("bpf") : 0;

	return holder > 0 ? holder : 0;
}

/* Such probes are known only to the program that loaded them. */
static int print_holder(pid_t holder)
{
	char text[LOCK_TEXT];

	printf("%-16s %s\n", "back end", backend->name);
	printf("%-16s %s\n", "recording", "yes");
	lock_describe(holder, text);
	printf("%-16s %s; its probes are not pinned, so only it knows what they have recorded\n",
	       "reader", text);
	return EXIT_OK;
}

/**
 * status() - Print what a back end does.
 *
 * Return: the exit status.
 */
int status(void)
{
	pid_t holder = status_holder();
	int running;
	u64 session;

	if (holder)
		return print_holder(holder);
	if (control_must_be_there() || backend->check())
		return EXIT_FAILED;
	running = control_running();
	if (running < 0 || control_read_u64("session", &session))
		return EXIT_FAILED;
	printf("%-16s %s\n", "back end", backend->name);
	print_start(session, running);
	print_reader(running);
	if (print_settings() || print_figures(session, running) || print_events())
		return EXIT_FAILED;
	print_next(session, running);
	return EXIT_OK;
}
