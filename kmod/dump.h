/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DUMP_H
#define OVNIK_DUMP_H

#include <linux/cpumask.h>

#include "ring.h"

#define OVNIK_DUMP_SUBBUF	OVNIK_SUBBUF_DEFAULT

extern struct ovnik_ring ovnik_dump_ring;

/* What can be read of: the CPUs, and as number nr_cpu_ids the statedump. */
static inline struct ovnik_ring *ovnik_ring_number(unsigned int nr)
{
	return nr < nr_cpu_ids ? per_cpu_ptr(&ovnik_ring, nr) : &ovnik_dump_ring;
}

/* As ovnik_begin() and the like, for the records of the statedump. */
#define ovnik_dump_begin(slot, name)	ovnik_begin_by(ovnik_dump_reserve, slot, name)
#define ovnik_dump_begin_str(slot, name, str, str_len) \
	ovnik_begin_str_by(ovnik_dump_reserve, slot, name, str, str_len)

#define ovnik_dump_commit_str(slot, name) do {					\
	u32 __len = ALIGN((slot)->rec->size, OVNIK_REC_ALIGN);			\
										\
	ovnik_dump_text(OVNIK_EV_##name, __len - sizeof(struct ovnik_##name));	\
	ovnik_commit_len(*(slot), OVNIK_EV_##name, __len);			\
} while (0)

void ovnik_dump_init(void);
void ovnik_dump_reset(u64 session, u32 flags, bool on);
void ovnik_dump_open(void);
void ovnik_dump_close(void);
void ovnik_dump_room(void);
struct ovnik_slot ovnik_dump_reserve(u32 type, u32 len);
void ovnik_dump_text(u32 type, u32 bytes);
void ovnik_dump_lose(u32 type, unsigned long n);

#endif /* OVNIK_DUMP_H */
