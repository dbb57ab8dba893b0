// SPDX-License-Identifier: GPL-2.0-only
/* Parse the arguments of options; messages name the wrong word. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/events.h"
#include "parse.h"
#include "util/msg.h"
#include "util/suggest.h"

/* The kernel's PID_MAX_LIMIT. */
#define PID_LIMIT	(4 << 20)

/* ms */
#define DURATION_MAX	(1000 * 3.6e6)

_Static_assert(OVNIK_NR_EVENTS <= 64, "a mask of events has a bit for each");

/* The events that @name, an event or a family, stands for; 0 if there is none. */
static u64 events_of(const char *name)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name &&
		    (!strcmp(event_table[i].name, name) || !strcmp(event_table[i].family, name)))
			mask |= 1ULL << i;
	}
	return mask;
}

static const char *near_event(char *text, size_t size, const char *name)
{
	struct suggestion near = { .word = name };
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (!event_table[i].name)
			continue;
		suggest_offer(&near, event_table[i].family);
		suggest_offer(&near, event_table[i].name);
	}
	return suggest_text(&near, text, size);
}

/**
 * parse_events() - Parse a list of events and families, separated by commas.
 * @text: the argument
 * @mask: is set; bit n: event number n
 *
 * Return: 0; -EINVAL or -ENOMEM, which has been reported.
 */
int parse_events(const char *text, u64 *mask)
{
	char *copy = strdup(text), *rest = copy, *name, near[64];
	int ret = copy ? 0 : -ENOMEM;

	*mask = 0;
	while (!ret && (name = strsep(&rest, ","))) {
		u64 one = events_of(name);

		*mask |= one;
		if (one)
			continue;
		msg_error("-e %s: there is no event or family \"%s\"; see Documentation/events.rst or \"ovnik status\"%s",
			  text, name, near_event(near, sizeof(near), name));
		ret = -EINVAL;
	}
	free(copy);
	return ret;
}

static bool is_pid(const char *word)
{
	unsigned long pid;
	char *end;

	errno = 0;
	pid = strtoul(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end && !errno && pid && pid <= PID_LIMIT;
}

/**
 * parse_pids() - Check a list of process IDs, separated by commas.
 * @text: the argument; control_prepare() checks whether they exist
 *
 * Return: 0; -EINVAL or -ENOMEM, which has been reported.
 */
int parse_pids(const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, ","))) {
		if (is_pid(word))
			continue;
		msg_error("-p %s: \"%s\" is not a process ID", text, word);
		ret = -EINVAL;
	}
	free(copy);
	return ret;
}

static bool is_uid(const char *word, uid_t *uid)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(word, &end, 10);
	*uid = value;
	return *word >= '0' && *word <= '9' && !*end && !errno && value < (uid_t)-1;
}

/**
 * parse_owner() - Parse whose memory is not hidden.
 * @text: the argument: a user ID; NULL: that of who runs this
 * @id:	  is set to it
 *
 * Return: 0; -EINVAL, which has been reported.
 */
int parse_owner(const char *text, char id[OWNER_TEXT])
{
	uid_t uid = getuid();

	if (text && !is_uid(text, &uid)) {
		msg_error("--private=%s: not a user ID; \"id -u NAME\" prints it", text);
		return -EINVAL;
	}
	snprintf(id, OWNER_TEXT, "%u", uid);
	return 0;
}

/* Parse a number of bytes; K, M or G may follow. */
static bool read_size(const char *text, u64 *size)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	unsigned int shift;
	char *end;

	errno = 0;
	*size = strtoull(text, &end, 10);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	shift = suffix ? 10 * (suffix - suffixes + 1) : 0;
	end += !!suffix;
	if (errno || *size > ~0ULL >> shift || *end || *text < '0' || *text > '9')
		return false;
	*size <<= shift;
	return true;
}

/**
 * parse_buffer_size() - Parse the size of a CPU's buffer.
 * @text: the argument
 * @size: is set, in bytes
 *
 * Return: 0; -EINVAL, which has been reported.
 */
int parse_buffer_size(const char *text, u64 *size)
{
	if (!read_size(text, size)) {
		msg_error("-b %s: not a size; valid are for example 65536, 64K and 4M", text);
		return -EINVAL;
	}
	if (*size < 2 * OVNIK_SUBBUF_MIN || *size > OVNIK_BUFFER_MAX) {
		msg_error("-b %s: the buffer per CPU must be between %uK and %lluG", text,
			  2 * OVNIK_SUBBUF_MIN >> 10, OVNIK_BUFFER_MAX >> 30);
		return -EINVAL;
	}
	return 0;
}

/* ms in one of a unit; 0 if there is no such unit. */
static double unit_ms(const char *unit)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = { { "", 1e3 }, { "s", 1e3 }, { "ms", 1 }, { "m", 6e4 }, { "h", 3.6e6 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcmp(unit, units[i].name))
			return units[i].ms;
	}
	return 0;
}

/**
 * parse_duration() - Parse how long to record.
 * @text: the argument: a number of seconds, or with one of the units ms, s, m, h
 * @ms:   is set
 *
 * Return: 0; -EINVAL, which has been reported.
 */
int parse_duration(const char *text, u64 *ms)
{
	double value;
	char *end;

	value = strtod(text, &end);
	value *= unit_ms(end);
	/* A number begins with a digit: "inf" and "nan" do not. */
	if (*text < '0' || *text > '9' || !(value >= 1) || value > DURATION_MAX) {
		msg_error("--duration %s: not a time from 1ms to 1000h; valid are for example 10, 0.5, 500ms and 5m",
			  text);
		return -EINVAL;
	}
	*ms = value;
	return 0;
}
