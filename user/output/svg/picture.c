// SPDX-License-Identifier: GPL-2.0-only
/* What is in a picture, and where: see picture.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/svg/canvas.h"
#include "output/svg/choice.h"
#include "output/svg/picture.h"

#define PAD		150	/* units around the picture */
#define INDENT		60
#define BASELINE	185	/* of text, from the upper edge of its row */
#define NUMBER_MAX	16
#define CHARACTER	115	/* width of one, at most of most */
#define MARK_HEIGHT	200
#define AXIS_STEP	1100	/* there is room for a time */
#define NSEC		1000000000ULL

/* Calls that only read, and those that write, at least also. Of others it is not known. */
#define READS									\
	(1U << OVNIK_OP_READ | 1U << OVNIK_OP_PREAD | 1U << OVNIK_OP_READV |		\
	 1U << OVNIK_OP_PREADV)
#define WRITES									\
	(1U << OVNIK_OP_WRITE | 1U << OVNIK_OP_PWRITE | 1U << OVNIK_OP_WRITEV |		\
	 1U << OVNIK_OP_PWRITEV | 1U << OVNIK_OP_SENDFILE | 1U << OVNIK_OP_SPLICE |	\
	 1U << OVNIK_OP_COPY)

enum { RUN, QUEUE, DISK, OTHER, UNKNOWN, SLEEP, NR_STATES, READ = NR_STATES, WRITE, CALL, FAULT };

static const struct canvas_layer state_layers[] = {
	[RUN] = { "run", "running" },
	[QUEUE] = { "queue", "waiting for a CPU" },
	[DISK] = { "disk", "waiting for a disk" },
	[OTHER] = { "other", "other waits" },
	[UNKNOWN] = { "unknown", "not known" },
	[SLEEP] = { "sleep", "sleeping" },
	[READ] = { "read", "reading files" },
	[WRITE] = { "write", "writing files" },
	[CALL] = { "call", "other calls on files" },
	[FAULT] = { "fault", "page faults" },
};

static const struct canvas_layer use_layers[] = {
	[TIMELINE_READ - 1] = { "read", "read" },
	[TIMELINE_WRITE - 1] = { "write", "written" },
	[TIMELINE_ADD - 1] = { "add", "added to the page cache" },
	[TIMELINE_REMOVE - 1] = { "remove", "removed from the page cache" },
};

static const char style[] =
	"text{font:210px Helvetica,Arial,sans-serif;fill:#1d2733}.h{font-weight:bold}"
	".d{fill:#5b6775}.m{text-anchor:middle}.e{text-anchor:end}"
	".b{fill:none;stroke:#c3cad2;stroke-width:6}.g{fill:none;stroke:#1d2733;"
	"stroke-width:4;stroke-opacity:.15}"
	".queue{fill:#f0b52d}.disk{fill:#8c1814}.other{fill:#9f478c}"
	".sleep{fill:#eff3f7}.unknown{fill:#d8dadc}.read{fill:#7cb342}.write{fill:#33691e}"
	".call{fill:#4f9a83}"
	".fault{fill:#d9488a}.add{fill:#b3b02c}.remove{fill:#6f6b12}.loss{fill:url(#l)}";

static const char *const program_styles[TIMELINE_TINTS] = {
	"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",
};

/* @more: there are more than @all. */
static void put_heading(struct canvas *c, u32 shown, u64 all, bool more, const char *what)
{
	c->y += 60;
	fprintf(c->f, "<text class=\"h\" x=\"%u\" y=\"%u\">", PAD, c->y + BASELINE);
	if (shown < all)
		fprintf(c->f, "%u of %s", shown, more ? "more than " : "");
	fprintf(c->f, "%llu %s%s</text>\n", all, what, all == 1 ? "" : "s");
	c->y += CANVAS_ROW;
}

/* The label of a row: a name, and a number behind it, or "". The title has the whole name. */
static void put_label(const struct canvas *c, const char *name, const char *whole,
		      const char *number, u32 indent)
{
	fprintf(c->f, "<text x=\"%u\" y=\"%u\">", PAD + indent, c->y + BASELINE);
	canvas_text(c, name, (CANVAS_LEFT - PAD - indent) / CHARACTER - strlen(number));
	fprintf(c->f, "%s<title>", number);
	canvas_text(c, whole, ~0U);
	fprintf(c->f, "%s</title></text>\n", number);
}

