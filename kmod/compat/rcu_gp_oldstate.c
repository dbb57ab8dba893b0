// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>

void probe(struct rcu_gp_oldstate *state);
void probe(struct rcu_gp_oldstate *state)
{
	state->rgos_norm = 0;
}
