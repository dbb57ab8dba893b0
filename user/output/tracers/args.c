// SPDX-License-Identifier: GPL-2.0-only
/* The arguments after a tracer's name: see args.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/args.h"
#include "output/tracers/tracer.h"
#include "util/suggest.h"

bool args_next(char **rest, char **part)
{
	char *c = *rest;

	if (!c)
		return false;
	*part = c;
	while (*c && *c != ',')
		c += c[0] == '\\' && c[1] == ',' ? 2 : 1;
	*rest = *c ? c + 1 : NULL;
	*c = '\0';
	return true;
}

char *args_split(char *part)
{
	char *value = strchr(part, '='), *from, *to;

	if (!value)
		return NULL;
	*value++ = '\0';
	for (from = to = value; *from; from++) {
		if (from[0] == '\\' && from[1] == ',')
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return value;
}

int args_u64(const char *text, u64 max, u64 *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end || *value > max ? -EINVAL : 0;
}

/* ns of a unit; 0: there is no such unit */
static u64 unit_of(const char *text)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcmp(text, units[i].name))
			return units[i].ns;
	}
	return 0;
}

int args_ns(const char *text, u64 *ns)
{
	u64 whole, unit, part = 0, scale;
	char *end, *digits = NULL;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	whole = strtoull(text, &end, 10);
	if (*end == '.') {
		digits = end + 1;
		end += 1 + strspn(digits, "0123456789");
	}
	unit = unit_of(end);
	if (errno || !unit || digits == end || whole > (u64)-1 / 2 / unit)
		return -EINVAL;
	for (scale = unit / 10; digits && digits < end; digits++, scale /= 10) {
		if (!scale && *digits != '0')
			return -EINVAL;
		part += scale * (*digits - '0');
	}
	*ns = whole * unit + part;
	return 0;
}

static int set_key(const struct args_key *key, const char *value)
{
	if (key->text) {
		free(*key->text);
		*key->text = strdup(value);
		return *key->text ? 0 : -ENOMEM;
	}
	if (key->ns) {
		if (!args_ns(value, key->ns))
			return 0;
		tracer_report_error("%s=%s: not a time with a unit, such as 1.5ms", key->name,
				    value);
		return -EINVAL;
	}
	if (!args_u64(value, key->max, key->number) && *key->number)
		return 0;
	tracer_report_error("%s=%s: not a number from 1 to %llu", key->name, value, key->max);
	return -EINVAL;
}

void args_refuse(const char *key, const struct args_key *keys, unsigned int nr)
{
	/* Of a filter, which every tracer has: see filter.h. */
	static const char *const common[] = {
		"kind", "what", "where", "pid", "tid", "tree", "from", "to", "min", "max",
	};
	struct suggestion near = { .word = key };
	char text[64];
	unsigned int i;

	if (!strcmp(key, "comm")) {
		tracer_report_error("comm is no filter of tracers: use --comm NAME");
		return;
	}
	for (i = 0; i < nr; i++)
		suggest_offer(&near, keys[i].name);
	for (i = 0; i < ARRAY_SIZE(common); i++)
		suggest_offer(&near, common[i]);
	tracer_report_error("\"%s\" is neither a key of this tracer nor of a filter%s", key,
			    suggest_text(&near, text, sizeof(text)));
}

static int parse_part(char *part, const struct args_key *keys, unsigned int nr)
{
	char *value = args_split(part);
	unsigned int i;

	for (i = 0; value && i < nr; i++) {
		if (!strcmp(part, keys[i].name))
			return set_key(&keys[i], value);
	}
	if (value)
		args_refuse(part, keys, nr);
	else
		tracer_report_error("\"%s\" is not of the form KEY=VALUE", part);
	return -EINVAL;
}

int args_parse(const char *args, const struct args_key *keys, unsigned int nr)
{
	char *copy, *rest, *part;
	int ret = 0;

	if (!*args)
		return 0;
	copy = strdup(args);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	while (!ret && args_next(&rest, &part))
		ret = parse_part(part, keys, nr);
	free(copy);
	return ret;
}
