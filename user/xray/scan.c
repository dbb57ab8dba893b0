// SPDX-License-Identifier: GPL-2.0-only
/* Scan a log: find its buffers, and check them against the grammar, which is a table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/msg.h"
#include "xray/bits.h"
#include "xray/scan.h"

#define TO(kind)	(1U << XRAY_##kind)
#define BODY		(TO(NEW_CPU_ID) | TO(TSC_WRAP) | TO(CUSTOM_EVENT) | TO(TYPED_EVENT) | \
			 TO(FUNCTION) | TO(END_OF_BUFFER))

/*
 * The kinds that are allowed next. In version 1, a buffer can end without EndOfBuffer where the
 * next one begins.
 */
static const struct {
	u32 first_version;
	u32 later_versions;
	const char *rule;
} states[XRAY_NR_STATES] = {
	[XRAY_BETWEEN] = { TO(NEW_BUFFER), TO(BUFFER_EXTENTS), NULL },
	[XRAY_AFTER_EXTENTS] = { TO(NEW_BUFFER), TO(NEW_BUFFER),
		"NewBuffer must follow BufferExtents" },
	[XRAY_AFTER_NEW_BUFFER] = { TO(WALL_CLOCK), TO(WALL_CLOCK),
		"WallClockTime must follow NewBuffer" },
	[XRAY_AFTER_CLOCK] = { TO(NEW_CPU_ID), TO(NEW_CPU_ID) | TO(PID),
		"NewCPUId must follow WallClockTime" },
	[XRAY_AFTER_PID] = { TO(NEW_CPU_ID), TO(NEW_CPU_ID), "NewCPUId must follow Pid" },
	[XRAY_BODY] = { BODY | TO(NEW_BUFFER), BODY, NULL },
	[XRAY_ARGS] = { BODY | TO(NEW_BUFFER) | TO(CALL_ARGUMENT), BODY | TO(CALL_ARGUMENT),
		NULL },
};

/*
 * For each kind: the state after it, the versions that have it, and the rule it breaks in a body.
 */
static const struct {
	enum xray_state to;
	u16 since;
	u16 until;
	const char *versions;
	const char *rule;
} kinds[XRAY_NR_KINDS + 1] = {
	[XRAY_NEW_BUFFER] = { XRAY_AFTER_NEW_BUFFER, 1, XRAY_VERSION_MAX, NULL,
		"NewBuffer must follow BufferExtents" },
	[XRAY_END_OF_BUFFER] = { XRAY_BETWEEN, 1, 1,
		"EndOfBuffer must not occur from version 2 on", NULL },
	[XRAY_NEW_CPU_ID] = { XRAY_BODY, 1, XRAY_VERSION_MAX, NULL, NULL },
	[XRAY_TSC_WRAP] = { XRAY_BODY, 1, XRAY_VERSION_MAX, NULL, NULL },
	[XRAY_WALL_CLOCK] = { XRAY_AFTER_CLOCK, 1, XRAY_VERSION_MAX, NULL,
		"WallClockTime must not occur but after NewBuffer" },
	[XRAY_CUSTOM_EVENT] = { XRAY_BODY, 1, XRAY_VERSION_MAX, NULL, NULL },
	[XRAY_CALL_ARGUMENT] = { XRAY_ARGS, 1, XRAY_VERSION_MAX, NULL,
		"CallArgument must follow a function or CallArgument" },
	[XRAY_BUFFER_EXTENTS] = { XRAY_AFTER_EXTENTS, 2, XRAY_VERSION_MAX,
		"BufferExtents must not occur before version 2",
		"BufferExtents must not occur within a buffer" },
	[XRAY_TYPED_EVENT] = { XRAY_BODY, 1, XRAY_VERSION_MAX, NULL, NULL },
	[XRAY_PID] = { XRAY_AFTER_PID, 3, XRAY_VERSION_MAX, "Pid must not occur before version 3",
		"Pid must not occur but after WallClockTime" },
	[XRAY_FUNCTION] = { XRAY_ARGS, 1, XRAY_VERSION_MAX, NULL, NULL },
};

