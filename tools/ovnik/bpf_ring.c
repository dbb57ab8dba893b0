// SPDX-License-Identifier: GPL-2.0-only
/* The probes' rings: a map for each CPU, made, found and emptied here. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bpf_ring.h"
#include "util/msg.h"

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
 * bpf_ring_create() - Make a ring, of the sizes that the probes have.
 *
 * Return: a file descriptor, the caller's; a negative errno.
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
 * Asking the kernel for an entry of a map of maps takes as long as its longest RCU
 * read section: 10 ms and more. So it is asked once.
 */
static struct {
	int fd;
	bool known;
} known_rings[OVNIK_BPF_CPUS_MAX];

static int ask_for_ring(unsigned int cpu)
{
	u32 id;

	/* What was just loaded has none. */
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
 * bpf_ring_of() - The map that is a CPU's ring.
 * @cpu:    the CPU
 * @create: make one if it has none
 *
 * Context: One thread only.
 * Return: a file descriptor, ours; -ENOENT if there is none; another negative errno,
 * which has been reported.
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
 * bpf_rings_forget() - The probes are unloaded, or others are used now.
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
 * bpf_rings_any() - Has any CPU got its ring?
 *
 * Return: true if one has.
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

/* Put a ring where it is already: the kernel waits for programs. */
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
 * They are RCU read sections, and maybe_wait_bpf_programs() is synchronize_rcu().
 * membarrier() is not always: not with one CPU on line, nor with nohz_full=.
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
 * bpf_nr_cpus() - How many CPUs there may ever be.
 *
 * Return: that, and no more than the probes are made for.
 */
unsigned int bpf_nr_cpus(void)
{
	int nr = libbpf_num_possible_cpus();

	return nr < 0 || nr > OVNIK_BPF_CPUS_MAX ? OVNIK_BPF_CPUS_MAX : nr;
}

/**
 * bpf_rings_reset() - Forget what an earlier capture recorded.
 *
 * A CPU without a ring is set to count what it loses.
 *
 * Context: Nothing is recorded.
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_rings_reset(void)
{
	unsigned int cpu, nr = bpf_nr_cpus();
	int fd, ret;

	for (cpu = 0; cpu < nr; cpu++) {
		struct ovnik_bpf_cpu *ring = cpu_of(cpu);

		memset(ring, 0, sizeof(*ring));
		ring->pos = OVNIK_BPF_EMPTY;
		fd = bpf_ring_of(cpu, false);
		if (fd == -ENOENT)
			continue;
		ret = fd < 0 ? fd : reset_ring(fd);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * bpf_rings_bytes() - Bytes that all CPUs have written, headers included.
 *
 * Return: bytes; what closed sub-buffers did not use counts.
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
