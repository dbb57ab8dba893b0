// SPDX-License-Identifier: GPL-2.0-only
/* Print Documentation/events.rst: the event table, for people. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ovnik.h"

static void head(void)
{
	printf(".. SPDX-%s: GPL-2.0-only\n", "License-Identifier");
	puts(".. Made from kmod/include/uapi/ovnik_events.h by \"make docs\": do not edit.\n\n"
	     "======\n"
	     "Events\n"
	     "======\n\n"
	     "Offsets and sizes are in bytes from the start of the record; the first six\n"
	     "bytes are the record's header (capture-format.rst). A name in braces in a\n"
	     "sentence stands for that field.");
}

static void row(const char *what, const char *text)
{
	if (*text)
		printf(":%s: %s\n", what, text);
}

static void event(int number, const char *name, const char *family, char letter,
		  const char *mcv, const char *sentence, const char *hook,
		  const char *misses, size_t size)
{
	char laplace[2] = { letter, '\0' };
	size_t i;

	printf("\n%s\n", name);
	for (i = 0; i < strlen(name); i++)
		putchar('=');
	printf("\n\n%s.\n\n:Number: %d\n:Family: %s\n:Size: %zu\n",
	       sentence, number, family, size);
	row("Hook", hook);
	row("Not seen", misses);
	row("Laplace", laplace);
	row("ovni", mcv);
	puts("\n====== ==== ============== ============\n"
	     "offset type field          unit\n"
	     "====== ==== ============== ============");
}

static void field(size_t offset, const char *type, const char *name, const char *unit)
{
	printf("%-6zu %-4s %-14s %s\n", offset, type, name, unit);
}

static void tail(void)
{
	puts("====== ==== ============== ============");
}

#define FIELD(ev, type, name, unit) \
	field(offsetof(struct ovnik_##ev, name), #type, #name, #unit);

#define EVENT(nr, name, family, letter, mcv, sentence, hook, misses, fields)	\
	event(nr, #name, #family, letter, mcv, sentence, hook, misses,		\
	      sizeof(struct ovnik_##name));					\
	fields									\
	tail();

int main(void)
{
	head();
	OVNIK_EVENT_TABLE(EVENT, FIELD)
	return 0;
}
