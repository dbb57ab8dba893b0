// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statedump: what existed before. In discard mode it goes into the rings of the CPUs. In
 * overwrite mode that would cost what they have, so that it goes through a ring of its own,
 * with the number after the last CPU's, into memory:
 *
 *	| statedump of the start | latest statedump |
 *
 * That of the start is pinned, for the program that takes the snapshot is another one. It is
 * left out once any event has been overwritten. When the capture stops, both are pinned: if they
 * cannot be saved, another program may.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_ring.h"
#include "util/msg.h"

#define MEMORY_MAX	(1ULL << 30)
#define PIN_FIRST	BPF_MAPS "/ovnik_first"
#define PIN_LAST	BPF_MAPS "/ovnik_last"
#define PAGE		4096ULL

/**
 * struct dump - A statedump that is being taken.
 * @cpu:  number of the ring
 * @data: the ring, mapped
 * @copy: room for one sub-buffer
 */
static struct dump {
	unsigned int cpu;
	void *data;
	struct ovnik_subbuf *copy;
} dump;

static int iterate(size_t step, int (*after)(void))
{
	int ret = bpf_probes_iterate("ovnik_dump_tasks", step, after);

	if (!ret)
		ret = bpf_probes_iterate("ovnik_dump_vmas", step, after);
	return ret ? ret : bpf_probes_iterate("ovnik_dump_files", step, after);
}

/**
 * bpf_dump_into_rings() - Record what existed before, on the CPUs where the walks run.
 *
 * Each iterator checks whether its events are enabled.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_dump_into_rings(void)
{
	return iterate(SIZE_MAX, NULL);
}

/* The iterators do not run meanwhile. */
static void lose(const struct ovnik_subbuf *sb)
{
	const u32 *count = (const u32 *)&sb->lost[OVNIK_NR_EVENTS];
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		cpu_of(dump.cpu)->dropped[i] += count[i];
}

static int drain(void)
{
	int ret;

	while ((ret = bpf_ring_take(dump.cpu, dump.data, dump.copy)) > 0) {
		if (!bpf_kept_add(dump.copy))
			lose(dump.copy);
	}
	return ret;
}

/* A quarter of the ring has room for what they record: a record has at most a path. */
static size_t objects_a_step(void)
{
	size_t nr = ring_bytes() / 4 / OVNIK_REC_MAX;

	return nr ? nr : 1;
}

static int take(void)
{
	int ret;

	memcpy(cpu_of(dump.cpu)->dropped, probes.dump->lost, sizeof(probes.dump->lost));
	probes.dump->cpu = dump.cpu;
	probes.dump->apart = 1;
	ret = iterate(objects_a_step(), drain);
	probes.dump->apart = 0;
	bpf_ring_close(dump.cpu, dump.data);
	return ret ? ret : drain();
}

/* A quarter of what the kernel has without swapping, as the module. */
static u64 memory_free(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	}
	fclose(file);
	return kib * 1024 / 4;
}

static int take_into_memory(void)
{
	/* That of the start, which is held, counts as well. */
	u64 limit = bpf_kept_bytes() + memory_free();
	int fd, ret;

	bpf_kept_limit(limit < MEMORY_MAX ? limit : MEMORY_MAX);
	dump.cpu = bpf_nr_cpus();
	fd = bpf_ring_of(dump.cpu, true);
	ret = fd < 0 ? fd : bpf_ring_reset(dump.cpu);
	if (ret)
		return ret;
	dump.data = map_ring(fd, PROT_READ | PROT_WRITE);
	dump.copy = malloc(bpf_subbuf_room());
	ret = dump.data && dump.copy ? take() : -ENOMEM;
	/* For programs that have not taken it. */
	bpf_kept_count(cpu_of(dump.cpu)->recorded);
	if (ret == -ENOMEM)
		msg_error("no memory for the statedump");
	if (dump.data)
		munmap(dump.data, ring_bytes());
	free(dump.copy);
	dump.data = NULL;
	dump.copy = NULL;
	return ret;
}

