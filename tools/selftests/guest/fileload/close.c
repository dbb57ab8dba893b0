// SPDX-License-Identifier: GPL-2.0-only
/* Close files in every way. */

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../common/fileact.h"
#include "actor.h"
#include "names.h"

static void close_copies(void)
{
	int fd = open_file(in_root("name"), O_RDWR), copy = dup(fd), other, third;
	struct log_entry *entry;

	close(fd);
	third = fcntl(copy, F_DUPFD_CLOEXEC, 20);
	close(copy);
	close_file(third);
	fd = open_file(in_root("name"), O_RDONLY);
	other = open_file(in_root("name"), O_WRONLY | O_APPEND);
	/* The flags may change meanwhile. */
	fcntl(other, F_SETFL, O_NONBLOCK);
	entry = expect_close(other);
	must(dup2(fd, other) == other, "dup2");
	entry->end = now();
	close(fd);
	close_file(other);
}

static void close_mapped(void)
{
	int fd = open_file(in_root("name"), O_RDWR);
	struct log_entry *entry;
	void *map;

	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED, "mmap");
	entry = expect_close(fd);
	close(fd);
	entry->begin = now();
	munmap(map, 4096);
	entry->end = now();
}

/* A file in a socket that is never read. */
static void close_in_flight(void)
{
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct log_entry *entry;
	int pair[2], fd;

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	fd = open_file(in_root("name"), O_RDONLY);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	must_be(sendmsg(pair[0], &msg, 0), 1, "sendmsg");
	entry = expect_close(fd);
	close(fd);
	close(pair[0]);
	entry->begin = now();
	close(pair[1]);
	entry->end = now();
}

int handed_down;

void give_turn(void)
{
	__atomic_store_n(&filelog->turn, 1, __ATOMIC_SEQ_CST);
}

void wait_turn(void)
{
	while (!__atomic_exchange_n(&filelog->turn, 0, __ATOMIC_SEQ_CST))
		usleep(1000);
}

static void act_child_last(void)
{
	struct log_entry *entry = expect_close(handed_down);

	wait_turn();
	entry->begin = now();
	close(handed_down);
	entry->end = now();
}

static void act_child_first(void)
{
	close(handed_down);
}

/* It ends with the file open, which its parent has not any more. */
static void act_child_exit(void)
{
	expect_close(handed_down);
	wait_turn();
}

static void act_child_killed(void)
{
	expect_close(handed_down);
	wait_turn();
	raise(SIGKILL);
}

static void close_shared(void)
{
	pid_t pid;
	int status;

	handed_down = open_file(in_root("name"), O_RDONLY);
	run_actor(act_child_first, "child");
	close_file(handed_down);
	handed_down = open_file(in_root("name"), O_RDONLY);
	pid = start_actor(act_child_last);
	close(handed_down);
	give_turn();
	wait_for(pid, "child");
	handed_down = open_file(in_root("name"), O_RDONLY);
	pid = start_actor(act_child_exit);
	close(handed_down);
	give_turn();
	wait_for(pid, "child");
	handed_down = open_file(in_root("name"), O_RDONLY);
	pid = start_actor(act_child_killed);
	close(handed_down);
	give_turn();
	must(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "killed");
}

/* One file goes with the exec, one with the exit, and so does the program itself. */
static void act_exec(void)
{
	struct identity id = identify_at(AT_FDCWD, in_root("program"), 0);
	struct log_entry *entry;
	int stays, goes;

	goes = open_file(in_root("name"), O_RDONLY | O_CLOEXEC);
	stays = open_file(in_root("name"), O_RDWR);
	expect_close(goes);
	expect_close(stays);
	entry = note(LOG_CLOSE, &id, now());
	entry->end = ~0ULL;
	entry->flags |= LOG_ANY_MODE;
	entry = note(LOG_OPEN, &id, now());
	entry->end = ~0ULL;
	entry->flags |= LOG_ANY_MODE;
	entry->text = add_text(in_root("program"));
	execl(in_root("program"), "program", "end", NULL);
	err(1, "exec");
}

void act_closes(void)
{
	close_copies();
	close_mapped();
	close_in_flight();
	close_shared();
	run_actor(act_exec, "exec");
}
