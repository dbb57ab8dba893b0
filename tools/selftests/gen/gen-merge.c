// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-merge - write captures that merge.sh and merge-views.sh know
 *
 *	gen-merge KIND DIR [PATH INODE]
 *
 * PATH is the binary that process 100 runs, if it is named.
 * A microsecond is 2000 ticks, and the capture begins at 5 s, aged at 10000 s.
 */
#include "capgen.h"

#define AT(us)	(1000000000ULL + 2000ULL * (us))

static struct capgen gen;
static const char *binary;
static u64 inode;

static void fault(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_page_fault *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_fault);

	rec->error = OVNIK_FAULT_USER;
	rec->tid = tid;
}

static void fault_end(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_page_fault_end *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_fault_end);

	rec->result = OVNIK_FAULT_MINOR;
	rec->tid = tid;
}

static void introduce(void)
{
	gen.cpus[0].running = 100;
	if (binary)
		capgen_exec(&gen, 0, AT(0), 100, 100, binary)->ino = inode;
	capgen_dump(&gen, 0, AT(1), 100, 100, 0, 7, 0x1a2b3, "app");
	capgen_dump(&gen, 0, AT(1), 101, 100, 1, 7, 0x1a2b3, "worker");
	capgen_dump(&gen, 0, AT(1), 200, 200, 1, 8, 0x1a2b4, "other");
	capgen_dump(&gen, 0, AT(1), 300, 300, 1, 9, 0x1a2b5, "sleeper");
}

/*
 * CPU 0: 100 to 10 us, 101 to 20, 200 to 30, 100 to 70; idle; 100 from 80 to 100
 * CPU 1: 101 from 40 us to 50, 102 (made at 45) to 60
 */
static void known(void)
{
	introduce();
	capgen_switch(&gen, 0, AT(10), 0x100, 100, 101);
	capgen_switch(&gen, 0, AT(20), 1, 101, 200);
	capgen_switch(&gen, 0, AT(30), 1, 200, 100);
	fault(0, AT(32), 100);
	fault_end(0, AT(33), 100);
	capgen_fork(&gen, 0, AT(45), 100, 100, 102, 100, "young");
	capgen_switch(&gen, 0, AT(70), 1, 100, 0);
	capgen_switch(&gen, 0, AT(80), 0, 0, 100);
	capgen_switch(&gen, 0, AT(100), 1, 100, 0);
	capgen_wakeup(&gen, 0, AT(200), 200, 0);
	capgen_switch(&gen, 1, AT(40), 0, 0, 101);
	capgen_switch(&gen, 1, AT(50), 1, 101, 102);
	capgen_exit(&gen, 1, AT(59), 102, 100);
	capgen_switch(&gen, 1, AT(60), OVNIK_STATE_ZOMBIE, 102, 0);
	capgen_wakeup(&gen, 1, AT(190), 200, 0);
}

/*
 * Process 100 forks 400 at 45 us, which runs on CPU 1 from 62 us to 78, and 500, which becomes
 * another program.
 */
static void forked(void)
{
	introduce();
	capgen_fork(&gen, 0, AT(45), 100, 100, 400, 400, "app");
	capgen_fork(&gen, 0, AT(46), 100, 100, 500, 500, "app");
	capgen_exec(&gen, 1, AT(50), 500, 500, "/bin/true");
	capgen_switch(&gen, 1, AT(62), 0, 0, 400);
	capgen_switch(&gen, 1, AT(78), 1, 400, 0);
	capgen_switch(&gen, 0, AT(100), 1, 100, 0);
}

static void monotonic(void)
{
	capgen_monotonic(&gen);
	known();
}

static void aged(void)
{
	gen.ns0 = 10000ULL * 1000000000;
	known();
}

/* 100 sleeps for 10 ms, runs for 10 us, and sleeps for 10 ms. */
static void late(void)
{
	introduce();
	capgen_switch(&gen, 0, AT(10), 1, 100, 0);
	capgen_switch(&gen, 0, AT(10010), 0, 0, 100);
	capgen_switch(&gen, 0, AT(10020), 1, 100, 0);
	capgen_wakeup(&gen, 0, AT(20030), 200, 0);
	capgen_wakeup(&gen, 1, AT(20030), 200, 0);
}

/* From 20 to 10000 us switches of CPU 0 are missing. 101 is on CPU 1 then, and afterwards. */
static void lossy(void)
{
	introduce();
	capgen_switch(&gen, 0, AT(10), 1, 100, 101);
	capgen_switch(&gen, 0, AT(15), 1, 101, 100);
	capgen_wakeup(&gen, 0, AT(20), 200, 0);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 3);
	capgen_switch(&gen, 0, AT(10000), 1, 100, 200);
	capgen_switch(&gen, 0, AT(10010), 1, 200, 100);
	capgen_switch(&gen, 0, AT(10020), 1, 100, 0);
	capgen_switch(&gen, 1, AT(5000), 0, 0, 101);
	capgen_switch(&gen, 1, AT(5002), 1, 101, 0);
	capgen_switch(&gen, 1, AT(10022), 0, 0, 101);
	capgen_switch(&gen, 1, AT(10024), 1, 101, 0);
	capgen_wakeup(&gen, 1, AT(10030), 200, 0);
}

