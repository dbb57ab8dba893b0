// SPDX-License-Identifier: GPL-2.0-only
/* Paraver's files beside a trace: colours, and labels of types and values; names of rows. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "emu/core.h"
#include "emu/name.h"
#include "emu/pcf.h"
#include "util/msg.h"
#include "util/out.h"

#define PCF_NODES_SHOWN	8

static void row_header(struct out *out, u32 rows)
{
	fprintf(out->f, "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %u\n", rows);
}

static const char *known(const char *name)
{
	return name && *name ? name : NULL;
}

static void row_node(struct out *out, const struct emu_loom *loom)
{
	if (!loom->node_name)
		return;
	fputc(' ', out->f);
	out_label(out, loom->node_name);
}

/* Two numbers as upstream writes them, then the names of node, process and thread, if any. */
static void row_thread(struct out *out, const struct emu *emu, u32 row)
{
	const struct emu_thread *th = emu->sys.threads[row];
	const char *process = known(th->proc->name);
	const char *name = known(th->name);

	fprintf(out->f, "TH %d.%d", th->proc->app_id, th->tid);
	row_node(out, th->proc->loom);
	if (process && (!name || strcmp(name, process))) {
		fputc(' ', out->f);
		out_label(out, process);
		fputc('/', out->f);
	} else if (name) {
		fputc(' ', out->f);
	}
	if (name)
		out_label(out, name);
	fputc('\n', out->f);
}

static void row_cpu(struct out *out, const struct emu *emu, u32 row)
{
	const struct emu_cpu *cpu = emu->sys.cpus[row];

	fputs(cpu->name, out->f);
	row_node(out, cpu->loom);
	fputc('\n', out->f);
}

static int row_part(const struct emu *emu, enum prv_file file, u32 part,
		    void (*row)(struct out *out, const struct emu *emu, u32 row))
{
	u32 rows = emu->prv[file][part].rows;
	char name[EMU_NAME_MAX];
	struct out out;
	u32 i;
	int ret;

	ret = out_open(&out, emu->outdir, emu_name(name, emu_prv_base[file], part, ".row"));
	if (ret)
		return ret;
	row_header(&out, rows);
	for (i = 0; i < rows; i++)
		row(&out, emu, part * EMU_PART_ROWS + i);
	return out_close(&out);
}

int row_write_breakdown(const struct emu *emu, const char *trace, u32 rows)
{
	struct out out;
	char name[64];
	u32 i;
	int ret;

	snprintf(name, sizeof(name), "%s.row", trace);
	ret = out_open(&out, emu->outdir, name);
	if (ret)
		return ret;
	row_header(&out, rows);
	/* The last row has the largest value. */
	for (i = rows; i; i--)
		fprintf(out.f, "~CPU %4u\n", i);
	return out_close(&out);
}

int row_write(const struct emu *emu)
{
	int ret = 0;
	u32 part;

	for (part = 0; part < emu->nprv[PRV_THREAD] && !ret; part++)
		ret = row_part(emu, PRV_THREAD, part, row_thread);
	for (part = 0; part < emu->nprv[PRV_CPU] && !ret; part++)
		ret = row_part(emu, PRV_CPU, part, row_cpu);
	return ret;
}

/* The palette ovni's users know: 0 is nothing, 1 runtime, 3 task, and so on. */
static const u32 pcf_colors[] = {
	0x000000, 0x0082c8, 0xd9d9d9, 0xe6194b, 0x3cb44b, 0xffe119, 0xf58230, 0x911eb4,
	0x46f0f0, 0xf032e6, 0xd2f53c, 0xfabed4, 0x008080, 0x808080, 0xdcbeff, 0xaa6e28,
	0xfffac8, 0x800000, 0xaaffc3, 0x808000, 0xffd7b4, 0x000080, 0x0000ff,
};

static void pcf_header(struct out *out)
{
	u32 i;

	fputs("DEFAULT_OPTIONS\n\n"
	      "LEVEL               THREAD\n"
	      "UNITS               NANOSEC\n"
	      "LOOK_BACK           100\n"
	      "SPEED               1\n"
	      "FLAG_ICONS          ENABLED\n"
	      "NUM_OF_STATE_COLORS 1000\n"
	      "YMAX_SCALE          37\n"
	      "\n\nDEFAULT_SEMANTIC\n\n"
	      "THREAD_FUNC         State As Is\n"
	      "\n\nSTATES_COLOR\n", out->f);
	for (i = 0; i < ARRAY_SIZE(pcf_colors); i++)
		fprintf(out->f, "%-3u {%3u, %3u, %3u}\n", i, pcf_colors[i] >> 16,
			pcf_colors[i] >> 8 & 0xff, pcf_colors[i] & 0xff);
}

