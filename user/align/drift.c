// SPDX-License-Identifier: GPL-2.0-only
/* Clocks that drift between two measurements. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "align/drift.h"
#include "capture/clock.h"
#include "util/msg.h"

/* NTP slews a clock by 500 ppm at most, and another one the other way. */
#define DRIFT_MAX	1000	/* a thousandth */
#define STD_MAX		1000000	/* messages take microseconds */

static const struct ovni_offset *find(const struct ovni_offsets *t, const char *host)
{
	u32 i;

	for (i = 0; i < t->n; i++) {
		if (!strcmp(t->offset[i].host, host))
			return &t->offset[i];
	}
	return NULL;
}

static int check_hosts(const struct ovni_offsets *t, const struct ovni_offsets *other)
{
	u32 i;

	for (i = 0; i < t->n; i++) {
		if (find(other, t->offset[i].host))
			continue;
		msg_error("%s: line %u: host %s is not in %s", t->path, t->offset[i].line,
			  t->offset[i].host, other->path);
		return -EINVAL;
	}
	return 0;
}

/* May the offset of a node have changed so much in @over ns? */
static int check_spread(const struct drift *d, const struct ovni_offset *a,
			const struct ovni_offset *b, s64 over)
{
	double by = (double)b->ns - (double)a->ns;
	double errors = d->before.timed ? d->before.within + d->after.within :
			3 * (a->std + b->std);

	if (by <= (double)over / DRIFT_MAX + errors && -by <= (double)over / DRIFT_MAX + errors)
		return 0;
	msg_error("%s: line %u: in %lld ns the offset of %s has changed by %.0f ns since %s: no clock drifts that much, one of the tables is wrong",
		  d->after.path, b->line, (long long)over, b->host, by, d->before.path);
	return -ERANGE;
}

static int check_spreads(const struct drift *d)
{
	const struct ovni_offset *a;
	int ret = 0;
	u32 i;

	for (i = 0; i < d->before.n && !ret; i++) {
		a = &d->before.offset[i];
		ret = check_spread(d, a, find(&d->after, a->host), d->after.at - d->before.at);
	}
	return ret;
}

static int check(const struct drift *d)
{
	const char *before = d->before.path, *after = d->after.path;
	int ret;

	ret = check_hosts(&d->before, &d->after);
	if (!ret)
		ret = check_hosts(&d->after, &d->before);
	if (ret)
		return ret;
	if (strcmp(d->before.offset[0].host, d->after.offset[0].host)) {
		msg_error("%s: its offsets are to the clock of %s, but those in %s to that of %s",
			  after, d->after.offset[0].host, before, d->before.offset[0].host);
		return -EINVAL;
	}
	if (d->before.timed != d->after.timed) {
		msg_error("%s: does not say when it was measured (at=), as %s does",
			  d->before.timed ? after : before, d->before.timed ? before : after);
		return -EINVAL;
	}
	if (!d->before.timed)
		return 0;
	if (d->after.at <= d->before.at) {
		msg_error("%s: was not measured after %s", after, before);
		return -EINVAL;
	}
	return check_spreads(d);
}

int drift_load(struct drift *d, const char *before, const char *after)
{
	int ret;

	ret = ovni_offsets_load(&d->before, before);
	if (ret || !after)
		return ret;
	ret = ovni_offsets_load(&d->after, after);
	return ret ? ret : check(d);
}

/* The drift is that between the tables, but who knows for how long it is. */
static void warn_outside(const struct drift *d, const char *loom, const struct clock_bend *bend,
			 u64 begin, u64 end)
{
	if ((s64)begin < bend->from - bend->over || (s64)end > bend->from + 2 * bend->over)
		msg_warn("node %s: was recorded long before %s was measured, or long after %s: the drift may have been different then",
			 loom, d->before.path, d->after.path);
}

int drift_of(struct drift *d, const char *loom, u64 begin, u64 end, struct clock_bend *bend)
{
	const struct ovni_offset *a = ovni_offsets_of(&d->before, loom);
	const struct ovni_offset *b = ovni_offsets_of(&d->after, loom);

	memset(bend, 0, sizeof(*bend));
	if (!a || !b)
		return 0;
	bend->by = b->ns - a->ns;
	if (!d->before.timed) {
		bend->from = begin;
		bend->over = end - begin;
		return check_spread(d, a, b, bend->over);
	}
	bend->from = d->before.at - a->ns;
	bend->over = d->after.at - b->ns - bend->from;
	warn_outside(d, loom, bend, begin, end);
	return 0;
}

/* In ppb; of tables that do not say when they were measured nobody knows. */
static u64 most_drift(const struct drift *d)
{
	double most = 0, rate;
	u32 i;

	for (i = 0; i < d->before.n; i++) {
		const struct ovni_offset *a = &d->before.offset[i];

		rate = (double)llabs(find(&d->after, a->host)->ns - a->ns) /
		       (double)(d->after.at - d->before.at) * 1e9;
		most = rate > most ? rate : most;
	}
	return most;
}

static void report_one(const struct ovni_offsets *t)
{
	double std = 0;
	u32 i;

	if (t->timed) {
		msg_info("clocks: aligned by %s: two nodes differed by at most %lld ns when it was measured",
			 t->path, (long long)t->within);
		return;
	}
	for (i = 0; i < t->n; i++) {
		if (t->offset[i].used && t->offset[i].std > std)
			std = t->offset[i].std;
	}
	if (std <= STD_MAX)
		msg_info("clocks: aligned by %s, whose standard deviation is at most %.0f ns",
			 t->path, std);
	else
		msg_warn("clocks: aligned by %s, whose standard deviation is %.0f ns: messages take microseconds, so nodes may be that far apart; measure it again",
			 t->path, std);
}

void drift_report(const struct drift *d)
{
	s64 within = d->before.within > d->after.within ? d->before.within : d->after.within;
	u64 ppb;

	if (!d->after.n) {
		report_one(&d->before);
		return;
	}
	if (!d->before.timed) {
		msg_info("clocks: aligned by %s and %s, taken as measured when each capture began and ended",
			 d->before.path, d->after.path);
		return;
	}
	ppb = most_drift(d);
	msg_info("clocks: aligned by %s and %s: a drift of at most %llu.%03llu ppm is corrected; two nodes differed by at most %lld ns when they were measured",
		 d->before.path, d->after.path, ppb / 1000, ppb % 1000, (long long)within);
}

void drift_free(struct drift *d)
{
	ovni_offsets_free(&d->before);
	ovni_offsets_free(&d->after);
}
