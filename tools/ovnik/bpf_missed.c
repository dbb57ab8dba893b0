// SPDX-License-Identifier: GPL-2.0-only
/*
 * Missed runs of probes. The kernel skips a program that would interrupt itself on the
 * same CPU, and counts that per program, not per CPU.
 */
#include <bpf/bpf.h>
#include <json-c/json.h>
#include <string.h>

#include "bpf.h"
#include "unsupported.h"
#include "util/json_compat.h"
#include "util/msg.h"

#define PROGRAMS_MAX	128

/**
 * struct count - How often a program was skipped.
 * @program: its row
 * @before:  count when the capture began
 * @now:     count now
 */
static struct count {
	const struct program *program;
	u64 before;
	u64 now;
} counts[PROGRAMS_MAX];

static int nr_counts;

static void look_at(const char *name, int fd)
{
	const struct program *program = bpf_program_of(name);
	struct bpf_prog_info info = { 0 };
	u32 len = sizeof(info);
	int i = 0;

	if (!program || bpf_obj_get_info_by_fd(fd, &info, &len))
		return;
	while (i < nr_counts && counts[i].program != program)
		i++;
	if (i == PROGRAMS_MAX)
		return;
	if (i == nr_counts)
		nr_counts++;
	counts[i].program = program;
	counts[i].now = info.recursion_misses;
}

static void look(void)
{
	if (probes.pinned)
		bpf_pins_each(look_at);
	else
		bpf_probes_each(look_at);
}

/**
 * bpf_missed_begin() - Read the counts at the start of a capture.
 */
void bpf_missed_begin(void)
{
	int i;

	look();
	for (i = 0; i < nr_counts; i++)
		counts[i].before = counts[i].now;
}

/**
 * bpf_missed_describe() - Report missed runs in meta.json and to the user.
 * @meta: the object of meta.json
 *
 * Return: the number of missed runs.
 */
u64 bpf_missed_describe(struct json_object *meta)
{
	struct json_object *list = json_object_new_array();
	u64 sum = 0;
	int i;

	json_object_object_add(meta, "missed", list);
	look();
	for (i = 0; i < nr_counts; i++) {
		const struct count *count = &counts[i];
		u64 runs = count->now - count->before;
		struct json_object *one;

		if (!runs)
			continue;
		sum += runs;
		one = json_object_new_object();
		json_object_object_add(one, "program",
				       json_object_new_string(count->program->name));
		json_object_object_add(one, "runs", json_from_u64(runs));
		json_object_object_add(one, "events", unsupported_names_of(count->program->events));
		json_object_array_add(list, one);
		msg_warn("%s did not run %llu times, because it would have interrupted itself",
			 count->program->name, runs);
	}
	return sum;
}
