// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-scenario - write the captures that scenarios describe: see "Scenarios" in testing.rst
 *
 *	gen-scenario FILE DIR	the scenario NAME of FILE becomes the capture DIR/NAME
 */
#include <ctype.h>
#include <stdarg.h>
#include <unistd.h>

#include "capgen.h"

#define WORDS_MAX	64
#define PAGE		4096

/**
 * struct form - How scenarios spell an event.
 * @name: its short name
 * @event: its number
 * @words: fields that need not be named: those of a word are joined by one of SEPARATORS. Of two
 *	   that are joined by '/' the first may be left out, and is as the second
 * @rest: what other fields are if they are not named; the rest is 0
 */
struct form {
	const char *name;
	unsigned int event;
	const char *words;
	const char *rest;
};

#define SEPARATORS	">+/:"
#define FILE_FIELDS	"dev=254:1 ino=7"
#define MM_FIELDS	"mm=@tid flags=rw"
#define MAPPED_FILE	MM_FIELDS " " FILE_FIELDS

static const struct form forms[] = {
	{ "switch", OVNIK_EV_sched_switch, "prev_tid>next_tid prev_state", "" },
	{ "wakeup", OVNIK_EV_sched_wakeup, "tid cpu", "cpu=@cpu waker_tid=@runs" },
	{ "wakeup.new", OVNIK_EV_sched_wakeup_new, "tid cpu", "cpu=@cpu waker_tid=@runs" },
	{ "migrate", OVNIK_EV_sched_migrate, "tid orig_cpu>dest_cpu", "" },
	{ "fork", OVNIK_EV_task_fork, "parent_tgid/parent_tid>child_tgid/child_tid child_comm",
	  "child_start=@now" },
	{ "exec", OVNIK_EV_task_exec, "tgid/tid filename",
	  "old_tid=@tid ino=6699 dev=259:2" },
	{ "exit", OVNIK_EV_task_exit, "tgid/tid exit_code", "" },
	{ "comm", OVNIK_EV_task_comm, "tgid/tid comm", "" },
	{ "mm", OVNIK_EV_task_mm, "tgid/tid reason mm", "mm=@tgid" },
	{ "mm.exit", OVNIK_EV_mm_exit, "mm", "" },
	{ "dump", OVNIK_EV_dump_task, "tgid/tid state comm",
	  "parent_tgid=1 start=@tid000 mm=@tgid" },
	{ "dump.vma", OVNIK_EV_dump_vma, "tid start+length path", MAPPED_FILE },
	{ "dump.file", OVNIK_EV_dump_file, "tid ino path", FILE_FIELDS },
	{ "map.file", OVNIK_EV_mmap_file, "tid start+length path", MAPPED_FILE },
	{ "map.anon", OVNIK_EV_mmap_anon, "tid start+length kind", MM_FIELDS " kind=mmap" },
	{ "map.shm", OVNIK_EV_shm_attach, "tid start+length shmid", MM_FIELDS },
	{ "unmap", OVNIK_EV_munmap, "tid start+length", "mm=@tid" },
	{ "protect", OVNIK_EV_mprotect, "tid start+length flags", "mm=@tid" },
	{ "remap", OVNIK_EV_mremap, "tid old_start+old_length>start+length path",
	  MM_FIELDS },
	{ "dontneed", OVNIK_EV_madvise_dontneed, "tid start+length", "mm=@tid" },
	{ "dup", OVNIK_EV_vma_dup, "tid source_mm>mm start+length", "" },
	{ "cow", OVNIK_EV_cow_break, "tid address", "kind=anon mm=@tid" },
	{ "fault", OVNIK_EV_page_fault, "tid error", "error=user" },
	{ "fault.end", OVNIK_EV_page_fault_end, "tid result", "" },
	{ "page.add", OVNIK_EV_page_add, "ino:offset", FILE_FIELDS },
	{ "page.remove", OVNIK_EV_page_remove, "ino:offset", FILE_FIELDS },
	{ "buffer.add", OVNIK_EV_buffer_add, "offset", "dev=254:1" },
	{ "buffer.remove", OVNIK_EV_buffer_remove, "offset", "dev=254:1" },
	{ "open", OVNIK_EV_file_open, "tid ino path", FILE_FIELDS },
	{ "close", OVNIK_EV_file_close, "tid ino", FILE_FIELDS },
	{ "delete", OVNIK_EV_file_delete, "ino", FILE_FIELDS },
	{ "truncate", OVNIK_EV_file_truncate, "tid ino length", FILE_FIELDS },
	{ "rename", OVNIK_EV_file_rename, "tid ino path", FILE_FIELDS },
	{ "hotplug", OVNIK_EV_cpu_hotplug, "cpu online", "cpu=@cpu" },
	/* After the name of a system call: read.begin, read.got. */
	{ ".begin", OVNIK_EV_file_begin, "tid", "" },
	{ ".got", OVNIK_EV_file_read, "tid result", FILE_FIELDS },
	{ ".put", OVNIK_EV_file_write, "tid result", FILE_FIELDS },
};

