// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-xray - read damaged FDR logs, in one process
 *
 *	fuzz-xray WORKDIR CASES SEED LOG...
 *
 * Each case is a copy of a log with some bytes flipped, overwritten, inserted, removed, moved
 * or cut off: the reader must come to an end with a status that it documents, and must not
 * give more records than the file has room for. In every other case, only bytes of one
 * buffer are damaged: all other buffers must be found, as they were. Crashes are the
 * sanitizers' to find: WORKDIR/case is the case then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xray/bits.h"
#include "xray/log.h"
#include "fuzz.h"

struct log_file {
	const char *path;
	u8 *data;
	u32 len;
	struct xray_log log;	/* sound */
};

static void read_file(struct log_file *f, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		die(path);
	f->path = path;
	f->len = st.st_size;
	f->data = malloc(f->len + 1);
	if (!f->data || read(fd, f->data, f->len) != (ssize_t)f->len)
		die(path);
	close(fd);
	if (xray_log_open(&f->log, path) || f->log.breaks)
		die(path);
}

static void write_file(const char *path, const u8 *data, u32 len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		die(path);
	close(fd);
}

static void overwrite(u8 *data, u32 len, u32 at)
{
	static const u64 values[] = {
		0, 1, 3, 7, 0x0f, 0x80, 0x87, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		~0ULL, 1ULL << 63, 48, 0x1000, 1000000,
	};
	u64 value = values[draw(ARRAY_SIZE(values))];
	u32 size = 1U << draw(4);

	if (draw(2))
		value = __builtin_bswap64(value) >> (64 - 8 * size);
	if (at + size <= len)
		memcpy(data + at, &value, size);
}

/* Bytes from..len - 1 stay as many. */
static void damage(u8 *data, u32 from, u32 len)
{
	u32 at = from + draw(len - from), n = 1 + draw(24);

	if (n > len - at)
		n = len - at;
	switch (draw(4)) {
	case 0:
		data[at] ^= 1 << draw(8);
		break;
	case 1:
		overwrite(data, len, at);
		break;
	case 2:
		memmove(data + at, data + from + draw(len - from - n + 1), n);
		break;
	case 3:
		while (n--)
			data[at + n] = draw(256);
		break;
	}
}

/* Room for twice the length is in @data. */
static void mutate(u8 *data, u32 *len)
{
	u32 at = draw(*len), n = 1 + draw(draw(4) ? 32 : *len / 4 + 1);

	if (n > *len - at)
		n = *len - at;
	switch (draw(5)) {
	case 0:
		*len = draw(4) ? *len - draw(*len < 64 ? *len : 64) : at + 1;
		break;
	case 1:	/* double what is there */
		memmove(data + at + n, data + at, *len - at);
		*len += n;
		break;
	case 2:
		memmove(data + at, data + at + n, *len - at - n);
		*len -= n;
		break;
	default:
		damage(data, 0, *len);
	}
	if (!*len)
		*len = 1;
}

static u64 count(struct xray_log *log, int *ret)
{
	struct xray_cursor c;
	u64 n = 0, bytes = 0;
	u32 i, k;

	for (i = 0; !*ret && i < log->nr_threads; i++) {
		*ret = xray_cursor_open(&c, log, i);
		while (!*ret && (*ret = xray_cursor_next(&c)) > 0) {
			/* So that the sanitizers see whether they are there. */
			for (k = 0; c.rec.kind == XRAY_CUSTOM_EVENT && c.rec.data &&
			     k < c.rec.size; k++)
				bytes += c.rec.data[k];
			*ret = 0;
			n++;
		}
		xray_cursor_close(&c);
	}
	return n + (bytes == ~0ULL);
}

static bool any_damage(const struct log_file *f, const char *path)
{
	u8 *data = malloc(16 * (u64)f->len + 64);
	u32 len = f->len, n = 1 + draw(6);
	struct xray_log log;
	u64 records = 0;
	bool ok = true;
	int ret;

	memcpy(data, f->data, f->len);
	while (n--) {
		if (len < 8 * f->len)
			mutate(data, &len);
	}
	write_file(path, data, len);
	free(data);
	ret = xray_log_open(&log, path);
	if (!ret)
		records = count(&log, &ret);
	if ((ret && ret != -EINVAL && ret != -ENODATA) || records > len / XRAY_FUNCTION_SIZE ||
	    log.lost_bytes > len) {
		printf("# status %d, %llu records\n", ret, records);
		ok = false;
	}
	xray_log_close(&log);
	return ok;
}

