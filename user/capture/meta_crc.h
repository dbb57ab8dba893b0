/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_META_CRC_H
#define OVNIK_CAPTURE_META_CRC_H

#include "util/types.h"

/* The member of meta.json that says that META_CRC comes last, and of what kind that is. */
#define META_CHECKSUM		"checksum"
#define META_CHECKSUM_KIND	"crc32"
#define META_CRC		"crc"

/**
 * meta_crc_add() - Append the last member, META_CRC, to an object.
 * @json: text of an object that has META_CHECKSUM
 *
 * Context: Any.
 * Return: the text, for free(); NULL if there is no memory.
 */
char *meta_crc_add(const char *json) __must_check;

/**
 * meta_crc_right() - Does the last member have the CRC of all bytes before it?
 * @text: meta.json
 * @len: its bytes
 *
 * Context: Any.
 * Return: true if it does; false also if there is no such member.
 */
bool meta_crc_right(const char *text, size_t len);

#endif /* OVNIK_CAPTURE_META_CRC_H */
