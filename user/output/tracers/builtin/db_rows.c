// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a table with very many: see db_rows.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/tracers/builtin/db_rows.h"
#include "util/file.h"
#include "util/heap.h"
#include "util/utf8.h"

#define ROWS_MAX	8192
#define TEXTS_MAX	(1 << 20)	/* where no other row is begun */
#define TEXT_BITS	24		/* of a cell: the length of its text */
#define COLUMNS_MAX	32
#define WINDOWS		(8 << 20)	/* bytes of all runs' buffers */
#define WINDOW_MIN	(4 << 10)

/* In front of a record in a run. */
struct record_head {
	s64 key;
	u64 len;
};

int db_rows_open(struct db_rows *rows, const char *columns, const char *beside)
{
	char *path;

	memset(rows, 0, sizeof(*rows));
	rows->fd = -1;
	rows->columns = columns;
	rows->nr_columns = strlen(columns);
	rows->cells = malloc(ROWS_MAX * rows->nr_columns * sizeof(*rows->cells));
	rows->order = malloc(ROWS_MAX * sizeof(*rows->order));
	if (!rows->cells || !rows->order || asprintf(&path, "%s.XXXXXX", beside) < 0)
		return -ENOMEM;
	rows->fd = mkostemp(path, O_CLOEXEC);
	if (rows->fd >= 0)
		unlink(path);
	free(path);
	return rows->fd < 0 ? -errno : 0;
}

s64 *db_rows_new(struct db_rows *rows)
{
	s64 *cells = rows->cells + rows->nr * rows->nr_columns;

	rows->order[rows->nr++] = cells;
	return cells;
}

static int make_room(struct db_rows *rows, size_t len)
{
	size_t room = rows->texts_room ? rows->texts_room : TEXTS_MAX / 8;
	char *texts;

	while (rows->texts_len + len > room)
		room *= 2;
	texts = realloc(rows->texts, room);
	if (!texts)
		return -ENOMEM;
	rows->texts = texts;
	rows->texts_room = room;
	return 0;
}

/* Copy a text that is ASCII up to its end. Return: its length; -1: it is not. */
static long copy_ascii(char *to, const char *text)
{
	long len;

	for (len = 0; text[len]; len++) {
		if (text[len] & 0x80)
			return -1;
		to[len] = text[len];
	}
	return len;
}

s64 db_rows_text(struct db_rows *rows, const char *text)
{
	size_t room = 3 * strlen(text) + 1;
	s64 at = rows->texts_len;
	char *to;
	long len;

	if (room >> TEXT_BITS ||
	    (rows->texts_len + room > rows->texts_room && make_room(rows, room))) {
		rows->no_memory = true;
		return 0;
	}
	to = rows->texts + at;
	len = copy_ascii(to, text);
	if (len < 0)
		len = utf8_clean(to, text);
	rows->texts_len += len;
	return at << TEXT_BITS | len;
}

/* SQLite's number for how many bytes an integer has: 1 to 6 for 1, 2, 3, 4, 6 and 8. */
static u8 number_type(s64 v)
{
	u64 size = v < 0 ? ~(u64)v : (u64)v;

	if (size < 2)
		return v == 0 ? 8 : v == 1 ? 9 : 1;
	if (size < 1 << 7)
		return 1;
	if (size < 1 << 15)
		return 2;
	if (size < 1 << 23)
		return 3;
	if (size < 1ULL << 31)
		return 4;
	return size < 1ULL << 47 ? 5 : 6;
}

static u8 *put_number(u8 *to, u64 v, u8 type)
{
	static const u8 bytes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
	u64 be = __builtin_bswap64(v << (64 - 8 * bytes[type]) % 64);

	memcpy(to, &be, sizeof(be));
	return to + bytes[type];
}

/* Akita's unit is the picosecond. What is whole and short is stored as an integer. */
static u8 *put_time(u8 *to, s64 ns, u8 *type)
{
	const double limit = (double)(1ULL << 47);
	double ps = ns * 1000.0;
	u64 bits;

	if (ps > -limit && ps < limit) {
		*type = number_type((s64)ps);
		return put_number(to, (u64)(s64)ps, *type);
	}
	memcpy(&bits, &ps, sizeof(bits));
	*type = 7;
	return put_number(to, bits, 7);
}

