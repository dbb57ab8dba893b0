/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CONFIG_H
#define OVNIK_CONFIG_H

#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "ovnik.h"
#include "refs.h"

/**
 * struct ovnik_config - What to capture, and into how much memory.
 * @buffer_size: bytes per CPU
 * @subbuf_size: bytes of a sub-buffer, a power of two
 * @overwrite:	 keep the newest events instead of the oldest
 * @refs:	 memory references that QEMU's plugin is to log
 * @events:	 bit n: event number n is recorded
 *
 * Guarded by ovnik_lock; changes only while no capture runs.
 */
struct ovnik_config {
	u64		buffer_size;
	u32		subbuf_size;
	bool		overwrite;
	enum ovnik_refs	refs;
	DECLARE_BITMAP(events, OVNIK_NR_EVENTS);
};

extern struct mutex ovnik_lock;
extern struct ovnik_config ovnik_config;

/**
 * ovnik_event_on() - Is an event recorded?
 * @event: its number
 *
 * For probes with more than one event; others are not registered.
 *
 * Context: Any.
 * Return: true if it is.
 */
static inline bool ovnik_event_on(unsigned int event)
{
	return test_bit(event, ovnik_config.events);
}

/**
 * ovnik_events_on() - Is any of these events recorded?
 * @events: a bit for each
 *
 * Context: Any.
 * Return: true if one is.
 */
static inline bool ovnik_events_on(u64 events)
{
	static_assert(OVNIK_NR_EVENTS <= BITS_PER_LONG);
	return ovnik_config.events[0] & events;
}

#endif /* OVNIK_CONFIG_H */
