// SPDX-License-Identifier: GPL-2.0-only
/* An FDR log: header, threads and their buffers. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/compare.h"
#include "util/file.h"
#include "util/msg.h"
#include "xray/bits.h"
#include "xray/log.h"
#include "xray/scan.h"

/* The byte order in which version and type are valid. */
static bool parse_header(struct xray_header *h, const u8 *p)
{
	bool big;
	u32 bits;

	memset(h, 0, sizeof(*h));
	for (big = false;; big = true) {
		h->version = xray_u16(p, big);
		if (h->version && h->version <= XRAY_VERSION_MAX &&
		    xray_u16(p + 2, big) == XRAY_TYPE_FDR)
			break;
		if (big)
			return false;
	}
	bits = xray_u32(p + 4, big);
	h->big_endian = big;
	h->constant_tsc = big ? bits >> 31 : bits & 1;
	h->nonstop_tsc = (big ? bits >> 30 : bits >> 1) & 1;
	h->frequency = xray_u64(p + 8, big);
	h->buffer_size = xray_u64(p + 16, big);
	h->ours = !memcmp(p + 24, XRAY_MADE_BY, sizeof(XRAY_MADE_BY));
	return true;
}

static bool is_basic(const u8 *p)
{
	return (p[0] ^ p[1]) >= 1 && (p[0] ^ p[1]) <= XRAY_VERSION_MAX && (!p[0] || !p[1]) &&
	       !p[2] && !p[3];
}

/* Do not block if it is a pipe. */
static int open_file(const char *path, u64 *size)
{
	struct stat st;
	int fd, ret;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	ret = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (ret) {
		close(fd);
		return ret;
	}
	*size = st.st_size;
	return fd;
}

/* What is given in place of a log. */
static const struct {
	const char *magic;
	u32 size;
	const char *what;
} strangers[] = {
	{ "\177ELF", 4, "is a program: name the log that it wrote, xray-log.PROGRAM.XXXXXX" },
	{ "---\n", 4, "is text, as of llvm-xray convert: name the log itself" },
	{ "\x1f\x8b", 2, "is compressed: unpack it first" },
	{ "\x28\xb5\x2f\xfd", 4, "is compressed: unpack it first" },
	{ "\3757zXZ", 5, "is compressed: unpack it first" },
};

static const char *stranger(const u8 *buf, s64 size)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(strangers); i++) {
		if (size >= strangers[i].size &&
		    !memcmp(buf, strangers[i].magic, strangers[i].size))
			return strangers[i].what;
	}
	return NULL;
}

static const char not_a_log[] = "no log of XRay's FDR mode; an ovni trace is a directory";

static int read_header(struct xray_log *log)
{
	const char *what;
	u8 buf[XRAY_HEADER_SIZE];
	s64 got;

	log->fd = open_file(log->path, &log->size);
	if (log->fd < 0) {
		msg_error("%s: %s", log->path, log->fd == -EINVAL ? "no regular file" :
			  strerror(-log->fd));
		return log->fd;
	}
	got = pread_all(log->fd, buf, sizeof(buf), 0);
	if (got < 0) {
		msg_error("%s: offset 0: %s", log->path, strerror(-got));
		return got;
	}
	what = stranger(buf, got);
	if (what) {
		msg_error("%s: %s", log->path, what);
		return -EINVAL;
	}
	if (got < XRAY_HEADER_SIZE) {
		msg_error("%s: offset %lld: the header must have 32 bytes: %s", log->path, got,
			  not_a_log);
		return -EINVAL;
	}
	if (is_basic(buf)) {
		msg_error("%s: offset 2: type 0, XRay's basic mode, is not read", log->path);
		return -EINVAL;
	}
	if (!parse_header(&log->header, buf)) {
		msg_error("%s: offset 0: the header must have version 1 to 5 and type 1, in either byte order: %s",
			  log->path, not_a_log);
		return -EINVAL;
	}
	return 0;
}

/* Neither process nor thread is negative. */
static int compare(const void *left, const void *right)
{
	const struct xray_found *a = left, *b = right;

	return compare_u64(a->pid, b->pid) ?:
	       compare_u64(a->tid, b->tid) ?:
	       compare_u64(a->buffer.ns, b->buffer.ns) ?:
	       compare_u64(a->buffer.tsc, b->buffer.tsc) ?:
	       compare_u64(a->buffer.offset, b->buffer.offset);
}

static bool same_thread(const struct xray_found *a, const struct xray_found *b)
{
	return a->pid == b->pid && a->tid == b->tid;
}

/* Threads, and their buffers in order. */
static int sort_buffers(struct xray_log *log, struct xray_scan *s)
{
	const struct xray_found *f = s->found;
	u32 i;

	qsort(s->found, s->nr_found, sizeof(*s->found), compare);
	log->buffers = calloc(s->nr_found, sizeof(*log->buffers));
	log->threads = calloc(s->nr_found, sizeof(*log->threads));
	if (!log->buffers || !log->threads) {
		msg_error("%s: no memory for %u buffers", log->path, s->nr_found);
		return -ENOMEM;
	}
	for (i = 0; i < s->nr_found; i++, f++) {
		if (!i || !same_thread(f, f - 1)) {
			log->threads[log->nr_threads++] = (struct xray_thread){
				.pid = f->pid, .tid = f->tid, .first = i,
			};
		} else if (f->buffer.tsc < f[-1].tsc && !log->backwards++) {
			s->back = f->buffer.offset;
		}
		log->threads[log->nr_threads - 1].nr++;
		log->buffers[i] = f->buffer;
	}
	log->nr_buffers = s->nr_found;
	return 0;
}

static int read_buffers(struct xray_log *log)
{
	struct xray_scan s = {
		.log = log, .version = log->header.version, .big = log->header.big_endian,
	};
	int ret = xray_scan(&s);

	if (!ret && !s.nr_found && log->breaks) {
		msg_error("%s: not one sound buffer in it", log->path);
		ret = -ENODATA;
	}
	if (!ret && s.nr_found)
		ret = sort_buffers(log, &s);
	if (!ret && log->backwards)
		msg_warn("%s: offset %llu: the TSC goes back within a thread, %llu times in the log",
			 log->path, s.back, log->backwards);
	free(s.window.buf);
	free(s.found);
	return ret;
}

int xray_log_open(struct xray_log *log, const char *path)
{
	int ret;

	memset(log, 0, sizeof(*log));
	log->path = path;
	ret = read_header(log);
	return ret ? ret : read_buffers(log);
}

void xray_log_close(struct xray_log *log)
{
	/* A zeroed one was never opened. */
	if (log->path && log->fd >= 0)
		close(log->fd);
	free(log->threads);
	free(log->buffers);
	memset(log, 0, sizeof(*log));
}