/**
 * struct record - A row as SQLite stores it: types in front, then values.
 * @types: the types; the byte before is for their length
 * @types_end: their end
 * @to: where values go
 */
struct record {
	u8 types[COLUMNS_MAX * 5];
	u8 *types_end;
	u8 *to;
};

static void put_text(struct record *r, const struct db_rows *rows, s64 cell)
{
	size_t len = cell & ((1 << TEXT_BITS) - 1);

	r->types_end = db_put_varint(r->types_end, 13 + 2 * len);
	memcpy(r->to, rows->texts + (cell >> TEXT_BITS), len);
	r->to += len;
}

static void put_cell(struct record *r, const struct db_rows *rows, char column, s64 cell)
{
	u8 *type;

	if (column == 't') {
		put_text(r, rows, cell);
		return;
	}
	type = r->types_end++;
	if (column == 'k' || (column == 'n' && cell == DB_ROWS_NULL)) {
		*type = 0;
	} else if (column == 'r') {
		r->to = put_time(r->to, cell, type);
	} else {
		*type = number_type(cell);
		r->to = put_number(r->to, (u64)cell, *type);
	}
}

/* The most that a row can take. */
static size_t record_room(const struct db_rows *rows, const s64 *row)
{
	size_t room = sizeof(struct record_head) + sizeof(u64) + rows->nr_columns * 13;
	unsigned int i;

	for (i = 0; i < rows->nr_columns; i++) {
		if (rows->columns[i] == 't')
			room += row[i] & ((1 << TEXT_BITS) - 1);
	}
	return room;
}

/* A row as it is in a run. Return: its end. */
static u8 *put_record(const struct db_rows *rows, const s64 *row, u8 *to)
{
	struct record r = { .types_end = r.types };
	struct record_head head;
	size_t types;
	unsigned int i;
	u8 *begin = to + sizeof(head);

	/* Values go behind the longest types that there can be, and are moved. */
	r.to = begin + sizeof(r.types);
	for (i = 0; i < rows->nr_columns; i++)
		put_cell(&r, rows, rows->columns[i], row[i]);
	types = r.types_end - r.types;
	types += types < 0x7f ? 1 : 2;
	to = db_put_varint(begin, types);
	memcpy(to, r.types, r.types_end - r.types);
	to += r.types_end - r.types;
	memmove(to, begin + sizeof(r.types), r.to - (begin + sizeof(r.types)));
	to += r.to - (begin + sizeof(r.types));
	head = (struct record_head){ row[0], to - begin };
	memcpy(begin - sizeof(head), &head, sizeof(head));
	return to;
}

static int compare(const void *a, const void *b)
{
	s64 left = **(const s64 *const *)a, right = **(const s64 *const *)b;

	return left < right ? -1 : left > right;
}

static int write_run(struct db_rows *rows)
{
	size_t room = 64 << 10, len = 0;
	u8 *buf = malloc(room);
	unsigned int i;
	int ret = buf ? 0 : -ENOMEM;

	for (i = 0; i < rows->nr && !ret; i++) {
		size_t more = record_room(rows, rows->order[i]) + COLUMNS_MAX * 5;

		if (len + more > room) {
			ret = -write_all(rows->fd, buf, len);
			rows->file_len += len;
			len = 0;
		}
		if (more > room) {
			free(buf);
			buf = malloc(more);
			room = more;
		}
		if (!buf)
			ret = -ENOMEM;
		if (!ret)
			len = put_record(rows, rows->order[i], buf + len) - buf;
	}
	if (!ret)
		ret = -write_all(rows->fd, buf, len);
	rows->file_len += len;
	free(buf);
	return ret;
}

static int end_run(struct db_rows *rows)
{
	struct db_run *runs = realloc(rows->runs, (rows->nr_runs + 1) * sizeof(*runs));
	off_t at = rows->file_len;
	int ret;

	if (!runs || rows->no_memory)
		return -ENOMEM;
	rows->runs = runs;
	qsort(rows->order, rows->nr, sizeof(*rows->order), compare);
	ret = write_run(rows);
	runs[rows->nr_runs++] = (struct db_run){ .at = at, .end = rows->file_len };
	rows->nr = 0;
	rows->texts_len = 0;
	return ret;
}

