// SPDX-License-Identifier: GPL-2.0-only
/*
 * ovnik_spank.so - a plugin of Slurm: "srun --ovnik=DIR[,EVENTS]" records the nodes of a step
 *
 * With sbatch and salloc it is the option of each srun of the job, and of the batch script itself.
 *
 * Before the tasks of a node begin it starts spank-record, which lies beside it, and lets it end
 * when they have ended. Whatever goes wrong with that is said on the step's standard error, and is
 * no failure of the step.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

/* Slurm looks for these. */
#pragma GCC visibility push(default)

SPANK_PLUGIN(ovnik, 1)

#define PROGRAM		"spank-record"
#define BEGIN_MS	60000	/* it has begun by then, or the tasks begin without it */
#define END_MS		600000	/* the rest of the buffers is written, and has been handed over */
#define EVENTS_MAX	1024
#define GROUPS_TEXT	4096
#define NODE_MAX	256

/* What was asked for. */
static struct {
	char dir[PATH_MAX];
	char events[EVENTS_MAX];
} asked;

/**
 * struct recorder - The recorder of this node.
 * @hold: it records as long as this pipe is open
 * @said: the other end is open as long as it runs; it writes something when it records
 * @log: what it has to say
 * @pid: its process
 * @left: tasks that have not ended
 * @node: name of the node
 */
static struct recorder {
	int hold;
	int said;
	int log;
	pid_t pid;
	unsigned int left;
	char node[NODE_MAX];
} recorder = { .hold = -1, .said = -1, .log = -1 };

static int take_option(int val, const char *arg, int remote)
{
	size_t len = arg ? strcspn(arg, ",") : 0;

	(void)val;
	(void)remote;
	if (!len || len >= sizeof(asked.dir) || (arg[len] && !arg[len + 1]) ||
	    strlen(arg + len) > sizeof(asked.events)) {
		slurm_error("ovnik: --ovnik=DIR[,EVENTS]: \"%s\" is no directory with a list of events",
			    arg ? arg : "");
		return -1;
	}
	memcpy(asked.dir, arg, len);
	if (arg[len])
		snprintf(asked.events, sizeof(asked.events), "%s", arg + len + 1);
	return 0;
}

/*
 * A table of options would be srun's only. Slurm keeps what sbatch and salloc are given in the
 * job's environment, where srun and the batch script's step find it.
 */
int slurm_spank_init(spank_t sp, int ac, char **av)
{
	struct spank_option option = {
		"ovnik", "DIR[,EVENTS]",
		"record what the kernel does on each node of a step, all or these EVENTS; "
		"the captures are DIR/NODE", 1, 0, take_option
	};

	(void)ac;
	(void)av;
	return spank_option_register(sp, &option) == ESPANK_SUCCESS ? 0 : -1;
}

/* A line each, whatever it was that wrote them. */
static void tell_log(void)
{
	FILE *log = recorder.log < 0 ? NULL : fdopen(recorder.log, "r");
	char line[1024];

	if (!log)
		return;
	recorder.log = -1;
	rewind(log);
	while (fgets(line, sizeof(line), log)) {
		line[strcspn(line, "\n")] = '\0';
		slurm_spank_log("ovnik: %s: %s", recorder.node, line);
	}
	fclose(log);
}

