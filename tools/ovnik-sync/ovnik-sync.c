// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-sync: measure how far the clocks of the nodes of a job are apart, with MPI. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>
#include <ovnik_version.h>

#include "sync.h"
#include "util/msg.h"
#include "util/options.h"
#include "util/outfile.h"
#include "util/timens.h"

#define EXIT_USAGE	2

#define SAMPLES		1000
#define SAMPLES_MAX	1000000

#define BOOT_ID		"/proc/sys/kernel/random/boot_id"

const char *argp_program_version = "ovnik-sync " OVNIK_VERSION;

static const char doc[] =
	"Measure how far CLOCK_MONOTONIC of the nodes of a job are apart, and write the table of offsets "
	"that ovnik-decode, ovnik-emu and ovniemu read. Run it with a launcher of MPI, one rank on "
	"each node, before the job and after it.\v"
	"Exit status: 0 the table is written; 1 it is not; 2 wrong usage.";

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the table into FILE, not to standard output", 0 },
	{ "samples", 'n', "N", 0, "Messages to each node; by default 1000", 0 },
	{ 0 }
};

/**
 * struct command - The command line.
 * @out: where the table goes; NULL: to standard output
 * @samples: messages to each node
 */
struct command {
	const char *out;
	unsigned int samples;
};

static unsigned int parse_samples(const char *arg, const struct argp_state *state)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (errno || *end || end == arg || *arg == '-' || n < 2 || n > SAMPLES_MAX)
		argp_error(state, "%s: samples must be a number from 2 to %d", arg, SAMPLES_MAX);
	return n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct command *cmd = state->input;

	switch (key) {
	case 'o':
		cmd->out = arg;
		return 0;
	case 'n':
		cmd->samples = parse_samples(arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void read_boot(char *boot, size_t size)
{
	FILE *file = fopen(BOOT_ID, "re");

	if (!file)
		return;
	if (!fgets(boot, size, file))
		boot[0] = '\0';
	fclose(file);
}

static void look_at(struct node *node)
{
	memset(node, 0, sizeof(*node));
	MPI_Comm_rank(MPI_COMM_WORLD, &node->rank);
	gethostname(node->name, sizeof(node->name) - 1);
	node->name[strcspn(node->name, ".")] = '\0';
	read_boot(node->boot, sizeof(node->boot));
	node->shift = timens_shift();
}

static int by_name(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->rank - y->rank;
}

static int by_rank(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return x->rank - y->rank;
}

/* Of the ranks of a node, the first. Return: how many nodes, or a negative errno (reported). */
static int find_nodes(struct node *nodes, int ranks)
{
	int i, n = 0;

	qsort(nodes, ranks, sizeof(*nodes), by_name);
	for (i = 0; i < ranks; i++) {
		if (!n || strcmp(nodes[n - 1].name, nodes[i].name)) {
			nodes[n++] = nodes[i];
			continue;
		}
		if (strcmp(nodes[n - 1].boot, nodes[i].boot)) {
			msg_error("ranks %d and %d run on two nodes that are both called %s: a table cannot tell them apart",
				  nodes[n - 1].rank, nodes[i].rank, nodes[i].name);
			return -EEXIST;
		}
	}
	qsort(nodes, n, sizeof(*nodes), by_rank);
	for (i = 0; i < n; i++) {
		if (nodes[i].shift)
			msg_warn("node %s: its rank is in a time namespace, %lld ns from the kernel's clock, which captures have",
				 nodes[i].name, (long long)nodes[i].shift);
	}
	return n;
}

/* How far two nodes may be apart: by the two largest errors. */
static s64 apart(const struct node *nodes, int nr, const struct node **worst)
{
	s64 most = 0, second = 0, error;
	int i;

	*worst = &nodes[0];
	for (i = 1; i < nr; i++) {
		error = estimate_error(&nodes[i].clock);
		if (error > most) {
			second = most;
			most = error;
			*worst = &nodes[i];
		} else if (error > second) {
			second = error;
		}
	}
	return most + second;
}

static void put_line(struct file *f, const struct node *node)
{
	const struct estimate *e = &node->clock;
	char *p = file_room(f);

	p += snprintf(p, FILE_LINE_MAX, "%d %s %lld %.1f %.1f\n", node->rank, node->name,
		      (long long)e->offset, e->mean, sqrt(e->variance));
	file_done(f, p);
}

/* Readers skip the first line but for what is after the names of the columns. */
static int write_table(const char *path, const struct node *nodes, int nr, s64 at, s64 within)
{
	struct outfile out;
	int i, ret, closed;
	char *p;

	ret = outfile_open(&out, path, NULL);
	if (!ret) {
		p = file_room(&out.file);
		p += snprintf(p, FILE_LINE_MAX,
			      "rank hostname offset_median offset_mean offset_std at=%lld within=%lld\n",
			      (long long)at, (long long)within);
		file_done(&out.file, p);
	}
	for (i = 0; !ret && i < nr; i++)
		put_line(&out.file, &nodes[i]);
	closed = outfile_close(&out);
	return ret ? ret : closed;
}

static int measure_nodes(const struct command *cmd, struct node *nodes, int ranks)
{
	int nr = find_nodes(nodes, ranks);
	const struct node *worst;
	s64 at, within;

	if (nr < 0)
		return nr;
	at = measure_all(nodes, nr, cmd->samples);
	if (at < 0)
		return at;
	within = apart(nodes, nr, &worst);
	if (nr == 1)
		msg_warn("all ranks run on node %s", nodes[0].name);
	else
		msg_info("%d nodes; with these offsets two of them differ by at most %lld ns; the worst is %s, round trip %lld ns",
			 nr, (long long)within, worst->name, (long long)worst->clock.round_trip);
	return write_table(cmd->out, nodes, nr, at, within);
}

static int run(const struct command *cmd)
{
	struct node self, *nodes = NULL;
	int ranks, ret = 0;

	look_at(&self);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!self.rank) {
		nodes = calloc(ranks, sizeof(*nodes));
		if (!nodes)
			MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	}
	MPI_Gather(&self, sizeof(self), MPI_BYTE, nodes, sizeof(self), MPI_BYTE, 0,
		   MPI_COMM_WORLD);
	if (self.rank) {
		measure_serve();
		return 0;
	}
	ret = measure_nodes(cmd, nodes, ranks);
	measure_end();
	free(nodes);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .doc = doc, .children = trust_child,
	};
	struct command cmd = { .samples = SAMPLES };
	int ret;

	msg_init(argv[0]);
	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &cmd);
	if (MPI_Init(NULL, NULL))
		return EXIT_FAILURE;
	ret = run(&cmd);
	MPI_Finalize();
	return ret;
}
