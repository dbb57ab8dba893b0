// SPDX-License-Identifier: GPL-2.0-only
/* Answers: as text, as JSON, and from tracers that make them wrong. */
#include <errno.h>
#include <math.h>

#include "../fixture/tracerfix.h"
#include "util/json_compat.h"
#include "kselftest_harness.h"

FIXTURE(answers) {
	struct fix f;
};

FIXTURE_SETUP(answers)
{
	fix_init(&self->f);
}

FIXTURE_TEARDOWN(answers)
{
	fix_destroy(&self->f);
}

/* Text: aligned, with units, and nothing that harms a terminal. */
TEST_F(answers, text)
{
	struct fix *f = &self->f;
	u64 a;

	ASSERT_EQ(0, tracers_add(&f->ts, "top,by=what"));
	ASSERT_EQ(0, fix_run(f, 0, 5000000000));
	a = fix_start(f, &(struct trace_task){ .what = "a\033[1m", .start = 5 });
	fix_end(f, a, 1234005);
	a = fix_start(f, &(struct trace_task){ .what = "long name", .start = 5 });
	fix_end(f, a, 3000000005);
	ASSERT_EQ(0, fix_answer(f, false));
	EXPECT_STREQ("top,by=what\n"
		     "  groups  2\n"
		     "  top:\n"
		     "    what       tasks       total     average         max\n"
		     "    long name      1  3.000000 s  3.000000 s  3.000000 s\n"
		     "    a\\x1b[1m       1  0.001234 s  0.001234 s  0.001234 s\n", f->text);
}

static const char *in_column(enum unit_kind kind, u64 largest, u64 value)
{
	static char text[UNIT_TEXT];

	return unit_put(kind, unit_of(kind, largest), value, text);
}

/* Each number has the unit of the largest one. */
TEST(units_of_columns)
{
	EXPECT_STREQ("999 ns", in_column(UNIT_TIME, 999, 999));
	EXPECT_STREQ("0.007 us", in_column(UNIT_TIME, 1000, 7));
	EXPECT_STREQ("9.999 ms", in_column(UNIT_TIME, 9999999, 9999999));
	EXPECT_STREQ("10.000 ms", in_column(UNIT_TIME, 10000000, 10000000));
	EXPECT_STREQ("0.001 ms", in_column(UNIT_TIME, 10000000, 1000));
	EXPECT_STREQ("<0.001 ms", in_column(UNIT_TIME, 10000000, 999));
	EXPECT_STREQ("<0.000001 s", in_column(UNIT_TIME, 10000000000, 1));
	EXPECT_STREQ("<0.1 KiB", in_column(UNIT_BYTES, 1048575, 102));
	EXPECT_STREQ("0.1 KiB", in_column(UNIT_BYTES, 1048575, 103));
	EXPECT_STREQ("0 ms", in_column(UNIT_TIME, 10000000, 0));
	EXPECT_STREQ("9.999999 s", in_column(UNIT_TIME, 9999999999, 9999999999));
	EXPECT_STREQ("10.000000 s", in_column(UNIT_TIME, 10000000000, 10000000000));
	EXPECT_STREQ("18446744073.709551 s", in_column(UNIT_TIME, ~0ULL, ~0ULL));
	EXPECT_STREQ("0 B", in_column(UNIT_BYTES, 0, 0));
	EXPECT_STREQ("1023.9 KiB", in_column(UNIT_BYTES, 1048575, 1048575));
	EXPECT_STREQ("7.062 MiB", in_column(UNIT_BYTES, 7405568, 7405568));
	EXPECT_STREQ("15.999 EiB", in_column(UNIT_BYTES, ~0ULL, ~0ULL));
}

/* C1 as it is in UTF-8 and as bytes; letters whose UTF-8 has such bytes in it. */
TEST(control_characters)
{
	struct tracer_answer *to = answer_create(false);
	char *text = NULL;
	size_t size;
	FILE *out;

	answer_open(to, "c1", "c1");
	answer_text(to, "csi", "a\xc2\x9bJ");
	answer_text(to, "byte", "a\x9bJ");
	answer_text(to, "letters", "\xc3\x80\xe2\x82\xac\xc2\xa0");
	EXPECT_EQ(0, answer_close(to));
	out = open_memstream(&text, &size);
	EXPECT_EQ(0, answer_write(to, out));
	fclose(out);
	answer_destroy(to);
	EXPECT_STREQ("c1\n"
		     "  csi      a\\xc2\\x9bJ\n"
		     "  byte     a\\x9bJ\n"
		     "  letters  \xc3\x80\xe2\x82\xac\xc2\xa0\n", text);
	free(text);
}

