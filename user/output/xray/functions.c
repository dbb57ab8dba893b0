// SPDX-License-Identifier: GPL-2.0-only
/* The names of the functions: see functions.h. */
#include "output/xray/functions.h"

/* Ids are computed from these numbers, so the tables must not have holes. */
#define DENSE_OFFCPU(name, number, label) \
	_Static_assert(XRAY_OFFCPU_##name - XRAY_OFFCPU_PREEMPTED == (number) - OVNI_OFFCPU_MIN, \
		       "ids of reasons");
#define DENSE_CALL(name, number, label) \
	_Static_assert(XRAY_CALL_##name == XRAY_CALL_OTHER || \
		       XRAY_CALL_##name - XRAY_CALL_READ == (number) - OVNI_FILE_CALL_READ, \
		       "ids of calls");
#define DENSE_FAULT(name, number, label) \
	_Static_assert(XRAY_FAULT_##name - XRAY_FAULT_READ == (number) - OVNI_FAULT_READ, \
		       "ids of faults");

OVNI_OFFCPU_TABLE(DENSE_OFFCPU)
OVNI_FILE_CALL_TABLE(DENSE_CALL)
OVNI_FAULT_TABLE(DENSE_FAULT)

/* If records are missing, the thread may still be on its CPU: do not say "off-CPU". */
#define OFFCPU_NAME(name, number, label)				\
	[XRAY_OFFCPU_##name] = XRAY_OFFCPU_##name == XRAY_OFFCPU_LOST ?	\
			       "unknown: records missing" : "off-CPU: " label,
#define CALL_NAME(name, number, label)	[XRAY_CALL_##name] = label,
#define FAULT_NAME(name, number, label)	[XRAY_FAULT_##name] = "page fault: " label,

const char * const xray_function_names[XRAY_NR_FUNCTIONS] = {
	[XRAY_RUN] = "run",
	[XRAY_CONTINUED] = "run (continued)",
	OVNI_OFFCPU_TABLE(OFFCPU_NAME)
	OVNI_FILE_CALL_TABLE(CALL_NAME)
	OVNI_FAULT_TABLE(FAULT_NAME)
};
