// SPDX-License-Identifier: GPL-2.0-only
/* When a part of a capture begins and ends. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "narrow/when.h"
#include "util/msg.h"

#define NS_PER_S	1000000000LL
#define S_MAX		4000000000LL	/* so that nanoseconds fit into 64 bits */

/* Digits, perhaps with a fraction, in units of so many ns. Return: the text behind, or NULL. */
static const char *parse_number(const char *text, s64 unit, s64 *ns)
{
	s64 whole = 0, scale = unit, most = S_MAX * NS_PER_S / unit;

	if (!isdigit((unsigned char)*text))
		return NULL;
	for (; isdigit((unsigned char)*text); text++) {
		if (whole > (most - (*text - '0')) / 10)
			return NULL;
		whole = whole * 10 + (*text - '0');
	}
	*ns = whole * unit;
	if (*text != '.')
		return text;
	for (text++; isdigit((unsigned char)*text); text++) {
		scale /= 10;
		*ns += (*text - '0') * scale;
	}
	return text;
}

static int parse_interval(const char *text, s64 *ns)
{
	static const struct {
		const char *name;
		s64 ns;
	} units[] = {
		{ "", NS_PER_S }, { "s", NS_PER_S }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	};
	const char *unit = text + strspn(text, "0123456789.");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcmp(unit, units[i].name))
			return parse_number(text, units[i].ns, ns) == unit ? 0 : -EINVAL;
	}
	return -EINVAL;
}

/* What strptime() leaves is a fraction of a second. */
static int parse_fraction(const char *text, s64 *ns)
{
	char digits[16] = "0";
	const char *end;
	s64 more;

	if (!*text)
		return 0;
	if (*text != '.' || strlen(text) > 10)
		return -EINVAL;
	strcpy(digits + 1, text);
	end = parse_number(digits, NS_PER_S, &more);
	if (!end || *end)
		return -EINVAL;
	*ns += more;
	return 0;
}

/*
 * A date may be followed by the zone, as answers print it: that of the user, or UTC. @rest: what
 * strptime() has left
 */
static int parse_date(const char *rest, struct tm *tm, s64 *ns)
{
	const char *zone = strchr(rest, ' ');
	bool utc = zone && !strcmp(zone, " UTC");
	char fraction[16] = "";
	time_t seconds;

	if (zone && zone - rest >= (int)sizeof(fraction))
		return -EINVAL;
	memcpy(fraction, rest, zone ? (size_t)(zone - rest) : strnlen(rest, sizeof(fraction) - 1));
	seconds = utc ? timegm(tm) : mktime(tm);
	if (zone && !utc && strcmp(zone + 1, tm->tm_zone))
		return -EINVAL;
	if (seconds < 0 || seconds > S_MAX)
		return -EINVAL;
	*ns = seconds * NS_PER_S;
	return parse_fraction(fraction, ns);
}

static int parse_clock(const char *text, struct narrow_time *when)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *rest;

	when->origin = NARROW_DAY;
	rest = strptime(text, "%H:%M:%S", &tm);
	if (rest) {
		when->ns = (tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * NS_PER_S;
		return parse_fraction(rest, &when->ns);
	}
	rest = strptime(text, "%Y-%m-%d%n%H:%M:%S", &tm);
	when->origin = NARROW_WALL;
	return rest ? parse_date(rest, &tm, &when->ns) : -EINVAL;
}

int when_parse(const char *text, struct narrow_time *when)
{
	int ret;

	if (*text == '@') {
		when->origin = NARROW_WALL;
		return parse_interval(text + 1, &when->ns);
	}
	if (strchr(text, ':'))
		return parse_clock(text, when);
	when->origin = *text == '-' ? NARROW_END : NARROW_BEGIN;
	ret = parse_interval(text + (*text == '-'), &when->ns);
	if (*text == '-')
		when->ns = -when->ns;
	return ret;
}

