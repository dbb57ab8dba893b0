/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_SWITCH_H
#define GUEST_SWITCH_H

/* For the programs that start and stop the capture that they are recorded in. */

/**
 * switch_capture() - Start or stop the capture.
 * @where: a file; or, if it begins with "!", a command
 * @value: is written to the file, or the last word of the command
 */
void switch_capture(const char *where, const char *value);

#endif /* GUEST_SWITCH_H */
