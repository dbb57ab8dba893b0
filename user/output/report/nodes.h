/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_REPORT_NODES_H
#define OVNIK_OUTPUT_REPORT_NODES_H

#include <stdio.h>

#include "output/report/report.h"
#include "world/facts.h"

/* The report of several nodes: their captures one after the other, then tables over all. */
struct report_nodes;

/**
 * report_nodes_add() - Add what a report has of a node.
 * @nodes: NULL at first; report_nodes_free() frees it
 * @r: the report, after its last pass
 * @facts: of that pass
 *
 * Return: 0, a negative errno (reported); -EEXIST: the node is there already.
 */
int report_nodes_add(struct report_nodes **nodes, struct report *r, const struct facts *facts)
	__must_check;

/**
 * report_nodes_write() - Write the report.
 * @nodes: the nodes, at least one
 * @opt: what to do
 * @f: where to
 *
 * Return: 0, a negative errno (reported).
 */
int report_nodes_write(struct report_nodes *nodes, const struct report_options *opt, FILE *f)
	__must_check;

/**
 * report_nodes_free() - Free the nodes.
 * @nodes: the nodes, or NULL
 */
void report_nodes_free(struct report_nodes *nodes);

#endif /* OVNIK_OUTPUT_REPORT_NODES_H */
