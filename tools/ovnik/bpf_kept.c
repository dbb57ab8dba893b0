// SPDX-License-Identifier: GPL-2.0-only
/* The statedumps of a flight recorder, in memory, as dump.ovk will have them. */
#include <stdlib.h>
#include <string.h>

#include "bpf.h"

/**
 * struct kept - The statedumps.
 * @subbufs: their sub-buffers
 * @nr:	     length of @subbufs
 * @bytes:   of all of them
 * @limit:   of @bytes
 */
static struct kept {
	struct ovnik_subbuf **subbufs;
	size_t nr;
	u64 bytes;
	u64 limit;
} kept;

/**
 * bpf_kept_limit() - Limit what is kept from now on.
 * @bytes: of all sub-buffers
 */
void bpf_kept_limit(u64 bytes)
{
	kept.limit = bytes;
}

/**
 * bpf_kept_add() - Keep a copy of a sub-buffer, as the next one.
 * @sb: the sub-buffer
 *
 * Return: false if there is no room.
 */
bool bpf_kept_add(const struct ovnik_subbuf *sb)
{
	struct ovnik_subbuf **more, *copy;

	if (kept.bytes + sb->used > kept.limit)
		return false;
	more = realloc(kept.subbufs, (kept.nr + 1) * sizeof(*more));
	if (!more)
		return false;
	kept.subbufs = more;
	copy = malloc(sb->used);
	if (!copy)
		return false;
	memcpy(copy, sb, sb->used);
	copy->seq = kept.nr;
	copy->tid = 0;	/* no CPU, no task */
	kept.subbufs[kept.nr++] = copy;
	kept.bytes += sb->used;
	return true;
}

/**
 * bpf_kept_copy() - Copy the next sub-buffer.
 * @reader: reader->next is advanced
 * @to:	    is set
 *
 * Return: 1; 0 at the end.
 */
int bpf_kept_copy(struct reader *reader, struct ovnik_subbuf *to)
{
	const struct ovnik_subbuf *sb;

	if (reader->next >= kept.nr)
		return 0;
	sb = kept.subbufs[reader->next++];
	memcpy(to, sb, sb->used);
	return 1;
}

/**
 * bpf_kept_count() - Count the events.
 * @recorded: by event number; is set
 */
void bpf_kept_count(u64 recorded[OVNIK_NR_EVENTS])
{
	const u32 *count;
	size_t i;
	int nr;

	memset(recorded, 0, OVNIK_NR_EVENTS * sizeof(*recorded));
	for (i = 0; i < kept.nr; i++) {
		count = (const u32 *)&kept.subbufs[i]->lost[OVNIK_NR_EVENTS];
		for (nr = 0; nr < OVNIK_NR_EVENTS; nr++)
			recorded[nr] += count[nr];
	}
}

/**
 * bpf_kept_bytes() - Get the size of all sub-buffers.
 *
 * Return: bytes.
 */
u64 bpf_kept_bytes(void)
{
	return kept.bytes;
}

/**
 * bpf_kept_all() - Copy all sub-buffers, without gaps.
 * @to: room for bpf_kept_bytes()
 */
void bpf_kept_all(void *to)
{
	size_t i;

	for (i = 0; i < kept.nr; i++) {
		memcpy(to, kept.subbufs[i], kept.subbufs[i]->used);
		to += kept.subbufs[i]->used;
	}
}

/**
 * bpf_kept_forget() - Free them; what is pinned stays.
 */
void bpf_kept_forget(void)
{
	size_t i;

	for (i = 0; i < kept.nr; i++)
		free(kept.subbufs[i]);
	free(kept.subbufs);
	memset(&kept, 0, sizeof(kept));
}
