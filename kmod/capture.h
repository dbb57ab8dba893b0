/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_H
#define OVNIK_CAPTURE_H

#include <linux/types.h>

bool ovnik_capture_running(void);
bool ovnik_capture_begun(void);
u64 ovnik_capture_session(void);
int ovnik_capture_start(void);
int ovnik_capture_stop(void);
int ovnik_capture_snapshot(void);
int ovnik_capture_resize(u64 buffer_size, u32 subbuf_size);
int ovnik_capture_open(unsigned int cpu);
void ovnik_capture_release(void);
int ovnik_capture_init(void);
void ovnik_capture_exit(void);

#endif /* OVNIK_CAPTURE_H */
