// SPDX-License-Identifier: GPL-2.0-only
/* Report how a program's logs were merged. */
#include "util/msg.h"
#include "merge/app.h"

#define PLURAL(n)	((n) == 1 ? "" : "s")
#define NS		1000000000.0

static void report_rate(const struct xray_app *app, const struct xray_app_log *log)
{
	struct clock *clock = &app->cap->clock;
	u64 ns = clock_ns(clock, app->cap->end) - clock_ns(clock, app->cap->begin);
	double ours = (double)(app->cap->end - app->cap->begin) * NS / (double)(ns + !ns);
	double theirs = (double)log->log.header.frequency;

	if (!theirs || !ns || (theirs > 0.99 * ours && theirs < 1.01 * ours))
		return;
	msg_warn("merged: %s says that the TSC has %.3f MHz, the capture measured %.3f: durations that others take from the log are wrong, ours are not",
		 log->log.path, theirs / 1e6, ours / 1e6);
}

static void report_log(const struct xray_app *app, const struct xray_app_log *log)
{
	const struct xray_log *l = &log->log;

	msg_info("merged: %s: %llu call%s and %llu custom event%s of %u thread%s", l->path,
		 log->calls, PLURAL(log->calls), log->events, PLURAL(log->events), log->threads,
		 PLURAL(log->threads));
	if (log->known < log->threads)
		msg_warn("merged: %s: %u thread%s of it %s not in the capture: left out", l->path,
			 log->threads - log->known, PLURAL(log->threads - log->known),
			 log->threads - log->known == 1 ? "is" : "are");
	if (l->breaks)
		msg_warn("merged: %s: is damaged in %llu place%s, %llu byte%s lost; calls that were open at the end of a buffer are taken to end there",
			 l->path, l->breaks, PLURAL(l->breaks), l->lost_bytes,
			 l->lost_bytes == 1 ? " is" : "s are");
	if (log->foreign)
		msg_warn("merged: %s: %llu call%s of functions that %s does not have: is it another binary's log?",
			 l->path, log->foreign, PLURAL(log->foreign),
			 app->binaries[log->binary].path);
	report_rate(app, log);
}

static void report_calls(const struct xray_app_stats *stats)
{
	if (stats->unentered)
		msg_info("merged: %llu exit%s of functions whose entry is not in the log: left out",
			 stats->unentered, PLURAL(stats->unentered));
	if (stats->unleft)
		msg_info("merged: %llu call%s without exit: end with the function they are in, or with the log",
			 stats->unleft, PLURAL(stats->unleft));
	if (stats->folded)
		msg_warn("merged: %llu call%s too deep to be shown", stats->folded,
			 PLURAL(stats->folded));
	if (stats->crowded)
		msg_warn("merged: %llu call%s left out: too many different functions in one thread",
			 stats->crowded, PLURAL(stats->crowded));
}

void xray_app_report(const struct xray_app *app)
{
	const struct xray_app_stats *stats = &app->stats;
	u32 i;

	for (i = 0; i < app->nr_logs; i++)
		report_log(app, &app->logs[i]);
	report_calls(stats);
	if (stats->nobody)
		msg_warn("merged: %llu thread%s of logs whose numbers no thread has: left out",
			 stats->nobody, PLURAL(stats->nobody));
	if (stats->typed)
		msg_warn("merged: %llu typed event%s left out", stats->typed,
			 PLURAL(stats->typed));
	if (stats->unnamed)
		msg_warn("merged: functions are shown by number where the binary has no symbols of them: is it stripped?");
	if (stats->twice)
		msg_warn("merged: %llu buffer%s of logs within the time of others of the same thread: left out; was a log given twice?",
			 stats->twice, PLURAL(stats->twice));
	if (stats->back)
		msg_warn("merged: %llu record%s of logs whose clock goes back: moved to the one before",
			 stats->back, PLURAL(stats->back));
	if (stats->far)
		msg_warn("merged: %llu record%s of logs after the next buffer, or more than an hour before or after the capture: left out",
			 stats->far, PLURAL(stats->far));
}
