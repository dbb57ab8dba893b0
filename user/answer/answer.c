// SPDX-License-Identifier: GPL-2.0-only
/* Answers, as text or as JSON: see answer.h. */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "answer/answer.h"
#include "answer/cells.h"
#include "util/json.h"
#include "util/json_compat.h"
#include "util/msg.h"
#include "util/out.h"
#include "util/utf8.h"

#define KEY_MAX_LEN	(TRACER_NAME_MAX + 4)	/* with "_ns" */

/**
 * struct tracer_answer - Answers.
 * @all: JSON: the array of answers; NULL: text
 * @asked: what the user wrote for the answer that is open
 * @one: the answer that is open; text: only the names in it
 * @table: JSON: the table that is open
 * @row: JSON: its last row
 * @in_table: a table is open
 * @in_row: it has a row
 * @title: name of that table
 * @columns: of the table that is open; text: of the lines that are not written yet: 2 if
 *	     no table is open
 * @names: of the columns of the table that is open
 * @given: a bit for each column whose value the last row has
 * @key: key of the current value
 * @column: its column
 * @wrong: the first thing its tracer did that values.h does not allow; "": nothing
 * @out: text: all that is ready
 * @text: text: the buffer of @out
 * @size: length of @text
 * @gap: text: an empty line comes before what comes next
 * @cells: text: those lines, cell by cell
 * @bold: text: headings are bold
 * @width: text: columns of a line, 0: any
 * @failed: there was no memory
 */
struct tracer_answer {
	struct json_object *all;
	const char *asked;
	struct json_object *one;
	struct json_object *table;
	struct json_object *row;
	bool in_table;
	bool in_row;
	char title[KEY_MAX_LEN];
	unsigned int columns;
	char names[TRACER_COLUMNS_MAX][KEY_MAX_LEN];
	u32 given;
	char key[KEY_MAX_LEN];
	unsigned int column;
	char wrong[256];
	FILE *out;
	char *text;
	size_t size;
	bool gap;
	struct cells cells;
	bool bold;
	int width;
	bool failed;
};

/* Answers go to stdout; see no-color.org. */
static bool has_colors(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(none && *none) && term && strcmp(term, "dumb");
}

/* Columns of a line; 0: any. COLUMNS counts for files and pipes, too: shells do not hand it on. */
static int line_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns && atoi(columns) > 0)
		return atoi(columns);
	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

struct tracer_answer *answer_create(bool json)
{
	struct tracer_answer *to = calloc(1, sizeof(*to));

	if (!to)
		return NULL;
	if (json)
		to->all = json_object_new_array();
	else
		to->out = open_memstream(&to->text, &to->size);
	to->bold = has_colors();
	to->width = line_width();
	if (to->all || to->out)
		return to;
	free(to);
	return NULL;
}

void answer_destroy(struct tracer_answer *to)
{
	if (!to)
		return;
	if (!to->all)
		json_object_put(to->one);
	json_object_put(to->all);
	if (to->out)
		fclose(to->out);
	cells_free(&to->cells);
	free(to->text);
	free(to);
}

static void print_gap(struct tracer_answer *to)
{
	if (to->gap)
		fputc('\n', to->out);
	to->gap = false;
}

/* All lines that were collected. */
static void print_cells(struct tracer_answer *to)
{
	if (!to->cells.nr)
		return;
	print_gap(to);
	if (to->in_table)
		cells_print(&to->cells, to->columns, "  ", to->width, to->out);
	else
		cells_print(&to->cells, to->columns, "", 0, to->out);
}

/* A tracer has violated the rules of values.h. Its further calls are ignored. */
static void __printf_like(2, 3) misused(struct tracer_answer *to, const char *fmt, ...)
{
	va_list ap;

	if (to->wrong[0])
		return;
	va_start(ap, fmt);
	vsnprintf(to->wrong, sizeof(to->wrong), fmt, ap);
	va_end(ap);
}

static bool check_name(struct tracer_answer *to, const char *name)
{
	size_t len = 0;

	while (name && name[len] >= ' ' && name[len] <= '~')
		len++;
	if (len && len <= TRACER_NAME_MAX && !name[len])
		return true;
	misused(to, "a name has to be 1 to %u printable characters of ASCII", TRACER_NAME_MAX);
	return false;
}

/* "run queue" becomes "run_queue", a time "run_queue_ns". */
static void make_key(char *key, const char *name, const char *suffix)
{
	snprintf(key, KEY_MAX_LEN, "%s%s", name, suffix);
	for (; *key; key++) {
		if (*key == ' ')
			*key = '_';
	}
}

static bool expect_value(struct tracer_answer *to)
{
	if (json_object_object_get_ex(to->one, to->key, NULL)) {
		misused(to, "\"%s\" is there already", to->key);
		return false;
	}
	if (!to->all && json_object_object_add(to->one, to->key, NULL))
		to->failed = true;
	return true;
}

