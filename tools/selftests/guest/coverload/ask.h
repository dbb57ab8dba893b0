/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_COVERLOAD_ASK_H
#define GUEST_COVERLOAD_ASK_H

/* Reads and writes of scene.file that are asked for: by io_submit() and by an io_uring. */

#include <sys/uio.h>

#include "../common/aio.h"
#include "../common/uring.h"
#include "way.h"

/* Of open_ring() or register_memory(). */
extern struct ring ring;

/**
 * parts() - Two pieces of memory.
 *
 * Return: both, of 10 bytes each, on two pages.
 */
struct iovec *parts(void);

/**
 * open_ring() - Open @ring; parts() are in memory.
 */
void open_ring(void);

/**
 * register_memory() - Open @ring, and register a page of scene.page with it.
 */
void register_memory(void);

/**
 * ask_ring() - Ask @ring for a read or write at the file's beginning.
 * @opcode: IORING_OP_*
 * @memory: of what is transferred, or its parts()
 * @len:    bytes, or number of parts
 */
void ask_ring(int opcode, void *memory, unsigned int len);

/**
 * set_up_aio() - Make what ask_aio() asks; parts() are in memory.
 */
void set_up_aio(void);

/**
 * ask_aio() - Ask for a read or write at the file's beginning by io_submit(), and wait for it.
 * @opcode: IOCB_CMD_*
 * @memory: of what is transferred, or its parts()
 * @nr:     bytes, or number of parts
 */
void ask_aio(int opcode, void *memory, size_t nr);

#endif /* GUEST_COVERLOAD_ASK_H */