/* A value that has a name, by its unit. Names of one value are joined by '+'. */
static const struct {
	const char *unit;
	const char *name;
	u32 value;
} named[] = {
	{ "file_op", "read", OVNIK_OP_READ }, { "file_op", "write", OVNIK_OP_WRITE },
	{ "file_op", "pread", OVNIK_OP_PREAD }, { "file_op", "pwrite", OVNIK_OP_PWRITE },
	{ "file_op", "readv", OVNIK_OP_READV }, { "file_op", "writev", OVNIK_OP_WRITEV },
	{ "file_op", "preadv", OVNIK_OP_PREADV }, { "file_op", "pwritev", OVNIK_OP_PWRITEV },
	{ "file_op", "sendfile", OVNIK_OP_SENDFILE }, { "file_op", "splice", OVNIK_OP_SPLICE },
	{ "file_op", "copy", OVNIK_OP_COPY }, { "file_op", "aio", OVNIK_OP_AIO },
	{ "file_op", "uring", OVNIK_OP_URING }, { "file_op", "other", 99 },
	{ "map_kind", "mmap", OVNIK_MAP_MMAP }, { "map_kind", "brk", OVNIK_MAP_BRK },
	{ "map_kind", "stack", OVNIK_MAP_STACK }, { "map_kind", "growth", OVNIK_MAP_GROWTH },
	{ "map_kind", "special", OVNIK_MAP_SPECIAL },
	{ "mm_reason", "fork", OVNIK_MM_FORK }, { "mm_reason", "exec", OVNIK_MM_EXEC },
	{ "cow_kind", "anon", OVNIK_COW_ANON }, { "cow_kind", "file", OVNIK_COW_FILE },
	{ "cow_kind", "file_new", OVNIK_COW_FILE_NEW },
	{ "fault_error", "read", 0 }, { "fault_error", "prot", OVNIK_FAULT_PROT },
	{ "fault_error", "write", OVNIK_FAULT_WRITE }, { "fault_error", "user", OVNIK_FAULT_USER },
	{ "fault_error", "instr", OVNIK_FAULT_INSTR },
	{ "fault_result", "minor", OVNIK_FAULT_MINOR },
	{ "fault_result", "major", OVNIK_FAULT_MAJOR },
	{ "fault_result", "failed", OVNIK_FAULT_FAILED },
	{ "task_flags", "kthread", OVNIK_TASK_KTHREAD },
};

/* Values of letters, by their unit: that of letter n is bit n. */
static const struct {
	const char *unit;
	const char *letters;
} lettered[] = {
	{ "task_state", "SDTtXZPI+" },
	{ "vma_flags", "rwxsdhW" },
};

/**
 * struct scenario - The one that is being written.
 * @g: its capture
 * @dir: of its capture
 * @gap_end: by CPU: when the gap ends after which nothing is recorded yet; 0: there is none
 * @text: by CPU: where in the sub-buffer the last record with a text begins
 * @open: there is one
 */
static struct {
	struct capgen g;
	char dir[1024];
	u64 gap_end[CAPGEN_CPUS_MAX];
	u32 text[CAPGEN_CPUS_MAX];
	bool open;
} scenario;

static const char *path;
static unsigned int line;
static u32 turn;	/* of a repeated line */

