/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_MAPLOAD_H
#define GUEST_MAPLOAD_H

/* What the parts of mapload share: the processes of the load and the calls they make. */

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#define PAGE		4096UL
#define FILE_PAGES	128U
#define SEGMENTS	4U
#define SLOTS		8U	/* processes at a time */
#define PROCESSES	4U	/* at the start */
#define RACERS		2U	/* threads of a process, besides its first */
#define OWN		6U	/* mappings at a place of the kernel's choice, a thread */

enum state {
	FREE,
	STARTING,	/* its parent has taken the slot */
	LIVE,
	LEAVING,	/* it ends */
};

/**
 * struct slot - A process of the load.
 * @state:   enum state
 * @pid:     of it
 * @threads: that have to stop
 * @arrived: have stopped, at this checkpoint and, by turns, at the next
 */
struct slot {
	__u32 state;
	pid_t pid;
	__u32 threads;
	__u32 arrived[2];
};

#define OPERATIONS(OP)	\
	OP(map, 28)	\
	OP(map_anywhere, 6)	\
	OP(unmap, 10)	\
	OP(unmap_own, 4)	\
	OP(protect, 16)	\
	OP(protect_own, 3)	\
	OP(remap, 12)	\
	OP(remap_grow, 4)	\
	OP(remap_own, 3)	\
	OP(brk, 8)	\
	OP(advise, 8)	\
	OP(attach, 4)	\
	OP(detach, 4)	\
	OP(remap_file, 3)	\
	OP(touch, 10)	\
	OP(lock, 2)	\
	OP(huge, 2)

/* Of the first thread of a process only. */
#define LIVES(OP)	\
	OP(fork, 40)	\
	OP(spawn, 20)	\
	OP(exec, 20)	\
	OP(leave, 30)	\
	OP(deepen, 30)	\
	OP(personality, 10)

#define OP_NUMBER(name, weight)	OP_##name,
enum operation {
	OPERATIONS(OP_NUMBER)
	LIVES(OP_NUMBER)
	NR_OPERATIONS
};

/**
 * struct control - Shared by all, at CONTROL_AT, in the file DIR/control.
 * @phase:	odd: all threads stop; a futex
 * @controller:	without it the others end
 * @made:	processes so far, for each to be different
 * @taken:	how often a slot was taken
 * @seed:	of the whole run
 * @segment:	System V segments
 * @slot:	the processes
 * @done:	calls that succeeded
 * @failed:	and that did not
 */
struct control {
	__u32 phase;
	pid_t controller;
	__u32 made;
	__u32 taken;
	__u32 seed;
	int segment[SEGMENTS];
	struct slot slot[SLOTS];
	__u64 done[NR_OPERATIONS];
	__u64 failed[NR_OPERATIONS];
};

/**
 * struct worker - A thread.
 * @random: state of its generator
 * @first:  of its process
 * @own:    what it has mapped where the kernel chose: nobody else may touch that, for
 *	    when it is gone something of the C library's may be there
 */
struct worker {
	__u64 random;
	bool first;
	struct {
		unsigned long at;
		unsigned long len;
	} own[OWN];
};

extern struct control *control;
extern const char *dir;
extern char self[256];

/* Of this process. */
extern struct slot *slot;
extern int file_rw, file_ro, zero, sealed;
extern unsigned long heap;
extern struct worker workers[RACERS + 1];

/* NAME_call() makes one call; -1: it failed. */
#define OP_CALL(name, weight)	long name##_call(struct worker *w);
OPERATIONS(OP_CALL)
LIVES(OP_CALL)

/**
 * pick() - Return a random number below @n.
 * @w: its generator is used
 * @n: not 0
 */
unsigned int pick(struct worker *w, unsigned int n);

/**
 * futex() - Call futex().
 * @word: the futex
 * @op: FUTEX_*
 * @value: expected value, or how many to wake
 * @limit: how long to wait; NULL: forever
 */
long futex(__u32 *word, int op, __u32 value, const struct timespec *limit);

/**
 * take_slot() - Reserve a slot for a new process.
 *
 * Return: the slot; NULL if all are taken
 */
struct slot *take_slot(void);

/**
 * set_state() - Set the state of a slot.
 * @s: the slot
 * @state: enum state
 */
void set_state(struct slot *s, __u32 state);

/**
 * live_in() - Begin the life of this process: it is new, or has a new image.
 * @mine: its slot
 */
void live_in(struct slot *mine);

/**
 * work() - Make calls, and stop at each checkpoint, until the controller is gone.
 * @arg: struct worker
 */
void *work(void *arg);

/**
 * map_control() - Map the file DIR/control.
 */
void map_control(void);

/**
 * prepare_image() - Open what is to be mapped, and find the heap.
 */
void prepare_image(void);

/**
 * run_image() - Be the process that execve() or spawn made.
 * @number: of its slot
 */
int run_image(const char *number);

#endif /* GUEST_MAPLOAD_H */
