/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_MSG_H
#define OVNIK_UTIL_MSG_H

#include <stdio.h>

#include "util/types.h"

/*
 * In every message what is no text, C0, DEL and C1 characters and those that reorder others are
 * written as \xNN, a byte each.
 */

/**
 * msg_init() - Set the program name that begins every message.
 * @argv0: argv[0] of main(); only what follows the last slash is kept
 *
 * Context: Call once, before any thread is started.
 */
void msg_init(const char *argv0);

/**
 * msg_end() - Say nothing any more: a signal ends the program, or another process says the same.
 *
 * Context: Any thread.
 */
void msg_end(void);

/**
 * msg_problems_only() - Do not report what was done: this is not what the user asked for.
 *
 * Context: Any thread.
 */
void msg_problems_only(void);

/**
 * msg_call() - Call a directory by another name in all messages.
 * @path: that of a descriptor, see below_path()
 * @name: what the user calls it
 *
 * Only the last one is known; what @name says of one before is called so, too.
 *
 * Context: While no other thread writes messages.
 */
void msg_call(const char *path, const char *name);

/**
 * msg_error() - Report on stderr why something cannot be done.
 * @fmt: printf format, without newline
 *
 * The message names the file, the offset and the reason wherever there is a
 * file. Returns nothing: the caller goes on to return its negative errno.
 *
 * Context: Any thread.
 */
void msg_error(const char *fmt, ...) __printf_like(1, 2);

/**
 * report_error() - Report on stderr why something cannot be done with a file.
 * @path: its name
 * @what: what cannot be done, such as "cannot write"
 * @error: errno
 *
 * Context: Any thread.
 * Return: -@error.
 */
int report_error(const char *path, const char *what, int error);

/**
 * msg_no_memory() - Report on stderr that there is no memory.
 *
 * Once: a caller need not know whether it was reported.
 *
 * Context: Any thread.
 * Return: -ENOMEM.
 */
int msg_no_memory(void);

/**
 * msg_warn() - Warn on stderr that the result is incomplete.
 * @fmt: printf format, without newline
 *
 * Context: Any thread.
 */
void msg_warn(const char *fmt, ...) __printf_like(1, 2);

/**
 * msg_info() - Report on stderr what was done.
 * @fmt: printf format, without newline
 *
 * Context: Any thread.
 */
void msg_info(const char *fmt, ...) __printf_like(1, 2);

/**
 * msg_stream() - A stream for messages of others, such as argp's.
 *
 * What is written to it goes to stderr, but nothing that a terminal obeys: see utf8_shown().
 *
 * Context: One thread, at the beginning of a program.
 * Return: the stream; stderr itself if there is no memory.
 */
FILE *msg_stream(void);

#endif /* OVNIK_UTIL_MSG_H */
