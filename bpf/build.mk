# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the BPF objects; included by the top Makefile.

# The types of one kernel serve for all: loading adapts an object to the kernel (CO-RE).
# tools/probe-bpf has chosen whose, and the bpftool.
VMLINUX_H := build/bpf/vmlinux.h

$(VMLINUX_H): build/bpf/types.list
	$(say) BTF $@
	$(Q)$(BPFTOOL) btf dump file $(BTF_FILE) format c >$@

build/bpf/types.list: FORCE
	@mkdir -p $(@D)
	@echo '$(BTF_FILE)' | cmp -s - $@ || echo '$(BTF_FILE)' >$@

# One object per kernel where hooks changed: directory, number and name (see
# bpf/compat.bpf.h). The directory, not the file, has the name of the kernel, because
# libbpf names maps after the file.
BPF_KERNELS := 6.1:601:ovnik_6_1 6.3:603:ovnik_6_3 6.12:612:ovnik_6_12 7:700:ovnik_7
BPF_OBJECTS := $(foreach k,$(BPF_KERNELS),build/bpf/$(word 1,$(subst :, ,$(k)))/ovnik.bpf.o)
BPF_SKELETONS := $(foreach k,$(BPF_KERNELS),build/bpf/$(word 3,$(subst :, ,$(k))).skel.h)

BPF_CFLAGS := -g -O2 -mcpu=v3 -target bpf -D__TARGET_ARCH_x86 -Wall -Wextra \
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-declarations \
	-Ibpf/include -Ibpf -Ikmod/shared -Ikmod/include/uapi -Ibuild/bpf
ifeq ($(WERROR),1)
BPF_CFLAGS += -Werror
endif

.PHONY: bpf
bpf: $(if $(BTF_FILE),$(BPF_OBJECTS)) ## build the BPF objects

define bpf_rules
build/bpf/$(1)/ovnik.bpf.o: bpf/ovnik.bpf.c $$(VMLINUX_H)
	@mkdir -p $$(@D)
	$$(say) CLANG $$@
	$$(Q)$$(CLANG) $$(BPF_CFLAGS) -DOVNIK_BPF_KERNEL=$(2) -MMD -MP -c -o $$@ $$<
	$$(Q)$$(BPFTOOL) gen object $$@.tmp $$@ && mv $$@.tmp $$@

build/bpf/$(3).skel.h: build/bpf/$(1)/ovnik.bpf.o
	$$(say) SKEL $$@
	$$(Q)$$(BPFTOOL) gen skeleton $$< name $(3) >$$@
endef

$(foreach k,$(BPF_KERNELS),$(eval $(call bpf_rules,$(word 1,$(subst :, ,$(k))),$(word 2,$(subst :, ,$(k))),$(word 3,$(subst :, ,$(k))))))

# For the tests of the module.
$(TAKEN): tools/selftests/guest/taken.bpf.c
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) -g -O2 -target bpf -Wall -I/usr/include/$(shell gcc -print-multiarch) -c -o $@ $<

-include $(BPF_OBJECTS:.o=.d)
