// SPDX-License-Identifier: GPL-2.0-only
/*
 * threadload - make threads that end at once, from several others, until it is killed
 *
 * With any argument its first thread ends.
 */
#include <err.h>
#include <pthread.h>
#include <stddef.h>

#define MAKERS	3

static void *end(void *unused)
{
	return unused;
}

static void *make(void *unused)
{
	pthread_t thread;

	for (;;) {
		if (pthread_create(&thread, NULL, end, NULL) || pthread_join(thread, NULL))
			errx(1, "a thread");
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t makers[MAKERS];
	int i;

	for (i = 0; i < MAKERS; i++) {
		if (pthread_create(&makers[i], NULL, make, NULL))
			errx(1, "a maker");
	}
	(void)argv;
	if (argc > 1)
		pthread_exit(NULL);
	pthread_join(makers[0], NULL);
	return 0;
}
