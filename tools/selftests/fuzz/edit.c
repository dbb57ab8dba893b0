// SPDX-License-Identifier: GPL-2.0-only
/* Drawing, and changes of any bytes: see edit.h. */
#include <string.h>

#include "edit.h"

static u64 state = 1;

void draw_seed(unsigned int seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
}

u32 draw(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? (state >> 16) % n : 0;
}

u64 draw_number(u64 old)
{
	switch (draw(8)) {
	case 0:
		return old + 1;
	case 1:
		return old - 1;
	case 2:
		return draw(64);
	case 3:
		return 1ULL << draw(64);
	case 4:
		return (1ULL << draw(64)) - 1;
	case 5:
		return old ^ 1ULL << draw(64);
	case 6:
		return old * (1 + draw(4)) + draw(17) - 8;
	}
	return (u64)draw(~0U) << 32 | draw(~0U);
}

bool edit_replace(struct part *part, u32 at, u32 old_len, const void *new, u32 len)
{
	if (at > part->len || old_len > part->len - at || part->len - old_len + len > PACK_ROOM)
		return false;
	memmove(part->data + at + len, part->data + at + old_len, part->len - at - old_len);
	if (len)
		memcpy(part->data + at, new, len);
	part->len = part->len - old_len + len;
	return true;
}

void edit_bytes(struct part *part)
{
	part->len = LLVMFuzzerMutate(part->data, part->len, part->len + 64 < PACK_ROOM ?
				     part->len + 64 : PACK_ROOM);
}
