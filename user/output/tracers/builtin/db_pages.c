// SPDX-License-Identifier: GPL-2.0-only
/* Pages of an SQLite database: see db_pages.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/tracers/builtin/db_pages.h"
#include "util/file.h"

#define BUF_PAGES	64
#define LEAF		13	/* kinds of pages */
#define INNER		5
#define LEAF_HEAD	8
#define INNER_HEAD	12
#define COUNT_AT	28	/* in the first page: the number of pages */
#define LOCK_PAGE	(0x40000000 / DB_PAGE + 1)	/* is never used */
/* A row that is longer has its end in pages of its own. */
#define LOCAL_MAX	(DB_PAGE - 35)
#define LOCAL_MIN	((DB_PAGE - 12) * 32 / 255 - 23)
#define VARINT_MAX	9

static void put_be32(u8 *to, u32 value)
{
	value = __builtin_bswap32(value);
	memcpy(to, &value, sizeof(value));
}

static void put_be16(u8 *to, u32 value)
{
	to[0] = value >> 8;
	to[1] = value;
}

u8 *db_put_varint(u8 *to, u64 value)
{
	unsigned int bytes, i;

	if (value < 0x80) {
		*to = value;
		return to + 1;
	}
	if (value >> 56) {
		to[8] = value;
		value >>= 8;
		for (i = 8; i--; value >>= 7)
			to[i] = value | 0x80;
		return to + 9;
	}
	for (bytes = 2; value >> (7 * bytes); bytes++)
		continue;
	for (i = bytes; i--; value >>= 7)
		to[i] = value | 0x80;
	to[bytes - 1] &= 0x7f;
	return to + bytes;
}

static int flush(struct db_pages *p)
{
	int error = write_all(p->fd, p->buf, p->len);

	p->len = 0;
	return -error;
}

int db_pages_begin(struct db_pages *p, int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);

	memset(p, 0, sizeof(*p));
	p->fd = fd;
	p->buf = malloc(BUF_PAGES * DB_PAGE);
	if (!p->buf)
		return -ENOMEM;
	if (end <= 0 || end % DB_PAGE)
		return -EIO;
	p->next = end / DB_PAGE + 1;
	return 0;
}

int db_pages_end(struct db_pages *p, bool failed)
{
	u8 count[4];
	int ret = failed ? 0 : flush(p);

	free(p->buf);
	p->buf = NULL;
	put_be32(count, p->next - 1);
	if (!failed && !ret && pwrite(p->fd, count, sizeof(count), COUNT_AT) != sizeof(count))
		ret = errno ? -errno : -EIO;
	return ret;
}

/* Append a page. Its number is *nr. */
static int put_page(struct db_pages *p, const u8 *page, u32 *nr)
{
	static const u8 nothing[DB_PAGE];
	int ret;

	if (p->next == LOCK_PAGE && page != nothing) {
		ret = put_page(p, nothing, nr);
		if (ret)
			return ret;
	}
	if (p->next == ~0U)
		return -EFBIG;
	memcpy(p->buf + p->len, page, DB_PAGE);
	p->len += DB_PAGE;
	*nr = p->next++;
	return p->len == BUF_PAGES * DB_PAGE ? flush(p) : 0;
}

/* Which page will be the next? */
static u32 next_page(const struct db_pages *p)
{
	return p->next == LOCK_PAGE ? p->next + 1 : p->next;
}

static void empty(struct db_level *l)
{
	l->nr = 0;
	l->top = DB_PAGE;
}

/* Set the head of a page; @right: of an inner one, its last child. */
static void close_page(struct db_level *l, bool leaf, u32 right)
{
	u32 head = leaf ? LEAF_HEAD : INNER_HEAD;
	u32 end = head + 2 * l->nr;

	l->page[0] = leaf ? LEAF : INNER;
	put_be16(l->page + 1, 0);
	put_be16(l->page + 3, l->nr);
	put_be16(l->page + 5, l->top);
	l->page[7] = 0;
	if (!leaf)
		put_be32(l->page + 8, right);
	memset(l->page + end, 0, l->top - end);
}

static bool has_room(const struct db_level *l, u32 head, u32 size)
{
	return head + 2 * (l->nr + 1) + size <= l->top;
}

/* A new cell. */
static u8 *add_cell(struct db_level *l, u32 head, u32 size)
{
	l->top -= size;
	put_be16(l->page + head + 2 * l->nr++, l->top);
	return l->page + l->top;
}

static int add_child(struct db_tree *t, u32 level, u32 child, s64 key);

static u32 put_child(u8 *to, u32 child, s64 key)
{
	put_be32(to, child);
	return db_put_varint(to + 4, key) - to;
}

