/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_MODEL_ID_H
#define OVNIK_EMU_MODEL_ID_H

/*
 * All models, one row each: row(id, suffix of its struct model_SUFFIX). Sorted by letter,
 * 6 D K M O P T V, because lines of one instant are written in this order.
 */
#define EMU_MODEL_TABLE(row)	\
	row(NANOS6, nanos6)	\
	row(NODES, nodes)	\
	row(KERNEL, kernel)	\
	row(MPI, mpi)		\
	row(OVNI, ovni)		\
	row(OPENMP, openmp)	\
	row(TAMPI, tampi)	\
	row(NOSV, nosv)

/**
 * enum model_id - Index of a model in emu_thread.priv and the like; see EMU_MODEL_TABLE.
 */
enum model_id {
#define MODEL_ID(id, name) MODEL_ID_##id,
	EMU_MODEL_TABLE(MODEL_ID)
#undef MODEL_ID
	EMU_NR_MODELS
};

#endif /* OVNIK_EMU_MODEL_ID_H */