static void tell(const char *what)
{
	slurm_spank_log("ovnik: %s: %s", recorder.node, what);
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* What Slurm calls it, in its own environment, not in that of the step. */
static void find_node(void)
{
	const char *name = getenv("SLURMD_NODENAME");

	if (name)
		snprintf(recorder.node, sizeof(recorder.node), "%s", name);
	else
		gethostname(recorder.node, sizeof(recorder.node) - 1);
}

/* Return: false if there are more than anybody has. */
static bool find_groups(spank_t sp, char *text, size_t size)
{
	size_t len = 0;
	gid_t *groups;
	int i, nr = 0;

	*text = '\0';
	if (spank_get_item(sp, S_JOB_SUPPLEMENTARY_GIDS, &groups, &nr) != ESPANK_SUCCESS)
		return true;
	for (i = 0; i < nr && len < size; i++)
		len += snprintf(text + len, size - len, "%s%u", i ? "," : "", groups[i]);
	return len < size;
}

/* As Slurm's own programs call it. */
static void name_step(char *name, size_t size, uint32_t job, uint32_t step)
{
	if (step == SLURM_BATCH_SCRIPT)
		snprintf(name, size, "%u.batch", job);
	else if (step == SLURM_INTERACTIVE_STEP)
		snprintf(name, size, "%u.interactive", job);
	else
		snprintf(name, size, "%u.%u", job, step);
}

/* It lies beside this plugin. */
static bool find_program(char *path, size_t size)
{
	const char *slash;
	Dl_info info;

	if (!dladdr(&asked, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	return slash && snprintf(path, size, "%.*s/" PROGRAM, (int)(slash - info.dli_fname),
				 info.dli_fname) < (int)size;
}

/* A session of its own: no signal to the tasks is for it. */
static int spawn_with(char **argv, int in, int out, int err)
{
	char *nothing = NULL;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	error = posix_spawn(&recorder.pid, argv[0], &files, &attr, argv, &nothing);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/* The byte in the pipe comes back when it records: cat is what it runs. */
static int spawn(char **argv)
{
	int hold[2] = { -1, -1 }, said[2] = { -1, -1 };
	int error = 0;

	recorder.log = memfd_create("ovnik", MFD_CLOEXEC);
	if (recorder.log < 0 || pipe2(hold, O_CLOEXEC) || pipe2(said, O_CLOEXEC) ||
	    write(hold[1], "\n", 1) != 1)
		error = errno;
	if (!error)
		error = spawn_with(argv, hold[0], said[1], recorder.log);
	close_one(&hold[0]);
	close_one(&said[1]);
	recorder.hold = hold[1];
	recorder.said = said[0];
	return error;
}

/* Return: 1 if it has said something, 0 at its end, -1 if it takes too long. */
static int listen_to(int ms)
{
	struct pollfd fd = { .fd = recorder.said, .events = POLLIN };
	char byte;
	int ret;

	do {
		ret = poll(&fd, 1, ms);
	} while (ret < 0 && errno == EINTR);
	if (ret <= 0)
		return -1;
	return read(recorder.said, &byte, 1) == 1;
}

/* It ends when nobody holds it. */
static void finish(void)
{
	int more;

	close_one(&recorder.hold);
	do {
		more = listen_to(END_MS);
	} while (more > 0);
	close_one(&recorder.said);
	tell_log();
	if (more < 0)
		tell("the recorder does not end; it is left running");
	/* Slurm may have seen its end already. */
	waitpid(recorder.pid, NULL, WNOHANG);
}

static void await_begin(void)
{
	int said = listen_to(BEGIN_MS);

	if (said > 0)
		return;
	close_one(&recorder.hold);
	close_one(&recorder.said);
	tell_log();
	close_one(&recorder.log);
	tell(said ? "the recorder has not begun within a minute: not recorded" : "not recorded");
}

/* By the words that follow the plugin in plugstack.conf: of what is not known, nothing is shown. */
static const char *private_by(int ac, char **av)
{
	const char *private = "private";
	int i;

	for (i = 0; i < ac; i++) {
		if (!strcmp(av[i], "private=no"))
			private = "";
		else
			slurm_spank_log("ovnik: %s: plugstack.conf: \"%s\" is not an argument of this plugin; the only one is private=no",
					recorder.node, av[i]);
	}
	return private;
}

static void start(spank_t sp, int ac, char **av)
{
	char program[PATH_MAX], uid_text[16], gid_text[16], name[32], groups[GROUPS_TEXT];
	char private[16];
	char *argv[10] = { program, uid_text, gid_text, groups, asked.dir, recorder.node, name,
			  asked.events, private, NULL };
	uint32_t job = 0, step = 0, tasks = 0;
	uid_t uid;
	gid_t gid;
	int error;

	find_node();
	if (spank_get_item(sp, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_GID, &gid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_ID, &job) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS ||
	    !find_groups(sp, groups, sizeof(groups)) || !find_program(program, sizeof(program))) {
		tell("not recorded: Slurm does not say whose step it is");
		return;
	}
	snprintf(uid_text, sizeof(uid_text), "%u", uid);
	snprintf(gid_text, sizeof(gid_text), "%u", gid);
	name_step(name, sizeof(name), job, step);
	snprintf(private, sizeof(private), "%s", private_by(ac, av));
	error = spawn(argv);
	if (error) {
		slurm_spank_log("ovnik: %s: not recorded: %s: %s", recorder.node, program,
				strerror(error));
		close_one(&recorder.hold);
		close_one(&recorder.said);
		close_one(&recorder.log);
		return;
	}
	recorder.left = tasks;
	await_begin();
}

/* Here the working directory is the step's. */
int slurm_spank_user_init(spank_t sp, int ac, char **av)
{
	char cwd[PATH_MAX], dir[PATH_MAX];

	(void)sp;
	(void)ac;
	(void)av;
	if (!asked.dir[0] || asked.dir[0] == '/')
		return 0;
	memcpy(dir, asked.dir, sizeof(dir));
	if (!getcwd(cwd, sizeof(cwd)) ||
	    snprintf(asked.dir, sizeof(asked.dir), "%s/%s", cwd, dir) >= (int)sizeof(asked.dir)) {
		slurm_spank_log("ovnik: not recorded: %s cannot be found from the working directory",
				dir);
		asked.dir[0] = '\0';
	}
	return 0;
}

/* As root, when all tasks of the node are forked, and none runs its program yet. */
int slurm_spank_task_post_fork(spank_t sp, int ac, char **av)
{
	static bool done;

	if (asked.dir[0] && !done)
		start(sp, ac, av);
	done = true;
	return 0;
}

int slurm_spank_task_exit(spank_t sp, int ac, char **av)
{
	(void)sp;
	(void)ac;
	(void)av;
	if (recorder.hold >= 0 && !--recorder.left)
		finish();
	return 0;
}

/* If a task has ended without a word. */
int slurm_spank_exit(spank_t sp, int ac, char **av)
{
	(void)sp;
	(void)ac;
	(void)av;
	if (recorder.hold >= 0)
		finish();
	return 0;
}

#pragma GCC visibility pop
