/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_NODES_H
#define OVNIK_DECODE_NODES_H

#include "decode/captures.h"
#include "decode/decode.h"

/**
 * nodes_run() - Decode the captures of several nodes to one trace.
 * @opt: what to do; its outputs have nodes()
 * @captures: of different nodes
 *
 * Some at a time, each in a process of its own. What cannot be read, and what is of a node
 * that an earlier one is of, is reported and left out.
 *
 * Context: Once for @opt, no other thread runs.
 * Return: DECODE_FAILED if no capture could be decoded; DECODE_DAMAGED if one was left out;
 * otherwise the worst of what there was.
 */
enum decode_status nodes_run(const struct decode_options *opt, const struct captures *captures);

#endif /* OVNIK_DECODE_NODES_H */