static void say_units(struct tracer_answer *to)
{
	answer_open(to, "units", "units");
	answer_bytes(to, "none", 0);
	answer_bytes(to, "a", 1023);
	answer_bytes(to, "b", 1024);
	answer_bytes(to, "c", 1024 * 1024 - 1);
	answer_bytes(to, "d", (u64)-1);
	answer_gap(to);
	answer_table(to, "shares", "share");
	answer_row(to);
	answer_share(to, "share", 1, 3);
	answer_table_end(to);
	answer_gap(to);
	answer_gap(to);
	answer_share(to, "all", 7, 7);
	answer_gap(to);
}

/* Text has units, JSON exact numbers; a gap is one line, and none at the end. */
TEST(units)
{
	struct tracer_answer *to = answer_create(false);
	struct json_object *all, *one;
	char *text = NULL;
	size_t size;
	FILE *out;

	say_units(to);
	EXPECT_EQ(0, answer_close(to));
	out = open_memstream(&text, &size);
	EXPECT_EQ(0, answer_write(to, out));
	fclose(out);
	answer_destroy(to);
	EXPECT_STREQ("units\n"
		     "  none         0 B\n"
		     "  a         1023 B\n"
		     "  b        1.0 KiB\n"
		     "  c     1023.9 KiB\n"
		     "  d     15.999 EiB\n"
		     "\n"
		     "  shares:\n"
		     "     share\n"
		     "    33.3 %\n"
		     "\n"
		     "  all  100.0 %\n", text);
	free(text);

	to = answer_create(true);
	say_units(to);
	EXPECT_EQ(0, answer_close(to));
	out = open_memstream(&text, &size);
	EXPECT_EQ(0, answer_write(to, out));
	fclose(out);
	answer_destroy(to);
	all = json_tokener_parse(text);
	one = json_object_array_get_idx(all, 0);
	EXPECT_EQ((u64)-1, json_to_u64(json_object_object_get(one, "d")));
	EXPECT_EQ(1.0, json_object_get_double(json_object_object_get(one, "all")));
	json_object_put(all);
	free(text);
}

/* Ways to make an answer wrong; all but the first. */
static const char *way;
static const char *const ways[] = {
	"none", "no end", "no end at all", "no row", "no table", "no begin", "table in table", "gap in table",
	"no such column", "no columns", "too many columns", "column twice", "column nameless",
	"twice in a row", "twice", "almost twice", "tracer", "table twice", "NULL", "empty",
	"long", "newline", "latin",
};

static bool is(const char *what)
{
	return !strcmp(way, what);
}

static void make_table(struct tracer_answer *to, const char *name)
{
	answer_table(to, name, is("too many columns") ? "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q" :
		     is("column twice") ? "a,b,a" : is("column nameless") ? "a,,b" :
		     is("no columns") ? "" : "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p");
	if (!is("no row"))
		answer_row(to);
	answer_u64(to, "b", 2);
	if (is("no such column"))
		answer_u64(to, "z", 1);
	if (is("twice in a row"))
		answer_u64(to, "b", 1);
	if (is("table in table"))
		answer_table(to, "another", "a");
	if (is("gap in table"))
		answer_gap(to);
	if (!is("no end") && !is("no end at all"))
		answer_table_end(to);
}

static const char *name_of_value(void)
{
	return is("NULL") ? NULL : is("empty") ? "" : is("newline") ? "a\nb" :
	       is("latin") ? "caf\xe9" : is("twice") ? "a value" :
	       is("almost twice") ? "a_value" : is("tracer") ? "tracer" :
	       is("long") ? "0123456789012345678901234567890123456789012345678901234567891" :
	       "012345678901234567890123456789012345678901234567890123456789";
}

static int make_answer(void *data, struct tracer_answer *to)
{
	(void)data;
	answer_u64(to, "a value", 1);
	if (is("no table"))
		answer_row(to);
	if (is("no begin"))
		answer_table_end(to);
	make_table(to, "table");
	if (is("table twice"))
		make_table(to, "table");
	if (!is("no end at all"))
		answer_u64(to, name_of_value(), 2);
	return 0;
}

static const struct tracer_class maker = {
	.abi = TRACER_ABI, .name = "maker", .sentence = "makes wrong answers",
	.answer = make_answer,
};

/* Nothing of it is printed, and no other answer either: the run ends. */
TEST(misuse)
{
	unsigned int i, json;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (json = 0; json < 2; json++) {
			struct fix f;

			way = ways[i];
			if (json && is("no columns"))
				continue;
			fix_init(&f);
			ASSERT_EQ(0, tracers_add_class(&f.ts, &maker, "maker"));
			ASSERT_EQ(0, tracers_add(&f.ts, "total"));
			ASSERT_EQ(0, fix_run(&f, 0, 1000));
			EXPECT_EQ(i ? -EINVAL : 0, fix_answer(&f, json)) {
				TH_LOG("%s, %s", way, json ? "JSON" : "text");
			}
			fix_destroy(&f);
		}
	}
}

