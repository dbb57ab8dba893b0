// SPDX-License-Identifier: GPL-2.0-only
/* Traces of what all CPUs do, sorted by value. */
#include <errno.h>
#include <stdlib.h>

#include "emu/breakdown.h"
#include "emu/core.h"
#include "emu/name.h"
#include "emu/pcf.h"
#include "emu/track.h"
#include "util/msg.h"

/**
 * struct breakdown_cpu - What a CPU does.
 * @value: its value
 * @task: shows the channel of tasks
 */
struct breakdown_cpu {
	s64 value;
	bool task;
};

/**
 * struct breakdown_trace - The trace of a model.
 * @spec: description
 * @subsystem: its channels
 * @task: its channels
 * @choice: its channels
 * @idle: its channels; NULL if it has none
 * @prv: the file
 * @type: type of its lines
 * @rows: number of rows
 * @out: what the rows show
 * @cpu: by row of the CPU in cpu.prv
 * @sorted: values in ascending order
 * @changed: rows changed by the current event
 * @nchanged: how many
 * @is_changed: a row is in @changed
 * @begun: a value other than 0 has occurred
 */
struct breakdown_trace {
	const struct model_breakdown *spec;
	const struct slot *subsystem;
	const struct slot *task;
	const struct slot *choice;
	const struct slot *idle;
	struct prv prv;
	struct prv_type type;
	u32 rows;
	struct prv_out *out;
	struct breakdown_cpu *cpu;
	s64 *sorted;
	u32 *changed;
	u32 nchanged;
	bool *is_changed;
	bool begun;
};

/**
 * struct breakdown - All of them.
 * @n: how many
 * @trace: the traces
 */
struct breakdown {
	u32 n;
	struct breakdown_trace trace[EMU_NR_MODELS];
};

static void change(struct breakdown_trace *t, u32 row, s64 value)
{
	t->sorted[row] = value;
	if (t->is_changed[row])
		return;
	t->is_changed[row] = true;
	t->changed[t->nchanged++] = row;
}

