// SPDX-License-Identifier: GPL-2.0-only
/* The report of several nodes: see nodes.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/nodes.h"
#include "output/report/phases.h"
#include "util/msg.h"

/**
 * struct one - A node.
 * @name: of the host
 * @length: of the capture, ns
 * @cpus: number of CPUs
 * @whole: time of those that are known, ns
 * @partial: nothing is known of some CPU
 * @unknown: those; or an event without which it has no times; empty: neither
 * @lacking: bit n: enum report_needs n is missing
 * @events: number of events
 * @lost: how many were lost
 * @counted: also at the end, which only meta.json says
 * @sum: of all its processes
 */
struct one {
	char name[sizeof(((struct meta *)0)->host)];
	u64 length;
	u64 cpus;
	u64 whole;
	bool partial;
	char unknown[REPORT_CPUS_TEXT];
	u32 lacking;
	u64 events;
	u64 lost;
	bool counted;
	struct sum sum;
};

/**
 * struct part - What a program did on a node.
 * @sum: of its processes there
 * @node: index of the node
 */
struct part {
	struct report_process sum;
	u32 node;
};

/**
 * struct over - What a program did on all nodes.
 * @sum: of its processes; must come first, see report_sort()
 * @nodes: on how many
 * @partial: nothing is known of some CPU of one of them
 * @lacking: bit n: on one of them, enum report_needs n is missing
 * @least: where it was on a CPU for the shortest time
 * @most: where for the longest
 */
struct over {
	struct report_process sum;
	u64 nodes;
	bool partial;
	u32 lacking;
	const struct part *least;
	const struct part *most;
};

/**
 * struct wait - A wait in a run queue.
 * @wait: the wait; its processes are gone
 * @process: copy of the one that waited
 * @node: index of the node
 */
struct wait {
	struct report_wait wait;
	struct report_process process;
	u32 node;
};

/**
 * struct phase - A phase on a node.
 * @sum: of its threads there
 * @node: index of the node
 */
struct phase {
	struct report_phase sum;
	u32 node;
};

/**
 * struct over_phase - A phase on all nodes.
 * @sum: of all threads; its names are those of the first node
 * @nodes: on how many
 * @least_on: node of the thread that was in it for the shortest time
 * @most_on: of the one that was for the longest
 */
struct over_phase {
	struct report_phase sum;
	u64 nodes;
	u32 least_on;
	u32 most_on;
};

struct report_nodes {
	struct one *ones;
	u32 nr;
	struct part *parts;
	size_t nr_parts;
	struct wait *waits;
	size_t nr_waits;
	struct phase *phases;
	size_t nr_phases;
};

static void *grow(void *list, size_t nr, size_t size)
{
	void *grown = realloc(list, (nr + !nr) * size);

	if (!grown)
		msg_no_memory();
	return grown;
}

static int check_name(const struct report_nodes *n, const struct capture *cap)
{
	u32 i;

	for (i = 0; i < n->nr; i++) {
		if (strcmp(n->ones[i].name, cap->meta.host))
			continue;
		msg_error("%s: was recorded on host \"%s\", as was an earlier capture: a report takes one capture of each node; \"ovnik-decode diff\" compares two",
			  cap->dir, cap->meta.host);
		return -EEXIST;
	}
	return 0;
}

static bool has_no_times(const struct one *one)
{
	return one->lacking >> NEEDS_SWITCHES & 1;
}

static int add_one(struct report_nodes *n, const struct report *r, const struct facts *facts)
{
	struct one *grown = grow(n->ones, n->nr + 1, sizeof(*n->ones)), *one;

	if (!grown)
		return -ENOMEM;
	n->ones = grown;
	one = &n->ones[n->nr++];
	memset(one, 0, sizeof(*one));
	snprintf(one->name, sizeof(one->name), "%s", facts->cap->meta.host);
	one->length = r->end - r->begin;
	one->cpus = r->nr_cpus;
	one->whole = report_time_of_cpus(r);
	one->partial = report_known_count(&r->known, false);
	if (one->partial)
		report_known_text(&r->known, false, one->unknown);
	one->events = capture_records(facts->cap);
	one->lost = report_lost(&facts->cap->stats);
	one->counted = facts->cap->meta.valid;
	one->sum = r->all.sum;
	one->lacking = report_lacking(facts);
	if (has_no_times(one))
		snprintf(one->unknown, sizeof(one->unknown), "%s",
			 report_lacks(facts, NEEDS_SWITCHES));
	return 0;
}

