/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_SEVERAL_H
#define OVNIK_DECODE_SEVERAL_H

#include "decode/captures.h"
#include "decode/decode.h"

/**
 * several_run() - Decode the captures of several nodes for a command.
 * @opt: what to do; its outputs are closed when it returns
 * @captures: the captures
 *
 * What cannot be decoded is reported and left out.
 *
 * Context: Once for @opt.
 * Return: DECODE_FAILED if no capture could be decoded; DECODE_DAMAGED if one was left out;
 * otherwise the worst of what there was.
 */
enum decode_status several_run(const struct decode_options *opt, const struct captures *captures);

#endif /* OVNIK_DECODE_SEVERAL_H */
