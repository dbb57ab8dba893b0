// SPDX-License-Identifier: GPL-2.0-only
/* Paraver row files. */
#include <string.h>

#include "emu/core.h"
#include "emu/name.h"
#include "emu/rowfile.h"
#include "util/out.h"

static void row_header(struct out *out, u32 rows)
{
	fprintf(out->f, "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %u\n", rows);
}

static const char *known(const char *name)
{
	return name && *name ? name : NULL;
}

/* Two numbers as upstream writes them, then the names of process and thread, if any. */
static void row_thread(struct out *out, const struct emu *emu, u32 row)
{
	const struct emu_thread *th = emu->sys.threads[row];
	const char *process = known(th->proc->name);
	const char *name = known(th->name);

	fprintf(out->f, "TH %d.%d", th->proc->app_id, th->tid);
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
	fprintf(out->f, "%s\n", emu->sys.cpus[row]->name);
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