/* The first row with @value or a larger one. */
static u32 row_lower(const struct breakdown_trace *t, s64 value)
{
	u32 from = 0, to = t->rows;

	while (from < to) {
		u32 at = from + (to - from) / 2;

		if (t->sorted[at] < value)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

/* The last row with @value or a smaller one, which exists. */
static u32 row_upper(const struct breakdown_trace *t, s64 value)
{
	u32 from = 0, to = t->rows;

	while (from < to) {
		u32 at = from + (to - from) / 2;

		if (t->sorted[at] <= value)
			from = at + 1;
		else
			to = at;
	}
	return from - 1;
}

/* When rows shift by one, only the row at the edge of a run of equal values changes. */
static void raise(struct breakdown_trace *t, s64 from, s64 to)
{
	u32 row = row_upper(t, from);

	while (row + 1 < t->rows && t->sorted[row + 1] < to) {
		s64 next = t->sorted[row + 1];
		u32 last = row_upper(t, next);

		change(t, row, next);
		row = last;
	}
	change(t, row, to);
}

static void reverse(u32 *row, u32 n)
{
	u32 i;

	for (i = 0; i < n / 2; i++) {
		u32 other = row[n - 1 - i];

		row[n - 1 - i] = row[i];
		row[i] = other;
	}
}

static void lower(struct breakdown_trace *t, s64 from, s64 to)
{
	u32 row = row_lower(t, from);
	u32 before = t->nchanged;

	while (row > 0 && t->sorted[row - 1] > to) {
		s64 next = t->sorted[row - 1];
		u32 first = row_lower(t, next);

		change(t, row, next);
		row = first;
	}
	change(t, row, to);
	/* Lines are in ascending order of the rows. */
	reverse(t->changed + before, t->nchanged - before);
}

static void begin(struct breakdown_trace *t)
{
	u32 i;

	t->begun = true;
	for (i = 0; i < t->rows; i++)
		change(t, i, t->sorted[i]);
}

static void replace(struct breakdown_trace *t, s64 from, s64 to)
{
	if (from < to)
		raise(t, from, to);
	else
		lower(t, from, to);
	if (!t->begun) {
		while (t->nchanged)
			t->is_changed[t->changed[--t->nchanged]] = false;
		begin(t);
	}
}

/* A running thread's channels are never hidden. */
static struct chan_value cpu_value(const struct slot *slot, const struct emu_cpu *cpu)
{
	const struct emu_thread *th = track_cpu_thread(TRACK_RUNNING, cpu);

	return th ? th->chan[slot->thread].state : CHAN_NULL;
}

/* True to show the task, false to show the subsystem. */
static bool choose(const struct breakdown_trace *t, const struct emu_cpu *cpu)
{
	struct chan_value subsystem = cpu_value(t->subsystem, cpu);

	if (cpu_value(t->task, cpu).st != ST_INT)
		return false;
	return !t->spec->body || chan_value_eq(subsystem, CHAN_INT(t->spec->body));
}

static s64 value_now(const struct breakdown_trace *t, const struct emu_cpu *cpu)
{
	bool task = t->cpu[cpu->row].task;
	struct chan_value v;

	if (t->idle) {
		v = cpu_value(t->idle, cpu);
		if (v.st != ST_INT)
			return t->idle->spec->cpu_null;
		if (v.i != t->idle->spec->init)
			return v.i;
	}
	v = cpu_value(task ? t->task : t->subsystem, cpu);
	if (v.st == ST_INT)
		return v.i;
	return task ? 0 : t->spec->unknown;
}

static void look(struct breakdown_trace *t, const struct emu_cpu *cpu, bool decide)
{
	struct breakdown_cpu *c = &t->cpu[cpu->row];
	s64 value;

	if (decide)
		c->task = choose(t, cpu);
	value = value_now(t, cpu);
	if (value == c->value)
		return;
	replace(t, c->value, value);
	c->value = value;
}

static void look_cpu(struct breakdown *b, const struct emu_cpu *cpu)
{
	u32 i;

	if (cpu->index == EMU_VCPU)
		return;
	for (i = 0; i < b->n; i++)
		look(&b->trace[i], cpu, true);
}

static void look_chan(struct breakdown *b, const struct chan *c)
{
	const struct emu_thread *th = c->owner;
	u32 i;

	if (!th->cpu || th->cpu->index == EMU_VCPU || th->state != TH_RUNNING)
		return;
	for (i = 0; i < b->n; i++) {
		struct breakdown_trace *t = &b->trace[i];

		if (c->slot == t->subsystem || c->slot == t->task || c->slot == t->idle)
			look(t, th->cpu, c->slot == t->choice);
	}
}

/* Must run before the dirty list is emptied. */
static void look_all(struct emu *emu)
{
	struct chan *const *at;

	for (at = emu->dirty.list; at < emu->dirty.end; at++) {
		const struct chan *c = *at;

		if (c->follow == FOLLOW_RUNNING)
			look_cpu(emu->breakdown, c->owner);
		else if (c->follow == FOLLOW_MODEL)
			look_chan(emu->breakdown, c);
	}
}

static int emit(struct breakdown_trace *t)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < t->nchanged && !ret; i++) {
		u32 row = t->changed[i];

		ret = prv_emit(&t->out[row], CHAN_INT(t->sorted[row]));
		t->is_changed[row] = false;
	}
	t->nchanged = 0;
	return ret;
}

int breakdown_event(struct emu *emu)
{
	u32 i;
	int ret;

	look_all(emu);
	ret = emit_event(emu);
	if (ret)
		return ret;
	for (i = 0; i < emu->breakdown->n; i++) {
		if (emit(&emu->breakdown->trace[i]))
			return emu_fail(emu, -EIO, "the trace cannot be written");
	}
	return 0;
}

static u32 count_cpus(const struct system *sys)
{
	u32 i, n = 0;

	for (i = 0; i < sys->ncpus; i++)
		n += sys->cpus[i]->index != EMU_VCPU;
	return n;
}

