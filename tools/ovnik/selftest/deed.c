// SPDX-License-Identifier: GPL-2.0-only
/* What a selftest has done, and what must have been recorded of it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "deed.h"
#include "util/msg.h"

struct deeds *deeds;

/**
 * deeds_begin() - Get memory for deeds, which processes forked from now on share.
 *
 * Return: 0; -ENOMEM, which has been reported.
 */
int deeds_begin(void)
{
	void *memory = mmap(NULL, sizeof(*deeds), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		return msg_no_memory();
	deeds = memory;
	return 0;
}

/**
 * deeds_end() - Free it.
 */
void deeds_end(void)
{
	munmap(deeds, sizeof(*deeds));
	deeds = NULL;
}

/**
 * deed_add() - Note what was done.
 * @event:  number of the event that must have been recorded
 * @span:   when it was done
 * @what:   what was done, in words
 * @fields: what the record must say, up to one that is EXPECT_NOTHING
 *
 * Context: One thread at a time.
 * Return: the deed.
 */
struct deed *deed_add(unsigned int event, const struct span *span, const char *what,
		      const struct expectation *fields)
{
	static struct deed spare;
	struct deed *deed = &spare;
	unsigned int i;

	if (deeds->nr < DEEDS_MAX)
		deed = &deeds->deed[deeds->nr++];
	else
		deeds->full = true;
	memset(deed, 0, sizeof(*deed));
	snprintf(deed->what, sizeof(deed->what), "%s", what);
	deed->event = event;
	deed->span = *span;
	for (i = 0; i < DEED_FIELDS && fields[i].how != EXPECT_NOTHING; i++)
		deed->fields[i] = fields[i];
	return deed;
}

/**
 * deed_text() - Say what the text of the record is.
 * @deed: has a field that is EXPECT_TEXT or EXPECT_TEXT_END
 * @text: it; one that is too long, or "", can be anything
 */
void deed_text(struct deed *deed, const char *text)
{
	if (strlen(text) < sizeof(deed->text))
		strcpy(deed->text, text);
}

/**
 * deed_untried() - Say that something cannot be done here.
 * @event:  number of the event
 * @format: what, and why not: a printf format
 */
void deed_untried(unsigned int event, const char *format, ...)
{
	struct untried *one = &deeds->untried[deeds->nr_untried];
	va_list args;

	if (deeds->nr_untried == UNTRIED_MAX) {
		deeds->full = true;
		return;
	}
	one->event = event;
	va_start(args, format);
	vsnprintf(one->why, sizeof(one->why), format, args);
	va_end(args);
	deeds->nr_untried++;
}
