/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_GROUP_H
#define OVNIK_SELFTEST_GROUP_H

void group_make(void);
void group_enter(void);
void group_remove(void);

#endif /* OVNIK_SELFTEST_GROUP_H */
