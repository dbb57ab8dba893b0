/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_STATUS_H
#define OVNIK_TOOL_STATUS_H

#include <sys/types.h>

pid_t status_holder(void);
int status(void);

#endif /* OVNIK_TOOL_STATUS_H */