/* 100/102 is made, and ends; 3 ms later a thread of that number is made again. */
static void reuse(void)
{
	introduce();
	capgen_fork(&gen, 0, AT(5), 100, 100, 102, 100, "first");
	capgen_fork(&gen, 0, AT(3000), 100, 100, 102, 100, "second");
	capgen_wakeup(&gen, 0, AT(3200), 200, 0);
	capgen_switch(&gen, 1, AT(10), 0, 0, 102);
	capgen_exit(&gen, 1, AT(19), 102, 100);
	capgen_switch(&gen, 1, AT(20), OVNIK_STATE_ZOMBIE, 102, 0);
	capgen_switch(&gen, 1, AT(3010), 0, 0, 102);
	capgen_exit(&gen, 1, AT(3019), 102, 100);
	capgen_switch(&gen, 1, AT(3020), OVNIK_STATE_ZOMBIE, 102, 0);
}

/*
 * On CPU 0, 100 is preempted for 3 us, sleeps from 10 us on, is woken at 4000, pulled to
 * CPU 1 at 8000 and runs at 10010. Nothing is missing.
 */
static void waits(void)
{
	introduce();
	capgen_switch(&gen, 0, AT(5), 0, 100, 101);
	capgen_switch(&gen, 0, AT(8), 1, 101, 100);
	capgen_switch(&gen, 0, AT(10), 1, 100, 200);
	capgen_wakeup(&gen, 0, AT(4000), 100, 0);
	capgen_wakeup(&gen, 0, AT(8000), 100, 1);
	capgen_switch(&gen, 0, AT(10010), 0, 200, 100);
	capgen_switch(&gen, 0, AT(10020), 1, 100, 0);
	capgen_wakeup(&gen, 0, AT(20030), 200, 0);
	capgen_switch(&gen, 1, AT(10), 0, 0, 101);
	capgen_switch(&gen, 1, AT(20030), 1, 101, 0);
}

/* Once 100 has run until 10 us on CPU 0, @event is lost there: it may have run again. */
static void lose(u8 event, u64 n)
{
	introduce();
	capgen_switch(&gen, 0, AT(10), 1, 100, 200);
	capgen_wakeup(&gen, 0, AT(15), 200, 0);
	capgen_lose(&gen, 0, event, n);
	capgen_switch(&gen, 1, AT(10), 0, 0, 101);
	capgen_switch(&gen, 1, AT(20030), 1, 101, 0);
}

/* 100 runs twice, and is preempted between that. */
static void run_twice(void)
{
	capgen_switch(&gen, 0, AT(10010), 0, 200, 100);
	capgen_switch(&gen, 0, AT(10020), 0, 100, 200);
	capgen_switch(&gen, 0, AT(10030), 0, 200, 100);
	capgen_wakeup(&gen, 0, AT(20030), 200, 0);
}

/* Where 100 is in doubt, it is woken, and pulled to CPU 1. */
static void woken(void)
{
	lose(OVNIK_EV_page_fault, 3);
	capgen_wakeup(&gen, 0, AT(20), 200, 0);
	capgen_wakeup(&gen, 0, AT(1000), 100, 0);
	capgen_wakeup(&gen, 0, AT(8000), 100, 1);
	run_twice();
}

/* The same, but its waking up is missing. */
static void pulled(void)
{
	lose(OVNIK_EV_page_fault, 3);
	capgen_wakeup(&gen, 0, AT(20), 200, 0);
	capgen_wakeup(&gen, 0, AT(8000), 100, 1);
	run_twice();
}

/* Switches are missing until 9 ms; 100 is woken after that. */
static void unseen(void)
{
	lose(OVNIK_EV_sched_switch, 4);
	capgen_switch(&gen, 0, AT(9000), 1, 200, 0);
	capgen_switch(&gen, 0, AT(9500), 0, 0, 200);
	capgen_wakeup(&gen, 0, AT(10000), 100, 0);
	run_twice();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} kinds[] = {
		{ "known", known }, { "aged", aged }, { "late", late }, { "lossy", lossy },
		{ "reuse", reuse }, { "waits", waits }, { "woken", woken },
		{ "pulled", pulled }, { "unseen", unseen },
		{ "monotonic", monotonic }, { "forked", forked },
	};
	unsigned int i;

	if (argc == 5) {
		binary = argv[3];
		inode = strtoull(argv[4], NULL, 0);
	}
	for (i = 0; (argc == 3 || argc == 5) && i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		if (capgen_open(&gen, argv[2], 2))
			return 1;
		kinds[i].make();
		capgen_close(&gen);
		return 0;
	}
	fprintf(stderr, "usage: gen-merge KIND DIR [PATH INODE]\n");
	return 2;
}
