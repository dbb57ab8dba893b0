// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a CPU's ring: by a thread through the map while a capture runs, or by
 * read() for a snapshot. Each sub-buffer gets its checksum on the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

#include "control.h"
#include "reader.h"
#include "util/msg.h"

/* How late a stop is noticed when nothing is recorded. */
#define POLL_MS		100

/* How often to look again while no capture runs. */
#define HANGUP_US	2000

/**
 * reader_open() - Open a CPU's data file.
 * @reader: is filled in; reader_close() undoes it, also after a failure
 * @cpu:    the CPU
 *
 * Return: 0; a negative errno, which has been reported.
 */
int reader_open(struct reader *reader, unsigned int cpu)
{
	char path[64];
	int ret;

	memset(reader, 0, sizeof(*reader));
	reader->cpu = cpu;
	reader->out = -1;
	snprintf(path, sizeof(path), "/dev/ovnik/cpu%u", cpu);
	reader->in = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (reader->in < 0) {
		ret = -errno;
		msg_error("%s: %s", path,
			  ret == -EBUSY ? "somebody else reads it" : strerror(-ret));
		if (ret == -ENOMEM)
			control_tell_memory();
		return ret;
	}
	return 0;
}

/**
 * reader_create() - Make the file that a CPU's data go to.
 * @reader: opened
 * @dir:    path of the capture directory, for messages
 * @dir_fd: the same, open; there is no file of this name in it
 *
 * Return: 0; a negative errno, which has been reported.
 */
int reader_create(struct reader *reader, const char *dir, int dir_fd)
{
	if (asprintf(&reader->path, "%s/cpu%u.ovk", dir, reader->cpu) < 0) {
		reader->path = NULL;
		return -ENOMEM;
	}
	reader->out = openat(dir_fd, strrchr(reader->path, '/') + 1,
			     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (reader->out < 0) {
		msg_error("%s: %s", reader->path, strerror(errno));
		return -errno;
	}
	return 0;
}

/**
 * reader_close() - Give back what reader_open() and reader_map() took.
 * @reader: the reader; its thread has ended
 */
void reader_close(struct reader *reader)
{
	if (reader->data)
		munmap((void *)reader->data, reader->size);
	if (reader->control)
		munmap((void *)reader->control, OVNIK_MAP_DATA);
	if (reader->in >= 0)
		close(reader->in);
	if (reader->out >= 0)
		close(reader->out);
	free(reader->path);
}

/**
 * reader_map() - Map the ring.
 * @reader: opened
 *
 * Return: 0; a negative errno, which has been reported.
 */
int reader_map(struct reader *reader)
{
	void *map;

	map = mmap(NULL, OVNIK_MAP_DATA, PROT_READ | PROT_WRITE, MAP_SHARED, reader->in, 0);
	if (map == MAP_FAILED)
		goto err;
	reader->control = map;
	reader->size = (size_t)reader->control->nr_subbufs * reader->control->subbuf_size;
	map = mmap(NULL, reader->size, PROT_READ, MAP_SHARED, reader->in, OVNIK_MAP_DATA);
	if (map == MAP_FAILED)
		goto err;
	reader->data = map;
	return 0;
err:
	msg_error("/dev/ovnik/cpu%u: map: %s", reader->cpu, strerror(errno));
	return -errno;
}

static const u32 *counts_of(const struct ovnik_subbuf *sb)
{
	return (const u32 *)&sb->lost[OVNIK_NR_EVENTS];
}

/* All of it or nothing: half a sub-buffer at the end would be damage. */
static int write_whole(struct reader *reader, struct iovec *iov, size_t len)
{
	off_t start = reader->bytes;
	size_t done = 0;
	int i = 0;

	while (done < len) {
		ssize_t n = pwritev(reader->out, iov + i, 2 - i, start + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int ret = n ? -errno : -ENOSPC;

			msg_error("%s: offset %lld: %s", reader->path,
				  (long long)start, strerror(-ret));
			if (ftruncate(reader->out, start))
				msg_error("%s: cannot be cut to %lld bytes: %s", reader->path,
					  (long long)start, strerror(errno));
			return ret;
		}
		done += n;
		for (; i < 2 && (size_t)n >= iov[i].iov_len; i++)
			n -= iov[i].iov_len;
		if (i < 2) {
			iov[i].iov_base = (char *)iov[i].iov_base + n;
			iov[i].iov_len -= n;
		}
	}
	return 0;
}

static int write_subbuf(struct reader *reader, const struct ovnik_subbuf *sb)
{
	char header[OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS)];
	struct ovnik_subbuf *copy = (struct ovnik_subbuf *)header;
	size_t body = sb->used - sizeof(header);
	struct iovec iov[2] = {
		{ header, sizeof(header) },
		{ (char *)sb + sizeof(header), body },
	};
	unsigned int i;
	uLong crc;
	int ret;

	memcpy(header, sb, sizeof(header));
	copy->flags |= OVNIK_SB_CRC;
	copy->crc = 0;
	crc = crc32(crc32(0, NULL, 0), (const Bytef *)header, sizeof(header));
	copy->crc = crc32(crc, iov[1].iov_base, body);

	ret = write_whole(reader, iov, sb->used);
	if (ret)
		return ret;
	if (!reader->subbufs)
		reader->first = sb->seq;
	reader->bytes += sb->used;
	reader->subbufs++;
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		reader->count[i] += counts_of(sb)[i];
		reader->lost[i] = sb->lost[i];
	}
	return 0;
}

