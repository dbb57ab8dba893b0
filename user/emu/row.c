// SPDX-License-Identifier: GPL-2.0-only
/* Paraver row files. */
#include "emu/core.h"
#include "emu/out.h"
#include "emu/row.h"

static void row_header(struct out *out, u32 rows)
{
	fprintf(out->f, "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %u\n", rows);
}

static int row_threads(const struct emu *emu)
{
	struct out out;
	u32 i;
	int ret;

	ret = out_open(&out, emu->outdir, "thread.row");
	if (ret)
		return ret;
	row_header(&out, emu->sys.nthreads);
	for (i = 0; i < emu->sys.nthreads; i++) {
		const struct emu_thread *th = emu->sys.threads[i];

		fprintf(out.f, "TH %d.%d\n", th->proc->app_id, th->tid);
	}
	return out_close(&out);
}

static int row_cpus(const struct emu *emu)
{
	struct out out;
	u32 i;
	int ret;

	ret = out_open(&out, emu->outdir, "cpu.row");
	if (ret)
		return ret;
	row_header(&out, emu->sys.ncpus);
	for (i = 0; i < emu->sys.ncpus; i++)
		fprintf(out.f, "%s\n", emu->sys.cpus[i]->name);
	return out_close(&out);
}

int row_write(const struct emu *emu)
{
	int threads = row_threads(emu);
	int cpus = row_cpus(emu);

	return threads ? threads : cpus;
}
