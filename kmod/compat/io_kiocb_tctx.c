// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io_uring_types.h>

struct task_struct *probe(struct io_kiocb *req);
struct task_struct *probe(struct io_kiocb *req)
{
	return req->tctx->task;
}