static int add_parts(struct report_nodes *n, const struct report *r)
{
	struct report_process **list = report_processes(r), *sums = NULL;
	size_t i, nr = r->nr_covered;
	struct part *grown = NULL;

	if (list)
		sums = report_programs(list, &nr);
	free(list);
	if (sums)
		grown = grow(n->parts, n->nr_parts + nr, sizeof(*n->parts));
	if (!grown) {
		free(sums);
		return -ENOMEM;
	}
	n->parts = grown;
	for (i = 0; i < nr; i++)
		n->parts[n->nr_parts++] = (struct part){ .sum = sums[i], .node = n->nr - 1 };
	free(sums);
	return 0;
}

static int add_waits(struct report_nodes *n, const struct report *r)
{
	struct wait *grown = grow(n->waits, n->nr_waits + r->nr_waits, sizeof(*n->waits));
	unsigned int i;

	if (!grown)
		return -ENOMEM;
	n->waits = grown;
	for (i = 0; i < r->nr_waits; i++) {
		n->waits[n->nr_waits++] = (struct wait){
			.wait = r->waits[i], .process = *r->waits[i].process,
			.node = n->nr - 1,
		};
	}
	return 0;
}

static int add_phases(struct report_nodes *n, const struct report *r)
{
	struct phase *grown = grow(n->phases, n->nr_phases + r->nr_phases, sizeof(*n->phases));
	struct phase *phase;
	u32 i;

	if (!grown)
		return -ENOMEM;
	n->phases = grown;
	for (i = 0; i < r->nr_phases; i++) {
		phase = &n->phases[n->nr_phases++];
		*phase = (struct phase){ .sum = r->phases[i], .node = n->nr - 1 };
		phase->sum.mark = strdup(r->phases[i].mark);
		phase->sum.name = strdup(r->phases[i].name);
		if (!phase->sum.mark || !phase->sum.name)
			return msg_no_memory();
	}
	return 0;
}

int report_nodes_add(struct report_nodes **nodes, struct report *r, const struct facts *facts)
{
	struct report_nodes *n = *nodes ? *nodes : calloc(1, sizeof(*n));
	int ret;

	if (!n)
		return msg_no_memory();
	*nodes = n;
	ret = check_name(n, facts->cap) ?: add_one(n, r, facts) ?: add_phases(n, r);
	if (ret || has_no_times(&n->ones[n->nr - 1]))
		return ret;
	return add_parts(n, r) ?: add_waits(n, r);
}

static const struct report_column one_columns[] = {
	{ "on cpu", offsetof(struct sum, cpu.ns), FORM_NS, NEEDS_SWITCHES },
	{ "of CPUs", offsetof(struct sum, cpu.ns), FORM_SHARE, NEEDS_SWITCHES },
};

static void write_ones(const struct report_nodes *n, u32 in, struct tracer_answer *to)
{
	struct report_table t = { .to = to };
	struct sums_columns columns;
	u32 i;

	report_measures(&t, &columns, one_columns, ARRAY_SIZE(one_columns), in, 0);
	report_table_begin(&t, "nodes", "node,length,CPUs,events,lost", "not in the capture");
	for (i = 0; i < n->nr; i++) {
		const struct one *one = &n->ones[i];

		answer_row(to);
		answer_text(to, "node", one->name);
		answer_ns(to, "length", one->length);
		answer_u64(to, "CPUs", one->cpus);
		answer_u64(to, "events", one->events);
		if (one->lost || one->counted)
			answer_u64(to, "lost", one->lost);
		if (*one->unknown)
			answer_text(to, "not in the capture", one->unknown);
		t.whole = one->whole;
		t.partial = one->partial;
		t.lacking = one->lacking;
		report_cells(&t, &one->sum);
	}
	report_end(to);
}