/* All of one capture? Somebody might stop ours and start another. */
static int check_session(struct reader *reader, const struct ovnik_subbuf *sb)
{
	if (!reader->subbufs)
		reader->session = sb->session;
	if (sb->session == reader->session)
		return 0;
	msg_error("/dev/ovnik/cpu%u: another capture was started meanwhile", reader->cpu);
	return -ESTALE;
}

/* Write every sub-buffer that is complete. */
static int drain(struct reader *reader)
{
	volatile struct ovnik_control *control = reader->control;
	u64 seq = control->tail;
	int ret;

	while (seq < __atomic_load_n(&control->head, __ATOMIC_ACQUIRE)) {
		const struct ovnik_subbuf *sb = reader->data +
			(size_t)(seq % control->nr_subbufs) * control->subbuf_size;

		if (__atomic_load_n(&sb->committed, __ATOMIC_ACQUIRE) != sb->used)
			break;
		ret = check_session(reader, sb);
		if (!ret)
			ret = write_subbuf(reader, sb);
		if (ret)
			return ret;
		seq++;
		__atomic_store_n(&control->tail, seq, __ATOMIC_RELEASE);
	}
	return 0;
}

/* A reader must not disturb the CPU that it reads, if there is another one. */
static void run_elsewhere(unsigned int cpu)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	CPU_CLR(cpu, &set);
	if (CPU_COUNT(&set))
		sched_setaffinity(0, sizeof(set), &set);
}

/* Let the main thread end the recording. */
static void tell_main(struct reader *reader)
{
	u64 one = 1;

	if (write(reader->ended, &one, sizeof(one)) < 0)
		msg_error("eventfd: %s", strerror(errno));
}

/*
 * Wait for data. The module hangs up when no capture runs: before it has
 * started, which is no news, or after somebody else has stopped it.
 */
static void wait_for_data(struct reader *reader)
{
	bool started = __atomic_load_n(&reader->started, __ATOMIC_ACQUIRE);
	struct pollfd pfd = { .fd = reader->in, .events = POLLIN };

	poll(&pfd, 1, POLL_MS);
	if (!(pfd.revents & POLLHUP))
		return;
	if (started)
		tell_main(reader);
	usleep(HANGUP_US);
}

static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	bool last;

	run_elsewhere(reader->cpu);
	do {
		/* Asked before draining: after the stop nothing more comes. */
		last = __atomic_load_n(&reader->stop, __ATOMIC_ACQUIRE);
		reader->error = drain(reader);
		if (reader->error) {
			tell_main(reader);
			return NULL;
		}
		if (!last)
			wait_for_data(reader);
	} while (!last);
	return NULL;
}

/**
 * reader_start() - Start the thread.
 * @reader: mapped
 * @ended:  an eventfd to be written when the thread cannot go on, or when somebody
 *	    else has stopped the capture
 *
 * Return: 0; a negative errno, which has been reported.
 */
int reader_start(struct reader *reader, int ended)
{
	int ret;

	reader->ended = ended;
	ret = pthread_create(&reader->thread, NULL, reader_main, reader);
	if (ret)
		msg_error("reader of CPU %u: %s", reader->cpu, strerror(ret));
	reader->running = !ret;
	return -ret;
}

/**
 * reader_finish() - Let the thread, if there is one, bring the rest; wait for it.
 * @reader: the reader; the capture has stopped
 */
void reader_finish(struct reader *reader)
{
	if (!reader->running)
		return;
	reader->running = false;
	__atomic_store_n(&reader->stop, true, __ATOMIC_RELEASE);
	pthread_join(reader->thread, NULL);
}

/* Read @len bytes. Return: 1; 0 at the end; a negative errno. */
static int read_whole(struct reader *reader, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(reader->in, (char *)buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (!n || (n < 0 && errno == EAGAIN && !done))
			return 0;
		if (n < 0)
			return -errno;
		done += n;
	}
	return 1;
}

static int read_subbuf(struct reader *reader, struct ovnik_subbuf *sb)
{
	const size_t header = OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS);
	int ret = read_whole(reader, sb, header);

	if (ret <= 0)
		return ret;
	if (sb->header_size != header || sb->used < header || sb->used > OVNIK_SUBBUF_MAX)
		return -EPROTO;
	return read_whole(reader, (char *)sb + header, sb->used - header);
}

/**
 * reader_has_data() - Is there a sub-buffer to be read?
 * @reader: opened; also one that could not be opened
 *
 * Return: true if there is one.
 */
bool reader_has_data(const struct reader *reader)
{
	struct pollfd pfd = { .fd = reader->in, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLIN);
}

/**
 * reader_copy_all() - Copy what the ring holds now, without a thread.
 * @reader: opened, not mapped
 *
 * Return: 0; a negative errno, which has been reported.
 */
int reader_copy_all(struct reader *reader)
{
	struct ovnik_subbuf *sb = malloc(OVNIK_SUBBUF_MAX);
	int ret;

	if (!sb)
		return -ENOMEM;
	while ((ret = read_subbuf(reader, sb)) > 0) {
		ret = write_subbuf(reader, sb);
		if (ret)
			goto out_free;	/* reported there */
	}
	if (ret)
		msg_error("/dev/ovnik/cpu%u: %s", reader->cpu, strerror(-ret));
out_free:
	free(sb);
	return ret;
}
