/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_CRC_H
#define OVNIK_CAPTURE_CRC_H

#include "util/types.h"

/**
 * capture_crc() - zlib's crc32(), faster for whole sub-buffers.
 * @crc: of the bytes before, 0 at first
 * @buf: the bytes
 * @len: how many
 *
 * Takes half an instruction per byte with carry-less multiplication, four without.
 *
 * Context: Any.
 * Return: the CRC of the bytes before and these.
 */
u32 capture_crc(u32 crc, const u8 *buf, size_t len);

#endif /* OVNIK_CAPTURE_CRC_H */
