// SPDX-License-Identifier: GPL-2.0-only
/*
 * xraydump - what our reader says of an FDR log
 *
 *	xraydump LOG	every record, a line each, by thread:
 *			record PID TID CPU TSC KIND FUNCTION OFFSET [ARGUMENT|TYPE DATA]
 *	xraydump -n LOG	only how many there are, for measuring
 *
 * Before them, what the header says, and after them "end BREAKS LOST BACKWARDS". Data are
 * in hexadecimal digits.
 */
#include <stdio.h>
#include <string.h>

#include "util/msg.h"
#include "xray/log.h"

static const char *const actions[XRAY_NR_ACTIONS] = {
	[XRAY_ENTER] = "function-enter",
	[XRAY_EXIT] = "function-exit",
	[XRAY_TAIL_EXIT] = "function-tail-exit",
	[XRAY_ENTER_ARGS] = "function-enter-arg",
};

static const char *kind_of(const struct xray_record *rec)
{
	switch (rec->kind) {
	case XRAY_FUNCTION:
		return actions[rec->action];
	case XRAY_CUSTOM_EVENT:
		return "custom-event";
	case XRAY_TYPED_EVENT:
		return "typed-event";
	case XRAY_CALL_ARGUMENT:
		return "argument";
	case XRAY_NEW_CPU_ID:
		return "cpu";
	default:
		return "wrap";
	}
}

static void print(const struct xray_thread *t, const struct xray_record *rec)
{
	bool event = rec->kind == XRAY_CUSTOM_EVENT || rec->kind == XRAY_TYPED_EVENT;
	bool has_function = rec->kind == XRAY_FUNCTION || rec->kind == XRAY_CALL_ARGUMENT;
	u32 i;

	printf("record %d %d %u %llu %s %u %llu", t->pid, t->tid, rec->cpu, rec->tsc,
	       kind_of(rec), has_function ? rec->function : 0, rec->offset);
	if (rec->kind == XRAY_CALL_ARGUMENT)
		printf(" %llu", rec->argument);
	if (event)
		printf(" %u ", rec->kind == XRAY_TYPED_EVENT ? rec->event_type : 0);
	if (event && !rec->data)
		printf("too-long %u", rec->size);
	for (i = 0; event && rec->data && i < rec->size; i++)
		printf("%02x", rec->data[i]);
	putchar('\n');
}

static int dump(struct xray_log *log, bool quiet)
{
	struct xray_cursor cursor;
	u64 records = 0;
	int ret = 0;
	u32 i;

	for (i = 0; ret >= 0 && i < log->nr_threads; i++) {
		ret = xray_cursor_open(&cursor, log, i);
		while (!ret && (ret = xray_cursor_next(&cursor)) > 0) {
			records++;
			ret = 0;
			if (!quiet)
				print(&log->threads[i], &cursor.rec);
		}
		xray_cursor_close(&cursor);
	}
	if (quiet)
		printf("records %llu\n", records);
	return ret;
}

int main(int argc, char **argv)
{
	bool quiet = argc == 3 && !strcmp(argv[1], "-n");
	struct xray_log log;
	int ret;

	if (argc != 2 + quiet)
		return 2;
	msg_init(argv[0]);
	ret = xray_log_open(&log, argv[argc - 1]);
	if (!ret) {
		printf("header %u %d %d %d %llu %llu\n", log.header.version,
		       log.header.big_endian, log.header.constant_tsc, log.header.nonstop_tsc,
		       log.header.frequency, log.header.buffer_size);
		ret = dump(&log, quiet);
		printf("end %llu %llu %llu\n", log.breaks, log.lost_bytes, log.backwards);
	}
	xray_log_close(&log);
	return ret ? 1 : 0;
}
