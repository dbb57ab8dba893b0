// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages between nodes. The first rank asks one node after the other, so that
 * none disturbs another, once in order and once backwards: the middle of both is
 * the same moment for all nodes.
 */
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include "sync.h"
#include "util/msg.h"

#define TAG	1
#define NAP_NS	200000

enum command {
	COMMAND_TELL,	/* the clock is wanted */
	COMMAND_REST,	/* it is another node's turn */
	COMMAND_END,
};

static s64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Who is not asked leaves the CPU to those who are: on a machine with few of them, that counts. */
static void rest(void)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	int found = 0;

	for (;;) {
		MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
		if (found)
			return;
		nanosleep(&nap, NULL);
	}
}

void measure_serve(void)
{
	s64 command = COMMAND_REST, clock;

	while (command != COMMAND_END) {
		if (command == COMMAND_REST)
			rest();
		MPI_Recv(&command, 1, MPI_INT64_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (command != COMMAND_TELL)
			continue;
		clock = now();
		MPI_Send(&clock, 1, MPI_INT64_T, 0, TAG, MPI_COMM_WORLD);
	}
}

static void send_command(int rank, s64 command)
{
	MPI_Send(&command, 1, MPI_INT64_T, rank, TAG, MPI_COMM_WORLD);
}

static void measure(struct estimate *e, int rank, struct sample *samples, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		samples[i].sent = now();
		send_command(rank, COMMAND_TELL);
		MPI_Recv(&samples[i].there, 1, MPI_INT64_T, rank, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		samples[i].back = now();
	}
	send_command(rank, COMMAND_REST);
	estimate_make(e, samples, nr);
}

s64 measure_all(struct node *nodes, unsigned int nr, unsigned int nr_samples)
{
	unsigned int i, half = (nr_samples + 1) / 2;
	struct sample *samples = calloc(half, sizeof(*samples));
	struct estimate back;
	s64 begin = now(), middle;

	if (!samples)
		return msg_no_memory();
	for (i = 1; i < nr; i++)
		measure(&nodes[i].clock, nodes[i].rank, samples, half);
	for (i = nr - 1; i > 0; i--) {
		measure(&back, nodes[i].rank, samples, half);
		estimate_join(&nodes[i].clock, &nodes[i].clock, &back);
	}
	free(samples);
	middle = begin + (now() - begin) / 2;
	for (i = 1; i < nr; i++)
		estimate_move(&nodes[i].clock, middle);
	return middle;
}

void measure_end(void)
{
	int rank, ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (rank = 1; rank < ranks; rank++)
		send_command(rank, COMMAND_END);
}