static __attribute__((noreturn, format(printf, 1, 2))) void refuse(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s:%u: ", path, line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* A number, which may count up by the turn ("5.."), be of pages ("5p") or of time ("5us"). */
static u64 number(const char *text)
{
	static const struct {
		const char *suffix;
		u64 factor;
	} units[] = {
		{ "", 1 }, { "p", PAGE }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	char *end;
	u64 value = strtoull(text, &end, 0);
	u32 i;

	if (end == text)
		refuse("\"%s\" is no number", text);
	if (!strncmp(end, "..", 2)) {
		value += turn;
		end += 2;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].suffix))
			return value * units[i].factor;
	refuse("\"%s\" is no unit of the number %s", end, text);
}

static u64 tsc_of(const char *text)
{
	return scenario.g.tsc0 + number(text) * scenario.g.khz / 1000000;
}

static unsigned int cpu_of(const char *word)
{
	u64 cpu = strncmp(word, "cpu", 3) ? CAPGEN_CPUS_MAX : number(word + 3);

	if (cpu >= scenario.g.nr_cpus)
		refuse("%s: there are cpu0 to cpu%u", word, scenario.g.nr_cpus - 1);
	return cpu;
}

static bool lookup(const char *unit, const char *name, size_t len, u64 *value)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(named); i++) {
		if (strcmp(unit, named[i].unit) || strncmp(name, named[i].name, len) ||
		    named[i].name[len])
			continue;
		*value |= named[i].value;
		return true;
	}
	return false;
}

static bool lookup_all(const char *unit, const char *text, u64 *value)
{
	size_t len;

	for (; ; text += len + 1) {
		len = strcspn(text, "+");
		if (!lookup(unit, text, len, value))
			return false;
		if (!text[len])
			return true;
	}
}

static bool spell(const char *unit, const char *text, u64 *value)
{
	const char *letter;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lettered); i++)
		if (!strcmp(unit, lettered[i].unit))
			break;
	if (i == ARRAY_SIZE(lettered) || isdigit(*text))
		return false;
	/* Running, and no right, are no bit. */
	for (; *text; text++) {
		letter = strchr(lettered[i].letters, *text);
		if (letter)
			*value |= 1ULL << (letter - lettered[i].letters);
		else if (*text != 'R' && *text != '-')
			return false;
	}
	return true;
}

/**
 * struct record - A record before it is written.
 * @desc: its event
 * @event: number of it
 * @cpu: where it is recorded
 * @tsc: when
 * @set: which fields have a value
 * @body: as in a capture, without a text
 * @text: text at its end; "^": that of the last one with a text
 */
struct record {
	const struct event_desc *desc;
	unsigned int event;
	unsigned int cpu;
	u64 tsc;
	u32 set;
	char body[OVNIK_REC_MAX];
	const char *text;
};

static u32 field_of(const struct record *rec, const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < rec->desc->nr_fields; i++)
		if (!strncmp(name, rec->desc->fields[i].name, len) &&
		    !rec->desc->fields[i].name[len])
			return i;
	refuse("%s has no field %.*s", rec->desc->name, (int)len, name);
}

static u64 get_field(const struct record *rec, const char *name)
{
	const struct event_field *field = &rec->desc->fields[field_of(rec, name, strlen(name))];
	u64 value = 0;

	memcpy(&value, rec->body + field->offset, field->size);
	return value;
}

/* "@cpu" and so on: what depends on the rest. */
static u64 derived(const struct record *rec, const char *name)
{
	if (!strcmp(name, "cpu"))
		return rec->cpu;
	if (!strcmp(name, "runs"))
		return scenario.g.cpus[rec->cpu].running;
	if (!strcmp(name, "now"))
		return capgen_ns(&scenario.g, rec->tsc);
	if (!strcmp(name, "tid000"))
		return 1000 * get_field(rec, "tid");
	return get_field(rec, name);
}

static u64 value_of(const struct record *rec, const char *unit, const char *text)
{
	const char *minor = strchr(text, ':');
	u64 value = 0;

	if (*text == '@')
		return derived(rec, text + 1);
	if (lookup_all(unit, text, &value) || spell(unit, text, &value))
		return value;
	if (minor && !strcmp(unit, "dev"))
		return strtoul(text, NULL, 0) << 20 | number(minor + 1);
	return number(text);
}

