// SPDX-License-Identifier: GPL-2.0-only
/* A trace for Perfetto as an output: its option, file, beginning and end. */
#include <errno.h>
#include <limits.h>
#include <ovnik_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/perfetto/perfetto.h"
#include "util/msg.h"

#define FILE_NAME	"trace.perfetto-trace"
#define GZIP_NAME	FILE_NAME ".gz"
#define OPT_GZIP	256

/* Of kernels whose numbers of states are ours. */
#define RELEASE_LEAST	"4.14"

#define KINDS									\
	(1U << TASKS_PROCESS | 1U << TASKS_THREAD | 1U << TASKS_WAIT |		\
	 1U << TASKS_UNKNOWN | 1U << TASKS_CALL | 1U << TASKS_FAULT | 1U << TASKS_FILE | \
	 1U << TASKS_REQ_OUT | TASKS_NOWHERE)

static const struct argp_option options[] = {
	{ "perfetto-gzip", OPT_GZIP, 0, 0,
	  "Compress the trace for Perfetto: " GZIP_NAME, 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct perfetto *o = use->data;

	(void)arg;
	(void)state;
	if (key != OPT_GZIP)
		return ARGP_ERR_UNKNOWN;
	o->gzip = true;
	return 0;
}

static bool owns(const char *name)
{
	return !strcmp(name, FILE_NAME) || !strcmp(name, GZIP_NAME);
}

static int make_cpus(struct perfetto *o)
{
	u32 i, nr_cpus = o->world->nr_cpus, left_out = 0;

	/* The last ones are of CPUs that do not exist. */
	o->cpus = calloc(nr_cpus + 1, sizeof(*o->cpus));
	o->losses = calloc(nr_cpus + 1, sizeof(*o->losses));
	if (!o->cpus || !o->losses)
		return -ENOMEM;
	for (i = 0; i < nr_cpus; i++) {
		if (o->world->cpus[i].nr >= BUNDLE_CPUS_MAX) {
			left_out++;
			continue;
		}
		o->cpus[i] = calloc(1, sizeof(*o->cpus[i]));
		if (!o->cpus[i])
			return -ENOMEM;
		bundle_init(&o->cpus[i]->bundle, &o->trace, o->world->cpus[i].nr);
	}
	if (left_out)
		msg_warn("Perfetto reads no CPU after %u: %u left out", BUNDLE_CPUS_MAX - 1,
			 left_out);
	return 0;
}

static u8 *put_clock(u8 *p, u32 id, u64 ns)
{
	u8 *clock = pb_begin(p, CLOCKS_CLOCK);

	return pb_end(clock, pb_uint(pb_uint(clock, CLOCK_ID, id), CLOCK_TIMESTAMP, ns));
}

/*
 * Perfetto takes all times for CLOCK_BOOTTIME. They are CLOCK_MONOTONIC, and shown as they are.
 * @real: the time of day; 0: it is not known.
 */
static void put_clocks(struct perfetto *o, u64 ns, u64 real)
{
	u8 *start = pb_begin(trace_begin(&o->trace), PACKET_CLOCK_SNAPSHOT), *p;

	p = put_clock(start, CLOCK_ID_BOOTTIME, ns);
	p = put_clock(p, CLOCK_ID_MONOTONIC, ns);
	if (real)
		p = put_clock(p, CLOCK_ID_REALTIME, real);
	p = pb_uint(p, CLOCKS_PRIMARY, CLOCK_ID_BOOTTIME);
	trace_end(&o->trace, pb_end(start, p));
}

static void put_system(struct perfetto *o, const struct meta *meta)
{
	u8 *start = pb_begin(trace_begin(&o->trace), PACKET_SYSTEM_INFO), *uts, *p;

	uts = pb_begin(start, SYSTEM_UTSNAME);
	p = pb_text(uts, UTSNAME_SYSNAME, "Linux");
	/* Of several, the host's name: there is no field for it. */
	if (o->nodes > 1)
		p = pb_text(p, UTSNAME_VERSION, meta->host);
	p = pb_text(p, UTSNAME_RELEASE, *meta->kernel ? meta->kernel : RELEASE_LEAST);
	p = pb_end(uts, p);
	p = pb_text(p, SYSTEM_SERVICE_VERSION, "ovnik " OVNIK_VERSION);
	p = pb_uint(p, SYSTEM_NUM_CPUS, o->world->nr_cpus);
	trace_end(&o->trace, pb_end(start, p));
}

static void path_of(char *path, const char *out, bool gzip)
{
	snprintf(path, PATH_MAX, "%s/%s", out, gzip ? GZIP_NAME : FILE_NAME);
}

static int attach(void *data, const struct output_env *env)
{
	struct perfetto *o = data;
	char path[PATH_MAX];
	int ret;

	o->world = env->world;
	/* Parts are joined, and compressed then. */
	o->gzip = o->gzip && !env->nodes;
	o->nodes = env->nodes ? env->nodes : 1;
	o->trace.machine = env->node;
	o->trace.shift = env->shift;
	path_of(path, env->out, o->gzip);
	ret = trace_open(&o->trace, path, o->gzip, &env->world->hooks.error);
	if (!ret && hash_init(&o->files))
		ret = -ENOMEM;
	if (!ret)
		ret = make_cpus(o);
	if (ret)
		return ret;
	perfetto_begin(o);
	put_clocks(o, clock_ns(&env->cap->clock, env->cap->begin) + env->shift,
		   output_real_begin(env));
	put_system(o, &env->cap->meta);
	/* Before the tasks: a switch comes before the end of who leaves. */
	return perfetto_attach_sched(o) ?: perfetto_attach_counters(o) ?:
	       perfetto_attach_marks(o, env);
}

static int attach_tasks(void *data, const struct output_env *env)
{
	return perfetto_attach_tracks(data, tasks_hooks(env->tasks));
}

static int finish(void *data, const struct output_env *env)
{
	struct perfetto *o = data;
	int ret = marks_finish(&o->marks, clock_ns(&env->cap->clock, env->cap->end));

	perfetto_end_sched(o);
	return ret ? ret : trace_close(&o->trace);
}

static int add_part(void *data, const char *out, const char *dir)
{
	struct perfetto *o = data;
	char path[PATH_MAX];
	int ret = 0;

	if (!dir)
		return trace_close(&o->trace);
	if (!o->nodes) {
		path_of(path, out, o->gzip);
		ret = trace_open(&o->trace, path, o->gzip, &o->failed);
	}
	o->nodes++;
	path_of(path, dir, false);
	return ret ? ret : trace_append(&o->trace, path);
}

static void close_output(void *data)
{
	struct perfetto *o = data;
	u32 i;

	trace_close(&o->trace);
	perfetto_free_tracks(o);
	marks_free(&o->marks);
	for (i = 0; o->cpus && i < o->world->nr_cpus; i++)
		free(o->cpus[i]);
	free(o->cpus);
	free(o->losses);
	memset(o, 0, sizeof(*o));
}

DEFINE_OUTPUT(perfetto) = {
	.name = "perfetto",
	.sentence = "a trace for ui.perfetto.dev: " FILE_NAME,
	.flags = OUTPUT_FILES | OUTPUT_INVENTORY | OUTPUT_MERGES | OUTPUT_PARTS,
	.shows = FILE_NAME,
	.before = "open",
	.after = " in https://ui.perfetto.dev",
	.size = sizeof(struct perfetto),
	.options = options,
	.parse = parse,
	.kinds = KINDS,
	.owns = owns,
	.attach = attach,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.part = add_part,
	.close = close_output,
};
