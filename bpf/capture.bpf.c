// SPDX-License-Identifier: GPL-2.0-only
/* A capture as a whole: constants of the kernel, CPUs that come and go. */
#include "compat.bpf.h"
#include "path.bpf.h"
#include "ring.bpf.h"

/*
 * Variables of the kernel. /proc/kallsyms has their addresses if the kernel was built with
 * CONFIG_KALLSYMS_ALL; otherwise the loader looks elsewhere.
 */
extern const void vmemmap_base __ksym __weak;
extern const void page_offset_base __ksym __weak;

static __always_inline void learn(u64 *value, const void *address)
{
	if (address)
		bpf_probe_read_kernel(value, sizeof(*value), address);
}

/* Is the struct page of a frame that exists, of the zero page, in the table at vmemmap_base? */
static __always_inline bool in_one_table(u64 vmemmap)
{
	const void *zero = &zero_pfn;
	u64 pfn = 0, word;

	if (!zero)
		zero = &zero_page_pfn;
	learn(&pfn, zero);
	return !bpf_probe_read_kernel(&word, sizeof(word),
				      (void *)(vmemmap + pfn * bpf_core_type_size(struct page)));
}

static __always_inline u32 known_symbols(void)
{
	u32 symbols = 0;

	if (&zero_pfn || &zero_page_pfn)
		symbols |= OVNIK_BPF_HAS_ZERO;
	if (&rename_lock && &mount_lock)
		symbols |= OVNIK_BPF_HAS_LOCKS;
	return symbols;
}

/* Read once before a capture. */
SEC("iter/task")
int ovnik_constants(struct bpf_iter__task *ctx)
{
	if (ctx->meta->seq_num)
		return 0;
	learn(&ovnik_config.vmemmap, &vmemmap_base);
	learn(&ovnik_config.page_offset, &page_offset_base);
	ovnik_config.symbols = known_symbols();
	/* The variable is there in any case, the table with CONFIG_SPARSEMEM_VMEMMAP only. */
	if (ovnik_config.vmemmap && !in_one_table(ovnik_config.vmemmap)) {
		ovnik_config.vmemmap = 0;
		ovnik_config.symbols |= OVNIK_BPF_NO_PAGES;
	}
	return 0;
}

static __always_inline void record_hotplug(u32 cpu, u32 online)
{
	struct ovnik_cpu_hotplug *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(cpu_hotplug)))
		return;
	rec = ovnik_begin(&slot, cpu_hotplug);
	if (!rec)
		return;
	rec->cpu = cpu;
	rec->online = online;
	ovnik_commit(&slot, cpu_hotplug);
}

/* The last state of a CPU that comes, and the first of one that goes. */
SEC("fexit/sched_cpu_activate") HOOK_TYPES("4")
int BPF_PROG(ovnik_cpu_comes, u32 cpu)
{
	record_hotplug(cpu, 1);
	return 0;
}

SEC("fentry/sched_cpu_deactivate") HOOK_TYPES("4")
int BPF_PROG(ovnik_cpu_goes, u32 cpu)
{
	record_hotplug(cpu, 0);
	return 0;
}
