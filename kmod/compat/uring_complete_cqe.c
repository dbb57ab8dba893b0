// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io_uring_types.h>
#include <trace/events/io_uring.h>

void probe(void *data, struct io_ring_ctx *ctx, void *req, struct io_uring_cqe *cqe);
void probe(void *data, struct io_ring_ctx *ctx, void *req, struct io_uring_cqe *cqe)
{
	check_trace_callback_type_io_uring_complete(probe);
}