/* Is a record allowed here? */
static const char *xray_grammar(unsigned int version, enum xray_state *state, unsigned int kind)
{
	u32 next = version == 1 ? states[*state].first_version : states[*state].later_versions;
	bool known = kind <= XRAY_NR_KINDS;
	bool has = known && version >= kinds[kind].since && version <= kinds[kind].until;

	if (has && (next & (1U << kind))) {
		*state = kinds[kind].to;
		return NULL;
	}
	if (*state == XRAY_BETWEEN)
		return version == 1 ? "a buffer must begin with NewBuffer" :
				      "a buffer must begin with BufferExtents";
	if (!known)
		return "kinds of metadata must be 0 to 9";
	if (!has)
		return kinds[kind].versions;
	return states[*state].rule ? states[*state].rule : kinds[kind].rule;
}

/* May a buffer end here? */
static const char *xray_grammar_end(enum xray_state state)
{
	if (state == XRAY_BODY || state == XRAY_ARGS)
		return NULL;
	return "a buffer must not end before its first NewCPUId";
}

#define BREAKS_SHOWN	20
#define NO_END		"a record must end within its buffer"
#define NO_END_OF_DATA	"the data of an event must end within its buffer"
#define SECONDS_MAX	(~0ULL / XRAY_NS_PER_SEC)	/* what 64 bits of nanoseconds can say */
#define OVERFLOW	"the TSC must not exceed 64 bits"

/* The result of reading a record. */
enum step {
	STEP_ON,
	STEP_END,	/* the buffer's */
	STEP_BREAK,	/* reported */
};

const u8 *xray_scan_at(struct xray_scan *s, u32 need)
{
	int ret = xray_window_at(&s->window, s->offset, need, s->log->size);

	if (!ret)
		return s->window.buf + (s->offset - s->window.offset);
	msg_error("%s: offset %llu: %s", s->log->path, s->offset,
		  ret == -ENODATA ? "the file has become shorter" : strerror(-ret));
	return NULL;
}

static int broken(struct xray_scan *s, u64 offset, const char *rule)
{
	struct xray_log *log = s->log;

	if (!s->trial && log->breaks++ < BREAKS_SHOWN)
		msg_warn("%s: offset %llu: %s", log->path, offset, rule);
	return STEP_BREAK;
}

static void set_tsc(struct xray_scan *s, u64 tsc)
{
	if (tsc < s->tsc && !s->log->backwards++)
		s->back = s->offset;
	s->tsc = tsc;
}

/* Most records are functions, so this does only what is necessary. */
static __always_inline u32 pass_functions(struct xray_scan *s, const u8 *p, u64 size, bool big)
{
	u64 tsc = s->tsc, sum;
	const u8 *begin = p;
	u32 word;

	for (; size >= XRAY_FUNCTION_SIZE; size -= XRAY_FUNCTION_SIZE) {
		word = xray_u32(p, big);
		if (!xray_is_function(word, big) ||
		    __builtin_add_overflow(tsc, xray_u32(p + 4, big), &sum))
			break;
		tsc = sum;
		p += XRAY_FUNCTION_SIZE;
	}
	s->tsc = tsc;
	if (p > begin)
		s->state = XRAY_ARGS;
	return p - begin;
}

static int scan_functions(struct xray_scan *s)
{
	const u8 *p;
	u64 size;

	if (s->limit - s->offset < XRAY_FUNCTION_SIZE)
		return 0;
	p = xray_scan_at(s, XRAY_FUNCTION_SIZE);
	if (!p)
		return -EIO;
	size = s->window.offset + s->window.size - s->offset;
	if (size > s->limit - s->offset)
		size = s->limit - s->offset;
	s->offset += s->big ? pass_functions(s, p, size, true) : pass_functions(s, p, size, false);
	return 0;
}

