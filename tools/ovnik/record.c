// SPDX-License-Identifier: GPL-2.0-only
/* "ovnik record" and "ovnik snapshot". */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "child.h"
#include "lock.h"
#include "record.h"
#include "recording.h"
#include "refs/switch.h"
#include "system.h"
#include "unsupported.h"
#include "util/msg.h"

/* How often to look for CPUs that have come online; at least as often as readers look. */
#define TICK_MS		100
#define PROGRESS_MS	1000

static void show_progress(u64 elapsed_ms, u64 *before)
{
	u64 recorded, bytes, lost;

	if (control_read_u64("recorded", &recorded) || control_read_u64("bytes", &bytes) ||
	    control_read_u64("lost", &lost))
		return;
	fprintf(stderr, "\r\033[K%6.1f s  %9llu events/s  %8.1f MiB  %llu lost",
		elapsed_ms / 1000.0, (recorded - *before) * 1000 / PROGRESS_MS,
		bytes / 1048576.0, lost);
	*before = recorded;
}

static bool is_the_end(const struct signalfd_siginfo *info, struct child *child, char **command)
{
	if (info->ssi_signo == SIGCHLD)
		return child_ended(child, command ? command[0] : NULL);
	if (!child->pid || child->signaled)
		return true;
	/* Record until the command ends; a second signal stops at once. */
	child_signal(child, info);
	return false;
}

/* Start the threads of readers from number @from on, except those that failed to open. */
static int start_readers(struct recording *recording, int from, int ended, bool started)
{
	int i, error, ret = 0;

	for (i = from; i < recording->nr; i++) {
		struct reader *reader = &recording->readers[i];

		if (reader->error)
			continue;
		reader->started = started;
		error = reader_map(reader);
		if (!error)
			error = reader_start(reader, ended);
		/* While the thread runs, only it may set this. */
		if (error)
			reader->error = error;
		ret = ret ? ret : error;
	}
	return ret;
}

/* finish_readers() returns the errors; recording goes on for the other CPUs. */
static void follow_cpus(struct recording *recording, int ended)
{
	int from = recording->nr;

	recording_follow(recording);
	start_readers(recording, from, ended, true);
}

static u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

/* The time is over. COMMAND may end by itself, as after a signal. */
static bool ends_with_time(struct child *child)
{
	if (!child->pid || child->signaled)
		return true;
	child_terminate(child);
	return false;
}

/* Wait for a signal, the end of COMMAND or of the time, or a reader that ends the recording. */
static void wait_for_end(struct recording *recording, struct child *child, u64 duration,
			 int signals, int ended)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = ended, .events = POLLIN },
		{ .fd = mounts_fd(&recording->mounts), .events = POLLPRI },
	};
	bool progress = !recording->quiet && isatty(STDERR_FILENO);
	struct signalfd_siginfo info;
	u64 elapsed = 0, recorded = 0, now = now_ms(), tick = now + TICK_MS;
	u64 end = duration ? now + duration : ~0ULL, next;

	for (;; now = now_ms()) {
		next = tick < end ? tick : end;
		poll(fds, ARRAY_SIZE(fds), now < next ? (int)(next - now) : 0);
		if (fds[1].revents)
			break;
		/* What is used now may be unmounted before the end. Once a tick: it is long. */
		if (fds[2].revents) {
			mounts_look(&recording->mounts);
			fds[2].fd = -1;
		}
		if (fds[0].revents && read(signals, &info, sizeof(info)) == sizeof(info) &&
		    is_the_end(&info, child, recording->command))
			break;
		if (now_ms() >= end) {
			if (ends_with_time(child))
				break;
			end = ~0ULL;
		}
		if (now_ms() < tick)
			continue;
		tick = now_ms() + TICK_MS;
		fds[2].fd = mounts_fd(&recording->mounts);
		follow_cpus(recording, ended);
		elapsed += TICK_MS;
		if (progress && elapsed % PROGRESS_MS == 0)
			show_progress(elapsed, &recorded);
	}
	if (progress && elapsed >= PROGRESS_MS)
		fputc('\n', stderr);
}