static int alloc(struct breakdown_trace *t, const struct system *sys)
{
	t->rows = count_cpus(sys);
	t->out = calloc(t->rows, sizeof(*t->out));
	t->cpu = calloc(sys->ncpus, sizeof(*t->cpu));
	t->sorted = calloc(t->rows, sizeof(*t->sorted));
	t->changed = calloc(t->rows, sizeof(*t->changed));
	t->is_changed = calloc(t->rows, sizeof(*t->is_changed));
	return t->out && t->cpu && t->sorted && t->changed && t->is_changed ? 0 : -ENOMEM;
}

static int trace_open(struct emu *emu, struct breakdown_trace *t, const struct model_run *run)
{
	const struct slot *first = &emu->slot[SLOT_MODEL + run->first];
	const struct model_breakdown *spec = run->breakdown;
	char name[EMU_NAME_MAX];
	u32 i;

	t->spec = spec;
	t->subsystem = first + spec->subsystem;
	t->task = first + spec->task;
	t->choice = first + spec->choice;
	t->idle = spec->idle ? first + spec->idle : NULL;
	prv_type_init(&t->type, spec->type, PRV_SKIP_DUP | PRV_ZERO);
	if (alloc(t, &emu->sys))
		return emu_fail(emu, -ENOMEM, "out of memory");
	emu_name(name, spec->trace, 0, emu->options & EMU_COMPRESS ? ".prv.gz" : ".prv");
	if (prv_open(&t->prv, emu->outdir, name, t->rows, &emu->texts, emu->options))
		return emu_fail(emu, -EIO, "the traces cannot be created");
	for (i = 0; i < t->rows; i++)
		prv_out_init(&t->out[i], &t->prv, i, &t->type);
	return 0;
}

int breakdown_open(struct emu *emu)
{
	int i, ret;

	if (!(emu->options & EMU_BREAKDOWN))
		return 0;
	emu->breakdown = calloc(1, sizeof(*emu->breakdown));
	if (!emu->breakdown)
		return emu_fail(emu, -ENOMEM, "out of memory");
	for (i = 0; i < EMU_NR_MODELS; i++) {
		const struct model_run *run = &emu->run[i];

		if (!run->on || !run->breakdown)
			continue;
		ret = trace_open(emu, &emu->breakdown->trace[emu->breakdown->n++], run);
		if (ret)
			return ret;
	}
	if (!emu->breakdown->n)
		msg_warn("no enabled model has a breakdown");
	return 0;
}

bool breakdown_has(const struct emu *emu, u32 type)
{
	u32 i;

	for (i = 0; emu->breakdown && i < emu->breakdown->n; i++) {
		const struct prv_type *t = &emu->breakdown->trace[i].type;

		if (t->type == type && t->used)
			return true;
	}
	return false;
}

static int trace_write(struct emu *emu, const struct breakdown_trace *t)
{
	int pcf = pcf_write_breakdown(emu, t->spec, t->subsystem, t->idle, t->task);
	int row = row_write_breakdown(emu, t->spec->trace, t->rows);

	return pcf ? pcf : row;
}

int breakdown_write(struct emu *emu)
{
	int ret = 0;
	u32 i;

	for (i = 0; emu->breakdown && i < emu->breakdown->n; i++) {
		int err = trace_write(emu, &emu->breakdown->trace[i]);

		ret = ret ? ret : err;
	}
	return ret;
}

static int trace_close(struct breakdown_trace *t)
{
	int ret = prv_close(&t->prv);

	free(t->is_changed);
	free(t->changed);
	free(t->sorted);
	free(t->cpu);
	free(t->out);
	return ret;
}

int breakdown_close(struct emu *emu)
{
	int ret = 0;
	u32 i;

	for (i = 0; emu->breakdown && i < emu->breakdown->n; i++) {
		int err = trace_close(&emu->breakdown->trace[i]);

		ret = ret ? ret : err;
	}
	free(emu->breakdown);
	emu->breakdown = NULL;
	return ret;
}