/* A text, in which \ begins the name of a byte: \n, \xc3, or itself. */
static const char *plain(const char *text)
{
	static char to[OVNIK_REC_MAX];
	char hex[3] = "";
	u32 len = 0;

	for (; *text && len < sizeof(to) - 1; text++) {
		to[len++] = *text;
		if (*text != '\\')
			continue;
		text++;
		if (*text == 'n') {
			to[len - 1] = '\n';
		} else if (*text == 'x' && isxdigit(text[1]) && isxdigit(text[2])) {
			memcpy(hex, text + 1, 2);
			to[len - 1] = strtoul(hex, NULL, 16);
			text += 2;
		} else if (*text != '\\') {
			refuse("what is \\%c in a text?", *text);
		}
	}
	to[len] = '\0';
	return to;
}

static void set_field(struct record *rec, u32 nr, const char *text)
{
	const struct event_field *field = &rec->desc->fields[nr];
	u64 value;

	rec->set |= 1U << nr;
	if (!strcmp(field->type, "str")) {
		rec->text = plain(text);
		return;
	}
	if (!strcmp(field->type, "comm")) {
		snprintf(rec->body + field->offset, field->size, "%s", plain(text));
		return;
	}
	value = value_of(rec, field->unit, text);
	memcpy(rec->body + field->offset, &value, field->size);
}

/* A word such as 11/12>13, of the fields @names, such as a/b>c. Return: the end of @names. */
static const char *set_word(struct record *rec, const char *names, char *word)
{
	size_t len, part;
	char sep, *end;

	for (; ; names += len + 1) {
		len = strcspn(names, SEPARATORS " ");
		sep = names[len];
		part = sep && sep != ' ' ? strcspn(word, SEPARATORS) : strlen(word);
		/* The first one is as the second. */
		if (sep == '/' && word[part] != '/') {
			end = strndup(word, part);
			set_field(rec, field_of(rec, names, len), end);
			free(end);
			continue;
		}
		/* So may the last one of all. */
		if (sep == ':' && !word[part])
			sep = '\0';
		if (sep && sep != ' ' && word[part] != sep)
			refuse("%s is not %s", word, names);
		end = word + part;
		if (*end)
			*end++ = '\0';
		set_field(rec, field_of(rec, names, len), word);
		if (!sep || sep == ' ') {
			names += strcspn(names, " ");
			return names + !!*names;
		}
		word = end;
	}
}

static void set_rest(struct record *rec, const char *rest)
{
	char *copy = strdup(rest), *next = copy, *word, *value;
	u32 nr;

	while ((word = strsep(&next, " ")) && *word) {
		value = strchr(word, '=');
		nr = field_of(rec, word, value - word);
		if (!(rec->set & 1U << nr))
			set_field(rec, nr, value + 1);
	}
	free(copy);
}

/* Of read.begin @op is set to "read", which has the length @len. */
static struct form find_form(const char *name, const char **op, size_t *len)
{
	const char *dot = strchr(name, '.');
	struct form plain = { name, event_by_name(name, strlen(name)), "", "" };
	u32 i;

	*op = NULL;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!strcmp(name, forms[i].name))
			return forms[i];
		if (forms[i].name[0] != '.' || !dot || strcmp(dot, forms[i].name))
			continue;
		*op = name;
		*len = dot - name;
		return forms[i];
	}
	if (!plain.event)
		refuse("\"%s\" is no event", name);
	return plain;
}

/* The next record of a CPU ends a gap. */
static void end_gap(const struct record *rec)
{
	u64 end = scenario.gap_end[rec->cpu];

	if (rec->tsc < end || rec->tsc < scenario.g.cpus[rec->cpu].last)
		refuse("cpu%u is later already", rec->cpu);
	if (end)
		capgen_open_subbuf(&scenario.g, rec->cpu, end);
	scenario.gap_end[rec->cpu] = 0;
}

static void write_text(const struct record *rec)
{
	const struct event_field *last = &rec->desc->fields[rec->desc->nr_fields - 1];
	struct capgen_cpu *c = &scenario.g.cpus[rec->cpu];
	u32 *before = &scenario.text[rec->cpu];
	char *to;

	if (!rec->text || strcmp(rec->text, "^")) {
		to = capgen_record_str(&scenario.g, rec->cpu, rec->tsc, rec->event, last->offset,
				       rec->text ?: "");
		*before = to - c->buf;
	} else {
		to = capgen_record_again(&scenario.g, rec->cpu, rec->tsc, rec->event, last->offset,
					 c->pos - *before);
	}
	/* The length has its place. */
	memcpy(to + 8, rec->body + 8, last->offset - 8);
}

