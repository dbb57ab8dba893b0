/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_SIDES_H
#define OVNIK_DECODE_SIDES_H

#include "decode/captures.h"
#include "decode/decode.h"

#define SIDES	2

/**
 * sides_run() - Decode the captures of two sides, and compare them.
 * @opt: what to do; its outputs are closed when it returns
 * @sides: the captures of each side; SIDES of them
 *
 * Results and problems are reported on stderr. If a capture cannot be decoded, nothing is compared.
 *
 * Context: Once for @opt.
 * Return: how it went: the worst of all captures.
 */
enum decode_status sides_run(const struct decode_options *opt, const struct captures *sides);

#endif /* OVNIK_DECODE_SIDES_H */