static void put_frame(const struct canvas *c)
{
	fprintf(c->f, "<path class=\"b\" d=\"M%u %uh%u\"/>\n", CANVAS_LEFT,
		c->y + CANVAS_ROW - 30, c->columns * CANVAS_COLUMN);
}

static void put_loss(const struct canvas *c, const struct timeline *tl,
		     const struct timeline_loss *loss)
{
	u32 x = canvas_x(c, loss->start - tl->begin);
	u32 width = canvas_x(c, loss->end - tl->begin) - x;

	if (width < CANVAS_COLUMN)
		width = CANVAS_COLUMN;
	fprintf(c->f, "<path class=\"loss\" d=\"M%u %uh%uv230h-%uz\"><title>", x, c->y + 20,
		width, width);
	if (loss->cpu == TRACE_NO_CPU)
		fputs("statedump: ", c->f);
	else
		fprintf(c->f, "CPU %u: ", loss->cpu);
	if (loss->lost)
		fprintf(c->f, "%llu ", loss->lost);
	fputs("events are missing</title></path>\n", c->f);
}

static void put_losses(const struct canvas *c, const struct timeline *tl, u32 cpu)
{
	const struct timeline_loss *loss;

	STAILQ_FOREACH(loss, &tl->losses, next) {
		if (loss->cpu == cpu)
			put_loss(c, tl, loss);
	}
}

static bool has_row(const struct choice *what, const struct timeline *tl, u32 cpu)
{
	u32 i;

	for (i = 0; i < what->nr_cpus; i++) {
		if (tl->world->cpus[what->cpus[i]].nr == cpu)
			return true;
	}
	return false;
}

/* Losses of the statedump and of CPUs without a row have one together. */
static void put_other_losses(struct canvas *c, const struct choice *what, const struct timeline *tl)
{
	const struct timeline_loss *loss;
	bool any = false;

	STAILQ_FOREACH(loss, &tl->losses, next) {
		if (has_row(what, tl, loss->cpu))
			continue;
		if (!any)
			put_label(c, "other losses", "losses of other CPUs and of the statedump", "",
				  0);
		any = true;
		put_loss(c, tl, loss);
	}
	if (!any)
		return;
	put_frame(c);
	c->y += CANVAS_ROW;
}

/* @names: of those that have a tint of their own */
static const char *tint_name(const char *const *names, u32 tint, const char *others)
{
	return tint < TIMELINE_TINTS - 1 && names[tint] ? names[tint] : others;
}

/* @key: of a CPU */
static u32 color_of(const struct choice *what, const struct timeline *tl, u64 key)
{
	const struct timeline_process *p = NULL;

	if (key >= LANE_GROUP)
		return what->program_tints[key - LANE_GROUP];
	if (key && key <= tl->nr_threads)
		p = what->threads[key - 1]->process;
	return p ? p->tint : TIMELINE_TINTS - 1;
}

/* Behind the runs of those that are shown. */
static void put_others(const struct canvas *c)
{
	u32 width = c->columns * CANVAS_COLUMN;

	fprintf(c->f, "<path class=\"unknown\" d=\"M%u %uh%uv230h-%uz\"><title>"
		"other processes may run</title></path>\n", CANVAS_LEFT, c->y + 20, width, width);
}

static void put_cpu(struct canvas *c, const struct choice *what, const struct timeline *tl, u32 cpu)
{
	struct canvas_layer layers[TIMELINE_TINTS];
	char number[NUMBER_MAX];
	struct lane_item item = { 0 };
	size_t at = 0;
	u32 i;

	canvas_clear(c);
	while (lane_read(tl->cpus[cpu], &at, &item)) {
		for (i = 0; i < item.nr; i++)
			canvas_add(c, color_of(what, tl, item.parts[i].key), item.start, item.end,
				   item.parts[i].ns);
	}
	for (i = 0; i < TIMELINE_TINTS; i++) {
		layers[i].style = program_styles[i];
		layers[i].name = tint_name(tl->tinted, i, "others");
	}
	snprintf(number, sizeof(number), " %u", tl->world->cpus[cpu].nr);
	put_label(c, "CPU", "CPU", number, 0);
	if (tl->world->filtered)
		put_others(c);
	canvas_stack(c, 20, 230, layers, TIMELINE_TINTS, 0);
	put_losses(c, tl, tl->world->cpus[cpu].nr);
	put_frame(c);
	c->y += CANVAS_ROW;
}

