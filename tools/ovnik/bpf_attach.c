// SPDX-License-Identifier: GPL-2.0-only
/* Attach the loaded probes, run their iterators, pin them. */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf_load.h"
#include "unsupported.h"
#include "util/msg.h"

static int attach(struct bpf_program *program)
{
	const struct program *row = bpf_row_of(program);
	struct bpf_link *link = bpf_program__attach(program);
	int error = errno;
	char reason[256];

	bpf_set.programs[bpf_set.nr] = program;
	bpf_set.links[bpf_set.nr++] = link;
	if (link)
		return 0;
	if (error == EBUSY && row->way == NOT_BY_KPROBE)
		return -EBUSY;
	snprintf(reason, sizeof(reason),
		 "the kernel does not attach the probe %s (%s); the module may work", row->name,
		 strerror(error));
	unsupported_add(row->events, "%s", reason);
	return 0;
}

static int attach_all(void)
{
	struct bpf_program *program;
	int ret = 0;

	bpf_set.links = calloc(bpf_set.nr + 1, sizeof(*bpf_set.links));
	bpf_set.programs = calloc(bpf_set.nr + 1, sizeof(*bpf_set.programs));
	if (!bpf_set.links || !bpf_set.programs)
		return -ENOMEM;
	bpf_set.nr = 0;
	bpf_object__for_each_program(program, bpf_set.object) {
		if (!ret && bpf_program__autoload(program))
			ret = attach(program);
	}
	return ret;
}

static struct bpf_link *link_of(const char *name)
{
	int i;

	for (i = 0; i < bpf_set.nr; i++) {
		if (!strcmp(bpf_program__name(bpf_set.programs[i]), name))
			return bpf_set.links[i];
	}
	return NULL;
}

static int open_pinned(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), BPF_PINS "/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * Read an iterator to its end, @step bytes at a time, and close it. The programs return a byte
 * for each object, and the kernel EAGAIN after a million without one. It takes the lock of
 * each address space and may block for ever, so SIGQUIT stays unblocked.
 */
static int run_iterator(int fd, size_t step, int (*after)(void))
{
	sigset_t quit, before;
	char text[4096];
	ssize_t len;
	int ret = 0;

	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	pthread_sigmask(SIG_UNBLOCK, &quit, &before);
	do {
		len = read(fd, text, step < sizeof(text) ? step : sizeof(text));
		if (len < 0 && errno != EAGAIN && errno != EINTR)
			ret = -errno;
		else if (after)
			ret = after();
	} while (!ret && len);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(fd);
	return ret;
}

/**
 * bpf_probes_iterate() - Run an iterator to its end.
 * @name: name of the program
 * @step: objects after which @after is called
 * @after: called after each step, or NULL; its error ends the iteration
 *
 * Return: 0, also if there is no such program; a negative errno, which has been reported.
 */
int bpf_probes_iterate(const char *name, size_t step, int (*after)(void))
{
	struct bpf_link *link = link_of(name);
	int fd, ret;

	if (!probes.pinned && !link)
		return 0;
	fd = probes.pinned ? open_pinned(name) : bpf_iter_create(bpf_link__fd(link));
	if (fd < 0 && probes.pinned && errno == ENOENT)
		return 0;
	ret = fd < 0 ? -errno : run_iterator(fd, step, after);
	if (ret)
		msg_error("%s%s: %s", probes.pinned ? BPF_PINS "/" : "", name, strerror(-ret));
	return ret;
}

/**
 * bpf_probes_learn() - Find out the kernel's address constants, and which variables are known.
 * @events: bit n: event number n is to be recorded; those that need what is not known are marked
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_probes_learn(u64 events)
{
	int ret = bpf_probes_iterate("ovnik_constants", SIZE_MAX, NULL);
	u64 vmemmap, page_offset;

	if (ret)
		return ret;
	bpf_check_symbols(events, probes.config->symbols);
	if (probes.config->vmemmap && probes.config->page_offset)
		return 0;
	if (!bpf_kcore_bases(&vmemmap, &page_offset)) {
		bpf_lack_frames(events);
		return 0;
	}
	probes.config->vmemmap = vmemmap;
	probes.config->page_offset = page_offset;
	return 0;
}

/**
 * bpf_probes_attach() - Attach the loaded probes; nothing is recorded yet.
 * @settings: settings of the capture
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_probes_attach(const struct bpf_settings *settings)
{
	int ret = attach_all();

	if (ret == -EBUSY && !bpf_set.by_kprobe) {
		/* Our module, or another program, is around a function: use kprobes there. */
		bpf_probes_unload();
		bpf_set.by_kprobe = true;
		ret = bpf_probes_load(settings);
		if (ret)
			return ret;
		ret = attach_all();
	}
	if (ret) {
		msg_error("the probes cannot be attached: %s", strerror(-ret));
		return ret;
	}
	/* If nothing could be attached, nor was what tells. */
	if (~unsupported())
		ret = bpf_probes_learn(settings->events);
	return ret ? ret : unsupported_report();
}

/**
 * bpf_probes_pin() - Keep the probes after this program ends.
 *
 * Return: 0; a negative errno, which has been reported; nothing is pinned then.
 */
int bpf_probes_pin(void)
{
	char path[128];
	int i, ret;

	if (probes.pinned)
		return 0;
	if (mkdir(BPF_PINS, 0700)) {
		ret = -errno;
		/* The directory is not ours: remove nothing. */
		msg_error(BPF_PINS ": %s%s", strerror(-ret), ret == -ENOENT || ret == -EPERM ?
			  "; is a bpf file system mounted at /sys/fs/bpf?" : "");
		return ret;
	}
	/* Maps first: where there is a link, all maps are there. */
	ret = bpf_object__pin_maps(bpf_set.object, BPF_MAPS);
	for (i = 0; !ret && i < bpf_set.nr; i++) {
		snprintf(path, sizeof(path), BPF_PINS "/%s",
			 bpf_program__name(bpf_set.programs[i]));
		if (bpf_set.links[i])
			ret = bpf_link__pin(bpf_set.links[i], path);
	}
	if (!ret)
		return 0;
	msg_error(BPF_PINS ": %s", strerror(-ret));
	bpf_pins_remove();
	return ret;
}

/**
 * bpf_probes_each() - Call a function for each loaded program.
 * @fn: gets its name and a file descriptor
 */
void bpf_probes_each(void (*fn)(const char *name, int fd))
{
	int i;

	for (i = 0; i < bpf_set.nr; i++)
		fn(bpf_program__name(bpf_set.programs[i]), bpf_program__fd(bpf_set.programs[i]));
}