/* Without EndOfBuffer, nothing says that what is damaged is not the buffer's before it. */
static bool has_buffer(const struct xray_log *log, const struct xray_buffer *buffer)
{
	u32 i;

	for (i = 0; i < log->nr_buffers; i++) {
		const struct xray_buffer *b = &log->buffers[i];

		if (b->offset == buffer->offset && b->tsc == buffer->tsc && b->ns == buffer->ns)
			return b->end == buffer->end ||
			       (log->header.version == 1 && b->end > buffer->end);
	}
	return false;
}

/* Where the buffer before it in the file ended; its EndOfBuffer is not the victim's. */
static u64 begin_of(const struct log_file *f, const struct xray_buffer *buffer)
{
	const struct xray_log *log = &f->log;
	u64 begin = XRAY_HEADER_SIZE;
	u32 i;

	for (i = 0; i < log->nr_buffers; i++) {
		if (log->buffers[i].end <= buffer->offset && log->buffers[i].end > begin)
			begin = log->buffers[i].end;
	}
	if (xray_kind(f->data + begin, log->header.big_endian) == XRAY_END_OF_BUFFER)
		begin += XRAY_METADATA_SIZE;
	return begin;
}

/* BufferExtents that lead to a buffer are believed, though it may be another than the next. */
static bool misleads(const struct log_file *f, const u8 *data, u64 begin)
{
	u64 end = begin + XRAY_METADATA_SIZE + xray_u64(data + begin + 1, f->log.header.big_endian);
	u32 i;

	for (i = 0; f->log.header.version > 1 && i < f->log.nr_buffers; i++) {
		if (f->log.buffers[i].end == end)
			return true;
	}
	return false;
}

static bool one_buffer(const struct log_file *f, const char *path)
{
	u32 victim = draw(f->log.nr_buffers), n = 1 + draw(3), i;
	const struct xray_buffer *buffer = &f->log.buffers[victim];
	u64 begin = begin_of(f, buffer);
	u8 *data = malloc(f->len + 1);
	struct xray_log log;
	bool ok = true;
	int ret;

	memcpy(data, f->data, f->len);
	while (n--)
		damage(data, begin, buffer->end);
	write_file(path, data, f->len);
	if (misleads(f, data, begin) && xray_u64(data + begin + 1, f->log.header.big_endian) !=
	    xray_u64(f->data + begin + 1, f->log.header.big_endian)) {
		free(data);
		return true;
	}
	free(data);
	ret = xray_log_open(&log, path);
	for (i = 0; i < f->log.nr_buffers; i++) {
		if (i != victim && !has_buffer(&log, &f->log.buffers[i])) {
			printf("# status %d: damage at %llu to %llu: no buffer at %llu\n", ret,
			       begin, buffer->end, f->log.buffers[i].offset);
			ok = false;
			break;
		}
	}
	if (!ret)
		count(&log, &ret);
	xray_log_close(&log);
	return ok && (!ret || f->log.nr_buffers == 1);
}

int main(int argc, char **argv)
{
	bool bad = false;
	u64 i, cases;
	char path[4096];
	struct log_file *files;
	int nr, k;

	if (argc < 5)
		return 2;
	nr = argc - 4;
	files = calloc(nr, sizeof(*files));
	for (k = 0; k < nr; k++)
		read_file(&files[k], argv[k + 4]);
	cases = strtoull(argv[2], NULL, 0);
	snprintf(path, sizeof(path), "%s/log", argv[1]);
	if (!freopen(path, "a", stderr))
		die(path);
	snprintf(path, sizeof(path), "%s/case", argv[1]);
	for (i = 0; i < cases && !bad; i++) {
		const struct log_file *f = &files[i / 2 % nr];
		bool ok;

		fuzz_begin(argv[3], i);
		draw(1);
		if (ftruncate(STDERR_FILENO, 0))
			die("ftruncate");
		alarm(SECONDS_A_CASE);
		ok = i % 2 ? one_buffer(f, path) : any_damage(f, path);
		alarm(0);
		bad = !ok;
		if (bad)
			printf("# case %llu of %s\n", i, f->path);
	}
	printf("# %llu cases\n", i);
	while (nr--) {
		xray_log_close(&files[nr].log);
		free(files[nr].data);
	}
	free(files);
	return bad;
}