static int scan_function(struct xray_scan *s, const u8 *p)
{
	u32 word = xray_u32(p, s->big);

	if (!xray_is_function(word, s->big))
		return broken(s, s->offset, "actions of functions must be 0 to 3");
	if (__builtin_add_overflow(s->tsc, xray_u32(p + 4, s->big), &s->tsc))
		return broken(s, s->offset, OVERFLOW);
	s->offset += XRAY_FUNCTION_SIZE;
	return STEP_ON;
}

/*
 * If no buffer begins where BufferExtents points to, that may be inside another buffer, which
 * would then be lost, too. So search for the next buffer in that case only.
 */
static void check_limit(struct xray_scan *s)
{
	u64 next;

	if (!s->cut && xray_is_next(s, s->limit))
		return;
	next = xray_next_head(s, s->begin, s->log->size);
	if (next >= s->limit)
		return;
	broken(s, s->offset, "BufferExtents must not go beyond the next buffer");
	s->limit = next;
	s->cut = false;
}

/* Too short for a buffer. If one is there all the same, it goes on to the next one. */
static int scan_short_extents(struct xray_scan *s, u64 extents)
{
	bool head = xray_is_head(s, s->offset);

	if (!extents && !head) {
		s->limit = s->begin;
		s->offset = s->begin;
		return STEP_END;
	}
	broken(s, s->offset, "BufferExtents must be 48 at least, or 0 without a buffer");
	if (!head)
		return STEP_BREAK;
	s->limit = xray_next_head(s, s->begin, s->log->size);
	s->offset = s->begin;
	return STEP_ON;
}

static int scan_extents(struct xray_scan *s, const u8 *p)
{
	u64 extents = xray_u64(p + 1, s->big), left;

	s->begin = s->offset + XRAY_METADATA_SIZE;
	left = s->log->size - s->begin;
	if (extents < 3 * XRAY_METADATA_SIZE)
		return scan_short_extents(s, extents);
	s->sized = true;
	s->cut = extents > left;
	s->limit = s->cut ? s->log->size : s->begin + extents;
	check_limit(s);
	s->offset = s->begin;
	return STEP_ON;
}

static int scan_new_buffer(struct xray_scan *s, const u8 *p)
{
	s->begin = s->offset;
	s->now.tid = xray_u32(p + 1, s->big);
	if (s->now.tid < 0)
		return broken(s, s->offset, "the thread of NewBuffer must not be negative");
	/* The length is unknown: if there is damage, do not read into the next buffer. */
	if (s->version == 1 && !s->trial)
		s->limit = xray_next_head(s, s->begin + 1, s->log->size);
	s->offset += XRAY_METADATA_SIZE;
	return STEP_ON;
}

/*
 * XRay's document and runtime have microseconds here, llvm-xray has nanoseconds: see
 * finish_clocks().
 */
static int scan_clock(struct xray_scan *s, const u8 *p)
{
	u64 seconds = xray_u64(p + 1, s->big);
	u32 fraction = xray_u32(p + 9, s->big);

	if (fraction >= XRAY_NS_PER_SEC || seconds > SECONDS_MAX)
		return broken(s, s->offset, "WallClockTime must be seconds and a fraction of one");
	s->now.buffer.ns = seconds * XRAY_NS_PER_SEC + fraction;
	s->offset += XRAY_METADATA_SIZE;
	return STEP_ON;
}

static int scan_pid(struct xray_scan *s, const u8 *p)
{
	s->now.pid = xray_u32(p + 1, s->big);
	if (s->now.pid < 0)
		return broken(s, s->offset, "the process of Pid must not be negative");
	s->offset += XRAY_METADATA_SIZE;
	return STEP_ON;
}

static int scan_cpu(struct xray_scan *s, const u8 *p)
{
	u64 tsc = xray_u64(p + 3, s->big);

	if (s->now.buffer.offset) {
		set_tsc(s, tsc);
	} else {
		s->now.buffer.offset = s->offset;
		s->now.buffer.tsc = tsc;
		s->tsc = tsc;
	}
	s->offset += XRAY_METADATA_SIZE;
	return STEP_ON;
}

