// SPDX-License-Identifier: GPL-2.0-only
/* Compare a capture with what was done meanwhile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/events.h"
#include "capture/merge.h"
#include "check.h"
#include "deed.h"
#include "util/msg.h"

/* Of a value, for a sentence. */
#define VALUE_TEXT	32

/**
 * struct found - What the capture has of a deed.
 * @nr: records
 * @wrong: the first field that is wrong in the first one; NULL: none
 * @is: that field's value; 0 if it is a text
 */
struct found {
	u32 nr;
	const struct expectation *wrong;
	u64 is;
};

/* Who woke is recorded; otherwise who ran there. */
static bool wakers;

/* The address spaces' numbers, 0: not seen yet. */
static u64 mms[NR_MMS];

static u64 value_of(const void *record, const struct expectation *field)
{
	u64 value = 0;

	memcpy(&value, (const char *)record + field->offset, field->size);
	return value;
}

static bool is_mm(u64 value, unsigned int which)
{
	unsigned int i;

	for (i = 0; i < NR_MMS; i++) {
		if (i != which && mms[i] == value)
			return false;
	}
	if (!mms[which])
		mms[which] = value;
	return value && mms[which] == value;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static bool is_right(const struct deed *deed, const void *record, const struct expectation *field)
{
	const char *text = (const char *)record + field->offset;

	if (!wakers && deed->event == OVNIK_EV_sched_wakeup && !strcmp(field->name, "waker_tid"))
		return true;

	switch (field->how) {
	case EXPECT_KEY:
	case EXPECT_VALUE:
		return value_of(record, field) == field->value;
	case EXPECT_SOME:
		return value_of(record, field);
	case EXPECT_MM:
		return is_mm(value_of(record, field), field->value);
	case EXPECT_TEXT:
		return !*deed->text || !strcmp(text, deed->text);
	default:
		return ends_with(text, deed->text);
	}
}

/* Without a TSC that BPF can read, stamps are ns. */
static bool is_within(const struct span *span, u64 stamp, bool in_ns)
{
	if (in_ns)
		return stamp >= span->begin_ns && stamp <= span->end_ns;
	return stamp >= span->begin && stamp <= span->end;
}

/* Is a record of this deed? */
static bool is_of(const struct deed *deed, const struct capture_item *item, bool in_ns)
{
	const struct expectation *field;

	if (deed->event != item->event || !is_within(&deed->span, item->tsc, in_ns))
		return false;
	for (field = deed->fields; field->how != EXPECT_NOTHING; field++) {
		if (field->how == EXPECT_KEY && !is_right(deed, item->data, field))
			return false;
	}
	return true;
}

static void note(struct found *found, const struct deed *deed, const void *record)
{
	const struct expectation *field;

	if (found->nr++)
		return;
	for (field = deed->fields; field->how != EXPECT_NOTHING; field++) {
		if (is_right(deed, record, field) || found->wrong)
			continue;
		found->wrong = field;
		found->is = value_of(record, field);
	}
}

static void look_at(const struct capture_item *item, bool in_ns, struct found *found)
{
	u32 i;

	if (item->kind != ITEM_RECORD)
		return;
	for (i = 0; i < deeds->nr; i++) {
		if (is_of(&deeds->deed[i], item, in_ns))
			note(&found[i], &deeds->deed[i], item->data);
	}
}

static int look_through(struct capture *cap, struct found *found)
{
	bool in_ns = cap->clock.source == CLOCK_SOURCE_MONOTONIC;
	const struct capture_item *item;
	struct merge merge;
	int ret;

	wakers = cap->meta.wakers;
	capture_begin_pass(cap, false);
	ret = merge_open(&merge, cap);
	while (!ret) {
		ret = merge_next(&merge, &item);
		if (ret || !item)
			break;
		look_at(item, in_ns, found);
	}
	merge_close(&merge);
	return ret;
}

static const char *value_text(u64 value, char text[VALUE_TEXT])
{
	/* Addresses are read in hexadecimal. */
	snprintf(text, VALUE_TEXT, value >> 32 ? "%#llx" : "%llu", value);
	return text;
}

static void say_wrong(const struct deed *deed, const struct found *found, char *says)
{
	const struct expectation *field = found->wrong;
	char is[VALUE_TEXT], wanted[VALUE_TEXT];

	if (field->how == EXPECT_TEXT || field->how == EXPECT_TEXT_END)
		snprintf(says, VERDICT_SAYS, "%s: %s is another text", deed->what, field->name);
	else if (field->how == EXPECT_MM)
		snprintf(says, VERDICT_SAYS, "%s: %s is %s, that of another address space",
			 deed->what, field->name, value_text(found->is, is));
	else if (field->how == EXPECT_SOME)
		snprintf(says, VERDICT_SAYS, "%s: %s is 0", deed->what, field->name);
	else
		snprintf(says, VERDICT_SAYS, "%s: %s is %s, not %s", deed->what, field->name,
			 value_text(found->is, is),
			 value_text(field->value, wanted));
}

/* One sentence of the worst; the counts say how many there are. */
static void judge(const struct deed *deed, const struct found *found, struct verdict *verdict)
{
	verdict->tried++;
	if (!found->nr) {
		if (!verdict->missing++)
			snprintf(verdict->says, sizeof(verdict->says), "not recorded: %s",
				 deed->what);
	} else if (found->nr > 1 && !deed->several) {
		if (!verdict->doubled++ && !*verdict->says)
			snprintf(verdict->says, sizeof(verdict->says), "recorded %u times: %s",
				 found->nr, deed->what);
	} else if (found->wrong) {
		if (!verdict->wrong++ && !*verdict->says)
			say_wrong(deed, found, verdict->says);
	}
}

static void count(struct verdict *verdict, u64 lost)
{
	u32 bad = verdict->missing + verdict->doubled + verdict->wrong;
	size_t len = strlen(verdict->says);

	if (!bad)
		return;
	if (verdict->tried > 1)
		snprintf(verdict->says + len, sizeof(verdict->says) - len, " (%u of %u things done)",
			 bad, verdict->tried);
	len = strlen(verdict->says);
	if (lost)
		snprintf(verdict->says + len, sizeof(verdict->says) - len,
			 "; %llu were counted as lost: run it again", lost);
}

/**
 * check_capture() - Compare a capture with what was done.
 * @dir:      the capture's directory
 * @verdicts: by event number; is set
 *
 * Return: 0; a negative errno, which has been reported.
 */
int check_capture(const char *dir, struct verdict verdicts[OVNIK_NR_EVENTS])
{
	struct found *found = calloc(DEEDS_MAX, sizeof(*found));
	struct capture cap;
	unsigned int i;
	int ret;

	if (!found)
		return msg_no_memory();
	memset(mms, 0, sizeof(mms));
	memset(verdicts, 0, OVNIK_NR_EVENTS * sizeof(*verdicts));
	ret = capture_open(&cap, dir);
	if (!ret)
		ret = look_through(&cap, found);
	for (i = 0; !ret && i < deeds->nr; i++)
		judge(&deeds->deed[i], &found[i], &verdicts[deeds->deed[i].event]);
	for (i = 0; !ret && i < OVNIK_NR_EVENTS; i++)
		count(&verdicts[i], cap.stats.lost[i]);
	capture_close(&cap);
	free(found);
	return ret;
}
