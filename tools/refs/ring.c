// SPDX-License-Identifier: GPL-2.0-only
/* From the guest's CPU to the thread that compresses and writes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "refs/encode.h"
#include "ring.h"

#define CHUNKS	16U

static struct {
	u64 *words[CHUNKS];
	u32 nr[CHUNKS];
	u32 full;		/* chunks that were filled */
	u32 done;		/* of these, written */
	bool end;
	int error;		/* the first one, as it was reported */
	int fd;
	const char *path;
	struct refs_encoder *encoder;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* @error: negative errno, or 0. At once, and once. */
static void report(int error)
{
	if (error && !ring.error)
		fprintf(stderr, "ovnik-refs.so: %s: %s\n", ring.path, strerror(-error));
	ring.error = ring.error ? ring.error : error;
}

static void *writer(void *data)
{
	u32 i;

	pthread_mutex_lock(&ring.lock);
	for (;;) {
		while (ring.done == ring.full && !ring.end)
			pthread_cond_wait(&ring.changed, &ring.lock);
		if (ring.done == ring.full)
			break;
		i = ring.done % CHUNKS;
		pthread_mutex_unlock(&ring.lock);
		/* The encoder keeps its first error. The guest goes on. */
		report(refs_encode(ring.encoder, ring.words[i], ring.nr[i]));
		pthread_mutex_lock(&ring.lock);
		ring.done++;
		pthread_cond_broadcast(&ring.changed);
	}
	pthread_mutex_unlock(&ring.lock);
	return data;
}

u64 *ring_open(const char *path, u32 options, u32 every)
{
	u32 i;

	ring.path = path;
	for (i = 0; i < CHUNKS; i++) {
		ring.words[i] = malloc(RING_CHUNK * sizeof(u64));
		if (!ring.words[i])
			goto no_memory;
	}
	ring.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (ring.fd < 0) {
		report(-errno);
		return NULL;
	}
	ring.encoder = refs_encoder_open(ring.fd, options, every);
	if (!ring.encoder) {
		report(-errno);
		return NULL;
	}
	if (!pthread_create(&ring.thread, NULL, writer, NULL))
		return ring.words[0];
no_memory:
	report(-ENOMEM);
	return NULL;
}

u64 *ring_next(u32 nr)
{
	u64 *words;

	pthread_mutex_lock(&ring.lock);
	ring.nr[ring.full % CHUNKS] = nr;
	ring.full++;
	pthread_cond_broadcast(&ring.changed);
	while (ring.full - ring.done == CHUNKS)
		pthread_cond_wait(&ring.changed, &ring.lock);
	words = ring.words[ring.full % CHUNKS];
	pthread_mutex_unlock(&ring.lock);
	return words;
}

void ring_close(u32 nr)
{
	int error;

	ring_next(nr);
	pthread_mutex_lock(&ring.lock);
	ring.end = true;
	pthread_cond_broadcast(&ring.changed);
	pthread_mutex_unlock(&ring.lock);
	pthread_join(ring.thread, NULL);
	error = refs_encoder_close(ring.encoder);
	if (close(ring.fd) && !error)
		error = -errno;
	report(error);
}
