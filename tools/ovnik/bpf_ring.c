// SPDX-License-Identifier: GPL-2.0-only
/* Create, find and reset the probes' rings, one map per CPU. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bpf_ring.h"
#include "util/msg.h"

/* Only the ring itself: its CPU's counts stay. */
static int reset_ring(int fd)
{
	void *data = map_ring(fd, PROT_READ | PROT_WRITE);
	u32 i;

	if (!data)
		return -errno;
	for (i = 0; i < probes.nr_subbufs; i++) {
		struct ovnik_bpf_subbuf *sb = slot_of(data, i);

		sb->commit = OVNIK_BPF_TAG(i);
		sb->used = 0;
	}
	munmap(data, ring_bytes());
	return 0;
}

/**
 * bpf_ring_create() - Create a ring with the sizes in @probes.
 *
 * Return: a file descriptor that the caller closes; a negative errno.
 */
int bpf_ring_create(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	int fd, ret;

	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ovnik_ring", sizeof(u32), probes.subbuf_size,
			    probes.nr_subbufs, &opts);
	ret = fd < 0 ? fd : reset_ring(fd);
	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret;
}

/*
 * Looking up an entry in a map of maps waits for an RCU grace period, 10 ms and more, so
 * the result is kept.
 */
static struct {
	int fd;
	bool known;
} known_rings[OVNIK_BPF_CPUS_MAX];

static int ask_for_ring(unsigned int cpu)
{
	u32 id;

	/* Probes loaded by this program start without rings. */
	if (!probes.pinned || bpf_map_lookup_elem(probes.rings, &cpu, &id))
		return -ENOENT;
	return bpf_map_get_fd_by_id(id);
}

static int give_ring(unsigned int cpu)
{
	int fd = bpf_ring_create();
	int ret;

	if (fd < 0)
		return fd;
	ret = bpf_map_update_elem(probes.rings, &cpu, &fd, 0);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/**
 * bpf_ring_of() - Get a CPU's ring.
 * @cpu:    the CPU
 * @create: create the ring if it does not exist
 *
 * Context: One thread only.
 * Return: a file descriptor that stays open; -ENOENT if there is no ring; another negative
 * errno, which has been reported.
 */
int bpf_ring_of(unsigned int cpu, bool create)
{
	if (!known_rings[cpu].known)
		known_rings[cpu].fd = ask_for_ring(cpu);
	known_rings[cpu].known = true;
	if (create && known_rings[cpu].fd == -ENOENT)
		known_rings[cpu].fd = give_ring(cpu);
	if (known_rings[cpu].fd < 0 && known_rings[cpu].fd != -ENOENT)
		msg_error("ring of CPU %u: %s", cpu, strerror(-known_rings[cpu].fd));
	return known_rings[cpu].fd;
}

/**
 * bpf_rings_forget() - Close the rings, because the probes are being unloaded.
 */
void bpf_rings_forget(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < OVNIK_BPF_CPUS_MAX; cpu++) {
		if (known_rings[cpu].known && known_rings[cpu].fd >= 0)
			close(known_rings[cpu].fd);
	}
	memset(known_rings, 0, sizeof(known_rings));
}

/**
 * bpf_rings_any() - Does any CPU have a ring?
 *
 * Return: true if one does.
 */
bool bpf_rings_any(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		if (bpf_ring_of(cpu, false) >= 0)
			return true;
	}
	return false;
}

/* Store a ring in its own place: the kernel then waits for running programs. */
static int touch_ring(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();

	for (cpu = 0; cpu < nr; cpu++) {
		int fd = bpf_ring_of(cpu, false);

		if (fd >= 0)
			return bpf_map_update_elem(probes.rings, &cpu, &fd, 0);
	}
	return 0;
}

/**
 * bpf_wait_for_probes() - Wait until every probe that runs now has ended.
 *
 * Probes are RCU read sections, and maybe_wait_bpf_programs() calls synchronize_rcu().
 * membarrier() does not with one CPU online or with nohz_full=.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_wait_for_probes(void)
{
	int ret = touch_ring();

	if (ret)
		msg_error("waiting for the probes to end: %s", strerror(-ret));
	return ret;
}

/**
 * bpf_nr_cpus() - Get the number of possible CPUs.
 *
 * Return: that number, or the probes' limit if it is lower.
 */
unsigned int bpf_nr_cpus(void)
{
	int nr = libbpf_num_possible_cpus();

	return nr < 0 || nr > OVNIK_BPF_CPUS_MAX ? OVNIK_BPF_CPUS_MAX : nr;
}

/**
 * bpf_ring_reset() - Discard what a ring has.
 * @cpu: its CPU; the ring need not exist
 *
 * Context: No probe writes it.
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_ring_reset(unsigned int cpu)
{
	struct ovnik_bpf_cpu *ring = cpu_of(cpu);
	int fd;

	memset(ring, 0, sizeof(*ring));
	ring->pos = OVNIK_BPF_EMPTY;
	fd = bpf_ring_of(cpu, false);
	if (fd == -ENOENT)
		return 0;
	return fd < 0 ? fd : reset_ring(fd);
}

/**
 * bpf_rings_reset() - Discard what an earlier capture recorded.
 *
 * A CPU without a ring counts its events as lost.
 *
 * Context: Nothing is recorded.
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_rings_reset(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();
	int ret = 0;

	for (cpu = 0; !ret && cpu < nr; cpu++)
		ret = bpf_ring_reset(cpu);
	return ret;
}

/**
 * bpf_rings_bytes() - Count the bytes that all CPUs have written, headers included.
 *
 * Return: bytes; the unused part of closed sub-buffers is included.
 */
u64 bpf_rings_bytes(void)
{
	unsigned int cpu, nr_all = bpf_nr_cpus();
	u64 sum = 0;

	for (cpu = 0; cpu < nr_all; cpu++) {
		const struct ovnik_bpf_cpu *ring = cpu_of(cpu);
		u64 nr = opened(ring);

		if (nr)
			sum += (nr - 1) * probes.subbuf_size +
			       ((u32)load(&ring->pos) & ~OVNIK_BPF_SHUT);
	}
	return sum;
}