/* Threads of the kernel that idle are drawn as if they slept. */
static u32 state_layer(u64 key)
{
	u32 state = key & 31;

	if (state == TIMELINE_RUN)
		return RUN;
	if (state == TIMELINE_UNKNOWN)
		return UNKNOWN;
	if (state == TIMELINE_WAIT + TASKS_WAIT_IDLE)
		return SLEEP;
	switch (timeline_sum_of_wait(state - TIMELINE_WAIT)) {
	case TIMELINE_SUM_queue:
		return QUEUE;
	case TIMELINE_SUM_sleep:
		return SLEEP;
	case TIMELINE_SUM_disk:
		return DISK;
	default:
		return OTHER;
	}
}

static u32 call_layer(u64 key)
{
	u32 op = 1U << (key & 15);

	if (WRITES & op)
		return WRITE;
	return READS & op ? READ : CALL;
}

static u32 fault_layer(u64 key)
{
	(void)key;
	return FAULT;
}

static void add_lane(struct canvas *c, const struct lane *lane, u32 (*layer_of)(u64 key))
{
	struct lane_item item = { 0 };
	size_t at = 0;
	u32 i;

	while (lane && lane_read(lane, &at, &item)) {
		for (i = 0; i < item.nr; i++)
			canvas_add(c, layer_of(item.parts[i].key), item.start, item.end,
				   item.parts[i].ns);
	}
}

static void add_thread(struct canvas *c, const struct timeline_thread *th)
{
	add_lane(c, th->states, state_layer);
	add_lane(c, th->calls, call_layer);
	add_lane(c, th->faults, fault_layer);
}

/* Of several threads, as high as the most that are awake in a column. */
static void put_states(const struct canvas *c, const struct canvas_layer *layers, bool several)
{
	if (several)
		canvas_line(c, 20, 170, SLEEP, &layers[SLEEP]);
	canvas_stack(c, 20, 170, layers, several ? SLEEP : NR_STATES,
		     several ? canvas_most(c, SLEEP) : 0);
}

static bool is_of_program(const struct timeline *tl, const struct timeline_thread *th,
			  const char *name)
{
	return th->process && timeline_shows(tl, th->process) && !strcmp(th->process->name, name);
}

static void put_task(struct canvas *c, const struct choice *what, const struct timeline *tl,
		     const struct choice_row *row)
{
	const struct timeline_thread *th = row->th;
	const struct timeline_process *p = th->process;
	const char *name = p && (th->tid == p->pid || !th->name[0]) ? p->name : th->name;
	const char *color = program_styles[color_of(what, tl, th->nr)];
	struct canvas_layer layers[NR_STATES];
	char number[NUMBER_MAX], run[NUMBER_MAX];
	u32 i;

	canvas_clear(c);
	for (i = 0; row->processes && i < tl->nr_threads; i++) {
		if (is_of_program(tl, what->threads[i], p->name))
			add_thread(c, what->threads[i]);
	}
	if (!row->processes)
		add_thread(c, th);
	fprintf(c->f, "<path class=\"%s\" d=\"M%u %uh60v200h-60z\"/>\n",
		color, PAD, c->y + 20);
	if (row->processes) {
		snprintf(number, sizeof(number), " \xc3\x97%u", row->processes);
		put_label(c, p->name, p->name, number, INDENT + 50);
	} else {
		snprintf(number, sizeof(number), " %u", th->tid);
		put_label(c, name, name, number, INDENT + 50);
	}
	memcpy(layers, state_layers, sizeof(layers));
	snprintf(run, sizeof(run), "run %s", color);
	layers[RUN].style = run;
	put_states(c, layers, row->processes);
	canvas_line(c, 195, 30, READ, &state_layers[READ]);
	canvas_line(c, 195, 30, WRITE, &state_layers[WRITE]);
	canvas_line(c, 195, 30, CALL, &state_layers[CALL]);
	canvas_line(c, 230, 30, FAULT, &state_layers[FAULT]);
	c->y += CANVAS_ROW;
}

static void put_mark(struct canvas *c, const struct choice *what, const struct timeline_mark *mark)
{
	struct canvas_layer layers[TIMELINE_TINTS];
	struct lane_item item = { 0 };
	size_t at = 0;
	u32 i;

	canvas_clear(c);
	while (lane_read(mark->lane, &at, &item)) {
		for (i = 0; i < item.nr; i++)
			canvas_add(c, what->value_colors[item.parts[i].key], item.start, item.end,
				   item.parts[i].ns);
	}
	for (i = 0; i < TIMELINE_TINTS; i++) {
		layers[i].style = program_styles[i];
		layers[i].name = tint_name(what->values, i, "other values");
	}
	put_label(c, mark->type->title, mark->type->title, "", 4 * INDENT);
	canvas_stack(c, 20, MARK_HEIGHT, layers, TIMELINE_TINTS, 0);
	c->y += CANVAS_ROW;
}

