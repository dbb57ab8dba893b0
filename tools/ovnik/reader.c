// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a CPU's ring: in a thread while a capture runs, or at once for a snapshot. Adds the
 * checksum to each sub-buffer.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

#include "backend.h"
#include "control.h"
#include "reader.h"
#include "util/msg.h"

/**
 * reader_open() - Open a CPU's ring.
 * @reader: is filled in; reader_close() undoes it, also after a failure
 * @cpu:    the CPU
 * @dump:   read the statedump instead; no CPU has the number @cpu
 *
 * Return: 0; a negative errno, which has been reported.
 */
int reader_open(struct reader *reader, unsigned int cpu, bool dump)
{
	int ret;

	memset(reader, 0, sizeof(*reader));
	reader->source = backend->source;
	reader->cpu = cpu;
	reader->dump = dump;
	reader->in = -1;
	reader->out = -1;
	ret = reader->source->open(reader);
	if (ret == -ENOMEM)
		control_report_memory();
	return ret;
}

/**
 * reader_file() - The name of the file for a CPU's data.
 * @reader: opened
 * @name:   is set
 *
 * Return: @name.
 */
const char *reader_file(const struct reader *reader, char name[READER_NAME])
{
	if (reader->dump)
		snprintf(name, READER_NAME, DUMP_FILE);
	else
		snprintf(name, READER_NAME, "cpu%u.ovk", reader->cpu);
	return name;
}

/**
 * reader_create() - Create the file for a CPU's data.
 * @reader: opened
 * @dir:    path of the capture directory, for messages
 * @dir_fd: its file descriptor; it has no file of this name
 *
 * Return: 0; a negative errno, which has been reported.
 */
int reader_create(struct reader *reader, const char *dir, int dir_fd)
{
	char name[READER_NAME];

	if (asprintf(&reader->path, "%s/%s", dir, reader_file(reader, name)) < 0) {
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
 * reader_close() - Undo reader_open() and reader_map().
 * @reader: the reader; its thread has ended
 */
void reader_close(struct reader *reader)
{
	reader->source->close(reader);
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
	return reader->source->map(reader);
}

static const u32 *counts_of(const struct ovnik_subbuf *sb)
{
	return (const u32 *)&sb->lost[OVNIK_NR_EVENTS];
}

/* Write all or nothing: half a sub-buffer at the end would damage the file. */
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
				msg_error("%s: cannot truncate to %lld bytes: %s", reader->path,
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

static void count_subbuf(struct reader *reader, const struct ovnik_subbuf *sb)
{
	bool follows = reader->subbufs && sb->seq == reader->last + 1;
	int i;

	if (!reader->subbufs)
		reader->first = sb->seq;
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		reader->count[i] += counts_of(sb)[i];
		/* That of BPF probes that run is off by what is being written. */
		if (follows && sb->lost[i] > reader->lost[i])
			reader->dropped += sb->lost[i] - reader->lost[i];
		reader->lost[i] = sb->lost[i];
	}
	reader->last = sb->seq;
	reader->subbufs++;
	reader->bytes += sb->used;
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
	count_subbuf(reader, sb);
	return 0;
}

/* Another program might stop this capture and start a new one. */
static int check_session(struct reader *reader, const struct ovnik_subbuf *sb)
{
	if (!reader->session)
		reader->session = sb->session;
	if (sb->session == reader->session)
		return 0;
	msg_error("CPU %u: another capture was started meanwhile", reader->cpu);
	return -ESTALE;
}

/* Write every sub-buffer that is complete. */
static int drain(struct reader *reader)
{
	const struct ovnik_subbuf *sb;
	int ret = 0;

	while (!ret && (sb = reader->source->next(reader, &ret))) {
		ret = check_session(reader, sb);
		if (!ret)
			ret = write_subbuf(reader, sb);
		if (!ret)
			reader->source->release(reader);
	}
	return ret;
}

/* If there is another CPU, a reader must not disturb the one that it reads. */
static void run_elsewhere(unsigned int cpu)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	CPU_CLR(cpu, &set);
	if (CPU_COUNT(&set))
		sched_setaffinity(0, sizeof(set), &set);
}

/* Make the main thread end the recording. */
static void wake_main(struct reader *reader)
{
	u64 one = 1;

	if (write(reader->ended, &one, sizeof(one)) < 0)
		msg_error("eventfd: %s", strerror(errno));
}

/*
 * Wait for data. If no capture runs, either it has not started yet, or another program has
 * stopped it.
 */
static void wait_for_data(struct reader *reader)
{
	bool started = __atomic_load_n(&reader->started, __ATOMIC_ACQUIRE);

	if (!reader->source->wait(reader) && started)
		wake_main(reader);
}

static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	bool last;

	run_elsewhere(reader->cpu);
	do {
		/* Check before draining: after the stop no more data comes. */
		last = __atomic_load_n(&reader->stop, __ATOMIC_ACQUIRE);
		reader->error = drain(reader);
		if (reader->error) {
			wake_main(reader);
			return NULL;
		}
		if (!last)
			wait_for_data(reader);
	} while (!last);
	return NULL;
}

/* So that captures say which of the recorder's threads did what. */
static void name_thread(const struct reader *reader)
{
	char name[READER_NAME];

	snprintf(name, sizeof(name), "ovnik-cpu%u", reader->cpu);
	pthread_setname_np(reader->thread, name);
}

/**
 * reader_start() - Start the thread.
 * @reader: mapped
 * @ended:  eventfd that the thread writes when it fails or when another program has
 *	    stopped the capture
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
	if (!ret)
		name_thread(reader);
	return -ret;
}

/* A network file system may report write errors only here. */
static int close_file(struct reader *reader)
{
	int ret = close(reader->out) ? -errno : 0;

	reader->out = -1;
	if (ret)
		msg_error("%s: %s", reader->path, strerror(-ret));
	return ret;
}

/**
 * reader_finish() - Let the thread read the rest, wait for it, close the file.
 * @reader: the reader; the capture has stopped; it may have no thread
 */
void reader_finish(struct reader *reader)
{
	int ret;

	if (!reader->running)
		return;
	reader->running = false;
	__atomic_store_n(&reader->stop, true, __ATOMIC_RELEASE);
	pthread_join(reader->thread, NULL);
	ret = close_file(reader);
	if (!reader->error)
		reader->error = ret;
}

/**
 * reader_has_data() - Is there a sub-buffer to read?
 * @reader: the reader; opening it may have failed
 *
 * Return: true if there is one.
 */
bool reader_has_data(const struct reader *reader)
{
	return reader->source->has_data(reader);
}

/**
 * reader_copy_all() - Copy the current contents of the ring, without a thread.
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
	while ((ret = reader->source->copy(reader, sb)) > 0) {
		ret = check_session(reader, sb);
		if (!ret)
			ret = write_subbuf(reader, sb);
		if (ret)
			goto out_free;	/* already reported */
	}
	if (ret)
		msg_error("ring of CPU %u: %s", reader->cpu, strerror(-ret));
	else
		ret = close_file(reader);
out_free:
	free(sb);
	return ret;
}
