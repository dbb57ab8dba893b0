// SPDX-License-Identifier: GPL-2.0-only
/* Print Documentation/events.rst: the event table for readers. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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
	     "sentence is the value of that field.\n\n"
	     "The hooks are the module's, on Linux 6.1, 6.12 and 7.2; where they differ, the\n"
	     "event names both. design/bpf.rst says which kinds of hooks the BPF probes use.");
}

/* All units of the table; enumerations are in uapi/ovnik.h. */
static const struct {
	const char *name;
	const char *meaning;
} units[] = {
	{ "tid", "number of a task, in the initial PID namespace; 0: the idle task, or unknown" },
	{ "waker", "number of the task that woke, as tid; 0: an interrupt. Where this unit is tid, in "
	  "captures of older versions, or by BPF without CONFIG_KALLSYMS_ALL, it is the task that "
	  "ran there" },
	{ "tsc", "time stamp counter" },
	{ "ticks", "of the TSC" },
	{ "ns", "of CLOCK_MONOTONIC" },
	{ "mm", "number of an address space, never used again in a capture; 0: none" },
	{ "pfn", "number of a page frame: physical address / bytes of a page (4096 on x86-64)" },
	{ "order", "of a folio: it has 2^order pages" },
	{ "address", "virtual, of a user" },
	{ "bytes", "a number of bytes, or an offset" },
	{ "dev", "device of the file system: major number << 20 | minor number; on btrfs and overlayfs "
	  "stat(2) has another one, and several files may have the same numbers" },
	{ "inode", "number of an inode" },
	{ "generation", "of the inode, which distinguishes it from another of the same number" },
	{ "result", "number of bytes, or -errno, as a signed number" },
	{ "fd", "file descriptor" },
	{ "shmid", "number of a System V segment" },
	{ "open_flags", "of open(2), as the kernel has them: O_*" },
	{ "rename_flags", "of renameat2(2): RENAME_*" },
	{ "exit_code", "as wait(2) gives it: code << 8, or the signal" },
	{ "task_state", "enum ovnik_task_state" },
	{ "task_flags", "enum ovnik_task_flags" },
	{ "mm_reason", "enum ovnik_mm_reason" },
	{ "vma_flags", "enum ovnik_vma_flags" },
	{ "map_kind", "enum ovnik_map_kind" },
	{ "cow_kind", "enum ovnik_cow_kind" },
	{ "fault_error", "enum ovnik_fault_error" },
	{ "fault_result", "enum ovnik_fault_result" },
	{ "file_op", "enum ovnik_file_op" },
	{ "cpu", "number of a CPU" },
	{ "count", "a number" },
	{ "flag", "0 or 1" },
	{ "text", "name of a task, with a NUL at the end" },
	{ "path", "as the task sees it, with a NUL at the end" },
};

static void explain_units(void)
{
	const size_t nr = sizeof(units) / sizeof(*units);
	size_t i;

	puts("\nUnits\n=====\n");
	for (i = 0; i < nr; i++)
		printf(":%s: %s\n", units[i].name, units[i].meaning);
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
	/* A lone "-" would begin a list. */
	const char laplace[] = { '`', '`', letter, '`', '`', '\0' };
	size_t i;

	printf("\n%s\n", name);
	for (i = 0; i < strlen(name); i++)
		putchar('=');
	printf("\n\n%s.\n\n:Number: %d\n:Family: %s\n:Size: %zu\n",
	       sentence, number, family, size);
	row("Hook", hook);
	row("Not seen", misses);
	row("Laplace", letter ? laplace : "");
	row("ovni", mcv);
	puts("\n====== ==== ============== ============\n"
	     "offset type field          unit\n"
	     "====== ==== ============== ============");
}

static bool is_explained(const char *unit)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(units[i].name, unit))
			return true;
	}
	return false;
}

static void field(size_t offset, const char *type, const char *name, const char *unit)
{
	if (!is_explained(unit)) {
		fprintf(stderr, "gen-events: units[] has no row for %s\n", unit);
		exit(1);
	}
	printf("%-6zu %-4s %-14s %s\n", offset, type, name, unit);
}

static void tail(void)
{
	puts("====== ==== ============== ============");
}

#define FIELD(ev, type, name, unit) \
	field(offsetof(struct ovnik_##ev, name), #type, #name, #unit);

#define EVENT(nr, name, family, changes, letter, mcv, sentence, hook, misses, fields)	\
	event(nr, #name, #family, letter, mcv, sentence, hook, misses,		\
	      sizeof(struct ovnik_##name));					\
	fields									\
	tail();

int main(void)
{
	head();
	explain_units();
	OVNIK_EVENT_TABLE(EVENT, FIELD)
	return 0;
}
