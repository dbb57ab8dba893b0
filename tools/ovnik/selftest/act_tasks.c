// SPDX-License-Identifier: GPL-2.0-only
/* Make threads and processes, run an image, end. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"

#define NAME		"ovnik-selftest"
#define EXIT_CODE	7

static void rename_self(void)
{
	struct span span;
	struct deed *deed;

	DO(&span, prctl(PR_SET_NAME, NAME));
	deed = EXPECT(task_comm, &span, "a thread gets another name",
		      KEY(task_comm, tid, gettid()), IS(task_comm, tgid, getpid()),
		      TEXT(task_comm, comm));
	deed_text(deed, NAME);
}

static void *note_tid(void *unused)
{
	deeds->tid = gettid();
	return unused;
}

/* pthread_join() returns before the thread's last moments. */
static void wait_until_gone(pid_t tid)
{
	char path[64];
	int i;

	snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
	for (i = 0; i < 2000 && !access(path, F_OK); i++)
		usleep(1000);
}

static void expect_new_task(const struct span *span, pid_t tid, pid_t tgid, bool thread)
{
	struct deed *deed;

	deed = EXPECT(task_fork, span, thread ? "a new thread" : "fork()",
		      KEY(task_fork, child_tid, tid), IS(task_fork, child_tgid, tgid),
		      IS(task_fork, parent_tid, gettid()), IS(task_fork, parent_tgid, getpid()),
		      IS(task_fork, flags, 0), SOME(task_fork, child_start),
		      TEXT(task_fork, child_comm));
	deed_text(deed, NAME);
	EXPECT(sched_wakeup_new, span, thread ? "a new thread" : "fork()",
	       KEY(sched_wakeup_new, tid, tid), IS(sched_wakeup_new, waker_tid, gettid()));
}

static bool make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, note_tid, NULL))
		return false;
	pthread_join(thread, NULL);
	wait_until_gone(deeds->tid);
	return true;
}

static void act_thread(void)
{
	struct span span;
	bool done;

	DO(&span, done = make_thread());
	if (!done)
		return;
	expect_new_task(&span, deeds->tid, getpid(), true);
	EXPECT(task_exit, &span, "a thread ends", KEY(task_exit, tid, deeds->tid),
	       IS(task_exit, tgid, getpid()), IS(task_exit, exit_code, 0));
}

static pid_t fork_and_wait(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(EXIT_CODE);
	return waitpid(pid, NULL, 0) == pid ? pid : -1;
}

static void act_fork(void)
{
	struct span span;
	char *page;
	pid_t pid;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return;
	DO(&span, pid = fork_and_wait());
	if (pid > 0) {
		expect_new_task(&span, pid, pid, false);
		EXPECT(task_mm, &span, "fork()", KEY(task_mm, tid, pid), IS(task_mm, tgid, pid),
		       IS(task_mm, reason, OVNIK_MM_FORK), SOME(task_mm, pgd),
		       MM(task_mm, mm, MM_FORKED));
		EXPECT(vma_dup, &span, "fork() copies a mapping",
		       KEY(vma_dup, start, page), IS(vma_dup, length, PAGE),
		       IS(vma_dup, flags, OVNIK_VMA_READ | OVNIK_VMA_WRITE | OVNIK_VMA_SHARED),
		       IS(vma_dup, offset, 0), MM(vma_dup, source_mm, MM_OWN),
		       MM(vma_dup, mm, MM_FORKED));
		EXPECT(task_exit, &span, "a process ends with 7", KEY(task_exit, tid, pid),
		       IS(task_exit, tgid, pid), IS(task_exit, exit_code, EXIT_CODE << 8));
		EXPECT(mm_exit, &span, "a process ends", SOME(mm_exit, pgd),
		       MM(mm_exit, mm, MM_FORKED));
	}
	munmap(page, PAGE);
}

static void *run_image(void *unused)
{
	char name[] = "ovnik", what[] = "version", *argv[] = { name, what, NULL };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	deeds->tid = gettid();
	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	execve("/proc/self/exe", argv, environ);
	return unused;
}

/* Not by its first thread, whose number the one that does it takes. */
static pid_t exec_and_wait(void)
{
	pid_t pid = fork();
	pthread_t thread;
	int status;

	if (!pid) {
		if (!pthread_create(&thread, NULL, run_image, NULL))
			pthread_join(thread, NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && !status ? pid : -1;
}

static void act_exec(void)
{
	char path[PATH_MAX] = "";
	struct deed *deed;
	struct span span;
	struct stat st;
	pid_t pid;

	DO(&span, pid = exec_and_wait());
	if (pid < 0 || readlink("/proc/self/exe", path, sizeof(path) - 1) < 0) {
		deed_untried(OVNIK_EV_task_exec, "this program cannot be run again");
		return;
	}
	deed = EXPECT(task_exec, &span, "a thread runs a new image", KEY(task_exec, tid, pid),
		      IS(task_exec, old_tid, deeds->tid), IS(task_exec, tgid, pid),
		      MM(task_exec, mm, MM_EXECED), TEXT_END(task_exec, filename));
	deed_text(deed, path);
	EXPECT(task_mm, &span, "a process runs a new image", KEY(task_mm, tid, pid),
	       KEY(task_mm, reason, OVNIK_MM_EXEC), IS(task_mm, tgid, pid),
	       MM(task_mm, mm, MM_EXECED));
	if (!stat("/proc/self/exe", &st) && act_plain("/proc/self/exe"))
		EXPECT(task_exec, &span, "the file of a new image", KEY(task_exec, tid, pid),
		       IS(task_exec, ino, st.st_ino), IS(task_exec, dev, act_dev(st.st_dev)));
}

/**
 * act_tasks() - Make threads and processes, and end them.
 */
void act_tasks(void)
{
	rename_self();
	act_thread();
	act_fork();
	act_exec();
}
