/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_MISSING_H
#define OVNIK_TRACE_MISSING_H

/*
 * Why events of a CPU are missing: the u32 payload of ovnik's KL[ in the CPU's own
 * stream, and the values of PRV type 301. The numbers are stored in traces: add new
 * ones at the end, never change one.
 */
#define OVNI_MISSING_TABLE(row)						\
	row(LOST,	 1, "Events lost")				\
	row(OVERWRITTEN, 2, "Events overwritten")			\
	row(DAMAGED,	 3, "Capture damaged or incomplete")

/**
 * enum ovni_missing - Why events of a CPU are missing; see OVNI_MISSING_TABLE.
 */
enum ovni_missing {
#define OVNI_MISSING_ENUM(name, number, label) OVNI_MISSING_##name = number,
	OVNI_MISSING_TABLE(OVNI_MISSING_ENUM)
#undef OVNI_MISSING_ENUM
};

#define OVNI_MISSING_MAX	OVNI_MISSING_DAMAGED
#define OVNI_MISSING_PRV_TYPE	301

#endif /* OVNIK_TRACE_MISSING_H */
