/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_HIDDEN_H
#define OVNIK_HIDDEN_H

#include "ovnik.h"

/*
 * What a private capture leaves out, from the event table: of other users' processes where
 * something lies in their memory, and all frames. An address is OVNIK_NO_ADDRESS then, a frame
 * OVNIK_NO_FRAME. An event that is about nothing else is not recorded.
 */

/**
 * enum ovnik_hidden - From whom a field is hidden, by its unit.
 * @OVNIK_SHOWN:   from nobody
 * @OVNIK_ADDRESS: from other users
 * @OVNIK_FRAME:   from all, as the kernel does: frames are for CAP_SYS_ADMIN (pagemap_open())
 */
enum ovnik_hidden {
	OVNIK_SHOWN,
	OVNIK_ADDRESS,
	OVNIK_FRAME,
};

/* A new unit does not compile without its row. mm is a number, not a pointer. */
#define OVNIK_HIDDEN_address		OVNIK_ADDRESS
#define OVNIK_HIDDEN_pfn		OVNIK_FRAME
#define OVNIK_HIDDEN_bytes		OVNIK_SHOWN
#define OVNIK_HIDDEN_count		OVNIK_SHOWN
#define OVNIK_HIDDEN_cow_kind		OVNIK_SHOWN
#define OVNIK_HIDDEN_cpu		OVNIK_SHOWN
#define OVNIK_HIDDEN_dev		OVNIK_SHOWN
#define OVNIK_HIDDEN_exit_code		OVNIK_SHOWN
#define OVNIK_HIDDEN_fault_error	OVNIK_SHOWN
#define OVNIK_HIDDEN_fault_result	OVNIK_SHOWN
#define OVNIK_HIDDEN_fd			OVNIK_SHOWN
#define OVNIK_HIDDEN_file_op		OVNIK_SHOWN
#define OVNIK_HIDDEN_flag		OVNIK_SHOWN
#define OVNIK_HIDDEN_generation		OVNIK_SHOWN
#define OVNIK_HIDDEN_inode		OVNIK_SHOWN
#define OVNIK_HIDDEN_map_kind		OVNIK_SHOWN
#define OVNIK_HIDDEN_mm			OVNIK_SHOWN
#define OVNIK_HIDDEN_mm_reason		OVNIK_SHOWN
#define OVNIK_HIDDEN_ns			OVNIK_SHOWN
#define OVNIK_HIDDEN_open_flags		OVNIK_SHOWN
#define OVNIK_HIDDEN_order		OVNIK_SHOWN
#define OVNIK_HIDDEN_path		OVNIK_SHOWN
#define OVNIK_HIDDEN_rename_flags	OVNIK_SHOWN
#define OVNIK_HIDDEN_result		OVNIK_SHOWN
#define OVNIK_HIDDEN_shmid		OVNIK_SHOWN
#define OVNIK_HIDDEN_task_flags		OVNIK_SHOWN
#define OVNIK_HIDDEN_task_state		OVNIK_SHOWN
#define OVNIK_HIDDEN_text		OVNIK_SHOWN
#define OVNIK_HIDDEN_ticks		OVNIK_SHOWN
#define OVNIK_HIDDEN_tid		OVNIK_SHOWN
#define OVNIK_HIDDEN_tsc		OVNIK_SHOWN
#define OVNIK_HIDDEN_vma_flags		OVNIK_SHOWN
#define OVNIK_HIDDEN_waker		OVNIK_SHOWN

#define OVNIK_HIDE_FIELD(ev, name, unit, what) \
	| (OVNIK_HIDDEN_##unit == (what)) << (offsetof(struct ovnik_##ev, name) / 8)
#define OVNIK_HIDE_ADDRESS(ev, type, name, unit) \
	OVNIK_HIDE_FIELD(ev, name, unit, OVNIK_ADDRESS)
#define OVNIK_HIDE_FRAME(ev, type, name, unit) \
	OVNIK_HIDE_FIELD(ev, name, unit, OVNIK_FRAME)

/* The words of each event's record that are an address: bit n is bytes 8 * n to 8 * n + 7. */
#define OVNIK_HIDE_ADDRESSES(nr, ev, family, changes, letter, mcv, what, hook, misses, fields) \
	OVNIK_ADDRESSES_##ev = 0 fields,
enum ovnik_addresses {
	OVNIK_EVENT_TABLE(OVNIK_HIDE_ADDRESSES, OVNIK_HIDE_ADDRESS)
};

/* The words that are a frame. */
#define OVNIK_HIDE_FRAMES(nr, ev, family, changes, letter, mcv, what, hook, misses, fields) \
	OVNIK_FRAMES_##ev = 0 fields,
enum ovnik_frames {
	OVNIK_EVENT_TABLE(OVNIK_HIDE_FRAMES, OVNIK_HIDE_FRAME)
};

/* Is an event about what is mapped where? Lengths and offsets give that away, too. */
#define OVNIK_EVENT_LAYOUT(nr, ev, family, changes, ...)			\
	OVNIK_LAYOUT_##ev = OVNIK_KEPT_##changes == OVNIK_KEPT_mappings ||	\
			    (nr) == OVNIK_EV_madvise_dontneed ||		\
			    (nr) == OVNIK_EV_dump_mm || (nr) == OVNIK_EV_dump_vma,
enum ovnik_layout {
	OVNIK_EVENT_TABLE(OVNIK_EVENT_LAYOUT, OVNIK_NO_FIELD)
};

/* Addresses in other events' records, whose task is the current one. */
#define OVNIK_OTHER_ADDRESSES(name)	(OVNIK_LAYOUT_##name ? 0 : OVNIK_ADDRESSES_##name)

/**
 * ovnik_hide() - Hide words of a record.
 * @rec:   the record
 * @words: bit n: the bytes from 8 * n on
 * @value: what is written instead
 *
 * Context: Any, before it is committed.
 */
static __always_inline void ovnik_hide(void *rec, u32 words, u64 value)
{
	u64 *word = rec;
	int i;

#pragma GCC unroll 32
	for (i = 0; i < 32; i++)
		if (words >> i & 1)
			word[i] = value;
}

#endif /* OVNIK_HIDDEN_H */
