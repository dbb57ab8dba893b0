// SPDX-License-Identifier: GPL-2.0-only
/* Reads stream.obs without trusting its contents. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/stream.h"
#include "util/msg.h"

#define WINDOW_MIN 256

const char *ovni_mcv_text(char *text, const u8 *mcv)
{
	char *p = text;
	int i;

	for (i = 0; i < 3; i++) {
		if (mcv[i] > ' ' && mcv[i] < 0x7f && mcv[i] != '\\')
			*p++ = mcv[i];
		else
			p += sprintf(p, "\\x%02x", mcv[i]);
	}
	*p = '\0';
	return text;
}

static int stream_fail(const struct ovni_stream *s, const char *reason)
{
	msg_error("%s: offset %llu: %s", s->path, (unsigned long long)s->offset, reason);
	return -EINVAL;
}

static int stream_fail_event(const struct ovni_stream *s, const struct ovni_ev_header *h,
			     const char *reason)
{
	char mcv[OVNI_MCV_TEXT];

	msg_error("%s: offset %llu: event %s at clock %llu: %s", s->path,
		  (unsigned long long)s->offset, ovni_mcv_text(mcv, h->mcv),
		  (unsigned long long)h->clock, reason);
	return -EINVAL;
}

static int stream_open_fd(const char *path, u64 *size)
{
	struct stat st;
	int fd, ret;

	/* O_NONBLOCK: a FIFO of that name must not block. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return report_error(path, "cannot open", errno);
	if (fstat(fd, &st)) {
		ret = report_error(path, "cannot stat", errno);
		close(fd);
		return ret;
	}
	if (!S_ISREG(st.st_mode)) {
		msg_error("%s: is not a regular file", path);
		close(fd);
		return -EINVAL;
	}
	*size = st.st_size;
	return fd;
}

static int stream_read(struct ovni_stream *s, int fd, u64 want)
{
	u64 at = s->offset + (s->end - s->pos);

	while (want) {
		ssize_t n = pread(fd, s->end, want, at);
		int err = errno;

		if (n < 0 && err == EINTR)
			continue;
		if (n < 0) {
			msg_error("%s: offset %llu: cannot read: %s", s->path,
				  (unsigned long long)at, strerror(err));
			return -err;
		}
		if (n == 0)
			return stream_fail(s, "the file became shorter while it was read");
		s->end += n;
		at += n;
		want -= n;
	}
	return 0;
}

static int stream_room(struct ovni_stream *s, u64 room)
{
	u8 *buf;

	if (room <= s->room)
		return 0;
	buf = malloc(room);
	if (!buf) {
		msg_error("%s: out of memory for a window of %llu bytes", s->path,
			  (unsigned long long)room);
		return -ENOMEM;
	}
	if (s->end > s->pos)
		memcpy(buf, s->pos, s->end - s->pos);
	s->end = buf + (s->end - s->pos);
	s->pos = buf;
	free(s->buf);
	s->buf = buf;
	s->room = room;
	return 0;
}

/* Fill the window from the current offset on, with at least @need bytes. */
static int stream_fill(struct ovni_stream *s, u64 need)
{
	u64 have = s->end - s->pos;
	u64 left = s->size - s->offset;
	u64 size = s->window > need ? s->window : need;
	int fd, ret;
	u64 now;

	if (size > left)
		size = left;
	if (have >= size)
		return 0;
	ret = stream_room(s, size);
	if (ret)
		return ret;
	memmove(s->buf, s->pos, have);
	s->pos = s->buf;
	s->end = s->buf + have;
	fd = stream_open_fd(s->path, &now);
	if (fd < 0)
		return fd;
	ret = stream_read(s, fd, size - have);
	close(fd);
	return ret;
}

