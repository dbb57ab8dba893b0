// SPDX-License-Identifier: GPL-2.0-only
/* The checksum of meta.json: its last member, over all bytes before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/crc.h"
#include "capture/meta_crc.h"

#define MEMBER	"\"" META_CRC "\":\"%08x\"\n}\n"
#define LEN	(sizeof("\"" META_CRC "\":\"01234567\"\n}\n") - 1)

char *meta_crc_add(const char *json)
{
	const char *end = strrchr(json, '}');
	char *text;
	size_t len;

	if (!end)
		return NULL;
	while (end > json && strchr(" \t\r\n", end[-1]))
		end--;
	len = end - json;
	text = malloc(len + sizeof(",\n  ") + LEN);
	if (!text)
		return NULL;
	memcpy(text, json, len);
	len += sprintf(text + len, ",\n  ");
	sprintf(text + len, MEMBER, capture_crc(0, (const u8 *)text, len));
	return text;
}

bool meta_crc_right(const char *text, size_t len)
{
	char member[LEN + 1];

	if (len < LEN)
		return false;
	snprintf(member, sizeof(member), MEMBER, capture_crc(0, (const u8 *)text, len - LEN));
	return !memcmp(text + len - LEN, member, LEN);
}
