// SPDX-License-Identifier: GPL-2.0-only
/* Changes of ovni's streams and of XRay's logs that know where an event begins: see edit.h. */
#include <string.h>

#include "edit.h"
#include "trace/format.h"
#include "xray/format.h"

#define EVENTS_MAX	4096

static u32 events[EVENTS_MAX + 1];
static u32 nr;

static u32 length_at(const struct part *part, u32 at)
{
	struct ovni_ev_header h;
	u32 size, len;

	memcpy(&h, part->data + at, sizeof(h));
	size = h.flags & OVNI_EV_SIZE_MASK;
	len = sizeof(h) + size + (size > 0);
	if (h.flags & OVNI_EV_JUMBO && at + len <= part->len) {
		memcpy(&size, part->data + at + sizeof(h), sizeof(size));
		len += size < PACK_ROOM ? size : PACK_ROOM;
	}
	return len;
}

static void survey(const struct part *part)
{
	u32 at = sizeof(struct ovni_stream_header);

	nr = 0;
	while (at + sizeof(struct ovni_ev_header) <= part->len && nr < EVENTS_MAX) {
		u32 len = length_at(part, at);

		if (len > part->len - at)
			break;
		events[nr++] = at;
		at += len;
	}
	events[nr] = at;
}

static void copy_to(struct part *part, u32 from, u32 len, u32 to)
{
	static u8 copy[PACK_ROOM];

	if (len > sizeof(copy))
		return;
	memcpy(copy, part->data + from, len);
	edit_replace(part, to, 0, copy, len);
}

static void set_clock(struct part *part, u32 i)
{
	u64 clock, other;
	u32 k = draw(4) ? (i ? i - 1 : 0) : draw(nr);

	memcpy(&clock, part->data + events[i] + 4, sizeof(clock));
	memcpy(&other, part->data + events[k] + 4, sizeof(other));
	clock = draw(3) ? other + draw(3) : draw_number(clock);
	memcpy(part->data + events[i] + 4, &clock, sizeof(clock));
}

static void set_mcv(struct part *part, u32 i)
{
	static const char letters[] = "[]<>{}()OPVDTM6HAUBCFKWIRabcdefghijklmnopqrstuvwxyz=*";
	u8 *mcv = part->data + events[i] + 1;

	if (draw(2))
		memcpy(mcv, part->data + events[draw(nr)] + 1, draw(2) ? 3 : 2);
	else
		mcv[draw(3)] = letters[draw(sizeof(letters) - 1)];
}

static void set_payload(struct part *part, u32 i)
{
	u32 from = events[i] + sizeof(struct ovni_ev_header), len = events[i + 1] - from;
	u8 bytes[OVNI_EV_PAYLOAD_MAX];
	u64 value = 0;
	u32 n;

	if (!len || !draw(6)) {
		/* Of another length. */
		n = 2 + draw(OVNI_EV_PAYLOAD_MAX - 1);
		memset(bytes, draw(256), sizeof(bytes));
		part->data[events[i]] = n - 1;
		edit_replace(part, from, len, bytes, n);
		return;
	}
	n = len < 8 ? len : 4 << draw(2);
	from += len > n ? draw(len - n + 1) & ~3U : 0;
	memcpy(&value, part->data + from, n);
	value = draw(2) ? draw(6) : draw_number(value);
	memcpy(part->data + from, &value, n);
}

/* All clocks from some event on are later, or none is earlier than the one before. */
static void mend_clocks(struct part *part)
{
	u64 clock, last = 0;
	u32 i;

	survey(part);
	for (i = 0; i < nr; i++) {
		memcpy(&clock, part->data + events[i] + 4, sizeof(clock));
		if (clock < last)
			clock = last;
		memcpy(part->data + events[i] + 4, &clock, sizeof(clock));
		last = clock;
	}
}

void edit_stream(struct part *part)
{
	u32 i, k;

	survey(part);
	if (!nr || !draw(32)) {
		edit_bytes(part);
		return;
	}
	i = draw(nr);
	k = i + 1 + draw(draw(4) ? 1 : nr - i);
	switch (draw(8)) {
	case 0:
		edit_replace(part, events[i], events[k] - events[i], NULL, 0);
		break;
	case 1:
	case 2:
		copy_to(part, events[i], events[k] - events[i], events[draw(nr + 1)]);
		break;
	case 3:
		set_clock(part, i);
		break;
	case 4:
	case 5:
		set_mcv(part, i);
		break;
	default:
		set_payload(part, i);
	}
	if (draw(8))
		mend_clocks(part);
}

/* Records have 8 or 16 bytes, but for the data of events. */
void edit_log(struct part *part)
{
	u32 slots = part->len > XRAY_HEADER_SIZE ? (part->len - XRAY_HEADER_SIZE) / 8 : 0;
	u32 at, n;
	u64 value;

	if (!slots || !draw(4)) {
		edit_bytes(part);
		return;
	}
	at = XRAY_HEADER_SIZE + 8 * draw(slots);
	n = 8 + 8 * draw(draw(4) ? 4 : 64);
	if (n > part->len - at)
		n = part->len - at;
	switch (draw(5)) {
	case 0:
		edit_replace(part, at, n, NULL, 0);
		break;
	case 1:
	case 2:
		copy_to(part, at, n, XRAY_HEADER_SIZE + 8 * draw(slots + 1));
		break;
	case 3:
		part->data[at] = draw(2) ? 1 + 2 * draw(12) : draw(256);
		break;
	default:
		at += draw(8);
		if (at + sizeof(value) > part->len)
			return;
		memcpy(&value, part->data + at, sizeof(value));
		value = draw_number(value);
		memcpy(part->data + at, &value, 1U << draw(4));
	}
}
