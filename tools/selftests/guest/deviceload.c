// SPDX-License-Identifier: GPL-2.0-only
/*
 * deviceload FILE - loads from a device whose registers FILE maps, with interrupts on: each load is
 * in the midst of other instructions
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define TIMES	1000000

int main(int argc, char **argv)
{
	volatile const uint32_t *registers;
	uint32_t sum = 0;
	int i, fd;

	if (argc != 2)
		errx(1, "usage: deviceload FILE");
	fd = open(argv[1], O_RDWR);
	registers = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (registers == MAP_FAILED)
		err(1, "%s", argv[1]);
	for (i = 0; i < TIMES; i++)
		sum = (sum + registers[0] + registers[1]) ^ i;
	printf("%x\n", sum);
	return 0;
}
