// SPDX-License-Identifier: GPL-2.0-only
/* The configuration of the next capture. */
#include "config.h"

/* Serialises everything but the hooks and hotplug: control, open and close. */
DEFINE_MUTEX(ovnik_lock);

struct ovnik_config ovnik_config = {
	.buffer_size	= 4 << 20,
	.subbuf_size	= OVNIK_SUBBUF_DEFAULT,
};
