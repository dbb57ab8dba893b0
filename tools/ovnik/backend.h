/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BACKEND_H
#define OVNIK_TOOL_BACKEND_H

#include "control.h"
#include "reader.h"

struct json_object;

/**
 * struct backend - What records the events: the module or the BPF probes.
 * @name:	   name for the user and meta.json
 * @present:	   is it loaded?
 * @check:	   can it be used? Reports why not
 * @may_record:	   may this user record? Reports why not
 * @read:	   read a setting or figure as text without newline; reports errors
 * @write:	   change a setting; reports errors
 * @explain_start: explain why "enable" could not be set, or NULL
 * @prepare:	   get ready to record with the current settings
 * @end:	   undo @prepare
 * @describe:	   add back-end specific data to meta.json, or NULL; returns the number
 *		   of missed runs of probes
 * @lock:	   keep other programs from recording and reading
 * @keep:	   let the capture go on when this program ends
 * @remove:	   remove what @keep left
 * @source:	   functions that read its sub-buffers
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

/* The back end in use; control_select() sets it. */
extern const struct backend *backend;

#endif /* OVNIK_TOOL_BACKEND_H */