static bool expect_cell(struct tracer_answer *to, const char *name)
{
	unsigned int i = 0;

	while (i < to->columns && strcmp(to->names[i], name))
		i++;
	if (!to->in_row)
		misused(to, "\"%s\" comes before the first row of table \"%s\"", name, to->title);
	else if (to->columns && i == to->columns)
		misused(to, "table \"%s\" is open and has no column \"%s\"", to->title, name);
	else if (to->given >> i & 1 || json_object_object_get_ex(to->row, to->key, NULL))
		misused(to, "a row of table \"%s\" has \"%s\" twice", to->title, name);
	if (to->columns)
		to->given |= 1U << i;
	to->column = i;
	return !to->wrong[0];
}

/* Is a value of this name allowed now? If so, set ->key and ->column. */
static bool expect(struct tracer_answer *to, const char *name, const char *suffix)
{
	if (to->wrong[0] || !check_name(to, name))
		return false;
	make_key(to->key, name, suffix);
	return to->in_table ? expect_cell(to, name) : expect_value(to);
}

static void add_json(struct tracer_answer *to, struct json_object *value)
{
	struct json_object *in = to->in_table ? to->row : to->one;

	if (value && in && !json_object_object_add(in, to->key, value))
		return;
	json_object_put(value);
	to->failed = true;
}

/* The cell of the current value; NULL without memory. */
static struct cell *next_cell(struct tracer_answer *to, const char *name)
{
	if (!to->in_table) {
		cells_set(&to->cells, cells_add(&to->cells), name, true);
		return cells_add(&to->cells);
	}
	return to->cells.failed ? NULL :
	       &to->cells.list[to->cells.nr - to->columns + to->column];
}

