/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILELOAD_IO_H
#define GUEST_FILELOAD_IO_H

/* The parts of fileload that read and write. */

#define CHUNK		12000	/* bytes at once */

/**
 * dice() - Return a random number below @sides.
 * @seed: of the generator
 * @sides: not 0
 */
unsigned int dice(unsigned int *seed, unsigned int sides);

/**
 * note_sums() - Log the bytes of this process, by /proc/self/io.
 */
void note_sums(void);

/**
 * act_plain() - Read and write in every way, by three threads at random.
 */
void act_plain(void);

/**
 * act_ia32() - Read and write as a program of 32 bits does.
 */
void act_ia32(void);

/**
 * run_append() - Append to a file from two processes.
 */
void run_append(void);

/**
 * act_pipes() - Copy between files, pipes and sockets.
 */
void act_pipes(void);

#endif /* GUEST_FILELOAD_IO_H */
