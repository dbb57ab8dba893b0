// SPDX-License-Identifier: GPL-2.0-only
/* Tables whose pages are made without SQLite: it reads the same from them as from its own. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "output/tracers/builtin/db_rows.h"
#include "kselftest_harness.h"

#define COLUMNS		"kirtn"
#define TABLE(name)	"CREATE TABLE " name " (a INTEGER PRIMARY KEY, b INTEGER, c REAL, d TEXT, e INTEGER);"
#define LOCK_AT		(1 << 30)	/* bytes before the page that SQLite never uses */

FIXTURE(rows) {
	char path[64];
	struct sqlite3 *db;
	struct sqlite3_stmt *insert;
	struct db_rows rows;
	u32 root;
	u64 state;
};

static int one_number(void *data, int nr, char **values, char **names)
{
	(void)nr;
	(void)names;
	*(s64 *)data = values[0] ? atoll(values[0]) : -1;
	return 0;
}

static s64 ask(struct _test_data_rows *self, const char *sql)
{
	s64 answer = -1;

	if (sqlite3_exec(self->db, sql, one_number, &answer, NULL))
		printf("# %s: %s\n", sql, sqlite3_errmsg(self->db));
	return answer;
}

FIXTURE_SETUP(rows)
{
	int fd;

	self->state = 1;
	strcpy(self->path, "/tmp/db_rows.XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, sqlite3_open(self->path, &self->db));
	ASSERT_EQ(0, sqlite3_exec(self->db, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
				  TABLE("fast") TABLE("slow") "BEGIN", NULL, NULL, NULL));
	ASSERT_EQ(0, sqlite3_prepare_v2(self->db, "INSERT INTO slow VALUES (?,?,?,?,?)", -1,
					&self->insert, NULL));
	ASSERT_EQ(0, db_rows_open(&self->rows, COLUMNS, self->path));
}

FIXTURE_TEARDOWN(rows)
{
	db_rows_close(&self->rows);
	sqlite3_finalize(self->insert);
	sqlite3_close(self->db);
	unlink(self->path);
}

static u64 random_number(struct _test_data_rows *self)
{
	self->state = self->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return self->state >> 11;
}

/* Into both tables. */
static int add(struct _test_data_rows *self, s64 key, s64 number, s64 ns, const char *text,
	       s64 null)
{
	struct sqlite3_stmt *s = self->insert;
	s64 *row = db_rows_new(&self->rows);

	row[0] = key;
	row[1] = number;
	row[2] = ns;
	row[3] = db_rows_text(&self->rows, text);
	row[4] = null;
	sqlite3_bind_int64(s, 1, key);
	sqlite3_bind_int64(s, 2, number);
	sqlite3_bind_double(s, 3, ns * 1000.0);
	sqlite3_bind_text(s, 4, text, -1, SQLITE_STATIC);
	if (null == DB_ROWS_NULL)
		sqlite3_bind_null(s, 5);
	else
		sqlite3_bind_int64(s, 5, null);
	if (sqlite3_step(s) != SQLITE_DONE || sqlite3_reset(s))
		return -EIO;
	return db_rows_added(&self->rows);
}

/* Make the pages; with @hole, behind a file that is so long. */
static int complete(struct _test_data_rows *self, off_t hole)
{
	struct db_tree *tree = malloc(sizeof(*tree));
	struct db_pages pages;
	int fd, ret;

	sqlite3_exec(self->db, "COMMIT", NULL, NULL, NULL);
	self->root = ask(self, "SELECT rootpage FROM sqlite_master WHERE name = 'fast'");
	sqlite3_finalize(self->insert);
	self->insert = NULL;
	sqlite3_close(self->db);
	self->db = NULL;
	fd = open(self->path, O_RDWR);
	if (fd < 0 || !tree || (hole && ftruncate(fd, hole)))
		return -errno;
	ret = db_pages_begin(&pages, fd);
	db_tree_begin(tree, &pages, self->root);
	ret = ret ?: db_rows_put(&self->rows, tree);
	ret = db_pages_end(&pages, ret) ?: ret;
	close(fd);
	free(tree);
	return sqlite3_open(self->path, &self->db) ? -EIO : ret;
}

#define VALUES "a, b, c, typeof(c), d, length(d), e, typeof(e)"

static s64 differences(struct _test_data_rows *self)
{
	return ask(self, "SELECT count(*) FROM (SELECT " VALUES " FROM fast "
			 "EXCEPT SELECT " VALUES " FROM slow)") +
	       ask(self, "SELECT count(*) FROM (SELECT " VALUES " FROM slow "
			 "EXCEPT SELECT " VALUES " FROM fast)");
}

static s64 is_intact(struct _test_data_rows *self)
{
	return ask(self, "SELECT count(*) = 1 AND max(integrity_check) = 'ok' FROM pragma_integrity_check");
}

#define EXPECT_SAME(rows)							\
	do {									\
		EXPECT_EQ(1, is_intact(self));					\
		EXPECT_EQ(rows, ask(self, "SELECT count(*) FROM fast"));	\
		EXPECT_EQ(0, differences(self));				\
		/* Found by key, too. */					\
		EXPECT_EQ(rows, ask(self, "SELECT count(*) FROM slow CROSS JOIN fast "	\
					  "ON fast.a = slow.a"));		\
	} while (0)

TEST_F(rows, none_and_one)
{
	ASSERT_EQ(0, complete(self, 0));
	EXPECT_SAME(0);
}

TEST_F(rows, numbers_of_all_lengths)
{
	s64 key = 1;
	int shift, by;

	for (shift = 0; shift < 63; shift++) {
		for (by = -1; by <= 1; by++) {
			s64 n = (s64)(1ULL << shift) + by;

			ASSERT_EQ(0, add(self, key++, n, n / 2000, "", n));
			ASSERT_EQ(0, add(self, key++, -n, n / 3000, "x", DB_ROWS_NULL));
			ASSERT_EQ(0, add(self, key++, n, -n / 100, "", n));
		}
	}
	ASSERT_EQ(0, add(self, LLONG_MAX, LLONG_MAX, LLONG_MAX / 1000, "", LLONG_MAX));
	ASSERT_EQ(0, complete(self, 0));
	EXPECT_SAME(key);
}

/* Up to several pages for the end of a row. */
TEST_F(rows, texts_of_all_lengths)
{
	static char text[20001];
	s64 key = 1;
	int len;

	memset(text, 'a', sizeof(text) - 1);
	for (len = 0; len < 20000; len += len > 3900 && len < 4200 ? 1 : 37) {
		text[len] = '\0';
		ASSERT_EQ(0, add(self, key++, len, len, text, 0));
		text[len] = 'a';
	}
	ASSERT_EQ(0, complete(self, 0));
	EXPECT_SAME(key - 1);
}

/* Several runs, a tree of three levels; no key comes in order, and there are gaps. */
TEST_F(rows, many_out_of_order)
{
	const s64 nr = 100003;
	char text[120];
	s64 i;

	for (i = 0; i < nr; i++) {
		s64 key = i * 7919 % nr + 1;

		memset(text, 'b', sizeof(text));
		text[random_number(self) % sizeof(text)] = '\0';
		text[sizeof(text) - 1] = '\0';
		ASSERT_EQ(0, add(self, key * 1000000007, random_number(self), i, text, i));
	}
	ASSERT_EQ(0, complete(self, 0));
	EXPECT_SAME(nr);
}

TEST_F(rows, a_key_twice)
{
	s64 *row;
	int i;

	for (i = 0; i < 2; i++) {
		row = db_rows_new(&self->rows);
		memset(row, 0, sizeof(COLUMNS) * sizeof(*row) - sizeof(*row));
		row[0] = 5;
		row[3] = db_rows_text(&self->rows, "");
	}
	EXPECT_EQ(-EINVAL, complete(self, 0));
}

TEST_F(rows, no_row_in_the_page_that_is_never_used)
{
	char text[2000];
	s64 i;

	memset(text, 'c', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (i = 1; i <= 300; i++)
		ASSERT_EQ(0, add(self, i, i, i, text + i, i));
	ASSERT_EQ(0, complete(self, LOCK_AT - 16 * DB_PAGE));
	EXPECT_EQ(300, ask(self, "SELECT count(*) FROM fast"));
	EXPECT_EQ(0, differences(self));
	/* The pages of the hole belong to nothing, and nothing else is wrong. */
	EXPECT_EQ(0, ask(self, "SELECT count(*) FROM pragma_integrity_check(1000000) "
			       "WHERE integrity_check NOT LIKE '%never used%' "
			       "AND integrity_check NOT LIKE '*** in database%'"));
}

TEST_HARNESS_MAIN