static void put_marks(struct canvas *c, const struct choice *what, const struct timeline *tl,
		      const struct timeline_thread *th)
{
	const struct timeline_mark *mark;

	STAILQ_FOREACH(mark, &tl->mark_rows, next) {
		if (mark->thread == th && mark->lane->len)
			put_mark(c, what, mark);
	}
}

static void put_uses(struct canvas *c, const struct lane *lane)
{
	struct lane_item item = { 0 };
	size_t at = 0;
	u32 i, use;

	canvas_clear(c);
	while (lane_read(lane, &at, &item)) {
		for (i = 0; i < item.nr; i++) {
			use = item.parts[i].key ? item.parts[i].key - 1 : 0;
			canvas_add(c, use, item.start, item.end, item.parts[i].bytes);
		}
	}
	canvas_bars(c, 20, 250, use_layers, ARRAY_SIZE(use_layers));
	put_frame(c);
	c->y += CANVAS_ROW;
}

static void put_file(struct canvas *c, const struct timeline *tl, const struct timeline_file *file)
{
	char inode[64] = "other files";
	const char *whole = file->path ? file->path : inode, *base = strrchr(whole, '/');

	if (file != tl->others)
		snprintf(inode, sizeof(inode), "inode %llu of %u:%u", file->id.ino,
			 file->id.dev >> 20, file->id.dev & 0xfffff);
	put_label(c, base && base[1] ? base + 1 : whole, whole, "", 0);
	put_uses(c, file->uses);
}

static void put_rows(struct canvas *c, const struct choice *what, const struct timeline *tl)
{
	u32 i;

	put_heading(c, what->nr_cpus, tl->world->nr_cpus, false, "CPU");
	for (i = 0; i < what->nr_cpus; i++)
		put_cpu(c, what, tl, what->cpus[i]);
	put_other_losses(c, what, tl);
	put_heading(c, what->nr_tasks, what->all_tasks, false,
		    !what->folded ? "thread" :
		    what->all_tasks == 1 ? "program" : "programs and thread");
	for (i = 0; i < what->nr_tasks; i++) {
		put_task(c, what, tl, &what->tasks[i]);
		if (!what->tasks[i].processes)
			put_marks(c, what, tl, what->tasks[i].th);
	}
	put_heading(c, what->nr_files, tl->nr_files - !!tl->others, tl->others, "file");
	if (tl->pages->len) {
		put_label(c, "page cache", "page cache, all files", "", 0);
		put_uses(c, tl->pages);
	}
	for (i = 0; i < what->nr_files; i++)
		put_file(c, tl, what->files[i]);
}

/* 1, 2, 5, 10, ...: the least for which there is room. */
static u64 step_of(const struct canvas *c)
{
	u64 step = 1;
	u32 i;

	for (i = 1; canvas_x(c, step) - CANVAS_LEFT < AXIS_STEP; i++)
		step = i % 3 == 2 ? step / 2 * 5 : 2 * step;
	return step;
}

/* Close to the edge, the text ends there. */
static void put_tick(const struct canvas *c, u32 x, u32 bottom, u64 time, const char *unit)
{
	bool edge = x + AXIS_STEP / 2 > c->width;

	fprintf(c->f, "<path class=\"g\" d=\"M%u 0v%u\"/><text class=\"d %s\" x=\"%u\" y=\"%u\">"
		"%llu %s</text>\n", x, bottom, edge ? "e" : "m", edge ? c->width - PAD / 2 : x,
		bottom + BASELINE + 30, time, unit);
}

static void put_axis(struct canvas *c)
{
	static const char *const units[] = { "ns", "\xc2\xb5s", "ms", "s" };
	u64 step = step_of(c), unit = 1, ns, nr;
	u32 i, bottom = c->y;

	for (i = 0; i < 3 && step >= 1000 * unit; i++)
		unit *= 1000;
	/* A length may be close to the largest number. */
	for (nr = c->length / step + 1, ns = 0; nr; nr--, ns += step)
		put_tick(c, canvas_x(c, ns), bottom, ns / unit, units[i]);
	c->y += CANVAS_ROW + 60;
}

