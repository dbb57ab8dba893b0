/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_FUNCTIONS_H
#define OVNIK_OUTPUT_XRAY_FUNCTIONS_H

#include "trace/activity.h"
#include "trace/offcpu.h"
#include "util/types.h"

/*
 * What a thread does, as functions of an FDR log. The ids are dense from 1 on, as the
 * instrumentation map numbers functions, and the same in all logs:
 *
 *	RUN		it was given a CPU by a switch, and runs
 *	CONTINUED	it continues: after the begin or end of a call or page
 *			fault, or the switch was not seen
 *	OFFCPU_*        it is off the CPU, by reason; OFFCPU_LOST: the records that show its state
 *	are missing
 *	CALL_*		a system call on a file
 *	FAULT_*		a page fault
 */

enum xray_function {
	XRAY_NO_FUNCTION,
	XRAY_RUN,
	XRAY_CONTINUED,
#define XRAY_OFFCPU_ENUM(name, number, label) XRAY_OFFCPU_##name,
	OVNI_OFFCPU_TABLE(XRAY_OFFCPU_ENUM)
#undef XRAY_OFFCPU_ENUM
#define XRAY_CALL_ENUM(name, number, label) XRAY_CALL_##name,
	OVNI_FILE_CALL_TABLE(XRAY_CALL_ENUM)
#undef XRAY_CALL_ENUM
#define XRAY_FAULT_ENUM(name, number, label) XRAY_FAULT_##name,
	OVNI_FAULT_TABLE(XRAY_FAULT_ENUM)
#undef XRAY_FAULT_ENUM
	XRAY_NR_FUNCTIONS	/* one more than the last id */
};

/* By id; entry 0 is NULL. */
extern const char * const xray_function_names[XRAY_NR_FUNCTIONS];

static inline u8 xray_offcpu(u32 why)
{
	return XRAY_OFFCPU_PREEMPTED + why - OVNI_OFFCPU_MIN;
}

static inline u8 xray_call(u8 call)
{
	return call == OVNI_FILE_CALL_OTHER ? XRAY_CALL_OTHER :
	       XRAY_CALL_READ + call - OVNI_FILE_CALL_READ;
}

static inline u8 xray_fault(u8 fault)
{
	return XRAY_FAULT_READ + fault - OVNI_FAULT_READ;
}

#endif /* OVNIK_OUTPUT_XRAY_FUNCTIONS_H */
