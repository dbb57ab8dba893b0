// SPDX-License-Identifier: GPL-2.0-only
/*
 * "ovnik selftest": a child does one known thing of every kind that is recorded, and the record is
 * compared with that. It knows nothing of hooks, only of what programs do: a hook that this
 * kernel's compiler made useless is found by what it does not record.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <json-c/json.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"
#include "backend.h"
#include "capture/events.h"
#include "check.h"
#include "deed.h"
#include "group.h"
#include "kept.h"
#include "place.h"
#include "record.h"
#include "result.h"
#include "selftest.h"
#include "signals.h"
#include "system.h"
#include "util/json_compat.h"
#include "util/msg.h"

/* How long the child may take; it needs milliseconds. */
#define LIMIT_S		60

/* What is wrong is wrong each time; what comes once was another program's doing. */
#define TRIES		3

static struct act act;

/* What cannot be done on the user's machine, or is of no use. */
static const struct untried left_out[] = {
	{ OVNIK_EV_anchor, "it comes when 32 bits of the TSC have run out" },
	{ OVNIK_EV_cpu_hotplug, "it would take a CPU off line" },
};

/* In the child. It ends also where nobody waits for it any more. */
static int act_all(void)
{
	const struct act_place *place = *act.disk.dir ? &act.disk : &act.memory;

	alarm(LIMIT_S);
	group_enter();
	act_before(&act);
	act_sched();
	act_tasks();
	act_memory(place);
	act_faults(place);
	if (*place->dir) {
		act_files(place);
		act_requests(place);
	} else {
		deed_untried(OVNIK_EV_file_open, "no directory on a disk or tmpfs is known");
	}
	if (*act.memory.dir)
		act_cache(&act.memory, "a file of tmpfs", false);
	if (*act.disk.dir)
		act_cache(&act.disk, "a file", true);
	else
		deed_untried(OVNIK_EV_page_add,
			     "a file of a disk: no directory on ext4, XFS or F2FS is known");
	act_device(act.device);
	deeds->done = true;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/**
 * struct outcome - What a test has found.
 * @verdicts: by event number
 * @lacks: events that the back end says it cannot record; they are not judged
 */
struct outcome {
	struct verdict verdicts[OVNIK_NR_EVENTS];
	u64 lacks;
};

/* Record the child into @dir, and compare. */
static int record_and_check(const char *dir, struct outcome *outcome)
{
	struct record_options options = {
		.settings = SETTINGS_DEFAULT, .dir = dir, .follow = true, .work = act_all,
		.lacks = &outcome->lacks, .quiet = true,
	};

	if (record(&options))
		return -EIO;
	if (!deeds->done || deeds->full) {
		msg_error("the selftest has not come to its end");
		return -EPROTO;
	}
	return check_capture(dir, outcome->verdicts);
}

static int try_in(const char *dir, struct outcome *outcome)
{
	char path[PATH_MAX];
	int ret;

	memset(deeds, 0, sizeof(*deeds));
	place_make(&act);
	group_make();
	snprintf(path, sizeof(path), "%s/capture", dir);
	ret = record_and_check(path, outcome);
	group_remove();
	place_remove(&act);
	return ret;
}

static int try(struct outcome *outcome)
{
	char dir[] = "/run/ovnik-selftest.XXXXXX", other[] = "/tmp/ovnik-selftest.XXXXXX";
	char *made = mkdtemp(dir) ?: mkdtemp(other);
	int ret;

	if (!made) {
		msg_error("/run, /tmp: %s", strerror(errno));
		return -errno;
	}
	ret = try_in(made, outcome);
	nftw(made, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return ret;
}

static bool has_fault(const struct outcome *outcome)
{
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (*outcome->verdicts[i].says && !(outcome->lacks >> i & 1))
			return true;
	}
	return false;
}

/* Take back what was found with events that @again finds nothing wrong with. */
static void forgive(struct outcome *outcome, const struct outcome *again)
{
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (!*again->verdicts[i].says)
			outcome->verdicts[i] = again->verdicts[i];
	}
}

static int run(struct outcome *outcome)
{
	int ret = try(outcome), i;

	for (i = 1; !ret && i < TRIES && has_fault(outcome); i++) {
		struct outcome again = { .lacks = 0 };

		ret = try(&again);
		if (!ret)
			forgive(outcome, &again);
	}
	return ret;
}

static void add_text(struct json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

static void add_number(struct json_object *to, const char *key, u64 value)
{
	json_object_object_add(to, key, json_from_u64(value));
}

static struct json_object *describe_verdict(unsigned int event, const struct verdict *verdict)
{
	struct json_object *one = json_object_new_object();

	add_text(one, "event", event_table[event].name);
	add_number(one, "tried", verdict->tried);
	add_number(one, "missing", verdict->missing);
	add_number(one, "doubled", verdict->doubled);
	add_number(one, "wrong", verdict->wrong);
	add_text(one, "says", verdict->says);
	return one;
}

static void describe_untried(struct json_object *list, const struct untried *untried, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		struct json_object *one = json_object_new_object();

		add_text(one, "event", event_table[untried[i].event].name);
		add_text(one, "why", untried[i].why);
		json_object_array_add(list, one);
	}
}

static bool is_named(unsigned int event)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(left_out); i++) {
		if (left_out[i].event == event)
			return true;
	}
	for (i = 0; i < deeds->nr_untried; i++) {
		if (deeds->untried[i].event == event)
			return true;
	}
	return false;
}

