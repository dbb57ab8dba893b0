/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BACKEND_H
#define OVNIK_TOOL_BACKEND_H

#include "control.h"
#include "reader.h"

struct json_object;

/**
 * struct backend - What records.
 * @name:	   as the user and meta.json have it
 * @present:	   is it there already, so that it can be asked?
 * @check:	   can it be used at all? Reports why not
 * @may_record:	   may this user? Reports why not
 * @read:	   a setting or figure as text without newline; reports errors
 * @write:	   a setting; reports errors
 * @explain_start: say more of why "enable" could not be set, or NULL
 * @prepare:	   get ready to record with what was set
 * @end:	   undo that
 * @describe:	   add to meta.json what only this back end has, or NULL; returns how
 *		   often a probe did not run
 * @lock:	   nobody else records or reads from now on
 * @keep:	   let the capture go on when this program ends
 * @remove:	   what @keep left behind
 * @source:	   of its sub-buffers
 *
 * Settings and figures have the names of the module's files in sysfs. Functions
 * that return int return 0 or a negative errno.
 */
struct backend {
	const char *name;
	bool (*present)(void);
	int (*check)(void);
	int (*may_record)(void);
	int (*read)(const char *name, char text[CONTROL_TEXT]);
	int (*write)(const char *name, const char *value);
	void (*explain_start)(int error);
	int (*prepare)(void);
	void (*end)(void);
	u64 (*describe)(struct json_object *meta);
	int (*lock)(void);
	int (*keep)(void);
	int (*remove)(void);
	const struct source *source;
};

extern const struct backend backend_module;
extern const struct backend backend_bpf;

/* The one that is in use; see control_select(). */
extern const struct backend *backend;

#endif /* OVNIK_TOOL_BACKEND_H */
