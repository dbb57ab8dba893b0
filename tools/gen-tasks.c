// SPDX-License-Identifier: GPL-2.0-only
/* Print Documentation/tasks-tables.rst: kinds of tasks, what they say, positions. */
#include <stdio.h>
#include <string.h>

#include "trace/activity.h"
#include "tasks/tasks.h"

#define COLUMN	29

static void rule(void)
{
	int i;

	for (i = 0; i < COLUMN; i++)
		putchar('=');
	puts(" ==================================================================");
}

static void row(const char *name, const char *text)
{
	printf("%-*s %s\n", COLUMN, name, text);
}

static void title(const char *text)
{
	size_t i;

	printf("\n%s\n", text);
	for (i = 0; i < strlen(text); i++)
		putchar('=');
	puts("\n");
}

static void head(const char *name, const char *text)
{
	rule();
	row(name, text);
	rule();
}

#define KIND(id, name, sentence)	row(#name, sentence);
#define WAIT(id, text, milestone)	row(text, milestone);
#define CALL(id, number, label)		row(label, #id);
#define FAULT(id, number, label)	row(label, #id);
#define MAPPING(kind, text, sentence)	row(text, sentence);
#define POSITION(id, name, sentence)	row(#name, sentence);

int main(void)
{
	printf(".. SPDX-%s: GPL-2.0-only\n", "License-Identifier");
	puts(".. Made from user/tasks/tasks.h and the tables of calls and faults by \"make docs\": do not edit.\n\n"
	     "===============\n"
	     "Tables of tasks\n"
	     "===============\n\n"
	     "tasks.rst says what these are.");
	title("Kinds");
	head("kind", "meaning");
	TASKS_KINDS(KIND)
	rule();
	title("Reasons to wait");
	head("reason", "kind of the milestone at its end");
	TASKS_WAITS(WAIT)
	rule();
	title("Calls");
	head("call", "code: enum ovnik_file_op without OVNIK_OP");
	OVNI_FILE_CALL_TABLE(CALL)
	row(TASKS_CALL_AIO, "AIO");
	row(TASKS_CALL_URING, "URING");
	rule();
	title("Faults");
	head("fault", "code: enum ovni_fault without OVNI_FAULT");
	OVNI_FAULT_TABLE(FAULT)
	row(TASKS_FAULT_UNKNOWN, "0: only its end was seen");
	rule();
	title("Mappings without a path");
	head("text", "meaning");
	TASKS_MAPPINGS(MAPPING)
	rule();
	title("Hook positions");
	head("position", "when its hooks are invoked");
	TASKS_POSITIONS(POSITION)
	rule();
	return 0;
}
