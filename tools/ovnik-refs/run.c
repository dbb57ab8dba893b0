// SPDX-License-Identifier: GPL-2.0-only
/* Convert a stream from beginning to end, in constant memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "refs.h"
#include "util/msg.h"
#include "util/outfile.h"

#define INPUT_BUFFER	(256 << 10)

/**
 * struct input - The input.
 * @fd: file descriptor; -1 if it is not open
 * @name: for messages
 * @room: INPUT_BUFFER bytes between two margins
 * @data: INPUT_BUFFER bytes in @room
 * @len: bytes in @data
 * @offset: offset of @data in the input
 * @records: references before @data
 * @eof: the end of the input was read
 */
struct input {
	int fd;
	const char *name;
	char *room;
	char *data;
	size_t len;
	u64 offset;
	u64 records;
	bool eof;
};

/* Report errno. */
static int failed(const char *name, const char *what)
{
	int error = errno;

	msg_error("%s: cannot %s: %s", name, what, strerror(error));
	return -error;
}

static int no_memory(const char *name)
{
	msg_error("%s: no memory", name);
	return -ENOMEM;
}

static int input_open(struct input *in, const char *path)
{
	in->name = path ? path : "standard input";
	in->fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0)
		return failed(in->name, "open");
	in->room = calloc(1, INPUT_BUFFER + 2 * REFS_MARGIN);
	if (!in->room)
		return no_memory(in->name);
	in->data = in->room + REFS_MARGIN;
	return 0;
}

static void input_close(struct input *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->room);
}

/* Read more input after what is left. */
static int input_read(struct input *in)
{
	ssize_t got;

	do {
		got = read(in->fd, in->data + in->len, INPUT_BUFFER - in->len);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return failed(in->name, "read");
	in->len += (size_t)got;
	in->eof = !got;
	return 0;
}

static void input_drop(struct input *in, size_t len)
{
	in->len -= len;
	in->offset += len;
	memmove(in->data, in->data + len, in->len);
}

static int open_output(struct outfile *out, const char *path, const struct input *in)
{
	struct stat from;
	int ret;

	if (fstat(in->fd, &from))
		return failed(in->name, "stat");
	ret = outfile_open(out, path, &from);
	if (ret == -EEXIST)
		msg_error("%s: the input is the output", in->name);
	return ret;
}

static bool is_log(const struct input *in)
{
	const size_t len = sizeof(REFS_MAGIC) - 1;

	return !in->offset && in->len >= len && !memcmp(in->data, REFS_MAGIC, len);
}

static int refuse(const struct input *in, const char *reason, bool text)
{
	if (is_log(in))
		msg_error("%s: this is a log of QEMU's plugin, which is not read from a pipe",
			  in->name);
	else if (text)
		msg_error("%s: offset %llu: line %llu: %s", in->name, in->offset,
			  in->records + 1, reason);
	else
		msg_error("%s: offset %llu: %s", in->name, in->offset, reason);
	return -EINVAL;
}

/* Add to a log. */
static int step_of_log(struct input *in, struct refs_to_log *log, const struct refs_job *job)
{
	const char *end = in->data + in->len, *reason;
	const char *stop = refs_to_log_add(log, in->data, end, job->wide, &reason);
	char why[REFS_REASON_MAX];

	input_drop(in, (size_t)(stop - in->data));
	if (refs_to_log_error(log))
		return refs_to_log_error(log);
	if (reason)
		return refuse(in, reason, false);
	end = in->data + in->len;
	if (in->len && (refs_refuse_binary(why, in->data, end, job->wide) || in->eof))
		return refuse(in, why, false);
	return 0;
}

/* Write what was read before waiting for more, so that a live trace is not delayed. */
static int step(struct input *in, struct file *out, const struct refs_job *job)
{
	refs_convert_fn convert = job->to_text ? refs_to_text : refs_to_binary;
	refs_refuse_fn invalid = job->to_text ? refs_refuse_binary : refs_refuse_text;
	char reason[REFS_REASON_MAX];
	const char *end = in->data + in->len;
	const char *stop = convert(out, in->data, end, job->wide, &in->records);

	input_drop(in, (size_t)(stop - in->data));
	file_flush(out);
	if (out->error)
		return out->error;
	end = in->data + in->len;
	if (in->len && (invalid(reason, in->data, end, job->wide) || in->eof))
		return refuse(in, reason, !job->to_text);
	return 0;
}

static int convert_all(struct input *in, struct file *out, const struct refs_job *job)
{
	int ret;

	do {
		ret = input_read(in);
		if (!ret)
			ret = step(in, out, job);
	} while (!ret && !in->eof);
	return ret;
}

static int make_log(struct input *in, struct file *out, const struct refs_job *job)
{
	struct refs_to_log *log = refs_to_log_open(out->fd);
	int ret, closed;

	if (!log)
		return -ENOMEM;
	do {
		ret = input_read(in);
		if (!ret)
			ret = step_of_log(in, log, job);
	} while (!ret && !in->eof);
	closed = refs_to_log_close(log);
	if (closed)
		report_error(out->path, "cannot write", -closed);
	return closed ? closed : ret;
}

static int convert(struct input *in, struct file *out, const struct refs_job *job, bool log)
{
	if (log)
		return refs_expand_log(job, out);
	return job->to_log ? make_log(in, out, job) : convert_all(in, out, job);
}

/**
 * refs_run() - Convert a stream.
 * @job: the command line
 *
 * Everything before a reference that is not valid is written. If it cannot be written, a file that
 * was there stays.
 *
 * Context: SIGXFSZ must be ignored, so that it is reported.
 * Return: 0; a negative errno, which has been reported.
 */
int refs_run(const struct refs_job *job)
{
	struct input in = { .fd = -1 };
	struct outfile out = { .file.fd = -1, .way.up = -1 };
	bool log = job->in && refs_is_log(job->in);
	int ret, closed;

	if (!log && (job->reduced || job->is_part)) {
		msg_error("%s: not a log of QEMU's plugin: only a log can be cut or reduced",
			  job->in ? job->in : "standard input");
		return -EINVAL;
	}
	if (log && job->to_log) {
		msg_error("%s: this is a log already", job->in);
		return -EINVAL;
	}
	/* If stdout is closed, the input would get its file descriptor. */
	if (!job->out && fcntl(STDOUT_FILENO, F_GETFD) < 0)
		return failed("standard output", "write");
	ret = input_open(&in, job->in);
	if (!ret)
		ret = open_output(&out, job->out, &in);
	if (!ret)
		ret = convert(&in, &out.file, job, log);
	closed = outfile_close(&out);
	input_close(&in);
	return ret ? ret : closed;
}