/* Paraver reads types and values as int, and ignores lines with larger ones. */
static bool pcf_is_int(s64 value)
{
	return value >= INT_MIN && value <= INT_MAX;
}

static void pcf_type(struct out *out, u32 type, const char *label, const char *suffix)
{
	fprintf(out->f, "\n\nEVENT_TYPE\n0 %-10u ", type);
	out_label(out, label);
	fprintf(out->f, "%s\nVALUES\n", suffix);
}

static void pcf_value(struct out *out, s64 value, const char *label)
{
	if (!pcf_is_int(value)) {
		msg_warn("%s: value %lld is too large for a label", out->path, (long long)value);
		return;
	}
	fprintf(out->f, "%-4lld ", (long long)value);
	out_label(out, label);
	fputc('\n', out->f);
}

static void pcf_errors(struct out *out)
{
	pcf_value(out, ST_BAD_SHOWN, "Error: channel of the thread is disabled");
	pcf_value(out, ST_TOO_MANY_TH_SHOWN, "Error: too many threads");
}

/* Upstream's suffix for what a row of this file shows of a channel. */
static const char *pcf_suffix(const struct model_chan *spec, enum prv_file file)
{
	static const char *const suffix[] = {
		[TRACK_NONE] = " ",
		[TRACK_RUNNING] = " of the RUNNING thread",
		[TRACK_ACTIVE] = " of the ACTIVE thread",
	};

	if (spec->plain_label)
		return "";
	return suffix[file == PRV_THREAD ? spec->thread : spec->cpu];
}

static void pcf_values(struct out *out, const struct slot *slot)
{
	const struct model_chan *spec = slot->spec;
	u32 i;

	for (i = 0; i < spec->nlabels; i++)
		pcf_value(out, spec->labels[i].value, spec->labels[i].text);
	for (i = 0; i < slot->nlate; i++)
		pcf_value(out, slot->late[i].value, slot->late[i].text);
}

static void pcf_channel(struct emu *emu, struct out *out, const struct slot *slot,
			enum prv_file file)
{
	const struct model_chan *spec = slot->spec;

	if (spec->optional && !slot->type[file].used)
		return;
	pcf_type(out, spec->type, spec->label, pcf_suffix(spec, file));
	pcf_values(out, slot);
	if (file == PRV_CPU && emu->options & EMU_SHOW_ERRORS && spec->cpu != TRACK_NONE)
		pcf_errors(out);
}

static void pcf_channels(struct emu *emu, struct out *out, enum prv_file file)
{
	u32 i;

	for (i = SLOT_MODEL; i < emu->nslots; i++) {
		const struct slot *slot = &emu->slot[i];

		if (file == PRV_THREAD || slot->spec->cpu != TRACK_NONE)
			pcf_channel(emu, out, slot, file);
	}
}

/**
 * struct pcf_name - A number that a thread has, and its name.
 * @value: the number
 * @text: the name; NULL: it has none
 * @loom: on which node
 */
struct pcf_name {
	s64 value;
	const char *text;
	const struct emu_loom *loom;
};

/*
 * By number, then by node. Two threads of a node may have the same number one after the other, one
 * of them without a name.
 */
static int cmp_name(const void *a, const void *b)
{
	const struct pcf_name *x = a;
	const struct pcf_name *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->loom != y->loom)
		return x->loom->pos < y->loom->pos ? -1 : 1;
	return !x->text - !y->text;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Numbers are counted on each node: another one may have given it to another thread. */
static void pcf_nodes(struct out *out, const struct pcf_name *first, u32 n)
{
	u32 i, nodes = 0;

	for (i = 0; i < n; i++) {
		if (i && first[i].loom == first[i - 1].loom)
			continue;
		if (nodes++ == PCF_NODES_SHOWN) {
			fputs(" ...", out->f);
			break;
		}
		row_node(out, first[i].loom);
	}
}

/* Return: how many entries are of the number of the first one. */
static u32 pcf_name(struct out *out, const struct pcf_name *first, u32 n)
{
	bool agreed = true;
	u32 i;

	fprintf(out->f, "%-4lld %lld", (long long)first->value, (long long)first->value);
	for (i = 1; i < n && first[i].value == first->value; i++) {
		if (first[i].loom != first[i - 1].loom)
			agreed &= is_same(first[i].text, first->text);
	}
	if (!agreed) {
		pcf_nodes(out, first, i);
	} else if (first->text) {
		fputc(' ', out->f);
		out_label(out, first->text);
	}
	fputc('\n', out->f);
	return i;
}

