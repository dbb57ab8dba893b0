// SPDX-License-Identifier: GPL-2.0-only
/* The mpi model: which function of MPI a thread is in. */
#include "emu/model.h"

#define FUNCTION_TABLE(state, label)						\
	state(1, "MUi", "MUI", "MPI_Init")				\
	state(2, "MUt", "MUT", "MPI_Init_thread")			\
	state(3, "MUf", "MUF", "MPI_Finalize")				\
	state(4, "MW[", "MW]", "MPI_Wait")				\
	state(5, "MWa", "MWA", "MPI_Waitall")				\
	state(6, "MWy", "MWY", "MPI_Waitany")				\
	state(7, "MWs", "MWS", "MPI_Waitsome")				\
	state(8, "MT[", "MT]", "MPI_Test")				\
	state(9, "MTa", "MTA", "MPI_Testall")				\
	state(10, "MTy", "MTY", "MPI_Testany")				\
	state(11, "MTs", "MTS", "MPI_Testsome")				\
	state(12, "MR[", "MR]", "MPI_Recv")				\
	state(13, "MS[", "MS]", "MPI_Send")				\
	state(14, "MSb", "MSB", "MPI_Bsend")				\
	state(15, "MSr", "MSR", "MPI_Rsend")				\
	state(16, "MSs", "MSS", "MPI_Ssend")				\
	state(17, "MRs", "MRS", "MPI_Sendrecv")				\
	state(18, "MRo", "MRO", "MPI_Sendrecv_replace")			\
	state(19, "Mr[", "Mr]", "MPI_Irecv")				\
	state(20, "Ms[", "Ms]", "MPI_Isend")				\
	state(21, "Msb", "MsB", "MPI_Ibsend")				\
	state(22, "Msr", "MsR", "MPI_Irsend")				\
	state(23, "Mss", "MsS", "MPI_Issend")				\
	state(24, "Mrs", "MrS", "MPI_Isendrecv")			\
	state(25, "Mro", "MrO", "MPI_Isendrecv_replace")		\
	state(26, "MAg", "MAG", "MPI_Allgather")			\
	state(27, "MAr", "MAR", "MPI_Allreduce")			\
	state(28, "MAa", "MAA", "MPI_Alltoall")				\
	state(29, "MCb", "MCB", "MPI_Barrier")				\
	state(30, "MDb", "MDB", "MPI_Bcast")				\
	state(31, "MDg", "MDG", "MPI_Gather")				\
	state(32, "ME[", "ME]", "MPI_Reduce")				\
	state(33, "MEs", "MES", "MPI_Reduce_scatter")			\
	state(34, "MEb", "MEB", "MPI_Reduce_scatter_block")		\
	state(35, "MDs", "MDS", "MPI_Scatter")				\
	state(36, "MCs", "MCS", "MPI_Scan")				\
	state(37, "MCe", "MCE", "MPI_Exscan")				\
	state(38, "Mag", "MaG", "MPI_Iallgather")			\
	state(39, "Mar", "MaR", "MPI_Iallreduce")			\
	state(40, "Maa", "MaA", "MPI_Ialltoall")			\
	state(41, "Mcb", "McB", "MPI_Ibarrier")				\
	state(42, "Mdb", "MdB", "MPI_Ibcast")				\
	state(43, "Mdg", "MdG", "MPI_Igather")				\
	state(44, "Me[", "Me]", "MPI_Ireduce")				\
	state(45, "Mes", "MeS", "MPI_Ireduce_scatter")			\
	state(46, "Meb", "MeB", "MPI_Ireduce_scatter_block")		\
	state(47, "Mds", "MdS", "MPI_Iscatter")				\
	state(48, "Mcs", "McS", "MPI_Iscan")				\
	state(49, "Mce", "McE", "MPI_Iexscan")

static const struct ovni_label function_labels[] = {
	FUNCTION_TABLE(MODEL_STATE_LABEL, MODEL_LABEL)
};

static const struct model_chan mpi_chans[] = {
	{
		.name = "mpi.function", .label = "MPI function", .type = 25, .kind = CHAN_STACK,
		.flags = PRV_SKIP_DUP, MODEL_ROWS(RUNNING, RUNNING), .lint = true,
		MODEL_LABELS(function_labels),
	},
};

#define EVENTS(value, in, out, text) MODEL_EVENTS(0, value, in, out)

static const struct model_event mpi_events[] = {
	FUNCTION_TABLE(EVENTS, MODEL_NO_EVENTS)
};

DEFINE_MODEL(mpi) = {
	.name = "mpi", .letter = 'M', .major = 1, .minor = 0, .id = MODEL_ID_MPI,
	.need = NEED_RUNNING, MODEL_TABLE(chans, mpi_chans), MODEL_TABLE(events, mpi_events),
};
