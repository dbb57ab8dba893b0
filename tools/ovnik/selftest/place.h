/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_PLACE_H
#define OVNIK_SELFTEST_PLACE_H

#include "act.h"

void place_make(struct act *act);
void place_remove(struct act *act);

#endif /* OVNIK_SELFTEST_PLACE_H */