/* Also what had to be left out without a word, as a process may not fork. */
static void name_untried(const struct outcome *outcome)
{
	unsigned int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name && !outcome->verdicts[i].tried &&
		    !(outcome->lacks >> i & 1) && !is_named(i))
			deed_untried(i, "it cannot be done here");
	}
}

/* An event that the back end does not record, as it says itself, is not judged. */
static struct json_object *describe(const struct outcome *outcome)
{
	struct json_object *result = json_object_new_object();
	struct json_object *events = json_object_new_array();
	struct json_object *untried = json_object_new_array();
	unsigned int i;

	kept_key(result);
	json_object_object_add(result, "events", events);
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		const struct verdict *verdict = &outcome->verdicts[i];

		if (verdict->tried && !(outcome->lacks >> i & 1))
			json_object_array_add(events, describe_verdict(i, verdict));
	}
	name_untried(outcome);
	json_object_object_add(result, "untried", untried);
	describe_untried(untried, left_out, ARRAY_SIZE(left_out));
	describe_untried(untried, deeds->untried, deeds->nr_untried);
	return result;
}

/* In a process of its own, which ends with this: write the result to @fd. */
static void __attribute__((noreturn)) test_and_exit(int fd, pid_t asked_by, bool silent)
{
	struct outcome outcome = { .lacks = 0 };
	struct json_object *result;
	struct signals signals;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	msg_problems_only();
	/* What is refused is refused to the user's recording, too, which says so. */
	if (silent)
		msg_end();
	/* None may come before the recording takes care of them: something would be left. */
	signals_block(&signals);
	if (getppid() != asked_by || deeds_begin() || run(&outcome))
		_exit(EXIT_FAILED);
	result = describe(&outcome);
	json_object_to_fd(fd, result, JSON_C_TO_STRING_PRETTY);
	_exit(EXIT_OK);
}

/*
 * A recording changes signals and what the back end knows of the kernel, for the process's whole
 * life: the user's must not find that.
 *
 * @silent: errors are not reported
 *
 * Return: what was found; NULL after an error, which has been reported.
 */
static struct json_object *find_out(bool silent)
{
	struct json_object *result;
	int ends[2], status;
	pid_t pid, self = getpid();

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	pid = fork();
	if (!pid)
		test_and_exit(ends[1], self, silent);
	close(ends[1]);
	result = pid < 0 ? NULL : json_object_from_fd(ends[0]);
	close(ends[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		json_object_put(result);
		return NULL;
	}
	return result;
}

static void print_fault(const char *event, const char *says, void *data)
{
	fprintf(data, "%s: %s\n", event, says);
}

static void warn_of_fault(const char *event, const char *says, void *data)
{
	(void)data;
	msg_warn("%s: %s", event, says);
}

static void say_nothing(const char *event, const char *says, void *data)
{
	(void)event;
	(void)says;
	(void)data;
}

static void print(struct json_object *result)
{
	struct json_object *list, *one;
	unsigned int faults;
	size_t i, nr;

	printf("%s on Linux %s\n", backend->name, result_text(result, "kernel"));
	result_list(result, "events", &nr);
	faults = result_each_fault(result, print_fault, stdout);
	printf("%zu events tried, %zu recorded as they should\n", nr, nr - faults);
	list = result_list(result, "untried", &nr);
	for (i = 0; i < nr; i++) {
		one = json_object_array_get_idx(list, i);
		printf("not tried: %s: %s\n", result_text(one, "event"), result_text(one, "why"));
	}
}

static bool may_test(void)
{
	if (system_has_global_pids())
		return true;
	msg_info("no selftest in a PID namespace: records have the PIDs of the initial one");
	return false;
}

/**
 * selftest() - Test what the back end records on this kernel, and keep the result.
 * @json: print it as JSON
 *
 * Return: the exit status.
 */
int selftest(bool json)
{
	struct json_object *result = may_test() ? find_out(false) : NULL;
	bool faults;

	if (!result)
		return EXIT_FAILED;
	faults = result_each_fault(result, say_nothing, NULL);
	if (json)
		puts(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PRETTY));
	else
		print(result);
	kept_write(result);
	return faults ? EXIT_LOST : EXIT_OK;
}

/* Has the user ended it? Both processes get the signal of a key, but not kill(1)'s. */
static bool was_interrupted(const struct signals *signals)
{
	if (!signals_pending(signals))
		return false;
	msg_error("interrupted before anything was recorded");
	return true;
}

/**
 * selftest_once() - Test it, unless that was done.
 *
 * The user's recording goes on whatever is found.
 *
 * Return: 0; -EINTR if the user has ended it, which has been reported.
 */
int selftest_once(void)
{
	struct json_object *result;
	struct signals signals;

	if (kept_read() || !may_test())
		return 0;
	msg_info("the first recording by %s on this kernel: testing what it records (--no-selftest leaves this out)",
		 backend->name);
	signals_block(&signals);
	result = find_out(true);
	/* It stays blocked: what ends this program is its exit status. */
	if (was_interrupted(&signals)) {
		json_object_put(result);
		return -EINTR;
	}
	signals_restore(&signals);
	if (!result) {
		msg_warn("the selftest has failed, so it is unknown whether everything is recorded: \"ovnik selftest\" says why");
		return 0;
	}
	result_each_fault(result, warn_of_fault, NULL);
	kept_write(result);
	return 0;
}
