/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_LABEL_H
#define OVNIK_TRACE_LABEL_H

#include "util/types.h"

/**
 * struct ovni_label - The label of a value.
 * @value: value
 * @text: label, in metadata of a mark and in the PCF
 */
struct ovni_label {
	s64 value;
	const char *text;
};

#endif /* OVNIK_TRACE_LABEL_H */
