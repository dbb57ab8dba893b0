// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory references, from binary to text and back. The first byte: to text, wide, a log, a log as
 * it is, reduced.
 *
 * What was converted as a whole must come back as it was, but for the form of digits. Of a log, the
 * input has only what is in its blocks, so that checksums and compression are right.
 */
#include <string.h>
#include <zstd.h>

#include "capture/crc.h"
#include "heap.h"
#include "memfs.h"
#include "ovnik-refs/refs.h"
#include "target.h"

#define IN	MEMFS_ROOT "/in"
#define OUT	MEMFS_ROOT "/out"
#define BACK	MEMFS_ROOT "/back"
#define AGAIN	MEMFS_ROOT "/again"

static bool same(const char *a, const char *b)
{
	size_t len_a, len_b;
	const u8 *x = memfs_get(a, &len_a), *y = memfs_get(b, &len_b);

	return len_a == len_b && (!len_a || !memcmp(x, y, len_a));
}

static int convert(const char *in, const char *out, bool to_text, bool wide)
{
	return refs_run(&(struct refs_job){
		.in = in, .out = out, .to_text = to_text, .wide = wide,
	});
}

/* A block of a log in the input; then the bytes of its streams. */
struct block {
	u8 flags;
	u8 refs[REFS_NR_KINDS];
	u16 streams[REFS_NR_STREAMS];
} __attribute__((packed));

#define LOG_MAX		(64U << 10)
#define BLOCK_MAX	2048U
#define BLOCKS_MAX	16U

struct log {
	u8 data[LOG_MAX];
	size_t len;
};

static void add(struct log *log, const void *data, size_t len)
{
	must(log->len + len <= LOG_MAX, "the log fits");
	memcpy(log->data + log->len, data, len);
	log->len += len;
}

/* Returns how much of the input it is. */
static size_t add_block(struct log *log, u64 number, const u8 *data, size_t len)
{
	struct refs_block head = { .magic = REFS_BLOCK_MAGIC, .number = number };
	u8 packed[2 * BLOCK_MAX];
	struct block in;
	size_t raw = 0;
	int i;

	memcpy(&in, data, sizeof(in));
	len -= sizeof(in);
	if (len > BLOCK_MAX)
		len = BLOCK_MAX;
	for (i = 0; i < REFS_NR_KINDS; i++)
		head.refs[i] = in.refs[i];
	for (i = 0; i < REFS_NR_STREAMS; i++) {
		head.streams[i] = in.streams[i] < len - raw ? in.streams[i] : (u32)(len - raw);
		raw += head.streams[i];
	}
	head.flags = in.flags;
	head.stored = (u32)ZSTD_compress(packed, sizeof(packed), data + sizeof(in), raw, 1);
	head.stored_crc = capture_crc(0, packed, head.stored);
	head.crc = capture_crc(0, (u8 *)&head, offsetof(struct refs_block, crc));
	add(log, &head, sizeof(head));
	add(log, packed, head.stored);
	return sizeof(in) + raw;
}

static void put_log(const u8 *data, size_t len)
{
	struct refs_file head = { .magic = { 0 }, .version = REFS_VERSION, .every = 1 };
	struct refs_block end = { .magic = REFS_END_MAGIC };
	static struct log log;
	size_t used;

	log.len = 0;
	memcpy(head.magic, REFS_MAGIC, sizeof(head.magic));
	head.crc = capture_crc(0, (u8 *)&head, offsetof(struct refs_file, crc));
	add(&log, &head, sizeof(head));
	for (; len >= sizeof(struct block) && end.number < BLOCKS_MAX; data += used, len -= used)
		used = add_block(&log, end.number++, data, len);
	end.crc = capture_crc(0, (u8 *)&end, offsetof(struct refs_block, crc));
	add(&log, &end, sizeof(end));
	memfs_put(IN, log.data, log.len);
}

static int convert_log(u8 how)
{
	bool reduced = how & 16;

	must_say(refs_info(IN));
	return refs_run(&(struct refs_job){
		.in = IN, .out = OUT, .to_text = how & 1 && !reduced, .wide = how & 2,
		.reduced = reduced,
		.part = { .to = ~0ULL, .space = REFS_ALL_SPACES, .kinds = REFS_ALL_KINDS },
	});
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	bool to_text, wide;

	if (!len)
		return 0;
	to_text = data[0] & 1;
	wide = data[0] & 2;
	memfs_reset();
	if (data[0] & 4) {
		if (data[0] & 8)
			memfs_put(IN, data + 1, len - 1);
		else
			put_log(data + 1, len - 1);
		must_say(convert_log(data[0]));
		heap_check();
		return 0;
	}
	memfs_put(IN, data + 1, len - 1);
	must_say(convert(IN, OUT, to_text, wide));
	/* What was converted before that is sound. */
	must(!convert(OUT, BACK, !to_text, wide), "what was converted can be converted back");
	if (to_text)
		return 0;
	must(!convert(BACK, AGAIN, to_text, wide) && same(OUT, AGAIN), "it comes back as it was");
	heap_check();
	return 0;
}
