/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILELOAD_ASYNC_H
#define GUEST_FILELOAD_ASYNC_H

/* The parts of fileload that read and write by aio and io_uring, without libraries. */

/**
 * aio_start() - Make a context for aio, once.
 */
void aio_start(void);

/**
 * aio_calls() - All calls that aio has.
 * @fd: the file
 */
void aio_calls(int fd);

/**
 * aio_append() - By aio to a file that is appended to.
 * @fd: the file
 */
void aio_append(int fd);

/**
 * aio_direct_read() - Reading by aio with O_DIRECT.
 * @fd: the file
 */
void aio_direct_read(int fd);

/**
 * aio_direct() - Reading and writing by aio with O_DIRECT.
 * @fd: the file
 */
void aio_direct(int fd);

/**
 * uring_start() - Make an io_uring.
 */
void uring_start(void);

/**
 * uring_calls() - All calls that io_uring has.
 * @fd: the file
 */
void uring_calls(int fd);

/**
 * uring_append() - By io_uring to a file that is appended to.
 * @fd: the file
 */
void uring_append(int fd);

/**
 * uring_direct() - By io_uring with O_DIRECT.
 * @fd: the file
 */
void uring_direct(int fd);

/**
 * uring_open_close() - Open and close a file by io_uring, which is a matter of who asked for it.
 * @name: its path
 */
void uring_open_close(const char *name);

/**
 * uring_linked() - Read or write when a read of a socket is done, by io_uring.
 * @fd: the file
 * @opcode: which of them
 */
void uring_linked(int fd, int opcode);

#endif /* GUEST_FILELOAD_ASYNC_H */
