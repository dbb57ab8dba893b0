// SPDX-License-Identifier: GPL-2.0-only
/* Breakdowns of what runs on each CPU, by the runtimes' models. */
#define _GNU_SOURCE	/* for the harness */
#include "../fixture/runtimefix.h"
#include "emu/nosv/nosv_model.h"

TEST_F(tasks, nosv_breakdown)
{
	struct emufix *f = &self->f;

	OPEN("nosv", "2.7.0");
	emu_options(f->emu, EMU_BREAKDOWN);
	ASSERT_EQ(0, nosv_breakdown_declare(f->emu, true));
	ASSERT_EQ(0, nosv_breakdown_declare(f->emu, true));
	ASSERT_EQ(0, begin(f, "VYc"));
	ACCEPTED(emufix_u32(f, 0, "VTc", 2, 5, 1));
	ACCEPTED(emufix_u32(f, 0, "VTx", 2, 5, 0));	/* at 3 */
	ACCEPTED(emufix_ev(f, 0, "VPr"));
	ACCEPTED(emufix_ev(f, 0, "VPp"));		/* at 5 */
	/* The task was chosen when its state began; its type is null now. */
	ACCEPTED(emufix_u32(f, 0, "VTp", 2, 5, 0));
	ACCEPTED(emufix_ev(f, 0, "VAp"));
	ACCEPTED(emufix_ev(f, 0, "VAP"));		/* at 8 */
	/* Now the state of the runtime is chosen, whatever the type becomes. */
	ACCEPTED(emufix_u32(f, 0, "VTr", 2, 5, 0));
	ACCEPTED(emufix_ev(f, 0, "VSh"));		/* at 10 */
	ACCEPTED(emufix_ev(f, 0, "VSf"));
	ACCEPTED(emufix_execute(f, 1, 1));		/* at 12 */
	ACCEPTED(emufix_u32(f, 0, "VTe", 2, 5, 0));
	ACCEPTED(end(f));
	HAS("nosv-breakdown.prv", "(2:1)\n"
	    "2:0:1:1:1:0:17:0\n"
	    "2:0:1:1:2:0:17:2\n"
	    "2:0:1:1:2:3:17:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:2:4:17:101\n"
	    "2:0:1:1:2:5:17:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:2:6:17:0\n"
	    "2:0:1:1:2:7:17:15\n"
	    "2:0:1:1:2:8:17:11\n"
	    "2:0:1:1:2:10:17:6\n"
	    "2:0:1:1:2:11:17:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:1:12:17:2\n"
	    "2:0:1:1:2:13:17:2\n"
	    "2:0:1:1:2:14:17:101\n"
	    "2:0:1:1:1:15:17:101\n");
	HAS("nosv-breakdown.row", "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 2\n"
	    "~CPU    2\n~CPU    1\n");
	HAS("nosv-breakdown.pcf", "EVENT_TYPE\n0 17         CPU: nOS-V Runtime/Idle/Task breakdown\n"
	    "VALUES\n2    Unknown subsystem\n");
	HAS("nosv-breakdown.pcf", "36   EV Scheduler: Self-assign task\n100  Progressing\n"
	    "101  Resting\n102  Absorbing noise\n" TEXT(GID_MAIN) " main\n");
	HAS("cfg/cpu/nosv/breakdown.cfg", "evt_type 1 17\n");
}

TEST_F(tasks, nosv_breakdown_not_said)
{
	OPEN("nosv", "2.7.0");
	emu_options(self->f.emu, EMU_BREAKDOWN);
	ASSERT_EQ(0, nosv_breakdown_declare(self->f.emu, true));
	EXPECT_NE(0, emu_freeze(self->f.emu, self->f.dir));
	EXPECT_NE(NULL, strstr(emu_reason(self->f.emu), "can_breakdown in every thread, 1 of 2"));
}

TEST_F(tasks, nosv_breakdown_denied)
{
	struct emufix *f = &self->f;

	OPEN("nosv", "2.7.0");
	emu_options(f->emu, EMU_BREAKDOWN);
	ASSERT_EQ(0, nosv_breakdown_declare(f->emu, true));
	ASSERT_EQ(0, nosv_breakdown_declare(f->emu, false));
	ASSERT_EQ(0, begin(f, "VYc"));
	ACCEPTED(end(f));
	EXPECT_NE(0, access(strcat(strcpy(f->text, f->dir), "/nosv-breakdown.prv"), F_OK));
}

TEST_F(tasks, nanos6_and_openmp_breakdown)
{
	struct emufix *f = &self->f;

	OPEN("nanos6", "1.1.0");
	ASSERT_EQ(0, emu_require(f->emu, "openmp", "1.2.1"));
	emu_options(f->emu, EMU_BREAKDOWN);
	ASSERT_EQ(0, begin(f, "POc"));
	ACCEPTED(emufix_ev(f, 0, "PH["));
	ACCEPTED(emufix_u32(f, 0, "PQx", 1, 1, 0));	/* at 3 */
	ACCEPTED(emufix_ev(f, 0, "PBb"));
	ACCEPTED(emufix_u32(f, 0, "PQe", 1, 1, 0));	/* at 5 */
	ACCEPTED(emufix_ev(f, 0, "6Pa"));
	ACCEPTED(end(f));
	HAS("openmp-breakdown.prv", "(2:1)\n"
	    "2:0:1:1:1:2:53:0\n"
	    "2:0:1:1:2:2:53:31\n"
	    "2:0:1:1:2:3:53:" TEXT(GID_MAIN) "\n"
	    "2:0:1:1:2:5:53:3\n"
	    "2:0:1:1:2:7:53:0\n");
	HAS("nanos6-breakdown.prv", "(2:1)\n"
	    "2:0:1:1:1:0:41:0\n"
	    "2:0:1:1:2:0:41:2\n"
	    "2:0:1:1:2:6:41:102\n"
	    "2:0:1:1:2:7:41:101\n"
	    "2:0:1:1:1:8:41:2\n"
	    "2:0:1:1:1:9:41:101\n");
	HAS("openmp-breakdown.pcf", "31   Runtime: Worker main loop\n" TEXT(GID_MAIN) " main\n");
	HAS("openmp-breakdown.row", "~CPU    2\n~CPU    1\n");
}

TEST_HARNESS_MAIN
