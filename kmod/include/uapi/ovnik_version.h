/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
#ifndef OVNIK_VERSION_H
#define OVNIK_VERSION_H

/* The only place: the Makefile reads it here, too. */
#define OVNIK_VERSION "0.2"

#endif /* OVNIK_VERSION_H */
