/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_H
#define OVNIK_CAPTURE_H

#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "ovnik.h"

/**
 * struct ovnik_config - What is to be captured, and into how much memory.
 * @buffer_size: bytes a CPU
 * @subbuf_size: bytes of a sub-buffer, a power of two
 * @overwrite:	 keep the newest events instead of the oldest
 * @events:	 bit n: event number n is recorded
 *
 * Guarded by ovnik_lock; changes only while no capture runs.
 */
struct ovnik_config {
	u64		buffer_size;
	u32		subbuf_size;
	bool		overwrite;
	DECLARE_BITMAP(events, OVNIK_NR_EVENTS);
};

extern struct mutex ovnik_lock;
extern struct ovnik_config ovnik_config;

/**
 * ovnik_event_on() - Is an event to be recorded?
 * @event: its number
 *
 * For probes that serve more than one event; others are not registered.
 *
 * Context: Any.
 * Return: true if it is.
 */
static inline bool ovnik_event_on(unsigned int event)
{
	return test_bit(event, ovnik_config.events);
}

bool ovnik_capture_running(void);
u64 ovnik_capture_session(void);
int ovnik_capture_start(void);
int ovnik_capture_stop(void);
int ovnik_capture_snapshot(void);
int ovnik_capture_resize(u64 buffer_size, u32 subbuf_size);
int ovnik_capture_ready(unsigned int cpu);
int ovnik_capture_init(void);
void ovnik_capture_exit(void);

int ovnik_control_init(void);
void ovnik_control_exit(void);

int ovnik_dev_init(void);
void ovnik_dev_exit(void);
bool ovnik_dev_in_use(void);
void ovnik_dev_wake_all(void);

int ovnik_statedump(void);

#endif /* OVNIK_CAPTURE_H */
