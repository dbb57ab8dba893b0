/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_VERSION_H
#define OVNIK_UTIL_VERSION_H

#define OVNIK_VERSION "0.1"

#endif /* OVNIK_UTIL_VERSION_H */
