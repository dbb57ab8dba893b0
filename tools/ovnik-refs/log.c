// SPDX-License-Identifier: GPL-2.0-only
/* Files of memory references that QEMU's plugin has logged. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"
#include "refs.h"
#include "refs/read.h"
#include "util/hex.h"
#include "util/msg.h"

#define BATCH		512	/* references: their text fits into FILE_LINE_MAX */

struct batch {
	const struct refs_job *job;
	struct file *out;
	struct refs_process process;	/* that is wanted alone */
	struct refs_wide before;	/* reduced: the reference before; at first 0 */
	u64 records;
	bool too_long;			/* an address does not fit */
	size_t len;
	char room[BATCH * sizeof(struct refs_wide) + 2 * REFS_MARGIN];
};

/**
 * refs_is_log() - Is this a file that the plugin has logged?
 * @path: the file
 *
 * Context: Any.
 * Return: true if it begins like one.
 */
bool refs_is_log(const char *path)
{
	char magic[sizeof(REFS_MAGIC) - 1];
	struct stat st;
	bool is_log;
	int fd;

	/* A pipe must be opened once only. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	is_log = pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		 !memcmp(magic, REFS_MAGIC, sizeof(magic));
	close(fd);
	return is_log;
}

static void flush(struct batch *b)
{
	const char *from = b->room + REFS_MARGIN;

	if (b->job->to_text)
		refs_to_text(b->out, from, from + b->len, b->job->wide, &b->records);
	else
		file_write(b->out, from, b->len);
	b->len = 0;
}

static char *put_difference(char *to, s64 difference, char plus)
{
	if (difference < 0)
		*to++ = '-';
	else if (plus)
		*to++ = plus;
	if (plus)
		*to++ = ' ';
	return hex_put(to, difference < 0 ? -(u64)difference : (u64)difference);
}

/* Laplace's reduction: the first reference as it is, then differences. */
static void put_reduced(struct batch *b, const struct refs_wide *ref)
{
	char *to = file_room(b->out);

	*to++ = (char)ref->type;
	*to++ = ' ';
	to = hex_put(to, ref->timestamp - b->before.timestamp);
	*to++ = ' ';
	to = hex_put(to, ref->length);
	*to++ = ' ';
	to = put_difference(to, (s64)ref->space - b->before.space, '\0');
	*to++ = ' ';
	to = put_difference(to, (s64)(ref->address - b->before.address), '+');
	*to++ = '\n';
	file_done(b->out, to);
	b->before = *ref;
}

static void put_ref(struct batch *b, const struct refs_wide *ref)
{
	struct refs_narrow narrow = {
		.type = ref->type, .timestamp = ref->timestamp, .length = ref->length,
		.space = ref->space, .address = (u32)ref->address,
	};

	if (b->job->reduced) {
		put_reduced(b, ref);
		return;
	}
	if (b->len + sizeof(*ref) > BATCH * sizeof(*ref))
		flush(b);
	if (b->job->wide) {
		memcpy(b->room + REFS_MARGIN + b->len, ref, sizeof(*ref));
	} else {
		b->too_long |= ref->address >> 32;
		memcpy(b->room + REFS_MARGIN + b->len, &narrow, sizeof(narrow));
	}
	b->len += refs_size(b->job->wide);
}

static bool is_wanted(struct batch *b, const struct refs_ref *ref)
{
	const struct refs_part *part = &b->job->part;

	return part->kinds & 1U << ref->kind && ref->time >= part->from && ref->time <= part->to &&
	       (part->space == REFS_ALL_SPACES || part->space == ref->cr3 >> REFS_PAGE_SHIFT) &&
	       (!part->capture || refs_process_ran(&b->process, ref->time));
}

/* Longer ones in pieces. */
static void take(const struct refs_ref *ref, void *data)
{
	static const char types[2][REFS_NR_KINDS] = { { 'i', 'r', 'w' }, { 'I', 'R', 'W' } };
	struct batch *b = data;
	struct refs_wide piece = {
		.type = (u8)types[b->job->wide][ref->kind], .timestamp = ref->time,
		.space = (u32)(ref->cr3 >> REFS_PAGE_SHIFT), .address = ref->address,
	};
	u32 left;

	if (b->too_long || !is_wanted(b, ref))
		return;
	for (left = ref->length; left; left -= piece.length, piece.address += piece.length) {
		piece.length = (u8)(left < REFS_LENGTH_MAX ? left : REFS_LENGTH_MAX);
		put_ref(b, &piece);
	}
}

static bool has_time(const struct refs_block *block, const struct refs_part *part)
{
	return block->begin <= part->to && block->end >= part->from;
}

/* Returns a negative errno (reported). */
static int expand_all(struct refs_reader *r, struct batch *b)
{
	const struct refs_sink sink = { .ref = take, .data = b };
	int ret;

	while ((ret = refs_next(r)) > 0) {
		if (!has_time(&r->block, &b->job->part))
			continue;
		ret = refs_load(r);
		if (ret > 0)
			ret = refs_expand(r, &sink);
		if (ret < 0 || b->out->error)
			return ret < 0 ? ret : b->out->error;
		if (!b->too_long)
			continue;
		msg_error("%s: offset %llu: an address has more than 32 bits: use --wide", r->path,
			  r->offset);
		return -EINVAL;
	}
	return ret;
}

/**
 * refs_expand_log() - Write the references of a file that the plugin has logged.
 * @job: the command line
 * @out: output
 *
 * What is damaged is left out. Of a block that contradicts itself, what is before is written.
 *
 * Context: Any.
 * Return: 0; a negative errno, which has been reported.
 */
int refs_expand_log(const struct refs_job *job, struct file *out)
{
	struct batch b = { .job = job, .out = out };
	const struct refs_part *part = &job->part;
	struct refs_reader r;
	int ret;

	ret = refs_open(&r, job->in);
	if (!ret && part->capture)
		ret = refs_process_read(&b.process, part->capture, part->pid);
	if (!ret)
		ret = expand_all(&r, &b);
	if (!b.too_long)
		flush(&b);
	file_flush(out);
	if (!ret && b.process.doubtful) {
		msg_error("%s: is damaged or lacks events: references of process %u may be missing",
			  part->capture, part->pid);
		ret = -EINVAL;
	}
	refs_process_free(&b.process);
	refs_close(&r);
	return ret ? ret : r.damage ? r.damage : out->error;
}

/* Of all blocks that were found. */
struct sum {
	u64 blocks;
	u64 begin;
	u64 end;
	u64 refs[REFS_NR_KINDS];
	u64 drift;
};

static void add(struct sum *sum, const struct refs_block *block)
{
	unsigned int i;

	if (!sum->blocks++)
		sum->begin = block->begin;
	sum->end = block->end;
	for (i = 0; i < REFS_NR_KINDS; i++)
		sum->refs[i] += block->refs[i];
	sum->drift += block->drift;
}

static void show(const struct refs_reader *r, const struct sum *sum)
{
	u64 refs = sum->refs[REFS_FETCH] + sum->refs[REFS_LOAD] + sum->refs[REFS_STORE];
	u64 bytes = r->next ? r->next : r->offset;

	printf("blocks       %" PRIu64 ", one in %u was kept\n", (uint64_t)sum->blocks,
	       r->file.every);
	printf("from         %" PRIx64 "\n", (uint64_t)sum->begin);
	printf("to           %" PRIx64 "\n", (uint64_t)sum->end);
	printf("fetches      %" PRIu64 "%s\n", (uint64_t)sum->refs[REFS_FETCH],
	       r->file.options & REFS_NO_FETCHES ? ", which are not given out" : "");
	printf("loads        %" PRIu64 "\n", (uint64_t)sum->refs[REFS_LOAD]);
	printf("stores       %" PRIu64 "\n", (uint64_t)sum->refs[REFS_STORE]);
	printf("left out     %s\n", r->file.options & REFS_NO_KERNEL ? "the kernel" :
	       r->file.options & REFS_NO_USER ? "user space" : "nothing");
	printf("bytes        %" PRIu64 ", %.3f a reference\n", (uint64_t)bytes,
	       refs ? (double)bytes / (double)refs : 0);
	printf("drift        %" PRIu64 " ticks\n", (uint64_t)sum->drift);
}

/**
 * refs_info() - Print what a file that the plugin has logged contains.
 * @path: the file
 *
 * Context: Any.
 * Return: 0; a negative errno, which has been reported.
 */
int refs_info(const char *path)
{
	struct sum sum = { 0 };
	struct refs_reader r;
	int ret;

	ret = refs_open(&r, path);
	if (ret) {
		refs_close(&r);
		return ret;
	}
	while ((ret = refs_next(&r)) > 0)
		add(&sum, &r.block);
	show(&r, &sum);
	refs_close(&r);
	return ret ? ret : r.damage;
}