/* The last child of a full page has no cell. The one that waits begins the next page. */
static int close_inner(struct db_tree *t, u32 level)
{
	struct db_level *l = &t->levels[level];
	u8 cell[4 + VARINT_MAX];
	u32 nr;
	int ret;

	l->nr--;
	l->top += put_child(cell, l->last, l->last_key);
	close_page(l, false, l->last);
	ret = put_page(t->to, l->page, &nr);
	empty(l);
	return ret ? ret : add_child(t, level + 1, nr, l->last_key);
}

static int add_child(struct db_tree *t, u32 level, u32 child, s64 key)
{
	struct db_level *l = &t->levels[level];
	u8 cell[4 + VARINT_MAX];
	int ret = 0;
	u32 size;

	if (level == DB_LEVELS)
		return -EFBIG;
	if (l->waits) {
		size = put_child(cell, l->child, l->key);
		if (!has_room(l, INNER_HEAD, size))
			ret = close_inner(t, level);
		memcpy(add_cell(l, INNER_HEAD, size), cell, size);
		l->last = l->child;
		l->last_key = l->key;
	}
	l->waits = true;
	l->child = child;
	l->key = key;
	return ret;
}

/* Pages with the end of a row, each with the number of the next one in front. */
static int put_overflow(struct db_pages *p, const u8 *row, size_t len)
{
	u8 page[DB_PAGE];
	u32 nr;
	int ret = 0;

	while (len && !ret) {
		size_t part = len < DB_PAGE - 4 ? len : DB_PAGE - 4;

		memset(page, 0, sizeof(page));
		memcpy(page + 4, row, part);
		row += part;
		len -= part;
		if (len)
			put_be32(page, next_page(p) + 1 == LOCK_PAGE ? LOCK_PAGE + 1 :
				 next_page(p) + 1);
		ret = put_page(p, page, &nr);
	}
	return ret;
}

static size_t local_part(size_t len)
{
	size_t part = LOCAL_MIN + (len - LOCAL_MIN) % (DB_PAGE - 4);

	if (len <= LOCAL_MAX)
		return len;
	return part <= LOCAL_MAX ? part : LOCAL_MIN;
}

static int close_leaf(struct db_tree *t)
{
	struct db_level *l = &t->levels[0];
	u32 nr;
	int ret;

	close_page(l, true, 0);
	ret = put_page(t->to, l->page, &nr);
	empty(l);
	return ret ? ret : add_child(t, 1, nr, t->key);
}

void db_tree_begin(struct db_tree *t, struct db_pages *to, u32 root)
{
	unsigned int i;

	t->to = to;
	t->root = root;
	t->key = 0;
	for (i = 0; i < DB_LEVELS; i++) {
		empty(&t->levels[i]);
		t->levels[i].waits = false;
	}
}

int db_tree_add(struct db_tree *t, s64 key, const u8 *row, size_t len)
{
	struct db_level *l = &t->levels[0];
	size_t local = local_part(len);
	u8 head[2 * VARINT_MAX], *end, *to;
	u32 size;
	int ret = 0;

	if (key <= t->key)
		return -EINVAL;
	end = db_put_varint(db_put_varint(head, len), key);
	size = end - head + local + (local < len ? 4 : 0);
	if (!has_room(l, LEAF_HEAD, size))
		ret = close_leaf(t);
	if (ret)
		return ret;
	to = add_cell(l, LEAF_HEAD, size);
	memcpy(to, head, end - head);
	memcpy(to + (end - head), row, local);
	t->key = key;
	if (local == len)
		return 0;
	put_be32(to + (end - head) + local, next_page(t->to));
	return put_overflow(t->to, row + local, len - local);
}

int db_tree_end(struct db_tree *t)
{
	struct db_level *l = &t->levels[0];
	off_t at = (off_t)(t->root - 1) * DB_PAGE;
	u32 level = 0, nr;
	int ret = 0;

	/* A level has the root if there is no page of the next one. */
	if (t->levels[1].waits)
		ret = close_leaf(t);
	else
		close_page(l, true, 0);
	while (!ret && t->levels[level + 1].waits) {
		l = &t->levels[++level];
		close_page(l, false, l->child);
		if (level + 1 == DB_LEVELS || !t->levels[level + 1].waits)
			break;
		ret = put_page(t->to, l->page, &nr) ?: add_child(t, level + 1, nr, l->key);
	}
	if (!ret && pwrite(t->to->fd, l->page, DB_PAGE, at) != DB_PAGE)
		ret = errno ? -errno : -EIO;
	return ret;
}
