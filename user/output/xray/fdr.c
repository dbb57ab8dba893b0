// SPDX-License-Identifier: GPL-2.0-only
/* Encoding records: see fdr.h. */
#include "output/xray/fdr.h"

u8 *fdr_put_header(u8 *p, const struct fdr_header *h)
{
	u16 type = XRAY_TYPE_FDR;
	u32 flags = h->constant_tsc | h->nonstop_tsc << 1;

	memset(p, 0, XRAY_HEADER_SIZE);
	memcpy(p, &h->version, sizeof(h->version));
	memcpy(p + 2, &type, sizeof(type));
	memcpy(p + 4, &flags, sizeof(flags));
	memcpy(p + 8, &h->frequency, sizeof(h->frequency));
	memcpy(p + 16, &h->buffer_size, sizeof(h->buffer_size));
	/* Other programs ignore this; --merge recognises our own logs by it. */
	memcpy(p + 24, XRAY_MADE_BY, sizeof(XRAY_MADE_BY));
	return p + XRAY_HEADER_SIZE;
}

u32 fdr_record_size(const u8 *p)
{
	u32 size;

	if (!(p[0] & 1))
		return XRAY_FUNCTION_SIZE;
	if (p[0] >> 1 != XRAY_CUSTOM_EVENT)
		return XRAY_METADATA_SIZE;
	memcpy(&size, p + 1, sizeof(size));
	return XRAY_METADATA_SIZE + size;
}