static int answer_of_nothing(void *data, struct tracer_answer *to)
{
	(void)data;
	answer_real(to, "nan", NAN);
	answer_real(to, "inf", -INFINITY);
	answer_real(to, "real", 1.5);
	answer_text(to, "text", NULL);
	answer_table(to, "table", "share,real,text");
	answer_row(to);
	answer_share(to, "share", 1, 0);
	answer_text(to, "text", NULL);
	answer_row(to);
	answer_share(to, "share", 1, 4);
	answer_text(to, "text", "word");
	answer_table_end(to);
	return 0;
}

static const struct tracer_class nobody = {
	.abi = TRACER_ABI, .name = "nobody", .sentence = "has nothing to say",
	.answer = answer_of_nothing,
};

/* What is no number, and no text, is nothing. */
TEST_F(answers, nothing)
{
	struct fix *f = &self->f;

	ASSERT_EQ(0, tracers_add_class(&f->ts, &nobody, "nobody"));
	ASSERT_EQ(0, fix_run(f, 0, 1000));
	ASSERT_EQ(0, fix_answer(f, false));
	EXPECT_STREQ("nobody\n"
		     "  nan       -\n"
		     "  inf       -\n"
		     "  real  1.500\n"
		     "  text      -\n"
		     "  table:\n"
		     "     share  real  text\n"
		     "         -     -     -\n"
		     "    25.0 %     -  word\n", f->text);
	free(f->text);
	ASSERT_EQ(0, fix_answer(f, true));
	EXPECT_EQ(NULL, strstr(f->text, "NaN"));
	EXPECT_EQ(NULL, strstr(f->text, "Infinity"));
	ASSERT_TRUE(json_object_object_get_ex(json_object_array_get_idx(f->answers, 0), "nan",
					      NULL));
	EXPECT_EQ(NULL, fix_value(f, 0, NULL, 0, "nan"));
	EXPECT_EQ(1.5, fix_real(f, 0, "real"));
	EXPECT_EQ(2, fix_rows(f, 0, "table"));
	EXPECT_EQ(NULL, fix_value(f, 0, "table", 0, "share"));
	EXPECT_STREQ("word", fix_cell_text(f, 0, "table", 1, "text"));
}

static int to_give, times_told;

static int give(void *data, const struct trace_task *task)
{
	(void)data;
	(void)task;
	times_told++;
	return to_give;
}

static int give_at_init(void *data, const struct tracer_run *run)
{
	(void)data;
	(void)run;
	return to_give;
}

static const struct tracer_class giver = {
	.abi = TRACER_ABI, .name = "giver", .sentence = "gives what it is to give",
	.start = give, .end = give,
}, init_giver = {
	.abi = TRACER_ABI, .name = "giver", .sentence = "gives it at once",
	.init = give_at_init,
};

/* A tracer that fails ends the run and gets no more callbacks. */
TEST_F(answers, failure)
{
	struct fix *f = &self->f;

	to_give = 0;
	times_told = 0;
	ASSERT_EQ(0, tracers_add_class(&f->ts, &giver, "giver"));
	ASSERT_EQ(0, fix_run(f, 0, 1000));
	fix_start(f, &(struct trace_task){ .start = 10 });
	to_give = -ENOSPC;
	fix_end(f, 1, 20);
	EXPECT_EQ(-ENOSPC, f->tasks.error);
	EXPECT_EQ(2, times_told);
	fix_start(f, &(struct trace_task){ .start = 30 });
	EXPECT_EQ(2, times_told);
}

/* What is neither 0 nor an errno is an error nonetheless. */
TEST_F(answers, positive)
{
	struct fix *f = &self->f;

	to_give = 1;
	ASSERT_EQ(0, tracers_add_class(&f->ts, &giver, "giver"));
	ASSERT_EQ(0, fix_run(f, 0, 1000));
	fix_start(f, &(struct trace_task){ .start = 10 });
	EXPECT_EQ(-EINVAL, f->tasks.error);
}

TEST_F(answers, positive_at_init)
{
	struct fix *f = &self->f;

	to_give = 1;
	ASSERT_EQ(0, tracers_add_class(&f->ts, &init_giver, "giver"));
	EXPECT_EQ(-EINVAL, fix_run(f, 0, 1000));
}

TEST_HARNESS_MAIN