/* If the size of an event is damaged, its data may be the next buffers of the log. */
static void look_into_data(struct xray_scan *s, u64 from, u64 end)
{
	u64 next = s->trial && !s->doubt ? xray_next_head(s, from, end) : end;

	if (next < end)
		s->doubt = next;
}

static int scan_event(struct xray_scan *s, const u8 *p)
{
	s32 size = xray_u32(p + 1, s->big), delta;
	u64 end = s->limit, tsc;

	/* A buffer of version 1 is not larger than the header says. */
	if (s->version == 1 && s->log->header.buffer_size &&
	    s->log->header.buffer_size < end - s->begin)
		end = s->begin + s->log->header.buffer_size;
	if (size < 0)
		return broken(s, s->offset, "the size of an event must not be negative");
	if (end < s->offset + XRAY_METADATA_SIZE ||
	    (u64)size > end - s->offset - XRAY_METADATA_SIZE)
		return broken(s, s->offset, NO_END_OF_DATA);
	if (s->version >= 5) {
		delta = xray_u32(p + 5, s->big);
		if (__builtin_add_overflow(s->tsc, (s64)delta, &tsc))
			return broken(s, s->offset, OVERFLOW);
		set_tsc(s, tsc);
	}
	s->offset += XRAY_METADATA_SIZE + size;
	look_into_data(s, s->offset - size, s->offset);
	return STEP_ON;
}

static int scan_end(struct xray_scan *s)
{
	s->end = s->offset;
	s->offset += XRAY_METADATA_SIZE;
	return xray_after_end(s) ? -EIO : STEP_END;
}

static int scan_metadata(struct xray_scan *s, const u8 *p, enum xray_kind kind)
{
	switch (kind) {
	case XRAY_NEW_BUFFER:
		return scan_new_buffer(s, p);
	case XRAY_END_OF_BUFFER:
		return scan_end(s);
	case XRAY_NEW_CPU_ID:
		return scan_cpu(s, p);
	case XRAY_WALL_CLOCK:
		return scan_clock(s, p);
	case XRAY_CUSTOM_EVENT:
	case XRAY_TYPED_EVENT:
		return scan_event(s, p);
	case XRAY_BUFFER_EXTENTS:
		return scan_extents(s, p);
	case XRAY_PID:
		return scan_pid(s, p);
	case XRAY_TSC_WRAP:
		set_tsc(s, xray_u64(p + 1, s->big));
		break;
	default:
		break;
	}
	s->offset += XRAY_METADATA_SIZE;
	return STEP_ON;
}

/* The end of the buffer is reached, if it is known. */
static int scan_limit(struct xray_scan *s)
{
	const char *rule = s->cut ? "the file must hold what BufferExtents says" :
				    xray_grammar_end(s->state);

	return rule ? broken(s, s->offset, rule) : STEP_END;
}

static int scan_record(struct xray_scan *s)
{
	unsigned int kind;
	const char *rule;
	const u8 *p;
	u32 size;

	if (s->offset == s->limit)
		return scan_limit(s);
	p = xray_scan_at(s, 1);
	if (!p)
		return -EIO;
	kind = xray_kind(p, s->big);
	if (s->version == 1 && kind == XRAY_NEW_BUFFER && s->state >= XRAY_BODY &&
	    !(s->trial && !xray_is_next(s, s->offset)))
		return STEP_END;
	rule = xray_grammar(s->version, &s->state, kind);
	if (rule)
		return broken(s, s->offset, rule);
	size = kind == XRAY_FUNCTION ? XRAY_FUNCTION_SIZE : XRAY_METADATA_SIZE;
	if (size > s->limit - s->offset)
		return broken(s, s->offset, s->limit == s->log->size ?
			      "a record must end within the file" : NO_END);
	p = xray_scan_at(s, size);
	if (!p)
		return -EIO;
	return kind == XRAY_FUNCTION ? scan_function(s, p) : scan_metadata(s, p, kind);
}