static int finish_readers(struct recording *recording)
{
	int i, ret = 0;

	for (i = 0; i < recording->nr; i++) {
		reader_finish(&recording->readers[i]);
		if (recording->readers[i].error)
			ret = recording->readers[i].error;
	}
	return ret;
}

/* The readers run already: the statedump at the start is large. */
static int start(struct recording *recording, bool *on)
{
	int i, ret;

	ret = recording_anchor(recording);
	if (!ret)
		ret = control_start();
	if (ret)
		return ret;
	*on = true;
	recording->began = system_clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < recording->nr; i++)
		__atomic_store_n(&recording->readers[i].started, true, __ATOMIC_RELEASE);
	/* References are logged only while events are recorded. */
	if (recording->refs)
		refs_on();
	return 0;
}

/* Stop, read the rest and describe the capture, also after an error. */
static int finish(struct recording *recording, int ended)
{
	int from = recording->nr;
	int ret, error;

	if (recording->refs)
		refs_off();
	recording->length = system_clock_ns(CLOCK_MONOTONIC) - recording->began;
	ret = backend->write("enable", "0");
	recording->stopped = !ret;
	/* A CPU may have come and gone between two looks. */
	error = recording_complete(recording);
	ret = ret ? ret : error;
	start_readers(recording, from, ended, true);
	error = finish_readers(recording);
	ret = ret ? ret : error;
	error = recording_anchor(recording);
	ret = ret ? ret : error;
	error = recording_describe(recording);
	return ret ? ret : error;
}

/* Run the capture; its files are open and its signals blocked. */
static int run(struct recording *recording, struct child *child, u64 duration, int signals,
	       int ended)
{
	bool on = false;
	int ret, error;

	ret = start_readers(recording, 0, ended, false);
	if (!ret)
		ret = start(recording, &on);
	if (!on) {
		finish_readers(recording);
		return ret;
	}
	if (!ret && child->pid)
		ret = child_go(child);
	if (!ret)
		wait_for_end(recording, child, duration, signals, ended);
	error = finish(recording, ended);
	ret = ret ? ret : error;
	return ret ? ret : child->error;
}

static int interrupted(void)
{
	msg_error("interrupted before anything was recorded");
	return -EINTR;
}

/* @status: is set to the command's */
static int prepare_and_run(struct recording *recording, const struct record_options *options,
			   const struct signals *signals, int *status)
{
	struct child child = CHILD_NONE;
	int fd, ended, ret = 0;
	char pid[16];

	fd = signals_open(signals);
	ended = eventfd(0, EFD_CLOEXEC);
	if (fd < 0 || ended < 0) {
		msg_error("signalfd, eventfd: %s", strerror(errno));
		return -errno;
	}
	if (recording->command || options->work)
		ret = child_prepare(&child, recording->command, options->work, signals);
	/* One that came before would not have ended the child. */
	if (!ret && signals_pending(signals))
		ret = interrupted();
	if (!ret && options->follow) {
		snprintf(pid, sizeof(pid), "%d", child.pid);
		ret = backend->write("filter_pid", pid);
	}
	if (!ret)
		ret = run(recording, &child, options->duration, fd, ended);
	*status = child.status;
	close(ended);
	close(fd);
	return ret;
}

static int record_into(const struct record_options *options, const struct signals *signals)
{
	struct recording recording;
	int ret, status = 0;

	ret = recording_open(&recording);
	recording.witness = true;
	recording.command = options->command;
	recording.quiet = options->quiet;
	recording.refs = options->settings.refs;
	if (!ret)
		ret = recording_create(&recording, options->dir);
	if (!ret)
		ret = prepare_and_run(&recording, options, signals, &status);
	if (ret)
		ret = EXIT_FAILED;
	else if (!options->quiet)
		ret = recording_report(&recording, options->strict);
	recording_close(&recording);
	return ret != EXIT_FAILED && status ? status : ret;
}

/* Sizes cannot change while the data files are open. */
static int prepare(const struct settings *settings, const struct signals *signals)
{
	int ret = control_prepare(settings);

	return ret || !signals_pending(signals) ? ret : interrupted();
}

