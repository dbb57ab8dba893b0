/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_EDIT_H
#define OVNIK_SELFTESTS_FUZZ_EDIT_H

/* Changes that keep more of a file's form than random bytes would. */
#include <stddef.h>

#include "pack.h"

/* libFuzzer's. */
size_t LLVMFuzzerMutate(u8 *data, size_t len, size_t room);

/* Draw from now on what depends on @seed. */
void draw_seed(unsigned int seed);

/* 0 to @n - 1. */
u32 draw(u32 n);

/* A number that may be handled wrongly, or one near @old. */
u64 draw_number(u64 old);

/* Put @len bytes in place of @old_len at @at. Return: false if there is no room. */
bool edit_replace(struct part *part, u32 at, u32 old_len, const void *new, u32 len);

/* libFuzzer's own changes, which know what the program has compared. */
void edit_bytes(struct part *part);

/* Values, members and elements of JSON; without form, as edit_bytes(). */
void edit_json(struct part *part);

/* The description of events in meta.json: whole fields; those of event @type, 0: of any. */
void edit_description(struct part *part, unsigned int type);

#define WIDEN_MAX	2048

/*
 * One more field behind all others of event @type, or far behind. Return: by how many bytes its
 * records are longer, at most WIDEN_MAX; 0: there is none.
 */
unsigned int edit_widen_event(struct part *part, unsigned int type);

/* A field of event @type takes the place of the last one, which may be a string. */
void edit_field_twice(struct part *part, unsigned int type);

/* Records and headers of a cpuN.ovk; @other: where more records are, or NULL. */
void edit_capture(struct part *part, const struct part *other);

/* Only what a statedump may have stays in a CPU's file. */
void edit_to_statedump(struct part *part);

/* The type of a record in a file; 0: there is none. */
unsigned int edit_some_type(const struct part *part);

/* A record of event @type: its bytes, length and form. */
void edit_record_of(struct part *part, unsigned int type);

/* Records of event @type become longer; a name in them has no end, sometimes. */
void edit_widen_records(struct part *part, unsigned int type, u32 bytes);

/* Counts, lengths, sizes, times and CRCs of all sub-buffers become right; each mostly. */
void edit_capture_mend(struct part *part);

/* Events of a stream.obs. */
void edit_stream(struct part *part);

/* Blocks of a log of memory references. */
void edit_refs(struct part *part);

/* Records of an XRay log. */
void edit_log(struct part *part);

#endif /* OVNIK_SELFTESTS_FUZZ_EDIT_H */
