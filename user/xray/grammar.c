// SPDX-License-Identifier: GPL-2.0-only
/* The grammar of FDR logs, as tables. */
#include "xray/grammar.h"

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
		"CallArgument must follow Entry_Args or CallArgument" },
	[XRAY_BUFFER_EXTENTS] = { XRAY_AFTER_EXTENTS, 2, XRAY_VERSION_MAX,
		"BufferExtents must not occur before version 2",
		"BufferExtents must not occur within a buffer" },
	[XRAY_TYPED_EVENT] = { XRAY_BODY, 1, XRAY_VERSION_MAX, NULL, NULL },
	[XRAY_PID] = { XRAY_AFTER_PID, 3, XRAY_VERSION_MAX, "Pid must not occur before version 3",
		"Pid must not occur but after WallClockTime" },
	[XRAY_FUNCTION] = { XRAY_BODY, 1, XRAY_VERSION_MAX, NULL, NULL },
};

const char *xray_grammar(unsigned int version, enum xray_state *state, unsigned int kind)
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

const char *xray_grammar_end(enum xray_state state)
{
	if (state == XRAY_BODY || state == XRAY_ARGS)
		return NULL;
	return "a buffer must not end before its first NewCPUId";
}