/* Local midnight of the day on which the capture began, and its begin, CLOCK_REALTIME. */
static s64 midnight(s64 began)
{
	time_t seconds = began / NS_PER_S;
	struct tm tm;

	if (!localtime_r(&seconds, &tm))
		return 0;
	tm.tm_hour = 0;
	tm.tm_min = 0;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return mktime(&tm) * NS_PER_S;
}

/* In ns since the capture began. */
static s64 since_begin(const struct capture *cap, const struct narrow_time *when, s64 length)
{
	s64 began = cap->began;

	switch (when->origin) {
	case NARROW_END:
		return length + when->ns;
	case NARROW_WALL:
		return when->ns - began;
	case NARROW_DAY:
		return midnight(began) + when->ns - began;
	default:
		return when->ns;
	}
}

/* The last stamp up to a time; clock_ns() never goes back. */
static u64 stamp_of(struct capture *cap, u64 ns)
{
	u64 low = cap->begin, high = cap->end;

	while (low < high) {
		u64 middle = low + (high - low + 1) / 2;

		if (clock_ns(&cap->clock, middle) <= ns)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static bool is_clock(const struct narrow_time *when)
{
	return when->origin == NARROW_WALL || when->origin == NARROW_DAY;
}

/* " (it begins at 2026-01-31 14:30:00 CET)", if a clock was asked for and the capture knows it. */
static const char *clock_at(char text[64], const struct narrow_time *when, const char *what,
			    const struct capture *cap, s64 ns)
{
	time_t seconds = (cap->began + ns) / NS_PER_S;
	char date[40];
	struct tm tm;

	*text = '\0';
	if (is_clock(when) && cap->began && localtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), "%F %T %Z", &tm))
		snprintf(text, 64, " (it %s at %s)", what, date);
	return text;
}

/* Nothing of the capture is in that time. */
static int refuse(const struct narrow *n, s64 from, s64 to, s64 length)
{
	const struct narrow_options *opt = n->opt;
	const struct capture *cap = n->cap;
	char text[64];

	if (opt->from.origin && opt->to.origin && from >= to)
		msg_error("%s: --until is %s --from: from %.9f s to %.9f s", cap->dir,
			  from > to ? "before" : "at", from / 1e9, to / 1e9);
	else if (from >= length)
		msg_error("%s: --from is at %.9f s, but the capture ends at %.9f s%s", cap->dir,
			  from / 1e9, length / 1e9,
			  clock_at(text, &opt->from, "ends", cap, length));
	else
		msg_error("%s: --until is %.9f s before the capture begins%s", cap->dir, -to / 1e9,
			  clock_at(text, &opt->to, "begins", cap, 0));
	return -ERANGE;
}

/* All of the capture is hardly what was meant. A report says when it began but for a fraction. */
static void warn_if_before(const struct narrow *n, s64 from)
{
	char text[64];

	if (is_clock(&n->opt->from) && from <= -NS_PER_S)
		msg_warn("%s: --from is %.9f s before the capture begins%s", n->cap->dir,
			 -from / 1e9, clock_at(text, &n->opt->from, "begins", n->cap, 0));
}

int when_find(struct narrow *n)
{
	const struct narrow_options *opt = n->opt;
	struct capture *cap = n->cap;
	u64 begin = clock_ns(&cap->clock, cap->begin);
	s64 length = clock_ns(&cap->clock, cap->end) - begin, from = 0, to = length;

	if (opt->from.origin)
		from = since_begin(cap, &opt->from, length);
	if (opt->to.origin)
		to = since_begin(cap, &opt->to, length);
	if (from >= to || from > length || to < 0)
		return refuse(n, from, to, length);
	warn_if_before(n, from);
	n->from = from <= 0 ? cap->begin : stamp_of(cap, begin + from);
	n->to = to >= length ? cap->end : stamp_of(cap, begin + to);
	return 0;
}
