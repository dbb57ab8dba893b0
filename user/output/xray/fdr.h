/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_FDR_H
#define OVNIK_OUTPUT_XRAY_FDR_H

#include <string.h>

#include "util/types.h"
#include "xray/format.h"

/*
 * Encodes records, little-endian: version 1 as LLVM's document describes it, version 5 as clang's
 * runtime writes it. A put function writes at @p and returns a pointer past it.
 */

#define FDR_DELTA_MAX	0x7fffffffU	/* signed to llvm-xray, in custom events */

/**
 * struct fdr_header - The contents of a log's header.
 * @version: 1 or 5
 * @constant_tsc: the TSC has a constant rate
 * @nonstop_tsc: the TSC goes on in idle states
 * @frequency: ticks per second; 0: unknown
 * @buffer_size: of version 1: bytes of each buffer
 */
struct fdr_header {
	u16 version;
	bool constant_tsc;
	bool nonstop_tsc;
	u64 frequency;
	u64 buffer_size;
};

/* A metadata record: 12 bytes of data from its second byte on, the rest is zero. */
static inline u8 *fdr_put_metadata(u8 *p, enum xray_kind kind, u64 low, u32 high)
{
	memset(p, 0, XRAY_METADATA_SIZE);
	p[0] = kind << 1 | 1;
	memcpy(p + 1, &low, sizeof(low));
	memcpy(p + 1 + sizeof(low), &high, sizeof(high));
	return p + XRAY_METADATA_SIZE;
}

static inline u8 *fdr_put_cpu(u8 *p, u16 cpu, u64 tsc)
{
	return fdr_put_metadata(p, XRAY_NEW_CPU_ID, tsc << 16 | cpu, tsc >> 48);
}

static inline u8 *fdr_put_wrap(u8 *p, u64 tsc)
{
	return fdr_put_metadata(p, XRAY_TSC_WRAP, tsc, 0);
}

/**
 * fdr_put_function() - A function is entered or left.
 * @p: room for 24 bytes
 * @action: XRAY_ENTER or XRAY_EXIT
 * @id: the function
 * @base: TSC that the delta counts from; is set to @tsc
 * @tsc: when; not before @base
 *
 * Context: Any.
 * Return: pointer past it.
 */
static inline u8 *fdr_put_function(u8 *p, enum xray_action action, u32 id, u64 *base, u64 tsc)
{
	u64 delta = tsc - *base, record;

	if (unlikely(delta >> 32)) {
		p = fdr_put_wrap(p, tsc);
		delta = 0;
	}
	*base = tsc;
	record = delta << 32 | id << 4 | action << 1;
	memcpy(p, &record, sizeof(record));
	return p + XRAY_FUNCTION_SIZE;
}

/**
 * fdr_put_custom() - Mark a custom event.
 * @p: room for 32 bytes
 * @version: of the log
 * @size: bytes of the data, which follow; not 0
 * @base: as for fdr_put_function(); version 1 leaves it as it is
 * @tsc: when; not before @base
 *
 * Context: Any.
 * Return: where the data belong.
 */
static inline u8 *fdr_put_custom(u8 *p, u16 version, u32 size, u64 *base, u64 tsc)
{
	u64 delta = tsc - *base;

	if (version < XRAY_VERSION_MAX)
		return fdr_put_metadata(p, XRAY_CUSTOM_EVENT, tsc << 32 | size, tsc >> 32);
	if (unlikely(delta > FDR_DELTA_MAX)) {
		p = fdr_put_wrap(p, tsc);
		delta = 0;
	}
	*base = tsc;
	return fdr_put_metadata(p, XRAY_CUSTOM_EVENT, delta << 32 | size, 0);
}

#endif /* OVNIK_OUTPUT_XRAY_FDR_H */