static int keep_buffer(struct xray_scan *s)
{
	struct xray_found *found = s->found;
	u32 room = s->room;

	if (s->nr_found == room) {
		room = room ? room * 2 : 64;
		found = realloc(found, room * sizeof(*found));
		if (!found) {
			msg_error("%s: no memory for %u buffers", s->log->path, room);
			return -ENOMEM;
		}
		s->found = found;
		s->room = room;
	}
	s->now.buffer.end = s->end;
	s->now.tsc = s->tsc;
	found[s->nr_found++] = s->now;
	return 0;
}

static int scan_records(struct xray_scan *s)
{
	int step = STEP_ON;

	s->offset = s->head;
	s->begin = s->head;
	s->limit = s->log->size;
	s->sized = false;
	s->cut = false;
	s->state = XRAY_BETWEEN;
	memset(&s->now, 0, sizeof(s->now));
	while (step == STEP_ON) {
		if (s->state >= XRAY_BODY && scan_functions(s))
			return -EIO;
		s->end = s->offset;
		step = scan_record(s);
	}
	return step;
}

/*
 * A buffer of version 1 has no length, and what looks like the next one's head may be a part of
 * it: NewCPUId and functions do, with some numbers. So first see whether it is sound to its end.
 * Of many damaged ones not all are read twice.
 */
static int try_records(struct xray_scan *s)
{
	u64 backwards = s->log->backwards, back = s->back;
	int step;

	if (s->version > 1 || s->vain > s->log->size)
		return STEP_BREAK;
	s->trial = true;
	s->doubt = 0;
	step = scan_records(s);
	s->trial = false;
	if (s->doubt && step == STEP_END && s->log->doubts++ < BREAKS_SHOWN)
		msg_warn("%s: offset %llu: what looks like a buffer here is read as data of an event",
			 s->log->path, s->doubt);
	if (step != STEP_BREAK)
		return step;
	s->vain += s->offset - s->head;
	s->log->backwards = backwards;
	s->back = back;
	return STEP_BREAK;
}

static int scan_buffer(struct xray_scan *s)
{
	int step;
	u64 lost;

	s->head = s->offset;
	step = try_records(s);
	if (step == STEP_BREAK)
		step = scan_records(s);
	if (step < 0)
		return step;
	if (s->now.buffer.offset && keep_buffer(s))
		return -ENOMEM;
	if (step == STEP_END)
		return 0;
	lost = s->now.buffer.offset ? s->offset : s->head;
	if (xray_resume(s))
		return -EIO;
	s->log->lost_bytes += s->offset - lost;
	return 0;
}

/* It is nanoseconds if most are too large for microseconds; a single one can be damaged. */
static void finish_clocks(struct xray_scan *s)
{
	u32 large = 0, i;

	for (i = 0; i < s->nr_found; i++)
		large += s->found[i].buffer.ns % XRAY_NS_PER_SEC >= 1000000;
	for (i = 0; i < s->nr_found && large <= s->nr_found / 2; i++) {
		u64 *ns = &s->found[i].buffer.ns;

		*ns += *ns % XRAY_NS_PER_SEC * 999;
	}
}

int xray_scan(struct xray_scan *s)
{
	struct xray_log *log = s->log;
	int ret = 0;

	s->window.fd = log->fd;
	s->window.room = 1 << 18;
	s->offset = XRAY_HEADER_SIZE;
	while (!ret && s->offset < log->size) {
		ret = xray_skip_gap(s);
		if (!ret && s->offset < log->size)
			ret = scan_buffer(s);
	}
	if (ret)
		return ret;
	finish_clocks(s);
	if (log->breaks > BREAKS_SHOWN)
		msg_warn("%s: the grammar is broken %llu times more", log->path,
			 log->breaks - BREAKS_SHOWN);
	if (log->doubts > BREAKS_SHOWN)
		msg_warn("%s: %llu more buffers have such data", log->path,
			 log->doubts - BREAKS_SHOWN);
	if (log->breaks)
		msg_warn("%s: %llu bytes belong to no sound record", log->path, log->lost_bytes);
	return 0;
}