static void __printf_like(4, 5) add_text(struct tracer_answer *to, const char *name, bool left,
					 const char *fmt, ...)
{
	char text[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cells_set(&to->cells, next_cell(to, name), text, left);
}

static void add_nothing(struct tracer_answer *to, const char *name)
{
	struct json_object *in = to->in_table ? to->row : to->one;

	if (!to->all)
		next_cell(to, name);
	else if (!in || json_object_object_add(in, to->key, NULL))
		to->failed = true;
}

void answer_u64(struct tracer_answer *to, const char *name, u64 value)
{
	if (!expect(to, name, ""))
		return;
	if (to->all)
		add_json(to, json_from_u64(value));
	else
		add_text(to, name, false, "%llu", value);
}

/* In a table, all of a column get the same unit at the end. */
static void add_number(struct tracer_answer *to, const char *name, enum unit_kind kind, u64 value)
{
	struct cell *cell = next_cell(to, name);
	char text[UNIT_TEXT];

	cells_set(&to->cells, cell, unit_put(kind, unit_of(kind, value), value, text), false);
	if (!cell || !to->in_table)
		return;
	cell->kind = kind;
	cell->value = value;
}

const char *answer_time_like(u64 ns, u64 of, char text[ANSWER_TIME])
{
	return unit_put(UNIT_TIME, unit_of(UNIT_TIME, of), ns, text);
}

const char *answer_time(u64 ns, char text[ANSWER_TIME])
{
	return answer_time_like(ns, ns, text);
}

const char *answer_size(u64 bytes, char text[ANSWER_TIME])
{
	return unit_put(UNIT_BYTES, unit_of(UNIT_BYTES, bytes), bytes, text);
}

void answer_ns(struct tracer_answer *to, const char *name, u64 ns)
{
	if (!expect(to, name, "_ns"))
		return;
	if (to->all)
		add_json(to, json_from_u64(ns));
	else
		add_number(to, name, UNIT_TIME, ns);
}

void answer_bytes(struct tracer_answer *to, const char *name, u64 bytes)
{
	if (!expect(to, name, ""))
		return;
	if (to->all)
		add_json(to, json_from_u64(bytes));
	else
		add_number(to, name, UNIT_BYTES, bytes);
}

void answer_share(struct tracer_answer *to, const char *name, u64 part, u64 whole)
{
	if (!expect(to, name, ""))
		return;
	if (!whole)
		add_nothing(to, name);
	else if (to->all)
		add_json(to, json_object_new_double((double)part / whole));
	else
		add_text(to, name, false, "%.1f %%", 100 * ((double)part / whole));
}

/* JSON has no numbers that are not finite. */
void answer_real(struct tracer_answer *to, const char *name, double value)
{
	if (!expect(to, name, ""))
		return;
	if (!isfinite(value))
		add_nothing(to, name);
	else if (to->all)
		add_json(to, json_object_new_double(value));
	else
		add_text(to, name, false, "%.3f", value);
}

/* Paths may hold anything, but JSON is UTF-8. */
static struct json_object *json_text(const char *text)
{
	char *clean = malloc(3 * strlen(text) + 1);
	struct json_object *value;

	if (!clean)
		return NULL;
	utf8_clean(clean, text);
	value = json_object_new_string(clean);
	free(clean);
	return value;
}

static void put_text(struct tracer_answer *to, const char *name, const char *text, bool left)
{
	if (!expect(to, name, ""))
		return;
	if (!text)
		add_nothing(to, name);
	else if (to->all)
		add_json(to, json_text(text));
	else
		cells_set(&to->cells, next_cell(to, name), text, left);
}

void answer_text(struct tracer_answer *to, const char *name, const char *text)
{
	put_text(to, name, text, true);
}

void answer_number(struct tracer_answer *to, const char *name, const char *text)
{
	put_text(to, name, text, false);
}

static void add_column(struct tracer_answer *to, const char *name)
{
	unsigned int i;

	if (to->columns == TRACER_COLUMNS_MAX)
		misused(to, "table \"%s\" has more than %u columns", to->title,
			TRACER_COLUMNS_MAX);
	if (to->wrong[0] || !check_name(to, name))
		return;
	for (i = 0; i < to->columns; i++) {
		if (!strcmp(to->names[i], name))
			misused(to, "table \"%s\" has two columns \"%s\"", to->title, name);
	}
	strcpy(to->names[to->columns++], name);
}

static void set_columns(struct tracer_answer *to, const char *columns)
{
	char name[KEY_MAX_LEN];
	size_t len;

	for (to->columns = 0; columns && *columns && !to->wrong[0];) {
		len = strcspn(columns, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, columns);
		add_column(to, name);
		columns += len + (columns[len] == ',');
	}
	if (!to->columns && to->out)
		misused(to, "table \"%s\" has no columns", to->title);
}

static void open_table(struct tracer_answer *to, const char *name)
{
	if (to->all) {
		to->table = json_object_new_array();
		add_json(to, to->table);
	} else {
		print_cells(to);
		print_gap(to);
		fprintf(to->out, to->bold ? "  \033[1m%s:\033[0m\n" : "  %s:\n", name);
	}
	to->in_table = true;
	to->in_row = false;
	strcpy(to->title, name);
}

void answer_table(struct tracer_answer *to, const char *name, const char *columns)
{
	unsigned int i;

	if (to->in_table)
		misused(to, "table \"%s\" is not ended", to->title);
	if (!expect(to, name, ""))
		return;
	open_table(to, name);
	set_columns(to, columns);
	for (i = 0; i < to->columns && to->out; i++)
		cells_set(&to->cells, cells_add(&to->cells), to->names[i], false);
}

void answer_row(struct tracer_answer *to)
{
	unsigned int i;

	if (!to->in_table)
		misused(to, "a row that is in no table");
	if (to->wrong[0])
		return;
	to->in_row = true;
	to->given = 0;
	for (i = 0; i < to->columns && to->out; i++)
		cells_add(&to->cells);
	if (to->out)
		return;
	to->row = json_object_new_object();
	if (to->row && to->table && !json_object_array_add(to->table, to->row))
		return;
	json_object_put(to->row);
	to->row = NULL;
	to->failed = true;
}

void answer_table_end(struct tracer_answer *to)
{
	if (!to->in_table)
		misused(to, "the end of a table that has not begun");
	if (to->wrong[0])
		return;
	to->table = NULL;
	to->row = NULL;
	if (to->out) {
		cells_one_unit(&to->cells, to->columns);
		cells_align_heads(&to->cells, to->columns);
		print_cells(to);
		to->columns = 2;
	}
	to->in_table = false;
}

void answer_gap(struct tracer_answer *to)
{
	if (to->in_table)
		misused(to, "a gap within table \"%s\"", to->title);
	if (to->wrong[0])
		return;
	if (to->out)
		print_cells(to);
	to->gap = true;
}

void answer_open(struct tracer_answer *to, const char *name, const char *asked)
{
	to->asked = asked;
	to->one = json_object_new_object();
	if (!to->one || (to->all && json_object_array_add(to->all, to->one)) ||
	    json_object_object_add(to->one, "tracer", json_text(name)) ||
	    json_object_object_add(to->one, "asked", json_text(asked)))
		to->failed = true;
	if (to->all)
		return;
	to->columns = 2;
	utf8_put_escaped(to->out, asked);
	fputc('\n', to->out);
}

int answer_close(struct tracer_answer *to)
{
	if (to->in_table)
		misused(to, "table \"%s\" is not ended", to->title);
	if (to->wrong[0]) {
		msg_error("tracer \"%s\": its answer is wrong: %s", to->asked, to->wrong);
		return -EINVAL;
	}
	if (to->out) {
		print_cells(to);
		json_object_put(to->one);
	}
	to->one = NULL;
	return 0;
}

int answer_write(struct tracer_answer *to, FILE *f)
{
	if (to->cells.failed || (to->out && fflush(to->out)))
		to->failed = true;
	if (to->failed)
		return -ENOMEM;
	if (to->all && json_write(to->all, f))
		return -ENOMEM;
	if (!to->all)
		fwrite(to->text, 1, to->size, f);
	return out_flush(f);
}
