// SPDX-License-Identifier: GPL-2.0-only
/* Texts: see text.h. */
#include <ctype.h>
#include <string.h>

#include "util/text.h"

bool text_is_numbered(const char *name, const char *prefix, const char *suffix)
{
	size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) || !isdigit((unsigned char)name[len]))
		return false;
	for (name += len; isdigit((unsigned char)*name); name++)
		;
	return !strcmp(name, suffix);
}