static int by_name(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = strcmp(x->sum.name, y->sum.name);

	if (order)
		return order;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void add_part(struct over *over, const struct part *part)
{
	sums_add_sum(&over->sum.sum, &part->sum.sum);
	over->nodes++;
	if (!over->least || part->sum.sum.cpu.ns < over->least->sum.sum.cpu.ns)
		over->least = part;
	if (!over->most || part->sum.sum.cpu.ns > over->most->sum.sum.cpu.ns)
		over->most = part;
}

/* Return: sums by name, of equals the first node first; NULL without memory. */
static struct over *sum_up(struct report_nodes *n, size_t *nr)
{
	struct over *all = calloc(n->nr_parts + 1, sizeof(*all)), *over = all;
	size_t i;

	if (!all)
		return NULL;
	if (n->nr_parts)
		qsort(n->parts, n->nr_parts, sizeof(*n->parts), by_name);
	for (i = 0; i < n->nr_parts; i++) {
		const struct part *part = &n->parts[i];

		if (i && strcmp(part->sum.name, over->sum.name))
			over++;
		if (!over->nodes) {
			memcpy(over->sum.name, part->sum.name, sizeof(over->sum.name));
			over->sum.recorder = part->sum.recorder;
			over->sum.number = over - all;
		}
		add_part(over, part);
		over->partial |= n->ones[part->node].partial;
		over->lacking |= n->ones[part->node].lacking;
	}
	*nr = n->nr_parts ? over - all + 1 : 0;
	return all;
}

static void write_share(const struct report_nodes *n, const struct part *part,
			const char *name, const char *on, struct tracer_answer *to)
{
	const struct one *one = &n->ones[part->node];

	/* While nothing is known of a CPU, it is not known that there was nothing. */
	if (part->sum.sum.cpu.ns || !one->partial)
		answer_ns(to, name, part->sum.sum.cpu.ns);
	answer_text(to, on, one->name);
}

/* @who: the first columns; @t: the last ones */
static void write_over(const struct report_nodes *n, const struct over *over,
		       struct report_table *who, struct report_table *t)
{
	who->partial = over->partial;
	who->lacking = over->lacking;
	t->partial = over->partial;
	t->lacking = over->lacking;
	answer_row(t->to);
	report_cells(who, over);
	write_share(n, over->least, "least", "least on", t->to);
	write_share(n, over->most, "most", "most on", t->to);
	report_cells(t, over);
}

static const struct report_column over_columns[] = {
	{ "program", offsetof(struct over, sum.name), FORM_TEXT, NEEDS_NOTHING },
	{ "nodes", offsetof(struct over, nodes), FORM_U64, NEEDS_NOTHING },
	{ "processes", offsetof(struct over, sum.sum.processes), FORM_U64, NEEDS_NOTHING },
	{ "on cpu", offsetof(struct over, sum.sum.cpu.ns), FORM_NS, NEEDS_SWITCHES },
};

static int write_programs(struct report_nodes *n, const struct report_options *opt, u32 in,
			  struct tracer_answer *to)
{
	size_t i, nr = 0;
	struct over *all = sum_up(n, &nr);
	struct report_process **list = calloc(nr + 1, sizeof(*list));
	struct report_table t = { .to = to }, who = {
		.to = to, .columns = over_columns, .nr = ARRAY_SIZE(over_columns),
	};
	struct sums_columns columns;

	if (!all || !list) {
		free(all);
		free(list);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++)
		list[i] = &all[i].sum;
	report_sort(list, nr, offsetof(struct report_process, sum.cpu.ns));
	report_measures(&t, &columns, NULL, 0, in, offsetof(struct over, sum.sum));
	report_table_begin(&t, opt->json ? "programs" : "programs by time on a CPU",
			   "program,nodes,processes,on cpu,least,least on,most,most on", "");
	for (i = 0; i < nr; i++) {
		if (report_has_row(opt, list[i], i, offsetof(struct report_process, sum.cpu.ns)))
			write_over(n, (const struct over *)list[i], &who, &t);
	}
	report_end(to);
	free(list);
	free(all);
	return 0;
}

/* The worst first; of equals, as the nodes and then the time have it. */
static int by_length(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	if (x->wait.ns != y->wait.ns)
		return x->wait.ns > y->wait.ns ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->wait.start < y->wait.start ? -1 : x->wait.start > y->wait.start;
}

static void write_waits(struct report_nodes *n, const struct report_options *opt,
			struct tracer_answer *to)
{
	size_t i, most = report_max_waits(opt);

	if (n->nr_waits)
		qsort(n->waits, n->nr_waits, sizeof(*n->waits), by_length);
	report_begin(to, opt->json ? "worst waits" : "worst waits in run queues",
		     "wait,node,at,process,pid,tid,why,cpu");
	for (i = 0; i < n->nr_waits && i < most; i++) {
		const struct wait *w = &n->waits[i];

		answer_row(to);
		answer_ns(to, "wait", w->wait.ns);
		answer_text(to, "node", n->ones[w->node].name);
		answer_ns(to, "at", w->wait.start);
		if (*w->process.name)
			answer_text(to, "process", w->process.name);
		answer_u64(to, "pid", w->process.pid);
		answer_u64(to, "tid", w->wait.tid);
		answer_text(to, "why", report_why(&w->wait));
		if (w->wait.on >= 0)
			answer_u64(to, "cpu", w->wait.on);
	}
	report_end(to);
}

static int by_phase(const void *a, const void *b)
{
	const struct phase *x = a, *y = b;
	int order = strcmp(x->sum.mark, y->sum.mark) ?: strcmp(x->sum.name, y->sum.name);

	return order ?: x->node < y->node ? -1 : x->node > y->node;
}

static void add_phase(struct over_phase *over, const struct phase *phase)
{
	over->nodes++;
	report_add(&over->sum.times, phase->sum.times);
	report_add(&over->sum.threads, phase->sum.threads);
	report_add(&over->sum.ns, phase->sum.ns);
	if (phase->sum.least < over->sum.least) {
		over->sum.least = phase->sum.least;
		over->least_on = phase->node;
	}
	if (over->nodes == 1 || phase->sum.most > over->sum.most) {
		over->sum.most = phase->sum.most;
		over->most_on = phase->node;
	}
}

static int by_phase_time(const void *a, const void *b)
{
	const struct over_phase *x = a, *y = b;

	if (x->sum.ns != y->sum.ns)
		return x->sum.ns > y->sum.ns ? -1 : 1;
	return strcmp(x->sum.mark, y->sum.mark) ?: strcmp(x->sum.name, y->sum.name);
}

/* Return: the most time first; NULL without memory. */
static struct over_phase *sum_up_phases(struct report_nodes *n, size_t *nr)
{
	struct over_phase *all = calloc(n->nr_phases, sizeof(*all)), *over = all;
	size_t i;

	if (!all)
		return NULL;
	qsort(n->phases, n->nr_phases, sizeof(*n->phases), by_phase);
	for (i = 0; i < n->nr_phases; i++) {
		const struct report_phase *sum = &n->phases[i].sum;

		if (i && (strcmp(sum->mark, over->sum.mark) || strcmp(sum->name, over->sum.name)))
			over++;
		if (!over->nodes)
			over->sum = (struct report_phase){
				.mark = sum->mark, .name = sum->name, .least = ~0ULL,
			};
		add_phase(over, &n->phases[i]);
	}
	*nr = over - all + 1;
	qsort(all, *nr, sizeof(*all), by_phase_time);
	return all;
}

static int write_phases(struct report_nodes *n, const struct report_options *opt,
			struct tracer_answer *to)
{
	struct over_phase *all;
	size_t i, nr;

	if (!n->nr_phases)
		return 0;
	all = sum_up_phases(n, &nr);
	if (!all)
		return -ENOMEM;
	report_begin(to, "phases", REPORT_PHASE_COLUMNS ",nodes,least on,most on");
	for (i = 0; i < nr && (opt->all || i < opt->rows); i++) {
		answer_row(to);
		report_phase_write(&all[i].sum, to);
		answer_u64(to, "nodes", all[i].nodes);
		answer_text(to, "least on", n->ones[all[i].least_on].name);
		answer_text(to, "most on", n->ones[all[i].most_on].name);
	}
	report_end(to);
	free(all);
	return 0;
}

int report_nodes_write(struct report_nodes *n, const struct report_options *opt, FILE *f)
{
	struct tracer_answer *to = answer_create(opt->json);
	u32 in = IN_NODES | (opt->json ? IN_WIDE : 0);
	char asked[32];
	int ret = -ENOMEM;

	snprintf(asked, sizeof(asked), "%u node%s", n->nr, n->nr == 1 ? "" : "s");
	if (to) {
		answer_open(to, "report", asked);
		write_ones(n, in, to);
		ret = write_programs(n, opt, in, to) ?: write_phases(n, opt, to);
		write_waits(n, opt, to);
	}
	if (!ret)
		ret = answer_close(to);
	if (!ret)
		ret = answer_write(to, f);
	if (ret)
		msg_error("the report cannot be written: %s", strerror(-ret));
	answer_destroy(to);
	return ret;
}

void report_nodes_free(struct report_nodes *n)
{
	size_t i;

	if (!n)
		return;
	free(n->ones);
	free(n->parts);
	free(n->waits);
	for (i = 0; i < n->nr_phases; i++) {
		free(n->phases[i].sum.mark);
		free(n->phases[i].sum.name);
	}
	free(n->phases);
	free(n);
}