int ovni_stream_open(struct ovni_stream *s, const char *path, u32 window)
{
	struct ovni_stream_header h;
	int fd, ret;

	memset(s, 0, sizeof(*s));
	s->path = path;
	s->window = window > WINDOW_MIN ? window : WINDOW_MIN;
	fd = stream_open_fd(path, &s->size);
	if (fd < 0)
		return fd;
	close(fd);
	if (s->size < sizeof(h))
		return stream_fail(s, "truncated: the header is not complete");
	ret = stream_fill(s, sizeof(h));
	if (ret)
		return ret;
	memcpy(&h, s->pos, sizeof(h));
	if (memcmp(h.magic, OVNI_STREAM_MAGIC, sizeof(h.magic)))
		return stream_fail(s, "wrong magic: this is no ovni stream");
	if (h.version != OVNI_STREAM_VERSION) {
		msg_error("%s: offset 4: stream version %u, expected %u", path, h.version,
			  OVNI_STREAM_VERSION);
		return -EINVAL;
	}
	s->ev_len = sizeof(h);
	return 0;
}

static int stream_check_clock(const struct ovni_stream *s, const struct ovni_ev_header *h)
{
	char text[128];

	if (h->clock >= OVNI_CLOCK_MAX)
		return stream_fail_event(s, h, "the clock is out of range");
	if (s->unsorted || h->clock >= s->ev.clock)
		return 0;
	snprintf(text, sizeof(text), "the clock goes back, it was %llu: run ovnisort on the trace, or merge it, which sorts it",
		 (unsigned long long)s->ev.clock);
	return stream_fail_event(s, h, text);
}

/* An event that is not whole. */
static int stream_short(struct ovni_stream *s, const struct ovni_ev_header *h, const char *what)
{
	if (!s->killed)
		return h ? stream_fail_event(s, h, what) : stream_fail(s, what);
	s->cut = s->size - s->offset;
	return 0;
}

static int stream_too_large(struct ovni_stream *s, const struct ovni_ev_header *h)
{
	char text[64];

	snprintf(text, sizeof(text), "the jumbo data is larger than %u MiB",
		 OVNI_STREAM_JUMBO_MAX >> 20);
	return stream_fail_event(s, h, text);
}

static int stream_jumbo(struct ovni_stream *s, const struct ovni_ev_header *h)
{
	u64 fixed = sizeof(*h) + OVNI_EV_JUMBO_SIZE;
	u64 left = s->size - s->offset;
	u32 size;
	int ret;

	if ((h->flags & OVNI_EV_SIZE_MASK) != OVNI_EV_SIZE_CODE(OVNI_EV_JUMBO_SIZE))
		return stream_fail_event(s, h, "jumbo event without 4 bytes of size");
	if (left < fixed)
		return stream_short(s, h, "truncated: the event runs past the end of the file");
	memcpy(&size, s->pos + sizeof(*h), sizeof(size));
	if (left - fixed < size && (!s->killed || size <= OVNI_STREAM_JUMBO_MAX))
		return stream_short(s, h, "truncated: the jumbo data runs past the end of the file");
	if (size > OVNI_STREAM_JUMBO_MAX)
		return stream_too_large(s, h);
	ret = stream_fill(s, fixed + size);
	if (ret)
		return ret;
	s->ev.clock = h->clock;
	memcpy(s->ev.mcv, h->mcv, sizeof(h->mcv));
	s->ev.jumbo = true;
	s->ev.size = size;
	s->ev.payload = s->pos + fixed;
	s->ev_len = fixed + size;
	return 1;
}

int ovni_stream_next_slow(struct ovni_stream *s)
{
	const struct ovni_ev_header *h;
	struct ovni_ev_header copy;
	int ret;

	s->ev_len = 0;
	ret = stream_fill(s, OVNI_EV_NORMAL_MAX);
	if (ret)
		return ret;
	if (s->pos == s->end)
		return 0;
	if ((size_t)(s->end - s->pos) < sizeof(*h))
		return stream_short(s, NULL, "truncated: the event's header is not complete");
	h = (const struct ovni_ev_header *)s->pos;
	ret = stream_check_clock(s, h);
	if (ret)
		return ret;
	if (h->flags & OVNI_EV_JUMBO) {
		copy = *h;
		return stream_jumbo(s, &copy);
	}
	if ((size_t)(s->end - s->pos) < sizeof(*h) + ovni_ev_payload(h))
		return stream_short(s, h, "truncated: the event runs past the end of the file");
	ovni_stream_take(s, h);
	return 1;
}

void ovni_stream_close(struct ovni_stream *s)
{
	free(s->buf);
	memset(s, 0, sizeof(*s));
}