int db_rows_added(struct db_rows *rows)
{
	return rows->nr == ROWS_MAX || rows->texts_len >= TEXTS_MAX ? end_run(rows) : 0;
}

static struct record_head head_of(const struct db_run *run)
{
	struct record_head head;

	memcpy(&head, run->buf + run->pos, sizeof(head));
	return head;
}

/* Have so many bytes of a run at its position. */
static int fill(const struct db_rows *rows, struct db_run *run, size_t want, size_t window)
{
	size_t left = run->len - run->pos, room = want > window ? want : window;
	u8 *buf = malloc(room);
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	/* At first there is no buffer. */
	if (left)
		memcpy(buf, run->buf + run->pos, left);
	free(run->buf);
	run->buf = buf;
	run->pos = 0;
	run->len = left;
	room -= left;
	if ((off_t)room > run->end - run->at)
		room = run->end - run->at;
	n = pread(rows->fd, buf + left, room, run->at);
	if (n != (ssize_t)room)
		return n < 0 ? -errno : -EIO;
	run->len += n;
	run->at += n;
	return 0;
}

/* Have the next row of a run in its buffer. Return: 1, 0 at its end, a negative errno. */
static int next_row(const struct db_rows *rows, struct db_run *run, size_t window)
{
	size_t left = run->len - run->pos;
	int ret;

	if (!left && run->at == run->end)
		return 0;
	if (left < sizeof(struct record_head)) {
		ret = fill(rows, run, sizeof(struct record_head), window);
		if (ret)
			return ret;
		left = run->len;
	}
	if (left < sizeof(struct record_head) + head_of(run).len) {
		ret = fill(rows, run, sizeof(struct record_head) + head_of(run).len, window);
		if (ret)
			return ret;
	}
	return 1;
}

/**
 * struct merging - A run in the heap.
 * @key: of its next row
 * @run: the run
 */
struct merging {
	s64 key;
	struct db_run *run;
};

static bool is_before(struct merging a, struct merging b)
{
	return a.key < b.key;
}

HEAP(merging, struct merging, is_before, HEAP_PUT)

static int merge(struct db_rows *rows, struct merging *heap, size_t nr, struct db_tree *t,
		 size_t window)
{
	while (nr) {
		struct merging top = heap[0];
		struct record_head head = head_of(top.run);
		int ret = db_tree_add(t, head.key, top.run->buf + top.run->pos + sizeof(head),
				      head.len);

		if (ret)
			return ret;
		top.run->pos += sizeof(head) + head.len;
		ret = next_row(rows, top.run, window);
		if (ret < 0)
			return ret;
		if (ret)
			top.key = head_of(top.run).key;
		else
			top = heap[--nr];
		if (nr)
			merging_sink(heap, nr, 0, top);
	}
	return 0;
}

int db_rows_put(struct db_rows *rows, struct db_tree *t)
{
	size_t i, nr = 0, window;
	struct merging *heap, one;
	int ret = rows->nr ? end_run(rows) : 0;

	if (ret)
		return ret;
	heap = malloc((rows->nr_runs + 1) * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	window = WINDOWS / (rows->nr_runs + 1);
	window = window < WINDOW_MIN ? WINDOW_MIN : window;
	for (i = 0; i < rows->nr_runs && ret >= 0; i++) {
		ret = next_row(rows, &rows->runs[i], window);
		if (ret <= 0)
			continue;
		one = (struct merging){ head_of(&rows->runs[i]).key, &rows->runs[i] };
		merging_rise(heap, nr, one);
		nr++;
	}
	ret = ret < 0 ? ret : merge(rows, heap, nr, t, window);
	free(heap);
	return ret ? ret : db_tree_end(t);
}

void db_rows_close(struct db_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr_runs; i++)
		free(rows->runs[i].buf);
	if (rows->columns && rows->fd >= 0)
		close(rows->fd);
	free(rows->runs);
	free(rows->cells);
	free(rows->order);
	free(rows->texts);
	memset(rows, 0, sizeof(*rows));
}