/**
 * bpf_dump_first() - Take the statedump of the start.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_dump_first(void)
{
	int ret;

	bpf_kept_forget();
	unlink(PIN_LAST);	/* of an earlier capture */
	memset(probes.dump->lost, 0, sizeof(probes.dump->lost));
	ret = take_into_memory();
	if (!ret)
		memcpy(probes.dump->lost, cpu_of(dump.cpu)->dropped, sizeof(probes.dump->lost));
	return ret;
}

static int pin_kept(const char *path)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	u64 pages = (bpf_kept_bytes() + PAGE - 1) / PAGE;
	void *map = MAP_FAILED;
	int fd, ret;

	if (!pages)
		return 0;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ovnik_dump", sizeof(u32), PAGE, pages, &opts);
	ret = fd < 0 ? fd : 0;
	if (!ret) {
		map = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		ret = map == MAP_FAILED ? -errno : 0;
	}
	if (!ret) {
		bpf_kept_all(map);
		munmap(map, pages * PAGE);
		unlink(path);	/* of an earlier capture */
		ret = bpf_obj_pin(fd, path);
	}
	if (fd >= 0)
		close(fd);
	if (ret)
		msg_error("%s: %s", path, strerror(-ret));
	return ret;
}

/**
 * bpf_dump_pin_first() - Leave the statedump of the start to the programs that take snapshots.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_dump_pin_first(void)
{
	return pin_kept(PIN_FIRST);
}

static void keep_all(const void *from, u64 size)
{
	const struct ovnik_subbuf *sb = from;

	bpf_kept_limit(size);
	while (size >= OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS) && sb->used <= size &&
	       sb->used >= OVNIK_HEADER_SIZE(OVNIK_NR_EVENTS) &&
	       sb->session == probes.config->session && bpf_kept_add(sb)) {
		size -= sb->used;
		sb = (const void *)sb + sb->used;
	}
}

/* Return: is it pinned? */
static bool keep_pinned(const char *path)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);
	int fd = bpf_obj_get(path);
	void *map;
	u64 size;

	if (fd < 0)
		return false;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len)) {
		size = (u64)info.max_entries * info.value_size;
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED) {
			keep_all(map, size);
			munmap(map, size);
		}
	}
	close(fd);
	return true;
}

static bool history_overwritten(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		if (oldest(cpu_of(cpu)))
			return true;
	}
	return false;
}

/**
 * bpf_dump_take() - Take a statedump; it replaces the one before.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_dump_take(void)
{
	bpf_kept_forget();
	if (history_overwritten())
		memset(probes.dump->lost, 0, sizeof(probes.dump->lost));
	else
		keep_pinned(PIN_FIRST);
	return take_into_memory();
}

/**
 * bpf_dump_take_last() - Take the statedump of the stop, which stays until it is saved.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_dump_take_last(void)
{
	int ret = bpf_dump_take();

	/* Without memory for it, it can still be saved at once. */
	if (!ret)
		pin_kept(PIN_LAST);
	return ret;
}

/**
 * bpf_dump_find_last() - Find what the capture left, also if another program has stopped it.
 */
void bpf_dump_find_last(void)
{
	if (!bpf_kept_bytes() && !keep_pinned(PIN_LAST) && !history_overwritten())
		keep_pinned(PIN_FIRST);
}

/**
 * bpf_dump_stats() - Count the events of the statedumps.
 * @stats: by event number; is set
 */
void bpf_dump_stats(struct event_stats stats[OVNIK_NR_EVENTS])
{
	const struct ovnik_bpf_cpu *ring;
	int nr;

	memset(stats, 0, OVNIK_NR_EVENTS * sizeof(*stats));
	if (!bpf_loaded() || !probes.config->overwrite)
		return;
	ring = cpu_of(bpf_nr_cpus());
	for (nr = 0; nr < OVNIK_NR_EVENTS; nr++) {
		stats[nr].recorded = load(&ring->recorded[nr]);
		stats[nr].lost = load(&ring->dropped[nr]);
	}
}