/**
 * record() - Record until COMMAND ends, a signal comes or the time is over.
 * @options: what to record, and where
 *
 * Return: the exit status.
 */
int record(const struct record_options *options)
{
	const struct settings *settings = &options->settings;
	struct signals signals;
	int ret;

	if (control_must_be_idle())
		return EXIT_FAILED;
	/* From here on, a signal must not skip the cleanup. */
	signals_block(&signals);
	ret = EXIT_FAILED;
	if (!prepare(settings, &signals))
		ret = record_into(options, &signals);
	/* Otherwise the filter would apply to the next capture, too. */
	if ((settings->pids || options->follow) && lock_is_held() &&
	    backend->write("filter_pid", ""))
		ret = EXIT_FAILED;
	if (settings->owner && lock_is_held() && backend->write("owner", ""))
		ret = EXIT_FAILED;
	if (settings->refs_tree && lock_is_held() && backend->write("refs", "off"))
		ret = EXIT_FAILED;
	if (options->lacks)
		*options->lacks = unsupported();
	backend->end();
	return ret;
}

/* All CPUs must be of this capture: another program might stop it and start a new one. */
static int note_session(struct recording *recording)
{
	u64 session;
	int i, ret = control_read_u64("session", &session);

	for (i = 0; !ret && i < recording->nr; i++)
		recording->readers[i].session = session;
	return ret;
}

/* A ring that was found empty may be that of a newer capture. */
static int check_session(struct recording *recording)
{
	u64 session;
	int ret = control_read_u64("session", &session);

	if (ret || session == recording->readers[0].session)
		return ret;
	msg_error("another capture was started meanwhile");
	return -ESTALE;
}

/* In discard mode, data can be read once: do not replace the capture by an empty one. */
static int check_left(struct recording *recording)
{
	u64 recorded;
	int i, ret;

	if (recording->overwrite)
		return 0;
	recording->rest = true;
	ret = control_read_u64("recorded", &recorded);
	if (ret || !recorded)
		return ret;
	for (i = 0; i < recording->nr; i++) {
		if (reader_has_data(&recording->readers[i]))
			return 0;
	}
	msg_error("this capture has already been read%s",
		  recording->stopped ? "" : ", and nothing was recorded since");
	return -ENODATA;
}

/*
 * Data taken from the buffers exists only in the files, so describe it, also after an error
 * or an interrupt.
 */
static int copy_all(struct recording *recording, const struct signals *signals)
{
	bool interrupted = false;
	int i, error, ret = 0;

	for (i = 0; !ret && !interrupted && i < recording->nr; i++) {
		interrupted = signals_pending(signals);
		if (!interrupted)
			ret = reader_copy_all(&recording->readers[i]);
	}
	if (!ret)
		ret = check_session(recording);
	error = recording_anchor(recording);
	if (!error)
		error = recording_describe(recording);
	ret = ret ? ret : error;
	if (ret || !interrupted)
		return ret;
	msg_error("interrupted: the rest is still in the buffers");
	return -EINTR;
}

/**
 * snapshot() - Write the current contents of the rings; a running capture goes on.
 * @dir:    the capture directory
 * @strict: losses are a status of their own
 * @ended:  this process has ended a capture that was running
 *
 * Return: the exit status.
 */
int snapshot(const char *dir, bool strict, bool ended)
{
	struct recording recording;
	struct signals signals;
	int ret, running;

	running = control_running();
	if (running < 0)
		return EXIT_FAILED;
	ret = recording_open(&recording);
	recording.stopped = !running;
	recording.witness = running || ended;
	if (!ret)
		ret = recording_complete(&recording);
	if (!ret)
		ret = backend->write("snapshot", "1");
	if (!ret)
		ret = note_session(&recording);
	if (!ret)
		ret = check_left(&recording);
	signals_block(&signals);
	if (!ret)
		ret = recording_create(&recording, dir);
	if (!ret)
		ret = copy_all(&recording, &signals);
	ret = ret ? EXIT_FAILED : recording_report(&recording, strict);
	recording_close(&recording);
	return ret;
}
