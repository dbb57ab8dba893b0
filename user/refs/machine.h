/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_MACHINE_H
#define OVNIK_REFS_MACHINE_H

#include "capture/capture.h"

/**
 * refs_check_machine() - Can the references of this machine be logged?
 * @cap: the capture, open
 *
 * Return: 0; -EINVAL, which has been reported.
 */
int refs_check_machine(const struct capture *cap) __must_check;

#endif /* OVNIK_REFS_MACHINE_H */