static void name_thread(struct pcf_name *name, const struct emu_thread *th)
{
	name->value = th->tid;
	name->text = th->name;
}

static void name_proc(struct pcf_name *name, const struct emu_thread *th)
{
	name->value = th->proc->pid;
	name->text = th->proc->name;
}

/* Name the numbers of all threads, each once; none if no thread has a name. */
static int pcf_names(const struct emu *emu, struct out *out,
		     void (*fill)(struct pcf_name *name, const struct emu_thread *th))
{
	struct pcf_name *name = calloc(emu->sys.nthreads, sizeof(*name));
	u32 n = emu->sys.nthreads;
	u32 names = 0;
	u32 i;

	if (!name)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		name[i].loom = emu->sys.threads[i]->proc->loom;
		fill(&name[i], emu->sys.threads[i]);
		names += !!name[i].text;
	}
	qsort(name, n, sizeof(*name), cmp_name);
	for (i = 0; names && i < n; i += pcf_name(out, &name[i], n - i))
		continue;
	free(name);
	return 0;
}

static int pcf_write_threads(struct emu *emu, u32 part)
{
	const struct slot *slot = emu->slot;
	char name[EMU_NAME_MAX];
	struct out out;
	u32 i;
	int names;
	int ret;

	ret = out_open(&out, emu->outdir, emu_name(name, emu_prv_base[PRV_THREAD], part, ".pcf"));
	if (ret)
		return ret;
	pcf_header(&out);
	pcf_type(&out, slot[THREAD_CPU].spec->type, slot[THREAD_CPU].spec->label, "");
	for (i = 0; i < emu->sys.ncpus; i++) {
		fprintf(out.f, "%-4u ", i + 1);
		row_cpu(&out, emu, i);
	}
	pcf_type(&out, slot[THREAD_TID].spec->type, slot[THREAD_TID].spec->label, "");
	names = pcf_names(emu, &out, name_thread);
	pcf_channel(emu, &out, &slot[THREAD_STATE], PRV_THREAD);
	pcf_channels(emu, &out, PRV_THREAD);
	return out_close(&out) ?: names;
}

/* Upstream declares none of these three and Paraver shows them without names. */
static int pcf_cpu_core(struct emu *emu, struct out *out)
{
	const struct slot *slot = &emu->slot[SLOT_CPU];
	int ret;

	pcf_type(out, slot[CPU_PID].spec->type, slot[CPU_PID].spec->label, "");
	ret = pcf_names(emu, out, name_proc);
	pcf_type(out, slot[CPU_TID].spec->type, slot[CPU_TID].spec->label, "");
	if (!ret)
		ret = pcf_names(emu, out, name_thread);
	pcf_type(out, slot[CPU_NRUNNING].spec->type, slot[CPU_NRUNNING].spec->label, "");
	return ret;
}

static int pcf_write_cpus(struct emu *emu, u32 part)
{
	char name[EMU_NAME_MAX];
	struct out out;
	u32 i;
	int names;
	int ret;

	ret = out_open(&out, emu->outdir, emu_name(name, emu_prv_base[PRV_CPU], part, ".pcf"));
	if (ret)
		return ret;
	pcf_header(&out);
	names = pcf_cpu_core(emu, &out);
	pcf_channels(emu, &out, PRV_CPU);
	for (i = 0; i < emu->ncpu_slots; i++)
		pcf_channel(emu, &out, &emu->slot[emu->nslots + i], PRV_CPU);
	return out_close(&out) ?: names;
}

int pcf_write(struct emu *emu)
{
	int ret = 0;
	u32 part;

	/* All parts have the same labels, and so the same colours. */
	for (part = 0; part < emu->nprv[PRV_THREAD] && !ret; part++)
		ret = pcf_write_threads(emu, part);
	for (part = 0; part < emu->nprv[PRV_CPU] && !ret; part++)
		ret = pcf_write_cpus(emu, part);
	return ret;
}

int pcf_write_breakdown(struct emu *emu, const struct model_breakdown *spec,
			const struct slot *subsystem, const struct slot *idle,
			const struct slot *task)
{
	struct out out;
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "%s.pcf", spec->trace);
	ret = out_open(&out, emu->outdir, name);
	if (ret)
		return ret;
	pcf_header(&out);
	pcf_type(&out, spec->type, spec->label, "");
	pcf_values(&out, subsystem);
	if (idle)
		pcf_values(&out, idle);
	pcf_values(&out, task);
	return out_close(&out);
}