/* @x: where there is room, is moved. */
static void put_key(struct canvas *c, u32 *x, const char *class, const char *text)
{
	u32 width = 200 + (strlen(text) + 2) * CHARACTER;

	if (*x + width > c->width && *x > PAD) {
		*x = PAD;
		c->y += CANVAS_ROW;
	}
	fprintf(c->f, "<path class=\"%s\" d=\"M%u %uh150v150h-150z\"/><text class=\"d\" x=\"%u\" "
		"y=\"%u\">", class, *x, c->y + 45, *x + 200, c->y + BASELINE);
	canvas_text(c, text, ~0U);
	fputs("</text>\n", c->f);
	*x += width;
}

/* A line of those that have a color of their own. */
static void put_keys(struct canvas *c, const char *what, const char *const *texts,
		     const char *others)
{
	u32 x = PAD + (strlen(what) + 1) * CHARACTER, i;

	c->y += CANVAS_ROW;
	fprintf(c->f, "<text class=\"d\" x=\"%u\" y=\"%u\">%s</text>\n", PAD, c->y + BASELINE,
		what);
	for (i = 0; i < TIMELINE_TINTS - 1 && texts[i]; i++)
		put_key(c, &x, program_styles[i], texts[i][0] ? texts[i] : "?");
	put_key(c, &x, program_styles[TIMELINE_TINTS - 1], others);
}

static void put_legend(struct canvas *c, const struct choice *what, const struct timeline *tl)
{
	u32 x = PAD, i;

	/* Who runs has the color of the program. */
	for (i = RUN + 1; i < ARRAY_SIZE(state_layers); i++)
		put_key(c, &x, state_layers[i].style, state_layers[i].name);
	put_key(c, &x, "add", "into the page cache");
	put_key(c, &x, "remove", "out of the page cache");
	if (tl->nr_losses)
		put_key(c, &x, "loss", "events are missing");
	put_keys(c, "running:", tl->tinted, "other programs");
	if (what->marked)
		put_keys(c, "marks:", what->values, "other values");
	c->y += CANVAS_ROW;
}

/* Which part of the capture it is; the title of the picture has all of a long text. */
static void put_part(struct canvas *c, const char *part)
{
	if (!part || !*part)
		return;
	c->y += 60;
	fprintf(c->f, "<text class=\"part\" x=\"%u\" y=\"%u\">", PAD, c->y + BASELINE);
	canvas_text(c, part, (c->width - 2 * PAD) / CHARACTER);
	fputs("</text>\n", c->f);
	c->y += CANVAS_ROW;
}

static void put_all(struct canvas *c, const struct choice *what, const struct timeline *tl)
{
	put_part(c, tl->part);
	put_rows(c, what, tl);
	put_axis(c);
	put_legend(c, what, tl);
}

static void put_head(const struct canvas *c, const char *part, u32 mm)
{
	u32 i;

	fprintf(c->f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%umm\" "
		"height=\"%u.%02umm\" viewBox=\"0 0 %u %u\">\n<title>ovnik: %llu.%09llu s",
		mm, c->y / 100, c->y % 100, c->width, c->y, c->length / NSEC, c->length % NSEC);
	if (part && *part) {
		fputs(", ", c->f);
		canvas_text(c, part, ~0U);
	}
	fprintf(c->f, "</title>\n<style>%s", style);
	for (i = 0; i < TIMELINE_TINTS; i++)
		fprintf(c->f, ".%s{fill:%s}", program_styles[i], timeline_tints[i]);
	fprintf(c->f, "</style>\n<defs><pattern id=\"l\" width=\"40\" "
		"height=\"40\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 40L40 0\" "
		"stroke=\"#d02030\" stroke-width=\"14\"/></pattern></defs>\n");
}

int picture_write(FILE *f, const struct timeline *tl, u32 mm, u32 rows)
{
	struct canvas c = { 0 };
	struct choice what;
	char *text = NULL;
	size_t len;
	FILE *body = open_memstream(&text, &len);
	int ret = choice_make(&what, tl, rows);

	if (!body || ret || canvas_init(&c, body, mm, tl->end - tl->begin))
		ret = -ENOMEM;
	else
		put_all(&c, &what, tl);
	if (body && fclose(body))
		ret = -ENOMEM;
	c.f = f;
	if (!ret) {
		put_head(&c, tl->part, mm);
		fprintf(f, "%s</svg>\n", text);
	}
	free(text);
	canvas_free(&c);
	choice_free(&what);
	return ret;
}
