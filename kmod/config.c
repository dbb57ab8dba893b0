// SPDX-License-Identifier: GPL-2.0-only
/* The configuration of the next capture. */
#include "config.h"

/* Serialises control, open and close; not hooks and hotplug. */
DEFINE_MUTEX(ovnik_lock);

struct ovnik_config ovnik_config = {
	.buffer_size	= 4 << 20,
	.subbuf_size	= OVNIK_SUBBUF_DEFAULT,
};