static void write_record(const struct record *rec)
{
	struct capgen_cpu *c = &scenario.g.cpus[rec->cpu];
	bool switches = rec->event == OVNIK_EV_sched_switch;

	if (switches)
		c->running = get_field(rec, "prev_tid");
	end_gap(rec);
	if (event_has_text(rec->desc))
		write_text(rec);
	else
		memcpy((char *)capgen_record(&scenario.g, rec->cpu, rec->tsc, rec->event,
					     rec->desc->size) + OVNIK_REC_HEADER,
		       rec->body + OVNIK_REC_HEADER, rec->desc->size - OVNIK_REC_HEADER);
	if (switches)
		c->running = get_field(rec, "next_tid");
}

static void set_words(struct record *rec, const struct form *form, char **words, u32 nr)
{
	const char *next = form->words;
	char *value;
	u32 i;

	for (i = 0; i < nr; i++) {
		value = words[i] + strspn(words[i], "abcdefghijklmnopqrstuvwxyz_");
		if (value > words[i] && *value == '=') {
			set_field(rec, field_of(rec, words[i], value - words[i]), value + 1);
			continue;
		}
		if (!*next)
			refuse("%s: what is \"%s\"?", form->name, words[i]);
		next = set_word(rec, next, words[i]);
	}
	set_rest(rec, form->rest);
}

/* TIME [cpuN] NAME WORD...: without a CPU it is on CPU 0. */
static void add_event(char **words, u32 nr)
{
	struct record rec = { .tsc = tsc_of(words[0]) };
	struct form form;
	const char *op;
	u64 value = 0;
	size_t len;
	u32 at = 1;

	if (nr > at && !strncmp(words[at], "cpu", 3) && isdigit(words[at][3]))
		rec.cpu = cpu_of(words[at++]);
	if (at >= nr)
		refuse("what happens at %s?", words[0]);
	form = find_form(words[at], &op, &len);
	rec.event = form.event;
	rec.desc = &event_table[rec.event];
	set_words(&rec, &form, words + at + 1, nr - at - 1);
	if (op && !lookup("file_op", op, len, &value))
		refuse("%.*s is no call", (int)len, op);
	/* The first field of all three. */
	if (op)
		memcpy(rec.body + rec.desc->fields[0].offset, &value, rec.desc->fields[0].size);
	write_record(&rec);
}

/* gap cpuN BEGIN-END EVENT[*NUMBER]...; END may be "end", after which there is no record. */
static void add_gap(char **words, u32 nr)
{
	unsigned int cpu = cpu_of(words[1]), event;
	struct capgen_cpu *c = &scenario.g.cpus[cpu];
	char *begin = words[2], *end = strchr(begin, '-'), *times;
	u32 i;

	if (!end)
		refuse("a gap has a beginning and an end: 30-40");
	*end++ = '\0';
	if (tsc_of(begin) < c->last)
		refuse("cpu%u is later already", cpu);
	capgen_close_subbuf(&scenario.g, cpu, tsc_of(begin));
	scenario.gap_end[cpu] = strcmp(end, "end") ? tsc_of(end) : ~0ULL;
	for (i = 3; i < nr; i++) {
		times = strchr(words[i], '*');
		if (times)
			*times++ = '\0';
		event = event_by_name(words[i], strlen(words[i]));
		if (!event)
			refuse("\"%s\" is no event", words[i]);
		c->lost[event] += times ? number(times) : 1;
	}
}

static void set_option(struct capgen *g, const char *name, const char *value)
{
	if (!strcmp(name, "filter"))
		g->filter = strdup(value);
	else if (!strcmp(name, "page_size"))
		g->page_size = number(value);
	else if (!strcmp(name, "width"))
		g->width = number(value);
	else if (strcmp(name, "cpus") && strcmp(name, "clock"))
		refuse("a scenario has no option \"%s\"", name);
}

static void finish(void)
{
	if (scenario.open)
		capgen_close(&scenario.g);
	scenario.open = false;
}

/* scenario NAME [OPTION=VALUE]...: by default two CPUs, and stamps of CLOCK_MONOTONIC. */
static void begin_scenario(const char *dir, char **words, u32 nr)
{
	unsigned int cpus = 2;
	bool tsc = false;
	char *value;
	u32 i;

	finish();
	if (nr < 2)
		refuse("a scenario has a name");
	for (i = 2; i < nr; i++) {
		tsc = tsc || !strcmp(words[i], "clock=tsc");
		if (!strncmp(words[i], "cpus=", 5))
			cpus = number(words[i] + 5);
	}
	snprintf(scenario.dir, sizeof(scenario.dir), "%s/%s", dir, words[1]);
	if (!access(scenario.dir, F_OK))
		refuse("there is a %s already", words[1]);
	if (cpus > CAPGEN_CPUS_MAX || capgen_open(&scenario.g, scenario.dir, cpus))
		refuse("%s cannot be written", scenario.dir);
	scenario.open = true;
	memset(scenario.gap_end, 0, sizeof(scenario.gap_end));
	if (!tsc) {
		capgen_monotonic(&scenario.g);
		scenario.g.width = 0;
	}
	for (i = 2; i < nr; i++) {
		value = strchr(words[i], '=');
		if (!value)
			refuse("%s has no value", words[i]);
		*value++ = '\0';
		set_option(&scenario.g, words[i], value);
	}
}

/* Events, with NULL between them. */
static void add_events(char **words, u32 nr)
{
	u32 from = 0, i;

	for (i = 0; i <= nr; i++) {
		if (i < nr && words[i])
			continue;
		if (i > from)
			add_event(words + from, i - from);
		from = i + 1;
	}
}

/* The words of a text, up to a comment: "two words" are one, and ; is NULL. */
static u32 split(char *text, char **words)
{
	char *end, stop;
	u32 nr = 0;

	for (; ; text = end) {
		text += strspn(text, " \t\n");
		if (!*text || *text == '#')
			return nr;
		if (nr + 2 > WORDS_MAX)
			refuse("too many words");
		end = *text == '"' ? strchr(text + 1, '"') : text + strcspn(text, " \t\n;");
		if (!end)
			refuse("a quotation mark is missing");
		words[nr++] = text + (*text == '"');
		stop = *end;
		if (stop)
			*end++ = '\0';
		if (stop == ';' && end - 1 == text)
			nr--;
		if (stop == ';')
			words[nr++] = NULL;
	}
}

/* repeat TIMES EVENT...; @text is that line once more. */
static void repeat(char **words, const char *text)
{
	u64 times = number(words[1]);

	for (turn = 0; turn < times; turn++) {
		char *copy = strdup(text);

		add_events(words + 2, split(copy, words) - 2);
		free(copy);
	}
	turn = 0;
}

static void read_line(const char *dir, char *text)
{
	char *words[WORDS_MAX], *copy = strdup(text);
	u32 nr = split(text, words), i;

	if (!nr)
		goto out;
	for (i = 0; i < nr && !isdigit(text[0]); i++)
		if (!words[i] && strcmp(words[0], "repeat"))
			refuse("; is between events");
	if (!strcmp(words[0], "scenario"))
		begin_scenario(dir, words, nr);
	else if (!scenario.open)
		refuse("no scenario has begun");
	else if (nr > 3 && !strcmp(words[0], "gap"))
		add_gap(words, nr);
	else if (nr == 3 && !strcmp(words[1], "runs"))
		scenario.g.cpus[cpu_of(words[0])].running = number(words[2]);
	else if (nr > 2 && !strcmp(words[0], "repeat"))
		repeat(words, copy);
	else
		add_events(words, nr);
out:
	free(copy);
}

/* Lines of an expectation, which are not for us, are indented. */
static bool is_expectation(const char *text)
{
	return isblank(*text) || !strncmp(text, "expect ", 7);
}

int main(int argc, char **argv)
{
	size_t room = 0;
	char *text = NULL;
	FILE *f;

	if (argc != 3) {
		fputs("usage: gen-scenario FILE DIR\n", stderr);
		return 2;
	}
	path = argv[1];
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		return 1;
	}
	mkdir(argv[2], 0777);
	while (getline(&text, &room, f) >= 0) {
		line++;
		if (!is_expectation(text))
			read_line(argv[2], text);
	}
	finish();
	free(text);
	fclose(f);
	return 0;
}
